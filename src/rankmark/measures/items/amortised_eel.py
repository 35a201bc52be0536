"""AmortisedEEL."""

from __future__ import annotations

from typing import Literal

from rankmark.kinds.browsing import MaxGrade
from rankmark.kinds.expected_exposure import Aimed, amortised, needs_of_targets
from rankmark.kinds.exposure import Browsing, Overlap, Patience, Reader, UnknownGroup
from rankmark.kinds.items import RecommendedLists
from rankmark.language.parameters import Column
from rankmark.language.registry import item_measure


@item_measure(
    "AmortisedEEL",
    aliases=("AmortizedEEL",),
    bounds=(0, None),
    needs=needs_of_targets,
    aggregate="run",
    better="less",
    order="top",
)
def amortised_exposure_loss(
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
) -> float:
    """Amortised EEL: how far the attention over all lists is from what is deserved; less is better.

        AmortisedEEL@k = Σ_j (ε̄_j − ε̄*_j)²

    ε̄_j is the mean over all lists of the attention that item j gets and ε̄*_j of that in the target, as `EEL`
    has them for one list. One list cannot be fair to two items of the same grade; two can.

    The lists are what a ranker draws: those of all users, or several of one query, each as a query of its
    own, such as q1.1 and q1.2, with the same judgements; slices by query then have a value each.

    Args:
        by: j are items, ``item``, or the groups by a column of items: with their group, a list of groups, or
            how much each is of every group.
        rel: the least grade that counts as relevant; lists of queries without
            relevant items are left out.
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
        a and b are relevant and get 1 and ½ in turn, ¾ in the mean, as they should.

        >>> import rankmark as rm
        >>> qrels = {"q.1": {"a": 1, "b": 1}, "q.2": {"a": 1, "b": 1}}
        >>> rm.evaluate(qrels, {"q.1": ["a", "b"], "q.2": ["b", "a"]}, "AmortisedEEL").values
        {'AmortisedEEL': 0.0}

    """
    seen, aim = amortised(
        lists,
        Reader(browsing, p, max_grade),
        cutoff=cutoff,
        by=by,
        target=target,
        rel=rel,
        overlap=overlap,
        unknown=unknown,
    )
    return float(((seen - aim) ** 2).sum())
