"""G."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.gains import Gain, gain_of
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure


@list_measure("G", bounds=(0, 1), expected=False)
def normalised_gain(lists: JudgedLists, *, gain: Gain = "linear") -> Values:
    """Normalised gain: gains, each worth less the further the list has fallen behind the ideal one.

        G = (1/I) Σ_i gain(rel_i) / log₂(2 + I_i − S_i)

    ``rel_i`` is the grade of the item at rank i, S_i the sum of the gains down to rank i, I_i what it
    could be at most, and I the sum of the gains of all judged items. Below the last rank at which the
    ideal list gains something, I_i grows by 1 a rank: what stands there costs something, too.

    Args:
        gain: ``linear`` is the grade itself, ``exp2`` is 2^grade − 1; a mapping such as ``{1:3,2:9}``
            gives each grade its gain, and a judged grade other than 0 that it lacks is an error;
            from Python any function of a grade. Unjudged items gain nothing, nor does an item whose
            gain would be negative.

    Range: 0 to 1.
    No relevant item (I = 0): decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.

    Source: trec_eval's G, there called experimental.

    Example:
        Grades 1, 0 and 2 in rank order, all there are: I_i is 2, 3 and 4, S_i is 1, 1 and 3, so
        (1/log₂3 + 2/log₂3) / 3 = 1/log₂3.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 0, "c": 2}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b", "c"]}, "G")["G"], 6)
        0.63093

    """
    gains = np.maximum(gain_of(lists.relevance, gain), 0.0)
    best = lists.ideal
    best_gains = best.descending(np.maximum(gain_of(best.relevance, gain), 0.0))
    total = best.sum(best_gains)
    below = np.maximum(lists.rank - lists.spread(best.sum(best_gains > 0)), 0.0)
    could_be = lists.in_ideal(best.running_sum(best_gains)) + below
    behind = np.maximum(could_be - lists.running_sum(gains), 0.0)  # two sums in different orders
    return ratio(lists.sum(gains / np.log2(2 + behind)), total, total)
