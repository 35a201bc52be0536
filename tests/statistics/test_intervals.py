"""Which interval values have, and what speaks against it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rankmark as rm
from rankmark.errors import ChoiceError, DataError
from rankmark.statistics import (
    auto_interval,
    bootstrap_interval,
    bootstrap_shift_test,
    exact_interval,
    paired_t_test,
    randomisation_test,
    studentised_interval,
    studentised_ratios,
    t_interval,
    tango_interval,
    wilson_interval,
)
from rankmark.statistics.intervals import (
    _nearly_alike,
    left_out_means,
    linearised_error,
    made_interval,
    skewness,
    standard_error,
)
from rankmark.statistics.jackknife import jackknife_interval

SKEWED = np.array([0.0] * 20 + [0.1, 0.2, 0.3, 0.5, 0.5, 0.7, 0.9, 1.0, 1.0, 1.0])
USERS = np.arange(30) // 3


@pytest.mark.parametrize(
    ("ones", "of", "wilson", "exact"),
    [
        (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
        (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
        (0, 20, (0.0, 0.1611), (0.0, 0.1684)),
        (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
    ],
)
def test_intervals_of_shares_are_those_published(ones: int, of: int, wilson: Any, exact: Any) -> None:
    """R. G. Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I."""
    values = np.repeat([1.0, 0.0], [ones, of - ones])
    assert wilson_interval(np.zeros(9)).low == 0.0
    assert wilson_interval(np.ones(9)).high == 1.0
    assert wilson_interval(values) == pytest.approx(wilson, abs=5e-5)
    assert exact_interval(values) == pytest.approx(exact, abs=5e-5)


@pytest.mark.parametrize(
    ("rows", "low", "high"), [(25, 0.92, 0.98), (100, 0.93, 0.97), (200, 0.935, 0.965)], ids=str
)
def test_wilsons_interval_holds_shares_from_a_tenth_about_as_often_as_it_says(
    rows: int, low: float, high: float
) -> None:
    # Of each share exactly, by the binomial distribution.
    ends = np.array([wilson_interval(np.repeat([1.0, 0.0], [k, rows - k])) for k in range(rows + 1)])
    shares = np.linspace(0.1, 0.9, 401)[:, None]
    held = (ends[:, 0] <= shares) & (shares <= ends[:, 1])
    often = (stats.binom.pmf(np.arange(rows + 1), rows, shares) * held).sum(axis=1)
    assert low < often.min() < 0.95 < often.max() < high + 0.001
    assert often.mean() == pytest.approx(0.95, abs=0.006)


def test_a_share_of_clusters_is_of_as_many_rows_as_say_as_much() -> None:
    alike = np.repeat([1.0, 0.0, 0.0, 1.0, 0.0, 0.0], 5)
    clusters = np.repeat(np.arange(6), 5)
    error = math.sqrt(6 / 5 * 6 * (2 / 9 * 25) / 30**2)
    low, high = exact_interval(alike, clusters=clusters)
    from scipy import stats

    count = 2 / 9 / error**2
    assert low == pytest.approx(stats.beta.ppf(0.025, count / 3, count * 2 / 3 + 1))
    assert wilson_interval(alike, clusters=clusters).high > wilson_interval(alike).high
    assert wilson_interval(np.ones(30), clusters=clusters).low < wilson_interval(np.ones(6)).low
    assert high > exact_interval(alike).high


def test_intervals_of_shares_are_of_zeros_and_ones() -> None:
    for interval in (wilson_interval, exact_interval):
        with pytest.raises(ChoiceError, match="is of values that are 0 or 1, which these are not"):
            interval([0.0, 0.5])
    with pytest.raises(ChoiceError, match="interval='wilson' is not one of auto, t, studentised"):
        rm.compare({"q": {"a": 1}}, {"x": {"q": ["a"]}, "y": {"q": ["b"]}}, "RR", interval="wilson")  # type: ignore[arg-type]


@pytest.mark.parametrize("clusters", [None, USERS])
def test_ratios_are_those_of_resamples_of_rows_or_clusters(clusters: Any) -> None:
    """As of resamples that NumPy draws, in distribution."""
    rng = np.random.default_rng(1)
    labels = np.arange(30) if clusters is None else clusters
    units = [np.flatnonzero(labels == each) for each in np.unique(labels)]
    expected = []
    for _ in range(1_500):
        drawn = [units[each] for each in rng.integers(len(units), size=len(units))]
        resample = SKEWED[np.concatenate(drawn)]
        again = np.repeat(np.arange(len(drawn)), [len(each) for each in drawn])
        error = linearised_error(resample, again).error
        expected.append(abs(resample.mean() - SKEWED.mean()) / error if error else math.inf)
    ratios = studentised_ratios(SKEWED, clusters=clusters, resamples=20_000)
    for share in (0.5, 0.8):
        assert np.quantile(ratios, share) == pytest.approx(np.quantile(expected, share), rel=0.08)
    assert np.isinf(ratios).mean() == pytest.approx(np.isinf(expected).mean(), abs=0.01)


def test_the_studentised_interval_is_the_mean_and_errors_to_both_sides() -> None:
    low, high = bootstrap_interval(SKEWED, method="studentised")
    ratios = studentised_ratios(SKEWED)
    error = SKEWED.std(ddof=1) / math.sqrt(len(SKEWED))
    reach = np.quantile(ratios, 0.95, method="higher") * error
    assert (low, high) == pytest.approx((SKEWED.mean() - reach, SKEWED.mean() + reach))
    assert high > t_interval(SKEWED).high
    assert studentised_interval(SKEWED, ratios) == (low, high)


def test_where_most_resamples_are_alike_there_is_no_studentised_interval() -> None:
    values = [1.0] + [0.0] * 29
    assert all(map(math.isnan, bootstrap_interval(values, method="studentised")))
    assert bootstrap_interval([0.1] * 5, method="studentised") == pytest.approx((0.1, 0.1))


@pytest.mark.parametrize(
    ("values", "differences", "method", "caution"),
    [
        (np.linspace(0, 1, 30), False, "t", ""),
        (np.linspace(-1, 1, 9), True, "t", "small"),
        (SKEWED, False, "studentised", ""),
        (np.append(np.linspace(0, 0.1, 30), 5.0), True, "studentised", "skewed"),
        (np.repeat([1.0, 0.0], [4, 46]), False, "wilson", ""),
        (np.repeat([1.0, 0.0], [4, 46]), True, "t", "few"),
        (np.zeros(20), False, "wilson", ""),
        (np.zeros(20), True, "t", "alike"),
        (np.full(20, 0.1), False, "t", "alike"),
    ],
)
def test_the_interval_is_by_what_values_are(
    values: Any, differences: bool, method: str, caution: str
) -> None:
    made = auto_interval(values, differences=differences)
    assert (made.method, made.caution) == (method, caution)
    assert (made.low < made.high) == (caution != "alike")


def test_clusters_and_not_rows_are_counted_as_few_or_skewed() -> None:
    values = np.repeat(np.linspace(0, 1, 8), 10)
    made = auto_interval(values, clusters=np.repeat(np.arange(8), 10))
    assert (made.method, made.caution) == ("t", "small")
    assert auto_interval(values).caution == ""
    sizes = np.array([1] * 29 + [200])
    users = np.repeat(np.arange(30), sizes)
    uneven = np.random.default_rng(0).normal(0.2, 0.1, 30)[users]
    assert auto_interval(uneven, clusters=users).caution == "skewed"


def test_a_comparison_says_how_its_intervals_were_made_and_which_are_doubtful() -> None:
    queries = [f"q{i:02}" for i in range(40)]
    qrels = {q: {"a": 1} for q in queries}
    old = {q: ["b", "a"] for q in queries}
    new = old | {q: ["a", "b"] for q in queries[:3]}
    compared = rm.compare(qrels, {"old": old, "new": new, "same": old}, ["RR", "P@1"], baseline="old")
    pair = compared.pair("RR", "new")
    assert (pair.method, pair.caution) == ("t", "few")
    assert compared.pair("RR", "same").caution == "alike"
    assert compared.table["method"].to_list() == ["t", "t", "tango", "tango"]
    assert compared.made_interval("new", "P@1").method == "wilson"
    assert compared.interval("old", "P@1").high > 0
    text = " ".join(str(compared).split())
    doubtful = "1 of 4 may cover more or less often ({0} against old by RR): "
    assert doubtful.format("same") + "all values are the same" in text
    assert doubtful.format("new") + "fewer than 10" in text
    asked = rm.compare(qrels, {"old": old, "new": new}, "RR", interval="studentised", resamples=500)
    assert asked.pairs[0].method == "studentised"
    assert asked.pairs[0].resamples is not None
    drawn = f"{asked.pairs[0].resamples:,} resamples"
    assert f"95% intervals: studentised bootstrap over queries, {drawn}, seed 0" in " ".join(
        str(asked).split()
    )


def test_the_studentised_bootstrap_draws_until_chance_moves_no_digit_that_is_shown() -> None:
    values = 0.5 * np.random.default_rng(3).beta(0.3, 3, 300)
    made = [
        made_interval("studentised", values, confidence=0.95, draws={"seed": seed}, together=1)
        for seed in range(4)
    ]
    assert all(each.resamples is not None and 10_000 < each.resamples < 66_000 for each in made)
    assert np.ptp([each.low for each in made]) < 4 * 0.00005
    shared = made_interval("studentised", values, confidence=0.95, together=10_000)
    assert shared.resamples == 10_000
    assert shared.ends == made_interval("studentised", values, confidence=0.95).ends


def test_no_end_of_an_interval_lies_where_the_measure_has_no_values() -> None:
    """Student's interval of 1, 1, 1/2 would reach to 1.55, that of their differences from 0 to -0.55."""
    first = {"a": ["x"], "b": ["x"], "c": ["y", "x"]}
    none = {query: ["y"] for query in first}
    qrels = {query: {"x": 1} for query in first}
    result = rm.evaluate(qrels, first, ["RR", "NumRet"], intervals="t")
    assert result.intervals["RR"].high == 1.0
    compared = rm.compare(qrels, {"none": none, "first": first}, "RR", baseline="none", interval="t")
    pair = compared.pair("RR", "first")
    assert t_interval([1, 1, 0.5]).high > 1
    assert (pair.interval.high, pair.simultaneous.high, compared.interval("first", "RR").high) == (1, 1, 1)
    assert compared.equivalence("RR", 0.1)["first", "none"].interval.high == 1
    per_cent = {name: [100 * v for v in own] for name, own in (("a", [1, 1, 0.5]), ("b", [0, 0, 0.4]))}
    given = rm.compare_matrix(per_cent, "RR", baseline="b", interval="t")
    assert given.interval("a", "RR").high == pytest.approx(100 * t_interval([1, 1, 0.5]).high)
    assert given.pair("RR", "a").interval.high > 100


def test_no_end_of_an_interval_of_predictions_lies_where_the_measure_has_no_values() -> None:
    label = [1, 0] * 6
    table = {"label": label, "a": [0.9, 0.1] * 6, "b": [0.6, 0.7, 0.8, 0.2] * 3}
    found = rm.evaluate_predictions(table, "AUC", score="b", intervals="delong")
    assert found.intervals["AUC"].high <= 1
    compared = rm.compare_predictions(table, {"a": "a", "b": "b"}, ["Recall", "AUC"], baseline="b")
    assert max(pair.high for pair in compared.pairs) <= 1


def test_with_clusters_of_several_sizes_t_is_the_jackknife() -> None:
    """By hand of three clusters: the mean 4 is 5, 21/5 and 7/3 without each."""
    values, users = np.array([1.0, 3, 5, 7, 5, 3]), np.array([0, 0, 2, 2, 2, 1])
    left = np.array([5.0, 21 / 5, 7 / 3])
    assert left_out_means(values, users) == pytest.approx(left)
    error, freedom, units = standard_error(values, users)
    assert error**2 == pytest.approx(2 / 3 * np.sum((left - 4) ** 2))
    assert (0 < freedom <= 2, units) == (True, 3)
    rng = np.random.default_rng(5)
    users = np.repeat(np.arange(20), np.minimum(1 + (5 * rng.pareto(1.5, 20)).astype(int), 200))
    values = rng.normal(0, 0.1, 20)[users] + rng.normal(0.3, 0.1, len(users))
    expected = jackknife_interval(float(values.mean()), left_out_means(values, users))
    assert t_interval(values, clusters=users) == pytest.approx(expected, abs=1e-12)
    assert paired_t_test(values, clusters=users, null=expected.low) == pytest.approx(0.05)
    assert standard_error(values, users).error > linearised_error(values, users).error


def test_with_clusters_of_one_size_t_has_one_degree_of_freedom_less_than_clusters() -> None:
    rng = np.random.default_rng(5)
    values, users = rng.exponential(size=60), np.repeat(np.arange(12), 5)
    means = values.reshape(12, 5).mean(axis=1)
    assert t_interval(values, clusters=users) == pytest.approx(t_interval(means), abs=1e-12)


def test_of_clusters_of_two_kinds_what_both_share_counts_once() -> None:
    """The sum over pairs of rows that share either, each kind with its own G / (G − 1)."""
    rng = np.random.default_rng(3)
    topics, users = rng.integers(0, 6, 80), rng.integers(0, 8, 80)
    values = rng.normal(0, 0.1, 6)[topics] + rng.normal(0, 0.1, 8)[users] + rng.normal(0, 0.1, 80)
    left = values - values.mean()
    both = topics * 8 + users

    def squared(labels: Any) -> float:
        shared = labels[:, None] == labels[None, :]
        groups = len(np.unique(labels))
        return float(groups / (groups - 1) * (left @ shared @ left) / 80**2)

    error, freedom, _ = standard_error(values, np.column_stack([topics, users]))
    assert error**2 == pytest.approx(squared(topics) + squared(users) - squared(both))
    assert freedom == 5


def test_of_two_kinds_of_which_one_is_within_the_other_the_greater_decides() -> None:
    queries, users = np.arange(30), USERS
    for labels in (np.column_stack([queries, users]), np.column_stack([users, users])):
        assert t_interval(SKEWED, clusters=labels) == pytest.approx(t_interval(SKEWED, clusters=users))
        p = paired_t_test(SKEWED, clusters=labels)
        assert p == pytest.approx(paired_t_test(SKEWED, clusters=users))
    made = auto_interval(SKEWED, clusters=np.column_stack([queries, users]))
    assert (made.method, made.caution) == ("t", "few")


def test_what_takes_clusters_as_wholes_refuses_two_kinds() -> None:
    labels = np.column_stack([np.arange(30), USERS])
    for refuses in (bootstrap_interval, randomisation_test, bootstrap_shift_test):
        with pytest.raises(ChoiceError, match="clusters of two kinds can be neither drawn nor swapped"):
            refuses(SKEWED, clusters=labels)
    with pytest.raises(rm.DataError, match="30 clusters for 29 values"):
        t_interval(SKEWED[:-1], clusters=labels)


def test_a_comparison_over_clusters_of_two_kinds_is_by_t() -> None:
    rng = np.random.default_rng(0)
    queries = [f"q{i:02}" for i in range(40)]
    qrels = {q: {"a": 1} for q in queries}
    runs = {
        name: {q: list(rng.permutation(["a", "b", "c", "d"])) for q in queries} for name in ("one", "two")
    }
    topics, users = ({q: number % kinds for number, q in enumerate(queries)} for kinds in (6, 7))
    compared = rm.compare(qrels, runs, "RR", clusters=[topics, users])
    pair = compared.pairs[0]
    difference = compared.query_values("two", "RR") - compared.query_values("one", "RR")
    labels = np.column_stack([np.arange(40) % 6, np.arange(40) % 7])
    assert pair.interval == pytest.approx(t_interval(difference, clusters=labels))
    assert pair.p == pytest.approx(paired_t_test(difference, clusters=labels))
    assert (compared.clusters, compared.plan.test) == ((6, 7), "t")
    assert "compared on 40 queries in 6 and 7 clusters of two kinds" in " ".join(str(compared).split())
    results = {name: rm.evaluate(qrels, each, "RR") for name, each in runs.items()}
    again = rm.compare_results(results, clusters=[topics, users])
    assert again.pairs == compared.pairs
    for name, value in (("test", "sign"), ("interval", "bca"), ("correction", "tukey")):
        with pytest.raises(ChoiceError, match=f'{name}="{value}" knows nothing of clusters of two kinds'):
            rm.compare(qrels, runs, "RR", clusters=[topics, users], **{name: value})  # type: ignore[arg-type]
    with pytest.raises(ChoiceError, match="several seeds go with clusters of one kind"):
        rm.compare(qrels, {"a": runs["one"], "b": list(runs.values())}, "RR", clusters=[topics, users])
    with pytest.raises(rm.UsageError, match="or two such in a list"):
        rm.compare(qrels, runs, "RR", clusters=[topics, users, users])
    with pytest.raises(rm.UsageError, match="clusters='user': there is no table here"):
        rm.compare_results(results, clusters="user")


def test_rows_that_weigh_differently_are_as_clusters_of_such_sizes() -> None:
    rng = np.random.default_rng(0)
    values, weights = rng.random(12), rng.integers(1, 9, 12)
    leverage = weights / weights.sum()
    ratio = float(leverage @ values)
    linear = ratio + (values - ratio) * weights / weights.mean()
    users = np.repeat(np.arange(12), weights)
    expected = t_interval(values[users], clusters=users)
    assert t_interval(linear, leverage=leverage) == pytest.approx(expected)
    found = studentised_ratios(linear, leverage=leverage, resamples=500)
    assert found == pytest.approx(studentised_ratios(values[users], clusters=users, resamples=500))
    p = paired_t_test(linear - 0.3, leverage=leverage)
    assert p == pytest.approx(paired_t_test(values[users] - 0.3, clusters=users))
    assert t_interval(linear, leverage=np.full(12, 1 / 12)) == pytest.approx(t_interval(linear))
    with_gap = np.append(linear, np.nan), np.append(leverage, 0.5)
    assert t_interval(with_gap[0], leverage=with_gap[1]) == t_interval(linear, leverage=leverage)
    with pytest.raises(DataError, match="the leverage of 2 values for 12"):
        t_interval(linear, leverage=[0.5, 0.5])
    with pytest.raises(DataError, match="0 or more, and above 0 for some"):
        t_interval(linear, leverage=-leverage)


def test_few_queries_that_weigh_most_are_said_to_be_few() -> None:
    rng = np.random.default_rng(1)
    values, weights = rng.random(40), rng.pareto(1.5, 40) + 0.1
    matrix = {"old": values, "new": rng.random(40)}
    comparison = rm.compare_matrix(matrix, "AP", weights=dict(enumerate(weights)))
    (pair,) = comparison.pairs
    assert (pair.method, pair.caution) == ("t", "uneven")
    assert "few of the values weigh most" in " ".join(str(comparison).split())
    # Longer than by the linearised values alone, of which 80 of 100 with 25 queries hold the truth.
    d = matrix["new"] - matrix["old"]
    linear = np.average(d, weights=weights) + (d - np.average(d, weights=weights)) * weights / weights.mean()
    low, high = t_interval(linear)
    assert pair.interval.high - pair.interval.low > 1.2 * (high - low)
    expected = t_interval(linear, leverage=weights / weights.sum())
    assert pair.interval == pytest.approx(expected.within((-1, 1)))
    tested = rm.compare_matrix(matrix, "AP", weights=dict(enumerate(weights)), test="t").pairs[0]
    assert tested.p == pytest.approx(paired_t_test(linear, leverage=weights / weights.sum()))
    even = rm.compare_matrix(matrix, "AP", weights=dict(enumerate(1 + values)))
    assert even.pairs[0].caution == ""


@pytest.mark.parametrize(
    ("first", "second", "count", "confidence", "low", "high"),
    [
        # T. Tango, Statistics in Medicine 17, 1998: section 6.2 (sleeping difficulties) and 6.1 (soft lenses,
        # the lower end of 90%).
        (9, 3, 32, 0.95, -0.027, 0.390),
        (0, 1, 44, 0.90, -0.096, None),
        # Only the counts are published (airway hyper-responsiveness, see test_mcnemar.py): the ends were
        # computed by this code, so that they show no more than that it does not change.
        (1, 7, 21, 0.95, -0.517, -0.026),
    ],
)
def test_tangos_interval_of_examples(
    first: int, second: int, count: int, confidence: float, low: float, high: float | None
) -> None:
    values = np.repeat([1.0, -1.0, 0.0], [first, second, count - first - second])
    found = tango_interval(values, confidence=confidence)
    assert found.low == pytest.approx(low, abs=0.0005)
    if high is not None:
        assert found.high == pytest.approx(high, abs=0.0005)
    assert tango_interval(-values, confidence=confidence) == pytest.approx((-found.high, -found.low))


def test_tangos_interval_has_a_width_where_nothing_differs_and_stays_within_1() -> None:
    z = stats.norm.ppf(0.975) ** 2
    assert tango_interval(np.zeros(50)) == pytest.approx((-z / (50 + z), z / (50 + z)))
    low, high = tango_interval(np.ones(3))
    assert (-1 < low < 1, high) == (True, 1.0)
    with pytest.raises(ChoiceError, match="of differences of values that are 0 or 1"):
        tango_interval([0.5])


def test_of_shares_of_rare_discordance_tangos_interval_holds_where_t_does_not() -> None:
    rng = np.random.default_rng(7)
    held = {"tango": 0, "t": 0}
    for gained in rng.binomial(40, 0.04, 400):
        d = np.repeat([1.0, 0.0], [gained, 40 - gained])
        for name, (low, high) in (("tango", tango_interval(d)), ("t", t_interval(d))):
            held[name] += low <= 0.04 <= high
    assert held["tango"] >= 0.93 * 400
    assert held["t"] <= 0.85 * 400


@pytest.mark.parametrize("size", [1, 2, 9, 19, 20, 21, 40, 300])
def test_values_are_nearly_alike_where_few_are_not_the_most_frequent_one(size: int) -> None:
    random = np.random.default_rng(size)
    for others in range(min(size, 15)):
        values = np.zeros(size)
        values[random.choice(size, others, replace=False)] = random.integers(1, 4, others)
        _, counts = np.unique(values, return_counts=True)
        for few in (5, 10):
            assert _nearly_alike(values, None, few) == (size - counts.max() < few)


def test_skewness_is_that_of_the_moments() -> None:
    values = np.random.default_rng(0).exponential(size=1_000)
    assert skewness(values) == pytest.approx(stats.skew(values), rel=1e-12)
    assert skewness(np.full(30, 0.1)) == 0.0
