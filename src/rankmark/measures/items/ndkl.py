"""NDKL."""

from __future__ import annotations

from typing import Annotated

from rankmark import _native
from rankmark import _numpy as np
from rankmark.kinds.exposure import (
    Overlap,
    Target,
    UnknownGroup,
    item_groups,
    needs_of_groups,
    target_shares,
    terms,
)
from rankmark.kinds.gains import discounts
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.kinds.ranges import Within
from rankmark.language.parameters import GROUP, Column
from rankmark.language.registry import item_measure


@item_measure(
    "NDKL",
    aliases=("NormalisedDiscountedKL", "NormalizedDiscountedKL"),
    bounds=(0, None),
    needs=needs_of_groups,
    better="less",
    order="top",
    undefined="no items of known groups, or no target",
)
def normalised_discounted_kl(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = GROUP,
    target: Target = "catalogue",
    rel: float = 1,
    alpha: Annotated[float, Within(0, 1)] = 0,
    overlap: Overlap = "share",
    unknown: UnknownGroup = "refuse",
) -> Values:
    """Normalised discounted KL divergence: how far beginnings of a list are from the target; less is better.

        NDKL@k = Σ_{i≤n} d_i / log₂(i + 1) / Σ_{i≤n} 1 / log₂(i + 1)
        d_i = Σ_g p_ig · ln(p_ig / ((1 − α) · t_g + α · p_ig))

    n is the number of items of the list down to rank k, p_ig the share of group g among the first i of them
    and t_g the share that it should have.

    Args:
        by: the column of items with their group, a list of groups, or how much each is of every group: a
            list of numbers or a dict of them by the names of groups.
        target: t_g is the share of the group among the items that can be recommended, ``catalogue``, among
            the items that are relevant to the query, ``relevant``, ``equal`` for all, or what is given,
            ``{women:0.5,men:0.5}``, where every group has one and all are divided by their sum.
        rel: the least grade that counts as relevant.
        alpha: above 0 it keeps the value finite where a group is there that
            should have nothing.
        overlap: an item of several groups is of each in part, ``share``, or of each in whole,
            ``each``.
        unknown: an item whose group is not known is an error, ``refuse``, of a group of its own called
            unknown, ``group``, or of none, ``ignore``; ranks before the first
            item of a known group are left out.

    Needs: a table of items with their groups, items=…; for the target ``relevant`` judgements.

    Range: 0 or more; 0 is the target itself.

    Source: [geyik2019].

    Example:
        Half of all items are of x. The first alone is far, ln 2, and both together are as they should be:
        0.693147 / (1 + 0.63093).

        >>> import rankmark as rm
        >>> items = {"a": {"group": "x"}, "b": {"group": "y"}}
        >>> round(rm.evaluate(None, {"q": ["a", "b"]}, "NDKL", items=items)["NDKL"], 6)
        0.425001

    """
    top = lists.top(cutoff)
    groups = item_groups(lists, by, overlap, unknown)
    target_of = target_shares(groups, "NDKL", target, rel)
    counts = [_native.segment_running_sum(each, top.offsets) for each in groups.each(top)]
    whole = np.sum(counts, axis=0)
    known = whole > 0
    far = np.zeros(len(whole))
    for number, count in enumerate(counts):
        p = np.divide(count, whole, out=np.zeros(len(whole)), where=known)
        t = target_of[top.query if len(target_of) > 1 else 0, number]
        far += terms(p, (1 - alpha) * t + alpha * p)
    weight = discounts("log2", int(top.rank.max(initial=1)))[top.rank - 1] * known
    total = np.maximum(top.sum(weight * np.where(known, far, 0.0)), 0.0)
    return _native.ratio(total, top.sum(weight), top.sum(weight))
