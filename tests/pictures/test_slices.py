"""Pictures of slices have the numbers of these."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from drawn import DRAWN, of
from rankmark.figures import Bars, Figure, Line, Panel, Points, Rule
from rankmark.results.runs import Runs


def numbers(panel: Panel) -> dict[str, tuple[float, ...]]:
    """Value and interval of each slice that is a point of a panel, by its name."""
    found = {}
    for mark in panel.marks:
        if isinstance(mark, Points):
            assert mark.left is not None
            assert mark.right is not None
            for at, *own in zip(mark.y, mark.x, mark.left, mark.right, strict=True):
                found[panel.y.names[round(at)]] = tuple(own)
    return found


def rules(figure: Figure) -> dict[str, Rule]:
    return {m.name: m for panel in figure.panels for m in panel.marks if isinstance(m, Rule) and m.name}


@pytest.mark.parametrize("measure", ["PCOPC", "AUC", "LogLoss"])
def test_points_are_values_with_intervals_in_the_order_of_slices(measure: str) -> None:
    result = DRAWN["slices of a result"]()
    figure = result.plot("slices", measure=measure)
    for panel, by in zip(figure.panels, ("country", "day"), strict=True):
        rows = [row for row in result.slices.rows if (row.by, row.measure) == (by, measure)]
        assert panel.y.names == tuple(row.slice or "(none)" for row in rows)
        assert panel.y.asides == tuple(f"{row.rows:,}" for row in rows)
        found = numbers(panel)
        assert [found[name] for name in panel.y.names] == [(row.value, row.low, row.high) for row in rows]
    above, below = figure.panels
    assert above.x.limits == below.x.limits
    assert result.slices.overall[measure] == result[measure]
    assert rules(figure)[f"all rows: {result[measure]:.4f}"].x == result[measure]


def test_what_is_calibrated_is_a_line_and_which_way_is_better_is_said() -> None:
    result = DRAWN["slices of a result"]()
    assert rules(result.plot("slices"))["calibrated: 1"].x == 1
    assert result.plot("slices", measure="LogLoss").panels[0].x.label == "LogLoss (lower is better)"
    table = {"label": [0, 1, 0, 1], "score": [0.3, 0.5, 0.2, 0.8], "kind": list("abab")}
    logarithm = rm.evaluate_predictions(table, "PCOPC(scale=log)", by="kind").slices
    assert logarithm is not None
    assert rules(logarithm.plot())["calibrated: 0"].x == 0


def test_slices_that_are_not_calibrated_are_those_whose_interval_says_so() -> None:
    rng = np.random.default_rng(0)
    score = np.full(1200, 0.5)
    rate = np.repeat([0.5, 0.5, 0.25], 400)
    table: dict[str, Any] = {"label": (rng.random(1200) < rate).astype(int), "score": score}
    table["kind"] = np.repeat(["a", "b", "c"], 400).tolist()
    result = rm.evaluate_predictions(table, "PCOPC", by="kind", intervals=True)
    (panel,) = result.plot("slices").panels
    shown = {mark.name: mark for mark in panel.marks if isinstance(mark, Points)}
    assert {name: mark.y.tolist() for name, mark in shown.items()} == {
        "interval without 1: not calibrated": [2],
        "interval with 1": [0, 1],
    }


def test_less_is_better_of_losses() -> None:
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 400)
    good = np.arange(400) % 2 == 0
    score = np.clip(np.where(good, 0.2 + 0.6 * label, 0.5) + 0.1 * rng.normal(size=400), 0.05, 0.95)
    table = {"label": label, "score": score, "kind": np.where(good, "good", "bad").tolist()}
    result = rm.evaluate_predictions(table, "LogLoss AUC", by="kind", intervals=True)
    for measure in ("LogLoss", "AUC"):
        (panel,) = result.plot("slices", measure=measure).panels
        tones = {panel.y.names[int(mark.y[0])]: mark.tone for mark in panel.marks if isinstance(mark, Points)}
        assert tones == {"good": "good", "bad": "bad"}


def test_differences_in_slices_are_those_of_pairs() -> None:
    compared = DRAWN["slices of a comparison"]()
    figure = compared.plot("slices", measure="RR", system="third")
    (panel,) = figure.panels
    pairs = {
        s.slice: s.pair
        for s in compared.slices.pairs
        if (s.pair.measure.label, s.pair.system) == ("RR", "third")
    }
    assert numbers(panel) == {name: (pair.difference, *pair.interval) for name, pair in pairs.items()}
    assert figure.title == "RR: third − old by slice"
    overall = compared.pair("RR", "third").difference
    assert overall in [rule.x for rule in rules(figure).values()]
    assert any(isinstance(mark, Rule) and mark.x == 0 for mark in panel.marks)


def test_of_several_systems_each_has_its_points() -> None:
    runs, (panel,) = DRAWN["slices of several"](), of("slices of several").panels
    for name, result in runs.results.items():
        (mark,) = (each for each in panel.marks if isinstance(each, Points) and each.name == name)
        assert mark.x.tolist() == [row.value for row in result.slices.rows]
        assert np.round(mark.y).tolist() == [0, 1, 2]


def test_many_systems_have_a_panel_each_and_share_an_axis() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(9)}
    by = {query: ("0-1", "2-3", "4-5")[i % 3] for i, query in enumerate(qrels)}
    runs = {
        f"s{k}": rm.evaluate(
            qrels, {q: [*map(str, range(i % (k + 1))), "a"] for i, q in enumerate(qrels)}, "RR", by=by
        )
        for k in range(8)
    }
    figure = Runs(runs).plot("slices")
    assert [panel.title for panel in figure.panels] == [f"s{k}" for k in range(6)]
    assert len({panel.x.limits for panel in figure.panels}) == 1
    for panel in figure.panels:
        slices = runs[panel.title].slices
        assert slices is not None
        values = {name: found[0] for name, found in numbers(panel).items()}
        assert values == {row.slice: row.value for row in slices.rows}
    assert list(rules(figure)) == ["all queries"]
    assert "the first 6 of 8 systems; system= chooses one" in figure.notes
    lines = [mark for mark in Runs(runs).plot("trend").panels[0].marks if isinstance(mark, Line)]
    assert [(line.name, line.low) for line in lines] == [(f"s{k}", None) for k in range(6)]


def test_an_axis_ends_where_values_do() -> None:
    result = rm.evaluate(
        {"p": {"a": 1}, "q": {"a": 1}}, {"p": ["a"], "q": ["a"]}, "RR", by={"p": "x", "q": "y"}
    )
    assert result.plot("slices").panels[0].x.limits == (0.5, 1.0)


def test_the_largest_of_many_slices_are_shown_in_their_order() -> None:
    kind = [f"k{i}" for i in range(100) for _ in range(i + 1)]
    table = {"label": [i % 2 for i in range(len(kind))], "score": [0.5] * len(kind), "kind": kind}
    slices = rm.evaluate_predictions(table, "Brier", by="kind").slices
    assert slices is not None
    figure = slices.plot()
    assert figure.panels[0].y.names == tuple(f"k{i}" for i in range(60, 100))
    assert "the largest 40 of 100 slices" in figure.notes


def test_days_are_the_natural_picture_and_one_that_is_lacking_has_its_place() -> None:
    result = DRAWN["trend"]()
    figure = result.plot()
    assert figure.title == "PCOPC along day"
    above, below = figure.panels
    assert above.x.names == tuple(f"2024-01-0{i}" for i in range(1, 7))
    rows = {row.slice: row for row in result.slices.rows if (row.by, row.measure) == ("day", "PCOPC")}
    (points,) = (mark for mark in above.marks if isinstance(mark, Points))
    assert points.low is not None
    assert points.high is not None
    shown = zip((above.x.names[int(at)] for at in points.x), points.y, points.low, points.high, strict=True)
    assert list(shown) == [(name, row.value, row.low, row.high) for name, row in rows.items()]
    (bars,) = below.marks
    assert isinstance(bars, Bars)
    assert bars.value[[0, 1, 2, 4, 5]].tolist() == [row.rows for row in rows.values()]
    assert np.isnan(bars.value[3])
    assert "no rows on 1 day" in figure.notes


def test_many_days_are_a_line_with_a_band() -> None:
    days = [date(2024, 1, 1) + timedelta(days=i % 60) for i in range(3000)]
    rng = np.random.default_rng(0)
    table = {"label": rng.integers(0, 2, 3000), "score": rng.random(3000), "day": days}
    result = rm.evaluate_predictions(table, "Brier", by="day", intervals=True)
    (line,) = (mark for mark in result.plot().panels[0].marks if isinstance(mark, Line))
    assert result.slices is not None
    assert line.y.tolist() == [row.value for row in result.slices.rows]
    assert line.low is not None
    assert line.low.tolist() == [row.low for row in result.slices.rows]


def test_intervals_of_numbers_are_in_their_order() -> None:
    assert of("trend of several").panels[0].x.names == ("0-10", "11-100", ">100")
    assert DRAWN["trend of several"]().plot().title == "nDCG@5 along slice"


@pytest.mark.parametrize(
    ("what", "options", "message"),
    [
        (lambda: rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP"), {"name": "slices"}, "by=.country"),
        (DRAWN["slices of a comparison"], {"name": "trend"}, "neither days nor intervals"),
        (DRAWN["slices of a comparison"], {"name": "slices", "system": "forth"}, "no such pair; there is"),
        (DRAWN["slices"], {"name": "slices", "measure": "AUK"}, "did you mean 'AUC'"),
        (DRAWN["slices"], {"name": "slices", "by": "contry"}, "did you mean 'country'"),
        (DRAWN["slices"], {"name": "slices", "baseline": "x"}, "these are no differences"),
        (DRAWN["slices of several"], {"name": "slices", "system": "x"}, "'x' is not one of the systems"),
    ],
)
def test_what_there_is_not_is_said(what: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.PictureError, match=message):
        what().plot(**options)


def test_slices_that_were_saved_know_the_values_of_all(tmp_path: Any) -> None:
    slices = DRAWN["slices"]()
    slices.save(tmp_path / "s.rankmark")
    again = rm.load(tmp_path / "s.rankmark")
    assert isinstance(again, rm.results.PredictionSlices)
    assert again.overall == slices.overall
    assert again.plot("slices").to_svg() == slices.plot("slices").to_svg()


def test_why_another_measure_has_no_value_is_not_told_beneath_the_picture() -> None:
    rows = {"click": [0, 1, 0, 0] * 10, "p": [0.3, 0.6, 0.2, 0.1] * 10, "by": ["a", "a", "b", "b"] * 10}
    found = rm.evaluate_predictions(rows, "AUC, PCOPC", label="click", score="p", by="by")
    told = [" ".join(found.plot("slices", measure=each).notes) for each in ("AUC", "PCOPC")]
    assert "no value of AUC" in told[0]
    assert "no value of AUC" not in told[1]
