"""ExposureSimpson."""

from __future__ import annotations

import math

from rankmark.kinds.items import RecommendedLists
from rankmark.language.registry import item_measure


@item_measure(
    "ExposureSimpson",
    aliases=("SimpsonIndex", "GiniSimpson"),
    bounds=(0, 1),
    needs=(),
    aggregate="run",
)
def exposure_simpson(lists: RecommendedLists, *, cutoff: int | None = None) -> float:
    """Simpson's index of exposure: how likely two recommendations, drawn with replacement, are of two items.

        ExposureSimpson@k = 1 − Σ_i p_i²,  p_i = c_i / Σ_j c_j

    c_i is in how many lists item i is, down to rank k.

    Needs: nothing but the run.

    Range: 0 to 1.

    Source: [simpson1949].

    Example:
        p is 1/2, 1/4 and 1/4: 1 − 1/4 − 1/16 − 1/16.

        >>> import rankmark as rm
        >>> rm.evaluate(None, {"u1": ["a", "b"], "u2": ["a", "c"]}, "ExposureSimpson@2").values
        {'ExposureSimpson@2': 0.625}

    """
    exposure = lists.top(cutoff).exposure()
    p = exposure / exposure.sum() if exposure.any() else None
    return math.nan if p is None else float(1 - (p * p).sum())
