"""NumRelRet."""

from __future__ import annotations

from rankmark.kinds.lists import JudgedLists, Values
from rankmark.language.registry import list_measure


@list_measure(
    "NumRelRet",
    aliases=("num_rel_ret", "TP"),
    bounds=(0, None),
    aggregate="sum",
    order="set",
    extremes="ends",
)
def num_rel_ret(lists: JudgedLists, *, cutoff: int | None = None, rel: float = 1) -> Values:
    """Number of relevant items retrieved, over all queries their sum.

        NumRelRet@k = Σ_{i≤k} [rel_i ≥ rel]

    ``rel_i`` is the grade of the item at rank i.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.

    Range: from 0.
    No relevant item: 0.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: trec_eval's num_rel_ret.

    Example:
        >>> import rankmark as rm
        >>> rm.evaluate({"q": {"a": 1, "b": 0, "z": 2}}, {"q": ["a", "b"]}, "NumRelRet")["NumRelRet"]
        1.0

    """
    return lists.hits(rel).count(cutoff)
