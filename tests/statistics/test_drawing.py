"""P-values by drawing: that they draw on where they must, and that what bounds them does."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankmark.errors import ChoiceError
from rankmark.statistics import (
    bootstrap_shift_test,
    corrected,
    paired_t_test,
    randomisation_test,
    sign_test,
    signflips,
    wilcoxon_test,
)
from rankmark.statistics.chance import LEAST_P, PValue
from rankmark.statistics.drawing import drawn_p, draws_needed
from rankmark.statistics.signflips import tail_bounds, upper_tail, upper_tails
from rankmark.statistics.significance import TESTS, randomisation_tests


def test_columns_draw_on_until_a_hundred_draws_are_extreme_or_the_ceiling_is_reached() -> None:
    asked: list[tuple[int, int, list[int]]] = []
    chances = np.array([0.5, 0.004, 0.0])

    def extreme(first: int, end: int, columns: np.ndarray) -> np.ndarray:
        asked.append((first, end, columns.tolist()))
        return np.rint(chances[columns] * (end - first)).astype(np.int64)

    p, draws = drawn_p(extreme, 3, resamples=10_000, most=100_000)
    assert asked == [(0, 10_000, [0, 1, 2]), (10_000, 40_000, [1, 2]), (40_000, 100_000, [2])]
    assert draws.tolist() == [10_000, 40_000, 100_000]
    assert p.tolist() == [5_001 / 10_001, 161 / 40_001, 1 / 100_001]


def test_no_column_draws_on_unless_asked_to() -> None:
    p, draws = drawn_p(lambda *_: np.zeros(1, dtype=np.int64), 1, resamples=99)
    assert (p[0], draws[0]) == (0.01, 99)


def test_as_many_draws_are_needed_as_leave_a_tenth_of_the_level_over_all_tests() -> None:
    assert draws_needed(1, 0.05, 10_000) == 10_000
    assert draws_needed(561, 0.05, 10_000) == 112_200
    assert draws_needed(10**6, 0.05, 10_000) == 1_000_000
    assert draws_needed(10**6, 0.05, 2_000_000) == 2_000_000


def test_p_values_of_draws_that_go_on_are_valid() -> None:
    """P(p ≤ x) ≤ x where nothing is the matter: b of m draws is uniform then."""
    rng = np.random.default_rng(5)
    truth = rng.random(20_000)
    p, _ = drawn_p(
        lambda first, end, columns: rng.binomial(end - first, truth[columns]),
        len(truth),
        resamples=500,
        most=20_000,
    )
    for x in (0.2, 0.05, 0.01, 0.002, 0.0005):
        assert np.mean(p <= x) <= x + 3 * math.sqrt(x / len(truth))


def test_drawing_on_gives_the_same_whatever_the_threads_and_the_other_columns() -> None:
    table = np.random.default_rng(1).normal(0.02, 0.1, (300, 6)) + np.arange(6) / 100
    how = {"method": "monte-carlo", "resamples": 500, "most": 40_000}
    found = [randomisation_tests(table, threads=threads, **how) for threads in (1, 3)]  # type: ignore[arg-type]
    assert found[0] == found[1]
    alone = randomisation_tests(table[:, 2:3], **how)  # type: ignore[arg-type]
    assert alone[0] == found[0][2]
    assert {p.evidence.draws for p in found[0]} == {8_000, 40_000}


def test_the_winner_of_60_queries_to_none_is_found_among_561_pairs() -> None:
    rng = np.random.default_rng(3)
    table = rng.normal(0, 0.1, (60, 561))
    table[:, 17] = np.abs(table[:, 17]) + 1e-4
    most = draws_needed(561, 0.05, 10_000)
    found = randomisation_tests(table, most=most)
    assert found[17].evidence.way == "bound"
    assert np.flatnonzero(corrected(found) <= 0.05).tolist() == [17]
    drawn = randomisation_tests(table[:, 17:18], most=most, method="monte-carlo")
    assert drawn[0] == 1 / (most + 1)
    assert 561 * drawn[0] < 0.05 < 561 * randomisation_test(table[:, 17], method="monte-carlo")


@given(st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=1, max_size=10))
def test_a_bound_is_never_below_the_exact_p_value(d: list[float]) -> None:
    own = np.array(d)
    (bound,) = tail_bounds(own[:, None], np.array([own.sum()]))
    exact = upper_tail(own, float(own.sum()))
    assert exact is not None
    assert bound >= exact * (1 - 1e-9)


def test_the_bound_of_equal_differences_is_the_exact_p_value() -> None:
    (bound,) = tail_bounds(np.ones((60, 1)), np.array([60.0]))
    assert bound == pytest.approx(2.0**-60, rel=1e-3)


LATTICES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "four decimals": lambda rng, n: np.round(rng.random(n), 4),
    "means of three": lambda rng, n: np.round(rng.random((n, 3)), 4).mean(axis=1),
    "reciprocal ranks": lambda rng, n: 1 / rng.integers(1, 11, n),
    "sevenths": lambda rng, n: rng.integers(0, 8, n) / 7,
    "per cent": lambda rng, n: np.round(100 * rng.random(n), 2),
}


@pytest.mark.parametrize("values", LATTICES.values(), ids=LATTICES)
def test_rounded_values_are_counted_and_not_drawn(values: Callable[..., np.ndarray]) -> None:
    rng = np.random.default_rng(11)
    for _ in range(10):
        d = values(rng, 50) - values(rng, 50)
        tail = upper_tail(d, abs(d.sum()))
        assert tail is not None
        drawn = randomisation_test(d, method="monte-carlo", resamples=20_000)
        assert min(1.0, 2 * tail) == pytest.approx(drawn, abs=0.015)


@settings(max_examples=40)
@given(st.lists(st.integers(-400, 400), min_size=21, max_size=26), st.integers(1, 4))
def test_what_is_counted_is_what_all_signs_give(d: list[int], decimals: int) -> None:
    own = np.array(d) / 10.0**decimals
    magnitudes = np.abs(own[own != 0])
    least = float(own.sum()) - 1e-12 * float(magnitudes.sum())
    assert upper_tails(own[:, None], np.array([own.sum()]))[0] == pytest.approx(
        signflips._enumerated(magnitudes, least), rel=1e-12
    )


def test_small_chances_are_counted_as_exactly_as_great_ones() -> None:
    assert upper_tail(np.full(900, 0.1), 90.0) == 2.0**-900
    assert randomisation_test(np.full(3_000, 0.1)) == LEAST_P


def test_a_p_value_says_what_stands_behind_it() -> None:
    d = np.array([0.3, -0.1, 0.2, 0.2, 0.0, 0.4])
    t = paired_t_test(d)
    assert (t.evidence.way, t.evidence.freedom, t.evidence.n) == ("t", 5, 6)
    assert t.evidence.statistic == pytest.approx(d.mean() / (d.std(ddof=1) / math.sqrt(6)))
    rank = wilcoxon_test(d).evidence
    assert (rank.way, rank.n, rank.statistic, rank.zeros, rank.tied) == ("exact", 5, 14.0, 1, 2)
    assert wilcoxon_test(d, method="normal").evidence.way == "normal"
    assert wilcoxon_test(d, zeros="pratt").evidence.statistic == 14.0 + 4
    sign = sign_test(d).evidence
    assert (sign.way, sign.n, sign.statistic, sign.zeros) == ("exact", 5, 4.0, 1)
    assert randomisation_test(d).evidence.way == "exact"
    drawn = randomisation_test(d, method="monte-carlo", resamples=99).evidence
    assert (drawn.way, drawn.draws, drawn.statistic) == ("drawn", 99, pytest.approx(d.mean()))
    clusters = randomisation_test(d, clusters=np.arange(6) // 2).evidence
    assert clusters.n == 3
    assert bootstrap_shift_test(d, resamples=50).evidence.draws == 50


def test_a_p_value_is_a_number_that_copies_and_pickles() -> None:
    p = paired_t_test([0.1, 0.3, 0.2])
    assert isinstance(p, float)
    assert float(f"{p:.17g}") == p
    for other in (copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert isinstance(other, PValue)
        assert (other, other.evidence) == (p, p.evidence)


@pytest.mark.parametrize(
    ("test", "options", "message"),
    [
        ("t", {"zeros": "pratt"}, "test=\"t\" takes no 'zeros'; it takes none"),
        ("wilcoxon", {"zero": "pratt"}, "it takes zeros, method, continuity, digits; did you mean 'zeros'"),
        ("wilcoxon", {"zeros": "prat"}, "'zeros'='prat' is not one of wilcox, pratt"),
        ("wilcoxon", {"digits": "many"}, "test=\"wilcoxon\": 'digits'='many' is neither a whole number"),
        ("wilcoxon", {"digits": -1}, "'digits'=-1 is neither a whole number from 1 to 15 nor None"),
        ("wilcoxon", {"digits": 400}, "'digits'=400 is neither a whole number from 1 to 15 nor None"),
        ("wilcoxon", {"continuity": 1}, "'continuity'=1 is neither True nor False"),
        ("sign", {"tie": -1}, "'tie'=-1 is not a number from 0"),
        ("randomisation", {"method": "asymptotic"}, "'method'='asymptotic' is not one of auto, exact"),
        ("randomisation", {"seed": 1}, "takes no 'seed'; it takes method"),
    ],
)
def test_options_that_a_test_does_not_take_are_refused(
    test: str, options: dict[str, object], message: str
) -> None:
    with pytest.raises(ChoiceError, match=message.replace("(", r"\(")):
        TESTS[test].check(options)


def test_every_option_of_every_test_can_be_said() -> None:
    assert {name: test.options for name, test in TESTS.items() if test.options} == {
        "randomisation": ("method",),
        "wilcoxon": ("zeros", "method", "continuity", "digits"),
        "sign": ("tie",),
        "bounded": ("reach",),
    }
    for zeros, method in itertools.product(("wilcox", "pratt"), ("auto", "exact", "normal")):
        TESTS["wilcoxon"].check({"zeros": zeros, "method": method, "continuity": False, "digits": None})
