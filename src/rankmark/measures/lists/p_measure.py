"""PMeasure."""

from __future__ import annotations

from rankmark.kinds.gains import Beta, Gain, blended_ratio, gain_of
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure


@list_measure("PMeasure", bounds=(0, 1), expected=False)
def p_measure(lists: JudgedLists, *, gain: Gain = "linear", beta: Beta = 1) -> Values:
    """P-measure: the blended ratio at the preferred rank, that of the first of the best items retrieved.

        PMeasure = BR(rp)
        BR(i) = (C(i) + β · cg(i)) / (i + β · cg*(i))

    rp is the rank of the first item with the highest gain in this list, C(i) how many of the first i
    items gain something, cg(i) what they gain together, cg*(i) what the first i of the best order of all
    judged items would. It supposes a reader who wants one item, the best that the list has; 0 where
    nothing relevant was retrieved.

    Args:
        gain: ``linear`` is the grade itself, ``exp2`` is 2^grade − 1; a mapping gives each grade its
            gain; from Python any function of a grade.
        beta: β, how much gains weigh beside hits.

    Range: 0 to 1. An item of a lower grade before the best one may raise the value.
    No relevant item: decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.

    Source: [sakai2007].

    Example:
        The best item stands at rank 3: (2 + 3) / (3 + 3).

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 2}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b", "c"]}, "PMeasure")["PMeasure"], 6)
        0.833333

    """
    blended, gains = blended_ratio(lists, gain, beta)
    best = (gains > 0) & (gains == lists.spread(lists.max(gains)))
    preferred = best & (lists.running_sum(best) == 1)
    some = lists.ideal.sum(gain_of(lists.ideal.relevance, gain) > 0)
    return ratio(lists.sum(blended * preferred), 1.0, some)
