"""D♯-nDCG."""

from __future__ import annotations

from typing import Annotated

from rankmark.kinds.aspects import lists_of_gains, relevant
from rankmark.kinds.gains import Discount, Gain, discounted_sum
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values, ratio
from rankmark.kinds.ranges import Within
from rankmark.language.registry import item_measure


@item_measure(
    "DSharp_nDCG",
    variants={"D_nDCG": {"gamma": 0}},
    bounds=(0, 1),
    needs=("aspects",),
    order="top",
    undefined="nothing relevant",
)
def d_sharp_ndcg(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    gamma: Annotated[float, Within(0, 1)] = 0.5,
    gain: Gain = "linear",
    discount: Discount = "log2",
) -> Values:
    """D♯-nDCG: nDCG of what items gain for all aspects together, and the share of aspects that are covered.

        DSharp_nDCG@k = γ · SubtopicRecall@k + (1 − γ) · D-nDCG@k
        D-nDCG@k = Σ_{i≤k} GG_i · discount(i) / Σ_{i≤k} GG*_i · discount(i)
        GG_i = Σ_a w_a · gain(rel_i(a))

    ``rel_i(a)`` is the grade of the item at rank i for aspect a, and GG* is GG of all judged items from the
    greatest to the least. w_a is the weight of the aspect, 1 unless aspects have weights.

    Args:
        rel: the least grade by which an aspect is covered.
        gamma: γ, how much covering aspects counts; 0 is D-nDCG.
        gain: ``linear`` is the grade itself, ``exp2`` 2^grade − 1; a mapping gives each grade its gain; from
            Python any function of a grade.
        discount: ``log2`` is 1/log₂(i + 1); ``log2max`` is 1/log₂(max(i, 2)); a number b above 1 is
            1/log_b(i + 1).

    Needs: judgements of aspects (subtopics, intents).

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.

    Source: [sakai2011].

    Example:
        a gains 2, b and c gain 1: (2 + 1/log2(3)) / (2 + 1/log2(3) + ½) = 0.840303, and two of three aspects.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": {"1": 1, "2": 1}, "b": {"1": 1}, "c": {"3": 1}}}
        >>> result = rm.evaluate(qrels, {"q": ["a", "b"]}, ["D_nDCG@10", "DSharp_nDCG@10"])
        >>> [round(value, 6) for value in result.values.values()]
        [0.840303, 0.753485]

    """
    top = lists.top(cutoff)
    found, own = relevant(top, rel), lists_of_gains(top, gain)
    total, best = (discounted_sum(each, each.relevance, cutoff, discount) for each in (own, own.ideal))
    covered = ratio(found.covered(), found.total, found.total)
    return gamma * covered + (1 - gamma) * ratio(total, best, best)
