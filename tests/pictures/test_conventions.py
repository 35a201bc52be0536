"""Pictures of one number by several rules."""

from __future__ import annotations

import numpy as np
import pytest

import rankmark as rm
from drawn import DRAWN
from rankmark.figures import Points, Rule, Segments
from rankmark.figures.marks import Mark


def _marks(figure: rm.results.Figure, kind: type[Mark]) -> list[Mark]:
    (panel,) = figure.panels
    return [each for each in panel.marks if isinstance(each, kind)]


def test_each_value_is_a_point_with_its_conventions() -> None:
    found = DRAWN["conventions"]()
    assert isinstance(found, rm.results.Differences)
    figure = found.plot(measure="RR")
    groups = found.alike("RR")
    points = _marks(figure, Points)
    places: dict[float, tuple[float, str]] = {}
    for mark in points:
        assert isinstance(mark, Points)
        places |= {row: (x, label) for row, x, label in zip(mark.y, mark.x, mark.labels, strict=True)}
    assert [places[row] for row in sorted(places)] == [(each.value, ", ".join(each.like)) for each in groups]
    (rule,) = _marks(figure, Rule)
    assert isinstance(rule, Rule)
    assert rule.x == found.values["RR"]["rankmark"]
    (lines,) = _marks(figure, Segments)
    assert isinstance(lines, Segments)
    assert set(lines.x) == {rule.x}
    for each in groups:
        assert f"{each.value:.4f}: {', '.join(each.like)}" in figure.description
        assert all(change in figure.description for change in each.changes)
    assert not any("nDCG" in note for note in figure.notes)


def test_the_number_of_tools_is_in_the_title() -> None:
    assert DRAWN["conventions of two"]().plot().title == "nDCG@10 of one run, by the rules of 2 tools"


def test_of_a_measure_that_was_not_asked_for_those_are_named_that_were() -> None:
    with pytest.raises(rm.UsageError, match="rankmark has no AP here; it has nDCG@10, RR"):
        DRAWN["conventions"]().plot(measure="AP")


@pytest.mark.parametrize("name", ["definitions", "definitions that are none"])
def test_definitions_stand_at_their_values_and_those_that_fit_are_marked(name: str) -> None:
    found = DRAWN[name]()
    assert isinstance(found, rm.results.Identification)
    figure = found.plot()
    (rule,) = _marks(figure, Rule)
    assert isinstance(rule, Rule)
    assert (rule.x, rule.high) == (found.wanted, found.wanted + found.tolerance)
    points = _marks(figure, Points)
    values = np.concatenate([each.x for each in points if isinstance(each, Points)])
    assert values.tolist() == [each.value for each in found.candidates[: len(values)]]
    fitting = [each for each in points if isinstance(each, Points) and not each.hollow]
    assert sum(len(each.x) for each in fitting) == len(found.found)
    assert figure.title == found.verdict
