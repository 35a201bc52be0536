"""Popularity."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.registry import item_measure


@item_measure(
    "Popularity",
    aliases=("AverageRecommendationPopularity",),
    variants={
        "AvgRecPopularity": {"by": "interactions"},
        "AveragePopularity": {"by": "interactions"},
        "MeanPopRank": {"scale": "rank"},
    },
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
    scale: Literal["count", "share", "max", "rank"] = "count",
    unseen: Literal["zero", "skip"] = "zero",
) -> Values:
    """Popularity: how many users had the items of a list before (average recommendation popularity).

        Popularity@k = (1/n) · Σ_{i ≤ n} c_i,  c_i = users who had item i

    n is the number of items of the list down to rank k.

    Args:
        by: c_i counts ``users`` (evidently, LensKit, Elliot), or ``interactions`` (RecTools, RecBole).
        of: the ``mean`` or the ``median`` of the items of a list.
        scale: c_i is a ``count``; or its ``share`` of all users or interactions (RecTools' normalize); or
            divided by the greatest, the ``max`` (evidently's normalize_arp); or the ``rank`` of the item, the
            least popular first, as a share of the items that somebody had, equal ones with the mean of their
            ranks (LensKit's MeanPopRank).
        unseen: an item that nobody had counts ``zero``, or is left out of n (``skip``; evidently).

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
    if unseen == "skip":
        top = top.among((counts > 0)[top.item])
    if scale == "share":
        counts = counts / (train.users if by == "users" else counts.sum())
    elif scale == "max":
        counts = counts / counts.max()
    elif scale == "rank":
        counts = _ranks(counts)
    return top.mean_of(counts) if of == "mean" else top.median(counts[top.item])


def _ranks(counts: Values) -> Values:
    """The mean rank of each count that is not 0 among those, as a share of them, the least first."""
    ordered = np.sort(counts[counts > 0])
    last = np.searchsorted(ordered, counts, side="right")
    first = np.searchsorted(ordered, counts, side="left") + 1
    return np.where(counts > 0, (first + last) / 2, 0.0) / max(len(ordered), 1)
