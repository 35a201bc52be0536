"""DeLong's intervals and tests: by hand, pair by pair, and what pROC publishes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit, logit, ndtr

from rankmark import statistics
from rankmark.errors import ChoiceError, DataError
from rankmark.statistics.freedom import effective_freedom
from strategies import at_most


def clicks(rows: int = 600, queries: int = 60, seed: int = 0) -> dict[str, Any]:
    """Scores of users who differ."""
    random = np.random.default_rng(seed)
    user = random.integers(0, queries, rows)
    p = expit(random.normal(size=queries)[user] * 0.7 + random.normal(size=rows) - 1)
    return {"user_id": user, "click": random.random(rows) < p, "score": p}


def components(label: np.ndarray, score: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """AUC and DeLong's structural components, pair by pair."""
    ours, theirs = score[label], score[~label]
    order = (ours[:, None] > theirs) + 0.5 * (ours[:, None] == theirs)
    return float(order.mean()), order.mean(axis=1), order.mean(axis=0)


def test_delong_by_hand() -> None:
    # Positive rows score 4, 2 and 1, others 3 and 1: V10 = 1, 1/2, 1/4; V01 = 1/3, 5/6; AUC = 7/12.
    # S10 = ((5/12)² + (1/12)² + (1/3)²)/2 = 7/48; S01 = (1/4)²·2/1 = 1/8; SE² = S10/3 + S01/2 = 1/9.
    low, high = statistics.delong_interval([1, 1, 1, 0, 0], [4, 2, 1, 3, 1], confidence=0.5, method="delong")
    reach = stats.norm.ppf(0.75) / 3
    assert (low, high) == pytest.approx((7 / 12 - reach, 7 / 12 + reach), rel=1e-12)


@settings(max_examples=at_most(60), deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 5)), min_size=8, max_size=30))
def test_delong_is_what_its_formula_says_pair_by_pair(rows: list[tuple[bool, int, int]]) -> None:
    label, first, second = (np.array(column) for column in zip(*rows, strict=True))
    if not 2 <= label.sum() <= len(label) - 2:
        return
    auc, ours, theirs = components(label, first)
    other, our_others, their_others = components(label, second)
    found = statistics.delong_test(label, first, second, method="delong")
    variance = np.var(ours - our_others, ddof=1) / len(ours) + np.var(theirs - their_others, ddof=1) / len(
        theirs
    )
    assert (found.first, found.second) == pytest.approx((auc, other), abs=1e-14)
    assert found.error == pytest.approx(math.sqrt(variance), abs=1e-9)
    if variance > 1e-9:
        p = 2 * stats.norm.sf(abs(auc - other) / math.sqrt(variance))
        assert found.p == pytest.approx(p, abs=1e-9)
    alone = math.sqrt(np.var(ours, ddof=1) / len(ours) + np.var(theirs, ddof=1) / len(theirs))
    interval = statistics.delong_interval(label, first, confidence=0.5, method="delong")
    reach = stats.norm.ppf(0.75) * alone
    assert tuple(interval) == pytest.approx((max(0, auc - reach), min(1, auc + reach)), abs=1e-9)


def test_delong_of_clusters_is_that_of_obuchowski() -> None:
    table = clicks(200, 20)
    label, score, user = table["click"], np.round(table["score"], 1), table["user_id"]
    auc, ours, theirs = components(label, score)
    m, n, users = len(ours), len(theirs), np.unique(user)
    own = np.array([(ours[user[label] == u] - auc).sum() for u in users])
    others = np.array([(theirs[user[~label] == u] - auc).sum() for u in users])
    with_own = sum(label[user == u].any() for u in users)
    with_others = sum((~label[user == u]).any() for u in users)
    s10 = with_own / ((with_own - 1) * m) * (own**2).sum()
    s01 = with_others / ((with_others - 1) * n) * (others**2).sum()
    s11 = len(users) / (len(users) - 1) * (own * others).sum()
    error = math.sqrt(s10 / m + s01 / n + 2 * s11 / (m * n))
    interval = statistics.delong_interval(label, score, clusters=user, method="delong")
    reach = stats.norm.ppf(0.975) * error
    assert tuple(interval) == pytest.approx((auc - reach, auc + reach), rel=1e-9)


def test_clusters_of_one_row_are_none() -> None:
    table = clicks(100)
    rows = table["click"], table["score"]
    alone = statistics.delong_interval(*rows, clusters=np.arange(100))
    assert alone == pytest.approx(statistics.delong_interval(*rows), rel=1e-12)


def test_weights_that_are_all_alike_change_nothing_and_scale_does_not_matter() -> None:
    table = clicks(100)
    rows = table["click"], table["score"]
    weights = 1.0 + np.arange(100) % 3
    plain = statistics.delong_interval(*rows)
    assert statistics.delong_interval(*rows, weights=np.full(100, 7)) == pytest.approx(plain, rel=1e-12)
    weighted = statistics.delong_interval(*rows, weights=weights)
    assert statistics.delong_interval(*rows, weights=weights * 10) == pytest.approx(weighted, rel=1e-12)
    assert weighted != pytest.approx(plain, rel=1e-3)


@pytest.mark.parametrize(
    ("positives", "others", "weighted", "least", "most"),
    [(50, 50, False, 0.91, 0.97), (30, 200, False, 0.90, 0.97), (50, 100, True, 0.91, 0.98)],
)
def test_delong_covers_the_truth(
    positives: int, others: int, weighted: bool, least: float, most: float
) -> None:
    random = np.random.default_rng(0)
    label = np.repeat([True, False], [positives, others])
    truth = ndtr(1 / math.sqrt(2))
    hits = 0
    for _ in range(500):
        score = random.normal(size=len(label)) + label
        weights = random.integers(1, 4, len(label)) if weighted else None
        low, high = statistics.delong_interval(label, score, weights=weights)
        hits += low <= truth <= high
    assert least <= hits / 500 <= most


def test_delongs_test_rejects_one_in_twenty_equal_systems() -> None:
    random = np.random.default_rng(0)
    label = np.repeat([True, False], [40, 80])
    rejected = 0
    for _ in range(500):
        shared = random.normal(size=120) + label
        first, second = (shared + 0.7 * random.normal(size=120) for _ in range(2))
        rejected += statistics.delong_test(label, first, second).p < 0.05
    assert 0.02 <= rejected / 500 <= 0.085  # of 3,000: .052


def test_delong_where_there_is_little_to_go_by() -> None:
    assert all(map(math.isnan, statistics.delong_interval([1, 0, 0], [2, 1, 3])))
    assert statistics.delong_interval([1, 1, 0, 0], [4, 3, 2, 1], method="delong") == (1.0, 1.0)
    same = statistics.delong_test([1, 1, 0, 0], [4, 2, 3, 1], [8, 4, 6, 2])
    assert (same.difference, same.p) == (0.0, 1.0)
    one_sided = [
        statistics.delong_test([1, 1, 1, 0, 0], [4, 2, 1, 3, 1], [4, 3, 3, 2, 3], alternative=each).p
        for each in ("greater", "less")
    ]
    assert sum(one_sided) == pytest.approx(1)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (([1, 1], [1, 2]), {}, "needs rows of both classes"),
        (([1, 2], [1, 2]), {}, "each 0 or 1"),
        (([1, 0], [1, 2, 3]), {}, "scores are one a row, of 2"),
        (([1, 0], [1, math.nan]), {}, "no NaN"),
        (([1, 0], [1, 2]), {"weights": [1, -1]}, "weights are one a row"),
        (([1, 0], [1, 2]), {"clusters": ["a"]}, "1 clusters for 2 rows"),
    ],
)
def test_delong_refuses(rows: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        statistics.delong_interval(*rows, **options)


# --- What pROC publishes -------------------------------------------------------------------------------

# The order of the 41 poor and the 72 good outcomes of the aSAH data by each marker, equal ones alike, from
# the placements in pROC's tests (tests/testthat/helper-deLongPlacementsCpp-expected.R).
ORDER = {
    "ndka": (
        "37 24 28 35 3 9 18 43 47 43 43 14 32 39 5 7 30 1 51 39 16 18 22 30 41 26 39 7 49 34 3 12 "
        "39 3 11 43 20 32 45 18 35 0 8 6 17 4 34 4 38 29 38 36 46 10 4 23 4 4 50 25 13 13 38 2 6 "
        "4 12 27 6 33 44 6 4 23 10 6 27 42 40 15 21 48 4 36 13 17 17 33 2 36 23 10 17 38 17 21 6 "
        "13 17 42 8 23 26 44 19 23 10 42 15 31 40 4 29"
    ),
    "wfns": (
        "2 1 3 4 4 4 4 1 4 1 0 1 4 3 3 1 4 4 4 1 4 1 4 1 3 4 3 3 0 3 3 1 1 4 4 1 1 4 4 4 4 0 0 0 "
        "0 4 0 1 1 0 1 1 0 0 0 1 0 1 0 0 2 3 0 3 0 4 4 0 0 1 3 0 0 1 1 0 1 0 1 1 0 0 0 0 1 0 1 0 "
        "0 2 1 3 1 0 3 0 0 4 3 1 1 0 0 0 2 0 1 1 3 3 0 0 0"
    ),
    "s100b": (
        "8 5 11 7 25 30 28 2 19 4 2 23 21 27 30 15 30 30 30 2 30 17 0 4 13 30 15 30 3 15 8 5 6 13 "
        "30 9 30 18 30 30 25 8 9 5 1 26 12 5 5 1 3 1 4 6 2 12 2 6 8 12 1 11 9 20 4 29 26 11 2 24 "
        "26 6 3 4 3 1 8 5 9 10 1 1 4 1 4 3 11 4 3 19 6 16 2 5 18 2 1 14 22 5 10 3 9 5 2 1 12 10 "
        "26 12 10 29 27"
    ),
}
MARKERS = {name: np.array(order.split(), dtype=float) for name, order in ORDER.items()}
POOR = np.repeat([1, 0], [41, 72])


def unpaired(first: str, second: str, **options: Any) -> statistics.AUCDifference:
    return statistics.unpaired_delong_test((POOR, MARKERS[first]), (POOR, MARKERS[second]), **options)


@pytest.mark.parametrize(
    ("first", "second", "z", "p", "low", "high"),
    # tests/testthat/test-roc.test.R of pROC: roc.test(r.wfns, r.s100b) and so on.
    [
        ("wfns", "s100b", 2.20898359144091, 0.0271757822291882, 0.0104061769564846, 0.174214419249478),
        ("wfns", "ndka", 2.79777591868904, 0.00514557970691098, 0.0634011709339876, 0.3600405634833566),
        ("ndka", "s100b", -1.39077002573558, 0.164295175223054, -0.2876917446341914, 0.0488706064228094),
    ],
)
def test_paired_tests_are_those_of_proc(
    first: str, second: str, z: float, p: float, low: float, high: float
) -> None:
    found = statistics.delong_test(POOR, MARKERS[first], MARKERS[second], method="delong")
    assert (found.statistic, found.p) == pytest.approx((z, p), rel=1e-12)
    assert tuple(found.interval) == pytest.approx((low, high), rel=1e-10)
    ours = statistics.delong_test(POOR, MARKERS[first], MARKERS[second])
    assert ours.statistic == found.statistic
    assert ours.freedom < 112
    assert ours.p == pytest.approx(2 * stats.t.sf(abs(z), ours.freedom), rel=1e-9)


@pytest.mark.parametrize(
    ("first", "second", "d", "p"),
    # The same file: roc.test(…, paired = FALSE).
    [
        ("wfns", "s100b", 1.43490640926908, 0.152825378808796),
        ("wfns", "ndka", 3.10125096778969, 0.00220950791756457),
        ("ndka", "s100b", -1.55995743389685, 0.120192832430845),
    ],
)
def test_unpaired_tests_are_those_of_proc(first: str, second: str, d: float, p: float) -> None:
    found = unpaired(first, second, method="delong")
    assert (found.statistic, found.p) == pytest.approx((d, p), rel=1e-12)
    reach = stats.t.ppf(0.975, found.freedom) * found.error
    assert tuple(found.interval) == pytest.approx((found.difference - reach, found.difference + reach))
    ours = unpaired(first, second)
    assert (ours.error, math.isnan(ours.statistic)) == (found.error, True)
    assert 0.8 < ours.p / p < 1.7


def test_one_sided_tests_are_those_of_proc() -> None:
    greater = {"alternative": "greater", "method": "delong"}
    paired = statistics.delong_test(POOR, MARKERS["wfns"], MARKERS["s100b"], **greater)  # type: ignore[arg-type]
    assert paired.p == pytest.approx(0.0135878911145941, rel=1e-12)
    assert unpaired("wfns", "s100b", **greater).p == pytest.approx(0.076412689404398, rel=1e-12)
    less = {"alternative": "less", "method": "delong"}
    assert unpaired("wfns", "s100b", **less).p == pytest.approx(0.923587310595602, rel=1e-12)


def test_intervals_are_those_of_proc() -> None:
    # tests/testthat/test-ci.auc.R: ci.auc(r.ndka).
    found = statistics.delong_interval(POOR, MARKERS["ndka"], method="delong")
    assert tuple(found) == pytest.approx((0.501244999271703, 0.722670989888189), rel=1e-12)


# --- Near 1, and few clusters --------------------------------------------------------------------------


def test_the_interval_on_the_logit_scale_by_hand() -> None:
    # As above SE = 1/3 and AUC = 7/12. Of the positive rows' moves 5/12, −1/12 and −1/3 over 3 the kurtosis
    # is 3·(625 + 1 + 256)/(25 + 1 + 16)² = 3/2: 2·3/(1/2) = 12 is more than 2; of the two others it is 1.
    low, high = statistics.delong_interval([1, 1, 1, 0, 0], [4, 2, 1, 3, 1], confidence=0.5)
    x, y = 7 / 144, 1 / 16
    freedom = (x + y) ** 2 / (x**2 / 2 + y**2 / 1)
    reach = stats.t.ppf(0.75, freedom) / 3 / (7 / 12 * 5 / 12)
    assert (low, high) == pytest.approx((expit(logit(7 / 12) - reach), expit(logit(7 / 12) + reach)))


def test_degrees_of_freedom_of_values_are_few_where_one_is_all() -> None:
    # n values of which one is 1 − 1/n and the others −1/n: n is the kurtosis, but for 1 − 1/(n − 1) or so.
    one = np.append(0.99, np.full(99, -0.01))
    assert effective_freedom(one, 100) == pytest.approx(2 * 100 / (100 * 0.9606 / 0.9801 - 1), rel=0.02)
    assert effective_freedom(np.array([-1.0, 1.0] * 50), 100) == 99
    assert effective_freedom(np.zeros(5), 5) == 4


def test_scores_that_order_all_rows_have_the_bound_of_independent_pairs() -> None:
    label = np.repeat([1, 0], [20, 50])
    # (.025)^(1/20): 20 pairs that share no row are in order with a chance of AUC^20 at most.
    assert statistics.delong_interval(label, label) == pytest.approx((0.025**0.05, 1))
    assert statistics.delong_interval(label, -label) == pytest.approx((0, 1 - 0.025**0.05))
    alike = statistics.delong_interval(label, np.zeros(70))
    assert tuple(alike) == pytest.approx((0.5 - (1 - 0.05**0.05) / 2, 0.5 + (1 - 0.05**0.05) / 2))
    # 4 users with positive rows alone, 2 with others alone and 4 with both make up 5 pairs.
    users = [*range(4), *range(6, 10), 4, 5, *range(6, 10)]
    rows = [*[1] * 8, *[0] * 6]
    assert statistics.delong_interval(rows, rows, clusters=users) == pytest.approx((0.025**0.2, 1))


def test_two_that_order_all_rows_say_how_far_apart_they_can_be() -> None:
    label = np.repeat([1, 0], 20)
    least = 0.025**0.05
    both = statistics.delong_test(label, label, label + 1)
    assert (both.difference, both.p) == (0, 1)
    assert tuple(both.interval) == pytest.approx((least - 1, 1 - least))
    # At most one of AUC and 1 − AUC is above 1/2, and so is the chance of 20 pairs above 1/2^20.
    opposite = statistics.delong_test(label, label, -label)
    assert (opposite.difference, opposite.p) == (1, pytest.approx(2**-19))
    assert opposite.interval.low > 0.7
    greater, less = (
        statistics.delong_test(label, label, -label, alternative=each).p for each in ("greater", "less")
    )
    assert (greater, less) == (2**-20, 1)
    apart = statistics.unpaired_delong_test((label, label), (label[10:30], label[10:30]))
    assert (apart.difference, apart.p) == (0, 1)
    assert apart.interval == pytest.approx((least - 1, 1 - 0.025**0.1))


def test_few_rows_in_order_are_not_known_to_be_better_than_many_that_are_nearly() -> None:
    label = np.tile([0, 1], 100)
    many = label, np.random.default_rng(0).normal(size=200) + 1.5 * label
    few = np.repeat([0, 1], 6), np.arange(12)
    found = statistics.unpaired_delong_test(few, many)
    # Zou and Donner's interval of the two.
    (low, _), (other_low, other_high) = statistics.delong_interval(*few), statistics.delong_interval(*many)
    assert found.interval == pytest.approx(
        (
            found.difference - math.hypot(1 - low, other_high - found.second),
            found.difference + found.second - other_low,
        )
    )
    assert found.p > 0.5
    assert statistics.unpaired_delong_test(few, many, method="delong").p < 0.001


def test_p_of_different_rows_is_where_their_interval_ends_at_0() -> None:
    for first, second in (("wfns", "ndka"), ("ndka", "s100b")):
        p = unpaired(first, second).p
        ends = unpaired(first, second, confidence=1 - p).interval
        assert min(map(abs, ends)) == pytest.approx(0, abs=1e-9)
        one_sided = [unpaired(first, second, alternative=each).p for each in ("greater", "less")]
        assert (min(one_sided), sum(one_sided)) == pytest.approx((p / 2, 1))


def test_unpaired_tests_of_few_rows_near_1_do_not_find_slices_that_are_alike() -> None:
    rng = np.random.default_rng(0)

    def rows(n: int) -> tuple[Any, Any]:
        label = np.repeat([0, 1], n)
        return label, rng.normal(size=2 * n) + 1.81 * label

    found = [statistics.unpaired_delong_test(rows(10), rows(100)).p <= 0.05 for _ in range(150)]
    assert np.mean(found) <= 0.05


def test_scores_that_order_rows_alike_do_not_differ() -> None:
    found = statistics.delong_test(POOR, MARKERS["ndka"], 2 * MARKERS["ndka"])
    assert (found.difference, tuple(found.interval), found.p) == (0, (0, 0), 1)


def test_users_who_are_all_alike_say_nothing_of_others() -> None:
    users = np.repeat(np.arange(10), 4)
    found = statistics.delong_interval(np.tile([1, 0, 1, 0], 10), np.tile([3, 1, 2, 2.5], 10), clusters=users)
    assert all(map(math.isnan, found))


def test_the_error_of_clusters_is_that_of_leaving_each_out() -> None:
    table = clicks(400, 8)
    label, score, user = (table[name] for name in ("click", "score", "user_id"))
    auc = statistics.delong_test(label, score, score).first
    left_out = []
    for each in range(8):
        kept = user != each
        # Leaving out moves the AUC by the cluster's own rows, but for pairs that both its classes lack.
        left_out.append(statistics.delong_test(label[kept], score[kept], score[kept]).first)
    jackknife = math.sqrt(7 / 8 * np.sum((np.array(left_out) - auc) ** 2))
    constant = statistics.delong_test(label, score, np.zeros(400), clusters=user)
    assert constant.error == pytest.approx(jackknife, rel=0.1)


def test_near_1_the_interval_holds_the_truth() -> None:
    # Of 2,000 each: 98% (and 84% by DeLong alone), 98% (81%); see benchmarks/coverage/areas.py.
    random = np.random.default_rng(0)
    label = np.repeat([True, False], [50, 50])
    held = {"delong-logit": 0, "delong": 0}
    for _ in range(300):
        score = random.normal(size=100) + 3.29 * label  # an AUC of .99
        for method in held:
            low, high = statistics.delong_interval(label, score, method=method)  # type: ignore[arg-type]
            held[method] += low <= ndtr(3.29 / math.sqrt(2)) <= high
    assert held["delong"] < 0.87 * 300
    assert held["delong-logit"] >= 0.94 * 300


def test_methods_that_there_are_not() -> None:
    with pytest.raises(ChoiceError, match="method='delong-t' is not one of delong-logit, delong"):
        statistics.delong_interval([1, 0], [2, 1], method="delong-t")  # type: ignore[arg-type]
    with pytest.raises(ChoiceError, match="method='z' is not one of delong-t, delong"):
        statistics.delong_test([1, 0], [2, 1], [2, 1], method="z")  # type: ignore[arg-type]


def test_what_an_area_varies_by_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The p-value of rows against all others takes intervals of many levels of the same two."""
    random, calls = np.random.default_rng(5), []

    def counted(deviations: Any, size: int) -> float:
        calls.append(size)
        return effective_freedom(deviations, size)

    monkeypatch.setattr("rankmark.statistics.delong.effective_freedom", counted)
    first, second = ((random.random(40) < 0.4, random.random(40)) for _ in range(2))
    statistics.unpaired_delong_test(first, second)
    assert len(calls) == 4  # positive rows and others, of both
