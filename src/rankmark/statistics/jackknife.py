"""Intervals by leaving out each unit in turn, on a scale without ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rankmark import _numpy as np
from rankmark.statistics.chance import never_zero
from rankmark.statistics.freedom import effective_freedom
from rankmark.statistics.intervals import Bounds, Interval
from rankmark.statistics.resampling import Floats, check_share

__all__ = ["all_at_bound", "jackknife_difference", "jackknife_interval"]


def jackknife_interval(
    value: float, left_out: Floats, *, bounds: Bounds = (None, None), confidence: float = 0.95
) -> Interval:
    """The jackknife with t, on the scale on which a measure has no bounds.

        g(value) ± t·SE·g′(value),   SE² = (n − 1)/n · Σ_i (value_i − value)²

    value_i is the value without unit i of n, which counts a unit for more that has much of all rows. g is the
    logit of a measure between two bounds, the logarithm of the distance from a single one, and nothing
    without. t has 2n/(κ − 1) degrees of freedom, n − 1 at most, κ the kurtosis of value_i − value: how well
    SE is known where few units make up most of it.

    Args:
        value: that of all units.
        left_out: that without each.
        bounds: of the measure.
        confidence: the share of such intervals that hold the true value, 0 to 1.

    Returns:
        NaN for fewer than two units, where leaving one out leaves no value, for units that are all alike, and
        for a value at a bound.

    Source:
        J. W. Tukey, "Bias and confidence in not-quite large samples", Annals of Mathematical Statistics 29,
        1958; the degrees of freedom as `statistics.delong_interval`.

    """
    from scipy.special import stdtrit

    check_share(confidence=confidence)
    count = len(left_out)
    moves = (1 - 1 / max(count, 1)) * (left_out - value)
    spread = float(moves @ moves)
    scale = _scale(bounds)
    if count < 2 or not math.isfinite(spread) or spread <= (1e-14 * abs(value)) ** 2 or value in bounds:
        return Interval(math.nan, math.nan)
    error = math.sqrt(count / (count - 1) * spread)
    freedom = effective_freedom(moves, count)
    reach = float(stdtrit(freedom, (1 + confidence) / 2)) * error * scale.slope(value)
    ends = sorted(scale.back(scale.to(value) + each) for each in (-reach, reach))
    return Interval(*ends)


def jackknife_difference(
    difference: float, moves: Sequence[Floats], *, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Whether a difference is more than chance, by leaving out each unit.

        t = difference/SE,   SE² = Σ_k S_k,   S_k = n/(n − 1)·Σ_i m_i²

    m_i is (1 − 1/n)·(difference − difference without unit i) of the n units of k, one or several samples that
    are independent. t has SE⁴ / Σ_k (S_k²/f_k) degrees of freedom, f_k those of `jackknife_interval`.

    Args:
        difference: that of all units.
        moves: m of each sample.
        confidence: the share of intervals difference ± t·SE that hold the true difference, 0 to 1.

    Returns:
        The ends of the interval, and the two-sided p; NaN where nothing moves the difference, or a unit
        cannot be left out.

    Source:
        B. L. Welch, "The generalization of 'Student's' problem when several different population variances
        are involved", Biometrika 34, 1947; otherwise as `jackknife_interval`.

    """
    from scipy.special import stdtr, stdtrit

    check_share(confidence=confidence)
    parts = np.array([len(own) / max(len(own) - 1, 1) * float(own @ own) for own in moves])
    total = float(parts.sum())
    if min(map(len, moves)) < 2 or not math.isfinite(total) or total <= (1e-12 * difference) ** 2:
        return math.nan, math.nan, math.nan
    error, freedoms = math.sqrt(total), [effective_freedom(own, len(own)) for own in moves]
    freedom = total**2 / float((parts**2 / freedoms).sum())
    reach = float(stdtrit(freedom, (1 + confidence) / 2)) * error
    p = never_zero(2 * float(stdtr(freedom, -abs(difference) / error)))
    return difference - reach, difference + reach, p


def all_at_bound(value: float, count: int, confidence: float = 0.95) -> Interval:
    """The interval of a mean of values from 0 to 1 that are all 0, or all 1.

    A share p of units of another value is missed by n of them with a chance of (1 − p)ⁿ, and the mean is not
    farther away than p: 1 begins at (α/2)^(1/n), and 0 ends at 1 less that, for α = 1 − confidence.

    Args:
        value: 0 or 1.
        count: n.
        confidence: the least share of such intervals that hold the true value, 0 to 1.

    Source:
        C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
        binomial", Biometrika 26, 1934.

    """
    least = ((1 - confidence) / 2) ** (1 / count)
    return Interval(least, 1.0) if value else Interval(0.0, 1 - least)


class _Scale(NamedTuple):
    to: Callable[[float], float]
    back: Callable[[float], float]
    slope: Callable[[float], float]


def _scale(bounds: Bounds) -> _Scale:
    low, high = bounds
    if low is None and high is None:
        return _Scale(float, float, lambda _: 1.0)
    if low is not None and high is not None:
        return _logit(low, high)
    end, sign = (low, 1.0) if low is not None else (high, -1.0)
    assert end is not None
    return _Scale(
        lambda x: math.log(sign * (x - end)),
        lambda y: end + sign * _exp(y),
        lambda x: 1 / (sign * (x - end)),
    )


def _logit(low: float, high: float) -> _Scale:
    from scipy.special import expit

    return _Scale(
        lambda x: math.log((x - low) / (high - x)),
        lambda y: low + (high - low) * float(expit(y)),
        lambda x: 1 / (x - low) + 1 / (high - x),
    )


def _exp(y: float) -> float:
    return float(np.exp(min(y, 709.0)))
