"""Golden values: the same signature, the same number, in every version. docs/compatibility.md says why."""

from __future__ import annotations

import json
from typing import Any

import pytest

import goldens
import rankmark as rm
from rankmark.language.choices import values_of
from strategies import ALL_PAGES

LINES = goldens.lines()
BY_DATA = {data: [line for line in LINES if line.data == data] for data in goldens.DATA if data != "systems"}
STATISTICS = {json.dumps(each.options): each for each in goldens.statistics()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("data", BY_DATA)
def test_a_signature_comes_to_what_it_always_did(data: str) -> None:
    changed = {
        line.signature: (found, line.value)
        for line in BY_DATA[data]
        if not goldens.same(found := goldens.value(data, line.signature), line.value)
    }
    assert not changed


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("made", STATISTICS.values(), ids=STATISTICS)
def test_intervals_and_p_values_are_what_they_always_were(made: goldens.Made) -> None:
    found = goldens.numbers(made.options)
    assert found.keys() == made.numbers.keys()
    assert not {name: x for name, x in found.items() if not goldens.same(x, made.numbers[name])}


def test_no_line_stands_twice() -> None:
    assert len({(line.data, line.signature) for line in LINES}) == len(LINES)


def test_every_measure_convention_and_choice_has_a_line() -> None:
    evaluations = [rm.from_signature(line.signature) for line in LINES]
    assert {each.measure.name for each in evaluations} == ALL_PAGES.keys()
    assert {each.convention for each in evaluations} >= {each.label for each in rm.conventions().values()}
    for choice in goldens.CHOICES:
        assert {getattr(each.choices, choice) for each in evaluations} >= {*values_of(choice)}, choice


def test_every_interval_test_and_correction_has_a_line() -> None:
    assert STATISTICS.keys() == {json.dumps(options) for options in goldens.wanted_statistics()}


def test_a_signature_without_choices_is_by_the_standard() -> None:
    """Those of measures of items named none at first."""
    early = rm.from_signature("Novelty@2|by:users|unseen:one|scale:bits|weights:none|rankmark:0.1.0")
    assert early == rm.from_signature("Novelty@2|ties:item-desc|rankmark:0.1.0")


def test_another_value_is_refused_without_a_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    line, made = LINES[0], next(iter(STATISTICS.values()))
    values, statistics = tmp_path / "values.jsonl", tmp_path / "statistics.jsonl"
    values.write_text(json.dumps({**line._asdict(), "value": 0.25}) + "\n")
    statistics.write_text(json.dumps(made._asdict()) + "\n")
    monkeypatch.setattr(goldens, "VALUES", values)
    monkeypatch.setattr(goldens, "STATISTICS", statistics)
    monkeypatch.setattr(goldens, "wanted", lambda: [("ties", "RR|rankmark:0.1.0")])
    monkeypatch.setattr(goldens, "wanted_statistics", list)
    monkeypatch.setattr("sys.argv", ["goldens.py"])
    assert goldens.main() == 1
    assert f"another value: {line.signature}" in capsys.readouterr().err
    assert len(values.read_text().splitlines()) == 1
    monkeypatch.setattr("sys.argv", ["goldens.py", "--because", "it was 0.25 by a mistake"])
    assert goldens.main() == 0
    first, second = goldens.lines()
    assert (first.value, first.because) == (line.value, "it was 0.25 by a mistake")
    assert (second.signature, second.because) == ("RR|rankmark:0.1.0", None)
