"""HitRatio."""

from __future__ import annotations

from rankmark.kinds.lists import JudgedLists, Values
from rankmark.language.registry import list_measure


@list_measure(
    "HitRatio",
    aliases=("hit_ratio", "micro_recall"),
    bounds=(0, 1),
    aggregate="ratio",
    order="set",
)
def hit_ratio(lists: JudgedLists, *, cutoff: int | None = None, rel: float = 1) -> tuple[Values, Values]:
    """Hit ratio: all hits of all queries over all their relevant items.

        HitRatio@k = Σ_q hits_q@k / Σ_q R_q

    hits_q@k is the number of relevant items among the first k of query q, R_q the number of its
    relevant items. A micro average: a user with many relevant items weighs more than one with few,
    unlike in recall (R), whose queries weigh the same. Where every query has one relevant item the two
    agree, and agree with HR.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.

    Range: 0 to 1.
    No relevant item: such a query adds nothing to either sum; its own value is undefined.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: [deshpande2004].

    Example:
        One of one, and one of three: 2/4, where the mean of the recalls is 2/3.

        >>> import rankmark as rm
        >>> qrels = {"u1": {"a": 1}, "u2": {"a": 1, "y": 1, "z": 1}}
        >>> result = rm.evaluate(qrels, {"u1": ["a"], "u2": ["a"]}, ["HitRatio@10", "R@10"])
        >>> result["HitRatio@10"], round(result["R@10"], 6)
        (0.5, 0.666667)

    """
    hits = lists.hits(rel).count(cutoff)
    return hits, lists.relevant(rel)
