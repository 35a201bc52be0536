"""Spearman."""

from __future__ import annotations

import numpy as np

from rankmark.kinds.lists import Values
from rankmark.kinds.pairs import Pairs
from rankmark.kinds.rankings import Items, clipped, mid_ranks, quotient, rankings
from rankmark.language.coefficient import coefficient


@coefficient("Spearman", bounds=(-1, 1))
def spearman(pairs: Pairs, *, items: Items = "common") -> Values:
    """Spearman's ρ: the correlation of the ranks, equal items having the mean of theirs.

        ρ = Σ (x_i − m)(y_i − m) / √(Σ (x_i − m)² · Σ (y_i − m)²)

    x_i and y_i are the ranks of an item, and m = (n + 1)/2 is their mean.

    Args:
        items: the items that are compared: those ``common`` to both lists, or all of either (``union``),
            where those that a list lacks share the place after its end.

    Range: -1 to 1.
    Not defined: of one item, or where all are equal.

    Source: [spearman1904].

    Example:
        Deviations −1, 0, 1 and 0, −1, 1: 1/2.

        >>> import rankmark as rm
        >>> round(rm.rank_correlation(["a", "b", "c"], ["b", "a", "c"], "Spearman"), 4)
        0.5

    """
    ranks = rankings(pairs, items)
    x, y = (mid_ranks(ranks, key) - ((ranks.n + 1) / 2)[ranks.query] for key in (ranks.x, ranks.y))
    return clipped(quotient(ranks.sum(x * y), np.sqrt(ranks.sum(x * x)) * np.sqrt(ranks.sum(y * y))))
