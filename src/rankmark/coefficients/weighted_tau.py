"""WeightedTau."""

from __future__ import annotations

import numpy as np

from rankmark.kinds.lists import Values
from rankmark.kinds.pairs import Pairs, Whole
from rankmark.kinds.rankings import (
    Items,
    Rankings,
    better_in_both,
    clipped,
    groups,
    ordered,
    quotient,
    rankings,
    tied,
    tied_in_both,
    worse_in_both,
)
from rankmark.language.coefficient import coefficient


@coefficient("WeightedTau", bounds=(-1, 1))
def weighted_tau(pairs: Pairs, *, items: Items = "common") -> Values:
    """Vigna's weighted τ: Kendall's, in which a pair weighs 1/i + 1/j, i and j being the items' ranks.

        τ_w = Σ s_x · s_y · w / √(Σ s_x² · w · Σ s_y² · w)

    The sums are over the pairs, s_x and s_y are the signs of their order. It is the mean of two: with ranks
    by x (equal ones by y) and by y (equal ones by x), as in SciPy.

    Args:
        items: the items that are compared: those ``common`` to both lists, or all of either (``union``),
            where those that a list lacks share the place after its end.

    Range: -1 to 1.
    Not defined: of one item, or where all are equal.

    Source: [vigna2015].

    Example:
        The pair of a and b is in the other order: by either ranking it weighs 1/1 + 1/2, of 11/3 in all, so
        1 − 2 · (3/2) / (11/3).

        >>> import rankmark as rm
        >>> round(rm.rank_correlation(["a", "b", "c"], ["b", "a", "c"], "WeightedTau"), 4)
        0.1818

    """
    ranks = rankings(pairs, items)
    better, worse = better_in_both(ranks), worse_in_both(ranks)
    alike_x, alike_y = tied(ranks, ranks.x), tied(ranks, ranks.y)
    both = tied_in_both(ranks, alike_x, alike_y)
    n = ranks.n[ranks.query]
    # The weight of a pair is a sum over its items, so each item counts with all pairs that it is in.
    signs = 2 * (better + worse) - (n - alike_x - alike_y + both)
    total = np.zeros(len(ranks.n))
    for key, other in ((ranks.x, ranks.y), (ranks.y, ranks.x)):
        weight = 1.0 / _places(ranks, key, other)
        norms = np.sqrt(ranks.sum(weight * (n - alike_x))) * np.sqrt(ranks.sum(weight * (n - alike_y)))
        total += quotient(ranks.sum(weight * signs), norms) / 2
    return clipped(total)


def _places(ranks: Rankings, key: Whole, other: Whole) -> Whole:
    """Ranks from 1 by one key, equal ones by the other, and by nothing those that are equal in both."""
    start, size = groups(ranks, key)
    if size.max(initial=1) == 1:
        return start + 1
    order = ordered(ranks, key, other)
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order)) - ranks.offsets[ranks.query] + 1
    return places
