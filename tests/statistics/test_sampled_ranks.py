"""Ranks among all items, of those among a sample: by hand on few items, and by simulation."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import rankmark as rm
from rankmark import statistics
from rankmark.statistics.sampled_ranks import _cells, _chances


def chance(others: int, drawn: int, above: int, seen: int) -> Fraction:
    return Fraction(comb(above, seen) * comb(others - above, drawn - seen), comb(others, drawn))


def all_chances(others: int, drawn: int) -> Any:
    return np.array(
        [[float(chance(others, drawn, above, r)) for above in range(others + 1)] for r in range(drawn + 1)]
    )


@pytest.mark.parametrize(("others", "drawn"), [(1, 1), (5, 2), (5, 5), (12, 4), (60, 59)])
def test_ranks_among_a_sample_are_hypergeometric(others: int, drawn: int) -> None:
    found = _chances(others, drawn, *_cells(others))
    assert found == pytest.approx(all_chances(others, drawn), abs=1e-12)


def test_cells_hold_every_rank_once() -> None:
    for others in (1, 99, 100, 101, 20_000, 10**6):
        first, size = _cells(others)
        assert first[0] == 0
        assert size.sum() == others + 1
        assert (first[1:] == first[:-1] + size[:-1]).all()


@pytest.mark.parametrize("gamma", [0.01, 0.1, 1.0])
def test_bias_and_variance_are_as_small_as_they_can_be(gamma: float) -> None:
    chances, wanted = all_chances(8, 3), np.array([1.0, 1, 0.5, 0, 0, 0, 0, 0, 0])

    def loss(gains: Any) -> float:
        mean = gains @ chances
        return float(((mean - wanted) ** 2 + gamma * (gains**2 @ chances - mean**2)).sum())

    found = statistics.corrected_gains(wanted, 3, gamma=gamma)
    assert found == pytest.approx(minimize(loss, np.zeros(4), tol=1e-12).x, abs=1e-4)
    if gamma == 1:  # the mean of f by r, all ranks alike
        assert found == pytest.approx((chances @ wanted) / chances.sum(axis=1))


def test_constrained_gains_descend_and_have_the_least_bias_of_those() -> None:
    chances, wanted = all_chances(9, 4), (np.arange(10) < 2).astype(float)
    found = statistics.corrected_gains(wanted, 4, method="cls")
    assert (np.diff(found) <= 1e-12).all()
    assert found[-1] >= 0
    loss = ((found @ chances - wanted) ** 2).sum()
    for _ in range(300):
        other = found + np.random.default_rng(_).normal(0, 0.05, 5)
        other = np.sort(np.maximum(other, 0))[::-1]
        assert ((other @ chances - wanted) ** 2).sum() >= loss - 1e-9


def test_a_sample_of_all_is_exact() -> None:
    gains = [1, 0.5, 0.25, 0]
    for method in ("bv", "cls"):
        how: Any = {"method": method}
        assert statistics.corrected_gains(gains, 3, **how).tolist() == gains
    found = statistics.rank_distribution([1, 2, 0, 1], 3)
    assert found.share.tolist() == [0.25, 0.5, 0, 0.25]
    assert found.mean(gains) == 0.5


def test_maximal_entropy_is_the_least_of_its_loss() -> None:
    chances, counts, eta = all_chances(6, 2), np.array([0.6, 0.3, 0.1]), 0.01

    def loss(logs: Any) -> float:
        shares = np.exp(logs) / np.exp(logs).sum()
        return float(((counts - chances @ shares) ** 2).sum() + eta * (shares * np.log(shares)).sum())

    found = statistics.rank_distribution(counts, 6, eta=eta)
    best = np.exp(minimize(loss, np.zeros(7), tol=1e-13).x)
    assert found.share == pytest.approx(best / best.sum(), abs=1e-4)


def test_slopes_are_those_of_the_mean() -> None:
    gains, counts, step = np.arange(31.0)[::-1], np.array([0.5, 0.2, 0.2, 0.1]), 1e-6
    found = statistics.rank_distribution(counts, 30)
    slopes = found.slopes(gains, 3, 1e-3)
    for one in range(1, 4):
        moved = counts.copy()
        moved[0] -= step
        moved[one] += step
        change = statistics.rank_distribution(moved, 30).mean(gains) - found.mean(gains)
        assert change / step == pytest.approx(slopes[one] - slopes[0], rel=1e-3)


def test_the_likelihood_rises_with_each_step() -> None:
    counts, chances = np.array([50.0, 30, 15, 5]), all_chances(20, 3)
    shares = statistics.rank_distribution(counts, 20, method="mle").share
    alike = np.full(21, 1 / 21)
    assert counts @ np.log(chances @ shares) > counts @ np.log(chances @ alike)
    assert chances @ shares == pytest.approx(counts / 100, abs=0.02)


def test_what_is_possible_by_hand() -> None:
    """One of M others is drawn: the mean of R is M·c₁, and the top has any share that this mean lets it."""
    found = statistics.sampled_range([7_500_000, 2_500_000], [1, 0, 0, 0, 0])
    assert found.low == pytest.approx(0.0, abs=1e-3)
    assert found.high == pytest.approx(0.75, abs=1e-3)


def test_what_is_possible_holds_the_truth() -> None:
    rng = np.random.default_rng(0)
    gains = (np.arange(1_001) < 10).astype(float)
    for power in (1, 2, 4):
        ranks = np.floor(1_001 * rng.random(2_000) ** power).astype(int)
        seen = rng.hypergeometric(ranks, 1_000 - ranks, 50)
        found = statistics.sampled_range(np.bincount(seen, minlength=51), gains)
        assert found.low <= (ranks < 10).mean() <= found.high


def test_what_is_possible_is_known_of_items_that_stand_last() -> None:
    """Half of the items are the best of all, half the worst, which no rank in the middle looks like."""
    ranks = np.repeat([0, 19_999], 1_000)
    seen = np.random.default_rng(0).hypergeometric(ranks, 19_999 - ranks, 299)
    found = statistics.sampled_range(np.bincount(seen, minlength=300), np.arange(20_000) < 10)
    assert 0 < found.low <= 0.5 <= found.high < 0.6
    nothing_fits = statistics.sampled_range([0, 1e9, 0], [1, 0, 0, 0])
    assert nothing_fits == (0.0, 1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: statistics.corrected_gains([1, 0], 2),
            "sampled=2 is not a whole number from 1 to the 1 others",
        ),
        (lambda: statistics.corrected_gains([1, 0], 1, gamma=0), "gamma=0 is not a number above 0"),
        (lambda: statistics.rank_distribution([0, 0], 5), "counts of ranks are 0 or more"),
        (lambda: statistics.rank_distribution([1, 0, 1], 1), "2 drawn of 1 others"),
        (lambda: statistics.rank_distribution([1, 1], 5, eta=-1), "eta=-1 is not a number above 0"),
    ],
)
def test_what_is_refused(call: Any, message: str) -> None:
    with pytest.raises(rm.RankmarkError, match=message):
        call()
