"""EED."""

from __future__ import annotations

from typing import Literal

from rankmark.kinds.browsing import MaxGrade
from rankmark.kinds.expected_exposure import exposures, needs_of_exposures
from rankmark.kinds.exposure import Browsing, Overlap, Patience, Reader, UnknownGroup
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.parameters import Column
from rankmark.language.registry import item_measure


@item_measure(
    "EED",
    aliases=("ExpectedExposureDisparity",),
    bounds=(0, None),
    needs=needs_of_exposures,
    better="less",
    order="top",
    undefined="no items",
)
def expected_exposure_disparity(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column | Literal["item"] = "item",
    browsing: Browsing = "rbp",
    p: Patience = 0.5,
    max_grade: MaxGrade = 1,
    overlap: Overlap = "share",
    unknown: UnknownGroup = "refuse",
) -> Values:
    """Expected exposure, disparity: how unevenly attention falls on items or groups; less is better.

        EED@k = Σ_j ε_j²

    ε_j is the attention that item j gets: that of its rank down to k, else 0; a group gets that of its items.
    It is the least where all get the same. Of a ranker that draws its lists, `AmortisedEED`
    takes the mean over them.

    Args:
        by: j are items, ``item``, or the groups by a column of items: with their group, a list of groups, or
            how much each is of every group.
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

    Needs: nothing but the run; by groups a table of items with them, items=…; for ``err`` and ``cascade``
    judgements.

    Range: 0 or more.

    Source: [diaz2020].

    Example:
        The attention of two ranks is 1 and ½.

        >>> import rankmark as rm
        >>> rm.evaluate(None, {"q": ["a", "b"]}, "EED").values
        {'EED': 1.25}

    """
    reader = Reader(browsing, p, max_grade)
    found = exposures(
        lists,
        reader,
        cutoff=cutoff,
        by=by,
        target=None,
        rel=1,
        overlap=overlap,
        unknown=unknown,
    )
    return found.own
