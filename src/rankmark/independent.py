"""Statistics of two groups of queries that have nothing to do with each other."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MeanDifference", "corrected", "t_interval", "welch"]


class MeanDifference(NamedTuple):
    """How far the mean of one group is from that of another; NaN where there are too few values.

    Attributes:
        mean: the difference.
        low: the lower end of its confidence interval.
        high: the upper end.
        p: the chance of one as great if the groups had the same mean.

    """

    mean: float
    low: float
    high: float
    p: float


def welch(
    values: NDArray[np.float64], others: NDArray[np.float64], *, confidence: float = 0.95
) -> MeanDifference:
    """Welch's t test and interval of the difference between the means of two independent groups.

        t = (x̄ − ȳ) / SE,  SE² = s²_x/n + s²_y/m,  with SE⁴ / ((s²_x/n)²/(n − 1) + (s²_y/m)²/(m − 1)) degrees
        of freedom

    Args:
        values: those of one group.
        others: those of the other.
        confidence: the share of such intervals that hold the true difference.

    Returns:
        The difference x̄ − ȳ; with fewer than two values in a group no interval, and without any spread no p.

    Source: B. L. Welch, "The generalization of 'Student's' problem when several different population
    variances are involved", Biometrika 34, 1947.

    """
    from scipy import stats

    if not len(values) or not len(others):
        return MeanDifference(math.nan, math.nan, math.nan, math.nan)
    mean = float(values.mean() - others.mean())
    if min(len(values), len(others)) < 2:
        return MeanDifference(mean, math.nan, math.nan, math.nan)
    parts = np.array([group.var(ddof=1) / len(group) for group in (values, others)])
    squared = float(parts.sum())
    if not squared:
        return MeanDifference(mean, mean, mean, math.nan)
    # Of the parts' shares, for their squares can be too small for a number.
    shares = parts / squared
    freedom = 1 / float((shares**2 / [len(values) - 1, len(others) - 1]).sum())
    error = math.sqrt(squared)
    reach = float(stats.t.ppf((1 + confidence) / 2, freedom)) * error
    return MeanDifference(mean, mean - reach, mean + reach, 2 * float(stats.t.sf(abs(mean) / error, freedom)))


def t_interval(values: NDArray[np.float64], *, confidence: float = 0.95) -> tuple[float, float]:
    """Student's interval of the mean: x̄ ± t·s/√n with n − 1 degrees of freedom; NaN of fewer than two values.

    Source: Student, "The probable error of a mean", Biometrika 6, 1908.

    """
    from scipy import stats

    if len(values) < 2:
        return math.nan, math.nan
    mean = float(values.mean())
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    reach = float(stats.t.ppf((1 + confidence) / 2, len(values) - 1)) * error
    return mean - reach, mean + reach


def corrected(p_values: Any) -> NDArray[np.float64]:
    """Holm's correction: p-values that hold their level for all tests together; NaN is no test and stays.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6, 1979.

    """
    result = np.array(p_values, dtype=np.float64)
    tests = np.flatnonzero(~np.isnan(result))
    order = tests[np.argsort(result[tests], kind="stable")]
    times = np.arange(len(order), 0, -1)
    result[order] = np.minimum(np.maximum.accumulate(result[order] * times), 1.0)
    return result
