"""Corrections of p-values for several tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankmark.statistics.resampling import Floats
from rankmark.statistics.significance import check_choice

__all__ = ["CORRECTIONS", "Correction", "corrected"]

Correction = Literal["holm", "hochberg", "benjamini-hochberg", "bonferroni", "sidak", "none"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)


def corrected(p_values: ArrayLike, method: Correction = "holm") -> Floats:
    """Each p-value made comparable with the level that is to hold for all m tests together, at most 1.

    With p₍₁₎ ≤ … ≤ p₍ₘ₎:

    - ``bonferroni``: m·p
    - ``sidak``: 1 − (1 − p)^m, for independent tests
    - ``holm``: max over j ≤ i of (m − j + 1)·p₍ⱼ₎, never greater than Bonferroni's
    - ``hochberg``: min over j ≥ i of (m − j + 1)·p₍ⱼ₎, for tests that are not negatively dependent
    - ``benjamini-hochberg``: min over j ≥ i of m/j·p₍ⱼ₎, which bounds the expected share of false discoveries
      (the others bound the chance of any)
    - ``none``: p

    Args:
        p_values: any number of them, in any shape; NaN counts for no test and stays.
        method: see above.

    Source:
        S. Holm, 1979; Y. Hochberg, 1988; Y. Benjamini and Y. Hochberg, 1995; Z. Šidák, 1967.

    """
    check_choice("correction", method, CORRECTIONS)
    given = np.asarray(p_values, dtype=np.float64)
    there = ~np.isnan(given)
    own = given[there]
    order = np.argsort(own, kind="stable")
    ranked = np.empty_like(own)
    ranked[order] = np.minimum(_METHODS[method](own[order]), 1.0)
    result = given.copy()
    result[there] = ranked
    return result


def _left(p: Floats) -> Floats:
    """m, m − 1, … 1."""
    return np.arange(len(p), 0, -1.0)


_METHODS: dict[Correction, Callable[[Floats], Floats]] = {  # of p-values in ascending order
    "none": lambda p: p,
    "bonferroni": lambda p: p * len(p),
    # By logarithms, which keep the digits of a small p; a p of 1 has none.
    "sidak": lambda p: -np.expm1(len(p) * np.log1p(-np.minimum(p, np.nextafter(1, 0)))),
    "holm": lambda p: np.maximum.accumulate(p * _left(p)),
    "hochberg": lambda p: np.minimum.accumulate((p * _left(p))[::-1])[::-1],
    "benjamini-hochberg": lambda p: np.minimum.accumulate((p * len(p) / _left(p)[::-1])[::-1])[::-1],
}
