"""OMeasure."""

from __future__ import annotations

from rankmark.kinds.gains import Beta, Gain, blended_ratio, gain_of
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure


@list_measure("OMeasure", bounds=(0, 1), expected=False)
def o_measure(lists: JudgedLists, *, gain: Gain = "linear", beta: Beta = 1) -> Values:
    """O-measure: the blended ratio at the rank of the first relevant item.

        OMeasure = BR(r1)
        BR(i) = (C(i) + β · cg(i)) / (i + β · cg*(i))

    r1 is the rank of the first item that gains something, C(i) how many of the first i items do, cg(i)
    what they gain together, cg*(i) what the first i of the best order of all judged items would. It is
    reciprocal rank for graded relevance; 0 where nothing relevant was retrieved.

    Args:
        gain: ``linear`` is the grade itself, ``exp2`` is 2^grade − 1; a mapping gives each grade its
            gain; from Python any function of a grade.
        beta: β, how much gains weigh beside hits; towards 0 it becomes reciprocal rank.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.

    Source: [sakai2006].

    Example:
        An item of grade 1 comes first, where grade 2 should: (1 + 1) / (1 + 2).

        >>> import rankmark as rm
        >>> round(rm.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, "OMeasure")["OMeasure"], 6)
        0.666667

    """
    blended, gains = blended_ratio(lists, gain, beta)
    first = (gains > 0) & (lists.running_sum(gains > 0) == 1)
    return ratio(lists.sum(blended * first), 1.0, lists.ideal.sum(gain_of(lists.ideal.relevance, gain) > 0))
