"""Intervals, tests, corrections, effects and power, against SciPy, statsmodels, and published p-values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmark import statistics
from rankmark.errors import ChoiceError, DataError
from rankmark.statistics import (
    CORRECTIONS,
    INTERVALS,
    TESTS,
    bca_interval,
    bootstrap_interval,
    bootstrap_means,
    bootstrap_shift_test,
    cliffs_delta,
    cohens_d,
    corrected,
    detectable_difference,
    equivalence,
    non_inferiority,
    paired_t_test,
    percentile_interval,
    power_of,
    probability_of_superiority,
    queries_needed,
    randomisation_test,
    randomised_tukey,
    sign_test,
    signflips,
    t_interval,
    two_way_anova,
    wilcoxon_test,
)
from rankmark.statistics.chance import Evidence
from rankmark.statistics.corrections import CorrectionName
from rankmark.statistics.intervals import IntervalName, left_out_means, linearised_error
from rankmark.statistics.signflips import upper_tail
from rankmark.statistics.significance import TestName, level_of_skewed

stats = pytest.importorskip("scipy.stats")

ALTERNATIVES = ["two-sided", "greater", "less"]


def values(queries: int = 60, columns: int | None = None, seed: int = 1) -> np.ndarray:
    """Skewed values between 0 and 1, as measures have."""
    rng = np.random.default_rng(seed)
    return rng.beta(0.8, 2.0, queries if columns is None else (queries, columns))


def differences(queries: int = 60, shift: float = 0.03, seed: int = 2) -> np.ndarray:
    return np.random.default_rng(seed).normal(shift, 0.1, queries)


# --- Resamples --------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_numbers_whatever_the_threads() -> None:
    table = values(3_000, 3)
    one, three = (bootstrap_means(table, resamples=500, seed=7, threads=n) for n in (1, 3))
    assert (one == three).all()
    assert (bootstrap_means(table, resamples=500, seed=8) != one).any()
    p = [randomisation_test(differences(3_000), seed=7, threads=n) for n in (1, 3)]
    assert p[0] == p[1]
    tukey = [randomised_tukey(table, resamples=500, seed=7, threads=n) for n in (1, 3)]
    assert (tukey[0] == tukey[1]).all()


def test_the_first_resamples_of_many_are_those_of_few_and_columns_share_them() -> None:
    table = values(50, 3)
    many = bootstrap_means(table, resamples=300, seed=1)
    assert (bootstrap_means(table, resamples=20, seed=1) == many[:20]).all()
    assert (bootstrap_means(table[:, 1], resamples=300, seed=1) == many[:, 1]).all()
    whole = bootstrap_means(table.sum(axis=1), resamples=300, seed=1)
    assert many.sum(axis=1) == pytest.approx(whole, rel=1e-12)


def test_resampled_means_have_the_mean_and_the_variance_of_theory() -> None:
    x = values(200)
    means = bootstrap_means(x, resamples=40_000)
    error = x.std() / math.sqrt(len(x))
    assert means.mean() == pytest.approx(x.mean(), abs=4 * error / 200)
    assert means.std() == pytest.approx(error, rel=0.02)
    third = ((means - x.mean()) ** 3).mean() / error**3
    assert third == pytest.approx(stats.skew(x) / math.sqrt(len(x)), abs=0.05)


def test_what_is_nan_is_not_drawn() -> None:
    x = values(40)
    holed = np.insert(x, [0, 7, 40], np.nan)
    assert (bootstrap_means(holed, seed=3) == bootstrap_means(x, seed=3)).all()
    both = bootstrap_means(np.column_stack([holed, np.arange(43.0)]), seed=3)
    assert (both[:, 0] == bootstrap_means(x, seed=3)).all()
    assert (both[:, 1] == bootstrap_means(np.arange(43.0), seed=3)).all()
    assert np.isnan(bootstrap_means([math.nan, math.nan], resamples=4)).all()


def test_clusters_are_drawn_whole() -> None:
    x, users = np.array([1.0, 1.0, 1.0, 4.0]), ["a", "a", "a", "b"]
    means = bootstrap_means(x, clusters=users, resamples=2_000)
    assert set(means) == {1.0, 7 / 4, 4.0}
    assert np.mean(means == 7 / 4) == pytest.approx(0.5, abs=0.05)
    alone = bootstrap_means(x, clusters=list("dcab"), resamples=50)
    assert set(np.round(alone * 4)) <= set(np.round(bootstrap_means(x, resamples=5_000) * 4))


@pytest.mark.parametrize("wrong", [{"resamples": 0}, {"resamples": 2.5}, {"seed": -1}, {"threads": 0}])
def test_wrong_numbers_are_refused(wrong: Any) -> None:
    with pytest.raises(ChoiceError, match="is not a whole number"):
        bootstrap_means(values(5), **wrong)


def test_infinite_values_and_wrong_shapes_are_refused() -> None:
    with pytest.raises(DataError, match="1 of the values are infinite"):
        bootstrap_means([1.0, math.inf])
    with pytest.raises(DataError, match="3 dimensions"):
        bootstrap_means(np.zeros((2, 2, 2)))
    with pytest.raises(DataError, match="2 clusters for 3 values"):
        t_interval([1.0, 2.0, 3.0], clusters=["a", "b"])


# --- Intervals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ours", "theirs"), [("bca", "BCa"), ("percentile", "percentile")])
def test_intervals_are_scipys_from_the_same_resamples(ours: Any, theirs: Any) -> None:
    x = values(45)
    found = stats.bootstrap((x,), np.mean, n_resamples=4_000, method=theirs, rng=5)
    drawn = found.bootstrap_distribution
    if ours == "bca":
        interval = bca_interval(drawn, x.mean(), left_out_means(x))
    else:
        interval = percentile_interval(drawn)
    assert interval == pytest.approx(found.confidence_interval, rel=1e-12)


@pytest.mark.parametrize(("ours", "theirs"), [("bca", "BCa"), ("percentile", "percentile")])
def test_intervals_are_scipys_in_distribution(ours: Any, theirs: Any) -> None:
    x = values(45)
    found = stats.bootstrap((x,), np.mean, n_resamples=40_000, method=theirs, rng=5)
    interval = bootstrap_interval(x, method=ours, resamples=40_000)
    assert interval == pytest.approx(found.confidence_interval, abs=0.05 * x.std() / math.sqrt(len(x)))


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_the_t_interval_is_scipys(confidence: Any) -> None:
    d = differences()
    expected = stats.ttest_1samp(d, 0).confidence_interval(confidence)
    assert t_interval(d, confidence=confidence) == pytest.approx(expected, rel=1e-12)
    assert t_interval([*d, math.nan], confidence=confidence) == pytest.approx(expected, rel=1e-12)


def test_clusters_of_one_row_change_no_interval_and_no_test() -> None:
    d, alone = differences(), np.arange(60)
    assert t_interval(d, clusters=alone) == pytest.approx(t_interval(d), rel=1e-12)
    assert bootstrap_interval(d, clusters=alone) == pytest.approx(bootstrap_interval(d), rel=1e-12)
    assert paired_t_test(d, clusters=alone) == pytest.approx(paired_t_test(d), rel=1e-12)
    assert randomisation_test(d, clusters=alone) == randomisation_test(d)
    assert bootstrap_shift_test(d, clusters=alone) == bootstrap_shift_test(d)


def test_clusters_of_equal_rows_are_as_wide_as_if_each_were_one_row() -> None:
    d, users = differences(20), np.repeat(np.arange(20), 5)
    for interval in (t_interval, bootstrap_interval):
        assert interval(np.repeat(d, 5), clusters=users) == pytest.approx(interval(d), rel=1e-9)
    for test in (paired_t_test, randomisation_test, bootstrap_shift_test):
        assert test(np.repeat(d, 5), clusters=users) == pytest.approx(test(d), rel=1e-9)


def test_the_error_of_a_ratio_is_that_of_cluster_robust_regression() -> None:
    sm = pytest.importorskip("statsmodels.api")
    d, users = differences(200), np.random.default_rng(3).integers(0, 30, 200)
    fitted = sm.OLS(d, np.ones(200)).fit(
        cov_type="cluster", cov_kwds={"groups": users, "use_correction": False}, use_t=True
    )
    groups = len(np.unique(users))
    found = linearised_error(d, users)
    assert found.error == pytest.approx(fitted.bse[0] * math.sqrt(groups / (groups - 1)), rel=1e-9)
    assert (found.freedom, found.units) == (groups - 1, groups)


def test_too_few_values_have_no_interval() -> None:
    assert all(map(math.isnan, t_interval([0.5])))
    assert all(map(math.isnan, bootstrap_interval([0.5])))
    assert bootstrap_interval([0.1, 0.1, 0.1]) == pytest.approx((0.1, 0.1))


def test_a_share_is_between_0_and_1() -> None:
    with pytest.raises(ChoiceError, match=r"confidence=95 is not a number above 0 and below 1"):
        t_interval(differences(), confidence=95)


# --- Tests ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_t_test_is_scipys(alternative: Any) -> None:
    x, y = values(seed=1), values(seed=2)
    expected = stats.ttest_rel(x, y, alternative=alternative).pvalue
    assert paired_t_test(x - y, alternative=alternative) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("queries", [6, 17, 50])
def test_the_exact_wilcoxon_test_is_scipys(alternative: Any, queries: Any) -> None:
    d = differences(queries)
    expected = stats.wilcoxon(d, method="exact", alternative=alternative).pvalue
    assert wilcoxon_test(d, alternative=alternative) == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
def test_the_exact_wilcoxon_test_counts_all_signs_of_tied_ranks_as_scipy_does(
    alternative: Any, zeros: Any
) -> None:
    d = np.array([1, -2, 2, 0, 3, 3, 3, -1, 4, 0, 2.0])
    expected = stats.wilcoxon(
        d, zero_method=zeros, method=stats.PermutationMethod(n_resamples=np.inf), alternative=alternative
    ).pvalue
    assert wilcoxon_test(d, zeros=zeros, alternative=alternative) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
@pytest.mark.parametrize("continuity", [True, False])
def test_the_normal_wilcoxon_test_is_scipys(alternative: Any, zeros: Any, continuity: Any) -> None:
    d = np.round(differences(80), 2)
    assert 0 in d
    expected = stats.wilcoxon(
        d, zero_method=zeros, correction=continuity, method="asymptotic", alternative=alternative
    ).pvalue
    found = wilcoxon_test(d, zeros=zeros, method="normal", continuity=continuity, alternative=alternative)
    assert found == pytest.approx(expected, rel=1e-6)


def test_differences_that_only_rounding_tells_apart_share_a_rank() -> None:
    assert 0.3 - 0.2 != 0.2 - 0.1
    noisy = np.array([0.3 - 0.2, 0.2 - 0.1, -(0.5 - 0.4), 0.3, 0.1 + 0.2 - 0.3, 0.7])
    clean = np.array([0.1, 0.1, -0.1, 0.3, 0.0, 0.7])
    assert wilcoxon_test(noisy) == wilcoxon_test(clean)
    assert sign_test(noisy) == sign_test(clean)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_sign_test_is_binomial(alternative: Any) -> None:
    d = np.array([0.1] * 9 + [-0.2] * 3 + [0.0] * 4 + [math.nan])
    expected = stats.binomtest(9, 12, alternative=alternative).pvalue
    assert sign_test(d, alternative=alternative) == pytest.approx(expected, rel=1e-12)
    assert sign_test(d, tie=0.1, alternative=alternative) == stats.binomtest(0, 3, 0.5, alternative).pvalue


def all_signs(d: np.ndarray, alternative: str) -> float:
    """The randomisation test by its definition."""
    sums = [float(np.dot(signs, d)) for signs in itertools.product((-1, 1), repeat=len(d))]
    observed, near = d.sum(), 1e-12
    extreme = {
        "two-sided": lambda t: abs(t) >= abs(observed) - near,
        "greater": lambda t: t >= observed - near,
        "less": lambda t: t <= observed + near,
    }[alternative]
    return sum(map(extreme, sums)) / len(sums)


@given(
    st.lists(
        st.one_of(st.integers(-10, 10).map(lambda n: n / 10), st.floats(-1, 1).map(lambda x: round(x, 6))),
        min_size=1,
        max_size=9,
    ),
    st.sampled_from(ALTERNATIVES),
)
def test_the_randomisation_test_of_few_is_that_of_all_signs(d: Any, alternative: Any) -> None:
    found = randomisation_test(d, alternative=alternative)
    assert found == pytest.approx(all_signs(np.array(d), alternative), rel=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_randomisation_test_is_scipys(alternative: Any) -> None:
    d = differences(12, shift=0.05)
    expected = stats.permutation_test(
        (d, np.zeros(12)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
        alternative=alternative,
    ).pvalue
    assert randomisation_test(d, alternative=alternative) == pytest.approx(expected, rel=1e-9)


def test_halves_counting_and_drawing_agree() -> None:
    d = np.round(differences(30), 2)
    magnitudes = np.abs(d[d != 0])
    least = float(d.sum()) - 1e-9
    halved = signflips._enumerated(magnitudes, least)
    unit = signflips._common_unit(magnitudes)
    assert unit is not None
    (stepped,) = signflips._counted([signflips._count(magnitudes, unit, least)], None)
    assert upper_tail(d, float(d.sum())) == halved == pytest.approx(stepped, rel=1e-9)
    drawn = randomisation_test(d, alternative="greater", method="monte-carlo", resamples=200_000)
    assert drawn == pytest.approx(halved, abs=4 * math.sqrt(halved / 200_000))


def test_many_small_whole_numbers_are_counted() -> None:
    d = np.random.default_rng(0).integers(-4, 6, 700) / 10
    exact = randomisation_test(d, method="exact")
    assert randomisation_test(d) == exact
    drawn = randomisation_test(d, method="monte-carlo", resamples=100_000)
    assert drawn == pytest.approx(exact, abs=5 * math.sqrt(exact / 100_000) + 1e-5)


def test_what_cannot_be_counted_is_drawn() -> None:
    d = differences(200)
    with pytest.raises(ChoiceError, match="takes too long for 200 differences"):
        randomisation_test(d, method="exact")
    assert randomisation_test(d) == randomisation_test(d, method="monte-carlo")
    certain = np.full(200, math.pi) + d / 1e3
    assert randomisation_test(certain, method="monte-carlo") == 1 / 10_001  # (b + 1) / (m + 1), never 0


def test_columns_are_tested_each_with_the_same_signs() -> None:
    table = np.column_stack([differences(100), differences(100, seed=5), np.full(100, math.nan)])
    found = randomisation_test(table, each=True)
    assert found.tolist() == [randomisation_test(table[:, 0]), randomisation_test(table[:, 1]), 1.0]


def test_drawn_tests_agree_with_the_t_test_of_many_queries() -> None:
    d = differences(5_000, shift=0.003)
    for alternative in ALTERNATIVES:
        expected = paired_t_test(d, alternative=alternative)
        for test in (randomisation_test, bootstrap_shift_test):
            assert test(d, alternative=alternative) == pytest.approx(expected, abs=0.015)


def test_without_any_difference_nothing_is_significant() -> None:
    nothing = np.zeros(50)
    assert randomisation_test(nothing) == wilcoxon_test(nothing) == sign_test(nothing) == 1.0
    assert bootstrap_shift_test(nothing) == 1.0
    assert paired_t_test(nothing) == 1.0


@pytest.fixture(scope="module")
def published(data_file: Callable[[str], str]) -> Any:
    """Average precision of run126 less that of run125 on the 50 topics of TREC-8 ad hoc."""
    table = np.genfromtxt(data_file("urbano_sigir2019/data/adhoc8_ap.csv"), delimiter=",", names=True)
    return table["run126"] - table["run125"]


# J. Urbano, H. Lima and A. Hanjalic, SIGIR 2019, the README beside the data: one-sided and two-sided.
@pytest.mark.parametrize(
    ("test", "one_sided", "two_sided"),
    [
        (paired_t_test, 0.0006596986, 0.0013193972),
        (
            lambda d, alternative: wilcoxon_test(d, method="normal", digits=None, alternative=alternative),
            0.001722594,
            0.003445188,
        ),
        (lambda d, alternative: sign_test(d, tie=0.01, alternative=alternative), 0.004779939, 0.009559879),
    ],
    ids=["t", "wilcoxon", "sign"],
)
def test_published_p_values(published: Any, test: Any, one_sided: Any, two_sided: Any) -> None:
    assert test(published, alternative="greater") == pytest.approx(one_sided, abs=5e-10)
    assert test(published, alternative="two-sided") == pytest.approx(two_sided, abs=5e-10)


def test_published_p_values_of_a_million_random_signs(published: Any) -> None:
    assert randomisation_test(published, alternative="greater", method="exact") == pytest.approx(
        0.000603, abs=1e-4
    )
    assert randomisation_test(published, method="exact") == pytest.approx(0.001188, abs=1e-4)
    drawn = randomisation_test(published, method="monte-carlo", resamples=1_000_000)
    assert drawn == pytest.approx(0.001188, abs=1e-4)


def test_published_p_values_of_a_million_shifted_resamples(published: Any) -> None:
    one_sided = bootstrap_shift_test(published, alternative="greater", resamples=1_000_000)
    assert one_sided == pytest.approx(0.000424, abs=1e-4)
    assert bootstrap_shift_test(published, resamples=1_000_000) == pytest.approx(0.000586, abs=1e-4)


def test_unknown_choices_say_what_comes_near() -> None:
    with pytest.raises(ChoiceError, match=r"alternative='grater' is not one of .*; did you mean 'greater'"):
        paired_t_test(differences(), alternative="grater")
    with pytest.raises(ChoiceError, match="zeros='drop' is not one of wilcox, pratt"):
        wilcoxon_test(differences(), zeros="drop")


# --- Several tests ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("holm", "holm"),
        ("hochberg", "simes-hochberg"),
        ("benjamini-hochberg", "fdr_bh"),
        ("bonferroni", "bonferroni"),
        ("sidak", "sidak"),
    ],
)
def test_corrections_are_those_of_statsmodels(ours: Any, theirs: Any) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = np.array([0.04, 1e-5, 0.03, 0.03, 0.2, 0.9, 0.011, 0.99])
    expected = multitest.multipletests(p, method=theirs)[1]
    assert corrected(p, ours) == pytest.approx(expected, rel=1e-12)
    holed = np.insert(p, 3, math.nan).reshape(3, 3)
    found = corrected(holed, ours)
    assert found.shape == (3, 3)
    assert math.isnan(found[1, 0])
    assert found[~np.isnan(found)] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("method", CORRECTIONS)
def test_one_test_needs_no_correction(method: Any) -> None:
    assert corrected([0.03], method) == pytest.approx([0.03])
    assert corrected([], method).size == 0
    assert corrected([1.0, 1.0], method).tolist() == [1.0, 1.0]


def test_tukey_of_two_systems_is_the_randomisation_test() -> None:
    table = values(40, 2)
    p = randomised_tukey(table, resamples=100_000)[0, 1]
    exact = randomisation_test(np.round(table[:, 0] - table[:, 1], 4), method="exact")
    assert p == pytest.approx(exact, abs=0.006)


def test_tukey_is_scipys_where_queries_do_not_differ() -> None:
    # Without an effect of queries the paired test and the usual one, of independent samples, ask the same.
    table = np.random.default_rng(4).normal(0, 1, (300, 4)) + np.array([0, 0.05, 0.22, 0.25])
    expected = stats.tukey_hsd(*table.T).pvalue
    found = randomised_tukey(table, resamples=20_000)
    assert found == pytest.approx(expected, abs=0.02)
    assert (found == found.T).all()
    assert (found.diagonal() == 1).all()
    holed = np.vstack([table, [math.nan, 0, 0, 0]])
    assert (randomised_tukey(holed, resamples=20_000) == found).all()


def test_variance_by_system_and_query_is_that_of_statsmodels() -> None:
    frames = pytest.importorskip("pandas")
    formula = pytest.importorskip("statsmodels.formula.api")
    sm = pytest.importorskip("statsmodels.api")
    table = values(12, 3) + np.arange(12)[:, None] / 20
    rows = [(table[q, s], f"q{q}", f"s{s}") for q in range(12) for s in range(3)]
    frame = frames.DataFrame(rows, columns=["value", "query", "system"])
    expected = sm.stats.anova_lm(formula.ols("value ~ system + query", frame).fit())
    found = two_way_anova(np.vstack([table, [math.nan, 1, 1]]))
    assert found.levels == {"query": 12, "system": 3}
    for name in ("system", "query"):
        assert list(found[name][:5]) == pytest.approx(
            expected.loc[name, ["sum_sq", "df", "mean_sq", "F", "PR(>F)"]].tolist(), rel=1e-9
        )
    assert list(found["residual"][:3]) == pytest.approx(
        expected.loc["Residual", ["sum_sq", "df", "mean_sq"]].tolist(), rel=1e-9
    )
    squares = found["system"].squares
    assert found["system"].eta_squared == pytest.approx(squares / (squares + found["residual"].squares))


def test_variance_of_one_system_is_refused() -> None:
    with pytest.raises(DataError, match=r"two or more levels of each factor \(query: 5, system: 1\)"):
        two_way_anova(values(5))


# --- Effects, equivalence, power --------------------------------------------------------------------------


def test_effect_sizes_by_hand() -> None:
    assert cohens_d([1.0, 2.0, 3.0, math.nan]) == 2.0
    # x > y in 5 of the 9 pairs, x < y in 3, equal in 1.
    assert cliffs_delta([1, 4, 6], [0, 4, 5]) == pytest.approx((5 - 3) / 9)
    assert probability_of_superiority([0.3, 0.2, 0.0, -0.1]) == 0.625
    assert math.isnan(cohens_d([1.0, 1.0]))
    assert math.isnan(cliffs_delta([], [1.0]))


def test_cliffs_delta_is_that_of_the_mann_whitney_statistic() -> None:
    x, y = np.round(values(30, seed=1), 1), np.round(values(40, seed=2), 1)
    u = stats.mannwhitneyu(x, y).statistic
    assert cliffs_delta(x, y) == pytest.approx(2 * u / 1200 - 1, rel=1e-12)


def test_equivalence_is_two_one_sided_t_tests() -> None:
    d = differences(80, shift=0.005)
    found = equivalence(d, 0.03)
    above = stats.ttest_1samp(d, -0.03, alternative="greater").pvalue
    below = stats.ttest_1samp(d, 0.03, alternative="less").pvalue
    assert (found.p_above, found.p_below) == pytest.approx((above, below), rel=1e-12)
    assert found.p == max(above, below)
    assert non_inferiority(d, 0.03) == pytest.approx(above, rel=1e-12)
    weightstats = pytest.importorskip("statsmodels.stats.weightstats")
    assert found.p == pytest.approx(weightstats.DescrStatsW(d).ttost_mean(-0.03, 0.03)[0], rel=1e-9)
    assert (found.p < 0.05) == (found.interval.low > -0.03 and found.interval.high < 0.03)


@pytest.mark.parametrize("margin", [0, -0.1, math.nan, "5%"])
def test_a_margin_is_above_0(margin: Any) -> None:
    with pytest.raises(ChoiceError, match="is not a number above 0"):
        equivalence(differences(), margin)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_power_is_that_of_statsmodels(alternative: Any) -> None:
    power = pytest.importorskip("statsmodels.stats.power").TTestPower()
    theirs = {"two-sided": "two-sided", "greater": "larger"}[alternative]
    for queries, effect in ((5, 0.8), (50, 0.3), (2_000, 0.05)):
        expected = power.power(effect, queries, 0.05, alternative=theirs)
        found = power_of(effect * 0.2, 0.2, queries, alternative=alternative)
        assert found == pytest.approx(expected, rel=1e-6)
        least = power.solve_power(nobs=queries, alpha=0.05, power=0.8, alternative=theirs)
        found = detectable_difference(0.2, queries, alternative=alternative)
        assert found == pytest.approx(0.2 * least, rel=1e-4)  # to their solver's tolerance
        needed = power.solve_power(effect_size=effect, alpha=0.05, power=0.8, alternative=theirs)
        assert queries_needed(effect * 0.2, 0.2, alternative=alternative) == math.ceil(needed)


def test_topic_set_sizes_are_those_of_pwr() -> None:
    # The examples of R's pwr: pwr.anova.test(k = 4, f = .28, sig.level = .05, power = .80) has n = 35.75789,
    # pwr.t.test(d = 0.5, power = .80, type = "paired") n = 33.36713. f² = D² / (2mσ²) of m systems.
    between = 0.28 * math.sqrt(2 * 4)
    assert statistics.queries_for_anova(between, 1, 4) == 36
    assert statistics.anova_power(between, 1, 35, 4) < 0.8 < statistics.anova_power(between, 1, 36, 4)
    assert statistics.detectable_range(2, 36, 4) == pytest.approx(2 * between, rel=4e-3)
    assert statistics.anova_power(0, 1, 20, 3) == 0.05
    assert queries_needed(0.5, 1) == 34


def test_the_width_of_an_interval_is_that_expected_of_students() -> None:
    # E(s)/σ of ten values is 0.9727, the c4 of control charts; t of 97.5% and 9 degrees of freedom 2.2622.
    expected = 2 * 2.2622 * 0.9727 * 0.3 / math.sqrt(10)
    assert statistics.expected_width(0.3, 10) == pytest.approx(expected, rel=1e-4)
    least = statistics.queries_for_width(0.05, 0.3)
    assert statistics.expected_width(0.3, least) <= 0.05 < statistics.expected_width(0.3, least - 1)
    with pytest.raises(ChoiceError, match="width=0"):
        statistics.queries_for_width(0, 0.3)


def test_what_can_be_detected_is_detected_with_the_power_asked_for() -> None:
    least = detectable_difference(0.3, 40, power=0.9)
    assert power_of(least, 0.3, 40) == pytest.approx(0.9, abs=1e-9)
    assert queries_needed(least * 1.0001, 0.3, power=0.9) == 40
    with pytest.raises(ChoiceError, match="no number of queries shows it"):
        queries_needed(0.0, 0.3)


def test_differences_too_small_for_any_collection_need_more_queries_than_there_are() -> None:
    # Normal: n = ((z(0.975) + z(0.8)) · deviation / difference)².
    expected = ((1.959964 + 0.841621) * 0.1 / 1e-9) ** 2
    assert queries_needed(1e-9, 0.1) == pytest.approx(expected, rel=1e-5)
    below, above = (power_of(0.001, 0.1, queries) for queries in (100_000, 100_001))
    assert above == pytest.approx(below, abs=1e-4)


NAMED = [
    (TESTS, TestName),
    (CORRECTIONS, CorrectionName),
    (INTERVALS, IntervalName),
]


@pytest.mark.parametrize(("table", "names"), NAMED)
def test_the_type_of_the_names_has_those_of_the_table(table: Any, names: Any) -> None:
    missing = [name for name in table if name not in get_args(names)]
    assert not missing, f"add {missing} to the Literal at the top of {table[missing[0]].function.__module__}"
    assert tuple(table) == get_args(names)


@pytest.mark.parametrize("record", [*TESTS.values(), *CORRECTIONS.values(), *INTERVALS.values()])
def test_a_record_says_what_it_is_and_what_it_assumes(record: Any) -> None:
    assert record.summary.endswith(".")
    assert record.title
    assert record.assumes
    assert not record.assumes.endswith(".")


def test_there_are_six_tests() -> None:
    assert tuple(TESTS) == ("randomisation", "t", "wilcoxon", "sign", "bootstrap", "bounded")
    assert [name for name, test in TESTS.items() if test.draws] == ["randomisation", "bootstrap"]
    assert [name for name, test in TESTS.items() if not test.knows_clusters] == ["wilcoxon", "sign"]


def test_only_bootstrap_intervals_are_bootstrapped() -> None:
    with pytest.raises(ChoiceError, match="method='t' is not one of studentised, bca, percentile"):
        bootstrap_interval([1.0, 2.0], method="t")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1e-300, 1e-170, 1e-13, 1e140, 1e154, 1e300])
def test_nothing_depends_on_the_unit_of_the_values(unit: float) -> None:
    for own in (
        np.random.default_rng(0).normal(0.3, 1, 30),
        np.random.default_rng(1).exponential(1, 30) - 0.7,
    ):
        uneven = np.arange(30) % 12
        both = np.column_stack([uneven, np.arange(30) % 10])
        for p in (paired_t_test, sign_test, statistics.wilcoxon_test, statistics.cohens_d):
            assert p(own * unit) == pytest.approx(p(own), rel=1e-9)
        for clusters in (None, uneven, both):
            expected = np.array(statistics.t_interval(own, clusters=clusters))
            assert np.array(statistics.t_interval(own * unit, clusters=clusters)) / unit == pytest.approx(
                expected
            )
        for method in ("bca", "studentised"):
            expected = np.array(statistics.bootstrap_interval(own, method=method, resamples=200))
            found = statistics.bootstrap_interval(own * unit, method=method, resamples=200)
            assert np.array(found) / unit == pytest.approx(expected)
        assert statistics.probability_of_superiority(own * unit) == np.mean(own > 0)


def test_how_often_tests_of_the_mean_find_skewed_differences_is_known_about() -> None:
    # Exponential differences less their mean have the skewness 2; t finds 7% of 50 of them at 5%.
    rng = np.random.default_rng(0)
    drawn = rng.exponential(1.0, (2_000, 50)) - 1
    found = np.mean([paired_t_test(d) <= 0.05 for d in drawn])
    known = Evidence("t", 50, skewness=2.0)
    level = level_of_skewed(known, 0.05)
    assert level == pytest.approx(0.0698, abs=1e-3)
    assert level == pytest.approx(found, abs=0.015)
    # One-sided they are found on the side of the short tail alone.
    below, above = (
        np.mean([paired_t_test(d, alternative=way) <= 0.05 for d in drawn]) for way in ("less", "greater")
    )
    assert level_of_skewed(known, 0.05, "less") == pytest.approx(below, abs=0.02)
    assert level_of_skewed(known, 0.05, "greater") is None
    assert above < 0.05
    for test in (paired_t_test, randomisation_test, bootstrap_shift_test):
        evidence = test(drawn[0]).evidence
        assert evidence.skewness == pytest.approx(stats.skew(drawn[0]))
    # Not of enough, of too few to tell, and of tests of ranks.
    assert level_of_skewed(Evidence("t", 101, skewness=2.0), 0.05) is None
    assert level_of_skewed(Evidence("t", 9, skewness=2.0), 0.05) is None
    assert level_of_skewed(wilcoxon_test(drawn[0]).evidence, 0.05) is None


def test_power_is_that_of_the_documentation_of_pwr() -> None:
    # S. Champely, R package pwr, and its translation Pwr.jl: power of d = .3 with 100 pairs, pairs for 80%,
    # and power of a one-way analysis of two groups of 100 with f = .2, so that their means are 2f apart.
    assert statistics.power_of(0.3, 1.0, 100) == pytest.approx(0.8439471027376636, rel=1e-9)
    assert statistics.queries_needed(0.3, 1.0) == 90
    assert statistics.anova_power(0.4, 1.0, 100, 2) == pytest.approx(0.8036475048589252, rel=1e-9)
