"""HeadShare."""

from __future__ import annotations

from rankmark.kinds.expected import Head, HeadOf, in_head
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.registry import item_measure


@item_measure(
    "HeadShare",
    aliases=("ShortHeadShare", "PopularShare"),
    bounds=(0, 1),
    needs=("train",),
    better="neither",
)
def head_share(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    head: Head = 0.2,
    of: HeadOf = "items",
) -> Values:
    """Share of the head: how much of a list is of the most popular items, 1 − APLT.

        HeadShare@k = |{i ≤ n : item i is in the head}| / n

    n is the number of items of the list down to rank k. The head is the items that most users had before;
    items that are as popular as the last of them belong to it, and one that nobody had does not.

    Args:
        head: how much the head is, as a share.
        of: the head is that share of the ``items`` (of the catalogue, or without one of those in train),
            rounded up; or as few items as have that share of the ``interactions``.

    Needs: the interactions before, train=….

    Range: 0 to 1.

    Source: [abdollahpouri2019].

    Example:
        Of five items a fifth is one, a, which two users had.

        >>> import rankmark as rm
        >>> train = {"u1": ["a"], "u2": ["a", "b"], "u3": ["c"]}
        >>> rm.evaluate(None, {"u1": ["a", "b"]}, "HeadShare@2", items=list("abcde"), train=train).values
        {'HeadShare@2': 0.5}

    """
    top = lists.top(cutoff)
    return top.mean_of(in_head(lists.facts, head, of))
