"""ExposureSimpson."""

from __future__ import annotations

import math

from rankmark.kinds.item_weights import RankDiscount, exposure_of, order_of
from rankmark.kinds.items import RecommendedLists
from rankmark.language.registry import item_measure


@item_measure(
    "ExposureSimpson",
    aliases=("SimpsonIndex", "GiniSimpson"),
    bounds=(0, 1),
    needs=(),
    aggregate="run",
    order=order_of,
)
def exposure_simpson(
    lists: RecommendedLists, *, cutoff: int | None = None, discount: RankDiscount = "none"
) -> float:
    """Simpson's index of exposure: how likely two recommendations, drawn with replacement, are of two items.

        ExposureSimpson@k = 1 − Σ_i p_i²,  p_i = c_i / Σ_j c_j

    c_i is in how many lists item i is, down to rank k.

    Args:
        discount: at rank i an item counts 1 (``none``), 1 / log2(i + 1) (``log2``), 1 / i (``reciprocal``),
            or with a number p between 0 and 1 p^(i − 1).

    Needs: nothing but the run.

    Range: 0 to 1.

    Source: [simpson1949].

    Example:
        p is 1/2, 1/4 and 1/4: 1 − 1/4 − 1/16 − 1/16.

        >>> import rankmark as rm
        >>> rm.evaluate(None, {"u1": ["a", "b"], "u2": ["a", "c"]}, "ExposureSimpson@2").values
        {'ExposureSimpson@2': 0.625}

    """
    exposure = exposure_of(lists.top(cutoff), discount)
    p = exposure / exposure.sum() if exposure.any() else None
    return math.nan if p is None else float(1 - (p * p).sum())
