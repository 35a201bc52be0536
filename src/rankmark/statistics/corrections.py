"""Corrections of p-values for several tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankmark.statistics.record import Statistic, check_choice, table
from rankmark.statistics.resampling import Floats, as_floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["CORRECTIONS", "CorrectionName", "corrected"]

CorrectionName = Literal["holm", "hochberg", "benjamini-hochberg", "bonferroni", "sidak", "none"]


def corrected(p_values: ArrayLike, method: CorrectionName = "holm") -> Floats:
    """Each p-value made comparable with the level that is to hold for all m tests together, at most 1.

    Args:
        p_values: any number of them, in any shape; NaN counts for no test and stays.
        method: one of `CORRECTIONS`, whose functions have the formulas: ``holm``, ``hochberg``,
            ``bonferroni`` and ``sidak`` bound the chance of any false positive, ``benjamini-hochberg`` bounds
            the expected share of them among the positives.

    """
    check_choice("correction", method, CORRECTIONS)
    given = as_floats(p_values)
    there = ~np.isnan(given)
    own = given[there]
    order = np.argsort(own, kind="stable")
    ranked = np.empty_like(own)
    ranked[order] = np.minimum(CORRECTIONS[method].function(own[order]), 1.0)
    result = given.copy()
    result[there] = ranked
    return result


# Each is of m p-values in ascending order, p₍₁₎ ≤ … ≤ p₍ₘ₎.


def _holm(p: Floats) -> Floats:
    """The greatest over j ≤ i of (m − j + 1)·p₍ⱼ₎, never greater than Bonferroni's.

    Source:
        S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics
        6, 1979.

    """
    return np.asarray(np.maximum.accumulate(p * _left(p)))


def _hochberg(p: Floats) -> Floats:
    """The least over j ≥ i of (m − j + 1)·p₍ⱼ₎.

    Source:
        Y. Hochberg, "A sharper Bonferroni procedure for multiple tests of significance", Biometrika 75, 1988.

    """
    return np.minimum.accumulate((p * _left(p))[::-1])[::-1]


def _benjamini_hochberg(p: Floats) -> Floats:
    """The least over j ≥ i of m/j·p₍ⱼ₎.

    Source:
        Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal Statistical
        Society B 57, 1995.

    """
    return np.minimum.accumulate((p * len(p) / _left(p)[::-1])[::-1])[::-1]


def _bonferroni(p: Floats) -> Floats:
    """The p-values times their number: m·p."""
    return p * len(p)


def _sidak(p: Floats) -> Floats:
    """What m tests that do not depend on each other come to: 1 − (1 − p)^m.

    Source:
        Z. Šidák, "Rectangular confidence regions for the means of multivariate normal distributions", JASA
        62, 1967.

    """
    # By logarithms, which keep the digits of a small p; a p of 1 has none.
    return np.asarray(-np.expm1(len(p) * np.log1p(-np.minimum(p, np.nextafter(1, 0)))))


def _none(p: Floats) -> Floats:
    """The p-values as they are."""
    return p


def _left(p: Floats) -> Floats:
    """m, m − 1, … 1."""
    return np.arange(len(p), 0, -1.0)


CORRECTIONS: Mapping[str, Statistic] = table(
    Statistic("holm", "Holm", _holm, "nothing of how the tests depend on each other"),
    Statistic("hochberg", "Hochberg", _hochberg, "the tests do not depend on each other negatively"),
    Statistic(
        "benjamini-hochberg",
        "Benjamini-Hochberg",
        _benjamini_hochberg,
        "the tests do not depend on each other, or positively",
    ),
    Statistic("bonferroni", "Bonferroni", _bonferroni, "nothing of how the tests depend on each other"),
    Statistic("sidak", "Šidák", _sidak, "the tests do not depend on each other"),
    Statistic("none", "no correction", _none, "there is one test"),
)
"""The first is the default."""
