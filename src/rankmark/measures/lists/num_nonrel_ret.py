"""NumNonrelRet."""

from __future__ import annotations

from rankmark.kinds.lists import JudgedLists, Values
from rankmark.language.registry import list_measure


@list_measure(
    "NumNonrelRet",
    aliases=("num_nonrel_judged_ret",),
    bounds=(0, None),
    aggregate="sum",
    better="less",
    order="set",
    tells_unjudged=True,
)
def num_nonrel_ret(lists: JudgedLists, *, cutoff: int | None = None, rel: float = 1) -> Values:
    """Number of items retrieved that were judged not relevant, over all queries their sum.

        NumNonrelRet@k = Σ_{i≤k} [0 ≤ rel_i < rel]

    ``rel_i`` is the grade of the item at rank i. Neither unjudged items count nor those judged below 0,
    which were pooled but not judged (trec_eval's convention).

    Args:
        rel: the least grade that counts as relevant.

    Range: from 0; less is better.
    No relevant item: makes no difference.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: trec_eval's num_nonrel_judged_ret.

    Example:
        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 0, "z": 0}}
        >>> rm.evaluate(qrels, {"q": ["a", "b", "x"]}, "NumNonrelRet")["NumNonrelRet"]
        1.0

    """
    nonrelevant = (lists.relevance >= 0) & (lists.relevance < rel)
    return lists.sum(nonrelevant * lists.within(cutoff))
