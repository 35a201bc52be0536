"""α-DCG."""

from __future__ import annotations

from typing import Literal

from rankmark.kinds.aspects import Alpha, ranks_that_count, relevant
from rankmark.kinds.gains import Discount, discount_of
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values, ratio
from rankmark.language.registry import item_measure


@item_measure(
    "alpha_DCG",
    bounds=(0, None),
    needs=("aspects",),
    order="top",
    undefined="nothing relevant",
)
def alpha_dcg(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    alpha: Alpha = 0.5,
    discount: Discount = "log2",
    denominator: Literal["none", "most"] = "none",
) -> Values:
    """α-DCG: discounted cumulated gain in which an item gains for each aspect, and less where it repeats.

        alpha_DCG@k = Σ_{i≤k} G_i · discount(i)
        G_i = Σ_a w_a · J_i(a) · (1 − α)^{r_a(i)}

    J_i(a) is 1 if the item at rank i is judged `rel` or better for aspect a, else 0; r_a(i) is how many items
    above rank i are. w_a is the weight of the aspect, 1 unless aspects have weights.

    Args:
        rel: the least grade that counts as relevant to an aspect.
        alpha: what an aspect loses each time: 0 nothing, 1 all that it gains.
        discount: ``log2`` is 1/log₂(i + 1); ``log2max`` is 1/log₂(max(i, 2)); a number b above 1 is
            1/log_b(i + 1).
        denominator: ``none`` for the gain itself; ``most`` divides by what items that are relevant to all
            aspects would gain, Σ_{i≤k} discount(i) · Σ_a w_a · (1 − α)^(i−1) (ndeval, from rank 2 on).

    Needs: judgements of aspects (subtopics, intents); aspects to which nothing is relevant are left out.

    Range: 0 or more; with ``denominator=most`` 0 to 1.
    No relevant item: decided by `no_relevant`.

    Source: [clarke2008].

    Example:
        a is relevant to aspects 1 and 2 and gains 2; b to 1, a second time, and gains ½ · 1/log2(3).

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": {"1": 1, "2": 1}, "b": {"1": 1}, "c": {"3": 1}}}
        >>> result = rm.evaluate(qrels, {"q": ["a", "b"]}, "alpha_DCG@10")
        >>> round(result["alpha_DCG@10"], 6)
        2.315465

    """
    found = relevant(lists.top(cutoff), rel)
    total = found.gains(alpha).sum(lambda ranks: discount_of(ranks, discount))
    if denominator == "none":
        return ratio(total, 1.0, found.total)
    ranks = ranks_that_count(alpha, cutoff, "alpha_DCG")
    return ratio(total, found.most(alpha, discount_of(ranks, discount)), found.total)
