"""MinSkew."""

from __future__ import annotations

from typing import Annotated

from rankmark import _numpy as np
from rankmark.kinds.exposure import (
    Overlap,
    Target,
    UnknownGroup,
    item_groups,
    needs_of_groups,
    skews,
    target_shares,
)
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.kinds.ranges import Within
from rankmark.language.parameters import GROUP, Column
from rankmark.language.registry import item_measure


@item_measure(
    "MinSkew",
    bounds=(None, 0),
    needs=needs_of_groups,
    undefined="no items of known groups, or no target",
)
def least_skew(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = GROUP,
    target: Target = "catalogue",
    rel: float = 1,
    alpha: Annotated[float, Within(0, 1)] = 0.01,
    overlap: Overlap = "share",
    unknown: UnknownGroup = "refuse",
) -> Values:
    """MinSkew: the `Skew` of the group that a list has too few of.

        MinSkew@k = min_g ln(((1 − α) · p_g + α · t_g) / t_g)

    p_g is the share of group g among the items down to rank k and t_g the share that it should have.

    Args:
        by: the column of items with their group, a list of groups, or how much each is of every group: a
            list of numbers or a dict of them by the names of groups.
        target: t_g is the share of the group among the items that can be recommended, ``catalogue``, among
            the items that are relevant to the query, ``relevant``, ``equal`` for all, or what is given,
            ``{women:0.5,men:0.5}``, where every group has one and all are divided by their sum.
        rel: the least grade that counts as relevant.
        alpha: keeps the value finite where a list lacks a group; with 0, as in the source, it is −∞
            there.
        overlap: an item of several groups is of each in part, ``share``, or of each in whole,
            ``each``.
        unknown: an item whose group is not known is an error, ``refuse``, of a group of its own called
            unknown, ``group``, or of none, ``ignore``.

    Needs: a table of items with their groups, items=…; for the target ``relevant`` judgements.

    Range: 0 or less; 0 is as it should be.

    Source: [geyik2019].

    Example:
        Half of the items and one of three at the top are of y, two of x: ln(⅓ / ½).

        >>> import rankmark as rm
        >>> items = {"a": {"group": "x"}, "b": {"group": "y"}, "c": {"group": "x"}, "d": {"group": "y"}}
        >>> result = rm.evaluate(None, {"q": ["a", "b", "c"]}, "MinSkew(alpha=0)@3", items=items)
        >>> round(result["MinSkew(alpha=0)@3"], 6)
        -0.405465

    """
    groups = item_groups(lists, by, overlap, unknown)
    t = target_shares(groups, "MinSkew", target, rel)
    return np.asarray(np.fmin.reduce(skews(lists.top(cutoff), groups, t, alpha), axis=1))
