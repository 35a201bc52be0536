"""PPlus."""

from __future__ import annotations

from rankmark.kinds.gains import Beta, Gain, blended_ratio, gain_of
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure


@list_measure("PPlus", aliases=("P+", "PPlusMeasure"), bounds=(0, 1), expected=False)
def p_plus(lists: JudgedLists, *, gain: Gain = "linear", beta: Beta = 1) -> Values:
    """P-plus: the mean blended ratio over the relevant items down to the preferred rank.

        PPlus = (1/C(rp)) Σ_{i≤rp} [gain_i > 0] · BR(i)
        BR(i) = (C(i) + β · cg(i)) / (i + β · cg*(i))

    gain_i is the gain of the item at rank i, rp the rank of the first item with the highest gain in this
    list, C(i) how many of the first i items gain something, cg(i) what they gain together, cg*(i) what
    the first i of the best order of all judged items would. Unlike P-measure it rewards what comes
    before the best item; 0 where nothing relevant was retrieved.

    Args:
        gain: ``linear`` is the grade itself, ``exp2`` is 2^grade − 1; a mapping gives each grade its
            gain; from Python any function of a grade.
        beta: β, how much gains weigh beside hits.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.

    Source: [sakai2007].

    Example:
        Grades 1 and 2 at ranks 1 and 3: (2/3 + 5/6) / 2.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 2}}
        >>> rm.evaluate(qrels, {"q": ["a", "b", "c"]}, "PPlus")["PPlus"]
        0.75

    """
    blended, gains = blended_ratio(lists, gain, beta)
    best = (gains > 0) & (gains == lists.spread(lists.max(gains)))
    counted = (gains > 0) & (lists.running_sum(best) - best == 0)
    some = lists.ideal.sum(gain_of(lists.ideal.relevance, gain) > 0)
    return ratio(lists.sum(blended * counted), lists.sum(counted), some)
