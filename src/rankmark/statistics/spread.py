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
import sys
from typing import TYPE_CHECKING, NamedTuple

from rankmark import _native
from rankmark import _numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankmark.statistics.resampling import Floats

__all__ = [
    "ROUNDING",
    "AroundMean",
    "apart",
    "around_mean",
    "deviations",
    "scaled",
    "standard_deviation",
    "sum_of_squares",
    "unit_near",
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
    return _native.apart(np.ascontiguousarray(values), np.ascontiguousarray(others))


def unit_near(values: Floats) -> float:
    """A power of two near the greatest: the squares of values divided by it can be summed up."""
    return max(math.ldexp(1.0, math.frexp(_greatest(values))[1] - 1), sys.float_info.min)


def scaled(values: Floats) -> tuple[Floats, float]:
    """The values over `unit_near` of them, and that."""
    unit = unit_near(values)
    return values / unit, unit


class AroundMean(NamedTuple):
    """What values are off their mean by (`deviations`), in powers.

    Attributes:
        unit: `unit_near` of it.
        squares: Σ d² of d in units; 0 where values are alike but for rounding, and else 1 or more.
        cubes: Σ d³ of d in units.

    """

    unit: float
    squares: float
    cubes: float

    @classmethod
    def of(cls, deviations: Floats) -> AroundMean:
        """That of what values are off by."""
        own, unit = scaled(deviations)
        squares = own * own
        return cls(unit, float(np.sum(squares)), float(np.sum(squares * own)))


def around_mean(values: Floats, unit: float = 1.0) -> AroundMean:
    """``AroundMean.of(deviations(values / unit))``, in a tenth of the time; `unit` is a power of two."""
    return AroundMean(*_native.around_mean(np.ascontiguousarray(values, np.float64), unit))


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
    own = around_mean(values)
    return own.unit * math.sqrt(own.squares / (len(values) - 1))
