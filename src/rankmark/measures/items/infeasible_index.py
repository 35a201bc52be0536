"""InfeasibleIndex."""

from __future__ import annotations

from typing import Literal

from rankmark import _native
from rankmark import _numpy as np
from rankmark.kinds.exposure import Overlap, Target, UnknownGroup, item_groups, needs_of_groups, target_shares
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.parameters import GROUP, Column
from rankmark.language.registry import item_measure

ROUNDING = 1e-9
"""What the product of a share and a rank may be short of a whole number."""


@item_measure(
    "InfeasibleIndex",
    variants={"InfeasibleCount": {"of": "groups"}},
    bounds=(0, None),
    needs=needs_of_groups,
    better="less",
    order="top",
    undefined="no items, or no target",
)
def infeasible_index(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = GROUP,
    target: Target = "catalogue",
    rel: float = 1,
    of: Literal["ranks", "groups"] = "ranks",
    overlap: Overlap = "share",
    unknown: UnknownGroup = "refuse",
) -> Values:
    """Infeasible index: at how many ranks some group has fewer items than its least number; less is better.

        InfeasibleIndex@k = |{i ≤ n : ∃ g : c_ig < ⌊t_g · i⌋}|

    n is the number of items of the list down to rank k, c_ig how many of the first i are of group g, and t_g
    the share that it should have: there should be at least the whole part of t_g · i at every rank i.

    Args:
        by: the column of items with their group, a list of groups, or how much each is of every group: a
            list of numbers or a dict of them by the names of groups.
        target: t_g is the share of the group among the items that can be recommended, ``catalogue``, among
            the items that are relevant to the query, ``relevant``, ``equal`` for all, or what is given,
            ``{women:0.5,men:0.5}``, where every group has one and all are divided by their sum.
        rel: the least grade that counts as relevant.
        of: whether ``ranks`` are counted, or at each rank the ``groups`` that have too few, which is the
            infeasible count.
        overlap: an item of several groups is of each in part, ``share``, or of each in whole,
            ``each``.
        unknown: an item whose group is not known is an error, ``refuse``, of a group of its own called
            unknown, ``group``, or of none, ``ignore``.

    Needs: a table of items with their groups, items=…; for the target ``relevant`` judgements.

    Range: 0 (feasible everywhere) to the number of items, or that of items times groups.

    Source: [geyik2019].

    Example:
        Half of the items are of y, and there is to be one of it from rank 2 and two from rank 4: too few at
        ranks 2 and 3, and not at rank 4.

        >>> import rankmark as rm
        >>> items = {"a": {"group": "x"}, "b": {"group": "x"}, "c": {"group": "y"}, "d": {"group": "y"}}
        >>> rm.evaluate(None, {"q": ["a", "b", "c", "d"]}, "InfeasibleIndex", items=items).values
        {'InfeasibleIndex': 1.0}

    """
    top = lists.top(cutoff)
    groups = item_groups(lists, by, overlap, unknown)
    target_of = target_shares(groups, "InfeasibleIndex", target, rel)
    t = np.broadcast_to(target_of, (len(top.length), len(groups.names)))
    short = np.zeros(len(top.item))
    for number, each in enumerate(groups.each(top)):
        least = np.floor(t[top.query, number] * top.rank + ROUNDING)
        short += _native.segment_running_sum(each, top.offsets) < least - ROUNDING
    found = top.sum(short > 0 if of == "ranks" else short)
    return np.where((top.length > 0) & ~np.isnan(t).any(axis=1), found, np.nan)
