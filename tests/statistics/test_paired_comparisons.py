"""Strengths of systems by comparisons of two: Bradley and Terry's model, ties, sides and penalties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from rankmark.errors import DataError, RankmarkError, UsageError
from rankmark.statistics import bradley_terry, infinite_strengths
from rankmark.statistics.paired_comparisons import Compared

Comparisons = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


def drawn(seed: int, *, ties: float = 0.0, count: int = 600) -> Comparisons:
    """Comparisons of four systems, of which the first side is worth 0.4."""
    draw = np.random.default_rng(seed)
    strengths = np.array([1.0, 0.3, -0.3, -1.0])
    first = draw.integers(0, 4, count)
    second = (first + draw.integers(1, 4, count)) % 4
    won = (draw.random(count) < 1 / (1 + np.exp(strengths[second] - strengths[first] - 0.4))).astype(float)
    won[draw.random(count) < ties] = 0.5
    return first, second, won


def test_two_systems_by_hand() -> None:
    # 3 of 4 wins: log 3 between them, variance 1 / (4 · 3/4 · 1/4) of it, a quarter of that of each.
    found = bradley_terry([0, 0, 0, 1], [1, 1, 1, 0], [1, 1, 1, 1])
    assert found.strengths == pytest.approx([math.log(3) / 2, -math.log(3) / 2])
    assert found.covariance[0, 0] == pytest.approx(1 / 3)
    assert found.log_likelihood == pytest.approx(3 * math.log(0.75) + math.log(0.25))


def test_davidson_by_hand() -> None:
    # Of two systems all three chances are free: 5, 4 and 1 of 10. ν = P(tie) / √(P(i) P(j)).
    outcome = [1] * 5 + [0.5] * 4 + [0]
    found = bradley_terry([0] * 10, [1] * 10, outcome, ties="davidson")
    assert found.strengths[0] - found.strengths[1] == pytest.approx(math.log(5))
    assert math.exp(found.tie) == pytest.approx(4 / math.sqrt(5))
    assert found.probabilities()[0, 1] == pytest.approx(0.5)
    assert found.probabilities()[1, 0] == pytest.approx(0.1)


def test_firth_of_wins_alone_by_hand() -> None:
    # Jeffreys' prior of one chance adds half a win to each side.
    found = bradley_terry([0] * 3, [1] * 3, [1] * 3, penalty="firth")
    assert found.strengths[0] - found.strengths[1] == pytest.approx(math.log(3.5 / 0.5))


def test_it_is_logistic_regression() -> None:
    api = pytest.importorskip("statsmodels.api")
    first, second, won = drawn(1)
    rows = np.arange(len(won))
    design = np.zeros((len(won), 5))
    design[rows, first] += 1
    design[rows, second] -= 1
    design[:, 4] = 1
    theirs = api.Logit(won, design[:, [0, 1, 2, 4]]).fit(disp=0)
    strengths = np.append(theirs.params[:3], 0)
    ours = bradley_terry(first, second, won, side=True)
    assert ours.strengths == pytest.approx(strengths - strengths.mean(), abs=1e-9)
    assert ours.side == pytest.approx(theirs.params[3], abs=1e-9)
    assert ours.log_likelihood == pytest.approx(theirs.llf, abs=1e-9)
    contrast = np.array([1, 0, 0, -1, 0, 0])
    assert contrast @ ours.covariance @ contrast == pytest.approx(theirs.cov_params()[0, 0], rel=1e-6)
    clusters = rows % 60
    robust = api.Logit(won, design[:, [0, 1, 2, 4]]).fit(
        disp=0, cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    own = bradley_terry(first, second, won, side=True, clusters=clusters).covariance
    assert contrast @ own @ contrast == pytest.approx(robust.cov_params()[0, 0] * 60 / 59, rel=1e-6)


def test_it_is_what_choix_estimates() -> None:
    choix = pytest.importorskip("choix")
    first, second, won = drawn(2)
    pairs = [(int(a), int(b)) if w else (int(b), int(a)) for a, b, w in zip(first, second, won, strict=True)]
    assert bradley_terry(first, second, won).strengths == pytest.approx(
        choix.opt_pairwise(4, pairs, alpha=0.0, tol=1e-12), abs=1e-5
    )


@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_the_slope_is_0_and_the_information_its_own_slope(ties: str) -> None:
    first, second, won = drawn(3, ties=0.2)
    compared = Compared.of(first, second, won, ties=ties, side=True, penalty="none")  # type: ignore[arg-type]
    at = compared.fitted()
    own = compared.basis.T @ compared.information(at) @ compared.basis
    step = 1e-4
    for place, one in enumerate(compared.basis.T):
        for other, another in enumerate(compared.basis.T):
            four = [
                compared.likelihood(at + a * step * one + b * step * another)
                for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))
            ]
            curvature = (four[0] - four[1] - four[2] + four[3]) / (4 * step**2)
            assert -curvature == pytest.approx(own[place, other], rel=1e-3, abs=1e-2)
        ends = [compared.likelihood(at + sign * step * one) for sign in (1, -1)]
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(0, abs=1e-3)


def test_the_penalized_likelihood_is_greatest() -> None:
    compared = Compared.of(*drawn(4, count=40), ties="half", side=True, penalty="firth")
    at = compared.fitted()
    for one in compared.basis.T:
        ends = [compared.likelihood(at + sign * 1e-4 * one) for sign in (1, -1)]
        assert (ends[0] - ends[1]) / 2e-4 == pytest.approx(0, abs=1e-5)


def test_a_profile_ends_where_the_likelihood_is_lower_by_half_a_quantile() -> None:
    # Of two systems the profile is the likelihood itself.
    compared = Compared.of([0] * 10, [1] * 10, [1] * 7 + [0] * 3, ties="half", side=False, penalty="none")
    at = compared.fitted()
    low, high = compared.profile(at, np.array([1.0, -1, 0, 0]), 0.95)

    def likelihood(value: float) -> float:
        return 7 * value - 10 * math.log1p(math.exp(value))

    for end in (low, high):
        assert likelihood(math.log(7 / 3)) - likelihood(end) == pytest.approx(3.8414588 / 2)
    assert low < math.log(7 / 3) < high


def test_what_is_compared_and_what_is_beyond() -> None:
    assert infinite_strengths([0, 2], [1, 3], [1, 0.5]) == ([[0, 1], [2, 3]], [[0], [2, 3], [1]])
    assert infinite_strengths([0, 1, 2], [1, 2, 0], [1, 1, 1])[1] == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("first", "second", "outcome", "message"),
    [
        ([0, 0], [1, 1], [1, 1], "never lost to the others: their strengths are infinite"),
        ([0, 2], [1, 3], [0.5, 0.5], "2 groups of systems that were never compared"),
        ([0], [0], [1], "comparison 0 is of a system with itself"),
        ([0], [1], [2], "outcomes are 1"),
        ([], [], [], "are no comparisons"),
    ],
)
def test_what_has_no_strengths_is_refused(
    first: list[int], second: list[int], outcome: list[float], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        bradley_terry(first, second, outcome)


def test_a_side_that_always_wins_is_infinite() -> None:
    # Each beats the other, but always from the first side.
    with pytest.raises(DataError, match="no greatest value at finite strengths"):
        bradley_terry([0, 1], [1, 0], [1, 1], side=True)
    # As many parameters as cells: half a win more to either side of each.
    assert bradley_terry([0, 1], [1, 0], [1, 1], side=True, penalty="firth").side == pytest.approx(
        math.log(3)
    )


def test_words_and_clusters_are_checked() -> None:
    with pytest.raises(UsageError, match="ties='half'"):
        bradley_terry([0, 1], [1, 0], [1, 1], ties="davidson", penalty="firth")
    with pytest.raises(RankmarkError, match="ties"):
        bradley_terry([0, 1], [1, 0], [1, 1], ties="all")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="one cluster"):
        bradley_terry([0, 1], [1, 0], [1, 1], clusters=[0, 0])
