"""APLT."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.kinds.ranges import Between
from rankmark.language.registry import item_measure


@item_measure(
    "APLT",
    aliases=("TailPercentage", "LongTailShare"),
    bounds=(0, 1),
    needs=("train",),
)
def aplt(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    head: Annotated[float, Between(0, 1)] = 0.2,
    of: Literal["items", "interactions"] = "items",
) -> Values:
    """APLT, average percentage of long-tail items: the share of a list that is not of the most popular items.

        APLT@k = |{i ≤ n : item i is not in the head}| / n

    n is the number of items of the list down to rank k. The head is the items that most users had before;
    items that are as popular as the last of them belong to it.

    Args:
        head: how much the head is, as a share.
        of: the head is that share of the ``items`` (of the catalogue, or without one of those in train and
            in the run), rounded up; or as few items as have that share of the ``interactions``.

    Needs: the interactions before, train=….

    Range: 0 to 1.

    Source: [abdollahpouri2019].

    Example:
        Of five items a fifth is one, a, which two users had; of the list b alone is not in this head.

        >>> import rankmark as rm
        >>> train = {"u1": ["a"], "u2": ["a", "b"], "u3": ["c"]}
        >>> rm.evaluate(None, {"u1": ["a", "b"]}, "APLT@2", items=list("abcde"), train=train).values
        {'APLT@2': 0.5}

    """
    top = lists.top(cutoff)
    counts = lists.facts.popularity("users" if of == "items" else "interactions")
    counts = counts[: lists.facts.count]
    descending = -np.sort(-counts)
    if of == "items":
        last = int(np.ceil(head * len(counts))) - 1
    else:
        before = np.cumsum(descending)
        last = int(np.searchsorted(before, head * before[-1]))
    return top.mean(counts[top.item] < descending[last])
