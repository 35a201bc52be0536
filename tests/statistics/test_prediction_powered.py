"""Means of which few values are known and all are predicted, by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy import stats

from rankmark import statistics
from rankmark.errors import ChoiceError, DataError
from rankmark.statistics import prediction_powered_mean, prediction_powered_strata

Floats = np.ndarray
RNG = np.random.default_rng(7)
VALUES = RNG.random(12)
PREDICTED = 0.7 * VALUES + 0.1 + 0.2 * RNG.random(12)
OTHERS = 0.2 + 0.6 * RNG.random(40)


def by_hand(y: Floats, f: Floats, others: Floats) -> tuple[float, float]:
    """θ with one λ of a shrunken slope, and this, from the formula."""
    fit = stats.linregress(f, y)
    squared = (fit.slope / fit.stderr) ** 2
    power = squared / (1 + squared) * max(fit.slope, 0) * len(others) / (len(y) + len(others))
    return float(y.mean() + power * (others.mean() - f.mean())), float(power)


def test_the_slope_counts_the_less_the_less_sure_it_is() -> None:
    found = prediction_powered_mean(VALUES, PREDICTED, OTHERS)
    # Each row has the slope of the others; λ·m/(n + m) without one keeps the factor of all.
    powers = np.array(
        [
            by_hand(np.delete(VALUES, one), np.delete(PREDICTED, one), OTHERS)[1] * (40 / 52) / (40 / 51)
            for one in range(12)
        ]
    )
    value = VALUES.mean() + np.mean(powers * (OTHERS.mean() - PREDICTED))
    assert (found.value, found.power) == pytest.approx((value, powers.mean()), rel=1e-12)
    assert (
        0 < found.power < len(OTHERS) / (len(VALUES) + len(OTHERS)) * stats.linregress(PREDICTED, VALUES)[0]
    )
    assert (found.labelled, found.unlabelled) == (12, 40)


def test_the_error_is_the_jackknifes_and_that_of_the_other_predictions() -> None:
    found = prediction_powered_mean(VALUES, PREDICTED, OTHERS)
    value, power = by_hand(VALUES, PREDICTED, OTHERS)
    # λ·m/(n + m) without one value: the factor stays that of all.
    most, least = 40 / 52, 40 / 51
    without = []
    for one in range(12):
        y, f = np.delete(VALUES, one), np.delete(PREDICTED, one)
        own = by_hand(y, f, OTHERS)[1] * most / least
        without.append(y.mean() + own * (OTHERS.mean() - f.mean()))
    moves = 11 / 12 * (value - np.array(without))
    variance = 12 / 11 * np.sum(moves**2) + power**2 * np.concatenate([PREDICTED, OTHERS]).var(ddof=1) / 40
    assert found.error == pytest.approx(math.sqrt(variance), rel=1e-10)


def test_without_predictions_it_is_the_mean_with_students_interval_made_longer_by_skewness() -> None:
    symmetric = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    found = prediction_powered_mean(symmetric, symmetric, [], power=0)
    low, high = statistics.t_interval(symmetric)
    # Values without skewness, but with shorter tails than normal ones.
    excess, z, t = float(stats.kurtosis(symmetric)) * (8 / 9) ** 2 / 9, 1.959964, stats.t.ppf(0.975, 8)
    longer = (t - z * 1.5 * excess * (z**2 - 3) / 18) / t
    assert found.value == pytest.approx(0.5)
    assert (found.high - found.low) == pytest.approx((high - low) * longer, rel=1e-6)
    skewed = np.array([0.0] * 8 + [0.9])
    found = prediction_powered_mean(skewed, skewed, [])
    low, high = statistics.t_interval(skewed)
    assert (found.high - found.low) == pytest.approx(1.15 * (high - low))  # as much as it may be
    assert found.freedom == 8


def test_predictions_that_say_nothing_do_not_count() -> None:
    alone = prediction_powered_mean(VALUES, np.full(12, 0.4), np.full(40, 0.4))
    assert alone.power == 0
    assert alone.value == pytest.approx(VALUES.mean())
    against = prediction_powered_mean(VALUES, 1 - VALUES, OTHERS)
    assert against.power == 0, "a judge that is against people is not turned round"
    assert (against.low, against.high) == pytest.approx((alone.low, alone.high))


def test_perfect_predictions_leave_the_error_of_all_rows_alone() -> None:
    found = prediction_powered_mean(VALUES, VALUES, OTHERS)
    everywhere = np.concatenate([VALUES, OTHERS])
    assert found.value == pytest.approx(everywhere.mean())
    parts = VALUES.var(ddof=1) * 12, everywhere.var(ddof=1) * 40  # together 52·s² / 52², if these were alike
    assert found.error == pytest.approx(math.sqrt(sum(parts)) / 52)
    exact = prediction_powered_mean(VALUES, VALUES, OTHERS, finite=True)
    assert (exact.value, exact.error) == pytest.approx((everywhere.mean(), 0), abs=1e-12)


def test_of_a_finite_population_the_known_part_of_it_errs_no_more() -> None:
    found = prediction_powered_mean(VALUES, PREDICTED, OTHERS, power=0, finite=True)
    assert found.error == pytest.approx(VALUES.std(ddof=1) / math.sqrt(12) * math.sqrt(40 / 52))
    assert prediction_powered_mean(VALUES, PREDICTED, [], finite=True).error == 0


def test_it_is_never_more_than_2_per_cent_wider_than_without_predictions() -> None:
    ratios = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y, f, others = rng.random(12) ** 3, rng.random(12), rng.random(50)
        with_them, alone = (prediction_powered_mean(y, f, others, power=power) for power in (None, 0))
        ratios.append((with_them.high - with_them.low) / (alone.high - alone.low))
    assert max(ratios) <= 1.02 + 1e-12
    assert np.mean(ratios) < 1.01


def test_strata_are_weighed_by_their_rows_and_each_has_its_own_power() -> None:
    first, second = (VALUES, PREDICTED, OTHERS), (VALUES[:6] / 2, PREDICTED[::-1][:6], OTHERS[:10])
    parts = [prediction_powered_mean(*each) for each in (first, second)]
    found = prediction_powered_strata([first, second])
    shares = 52 / 68, 16 / 68
    assert found.value == pytest.approx(sum(w * part.value for w, part in zip(shares, parts, strict=True)))
    other = prediction_powered_strata([first, second], shares=[0.25, 0.75], power=0)
    assert other.value == pytest.approx(0.25 * VALUES.mean() + 0.75 * VALUES[:6].mean() / 2)
    squared = (0.25 * stats.sem(VALUES)) ** 2 + (0.75 * stats.sem(VALUES[:6] / 2)) ** 2
    assert other.error == pytest.approx(math.sqrt(squared))
    assert prediction_powered_strata([first]) == prediction_powered_mean(*first)


def test_p_is_below_a_level_just_where_the_interval_of_it_does_not_hold_0() -> None:
    for shift in np.linspace(-0.6, 0.6, 41):
        found = prediction_powered_mean(VALUES - VALUES.mean() + shift, PREDICTED, OTHERS)
        assert (found.p < 0.05) == (not found.low <= 0 <= found.high)
    assert prediction_powered_mean([0.0, 0.0], [0.0, 0.0], [0.0]).p == 1


@pytest.mark.parametrize(("rate", "known", "others"), [(0.15, 30, 200), (0.1, 50, 500), (0.9, 30, 200)])
def test_of_rare_or_common_hits_it_has_the_expectation_of_the_values(
    rate: float, known: int, others: int
) -> None:
    """Over all samples there can be, of a judge that is always right."""
    rows, unlabelled = np.arange(known), np.arange(others) < rate * others
    chances = stats.binom.pmf(np.arange(known + 1), known, rate)
    found = [prediction_powered_mean(rows < count, rows < count, unlabelled) for count in range(known + 1)]
    assert chances @ [each.value for each in found] == pytest.approx(rate, abs=1e-12)


def test_so_it_has_of_a_judge_who_errs() -> None:
    """Over all samples of seven rows, each hit or not and found or not."""
    kinds, chances = [(1, 1), (1, 0), (0, 1), (0, 0)], [0.2, 0.1, 0.15, 0.55]
    expected = 0.0
    for counts in product(range(8), repeat=4):
        if sum(counts) == 7:
            rows = np.repeat(kinds, counts, axis=0)
            value = prediction_powered_mean(*rows.T, [1] * 7 + [0] * 13).value
            expected += stats.multinomial.pmf(counts, 7, chances) * value
    assert expected == pytest.approx(0.3, abs=1e-12)


def test_of_few_hits_the_interval_is_wilsons_and_holds_the_estimate() -> None:
    hits = np.array([1.0] * 3 + [0.0] * 27)
    found = prediction_powered_mean(hits, hits, [0, 1, 0, 0])
    # All rows are worth 4/34, and so are the known ones with a λ of 4/34.
    assert (found.value, found.power, found.caution) == (pytest.approx(4 / 34), pytest.approx(4 / 34), "few")
    assert found.interval == pytest.approx(tuple(statistics.wilson_interval(hits)))
    far = prediction_powered_mean(hits, hits, np.ones(300))
    assert far.high == far.value > statistics.wilson_interval(hits).high
    exact = prediction_powered_mean(hits, hits, np.zeros(90), finite=True)
    less = (np.array(statistics.wilson_interval(hits)) - 0.1) * math.sqrt(90 / 120) + 0.1
    assert exact.interval == pytest.approx((min(less[0], exact.value), less[1]))
    assert prediction_powered_mean(hits, hits, [], finite=True).interval == pytest.approx((0.1, 0.1))
    never = prediction_powered_mean(np.zeros(30), np.zeros(30), [0, 1, 0, 0])
    assert never.high == pytest.approx(statistics.wilson_interval(np.zeros(30)).high)
    often = prediction_powered_mean(np.tile([0.0, 1.0], 15), np.tile([0.0, 1.0], 15), [0, 1, 0, 0])
    assert often.power > 0
    rng = np.random.default_rng(0)
    held = []
    for _ in range(400):
        y = (rng.random(230) < 0.05).astype(float)
        f = np.where(rng.random(230) < 0.95, y, 1 - y)
        low, high = prediction_powered_mean(y[:30], f[:30], f[30:]).interval
        held.append(low <= 0.05 <= high)
    assert np.mean(held) > 0.92  # .7 by the spread of the values


def test_too_few_values_have_no_interval() -> None:
    one = prediction_powered_mean([0.5], [0.4], [0.3, 0.2])
    assert one.value == 0.5
    assert math.isnan(one.low)
    assert math.isnan(one.p)
    assert math.isnan(prediction_powered_mean([], [], [0.3, 0.2]).value)
    assert prediction_powered_mean([0.5, math.nan, 0.7], [0.4, 0.1, math.nan], [0.3]).labelled == 1
    assert prediction_powered_mean([0.1, 0.4, 0.2], [0.4, 0.6, 0.5], [0.3]).caution == "small"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: prediction_powered_mean([1, 2], [1], [1]), r"2 known values and 1 predictions"),
        (lambda: prediction_powered_mean([1], [1], [1], tuning="ppi"), r"tuning='ppi'.*shrunken, plug-in"),  # type: ignore[arg-type]
        (lambda: prediction_powered_mean([1], [1], [1], power=math.nan), r"power=nan is not a finite"),
        (lambda: prediction_powered_mean([1], [1], [1], power="x"), r"power='x' is not a finite"),  # type: ignore[arg-type]
        (lambda: prediction_powered_mean([1], [1], [1], power=True), r"power=True is not a finite"),
        (lambda: prediction_powered_mean([1, 2], [1, 2], [1], tuning="plug-in", finite=True), r"finite"),
        (lambda: prediction_powered_mean([1, 2], [1, 2], [], tuning="plug-in"), r"others that are not"),
        (lambda: prediction_powered_strata([]), r"no strata"),
        (lambda: prediction_powered_strata([([1], [1], [1])]), r"stratum 1 has fewer than 2"),
        (lambda: prediction_powered_strata([([1, 2], [1, 2], [1])], shares=[2]), r"1 together"),
    ],
)
def test_what_cannot_be_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises((DataError, ChoiceError), match=message):
        call()


def test_numbers_of_any_size_are_estimated_alike() -> None:
    small, great = (prediction_powered_mean(VALUES * s, PREDICTED * s, OTHERS * s) for s in (1e-150, 1e100))
    assert small.value * 1e150 == pytest.approx(great.value * 1e-100)
    assert small.error * 1e150 == pytest.approx(great.error * 1e-100)


def test_shares_of_rows_are_off_those_of_rows_such_as_these() -> None:
    """Of a judge that is always right the interval is that of all rows, whatever the strata."""
    rows = np.random.default_rng(3).random(900)
    strata = [(own[:20], own[:20], own[20:]) for own in np.split(np.sort(rows), 3)]
    low, high = statistics.t_interval(rows)
    found = prediction_powered_strata(strata, power=1)
    assert found.high - found.low == pytest.approx(high - low, rel=0.02)
    known = prediction_powered_strata(strata, power=1, shares=[1 / 3] * 3)
    assert known.high - known.low < 0.5 * (high - low)
