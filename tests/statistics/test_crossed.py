"""Means and differences over queries and seeds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rankmark import statistics
from rankmark.errors import DataError
from rankmark.statistics import Interval, crossed, paired_t_test, t_interval

# t quantiles .975 with 1, 2 and 3 degrees of freedom, as in printed tables.
T = {1: 12.7062, 2: 4.30265, 3: 3.18245}
TWO_SEEDS = [[0, 2], [2, 4], [4, 6]]
"""Query means 1, 3, 5 (variance 4), seed means 2, 4 (variance 2), no noise."""


def differences(seed: int = 0, queries: int = 30) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.02, 0.1, queries)


def test_the_parts_of_the_variance_of_a_mean() -> None:
    found = crossed(TWO_SEEDS)
    assert found.estimate == 3
    assert found.queries == pytest.approx((4 / 3, 2, 3))
    assert found.seeds == (pytest.approx((1, 1, 2)),)
    reach = math.sqrt(4 / 3 * T[2] ** 2 + T[1] ** 2)
    assert found.interval() == pytest.approx((3 - reach, 3 + reach), rel=1e-5)


def test_the_noise_of_queries_and_seeds_is_counted_once() -> None:
    # Seed means 0, 3, 3, 6 have the variance 6; the residuals 0, ∓1, ±1, 0 the mean square 4/3, of which half
    # of a half is taken away.
    (part,) = crossed([[0, 2, 4, 6], [0, 4, 2, 6]]).seeds
    assert part == pytest.approx(((6 - 1 / 3) / 4, 3, 4))
    # Noise alone, which the seeds' means do not show: nothing below 0 is added.
    assert crossed([[0, 2, 2, 0], [2, 0, 0, 2]]).seeds == ((0, 3, 4),)


def test_two_systems_are_of_the_parts_of_both() -> None:
    found = crossed(TWO_SEEDS, [[1, 1], [1, 1], [1, 3]])
    # Differences of the query means 0, 2, 3; seed means 1 and 5/3 (variance 2/9).
    assert found.queries == pytest.approx((7 / 3 / 3, 2, 3))
    assert found.seeds == (pytest.approx((1, 1, 2)), pytest.approx((1 / 9, 1, 2)))
    # Satterthwaite's (10/9)² / (1 + 1/81) = 1.22 degrees of freedom, by which seeds reach less than the sum.
    assert found.reach(0.05) < math.sqrt(7 / 9 * T[2] ** 2 + 10 / 9 * T[1] ** 2)


def test_of_one_seed_it_is_the_t_test() -> None:
    d = differences()
    assert crossed(d).interval() == pytest.approx(t_interval(d))
    assert crossed(d, np.zeros(30)).interval() == pytest.approx(t_interval(d))
    users = np.arange(30) % 7
    for alternative in ("two-sided", "greater", "less"):
        for null in (0.0, 0.05):
            p = crossed(d, clusters=users).p(alternative, null)
            assert p == pytest.approx(paired_t_test(d, alternative=alternative, clusters=users, null=null))


def test_the_interval_leaves_out_0_where_p_is_below_the_level() -> None:
    rng = np.random.default_rng(1)
    values, others = rng.normal(0.5, 0.1, (20, 3)), rng.normal(0.4, 0.1, (20, 5))
    found = crossed(values, others)
    assert 0 < found.p() < 0.05
    assert found.interval(1 - found.p()).low == pytest.approx(0, abs=1e-9)
    assert found.p("greater") == pytest.approx(found.p() / 2)
    assert found.p("less") == pytest.approx(1 - found.p() / 2)
    assert crossed(others, values).p() == pytest.approx(found.p())


def test_a_system_with_one_seed_varies_as_the_other_unless_it_is_seedless() -> None:
    other = [1, 2, 3]
    assert crossed(TWO_SEEDS, other).seeds == (pytest.approx((2 * (1 / 2 + 1), 1, 2)),)
    assert crossed(other, TWO_SEEDS).seeds == (pytest.approx((2 * (1 / 2 + 1), 1, 2)),)
    assert crossed(TWO_SEEDS, other, seedless=True).seeds == (pytest.approx((2 * 1 / 2, 1, 2)),)


def test_clusters_are_what_varies() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(12, 4))
    each = crossed(values, clusters=np.arange(12))
    assert each.queries == pytest.approx(crossed(values).queries)
    assert each.seeds == (pytest.approx(crossed(values).seeds[0]),)
    # Every query three times is no more than the queries, in clusters.
    thrice = crossed(np.repeat(values, 3, axis=0), clusters=np.repeat(np.arange(12), 3))
    assert thrice.interval() == pytest.approx(each.interval())


def test_clusters_of_two_kinds_are_those_of_the_t_interval() -> None:
    d, kinds = differences(), np.column_stack([np.arange(30) % 6, np.arange(30) // 6])
    assert crossed(d, clusters=kinds).interval() == pytest.approx(t_interval(d, clusters=kinds))
    with pytest.raises(DataError, match="29 clusters for 30 queries"):
        crossed(d, clusters=kinds[1:])


def test_where_seeds_alone_vary_every_chance_has_a_reach() -> None:
    # Both have the same mean on each query, by seeds that differ.
    found = crossed([[0, 1], [1, 2], [2, 3]], [[1, 0], [2, 1], [3, 2]])
    assert found.queries.squared == 0
    assert found.p() == 1
    assert 0 < found.p("greater", null=-0.1) < 0.5
    assert 0 < found.p("less", null=1e200) < 1e-100


def test_without_spread_or_queries() -> None:
    alike = crossed(np.full((5, 2), 0.1), np.full((5, 3), 0.3))
    assert math.isnan(alike.p())
    assert crossed(np.full((5, 2), 0.3), np.full((5, 3), 0.1 + 0.2)).p() == 1
    assert crossed([[1, 2], [math.nan, 3]]).interval() == pytest.approx(
        Interval(math.nan, math.nan), nan_ok=True
    )
    assert crossed(TWO_SEEDS, [[1], [2], [math.nan]]).queries.freedom == 1
    with pytest.raises(DataError, match="values of 2 and 3 queries"):
        crossed(TWO_SEEDS, [1, 2])


def test_false_positives_are_few_where_seeds_vary() -> None:
    # 50 queries, three seeds with a standard deviation of .03: the t test of the means finds 25% and more.
    rng = np.random.default_rng(3)
    seeds, noise = rng.normal(0, 0.03, (300, 2, 1, 3)), rng.normal(0, 0.05, (300, 2, 50, 3))
    values = seeds + noise + rng.normal(0, 0.05, (300, 2, 50, 1))
    assert sum(crossed(*each).p() <= 0.05 for each in values) <= 0.05 * 300
    assert sum(paired_t_test(np.subtract(*each.mean(axis=2))) <= 0.05 for each in values) >= 0.25 * 300


def test_with_two_seeds_a_power_that_is_promised_takes_a_great_difference() -> None:
    # Queries add next to nothing: |d + e| > t·s₁/√(2·2) of two seeds each, where s₁ and what is promised are
    # both of s² with two degrees of freedom.
    rng = np.random.default_rng(1)
    one, other = (rng.normal(0, 1e-9, (200, 2)) + seeds for seeds in ([0.0, 0.1], [0.0, 0.1]))
    found = statistics.crossed(one, other)
    drawn = found.detectable(alpha=0.05, power=0.8)
    true = 0.005 * 2 / rng.chisquare(2, 200_000)
    v = true * rng.chisquare(1, (2, 200_000)) / 2
    freedom = np.minimum(v.sum(axis=0) ** 2 / (v**2).sum(axis=0), 2)
    student = stats.t.isf(0.025, np.array([freedom, np.ones_like(freedom)]))
    reach = np.sqrt(np.minimum(student[0] ** 2, student[1] ** 2) * v.sum(axis=0))
    expected = np.quantile(reach - np.sqrt(true) * rng.standard_normal(200_000), 0.8)
    assert drawn == pytest.approx(expected, rel=0.06)
    assert drawn > 10 * found.error
    assert found.detectable(alternative="greater") < drawn
    assert math.isnan(statistics.crossed([[1, 2]], [[2, 3]]).detectable())


def test_without_seeds_what_is_detectable_is_nearly_that_of_the_t_test() -> None:
    d = np.random.default_rng(2).normal(0, 0.2, (400, 1))
    found = statistics.crossed(d).detectable()
    assert found == pytest.approx(statistics.detectable_difference(float(d.std(ddof=1)), 400), rel=0.03)


@pytest.mark.parametrize(("seeds", "least", "most"), [(2, 0.75, 0.87), (5, 0.77, 0.87)])
def test_the_power_with_seeds_is_at_least_what_is_promised(seeds: int, least: float, most: float) -> None:
    rng = np.random.default_rng(seeds)

    def drawn() -> statistics.Crossed:
        tables = rng.normal(0, 0.03, (2, 1, seeds)) + rng.normal(0, 0.05, (2, 100, seeds))
        return statistics.crossed(*(tables + rng.normal(0, 0.1, (2, 100, 1))))

    new = [drawn() for _ in range(200)]
    estimates, reaches = (
        np.array(each) for each in zip(*((f.estimate, f.reach(0.05)) for f in new), strict=True)
    )
    promised = [drawn().detectable() for _ in range(50)]
    powers = [np.mean(np.abs(each + estimates) > reaches) for each in promised]
    assert least <= np.mean(powers) <= most
