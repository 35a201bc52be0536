"""Tau."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from rankmark._native import CompiledCoefficient
from rankmark.kinds.lists import Values
from rankmark.kinds.pairs import Pairs
from rankmark.kinds.rankings import Items, pair_counts, quotient, rankings, tau_b
from rankmark.language.coefficient import coefficient


def _compiled(given: Mapping[str, Any]) -> CompiledCoefficient | None:
    plain = given["ties"] == "b" and given["items"] == "common"
    return CompiledCoefficient.tau(given["cutoff"]) if plain else None


@coefficient("Tau", bounds=(-1, 1), compiled=_compiled)
def tau(pairs: Pairs, *, ties: Literal["b", "a"] = "b", items: Items = "common") -> Values:
    """Kendall's τ: pairs of items in the same order in both rankings, less those in different orders.

        τ_a = (C − D) / (n(n − 1)/2)
        τ_b = (C − D) / √((n(n − 1)/2 − T_x)(n(n − 1)/2 − T_y))

    C pairs are in the same order, D in different ones, T_x and T_y are tied in one ranking.

    Args:
        ties: ``b`` is τ_b, which leaves out tied pairs, so that a ranking with ties agrees with itself; ``a``
            is τ_a, which divides by all pairs.
        items: the items that are compared: those ``common`` to both lists, or all of either (``union``),
            where those that a list lacks share the place after its end.

    Range: -1 to 1.
    Not defined: of one item, or where all are equal.

    Source: [kendall1945].

    Example:
        Two pairs are in the same order, one is not: (2 − 1) / 3.

        >>> import rankmark as rm
        >>> round(rm.rank_correlation(["a", "b", "c"], ["b", "a", "c"], "Tau"), 4)
        0.3333

    """
    ranks = rankings(pairs, items)
    if ties == "b":
        return tau_b(ranks)
    counts = pair_counts(ranks)
    return quotient(counts.difference, counts.all)
