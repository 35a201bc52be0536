"""binG."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure


@list_measure("binG", bounds=(0, 1), extremes="counts")
def binary_gain(lists: JudgedLists, *, rel: float = 1) -> Values:
    """Binary G: the relevant items, each worth less the more items that are not relevant stand above it.

        binG = (1/R) Σ_i [rel_i ≥ rel] / log₂(2 + n_i)

    ``rel_i`` is the grade of the item at rank i, n_i the number of items above it that are not relevant,
    judged or not, and R the number of relevant items. Like AP it does not mind relevant items above
    one another; like DCG it discounts by a logarithm. It is `G` with all gains 1.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: trec_eval's binG, there called experimental.

    Example:
        Hits at ranks 1 and 4, two others between: (1/log₂2 + 1/log₂4) / 2 = 0.75.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "d": 1}}
        >>> rm.evaluate(qrels, {"q": ["a", "b", "c", "d"]}, "binG")["binG"]
        0.75

    """
    hits = lists.hits(rel)
    hits_above, hits_tied = hits.tied()
    first, last = (hits.rank, hits.rank) if hits.ties is None else hits.ties
    # Among tied items a relevant one has from none to all of the others above it, each number as often.
    fewest = (first - 1 - hits_above).astype(np.int64)
    most = fewest + (last - first + 1 - hits_tied).astype(np.int64)
    gains = 1 / np.log2(2 + np.arange(most.max(initial=0) + 1))
    upto = np.concatenate(([0.0], np.cumsum(gains)))
    mean = (upto[most + 1] - upto[fewest]) / (most - fewest + 1)
    relevant = lists.relevant(rel)
    # A sum of one is taken as it is: a difference of sums would blur its last digit.
    return ratio(hits.sum(np.where(fewest == most, gains[fewest], mean)), relevant, relevant)
