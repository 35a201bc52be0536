"""EEL."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.browsing import MaxGrade
from rankmark.kinds.expected_exposure import Aimed, exposures, needs_of_targets
from rankmark.kinds.exposure import Browsing, Overlap, Patience, Reader, UnknownGroup
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.parameters import Column
from rankmark.language.registry import item_measure


@item_measure(
    "EEL",
    aliases=(
        "ExpectedExposureLoss",
        "ExpectedExposureDifference",
    ),
    bounds=(0, None),
    needs=needs_of_targets,
    better="less",
    order="top",
    undefined="nothing relevant",
)
def expected_exposure_loss(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column | Literal["item"] = "item",
    rel: float = 1,
    target: Aimed = "relevant",
    browsing: Browsing = "rbp",
    p: Patience = 0.5,
    max_grade: MaxGrade = 1,
    overlap: Overlap = "share",
    unknown: UnknownGroup = "refuse",
) -> Values:
    """Expected exposure, loss: how far attention is from what items or groups deserve; less is better.

        EEL@k = Σ_j (ε_j − ε*_j)²

    ε_j is the attention that item j gets: that of its rank down to k, else 0; ε*_j is what it gets in the
    target, down to k too, which puts better items first and those of the same grade in all orders alike. A
    group gets the attention of its items. One list cannot be fair to several items of the same grade, so that
    it is 0 only where there are none; several lists of a ranker that draws them can be, see `AmortisedEEL`.

    Args:
        by: j are items, ``item``, or the groups by a column of items: with their group, a list of groups, or
            how much each is of every group.
        rel: the least grade that counts as relevant.
        target: the target shows the ``relevant`` items, the better first and those of the same grade in all
            orders alike; or behind these all others that are ``judged``, as where all are to be ranked.
        browsing: the attention of rank i: ``log2`` is 1 / log₂(i + 1), ``log2max`` 1 / log₂(max(i, 2)),
            ``rbp`` p^(i − 1) (geometric), ``reciprocal`` 1 / i, ``none`` 1. ``err`` is the chance that a
            reader gets there who is satisfied by an item of grade r and stops with chance (2^r − 1) /
            2^max_grade, ``cascade`` that chance times p^(i − 1).
        p: the chance to go on to the next rank, of ``rbp`` and ``cascade``.
        max_grade: the highest grade of the scale, for ``err`` and ``cascade``.
        overlap: an item of several groups is of each in part, ``share``, or of each in whole,
            ``each``.
        unknown: an item whose group is not known is an error, ``refuse``, of a group of its own called
            unknown, ``group``, or of none, ``ignore``; it takes its rank all the same.

    Needs: judgements; by groups a table of items with them, items=….

    Range: 0 or more.

    Source: [diaz2020].

    Example:
        a and b are relevant, so that each should get 0.75, and get 1 and ½.

        >>> import rankmark as rm
        >>> rm.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "b"]}, "EEL").values
        {'EEL': 0.125}

    """
    reader = Reader(browsing, p, max_grade)
    found = exposures(
        lists,
        reader,
        cutoff=cutoff,
        by=by,
        target=target,
        rel=rel,
        overlap=overlap,
        unknown=unknown,
    )
    return np.maximum(found.own - 2 * found.both + found.aim, 0.0)
