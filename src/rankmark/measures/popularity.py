"""Popularity."""

from __future__ import annotations

from typing import Literal

from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.registry import item_measure


@item_measure(
    "Popularity",
    aliases=("AvgRecPopularity", "AveragePopularity", "AverageRecommendationPopularity"),
    bounds=(0, None),
    needs=("train",),
    better="neither",
)
def popularity(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Literal["users", "interactions"] = "users",
    of: Literal["mean", "median"] = "mean",
    scale: Literal["count", "share"] = "count",
) -> Values:
    """Popularity: how many users had the items of a list before (average recommendation popularity).

        Popularity@k = (1/n) · Σ_{i ≤ n} c_i,  c_i = users who had item i

    n is the number of items of the list down to rank k. An item that nobody had counts 0.

    Args:
        by: c_i counts ``users``, or ``interactions``.
        of: the ``mean`` or the ``median`` of the items of a list.
        scale: c_i is a ``count``, or its ``share`` of all users or interactions.

    Needs: the interactions before, train=….

    Range: 0 or more.

    Source: [yin2012].

    Example:
        Two users had a and one had b.

        >>> import rankmark as rm
        >>> train = {"u1": ["a"], "u2": ["a", "b"], "u3": ["c"], "u4": ["c"]}
        >>> rm.evaluate(None, {"u1": ["a", "b"]}, "Popularity@2", train=train).values
        {'Popularity@2': 1.5}

    """
    top, train = lists.top(cutoff), lists.facts.before()
    counts = lists.facts.popularity(by)
    if scale == "share":
        counts = counts / (train.users if by == "users" else counts.sum())
    return top.mean(counts[top.item]) if of == "mean" else top.median(counts[top.item])
