"""APLT."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.expected import Head, HeadOf, in_head
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.registry import item_measure


@item_measure(
    "APLT",
    aliases=("LongTailShare",),
    variants={"ACLT": {"scale": "count"}},
    bounds=(0, None),
    usual_bounds=(0, 1),
    usual_with=("scale",),
    needs=("train",),
)
def aplt(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    head: Head = 0.2,
    of: HeadOf = "items",
    scale: Literal["share", "count"] = "share",
) -> Values:
    """APLT, average percentage of long-tail items: the share of a list that is not of the most popular items.

        APLT@k = |{i ≤ n : item i is not in the head}| / n

    n is the number of items of the list down to rank k. The head is the items that most users had before;
    items that are as popular as the last of them belong to it, and one that nobody had does not.

    Args:
        head: how much the head is, as a share.
        of: the head is that share of the ``items`` (of the catalogue, or without one of those in train),
            rounded up; or as few items as have that share of the ``interactions``.
        scale: the ``share`` of the list, or the ``count`` of its items (ACLT).

    Needs: the interactions before, train=….

    Range: 0 to 1; of a count 0 to n.

    Source: [abdollahpouri2019].

    Example:
        Of five items a fifth is one, a, which two users had; of the list b alone is not in this head.

        >>> import rankmark as rm
        >>> train = {"u1": ["a"], "u2": ["a", "b"], "u3": ["c"]}
        >>> rm.evaluate(None, {"u1": ["a", "b"]}, "APLT@2", items=list("abcde"), train=train).values
        {'APLT@2': 0.5}

    """
    top = lists.top(cutoff)
    tail = ~in_head(lists.facts, head, of)[top.item]
    return top.mean(tail) if scale == "share" else np.where(top.length > 0, top.sum(tail), np.nan)
