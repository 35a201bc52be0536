"""NRBP."""

from __future__ import annotations

from typing import Annotated

from rankmark.kinds.aspects import Alpha, patience, relevant
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values, ratio
from rankmark.kinds.ranges import Within
from rankmark.language.registry import item_measure


@item_measure("NRBP", bounds=(0, 1), needs=("aspects",), order="top", undefined="nothing relevant")
def nrbp(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    alpha: Alpha = 0.5,
    beta: Annotated[float, Within(0, 1)] = 0.5,
) -> Values:
    """Novelty- and rank-biased precision: what a reader with patience β finds who wants one of the aspects.

        NRBP = (1 − (1 − α) · β) / W · Σ_i G_i · β^(i−1)
        G_i = Σ_a w_a · J_i(a) · (1 − α)^{r_a(i)}

    J_i(a) is 1 if the item at rank i is judged `rel` or better for aspect a, else 0; r_a(i) is how many items
    above rank i are. w_a is the weight of the aspect, 1 unless aspects have weights, W that of all together.
    It reaches 1 if every item is relevant to all aspects.

    Args:
        rel: the least grade that counts as relevant to an aspect.
        alpha: what an aspect loses each time: 0 nothing, 1 all that it gains.
        beta: the chance that a reader goes on to the next item.

    Needs: judgements of aspects (subtopics, intents); aspects to which nothing is relevant are left out.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.

    Source: [clarke2009].

    Example:
        a is relevant to two of three aspects, b to one of these: (1 − ¼) / 3 · (2 + ½ · ½) = 0.5625.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": {"1": 1, "2": 1}, "b": {"1": 1}, "c": {"3": 1}}}
        >>> rm.evaluate(qrels, {"q": ["a", "b"]}, "NRBP")["NRBP"]
        0.5625

    """
    found = relevant(lists.top(cutoff), rel)
    total = found.gains(alpha).sum(lambda ranks: patience(beta, ranks))
    return ratio(total * (1 - (1 - alpha) * beta), found.total, found.total)
