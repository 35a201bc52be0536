"""TauAP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from rankmark._native import CompiledCoefficient
from rankmark.kinds.lists import Values
from rankmark.kinds.pairs import Pairs, Whole
from rankmark.kinds.rankings import (
    Items,
    Rankings,
    better_alike,
    better_in_both,
    groups,
    quotient,
    rankings,
    tied,
    tied_in_both,
)
from rankmark.language.coefficient import coefficient


def _compiled(given: Mapping[str, Any]) -> CompiledCoefficient | None:
    plain = given["ties"] == "a" and given["items"] == "common"
    return CompiledCoefficient.tau_ap(given["cutoff"]) if plain else None


@coefficient("TauAP", bounds=(-1, 1), compiled=_compiled)
def tau_ap(pairs: Pairs, *, ties: Literal["a", "b"] = "a", items: Items = "common") -> Values:
    """AP correlation: Kendall's τ that minds the top of the second ranking, which estimates the first.

        τ_ap = 2/(n − 1) · Σ_{i>1} C(i)/(i − 1) − 1

    C(i) of the items above rank i of the second ranking are above that item in the first, too.

    Args:
        ties: ``a`` is the mean over all orders of equal items (the first being a true ranking: how accurate
            the second is). With ``b`` an item counts with the items above all that are equal to it, those of
            the best group do not count, and it is the mean of both directions (how much two rankings agree).
        items: the items that are compared: those ``common`` to both lists, or all of either (``union``),
            where those that a list lacks share the place after its end.

    Range: -1 to 1.
    Not defined: of one item.

    Source: [yilmaz2008]; ties: [urbano2017].

    Example:
        In the second ranking nothing that should be is above a, and both are above c: 2/2 · (0/1 + 2/2) − 1.

        >>> import rankmark as rm
        >>> rm.rank_correlation(["a", "b", "c"], ["b", "a", "c"], "TauAP")
        0.0

    """
    ranks = rankings(pairs, items)
    better = better_in_both(ranks)
    if ties == "b":
        return (_above_ties(ranks, better) + _above_ties(ranks.swapped(), better)) / 2
    above, size = groups(ranks, ranks.y)
    concordant = better + better_alike(ranks, ranks.x, ranks.y) / 2
    longest = int(np.diff(ranks.offsets).max(initial=0))
    harmonic = np.concatenate(([0.0, 0.0], np.cumsum(1.0 / np.arange(1, longest + 1))))  # to the rank before
    inverse = harmonic[above + size] - harmonic[above]
    each = concordant * inverse * (above > 0)
    if size.max(initial=1) > 1:
        # An item of a group is at each of its places as often, and then that share of the others is above it.
        both = tied_in_both(ranks, tied(ranks, ranks.x), size)
        among = better_alike(ranks, ranks.y, ranks.x) + (both - 1) / 2
        shares = np.where(above > 0, size - above * inverse, size - 1.0)
        each = (each + among / np.maximum(size - 1, 1) * shares) / size
    return quotient(2 * ranks.sum(each), ranks.n - 1) - 1


def _above_ties(ranks: Rankings, better: Whole) -> Values:
    """The share of the items above all that are equal in y which is better in x, too, on average; -1 to 1."""
    above, _ = groups(ranks, ranks.y)
    share = np.divide(better, above, out=np.zeros(len(above)), where=above > 0)
    return 2 * quotient(ranks.sum(share), ranks.sum(above > 0)) - 1
