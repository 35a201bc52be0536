"""nDCG_rel."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.gains import Gain, gain_of
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure


@list_measure("nDCG_rel", bounds=(0, 1), expected=False)
def ndcg_at_relevant(lists: JudgedLists, *, gain: Gain = "linear") -> Values:
    """Average nDCG over the relevant items: for each its value at the rank where the item stands.

        nDCG_rel = (1/R) (Σ_i [gain(rel_i) > 0] · nDCG@i + (R − h) · nDCG)

    ``rel_i`` is the grade of the item at rank i; R judged items gain something, h of which were
    retrieved. For each of the others the nDCG of the whole list counts. To nDCG it is what AP is to
    precision.

    Args:
        gain: ``linear`` is the grade itself, ``exp2`` is 2^grade − 1; a mapping such as ``{1:3,2:9}``
            gives each grade its gain, and a judged grade other than 0 that it lacks is an error;
            from Python any function of a grade. Unjudged items gain nothing, nor do negative grades
            under ``linear`` and ``exp2``.

    Range: 0 to 1.
    No relevant item (R = 0): decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.

    Source: trec_eval's ndcg_rel, there called experimental.

    Example:
        Of two relevant items one is at rank 2, where nDCG@2 is (1/log₂3) / (1 + 1/log₂3) = 0.386853,
        and so is the nDCG of the whole list.

        >>> import rankmark as rm
        >>> qrels = {"q": {"b": 1, "z": 1}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b"]}, "nDCG_rel")["nDCG_rel"], 6)
        0.386853

    """
    gains = gain_of(lists.relevance, gain) / np.log2(lists.rank + 1.0)
    best = lists.ideal
    best_gains = best.descending(gain_of(best.relevance, gain)) / np.log2(best.rank + 1.0)
    hit = gains > 0
    highest = lists.in_ideal(best.running_sum(best_gains))
    ndcg_so_far = np.divide(lists.running_sum(gains), highest, out=np.zeros(len(hit)), where=hit)
    relevant = best.sum(best_gains > 0)
    missed = ratio((relevant - lists.sum(hit)) * lists.sum(gains), best.sum(best_gains), relevant)
    return ratio(lists.sum(ndcg_so_far) + missed, relevant, relevant)
