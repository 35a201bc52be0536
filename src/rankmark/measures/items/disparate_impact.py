"""DisparateImpact."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.browsing import MaxGrade
from rankmark.kinds.exposure import (
    Browsing,
    Comparison,
    Overlap,
    Patience,
    Reader,
    UnknownGroup,
    compared,
    item_groups,
    parity_of,
    relevance_of,
    totals,
)
from rankmark.kinds.gains import CumulatedGain, gain_of
from rankmark.kinds.items import RecommendedLists
from rankmark.language.parameters import GROUP, Column, Group
from rankmark.language.registry import item_measure


@item_measure(
    "DisparateImpact",
    aliases=("DIR", "RUR", "RealisedUtilityRatio", "RealizedUtilityRatio", "DisparateImpactRatio"),
    variants={"logRUR": {"value": "log"}},
    bounds=(None, None),
    needs=("groups", "judgements"),
    aggregate="run",
    better="neither",
    parity=parity_of,
    order="top",
    undefined="a group without relevant items",
)
def disparate_impact(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = GROUP,
    group: Group | Literal["each", "all"] = "all",
    value: Comparison = "ratio",
    gain: CumulatedGain = "linear",
    browsing: Browsing = "log2",
    p: Patience = 0.5,
    max_grade: MaxGrade = 1,
    overlap: Overlap = "share",
    unknown: UnknownGroup = "refuse",
) -> float:
    """Disparate impact: whether groups get clicks in proportion to their relevance.

        DisparateImpact@k = x_G / x_rest
        x_g = Σ_u Σ_{i≤k} m_ig · w_i · rel_i / Σ_u Σ_j m_jg · rel_uj

    x_g is the click-through of group g for its relevance: w_i the attention of rank i, rel_i the relevance of
    its item, which together are its chance of a click, m_ig how much the item is of g, and rel_uj the
    relevance of each judged item j. Both are added up over all lists. With a group without relevant items
    there is no value.

    Args:
        by: the column of items with their group, a list of groups, or how much each is of every group: a
            list of numbers or a dict of them by the names of groups.
        group: the group that is compared with the rest, ``each`` in turn, or ``all``: the least of all groups
            with the greatest.
        value: the ``ratio`` x_G / x_rest, of ``all`` min_g x_g / max_g x_g; its ``log``; or the
            ``difference`` x_G − x_rest, of ``all`` max_g x_g − min_g x_g.
        gain: the relevance of an item of a grade: ``linear`` is the grade, ``binary`` 1 above 0, ``exp2``
            2^grade − 1; a mapping gives each grade its relevance, from Python also a function of a grade.
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

    Needs: a table of items with their groups, items=…, and judgements.

    Range: 0 or more, 1 is in proportion; of the ``difference`` and the ``log`` any number, 0 is.

    Source: [singh2018]; it is called realised utility ratio in [raj2022].

    Example:
        Of x a alone is relevant and gets 1, of y b is and gets 0.63093.

        >>> import rankmark as rm
        >>> items = {"a": {"group": "x"}, "b": {"group": "y"}, "c": {"group": "x"}}
        >>> qrels = {"q": {"a": 1, "b": 1, "c": 0}}
        >>> result = rm.evaluate(qrels, {"q": ["a", "b", "c"]}, "DisparateImpact(group=y)", items=items)
        >>> round(result["DisparateImpact(group=y)"], 6)
        0.63093

    """
    top = lists.top(cutoff)
    groups = item_groups(lists, by, overlap, unknown)
    relevance = gain_of(np.nan_to_num(top.grade(), nan=0.0), gain)
    above = totals(top, groups.in_lists(top, Reader(browsing, p, max_grade).attention(top) * relevance))
    below = relevance_of(top, groups, gain)
    return compared(above, below, groups, "DisparateImpact", group, value)
