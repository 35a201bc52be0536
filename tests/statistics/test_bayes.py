"""Posteriors of a mean difference."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from rankmark import statistics
from rankmark.errors import ChoiceError
from rankmark.statistics import bootstrap_posterior, crossed, posterior, student_posterior, t_interval


def test_the_posterior_of_two_and_three_values_by_hand() -> None:
    # One degree of freedom: Cauchy around 2 with scale 1, P(μ < x) = 1/2 + atan(x − 2)/π.
    found = student_posterior([1, 3], 1.0)
    assert found.below == pytest.approx(0.5 + math.atan(-3) / math.pi)
    assert found.above == pytest.approx(0.5 - math.atan(-1) / math.pi)
    assert found.below + found.within + found.above == pytest.approx(1)
    # Two: P(t < x) = 1/2 + x / (2√(2 + x²)); the standard error of 1, 2, 3 is 1/√3.
    t = (0.5 - 2) * math.sqrt(3)
    assert student_posterior([1, 2, 3], 0.5).above == pytest.approx(0.5 - t / (2 * math.sqrt(2 + t**2)))
    assert student_posterior([1, 2, 3], 0.5)[2:4] == pytest.approx(t_interval([1, 2, 3]))


def test_folds_that_share_training_data_are_correlated() -> None:
    # baycomp's documentation prints .41451 and .58549 for two classifiers by ten folds, and with a region of
    # ±.5 .285845, .269152 and .445003. Two of them say that the mean is .3049, and with which standard error.
    left, right = 0.4145119975061462, 0.44500348657406508
    at_0, at_half = stats.t.ppf(left, 9), stats.t.ppf(1 - right, 9)
    error = 0.5 / (at_half - at_0)
    folds = stats.zscore(np.arange(10.0), ddof=1) * error / math.sqrt(1 / 10 + 1 / 9) + 0.3049
    found = student_posterior(folds, 0.5, correlation=0.1)
    assert found[4:] == pytest.approx((0.28584464173791002, 0.2691518716880249, right), abs=1e-9)
    assert student_posterior(folds, 0, correlation=0.1).below == pytest.approx(left, abs=1e-9)


def test_without_a_region_there_are_two_sides() -> None:
    d = np.random.default_rng(0).normal(0.1, 1, 40)
    found = student_posterior(d, 0)
    assert found.within == pytest.approx(0, abs=1e-12)
    assert found.below == pytest.approx(stats.ttest_1samp(d, 0, alternative="greater").pvalue)


def test_systems_that_never_differ_are_equivalent_and_others_without_spread_unknown() -> None:
    assert student_posterior(np.zeros(5), 0.01)[4:] == (0, 1, 0)
    assert all(math.isnan(each) for each in student_posterior(np.full(5, 0.1), 0.01)[4:])


def test_the_posterior_over_seeds_is_the_confidence_distribution() -> None:
    rng = np.random.default_rng(1)
    difference = crossed(rng.normal(0.52, 0.1, (30, 3)), rng.normal(0.5, 0.1, (30, 3)))
    found = posterior(difference, 0.01)
    assert (found.low, found.high) == difference.interval()
    assert found.below == difference.p("greater", null=-0.01)
    median = optimize.brentq(lambda x: difference.p("greater", null=x) - 0.5, -1, 1)
    assert median == pytest.approx(difference.estimate)


def test_the_bayesian_bootstrap_of_0_and_1_is_beta() -> None:
    # Weights of 6 ones among 20 add up to Beta(6, 14).
    own = [1.0] * 6 + [0.0] * 14
    found = bootstrap_posterior(own, 0.25, resamples=40_000)
    exact = stats.beta(6, 14)
    assert found.above == pytest.approx(exact.sf(0.25), abs=0.01)
    assert (found.low, found.high) == pytest.approx(exact.ppf([0.025, 0.975]), abs=0.01)
    assert found == bootstrap_posterior([*own, math.nan], 0.25, resamples=40_000)


def test_clusters_have_weights_as_wholes() -> None:
    own, labels = [1.0, 0, 0, 0, 0, 1], list("aabbcc")
    found = bootstrap_posterior(own, 0.2, clusters=labels, resamples=20_000)
    # (w_a + w_c)/2 of three weights: Beta(2, 1)/2.
    assert found.above == pytest.approx(stats.beta(2, 1).sf(0.4), abs=0.015)
    assert bootstrap_posterior([1.0, 1], 0.1, clusters=["a", "a"]).mean == 1
    assert math.isnan(bootstrap_posterior([1.0, 1], 0.1, clusters=["a", "a"]).above)


@pytest.mark.parametrize("function", [student_posterior, bootstrap_posterior])
@pytest.mark.parametrize("rope", [-0.1, math.nan, math.inf, "wide"])
def test_what_is_no_region_is_refused(function: Any, rope: Any) -> None:
    with pytest.raises(ChoiceError, match="is not a number from 0"):
        function([1, 2, 3], rope)


def test_what_is_no_correlation_is_refused() -> None:
    with pytest.raises(ChoiceError, match="correlation=1 is not a number from 0 and below 1"):
        student_posterior([1, 2, 3], 0.1, correlation=1)


def test_the_bayesian_signed_rank_test_of_equal_gains_goes_by_the_weight_of_its_prior() -> None:
    # All pairs are above 0 but that of the prior's 0 with itself, of which the weight is Beta(s, n).
    found = statistics.signed_rank_posterior(np.ones(3), 0.0, resamples=40_000)
    expected = stats.beta.cdf(np.sqrt(0.5), 0.5, 3)
    assert found.above == pytest.approx(expected, abs=0.004)
    assert found.within == pytest.approx(1 - expected, abs=0.004)
    assert found.below == 0
    inside = statistics.signed_rank_posterior(np.ones(3), 1.0)
    assert (inside.below, inside.within, inside.above) == (0, 1, 0)


def test_the_bayesian_signed_rank_test_counts_the_pairs() -> None:
    d = np.array([0.3, -0.1, 0.05, 0.2, -0.02, math.nan])
    found = statistics.signed_rank_posterior(d, 0.04, resamples=2_000, seed=1)
    z = np.append(d[:-1], 0.0)
    w = np.random.default_rng(2).dirichlet([1, 1, 1, 1, 1, 0.5], 2_000)
    sums = z[:, None] + z
    shares = [np.einsum("ri,rj,ij->r", w, w, each) for each in (sums < -0.08, abs(sums) <= 0.08, sums > 0.08)]
    expected = np.bincount(np.argmax(shares, axis=0), minlength=3) / 2_000
    assert (found.below, found.within, found.above) == pytest.approx(tuple(expected), abs=0.04)
    mirrored = statistics.signed_rank_posterior(-d, 0.04, resamples=2_000, seed=1)
    assert mirrored.below == pytest.approx(found.above, abs=0.04)
    assert math.isnan(statistics.signed_rank_posterior([math.nan], 0.1).within)
    with pytest.raises(ChoiceError, match="prior=0 is not a number above 0"):
        statistics.signed_rank_posterior(d, 0.1, prior=0)
