"""SubtopicRecall."""

from __future__ import annotations

from rankmark.kinds.aspects import relevant
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values, ratio
from rankmark.language.registry import item_measure


@item_measure(
    "SubtopicRecall",
    aliases=("StRecall", "strec", "SRecall", "IRec", "IntentRecall", "AspectRecall"),
    bounds=(0, 1),
    needs=("aspects",),
    undefined="nothing relevant",
)
def subtopic_recall(lists: RecommendedLists, *, cutoff: int | None = None, rel: float = 1) -> Values:
    """Subtopic recall: the share of the aspects of a query to which an item of the list is relevant.

        SubtopicRecall@k = (1/W) · Σ_a w_a · [rel_i(a) ≥ rel for some i ≤ k]

    ``rel_i(a)`` is the grade of the item at rank i for aspect a. w_a is the weight of the aspect, 1 unless
    aspects have weights, W that of all together.

    Args:
        rel: the least grade that counts as relevant to an aspect.

    Needs: judgements of aspects (subtopics, intents); aspects to which nothing is relevant are left out.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.

    Source: [zhai2003].

    Example:
        a is relevant to two of three aspects, b to one of these.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": {"1": 1, "2": 1}, "b": {"1": 1}, "c": {"3": 1}}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b", "c"]}, "SubtopicRecall@2")["SubtopicRecall@2"], 6)
        0.666667

    """
    found = relevant(lists.top(cutoff), rel)
    return ratio(found.covered(), found.total, found.total)
