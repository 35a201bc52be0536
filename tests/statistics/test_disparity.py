"""How far groups are apart at most, and how unequal values are, by hand and by how often intervals hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankmark import statistics
from rankmark.errors import ChoiceError, DataError


def test_gini_is_that_of_all_pairs() -> None:
    assert statistics.gini([1, 2, 3, 4]) == pytest.approx(0.25)  # (3·1 + 2·2 + 1·3) · 2 / (2 · 16 · 2.5)
    assert statistics.gini([5, 5, 5]) == pytest.approx(0)
    assert statistics.gini([0, 0, 0, 8]) == pytest.approx(0.75)
    assert statistics.gini([1.0, np.nan, 3.0]) == pytest.approx(0.25)
    values = np.random.default_rng(0).exponential(size=200)
    pairs = np.abs(values[:, None] - values).sum() / (2 * 200**2 * values.mean())
    assert statistics.gini(values) == pytest.approx(pairs, rel=1e-12)


def test_the_share_of_the_lowest_counts_the_value_at_the_border_in_part() -> None:
    values = [4.0, 1.0, 2.0, 3.0]
    assert statistics.low_share(values, 0.5) == pytest.approx(0.3)  # (1 + 2) / 10
    assert statistics.low_share(values, 0.25) == pytest.approx(0.1)
    assert statistics.low_share(values, 0.1) == pytest.approx(0.04)  # 0.4 of the lowest
    assert statistics.low_share(values, 0.4) == pytest.approx(0.22)  # 1 + 0.6 · 2
    assert statistics.low_share([2, 2, 2], 0.1) == pytest.approx(0.1)


def test_shares_of_nothing_are_no_numbers() -> None:
    for values in ([], [0.0, 0.0]):
        assert math.isnan(statistics.gini(values))
        assert math.isnan(statistics.low_share(values))
        assert math.isnan(statistics.gini_interval(values).low)
    with pytest.raises(DataError, match=r"1 of 2 values are negative"):
        statistics.gini([-1, 2])
    with pytest.raises(ChoiceError, match=r"part=1"):
        statistics.low_share([1, 2], 1)


def test_intervals_of_shares_are_of_the_jackknife_to_first_order() -> None:
    values = np.random.default_rng(1).beta(2, 3, 400)
    for share, interval in (
        (statistics.gini, statistics.gini_interval),
        (statistics.low_share, statistics.low_share_interval),
    ):
        without = np.array([share(np.delete(values, place)) for place in range(len(values))])  # type: ignore[operator]
        error = math.sqrt((len(values) - 1) * without.var())
        made = interval(values)  # type: ignore[operator]
        assert (made.high - made.low) / 2 == pytest.approx(1.966 * error, rel=0.05)


def test_the_worst_and_the_best_group_are_those_of_the_lowest_and_the_highest_mean() -> None:
    groups = [[0.2, 0.4, 0.6], [0.1, 0.2, 0.3], [0.7, 0.8, 0.9, np.nan]]
    found = statistics.group_disparity(groups)
    assert (found.lowest, found.highest) == (1, 2)
    assert found.difference == pytest.approx(0.6)
    assert found.ratio == pytest.approx(0.25)
    assert found.low <= found.difference <= found.high
    assert found.ratio_low <= found.ratio <= found.ratio_high <= 1


def test_the_interval_of_two_groups_is_that_of_their_difference() -> None:
    rng = np.random.default_rng(2)
    one, other = rng.normal(5, 1, 80), rng.normal(3, 1, 120)
    found = statistics.group_disparity([one, other], resamples=20_000)
    welch = statistics.welch(one, other)
    assert found.low == pytest.approx(welch.low, rel=0.02)
    assert found.high == pytest.approx(welch.high, rel=0.02)
    assert found.p <= 1e-4


def test_groups_that_are_alike_may_be_alike() -> None:
    rng = np.random.default_rng(3)
    draws = [statistics.group_disparity(rng.beta(2, 4, (5, 40)), resamples=500, seed=n) for n in range(200)]
    assert np.mean([each.low == 0 and each.ratio_high == 1 for each in draws]) >= 0.92
    assert np.mean([each.p <= 0.05 for each in draws]) <= 0.08
    # Chance alone makes some group the worst, by as much as is said.
    assert np.mean([each.difference for each in draws]) == pytest.approx(
        np.mean([each.by_chance for each in draws]), rel=0.1
    )


def test_groups_without_a_spread_or_above_zero_have_no_bounds_that_nobody_knows() -> None:
    found = statistics.group_disparity([[0.0] * 5, [0.0] * 5])
    assert (found.difference, found.low) == (0, 0)
    assert math.isnan(found.ratio)
    found = statistics.group_disparity([[0.0] * 5, [0.0, 1.0, 1.0, 0.0, 1.0]])
    assert found.ratio == 0
    assert math.isnan(found.ratio_low)
    assert math.isnan(statistics.group_disparity([[-1.0, -2.0, 0.0], [1.0, 2.0, 3.0]]).ratio)


def test_the_same_seed_gives_the_same_and_groups_do_not_move_together() -> None:
    skewed = np.r_[np.zeros(15), np.ones(1)]
    one = statistics.group_disparity([skewed, skewed, skewed], seed=7)
    assert one == statistics.group_disparity([skewed, skewed, skewed], seed=7)
    assert one.high > 0  # of resamples that are alike all differences would be 0


@pytest.mark.parametrize("groups", [[], [[1, 2, 3]], [[1, 2, 3], [1, 2]], [[1, 2, 3], [np.nan] * 4]])
def test_groups_too_few_or_too_small_are_refused(groups: list[list[float]]) -> None:
    with pytest.raises(DataError, match="two groups or more are compared, of 3 values or more each"):
        statistics.group_disparity(groups)
