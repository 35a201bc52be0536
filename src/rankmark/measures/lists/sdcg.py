"""SDCG."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.errors import MeasureError
from rankmark.kinds.browsing import MaxGrade, ReaderGain, ReaderValue, expectation, reader_gains
from rankmark.kinds.gains import Discount, discount_of, discounted_sum
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.language.registry import list_measure

MOST_RANKS = 10**7
"""The discounts are added up rank by rank."""


@list_measure("SDCG", bounds=(0, None), usual_bounds=(0, 1), usual_with=("value",), extremes="ends")
def scaled_dcg(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    gain: ReaderGain = "binary",
    max_grade: MaxGrade = 1,
    discount: Discount = "log2",
    value: ReaderValue = "EU",
) -> Values:
    """Scaled discounted cumulated gain: DCG as a share of that of k items of the highest grade.

        SDCG@k = Σ_{i≤k} g_i · discount(i) / Σ_{i≤k} discount(i)
        g_i = [rel_i ≥ rel], or gain(rel_i) / gain(max_grade)

    ``rel_i`` is the grade of the item at rank i. Unlike nDCG it does not ask how many good items there
    are, so a query that has fewer than k cannot reach 1. Without a cutoff k is the length of the list.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does. Only where the gain
            is binary.
        gain: ``binary`` counts relevant items (RecTools' default NDCG); ``linear`` is the grade as a
            share of the highest, ``exp2`` (2^grade − 1) / (2^max_grade − 1); a mapping gives each grade
            its gain, and its greatest is that of the highest grade; from Python any function of a grade.
        max_grade: the highest grade of the scale.
        discount: ``log2`` is 1/log₂(i + 1), ``log2max`` 1/log₂(max(i, 2)), a number b above 1 is
            1/log_b(i + 1).
        value: ``EU`` is the utility expected an item looked at, as above; ``ETU`` the expected total
            utility, which is DCG@k of the g_i; ``ED`` the expected number of items looked at, the sum
            of the discounts.

    Range: 0 to 1; with ``value=ETU`` or ``value=ED`` it can exceed 1.
    No relevant item: decided by `no_relevant`; ``ED`` does not depend on it.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.
    A grade above `max_grade` is a DataError.

    Source: [moffat2013].

    Example:
        The only relevant item first, three items looked at: 1 / (1 + 1/log₂3 + 1/2) = 0.469279.

        >>> import rankmark as rm
        >>> round(rm.evaluate({"q": {"a": 1}}, {"q": ["a", "b", "c"]}, "SDCG@3")["SDCG@3"], 6)
        0.469279

    """
    if cutoff is not None and cutoff > MOST_RANKS:
        raise MeasureError(f"SDCG@{cutoff}: the greatest cutoff is {MOST_RANKS}")
    gains, some = reader_gains(lists, "SDCG", rel=rel, gain=gain, max_grade=max_grade)
    total = discounted_sum(lists, gains, cutoff, discount)
    last = lists.retrieved if cutoff is None else np.full(len(total), cutoff)
    discounts = np.cumsum(discount_of(np.arange(1, last.max(initial=0) + 1), discount))
    return expectation(total, np.concatenate(([0.0], discounts))[last], value, some)
