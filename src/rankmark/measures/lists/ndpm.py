"""NDPM."""

from __future__ import annotations

from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure
from rankmark.measures.lists.opa import ordered_pairs_of_grades


@list_measure(
    "NDPM",
    aliases=("ndpm",),
    bounds=(0, 1),
    better="less",
    tells_unjudged=True,
    undefined="all grades the same",
)
def normalised_distance_based_performance(lists: JudgedLists) -> Values:
    """Normalised distance-based performance measure: how far the list contradicts the preferences of grades.

        NDPM = (2·W + U) / (2·C) = 1 − OPA

    C counts the pairs of judged items of different grades, of which a user prefers the higher one. W of them
    are in the wrong order, and U in none: neither was retrieved, or their scores are equal and
    ``ties="expected"``, as in the paper; else the order of equal scores is that of `ties`.

    Range: 0 to 1; less is better.
    No relevant item: makes no difference; where all grades are the same there is no pair, which
    `no_relevant` decides.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form: a pair with equal
    scores counts half.

    Source: [yao1995].

    Example:
        Grades 1, 2, 0 in rank order: of three pairs one is contradicted.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 2, "c": 0}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b", "c"]}, "NDPM")["NDPM"], 6)
        0.333333

    """
    in_order, pairs = ordered_pairs_of_grades(lists)
    return ratio(pairs - in_order, pairs, pairs)
