"""Pictures of systems side by side: that their numbers are those of the results."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark.figures import Boxes, Figure, Line, Mark, Points, Segments, Texts
from rankmark.results import Comparison, Runs

SomeMark = TypeVar("SomeMark", bound=Mark)
QRELS = {f"q{i}": {f"d{j}": (i + j) % 3 for j in range(6)} for i in range(12)}
RUNS = {
    name: {query: {f"d{j}": (j * step + i) % 7 for j in range(6)} for i, query in enumerate(QRELS)}
    for name, step in (("old", 2), ("new", 3), ("third", 5))
}
MEASURES = ["nDCG@1", "nDCG@3", "nDCG@6", "MeanRank"]


def evaluated() -> Runs:
    return Runs({name: rm.evaluate(QRELS, run, MEASURES).with_intervals() for name, run in RUNS.items()})


def compared(**options: object) -> Comparison:
    return rm.compare(QRELS, RUNS, ["nDCG@3", "MeanRank"], **options)  # type: ignore[arg-type]


def marks(figure: Figure, kind: type[SomeMark], panel: int = 0) -> list[SomeMark]:
    return [mark for mark in figure.panels[panel].marks if isinstance(mark, kind)]


def test_curves_are_of_the_values_at_each_cutoff_with_their_intervals() -> None:
    runs = evaluated()
    figure = runs.plot("cutoffs")
    lines = marks(figure, Line)
    assert [line.name for line in lines] == list(RUNS)
    for line in lines:
        result = runs[line.name]
        names = MEASURES[:3]
        np.testing.assert_array_equal(line.x, [1, 3, 6])
        np.testing.assert_array_equal(line.y, [result[name] for name in names])
        assert line.low is not None
        np.testing.assert_array_equal(line.low, [result.intervals[name].low for name in names])


def test_of_many_systems_curves_have_no_bands_but_are_told_apart() -> None:
    run, many = RUNS["old"], [f"s{i}" for i in range(12)]
    result = rm.evaluate(QRELS, run, MEASURES).with_intervals()
    figure = Runs(dict.fromkeys(many, result)).plot("cutoffs")
    lines = marks(figure, Line)
    assert all(line.low is None for line in lines)
    assert len({(line.tone, line.dashed) for line in lines}) == 12
    assert "not drawn" in figure.subtitle


def test_one_cutoff_is_no_curve() -> None:
    with pytest.raises(rm.PictureError, match="several cutoffs"):
        rm.evaluate(QRELS, RUNS["old"], ["nDCG@3", "AP"]).plot("cutoffs")


def test_values_are_those_of_the_results() -> None:
    runs = evaluated()
    figure = runs.plot("values", measures="MeanRank")
    (points,) = marks(figure, Points)
    np.testing.assert_array_equal(points.x, [runs[name]["MeanRank"] for name in RUNS])
    assert points.right is not None
    np.testing.assert_array_equal(points.right, [runs[name].intervals["MeanRank"].high for name in RUNS])
    assert "lower is better" in figure.panels[0].x.label


def test_a_distribution_is_of_the_queries() -> None:
    runs = evaluated()
    figure = runs.plot("distribution", measure="nDCG@3", systems="new")
    (line,), (box,), (mean,) = marks(figure, Line), marks(figure, Boxes, 1), marks(figure, Points, 1)
    values = np.sort(runs["new"].query_values("nDCG@3"))
    np.testing.assert_allclose(
        [np.mean(values <= x) for x in line.x[1:]], line.y[1:], err_msg="the share up to each value"
    )
    assert box.middle == np.median(values)
    assert mean.x == runs["new"]["nDCG@3"]


def test_many_queries_at_few_places_are_points_of_different_breadth() -> None:
    rng = np.random.default_rng(0)
    old, new = 1 / rng.integers(1, 4, (2, 5000))
    figure = rm.compare_matrix({"old": old, "new": new}, "RR", baseline="old").plot("scatter")
    points = marks(figure, Points)
    assert sum(len(each.x) for each in points) == 9
    sizes = np.concatenate([each.sizes for each in points if each.sizes is not None])
    assert sizes.max() <= 4
    assert np.square(sizes).sum() <= 400


def test_many_queries_are_drawn_as_a_cloud() -> None:
    rng = np.random.default_rng(0)
    old, new = rng.random((2, 5000))
    figure = rm.compare_matrix({"old": old, "new": new}, "AP", baseline="old").plot("scatter")
    assert sum(len(each.x) for each in marks(figure, Points)) == 5000
    assert len(figure.to_svg()) < 200_000


@pytest.mark.parametrize("measure", ["nDCG@3", "MeanRank"])
def test_a_forest_has_each_pair_with_both_intervals(measure: str) -> None:
    comparison = compared(baseline="old")
    figure = comparison.plot("forest", measure=measure)
    pairs = [pair for pair in comparison.pairs if pair.measure.label == measure]
    drawn = {int(y): i for points in marks(figure, Points) for i, y in enumerate(points.y)}
    assert sorted(drawn) == list(range(len(pairs)))
    for points in marks(figure, Points):
        for i, y in enumerate(points.y):
            pair = pairs[int(y)]
            assert points.x[i] == pair.difference
            assert points.left is not None
            assert points.left[i] == pair.interval.low
            assert points.hollow == (not pair.significant)
            assert points.tone == ("ink" if not pair.significant else "good" if pair.better else "bad")
    (wide,) = marks(figure, Segments)
    np.testing.assert_array_equal(wide.to_x, [pair.simultaneous.high for pair in pairs])
    assert figure.panels[0].y.names == ("new", "third")


def test_a_forest_of_pairs_that_were_not_compared_says_which_were() -> None:
    with pytest.raises(rm.PictureError, match="there is new − old, third − old"):
        compared(baseline="old").plot("forest", system="new", baseline="third")


def test_queries_are_points_by_both_systems() -> None:
    comparison = compared(baseline="old")
    figure = comparison.plot("scatter", measure="MeanRank", system="new")
    pair = comparison.pair("MeanRank", "new")
    counts = {mark.tone: mark.sizes for mark in marks(figure, Points)}
    there = {
        tone: int(np.round(np.square(counts[tone])).sum()) if counts.get(tone) is not None else 0  # type: ignore[arg-type]
        for tone in ("good", "muted", "bad")
    }
    assert there == {"good": pair.wins, "muted": pair.ties, "bad": pair.losses}
    better = next(mark for mark in marks(figure, Points) if mark.tone == "good")
    assert (better.y < better.x).all(), "less is better"


def test_movers_go_from_the_value_before_to_that_after() -> None:
    comparison = compared(baseline="old")
    figure = comparison.plot("movers", measure="MeanRank", system="third", count=5)
    moved = [each for each in comparison.movers(5, "MeanRank") if each.system == "third"]
    assert figure.panels[0].y.names == tuple(str(each.query) for each in moved)
    before, *after = marks(figure, Points)
    np.testing.assert_array_equal(before.x, [each.baseline_value for each in moved])
    for points in after:
        for x, y in zip(points.x, points.y, strict=True):
            assert x == moved[int(y)].value
            assert points.tone == ("good" if moved[int(y)].difference < 0 else "bad")


def test_the_queries_of_a_gate_that_changed_most_are_movers() -> None:
    decided = rm.gate(QRELS, RUNS["old"], RUNS["new"], ["AP", "MeanRank"], max_drop="5%")
    figure = decided.plot("movers", measure="MeanRank", count=3)
    own = decided.measures[1].moved[:3]
    assert figure.panels[0].y.names == tuple(str(each.query) for each in own)
    before, *after = marks(figure, Points)
    np.testing.assert_array_equal(before.x, [each.baseline for each in own])
    assert {points.tone for points in after} <= {"good", "bad"}
    assert all(
        (points.tone == "good") == (own[int(y)].candidate < own[int(y)].baseline)
        for points in after
        for y in points.y
    )
    with pytest.raises(rm.PictureError, match="here are AP, MeanRank"):
        decided.plot("movers", measure="RR")


def test_where_no_query_changed_there_are_no_movers() -> None:
    same = rm.compare_matrix({"old": [0.1, 0.2], "new": [0.1, 0.2]}, "AP")
    with pytest.raises(rm.PictureError, match="no query changed"):
        same.plot("movers")


def test_vega_draws_panels_whose_marks_are_called_alike() -> None:
    vl_convert = pytest.importorskip("vl_convert")
    figure = compared(baseline="old").plot("forest")
    names = [mark.name for panel in figure.panels for mark in panel.marks if mark.name]
    assert len(names) > len(set(names))
    spec = figure.to_vega_lite()
    assert vl_convert.vegalite_to_svg(spec).startswith("<svg")
    layers = [layer for panel in spec["concat"] for layer in panel["layer"]]
    assert {row["mark"] for layer in layers for row in layer["data"]["values"] if "mark" in row} == set(names)


def test_values_that_were_computed_elsewhere_have_cutoffs_in_their_names() -> None:
    table = {
        "system": ["a"] * 6 + ["b"] * 6,
        "query": ["q1", "q1", "q2", "q2", "q3", "q3"] * 2,
        "measure": ["own@3", "own@10"] * 6,
        "value": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.2, 0.1, 0.4, 0.3, 0.6, 0.5],
    }
    comparison = rm.compare_matrix(pl.DataFrame(table))
    line, _ = marks(comparison.plot("cutoffs"), Line)
    np.testing.assert_array_equal(line.x, [3, 10])
    np.testing.assert_array_equal(line.y, [comparison.value("a", each) for each in ("own@3", "own@10")])


def test_vega_draws_the_diagonal() -> None:
    figure = compared(baseline="old").plot("scatter")
    low, high = figure.panels[0].x.reach
    layers = figure.to_vega_lite()["layer"]
    (line,) = (layer for layer in layers if layer["mark"]["type"] == "line")
    assert line["data"]["values"] == [{"x": low, "y": low}, {"x": high, "y": high}]


def _of_one_query() -> Comparison:
    return rm.compare_matrix({"old": [0.4], "new": [0.5]}, "AP")


@pytest.mark.parametrize("name", ["values", "distribution", "forest"])
def test_intervals_that_there_are_none_of_are_not_announced(name: str) -> None:
    figure = _of_one_query().plot(name)
    assert "95% interval" not in " ".join([figure.subtitle, *figure.notes])


def test_bands_that_there_are_none_of_are_not_announced() -> None:
    one = {"q0": QRELS["q0"]}
    comparison = rm.compare(one, {name: {"q0": run["q0"]} for name, run in RUNS.items()}, MEASURES)
    figure = comparison.plot("cutoffs")
    assert figure.subtitle == "values, without intervals"
    assert "too few queries" in figure.notes[0]


def test_a_forest_says_where_test_and_interval_disagree() -> None:
    comparison = rm.compare_matrix({"old": [0.0] * 9, "new": [0.1] * 8 + [-0.35]}, "AP", test="sign")
    (pair,) = comparison.pairs
    assert pair.significant
    assert pair.interval.low < 0 < pair.interval.high
    assert any("disagree" in note for note in comparison.plot("forest").notes)


def test_a_forest_of_many_measures_and_systems_is_no_endless_page() -> None:
    runs = {f"s{i}": RUNS["old"] for i in range(12)}
    figure = rm.compare(QRELS, runs, MEASURES).plot("forest")
    assert [len(panel.y.names) for panel in figure.panels] == [16] * 4
    assert any("the first 16 of 66 pairs" in note for note in figure.notes)


def test_what_is_left_out_is_said() -> None:
    result = rm.evaluate(QRELS, RUNS["old"], MEASURES)
    figure = Runs({f"s{i}": result for i in range(12)}).plot("distribution")
    assert any("not drawn" in note for note in figure.notes)
    comparison = compared(baseline="old")
    movers = comparison.plot("movers", measure="MeanRank", system="third", count=3)
    assert "shown are 3 of the" in movers.subtitle


def test_a_system_has_its_colour_whichever_others_are_shown() -> None:
    runs = evaluated()
    every = {line.name: line.tone for line in marks(runs.plot("cutoffs"), Line)}
    (line,) = marks(runs.plot("cutoffs", systems="third"), Line)
    assert line.tone == every["third"]


@pytest.mark.parametrize("option", ["measures", "systems"])
def test_pictures_of_nothing_are_refused(option: str) -> None:
    with pytest.raises(rm.PictureError, match=f"{option} is empty"):
        evaluated().plot("values", **{option: []})


def test_a_distribution_of_no_values_says_so() -> None:
    result = rm.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, "AP", no_relevant="skip")
    assert result.plot("distribution").description == "AP: no query has a value."


def test_bands_are_drawn_of_many_systems_if_they_are_asked_for() -> None:
    result = rm.evaluate(QRELS, RUNS["old"], MEASURES).with_intervals()
    figure = Runs({f"s{i}": result for i in range(5)}).plot("cutoffs", bands=True)
    assert all(line.low is not None for line in marks(figure, Line))
    assert all(line.low is None for line in marks(evaluated().plot("cutoffs", bands=False), Line))


def test_a_bare_picture_has_no_words_around_it() -> None:
    figure = compared(baseline="old").plot("forest")
    svg = figure.bare().to_svg(width=900)
    assert figure.subtitle not in svg
    assert figure.subtitle in figure.to_svg(width=900)
    assert f">{figure.title}</title>" in svg, "for whoever cannot see it"


@pytest.mark.parametrize("how", [{"theme": "drak"}, {"width": 100}])
def test_a_picture_of_no_known_theme_or_of_no_size_is_refused(how: dict[str, object]) -> None:
    with pytest.raises(rm.CallError, match=r"is none of auto, light, dark|is not from 240 to"):
        compared(baseline="old").plot("scatter").to_png(**how)  # type: ignore[arg-type] # of the parameters


def test_options_of_files_are_not_those_of_pictures() -> None:
    with pytest.raises(rm.PictureError, match="width is of files"):
        evaluated().plot("cutoffs", width=900)
    with pytest.raises(rm.CallError, match="it takes measures, systems, bands"):
        evaluated().plot("cutoffs", tone=True)


def test_a_trade_off_has_a_point_a_system_and_a_front_that_none_beats() -> None:
    """By nDCG and by what is new the second beats the third, and no other is beaten."""
    train = {"q0": [f"d{i}" for i in range(5)]}
    qrels = {"q0": {"d0": 1, "e0": 1, "e1": 0}}
    runs = {"accurate": ["d0", "e0", "d1"], "new": ["e1", "e0", "e2"], "worse": ["d1", "e1", "e0"]}
    results = {
        name: rm.evaluate(qrels, {"q0": run}, ["nDCG@3", "NotInTrain@3"], train=train)
        for name, run in runs.items()
    }
    figure = Runs(results).plot("tradeoff")
    points = {mark.name: (float(mark.x[0]), float(mark.y[0])) for mark in marks(figure, Points)}
    assert points == {name: (result["nDCG@3"], result["NotInTrain@3"]) for name, result in results.items()}
    (front,) = marks(figure, Line)
    assert list(zip(front.x.tolist(), front.y.tolist(), strict=True)) == [points["new"], points["accurate"]]
    assert figure.subtitle == "best trade-offs: new and accurate"
    named = {mark.texts[0]: (float(mark.x[0]), float(mark.y[0])) for mark in marks(figure, Texts)}
    assert named == points


def test_a_trade_off_is_of_what_is_asked_for() -> None:
    figure = evaluated().plot("tradeoff", x="nDCG@6", y="MeanRank")
    assert figure.panels[0].x.label.startswith("nDCG@6")
    assert "lower is better" in figure.panels[0].y.label
    best = min(RUNS, key=lambda name: evaluated()[name]["MeanRank"])
    assert best in figure.subtitle  # of ranks less is better
    with pytest.raises(rm.PictureError, match="nDCG@1 alone: a picture of two measures needs a second one"):
        Runs({name: rm.evaluate(QRELS, run, "nDCG@1") for name, run in RUNS.items()}).plot("tradeoff")
    with pytest.raises(rm.PictureError, match="nothing of what is recommended was measured: say which two"):
        evaluated().plot("tradeoff")


def test_exposure_is_a_lorenz_curve_with_its_gini() -> None:
    """Of four items a is in two lists, b and c in one, d in none."""
    run = {"u1": ["a", "b"], "u2": ["a", "c"]}
    result = rm.evaluate(None, run, ["ExposureGini@2"], items=list("abcd"))
    figure = result.plot("exposure")
    (line,) = marks(figure, Line)
    np.testing.assert_allclose(line.x, [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(line.y, [0, 0, 0.25, 0.5, 1])
    assert result["ExposureGini@2"] == 0.375
    assert figure.subtitle == "Gini 0.375, 3 of 4 items"
    assert line.name == "this run"


def test_exposure_by_popularity_stands_beside_what_was_had_before() -> None:
    """Had before: d three times, a twice, b once, c never; recommended a and b twice each."""
    train = {"u1": ["a", "d"], "u2": ["a", "d", "b"], "u3": ["d"]}
    run = {"u1": ["a", "b"], "u2": ["b", "a"]}
    result = rm.evaluate(None, run, "Coverage@2", items=list("abcd"), train=train)
    before, line = marks(result.plot("exposure", by="popularity"), Line)
    np.testing.assert_allclose(before.y, [0, 0, 1 / 6, 1 / 2, 1])
    np.testing.assert_allclose(line.y, [0, 0, 0.5, 1, 1])
    without = rm.evaluate(None, run, "Coverage@2", items=list("abcd"))
    with pytest.raises(rm.PictureError, match="not known what was had before"):
        without.plot("exposure", by="popularity")
    with pytest.raises(rm.PictureError, match="it is exposure or popularity"):
        result.plot("exposure", by="size")


def test_without_lists_of_items_there_is_no_exposure(tmp_path: Path) -> None:
    result = rm.evaluate(None, {"u1": ["a"]}, "Coverage@2", items=["a"])
    assert result.exposure("Coverage@2").tolist() == [1]
    result.save(tmp_path / "kept.rankmark")
    kept = rm.load(tmp_path / "kept.rankmark")
    assert isinstance(kept, rm.results.ListResult)
    for lacking in (kept, rm.evaluate(QRELS, RUNS["old"], MEASURES)):
        with pytest.raises(rm.PictureError, match="evaluate a measure of the whole run, such as Coverage@10"):
            lacking.plot("exposure")
