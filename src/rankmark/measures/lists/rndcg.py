"""RnDCG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark import _numpy as np
from rankmark.kinds.gains import Gain, discount_of, gain_of
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure

if TYPE_CHECKING:
    from numpy.typing import NDArray


@list_measure("RnDCG", bounds=(0, 1))
def ndcg_at_levels(lists: JudgedLists, *, rel: float = 1, gain: Gain = "linear") -> Values:
    """Average nDCG over the ranks at which the ideal list comes to the end of a grade.

        RnDCG = (1/L) Σ_l nDCG@c_l

    c_l is the number of judged items with one of the l highest gains above 0: the ideal list ends there,
    or goes on with a lower gain. The last c_l is the number R of items that gain something. Where a list
    is longer than R + 1, the nDCG of the whole list is averaged in as one more. With one grade it is to
    nDCG what R-precision is to precision.

    Args:
        rel: the least grade that counts as relevant: a query without such an item has no value, as in
            trec_eval. What the other grades gain counts all the same.
        gain: ``linear`` is the grade itself, ``exp2`` is 2^grade − 1; a mapping such as ``{1:3,2:9}``
            gives each grade its gain, and a judged grade other than 0 that it lacks is an error;
            from Python any function of a grade. Unjudged items gain nothing, nor do negative grades
            under ``linear`` and ``exp2``.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: trec_eval's Rndcg, there called experimental.

    Example:
        Grades 1 and 2 at ranks 1 and 2, all there are. The ideal list falls after rank 1, where
        nDCG@1 = 1/2, and ends after rank 2, where nDCG@2 = (1 + 2/log₂3) / (2 + 1/log₂3) = 0.859719.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 2}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b"]}, "RnDCG")["RnDCG"], 6)
        0.679859

    """
    gains = gain_of(lists.relevance, gain)
    best = lists.ideal
    best_gains = best.descending(gain_of(best.relevance, gain))
    level = best.running_sum(best_gains != best.before(best_gains, start=np.inf))
    level[best_gains <= 0] = np.inf
    levels = best.max(np.where(best_gains > 0, level, 0.0))

    def ndcg(lowest: float) -> Values:
        """The nDCG down to where the ideal list leaves this level."""
        inside = level <= lowest
        dcg = lists.sum(gains * lists.at_rank(_discount, best.sum(inside)))
        return ratio(dcg, best.sum(best_gains * _discount(best.rank) * inside), levels)

    total = np.zeros(len(levels))
    for number in range(1, int(levels.max(initial=0)) + 1):
        total += np.where(levels >= number, ndcg(number), 0.0)
    goes_on = lists.retrieved > best.sum(best_gains > 0) + 1
    whole = ratio(
        lists.sum(gains * lists.at_rank(_discount)),
        best.sum(best_gains * _discount(best.rank)),
        levels,
    )
    some = (lists.relevant(rel) > 0) & (levels > 0)
    return ratio(total + goes_on * whole, levels + goes_on, some)


def _discount(rank: NDArray[np.int64]) -> Values:
    return discount_of(rank, "log2")
