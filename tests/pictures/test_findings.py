"""The picture of what a check found."""

from __future__ import annotations

import pytest

import rankmark as rm
from drawn import DRAWN
from rankmark.figures import Bars, Points


def test_each_finding_is_a_point_at_its_count() -> None:
    report = DRAWN["findings"]()
    assert isinstance(report, rm.results.CheckReport)
    counts, _ = report.plot().panels
    drawn = {
        (label, mark.name): count
        for mark in counts.marks
        if isinstance(mark, Points)
        for label, count in zip(mark.labels, mark.x, strict=True)
    }
    assert drawn == {(each.code, each.severity): each.count for each in report.findings}
    assert counts.y.asides == tuple(each.statement for each in report.findings)


def test_bars_are_what_values_would_change_by() -> None:
    report = DRAWN["findings"]()
    _, effects = report.plot().panels
    (bars,) = (each for each in effects.marks if isinstance(each, Bars))
    changes = {
        f"{finding.code}: {effect.measure}, {otherwise}": value - effect.as_is
        for finding in report.findings
        for effect in finding.effects
        for otherwise, value in effect.otherwise.items()
        if effect.as_is is not None and abs(value - effect.as_is) > 1e-12
    }
    assert changes
    assert dict(zip(bars.labels, bars.value, strict=True)) == changes
    assert [abs(each) for each in bars.value] == sorted(map(abs, bars.value), reverse=True)


def test_where_nothing_is_odd_there_is_no_picture() -> None:
    report = rm.check({"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}})
    if not report.findings:
        with pytest.raises(rm.PictureError, match="nothing odd was found"):
            report.plot()


def test_of_several_runs_findings_say_of_which() -> None:
    report = rm.check({"q": {"a": 1}, "p": {"a": 1}}, {"q": ["a", "b"]}, {"p": ["a"]})
    counts, *_ = report.plot().panels
    assert counts.y.names == tuple(f"{each.code}, {each.where}" for each in report.findings)
