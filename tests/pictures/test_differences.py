"""Differences of each query, as a picture."""

from __future__ import annotations

import numpy as np
import pytest

import rankmark as rm
from rankmark.figures import Bars, Figure, Rule
from rankmark.results import Comparison

OLD = {"q1": 0.2, "q2": 0.5, "q3": 0.4, "q4": 0.1}
NEW = {"q1": 0.6, "q2": 0.5, "q3": 0.3, "q4": 0.2}


def compared(measure: str = "AP", **options: object) -> Comparison:
    return rm.compare_matrix({"old": OLD, "new": NEW}, measure, baseline="old", **options)  # type: ignore[arg-type]


def bars_of(figure: Figure) -> dict[str, Bars]:
    return {mark.name: mark for mark in figure.panels[0].marks if isinstance(mark, Bars)}


def test_bars_are_the_queries_differences_and_the_rule_their_mean_with_its_interval() -> None:
    comparison = compared()
    figure = comparison.plot("differences")
    bars = bars_of(figure)
    assert bars["new better: 2 queries"].labels == ("q1", "q4")
    np.testing.assert_allclose(bars["new better: 2 queries"].value, [0.4, 0.1])
    assert bars["old better: 1 query"].labels == ("q3",)
    np.testing.assert_allclose(bars["old better: 1 query"].start, [3])
    (pair,) = comparison.pairs
    mean = next(mark for mark in figure.panels[0].marks if isinstance(mark, Rule) and mark.name)
    assert (mean.y, mean.low, mean.high) == (pair.difference, *pair.interval)
    assert "4 queries, 1 of them equal" in figure.panels[0].x.label


def test_what_gains_most_comes_first_where_less_is_better() -> None:
    bars = bars_of(compared("delay", better="less").plot("differences"))
    assert bars["new better: 1 query"].labels == ("q3",)
    np.testing.assert_allclose(bars["new better: 1 query"].start, [0])
    assert (bars["new better: 1 query"].value < 0).all()


def test_what_the_sign_test_takes_for_a_tie_is_neither_better_nor_worse() -> None:
    comparison = compared(test="sign", test_options={"tie": 0.15})
    bars = bars_of(comparison.plot("differences"))
    (pair,) = comparison.pairs
    assert len(bars["equal within 0.15: 3 queries"].value) == pair.ties == 3
    assert len(bars["new better: 1 query"].value) == pair.wins


@pytest.mark.parametrize("values", [[0.5], [0.5, 0.5, 0.5]])
def test_queries_that_are_all_equal_have_no_bars(values: list[float]) -> None:
    comparison = rm.compare_matrix({"old": values, "new": values}, "AP")
    figure = comparison.plot("differences")
    assert not bars_of(figure)
    assert "nan" not in figure.to_svg()


def test_a_hundred_thousand_queries_are_as_many_shapes_as_can_be_seen() -> None:
    rng = np.random.default_rng(0)
    comparison = rm.compare_matrix({"old": rng.random(100_000), "new": rng.random(100_000)}, "AP")
    assert len(comparison.plot("differences").to_svg()) < 80_000


def test_what_differs_by_rounding_alone_is_equal_in_every_picture() -> None:
    old, new = {"q1": 0.3, "q2": 0.1}, {"q1": 0.1 + 0.2, "q2": 0.2}
    comparison = rm.compare_matrix({"old": old, "new": new}, "AP", baseline="old")
    (pair,) = comparison.pairs
    assert (pair.wins, pair.ties, pair.losses) == (1, 1, 0)
    assert list(bars_of(comparison.plot("differences"))) == ["new better: 1 query"]
    points = {mark.name for mark in comparison.plot("scatter").panels[0].marks}
    assert points == {"equal", "new better: 1 query", "equal: 1 query"}
    assert [each.query for each in comparison.movers()] == ["q2"]
