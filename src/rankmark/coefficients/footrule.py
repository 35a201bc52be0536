"""Footrule."""

from __future__ import annotations

import numpy as np

from rankmark import _native
from rankmark.kinds.lists import Values
from rankmark.kinds.pairs import Pairs
from rankmark.kinds.rankings import Items, mid_ranks, quotient, rankings
from rankmark.language.coefficient import coefficient


@coefficient("Footrule", bounds=(0, 1))
def footrule(pairs: Pairs, *, items: Items = "union") -> Values:
    """Spearman's footrule, a distance: how far items have moved, as a share of how far they could have.

        Footrule = Σ_i |rank_a(i) − rank_b(i)| / most

    Equal scores have the mean of their ranks.

    Args:
        items: with ``union`` an item that a list lacks stands just after its end, and most is the sum for
            lists without common items (Fagin et al.); with ``common`` ranks are among the common items, and
            most is ⌊n²/2⌋.

    Range: 0 to 1; 0 for the same ranking.
    Not defined: of no item, and with ``items=common`` of one.

    Source: [fagin2003].

    Example:
        The ranks of a and b differ by 1, that of c not; of lists without common items 2 · (3 + 2 + 1) would.

        >>> import rankmark as rm
        >>> round(rm.rank_correlation(["a", "b", "c"], ["b", "a", "c"], "Footrule"), 4)
        0.1667

    """
    if items == "common":
        ranks = rankings(pairs, items)
        moved = np.abs(mid_ranks(ranks, ranks.x) - mid_ranks(ranks, ranks.y))
        return quotient(ranks.sum(moved), np.floor(ranks.n**2 / 2))
    mids = [(lists.first + lists.last) / 2 for lists in (pairs.a, pairs.b)]
    ends = [pairs.b.length + 1, pairs.a.length + 1]
    query, most, moved = pairs.query, np.zeros(len(ends[0])), np.zeros(len(ends[0]))
    own = []
    for lists, mid, end, rank in zip(
        (pairs.a, pairs.b), mids, ends, (pairs.rank_a, pairs.rank_b), strict=True
    ):
        far = np.abs(mid - np.repeat(end, lists.length))
        most += _native.segment_sum(far, lists.offsets)
        at = lists.offsets[query] + rank - 1
        moved -= _native.segment_sum(far[at], pairs.offsets)
        own.append(mid[at])
    moved += most + _native.segment_sum(np.abs(own[0] - own[1]), pairs.offsets)
    return quotient(np.maximum(moved, 0.0), most)
