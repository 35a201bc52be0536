"""Intervals by leaving out each unit: by hand, and those of a mean."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

from rankmark.statistics.freedom import effective_freedom
from rankmark.statistics.intervals import left_out_means
from rankmark.statistics.jackknife import all_at_bound, jackknife_interval

VALUES = np.array([0.1, 0.4, 0.5, 0.7, 0.9, 0.4, 0.3])


def reach(values: np.ndarray) -> float:
    freedom = effective_freedom(values - values.mean(), len(values))
    return float(stats.t.ppf(0.975, freedom) * stats.sem(values))


def test_of_a_mean_it_is_the_standard_error() -> None:
    found = jackknife_interval(VALUES.mean(), left_out_means(VALUES))
    assert tuple(found) == pytest.approx((VALUES.mean() - reach(VALUES), VALUES.mean() + reach(VALUES)))


def test_bounds_decide_the_scale() -> None:
    mean, left_out = VALUES.mean(), left_out_means(VALUES)
    between = jackknife_interval(mean, left_out, bounds=(0, 1))
    away = reach(VALUES) / (mean * (1 - mean))
    assert tuple(between) == pytest.approx((expit(logit(mean) - away), expit(logit(mean) + away)))
    above = jackknife_interval(mean, left_out, bounds=(0, None))
    assert tuple(above) == pytest.approx((mean * math.exp(-reach(VALUES) / mean), mean**2 / above.low))
    below = jackknife_interval(-mean, -left_out, bounds=(None, 0))
    assert tuple(below) == pytest.approx((-above.high, -above.low))
    wider = jackknife_interval(2 * mean - 1, 2 * left_out - 1, bounds=(-1, 1))
    assert tuple(wider) == pytest.approx((2 * between.low - 1, 2 * between.high - 1))


def test_units_that_say_nothing_have_no_interval() -> None:
    nothing = [
        jackknife_interval(0.5, np.array([0.5])),
        jackknife_interval(0.5, np.full(5, 0.5)),
        jackknife_interval(0.5, np.array([0.5, math.nan, 0.4])),
        jackknife_interval(1.0, np.array([1.0, 0.9, 1.0]), bounds=(0, 1)),
    ]
    assert all(math.isnan(end) for found in nothing for end in found)


def test_values_that_are_all_1_are_bounded_as_a_share() -> None:
    exact = stats.binomtest(12, 12).proportion_ci(0.95, method="exact")
    assert all_at_bound(1, 12) == pytest.approx((exact.low, 1))
    assert all_at_bound(0, 12) == pytest.approx((0, 1 - exact.low))
