"""NumRet."""

from __future__ import annotations

from rankmark.kinds.lists import JudgedLists, Values
from rankmark.language.registry import list_measure


@list_measure(
    "NumRet", aliases=("num_ret",), bounds=(0, None), aggregate="sum", order="nothing", extremes="ends"
)
def num_ret(lists: JudgedLists, *, cutoff: int | None = None) -> Values:
    """Number of items retrieved, over all queries their sum.

        NumRet@k = min(n, k)

    n is the length of the list, judged or not.

    Range: from 0.
    No relevant item: makes no difference.
    Equal scores: make no difference.

    Source: trec_eval's num_ret.

    Example:
        >>> import rankmark as rm
        >>> rm.evaluate({"q": {"a": 1}}, {"q": ["a", "x", "y"]}, "NumRet")["NumRet"]
        3.0

    """
    return lists.length(cutoff)
