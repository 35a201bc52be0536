"""Values that are alike but for rounding: every figure that a spread divides gives the same answer."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from rankmark.statistics import (
    bootstrap_shift_test,
    cohens_d,
    equivalence,
    non_inferiority,
    paired_t_test,
    randomisation_test,
    t_interval,
    two_way_anova,
    welch,
)
from rankmark.statistics.chance import LEAST_P
from rankmark.statistics.intervals import standard_error
from rankmark.statistics.spread import standard_deviation, sum_of_squares


def alike(queries: int, by: float = 0.1) -> np.ndarray:
    """Differences by the same on every query, as subtraction leaves them: not all are the same float."""
    values = np.random.default_rng(queries).random(queries)
    return np.asarray((values + by) - values)


@pytest.mark.parametrize("queries", [5, 50, 1_000])
@pytest.mark.parametrize("d", [lambda n: np.full(n, 0.1), alike], ids=["the same float", "but for rounding"])
def test_differences_by_the_same_have_no_spread(d: Callable[[int], np.ndarray], queries: int) -> None:
    own = d(queries)
    assert standard_deviation(own) == 0.0
    assert standard_error(own) == (0.0, queries - 1, queries)
    assert standard_error(own, np.arange(queries) // 2)[0] == 0.0
    assert math.isnan(paired_t_test(own))
    assert math.isnan(bootstrap_shift_test(own, resamples=500))
    assert math.isnan(cohens_d(own))
    assert math.isnan(equivalence(own, 0.2).p)
    assert math.isnan(non_inferiority(own, 0.2))
    low, high = t_interval(own)
    assert low == high == own.mean()
    assert math.isnan(welch(own, np.random.default_rng(1).random(queries)).p)
    assert randomisation_test(own[:5]) == 2 / 2**5


@pytest.mark.parametrize("count", [0, 1, 10_000, 10_001, 20_000, 20_001])
def test_squares_of_many_numbers_are_added_up_as_those_of_few(count: int) -> None:
    values = np.random.default_rng(count).normal(size=count)
    assert sum_of_squares(values) == pytest.approx(math.fsum(values**2), rel=1e-13)


def test_the_least_spread_of_data_is_one() -> None:
    d = 0.1 + 1e-9 * np.arange(20)
    assert standard_deviation(d) == pytest.approx(np.std(d, ddof=1), rel=1e-6)
    assert 0 < paired_t_test(d) < 1e-100


def test_systems_that_never_differ_are_not_different_and_are_equivalent() -> None:
    nothing = np.zeros(50)
    for alternative in ("two-sided", "greater", "less"):
        assert paired_t_test(nothing, alternative=alternative) == 1.0  # type: ignore[arg-type]
    assert randomisation_test(nothing) == bootstrap_shift_test(nothing) == 1.0
    assert equivalence(nothing, 0.01).p == non_inferiority(nothing, 0.01) == LEAST_P
    assert math.isnan(cohens_d(nothing))
    assert math.isnan(paired_t_test(nothing[:1]))


def test_variance_that_systems_and_queries_leave_over_is_more_than_rounding() -> None:
    queries = np.random.default_rng(3).random((30, 1))
    differ = two_way_anova(queries + np.array([0.1, 0.2, 0.4]))
    assert math.isnan(differ["system"].f)
    assert math.isnan(differ["system"].p)
    assert differ["residual"].squares == 0.0
    assert two_way_anova(queries + np.array([0.1, 0.1, 0.1]))["system"].p == 1.0


def test_a_p_value_is_never_0() -> None:
    d = 1 + 1e-6 * np.random.default_rng(0).random(3_000)
    assert paired_t_test(d) == LEAST_P
    assert paired_t_test(d, alternative="greater") == LEAST_P
    assert randomisation_test(np.ones(3_000)) == LEAST_P
    assert equivalence(d - d.mean(), 1.0).p == LEAST_P
    assert welch(d, -d).p == LEAST_P
    table = np.column_stack([d, 2 * d, 3 * d[::-1]])
    assert two_way_anova(table)["system"].p == LEAST_P
