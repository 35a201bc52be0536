"""α-nDCG."""

from __future__ import annotations

from rankmark.kinds.aspects import Alpha, Ideal, share_of_ideal
from rankmark.kinds.gains import Discount, discount_of
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.registry import item_measure


@item_measure(
    "alpha_nDCG",
    bounds=(0, None),
    needs=("aspects",),
    order="top",
    undefined="nothing relevant",
)
def alpha_ndcg(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    alpha: Alpha = 0.5,
    discount: Discount = "log2",
    ideal: Ideal = "greedy",
) -> Values:
    """α-nDCG: α-DCG as a share of what a list has that covers aspects early and repeats them late.

        alpha_nDCG@k = α-DCG@k / α-IDCG@k

    `alpha_DCG` says what items gain. The ideal list has at each rank the judged item that gains most after
    those above it, and of several that gain the same the one with the greatest id. To find the best list of
    all is NP-hard, so some lists have more than this one, and then the value exceeds 1. With
    ``ideal=exact`` it is the best one of all, and no value does.

    Args:
        rel: the least grade that counts as relevant to an aspect.
        alpha: what an aspect loses each time: 0 nothing, 1 all that it gains.
        discount: ``log2`` is 1/log₂(i + 1); ``log2max`` is 1/log₂(max(i, 2)); a number b above 1 is
            1/log_b(i + 1).
        ideal: ``greedy`` (ndeval), or ``exact``, which is looked for among all lists, and refused where a
            query has too many.

    Needs: judgements of aspects (subtopics, intents); aspects to which nothing is relevant are left out.

    Range: 0 to 1, or a little above with the greedy ideal.
    No relevant item: decided by `no_relevant`.

    Source: [clarke2008].

    Example:
        a gains 2 and b, a second time for aspect 1, ½ · 1/log2(3); the ideal list has c, which gains 1 ·
        1/log2(3), and then b, ½ · 1/log2(4).

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": {"1": 1, "2": 1}, "b": {"1": 1}, "c": {"3": 1}}}
        >>> result = rm.evaluate(qrels, {"q": ["a", "b"]}, "alpha_nDCG@10")
        >>> round(result["alpha_nDCG@10"], 6)
        0.803721

    """
    return share_of_ideal(lists, cutoff, rel, alpha, ideal, lambda ranks: discount_of(ranks, discount))
