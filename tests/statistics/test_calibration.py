"""Tests and intervals of calibration: by hand, by a slow twin, by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import rankmark as rm
from rankmark import statistics
from rankmark.errors import DataError


def scored(rows: int, seed: int = 0, power: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores, which are the rows' probabilities to some power."""
    random = np.random.default_rng(seed)
    p = random.random(rows)
    return random.random(rows) < p, p**power


def test_spiegelhalter_by_hand() -> None:
    # (.2)(−.6) + (−.3)(.4) = −.24; .36·.16 + .16·.21 = .0912.
    found = statistics.spiegelhalter_test([1, 0], [0.8, 0.3])
    assert found.statistic == pytest.approx(-0.24 / math.sqrt(0.0912))
    assert found.p == pytest.approx(2 * stats.norm.sf(0.24 / math.sqrt(0.0912)))
    doubled = statistics.spiegelhalter_test([1, 0], [0.8, 0.3], weights=[2, 2])
    assert doubled == pytest.approx(found)
    assert all(map(math.isnan, statistics.spiegelhalter_test([1, 0], [0.5, 1])))


def test_spiegelhalter_finds_scores_that_are_too_extreme() -> None:
    labels, scores = scored(2_000)
    assert statistics.spiegelhalter_test(labels, scores).p > 0.05
    odds = (scores / (1 - scores)) ** 2
    assert statistics.spiegelhalter_test(labels, odds / (1 + odds)).p < 1e-6


@pytest.mark.parametrize("weighted", [False, True])
def test_gaps_are_those_of_ece(weighted: bool) -> None:
    labels, scores = scored(300)
    scores = np.round(scores, 2)
    weights = 1.0 + np.arange(300) % 3 if weighted else np.ones(300)
    table = {"label": labels, "score": scores, "weight": weights}
    value = rm.evaluate_predictions(table, "ECE")["ECE"]
    assert statistics.binned_gaps(labels, scores, weights=weights).error == pytest.approx(value, rel=1e-12)


def test_what_calibrated_scores_would_have_is_drawn_row_by_row() -> None:
    labels, scores = scored(60)
    gaps = statistics.binned_gaps(labels, scores, bins=4)
    random = np.random.default_rng(1)
    drawn = [statistics.binned_gaps(random.random(60) < scores, scores, bins=4).error for _ in range(1_000)]
    found = gaps.calibrated(draws=5_000)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), abs=0.015)
    assert found.p == pytest.approx(np.mean(np.array(drawn) >= gaps.error), abs=0.05)


def test_the_interval_of_ece_holds_that_of_calibrated_scores() -> None:
    # The bootstrap's lay above 0 in all cases; of 1,000 this is 98%, and 5 of 100 have p ≤ .05.
    held, found = 0, 0
    for seed in range(100):
        gaps = statistics.binned_gaps(*scored(200, seed))
        held += gaps.interval(draws=500).low == 0
        found += gaps.calibrated(draws=500).p <= 0.05
    assert held >= 94
    assert found <= 12


def test_the_interval_of_ece_holds_that_of_scores_that_are_not() -> None:
    # Scores p² of rows of probability p are too small by ∫(p − p²) = 1/6, in all bins.
    held = 0
    for seed in range(50):
        gaps = statistics.binned_gaps(*scored(400, seed, power=2))
        low, high = gaps.interval(draws=500)
        held += low <= 1 / 6 <= high
        assert gaps.calibrated(draws=500).p < 0.01
    assert held >= 47


def test_rows_of_users_are_alike() -> None:
    labels, scores = (np.repeat(each, 5) for each in scored(80))
    users = np.repeat(np.arange(80), 5)
    alone = statistics.binned_gaps(labels, scores)
    together = statistics.binned_gaps(labels, scores, clusters=users)
    assert together.error == alone.error
    assert together.interval().high - together.error > 1.8 * (alone.interval().high - alone.error)
    assert together.calibrated().p > 0.05 > alone.calibrated().p


def test_results_tell_what_calibrated_scores_would_have() -> None:
    labels, scores = scored(500)
    table = {"label": labels, "score": scores}
    result = rm.evaluate_predictions(table, ["ECE", "ACE(bins=5)", "MCE", "RMSCE"], intervals=True)
    found = result.intervals["ECE"]
    gaps = statistics.binned_gaps(labels, scores)
    assert (found.low, found.high) == pytest.approx(gaps.interval())
    assert (found.calibrated_low, found.calibrated_high, found.calibrated_p) == pytest.approx(
        gaps.calibrated()
    )
    assert found.low <= result["ECE"] <= found.high
    assert "the spread of their bins' gaps (conservative)" in " ".join(str(result).split())
    assert result.intervals["ACE(bins=5)"].calibrated_p is not None
    for measure in ("MCE", "RMSCE"):
        assert result.intervals[measure].method == "none"
        assert math.isnan(result.intervals[measure].low)
    told = " ".join(result.account()[-1].split())
    assert f"ECE of calibrated scores would be {found.calibrated_low:.4f} … " in told
    assert "none of MCE, RMSCE: chance adds to it" in told


@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        ([1, 2], [0.5, 0.5], "each 0 or 1"),
        ([1, 0], [0.5, 1.5], "each from 0 to 1"),
        ([1, 0], [0.5], "scores are one a row, of 2"),
    ],
)
def test_what_is_no_calibration_is_refused(labels: list[int], scores: list[float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        statistics.spiegelhalter_test(labels, scores)
    with pytest.raises(DataError, match=message):
        statistics.binned_gaps(labels, scores)
