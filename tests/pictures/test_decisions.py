"""Pictures of boards, gates, agreement and power: that their numbers are those of what they show."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest

import rankmark as rm
from rankmark.figures import Boxes, Cells, Figure, Line, Mark, Points, Rule, Segments
from rankmark.results import Board, Runs

SomeMark = TypeVar("SomeMark", bound=Mark)
QRELS = {f"q{i}": {f"d{j}": (i + j) % 3 for j in range(6)} for i in range(30)}
RUNS = {
    name: {query: {f"d{j}": (j * step + i) % 7 for j in range(6)} for i, query in enumerate(QRELS)}
    for name, step in (("old", 2), ("new", 3), ("third", 5))
}


def marks(figure: Figure, kind: type[SomeMark], panel: int = 0) -> list[SomeMark]:
    return [mark for mark in figure.panels[panel].marks if isinstance(mark, kind)]


def board(test: str = "nemenyi") -> Board:
    rng = np.random.default_rng(4)
    values = {f"s{i}": rng.random(40) + 0.1 * i for i in range(5)}
    return rm.board(values, "AP", test=test)  # type: ignore[arg-type]


def test_a_board_shows_values_intervals_and_the_ranks_there_can_be() -> None:
    shown = board()
    figure = shown.plot()
    (values,) = marks(figure, Points)
    np.testing.assert_array_equal(values.x, [row.value for row in shown.rows])
    assert values.right is not None
    np.testing.assert_array_equal(values.right, [row.interval.high for row in shown.rows])
    (ranks,) = marks(figure, Segments, 1)
    np.testing.assert_array_equal(ranks.x, [row.ranks.low for row in shown.rows])
    np.testing.assert_array_equal(ranks.to_x, [row.ranks.high for row in shown.rows])


def test_bars_of_mean_ranks_have_a_point_for_each_system_that_is_not_told_apart() -> None:
    shown = board()
    figure = shown.plot("critical-difference")
    (ranks,) = marks(figure, Points)
    np.testing.assert_array_equal(ranks.x, sorted(row.mean_rank for row in shown.rows))
    least, *bars = marks(figure, Segments, 1)
    assert float(least.to_x[0] - least.x[0]) == pytest.approx(shown.critical_difference)
    groups = {letter for row in shown.rows for letter in row.groups}
    members = {letter: {row.system for row in shown.rows if letter in row.groups} for letter in groups}
    several = sorted(sorted(own) for own in members.values() if len(own) > 1)
    drawn = marks(figure, Points, 1)
    assert sorted(sorted(points.labels) for points in drawn) == several
    for bar, points in zip(bars, drawn, strict=True):
        assert (bar.x[0], bar.to_x[0]) == (min(points.x), max(points.x))


def test_a_critical_difference_that_decides_nothing_is_not_drawn() -> None:
    figure = board("randomisation").plot("critical-difference")
    assert "critical difference" not in figure.subtitle
    assert any("nemenyi" in note for note in figure.notes)


def test_a_gate_shows_what_decides_and_says_where_it_cannot_tell() -> None:
    shown = rm.gate(
        QRELS,
        RUNS["old"],
        RUNS["new"],
        "nDCG@3",
        max_drop=0.01,
        confidence=0.95,
        at_least={"AP": 0.01, "RR": 0.99},
    )
    figure = shown.plot()
    (own,) = shown.measures
    allowed = next(rule for rule in marks(figure, Rule) if rule.name)
    assert allowed.x == 0.01
    (point,), (line,) = marks(figure, Points), marks(figure, Segments)
    assert (point.x[0], line.to_x[0]) == (own.drop, own.bound)
    for limit, panel in zip(shown.limits, figure.panels[1:], strict=True):
        (rule,) = (mark for mark in panel.marks if isinstance(mark, Rule))
        (value,) = (mark for mark in panel.marks if isinstance(mark, Points))
        assert (rule.x, value.x[0]) == (limit.limit, limit.value)
        assert panel.y.asides == ("passed" if limit.passed else "failed",)
    short = rm.gate(QRELS, None, RUNS["old"], at_least={"AP": shown.limits[0].value}, confidence=0.95)
    at = rm.gate(QRELS, None, RUNS["new"], at_least={"AP": shown.limits[0].value - 0.001}, confidence=0.95)
    assert at.plot().panels[0].y.asides == ("cannot tell",)
    assert not short.passed


def test_a_gate_by_point_estimates_has_no_bounds() -> None:
    figure = rm.gate(QRELS, RUNS["old"], RUNS["new"], "AP", max_drop="50%").plot()
    (line,) = marks(figure, Segments)
    assert np.isnan(line.to_x).all()
    assert figure.panels[0].x.ticks == "percent"


def test_agreement_is_a_matrix_of_each_two_ways() -> None:
    shown = rm.agree_on_systems({"q": QRELS}, RUNS, ["nDCG@3", "AP", "MeanRank"], ["Tau", "TauAP"])
    figure = shown.plot()
    for panel, name in zip(figure.panels, ["Tau", "TauAP"], strict=True):
        (cells,) = (mark for mark in panel.marks if isinstance(mark, Cells))
        found = {
            (panel.y.names[i], panel.x.names[j]): cells.values[i, j]
            for i, j in zip(*np.nonzero(np.isfinite(cells.values)), strict=True)
        }
        assert found == {(row["a"], row["b"]): row[name] for row in shown.rows.to_dicts()}
    with pytest.raises(rm.PictureError, match="here are Tau, TauAP"):
        shown.plot(coefficient="Taau")


def test_coefficients_are_boxes_over_queries() -> None:
    shown = rm.agree(RUNS["old"], RUNS["new"], ["Tau", "RBO"])
    figure = shown.plot()
    (boxes,), (means,) = marks(figure, Boxes), marks(figure, Points)
    np.testing.assert_allclose(boxes.middle, [np.nanmedian(shown.query_values(c)) for c in ("Tau", "RBO")])
    np.testing.assert_array_equal(means.x, list(shown.values.values()))


@pytest.mark.parametrize(
    "how", [{"difference": 0.05}, {"width": 0.1}, {"difference": 0.05, "design": "anova"}]
)
def test_curves_of_power_go_through_what_the_queries_show(how: dict[str, object]) -> None:
    compared = rm.compare(QRELS, RUNS, "nDCG@3", baseline="old", clusters={q: int(q[1:]) // 2 for q in QRELS})
    alone = rm.compare(QRELS, RUNS, "nDCG@3", baseline="old")
    for each in [alone] if "design" in how else [alone, compared]:
        shown = rm.power(each, **how)  # type: ignore[arg-type]
        row = shown.rows[0]
        assert row.queries is not None
        assert shown.curve(row, [row.queries]) == pytest.approx([row.detectable])
        figure = shown.plot()
        assert len(marks(figure, Line)) == len(shown.rows)
        there = marks(figure, Points)[0]
        assert (there.x[0], there.y[0]) == (row.queries, row.detectable)


def test_what_more_queries_of_a_gate_show_is_not_drawn() -> None:
    shown = rm.power(rm.compare(QRELS, RUNS, "nDCG@3", baseline="old"), max_drop=0.05)
    assert not marks(shown.plot(), Line)
    with pytest.raises(rm.UsageError, match="not known of a gate"):
        shown.curve(shown.rows[0], [100])


def test_equal_scores_go_from_the_worst_to_the_best() -> None:
    flat = {name: {q: dict.fromkeys(items, 1.0) for q, items in run.items()} for name, run in RUNS.items()}
    runs = Runs({name: rm.evaluate(QRELS, run, ["nDCG@3", "RR"], bounds=True) for name, run in flat.items()})
    figure = runs.plot("ties", measures="RR")
    (ends,) = marks(figure, Segments)
    np.testing.assert_array_equal(ends.x, [runs[name].bounds["RR"].worst for name in RUNS])
    np.testing.assert_array_equal(ends.to_x, [runs[name].bounds["RR"].best for name in RUNS])
    expected, value = marks(figure, Points)
    np.testing.assert_array_equal(expected.x, [runs[name].bounds["RR"].expected for name in RUNS])
    np.testing.assert_array_equal(value.x, [runs[name]["RR"] for name in RUNS])
    with pytest.raises(rm.PictureError, match="bounds=True"):
        rm.evaluate(QRELS, RUNS["old"], "RR").plot("ties")


def test_what_is_judged_is_shown_at_each_cutoff() -> None:
    runs = Runs({name: rm.evaluate(QRELS, run, ["Judged@10", "Judged@2"]) for name, run in RUNS.items()})
    two, ten = marks(runs.plot("judged"), Points)
    assert (two.name, ten.name) == ("Judged@2", "Judged@10")
    np.testing.assert_array_equal(ten.x, [runs[name]["Judged@10"] for name in RUNS])


def test_levels_of_recall_are_a_curve() -> None:
    measures = [f"IPrec(recall={level / 4})" for level in (4, 0, 2)]
    result = rm.evaluate(QRELS, RUNS["old"], [*measures, "IPrec"])
    (line,) = marks(result.plot("recall-precision"), Line)
    np.testing.assert_array_equal(line.x, [0, 0.5, 1])
    np.testing.assert_array_equal(line.y, [result[measures[i]] for i in (1, 2, 0)])
    with pytest.raises(rm.PictureError, match="evaluate"):
        rm.evaluate(QRELS, RUNS["old"], "IPrec").plot("recall-precision")


def test_what_systems_answer_stands_against_what_they_come_to() -> None:
    half = dict(list(RUNS["old"].items())[:15])
    runs = Runs({name: rm.evaluate(QRELS, run, "AP") for name, run in {**RUNS, "half": half}.items()})
    points = {mark.name: mark for mark in marks(runs.plot("answered"), Points)}
    assert (points["half"].x[0], points["half"].y[0]) == (0.5, runs["half"]["AP"])
    with pytest.raises(rm.PictureError, match="answers all queries"):
        runs.plot("answered", systems=["old", "new"])


def test_a_distance_is_0_where_ways_agree() -> None:
    shown = rm.agree_on_systems({"q": QRELS}, RUNS, ["nDCG@3", "NumRel"], ["Tau", "Footrule"])
    figure = shown.plot()
    assert "Tau: 1 where" in figure.subtitle
    assert "Footrule: 0 where" in figure.subtitle
    assert "nDCG@3 and NumRel not defined" in figure.description
    tau, footrule = (mark for panel in figure.panels for mark in panel.marks if isinstance(mark, Cells))
    assert (tau.low, tau.diverging, footrule.low, footrule.diverging) == (-1, True, 0, False)
