"""Rprec."""

from __future__ import annotations

from rankmark.lists import JudgedLists, Values, ratio
from rankmark.measure import list_measure


@list_measure("Rprec", aliases=("r_precision",), bounds=(0, 1), cite="buckley2005")
def r_precision(lists: JudgedLists, *, rel: float = 1) -> Values:
    """R-precision: the precision among the first R items, R being the number of relevant ones.

        Rprec = (1/R) Σ_{i≤R} [rel_i ≥ rel]

    ``rel_i`` is the grade of the item at rank i. At this rank precision and recall are the same.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: C. Buckley, E. Voorhees, "Retrieval system evaluation", in "TREC: Experiment and Evaluation
    in Information Retrieval", 2005.

    Example:
        Three relevant items, two of them among the first three.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 1, "d": 1}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b", "c", "d"]}, "Rprec")["Rprec"], 6)
        0.666667

    """
    relevant = lists.relevant(rel)
    hits = lists.sum((lists.relevance >= rel) * lists.within(relevant))
    return ratio(hits, relevant, relevant)
