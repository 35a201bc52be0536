"""MaxRank."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.kinds.unretrieved import Ranked, catalogue
from rankmark.language.registry import list_measure


@list_measure(
    "MaxRank",
    aliases=("coverage_error",),
    bounds=(0, None),
    better="less",
)
def max_rank(lists: JudgedLists, *, rel: float = 1, items: Ranked = "known") -> Values:
    """Greatest rank of a relevant item, or coverage error: how far down one must go to see them all.

        MaxRank = max_d rank_d

    d runs over the relevant items. Those u that were not retrieved stand after the list in any order, the
    last of them on average at n + u · (N − n + 1) / (u + 1), with n retrieved items of N.

    Args:
        rel: the least grade that counts as relevant.
        items: N. ``known`` are the items of a query that were retrieved or judged; a number is how many
            items there are in all: give it unless lists are complete.

    Range: from 1; less is better, and the best is the number of relevant items.
    No relevant item: decided by `no_relevant`; scikit-learn has 0, ``zero``.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form. scikit-learn puts
    relevant items last: ``ties="worst"``.
    More retrieved or judged items than `items` are a DataError.

    Source: [tsoumakas2010].

    Example:
        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 1}}
        >>> rm.evaluate(qrels, {"q": ["a", "b", "c", "d"]}, "MaxRank")["MaxRank"]
        3.0

    """
    hit = lists.relevance >= rel
    first, end = (lists.rank, lists.rank) if lists.ties is None else lists.ties
    _, tied = lists.tied(hit)
    # Of `tied` items among s places the last stands on average at place tied · (s + 1) / (tied + 1).
    last = lists.max(hit * (first - 1 + tied * (end - first + 2) / (tied + 1)))
    relevant = lists.relevant(rel)
    lacking = relevant - lists.sum(hit)
    after = catalogue(lists, "MaxRank", items) - lists.retrieved
    beyond = lists.retrieved + lacking * (after + 1) / (lacking + 1)
    return ratio(np.where(lacking > 0, beyond, last), 1.0, relevant)
