"""Coefficients of agreement: as papers print them, as by hand, and by leaving items out one at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from rankmark.errors import ChoiceError, DataError
from rankmark.statistics import (
    AgreementCoefficient,
    cohens_kappa,
    gwets_ac,
    krippendorffs_alpha,
    observed_agreement,
)
from rankmark.statistics.jackknife import jackknife_interval

NAN = math.nan
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
"""K. Krippendorff, "Computing Krippendorff's alpha-reliability", 2011, section D: 4 observers, 12 units."""
RNG = np.random.default_rng(5)
FIRST = RNG.integers(0, 4, 120)
SECOND = np.where(RNG.random(120) < 0.6, FIRST, RNG.integers(0, 4, 120))
QUERIES = np.repeat(np.arange(15), 8)
BOTH = np.column_stack([FIRST, SECOND])

Coefficient = Callable[..., AgreementCoefficient]
ALL: dict[str, Coefficient] = {
    **{f"kappa {cost}": lambda r, c=cost, **k: cohens_kappa(r[:, 0], r[:, 1], cost=c, **k) for cost in
       ("equal", "linear", "quadratic")},
    **{f"AC {cost}": lambda r, c=cost, **k: gwets_ac(r, cost=c, grades=range(4), **k) for cost in
       ("equal", "linear", "quadratic")},
    **{f"alpha {level}": lambda r, v=level, **k: krippendorffs_alpha(r, level=v, **k) for level in
       ("nominal", "ordinal", "interval", "ratio")},
    "observed": observed_agreement,
}  # fmt: skip


@pytest.mark.parametrize(
    ("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_alpha_is_what_krippendorff_prints(level: Any, value: float) -> None:
    found = krippendorffs_alpha(OBSERVERS, level=level)
    assert found.value == pytest.approx(value, abs=0.0005)
    assert (found.items, found.units) == (11, 11)


def test_ac1_is_what_gwet_prints() -> None:
    """.775 is of the same table in his Handbook, 4th edition, 2014, table 2.10 and page 59."""
    assert gwets_ac(OBSERVERS).value == pytest.approx(0.775, abs=0.0005)


def test_kappa_forgets_what_ac1_keeps() -> None:
    """A. R. Feinstein, D. V. Cicchetti, J. Clin. Epidemiol. 43, 1990: 80, 10, 5 and 5 of 100."""
    first = [1] * 90 + [0] * 10
    second = [1] * 80 + [0] * 10 + [1] * 5 + [0] * 5
    assert cohens_kappa(first, second).value == pytest.approx((0.85 - 0.78) / 0.22)
    ratings = np.column_stack([first, second])
    chance = 2 * 0.875 * 0.125
    assert gwets_ac(ratings).value == pytest.approx((0.85 - chance) / (1 - chance))
    assert observed_agreement(ratings).value == pytest.approx(0.85)


@pytest.mark.parametrize(
    ("cost", "weights"), [("equal", None), ("linear", "linear"), ("quadratic", "quadratic")]
)
def test_kappa_is_that_of_scikit_learn(cost: Any, weights: str | None) -> None:
    want = cohen_kappa_score(FIRST, SECOND, weights=weights)
    assert cohens_kappa(FIRST, SECOND, cost=cost).value == pytest.approx(want)


def test_grades_are_as_far_apart_as_their_numbers() -> None:
    """Between 0 and 3 it costs 3, though no item has a grade of 1 or 2, which scikit-learn looks at."""
    first, second = [0, 0, 3, 3, 5], [0, 3, 3, 5, 5]
    apart = np.abs(np.subtract.outer(first, second))
    want = 1 - 5 * np.trace(apart) / apart.sum()
    assert cohens_kappa(first, second, cost="linear").value == pytest.approx(want)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("clustered", [False, True])
def test_intervals_are_by_leaving_out_each_item_or_query(name: str, *, clustered: bool) -> None:
    coefficient, labels = ALL[name], QUERIES if clustered else np.arange(120)
    found = coefficient(BOTH, clusters=QUERIES if clustered else None, confidence=0.9)
    assert found.units == len(np.unique(labels))
    without = [coefficient(BOTH[labels != each]).value for each in np.unique(labels)]
    bounds = (0.0, 1.0) if name == "observed" else (None, 1.0)
    want = jackknife_interval(found.value, np.array(without), bounds=bounds, confidence=0.9)
    assert tuple(found.interval) == pytest.approx(tuple(want), rel=1e-9)
    assert found.low < found.value < found.high


@pytest.mark.parametrize("name", ALL)
def test_all_alike_is_1_without_an_interval(name: str) -> None:
    found = ALL[name](np.column_stack([FIRST, FIRST]))
    assert found.value == pytest.approx(1)
    assert (math.isnan(found.low), found.caution) == (True, "alike")


@pytest.mark.parametrize("name", [name for name in ALL if "AC" not in name and name != "observed"])
def test_nothing_is_known_where_all_items_have_one_grade(name: str) -> None:
    assert math.isnan(ALL[name](np.ones((9, 2))).value)


def test_few_units_are_said() -> None:
    assert cohens_kappa(FIRST[:9], SECOND[:9]).caution == "small"


def test_the_order_of_items_and_which_rater_is_which_change_nothing() -> None:
    turned = BOTH[::-1, ::-1]
    for name, coefficient in ALL.items():
        assert coefficient(turned).value == pytest.approx(coefficient(BOTH).value), name


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: cohens_kappa([1, 0], [1]), DataError, "2 grades by one rater and 1 by the other"),
        (lambda: cohens_kappa([1, NAN], [NAN, 1]), DataError, "no item has grades of two raters"),
        (lambda: cohens_kappa([1, 0], [1, 0], cost="cubic"), ChoiceError, "cost='cubic' is not one of"),  # type: ignore[arg-type]
        (lambda: krippendorffs_alpha([[1, 0]], level="names"), ChoiceError, "level='names' is not one of"),  # type: ignore[arg-type]
        (lambda: krippendorffs_alpha([[-1, 0]], level="ratio"), DataError, "0 or more, and one is -1"),
        (lambda: gwets_ac([[1, 4]], grades=[0, 1, 2]), DataError, "4 is not among the grades"),
        (lambda: gwets_ac([[1, 0]], clusters=["q", "q"]), DataError, "2 clusters for 1 items"),
        (lambda: gwets_ac(np.arange(4_000.0).reshape(-1, 2)), DataError, "put near ones together"),
    ],
)
def test_what_cannot_be_is_refused(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
