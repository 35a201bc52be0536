"""IAA."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

from rankmark import _native
from rankmark import _numpy as np
from rankmark.kinds.browsing import MaxGrade
from rankmark.kinds.exposure import Browsing, Overlap, Patience, Reader, UnknownGroup, item_groups
from rankmark.kinds.gains import CumulatedGain, gain_of
from rankmark.kinds.items import RecommendedLists
from rankmark.language.parameters import Column
from rankmark.language.registry import Need, item_measure


def _needs(arguments: Mapping[str, Any]) -> tuple[Need, ...]:
    return ("judgements",) if arguments["by"] == "item" else ("groups", "judgements")


@item_measure(
    "IAA",
    aliases=("InequityOfAmortisedAttention", "InequityOfAmortizedAttention"),
    bounds=(0, None),
    needs=_needs,
    aggregate="run",
    better="less",
    order="top",
)
def inequity_of_amortised_attention(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column | Literal["item"] = "item",
    gain: CumulatedGain = "linear",
    browsing: Browsing = "rbp",
    p: Patience = 0.5,
    max_grade: MaxGrade = 1,
    scale: Literal["sum", "mean"] = "sum",
    overlap: Overlap = "share",
    unknown: UnknownGroup = "refuse",
) -> float:
    """Inequity of amortised attention: how far attention is from relevance over all lists; less is better.

        IAA@k = Σ_j |Σ_u a_uj − Σ_u r_uj|

    a_uj is the share of the attention to the list of query u down to rank k that item j gets, 0 where it is
    not there, and r_uj its share of the relevance of all items that are judged for u. Queries without results
    or without anything relevant are left out.

    Args:
        by: j are items, ``item``, or the groups by a column of items: with their group, a list of groups, or
            how much each is of every group.
        gain: the relevance of an item of a grade: ``linear`` is the grade, ``binary`` 1 above 0, ``exp2``
            2^grade − 1; a mapping gives each grade its relevance, from Python also a function of a grade.
        browsing: the attention of rank i: ``log2`` is 1 / log₂(i + 1), ``log2max`` 1 / log₂(max(i, 2)),
            ``rbp`` p^(i − 1) (geometric), ``reciprocal`` 1 / i, ``none`` 1. ``err`` is the chance that a
            reader gets there who is satisfied by an item of grade r and stops with chance (2^r − 1) /
            2^max_grade, ``cascade`` that chance times p^(i − 1).
        p: the chance to go on to the next rank, of ``rbp`` and ``cascade``.
        max_grade: the highest grade of the scale, for ``err`` and ``cascade``.
        scale: the ``sum`` over queries as above, or its ``mean``, from 0 to 2.
        overlap: an item of several groups is of each in part, ``share``, or of each in whole,
            ``each``.
        unknown: an item whose group is not known is an error, ``refuse``, of a group of its own called
            unknown, ``group``, or of none, ``ignore``; it takes its rank all the same.

    Needs: judgements; by groups a table of items with them, items=….

    Range: 0 or more, 2 for each query at most.

    Source: [biega2018].

    Example:
        a and b are relevant alike, and get ⅔ and ⅓ of the attention; for two queries once each way round.

        >>> import rankmark as rm
        >>> qrels = {"u": {"a": 1, "b": 1}, "v": {"a": 1, "b": 1}}
        >>> run = {"u": ["a", "b"], "v": ["b", "a"]}
        >>> rm.evaluate(qrels, run, "IAA").values
        {'IAA': 0.0}
        >>> round(rm.evaluate(qrels, {"u": ["a", "b"]}, "IAA")["IAA"], 6)
        0.333333

    """
    top = lists.top(cutoff)
    judged = lists.facts.judgements()
    query = np.repeat(np.arange(len(judged.offsets) - 1), np.diff(judged.offsets))
    attention, relevance = Reader(browsing, p, max_grade).attention(top), gain_of(judged.grade, gain)
    seen, whole = top.sum(attention), _native.segment_sum(relevance, judged.offsets)
    counts = top.drawn * ((seen > 0) & (whole > 0))
    given = attention * (counts / np.where(seen > 0, seen, 1.0))[top.query]
    due = relevance * (counts / np.where(whole > 0, whole, 1.0))[query]
    if by == "item":
        most = max(int(top.item.max(initial=0)), int(judged.item.max(initial=0))) + 1
        far = np.bincount(top.item, given, most) - np.bincount(judged.item, due, most)
    else:
        groups = item_groups(lists, by, overlap, unknown)
        far = (groups.in_lists(top, given) - groups.sums(due, judged.item, query, len(whole))).sum(axis=0)
    if not counts.any():
        return math.nan
    total = float(np.abs(far).sum())
    return total if scale == "sum" else total / float(counts.sum())
