"""SetAP."""

from __future__ import annotations

from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure


@list_measure("SetAP", aliases=("set_map",), bounds=(0, 1), order="nothing", extremes="found")
def set_average_precision(lists: JudgedLists, *, rel: float = 1) -> Values:
    """Average precision of a list whose order does not count: precision times recall.

        SetAP = (h / n) · (h / R)

    n items were retrieved, h of them relevant, and R items are relevant. Every relevant item retrieved
    has the precision of the whole list, every other one 0; what is left of AP without ranks.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.
    Equal scores: make no difference.

    Source: trec_eval's set_map.

    Example:
        Two of the four retrieved are relevant, and three are relevant in all: 2/4 · 2/3.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 1, "z": 1}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b", "c", "d"]}, "SetAP")["SetAP"], 6)
        0.333333

    """
    hits = lists.sum(lists.relevance >= rel)
    relevant = lists.relevant(rel)
    return ratio(hits**2, lists.length(None) * relevant, relevant)
