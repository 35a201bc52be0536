"""ERR-IA."""

from __future__ import annotations

from rankmark.kinds.aspects import Alpha, ranks_that_count, relevant
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values, ratio
from rankmark.language.registry import item_measure


@item_measure(
    "ERR_IA",
    aliases=("ERRIA",),
    bounds=(0, 1),
    needs=("aspects",),
    order="top",
    undefined="nothing relevant",
)
def err_ia(
    lists: RecommendedLists, *, cutoff: int | None = None, rel: float = 1, alpha: Alpha = 0.5
) -> Values:
    """Intent-aware ERR: expected reciprocal rank over the aspects, as a share of the most that could be.

        ERR_IA@k = Σ_{i≤k} G_i / i / Σ_{i≤k} W · (1 − α)^(i−1) / i
        G_i = Σ_a w_a · J_i(a) · (1 − α)^{r_a(i)}

    J_i(a) is 1 if the item at rank i is judged `rel` or better for aspect a, else 0; r_a(i) is how many items
    above rank i are. w_a is the weight of the aspect, 1 unless aspects have weights, W that of all together.
    Readers want one aspect, and each relevant item satisfies them with chance α; the denominator is what
    items have that are relevant to all aspects. Without it and with grades it is ``IA(of=ERR)``.

    Args:
        rel: the least grade that counts as relevant to an aspect.
        alpha: the chance that a relevant item satisfies.

    Needs: judgements of aspects (subtopics, intents); aspects to which nothing is relevant are left out.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.

    Source: [chapelle2011]; [clarke2011].

    Example:
        a is relevant to two of three aspects, b to one of these: (2/1 + ½/2) / (3 · (1 + ½/2)) = 0.6.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": {"1": 1, "2": 1}, "b": {"1": 1}, "c": {"3": 1}}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b"]}, "ERR_IA@2")["ERR_IA@2"], 12)
        0.6

    """
    found = relevant(lists.top(cutoff), rel)
    most = found.most(alpha, 1 / ranks_that_count(alpha, cutoff, "ERR_IA"))
    return ratio(found.gains(alpha).sum(lambda ranks: 1 / ranks), most, found.total)
