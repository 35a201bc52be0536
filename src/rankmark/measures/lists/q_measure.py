"""QMeasure."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.gains import Beta, Gain, blended_ratio, gain_of
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure


@list_measure("QMeasure", aliases=("Q",), bounds=(0, 1), expected=False)
def q_measure(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    gain: Gain = "linear",
    beta: Beta = 1,
    denominator: Literal["min", "relevant"] = "min",
) -> Values:
    """Q-measure: average precision for graded relevance.

        QMeasure@k = (1/D) Σ_{i≤k} [gain_i > 0] · BR(i)
        BR(i) = (C(i) + β · cg(i)) / (i + β · cg*(i))

    gain_i is the gain of the item at rank i, C(i) how many of the first i items gain something, cg(i)
    what they gain together, cg*(i) what the first i of the best order of all judged items would. With
    one grade of relevance the blended ratio BR(i) falls behind precision only beyond rank R, the number
    of relevant items.

    Args:
        gain: ``linear`` is the grade itself, ``exp2`` is 2^grade − 1; a mapping such as ``{1:1,2:4,3:9}``
            gives each grade its gain; from Python any function of a grade. An item is relevant if it
            gains anything.
        beta: β, how much gains weigh beside hits; towards 0 it becomes average precision.
        denominator: D. ``min`` is min(R, k), so that a full list of k hits can score 1 (NTCIREVAL),
            ``relevant`` is R.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.

    Source: [sakai2004].

    Example:
        Grade 1 stands before grade 2: ((1 + 1) / (1 + 2) + (2 + 3) / (2 + 3)) / 2 = 0.833333.

        >>> import rankmark as rm
        >>> round(rm.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, "QMeasure")["QMeasure"], 6)
        0.833333

    """
    blended, gains = blended_ratio(lists, gain, beta)
    relevant = lists.ideal.sum(gain_of(lists.ideal.relevance, gain) > 0)
    capped = denominator == "min" and cutoff is not None
    total = lists.sum(blended * (gains > 0) * lists.within(cutoff))
    return ratio(total, np.minimum(relevant, float(cutoff or 0)) if capped else relevant, relevant)
