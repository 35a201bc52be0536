"""DemographicParity."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.browsing import MaxGrade
from rankmark.kinds.exposure import (
    EVERY_RANK,
    Browsing,
    Comparison,
    Overlap,
    Patience,
    Reader,
    UnknownGroup,
    compared,
    item_groups,
    needs_of_groups,
    parity_of,
    totals,
)
from rankmark.kinds.items import RecommendedLists
from rankmark.language.parameters import GROUP, Column, Group
from rankmark.language.registry import item_measure


@item_measure(
    "DemographicParity",
    aliases=("ExposureRatio",),
    variants={"ExposureDifference": {"value": "difference"}, "logDP": {"value": "log", "per": "none"}},
    bounds=(None, None),
    needs=needs_of_groups,
    aggregate="run",
    better="neither",
    parity=parity_of,
    order="top",
    undefined="a group without items",
)
def demographic_parity(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = GROUP,
    group: Group | Literal["each", "all"] = "all",
    value: Comparison = "ratio",
    per: Literal["catalogue", "lists", "none"] = "catalogue",
    browsing: Browsing = "log2",
    p: Patience = 0.5,
    max_grade: MaxGrade = 1,
    overlap: Overlap = "share",
    unknown: UnknownGroup = "refuse",
) -> float:
    """Demographic parity: whether the items of two groups get as much attention each.

        DemographicParity@k = x_G / x_rest,  x_g = mean_u Σ_{i≤k} m_ig · w_i / n_g

    x_g is the attention that an item of group g gets in the mean: w_i the attention of rank i, m_ig how much
    its item is of g and n_g how many items are. Attention is added up over all lists.

    Args:
        by: the column of items with their group, a list of groups, or how much each is of every group: a
            list of numbers or a dict of them by the names of groups.
        group: the group that is compared with the rest, ``each`` in turn, or ``all``: the least of all groups
            with the greatest.
        value: the ``ratio`` x_G / x_rest, of ``all`` min_g x_g / max_g x_g; its ``log``; or the
            ``difference`` x_G − x_rest, of ``all`` max_g x_g − min_g x_g.
        per: n_g counts the items that can be recommended, ``catalogue``, or those of the ``lists``, as where
            each list ranks all that there are (Singh and Joachims); with ``none`` it is 1, so that whole
            groups are compared (logDP).
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

    Needs: a table of items with their groups, items=…; for ``err`` and ``cascade`` judgements.

    Range: 0 or more, 1 is parity; of the ``difference`` and the ``log`` any number, 0 is parity.

    Source: [singh2018]; logDP [raj2022].

    Example:
        Two items of x get 1 + ½, and one of y 0.63093: x_x = 0.75.

        >>> import rankmark as rm
        >>> items = {"a": {"group": "x"}, "b": {"group": "y"}, "c": {"group": "x"}}
        >>> measures = ["DemographicParity(group=x)", "DemographicParity"]
        >>> result = rm.evaluate(None, {"q": ["a", "b", "c"]}, measures, items=items)
        >>> [round(value, 6) for value in result.values.values()]
        [1.188722, 0.84124]

    """
    top = lists.top(cutoff)
    groups = item_groups(lists, by, overlap, unknown)
    answered = max(top.total(top.length > 0), 1)
    above = totals(top, groups.attention(top, Reader(browsing, p, max_grade))) / answered
    below = groups.in_catalogue()
    if per == "lists":
        below = totals(top, groups.attention(top, EVERY_RANK)) / answered
    elif per == "none":
        below = np.ones(len(above))
    return compared(above, below, groups, "DemographicParity", group, value)
