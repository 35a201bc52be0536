"""Whether values spread at all, or are alike but for rounding; every figure that a spread divides asks here.

Differences of 0.1 on every query are not all the same float, and the standard deviation of what rounding left
of them would make a t of 10¹⁶. Without spread, the answers are:

- the standard error is 0, and an interval is the point that the mean is;
- a test of differences that are all 0 has p = 1, and such systems are equivalent;
- where all are the same and not 0, no spread says how far off they can be: t, F and the like have no p (NaN).
  A randomisation or sign test has one, which is exact;
- an effect size in standard deviations is NaN.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankmark import _numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankmark.statistics.resampling import Floats

__all__ = [
    "ROUNDING",
    "apart",
    "deviations",
    "scaled",
    "standard_deviation",
    "sum_of_squares",
    "without_rounding",
]

ROUNDING = 1e-12
"""What is smaller than this share of the values it was made of is rounding."""


def without_rounding(left: Floats, of: ArrayLike) -> Floats:
    """What was left of values by subtraction, all of it 0 if none is more than their rounding."""
    return left if _greatest(left) > ROUNDING * _greatest(np.asarray(of)) else np.zeros_like(left)


def _greatest(values: Floats) -> float:
    """The greatest magnitude, 0 of no values."""
    return max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))


def deviations(values: Floats) -> Floats:
    """Each value less their mean; 0 where they are alike but for rounding. Values have no NaN."""
    return without_rounding(values - values.mean(), values) if len(values) else values


def apart(values: Floats, others: Floats) -> Floats:
    """Each value less the other; 0 where that is no more than their rounding, NaN where one is."""
    left = values - others
    return np.where(np.abs(left) <= ROUNDING * np.maximum(np.abs(values), np.abs(others)), 0.0, left)


def scaled(values: Floats) -> tuple[Floats, float]:
    """The values over a power of two near the greatest, and that: their squares can be summed up."""
    unit = math.ldexp(1.0, math.frexp(_greatest(values))[1] - 1) or 1.0
    return values / unit, unit


AT_ONCE = 10_000
"""Numbers whose product NumPy makes on one thread; waking others for a few more takes longer than these."""


def sum_of_squares(values: Floats) -> float:
    """Σ x²; of up to twice as many numbers as one thread makes it of in halves, as two would add them up."""
    half = (len(values) + 1) // 2
    if not AT_ONCE < len(values) <= 2 * AT_ONCE:
        return float(values @ values)
    return float(values[:half] @ values[:half]) + float(values[half:] @ values[half:])


def standard_deviation(values: Floats) -> float:
    """√(Σ(x − x̄)² / (n − 1)); NaN for fewer than two values."""
    if len(values) < 2:
        return math.nan
    left, unit = scaled(deviations(values))
    return unit * math.sqrt(float(np.sum(left**2)) / (len(values) - 1))
