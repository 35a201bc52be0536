"""Intervals of effect sizes: published ones, their definitions, and edges."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankmark.errors import DataError
from rankmark.statistics import (
    cliffs_delta,
    cliffs_delta_interval,
    cohens_d,
    cohens_d_interval,
    superiority_interval,
)

stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize(("mean", "queries"), [(0.5, 10), (-0.3, 50), (2.0, 50), (-3.0, 20), (0.05, 1_000)])
def test_the_ends_of_the_interval_of_d_have_the_observed_t_at_their_quantiles(
    mean: float, queries: int
) -> None:
    d = np.random.default_rng(queries).normal(mean, 1, queries)
    low, high = cohens_d_interval(d, confidence=0.9)
    t, root = cohens_d(d) * math.sqrt(queries), math.sqrt(queries)
    assert stats.nct.cdf(t, queries - 1, low * root) == pytest.approx(0.95, abs=1e-6)
    assert stats.nct.cdf(t, queries - 1, high * root) == pytest.approx(0.05, abs=1e-6)


def test_the_interval_of_d_of_very_many_goes_on_where_the_exact_one_ends() -> None:
    d = np.random.default_rng(1).normal(0.1, 1, 100_001)
    many, fewer = cohens_d_interval(d), cohens_d_interval(d[:-1])
    assert many == pytest.approx(fewer, abs=2e-4)


def test_wilsons_interval_of_superiority_is_that_of_scipy_without_ties() -> None:
    d = np.array([1.0] * 43 + [-1.0] * 17)
    expected = stats.binomtest(43, 60).proportion_ci(method="wilson")
    assert superiority_interval(d) == pytest.approx((expected.low, expected.high))
    low, high = superiority_interval(np.ones(60))
    assert 0.93 < low < 1.0 == pytest.approx(high)
    assert superiority_interval(np.zeros(4)) == pytest.approx((0.15, 0.85), abs=0.01)


def test_the_interval_of_cliffs_delta_is_by_the_shares_of_queries() -> None:
    rng = np.random.default_rng(4)
    x = rng.beta(2, 3, 80)
    y = np.clip(x + rng.normal(0.02, 0.1, 80), 0, 1)
    delta = cliffs_delta(x, y)
    dominance = np.sign(x[:, None] - y[None, :])
    shares = dominance.mean(axis=1) + dominance.mean(axis=0) - delta
    error = shares.std(ddof=1) / math.sqrt(80)
    low, high = cliffs_delta_interval(x, y)
    reach = stats.t.ppf(0.975, 79) * error
    assert low == pytest.approx(
        (delta * (1 - delta**2) - reach * math.hypot(1 - delta**2, reach)) / (1 - delta**2 + reach**2)
    )
    assert low < delta < high
    assert cliffs_delta_interval(y, x) == pytest.approx((-high, -low))
    alone = cliffs_delta_interval(x, y, clusters=np.arange(80))
    assert alone == pytest.approx((low, high))
    wider = cliffs_delta_interval(np.tile(x, 2), np.tile(y, 2), clusters=np.tile(np.arange(80), 2))
    assert wider == pytest.approx((low, high))


def test_without_spread_there_is_no_interval_of_an_effect() -> None:
    for ends in (
        cohens_d_interval(np.full(9, 0.1)),
        cliffs_delta_interval([1.0, 1.0, 1.0], [0.0, 0.0, 0.0]),
        cliffs_delta_interval([1.0], [0.0]),
        superiority_interval([]),
    ):
        assert all(map(math.isnan, ends))


@pytest.mark.parametrize("t", [199.0, -199.0, 1e6])
@pytest.mark.parametrize("queries", [2, 3, 8])
def test_the_interval_of_d_is_there_however_great_d_is(queries: int, t: float) -> None:
    """Far out d is a χ² distributed share of the truth: SciPy's noncentral t has no numbers there."""
    values = np.linspace(-1, 1, queries)
    values += t * float(values.std(ddof=1)) / np.sqrt(queries)
    low, high = cohens_d_interval(values)
    ends = np.sqrt(stats.chi2.ppf([0.025, 0.975], queries - 1) / (queries - 1)) * abs(t) / np.sqrt(queries)
    assert sorted((abs(low), abs(high))) == pytest.approx(ends, rel=0.02)
    assert low < values.mean() / values.std(ddof=1) < high


def test_cliffs_delta_and_its_interval_refuse_what_is_infinite() -> None:
    for ask in (cliffs_delta, cliffs_delta_interval):
        with pytest.raises(DataError, match="inf"):
            ask([math.inf, 1.0, 2.0, 0.0], [math.inf, 0.0, 3.0, 1.0])
