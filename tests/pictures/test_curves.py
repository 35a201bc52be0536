"""Pictures of curves have the numbers of their tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankmark as rm
from drawn import DRAWN, of
from rankmark.figures import Bars, Figure, Line, Points, Segments

RARE = {"label": [1] * 5 + [0] * 995, "score": np.linspace(1, 1e-9, 1000)}


def marks(figure: Figure, kind: type) -> list[Any]:
    return [each for panel in figure.panels for each in panel.marks if isinstance(each, kind)]


def named(figure: Figure, name: str) -> Line:
    (found,) = (each for each in marks(figure, Line) if each.name.startswith(name))
    return found  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("kind", "x", "y", "name"),
    [
        ("ROC", "fpr", "tpr", "ROC"),
        ("DET", "fpr", "fnr", "DET"),
        ("gain", "share", "gain", "gain"),
        ("KS", "threshold", "tpr", "positive rows"),
        ("KS", "threshold", "fpr", "other rows"),
        ("F1", "threshold", "recall", "recall"),
        ("F1", "threshold", "f1", "F1"),
    ],
)
def test_lines_are_the_columns(kind: str, x: str, y: str, name: str) -> None:
    table, line = DRAWN[kind](), named(of(kind), name)
    assert np.array_equal(line.x, table.frame[x])
    assert np.array_equal(line.y, table.frame[y])


@pytest.mark.parametrize(("kind", "rate"), [("ROC", "tpr"), ("PR", "precision"), ("DET", "fnr")])
def test_bands_are_the_tables(kind: str, rate: str) -> None:
    table, (line, *_) = DRAWN[kind](), [each for each in marks(of(kind), Line) if each.low is not None]
    # In steps an interval stands from the recall of the threshold before on.
    first = 1 if kind == "PR" else 0
    assert np.array_equal(line.low[: len(line.x) - first], table.frame[f"{rate}_low"][first:])
    assert np.array_equal(line.high[: len(line.x) - first], table.frame[f"{rate}_high"][first:])
    assert "The band takes rows for independent" in " ".join(of(kind).notes)
    assert "band: 95%" in of(kind).subtitle
    without = rm.curve(RARE, kind).plot()  # type: ignore[arg-type] # of the parameters
    assert "no band: a confidence of 0.95 gives one" in without.subtitle


def test_lift_is_not_drawn_of_a_few_positive_rows() -> None:
    table, line = DRAWN["lift"](), named(of("lift"), "lift")
    found = table.frame["lift"].to_numpy() * table.frame["share"].to_numpy() * table.positive
    assert (line.x[0], np.isnan(line.y[0])) == (0, found[0] < 10)
    assert np.array_equal(np.isnan(line.y[1:]), found < 10)
    assert np.array_equal(line.y[1:][found >= 10], table.frame["lift"].filter(found >= 10))


def test_precision_is_drawn_in_the_steps_of_its_area() -> None:
    table, line = DRAWN["PR"](), named(of("PR"), "precision")
    assert line.step
    assert np.array_equal(line.x, table.frame["recall"])
    assert np.array_equal(line.y[:-1], table.frame["precision"][1:])
    flat = rm.curve({"label": [1, 0, 0, 0], "score": [0.5] * 4}, "PR").plot()
    assert named(flat, "precision").y.tolist() == [0.25, 0.25]
    assert "area 0.2500 (in steps: AveragePrecision)" in flat.subtitle


def test_lift_of_equal_scores_is_drawn_from_the_first_row() -> None:
    line = named(rm.curve({"label": [1, 0, 0, 0], "score": [0.5] * 4}, "lift").plot(), "lift")
    assert (line.x.tolist(), line.y.tolist()) == ([0, 1], [1, 1])


def test_precision_of_a_few_positive_rows_is_not_drawn_by_threshold() -> None:
    table, figure = DRAWN["F1"](), of("F1")
    found = table.frame["recall"].to_numpy() * table.positive
    line = named(figure, "precision")
    assert np.array_equal(np.isnan(line.y), found < 10)
    assert np.array_equal(line.y[found >= 10], table.frame["precision"].filter(found >= 10))
    assert "No precision where fewer than 10 positive rows are found" in figure.notes[0]
    same = rm.curve({"label": [1, 0], "score": [0.5, 0.5]}, "F1").plot()
    assert np.isnan(named(same, "precision").y).tolist() == [True, False]


def test_weights_are_not_called_rows() -> None:
    weighed = {"label": [1, 0, 0], "score": [0.5, 0.4, 0.1], "weight": [1.5, 2.25, 3]}
    figure = rm.curve(weighed, "scores").plot()
    assert "3 rows, 1 positive, weighted" in figure.subtitle
    assert named(figure, "other rows").name == "other rows: weight 5.25"


def test_bins_without_positive_rows_have_no_ratio() -> None:
    figure = rm.curve({"label": [0, 0], "score": [0.5, 0.4]}, "calibration").plot("PCOPC")
    assert "of all no value: no row is positive" in figure.subtitle


def test_the_greatest_distance_is_where_it_is() -> None:
    table, (greatest,) = DRAWN["KS"](), marks(of("KS"), Segments)
    assert greatest.to_y[0] - greatest.y[0] == pytest.approx(table.greatest)
    assert greatest.x[0] == greatest.to_x[0] == table.greatest_at
    assert f"KS {table.greatest:.4f}" in of("KS").subtitle


def test_the_greatest_f1_is_where_it_is() -> None:
    table, (greatest,) = DRAWN["F1"](), marks(of("F1"), Points)
    assert (greatest.x[0], greatest.y[0]) == (table.greatest_at, pytest.approx(table.greatest))


def test_scores_that_tell_nothing_have_no_place_of_the_greatest_distance() -> None:
    figure = rm.curve({"label": [1, 0], "score": [0.5, 0.5]}, "KS").plot()
    assert "nan" not in figure.to_svg()


@pytest.mark.parametrize("binning", ["width", "mass"])
@pytest.mark.parametrize("log", [False, True])
def test_reliability_is_the_table_over_one_axis(binning: Any, log: bool) -> None:
    table = rm.curve(RARE, "calibration", binning=binning)
    figure = table.plot("reliability", log=log)
    (points,), (bars,) = marks(figure, Points), marks(figure, Bars)
    assert np.array_equal(points.x, table.frame["mean_score"])
    rate = table.frame["rate"].to_numpy()
    assert np.array_equal(points.y[rate > 0], rate[rate > 0])
    assert np.isnan(points.y[rate == 0]).all() == log
    assert np.array_equal(points.low, table.frame["rate_low"])
    assert np.array_equal(points.high, table.frame["rate_high"])
    assert np.array_equal(bars.value, table.frame["rows"])
    above, below = figure.panels
    assert (above.x.limits, above.x.scale) == (below.x.limits, below.x.scale)


def test_predicted_over_observed_is_of_the_same_bins() -> None:
    table, (points,) = DRAWN["PCOPC"](), marks(of("PCOPC"), Points)
    frame = table.frame
    assert points.y == pytest.approx((frame["mean_score"] / frame["rate"]).to_numpy())
    assert points.low == pytest.approx((frame["mean_score"] / frame["rate_high"]).to_numpy())
    whole = rm.evaluate_predictions({"label": [1, 0, 0], "score": [0.5, 0.2, 0.1]}, "PCOPC")["PCOPC"]
    small = rm.curve({"label": [1, 0, 0], "score": [0.5, 0.2, 0.1]}, "calibration").plot("PCOPC")
    assert f"of all {whole:.4g}" in small.subtitle
    assert "No upper end of 2 bins without a positive row." in small.notes


@pytest.mark.parametrize("binning", ["width", "mass"])
@pytest.mark.parametrize("log", [False, True])
def test_areas_of_scores_are_the_shares_of_their_class(binning: Any, log: bool) -> None:
    score = np.geomspace(0.001, 1, 300)
    table = rm.curve({"label": [0, 0, 1] * 100, "score": score}, "scores", bins=9, binning=binning)
    figure = table.plot(log=log)
    for name, column in (("positive rows", "positive"), ("other rows", "negative")):
        line = named(figure, name)
        x = np.log10(line.x) if log else line.x
        breadth = np.diff(x) if log or binning == "mass" else 1.0
        shares = (line.y[:-1] * breadth)[line.y[:-1] > 0]
        weight = table.frame[column].to_numpy()
        assert shares == pytest.approx((weight / weight.sum())[weight > 0])


@pytest.mark.parametrize("name", ["ROC", "PR", "DET", "gain", "lift", "KS", "F1"])
def test_a_curve_of_every_threshold_is_no_larger_than_what_can_be_seen(name: Any) -> None:
    rng = np.random.default_rng(0)
    score = rng.random(30_000)
    table = {"label": (rng.random(30_000) < score).astype(int), "score": score}
    confidence = 0.95 if name in ("ROC", "PR", "DET") else None
    found = rm.curve(table, name, points=None, confidence=confidence)
    assert len(found) > 29_000
    assert len(found.plot().to_svg()) < 250_000


@pytest.mark.parametrize("name", ["ROC", "PR", "lift", "KS", "F1"])
def test_rare_events_have_logarithmic_axes(name: Any) -> None:
    figure = rm.curve(RARE, name).plot(log=True)
    (panel,) = figure.panels
    assert "log" in (panel.x.scale, panel.y.scale)
    assert "nan" not in figure.to_svg()


def test_a_logarithmic_axis_of_scores_below_zero_is_refused() -> None:
    below = {"label": [1, 0], "score": [-1.0, -2.0]}
    with pytest.raises(rm.PictureError, match="no threshold is above 0"):
        rm.curve(below, "KS").plot(log=True)
    with pytest.raises(rm.PictureError, match="no score is above 0"):
        rm.curve(below, "scores").plot("scores", log=True)


@pytest.mark.parametrize("name", ["ROC", "KS", "scores", "reliability", "PCOPC"])
def test_another_curve_is_refused_and_the_right_one_named(name: str) -> None:
    with pytest.raises(rm.PictureError, match='is of "gain": ask for that curve'):
        DRAWN["gain"]().plot(name)
