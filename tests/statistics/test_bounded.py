"""Bounds of means that hold for few values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rankmark import statistics
from rankmark.errors import ChoiceError, DataError
from rankmark.statistics import bounded
from rankmark.statistics.bounded import Rows


@pytest.mark.parametrize(("ones", "count"), [(0, 1), (0, 2), (0, 50), (1, 10), (3, 50), (6, 7), (50, 50)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_of_0_and_1_it_is_the_bound_of_clopper_and_pearson(ones: int, count: int, confidence: float) -> None:
    exact = 1.0 if ones == count else stats.beta.ppf(confidence, ones + 1, count - ones)
    values = np.repeat([1.0, 0.0], [ones, count - ones])
    assert statistics.gaffke_bound(values, most=1, confidence=confidence) == pytest.approx(exact, abs=1e-8)


def test_it_is_the_quantile_of_the_mean_under_dirichlet_weights() -> None:
    rng = np.random.default_rng(0)
    values = rng.beta(0.3, 3, 30)
    drawn = rng.dirichlet(np.ones(31), 200_000) @ np.append(values, 1)
    bound = statistics.gaffke_bound(values, most=1, confidence=0.9)
    assert np.mean(drawn > bound) == pytest.approx(0.1, abs=3 * math.sqrt(0.09 / 200_000))


def test_it_does_not_depend_on_the_unit_of_the_values() -> None:
    values = np.random.default_rng(1).normal(0, 0.2, 60)
    bound = statistics.gaffke_bound(values, most=1)
    assert statistics.gaffke_bound(1e6 * values + 5, most=1e6 + 5) == pytest.approx(1e6 * bound + 5, rel=1e-7)
    assert statistics.gaffke_bound(1e-6 * values, most=1e-6) == pytest.approx(1e-6 * bound, rel=1e-7)


def test_for_many_values_it_nears_students() -> None:
    values = np.random.default_rng(2).normal(0, 0.1, 100_000)
    student = statistics.t_interval(values, confidence=0.9).high
    assert statistics.gaffke_bound(values, most=1) == pytest.approx(
        student, abs=1.2e-5
    )  # most / n, and a bit


def test_the_cluster_added_is_as_large_as_the_largest() -> None:
    # Σ E·0 and one cluster of three that are 1, of clusters of 1 and 3 with the mean m: E_1·(−m) + E_2·(−3m)
    # + E_3·3(1 − m) > 0 with a chance of 0.05.
    bound = statistics.gaffke_bound([0, 0, 0, 0], most=1, clusters=["a", "b", "b", "b"])
    e = np.random.default_rng(3).exponential(size=(400_000, 3))
    assert np.mean(e @ [-bound, -3 * bound, 3 * (1 - bound)] > 0) == pytest.approx(0.05, abs=0.0011)


def test_values_beyond_the_end_are_refused() -> None:
    with pytest.raises(DataError, match="1 of the values are above most=1"):
        statistics.gaffke_bound([0.5, 1.5], most=1)
    with pytest.raises(DataError, match="needs a value"):
        statistics.gaffke_bound([math.nan], most=1)
    with pytest.raises(ChoiceError, match="most=inf"):
        statistics.gaffke_bound([0.5], most=math.inf)


def test_what_is_detectable_passes_four_of_five() -> None:
    rng = np.random.default_rng(4)
    passed = 0
    for _ in range(150):
        rows = [Rows.of(rng.normal(0, 0.1, 50), np.ones(50), (1.0, 1.0)) for _ in range(2)]
        passed += rows[0].bound(0.95) <= rows[1].detectable(0.95, 0.8)
    assert passed / 150 == pytest.approx(0.8, abs=0.1)


def test_needed_is_the_number_that_detects() -> None:
    own = Rows.of(np.zeros(40), np.ones(40), (1.0, 1.0))
    assert own.needed(0.05, 0.95, 0.8) == 59  # 1 − 0.05^(1/59) = 0.0495, and with 58 0.0503
    assert own.needed(0, 0.95, 0.8) is None
    few = Rows.of(np.zeros(40), np.ones(40), None)
    assert (few.needed(0.05, 0.95, 0.8), few.bound(0.95)) == (None, math.inf)


@pytest.mark.parametrize("name", ["heavy tail", "ratio", "weights"])
def test_many_rows_brought_together_have_the_bound_of_each_alone(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    values, weights = rng.lognormal(0, 2, 3000), rng.pareto(1.5, 3000) + 1
    of = {
        "heavy tail": (values, np.ones(3000), (1e4, 1.0)),
        "ratio": (rng.random(3000) - 0.3, 0.5 + rng.random(3000), (1.0, 0.5)),
        "weights": (weights * rng.random(3000), weights, (weights.max(), weights.max())),
    }[name]
    fast = Rows.of(*of)
    together = fast.bound(0.95) - fast.ratio, fast.needed(fast.error, 0.95, 0.8)
    monkeypatch.setattr(bounded, "MOST_BLOCKS", 10**9)
    slow = Rows.of(*of)
    assert together == pytest.approx(
        (slow.bound(0.95) - slow.ratio, slow.needed(slow.error, 0.95, 0.8)), rel=1e-5
    )


@pytest.mark.parametrize(("won", "lost", "equal"), [(5, 0, 3), (8, 2, 0), (3, 9, 20), (2, 2, 1), (0, 0, 4)])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_of_wins_and_losses_the_bounded_test_is_the_exact_sign_test(
    won: int, lost: int, equal: int, alternative: Any
) -> None:
    # P(Gamma(won) ≤ Gamma(lost + 1)) is the chance of as many wins of as many coins.
    d = np.repeat([1.0, -1.0, 0.0], [won, lost, equal])
    expected = statistics.sign_test(d, alternative=alternative)
    assert statistics.bounded_test(d, alternative=alternative) == pytest.approx(expected, rel=1e-8)
    small = statistics.bounded_test(d / 100, alternative=alternative, reach=0.01)
    assert small == pytest.approx(expected, rel=1e-8)


def test_the_bounded_test_finds_what_the_bound_excludes() -> None:
    d = np.random.default_rng(4).beta(1, 2, 40) - 0.2
    p = statistics.bounded_test(d, alternative="greater")
    assert 0.001 < p < 0.05
    assert statistics.gaffke_bound(-d, most=1, confidence=1 - p) == pytest.approx(0, abs=1e-7)
    assert statistics.bounded_test(d) == pytest.approx(2 * p)
    assert statistics.bounded_test(-d, alternative="less") == pytest.approx(p)
    users = np.arange(40) // 2
    by_user = statistics.bounded_test(d, alternative="greater", clusters=users)
    bound = statistics.gaffke_bound(-d, most=1, confidence=1 - by_user, clusters=users)
    assert bound == pytest.approx(0, abs=1e-7)
    assert by_user.evidence.n == 20


def test_the_bounded_test_holds_its_level_where_one_query_in_five_gains() -> None:
    rng = np.random.default_rng(5)
    found = {"t": 0, "bounded": 0}
    for _ in range(200):
        gains = (rng.random(25) < 0.2) * rng.beta(1, 4, 25)
        d = gains - 0.04 + rng.normal(0, 0.01, 25)
        found["t"] += statistics.paired_t_test(d) <= 0.05
        found["bounded"] += statistics.bounded_test(d) <= 0.05
    assert found["t"] > 20
    assert found["bounded"] <= 10


def test_differences_that_there_cannot_be_are_refused() -> None:
    with pytest.raises(DataError, match=r"1 of 2 differences are beyond reach=1, up to 1\.5"):
        statistics.bounded_test([0.5, -1.5])
    with pytest.raises(ChoiceError, match="reach=0 is not a number above 0"):
        statistics.bounded_test([0.5], reach=0)
    assert math.isnan(statistics.bounded_test([math.nan]))
