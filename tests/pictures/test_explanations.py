"""Pictures of the arithmetic of one query."""

from __future__ import annotations

import numpy as np
import pytest

import rankmark as rm
from drawn import DRAWN
from rankmark.figures import Bars, Panel, Points, Segments


def _bars(panel: Panel) -> list[Bars]:
    return [each for each in panel.marks if isinstance(each, Bars)]


def test_bars_are_contributions_and_add_up_to_the_value() -> None:
    found = DRAWN["contributions"]()
    assert isinstance(found, rm.results.Explanation)
    listed, ideal = found.plot().panels
    (bars,) = _bars(listed)
    assert bars.value.tolist() == found.rows["contribution"].fill_null(0.0).to_list()
    assert bars.value.sum() == pytest.approx(found.value)
    assert bars.labels == tuple(found.rows["item"])
    (grades,) = _bars(ideal)
    assert grades.value.tolist() == found.ideal["grade"].to_list()
    assert ideal.y.asides == ("at rank 3", "at rank 1", "not in the list")


def test_of_a_long_list_what_contributes_most_is_shown_in_rank_order() -> None:
    run = {"q": {f"d{i:03}": -float(i) for i in range(500)}}
    found = rm.explain({"q": {"d400": 1, "d003": 1}}, run, "AP", query="q")
    listed, _ = found.plot(count=4).panels
    assert [name.split(". ")[0] for name in listed.y.names] == ["1", "2", "4", "401"]


def test_a_query_without_a_value_says_so() -> None:
    found = rm.explain({"q": {"a": 0}, "p": {"a": 1}}, {"q": ["a"]}, "AP", query="q", no_relevant="skip")
    with pytest.raises(rm.PictureError, match="left out of the mean"):
        found.plot()


def test_lines_lead_from_rank_to_rank() -> None:
    found = DRAWN["moves"]()
    assert isinstance(found, rm.results.ExplainedDifference)
    ranks, difference = found.plot().panels
    lines = [each for each in ranks.marks if isinstance(each, Segments)]
    ends = {
        label.rpartition(": ")[0]: (x, y, to_x, to_y)
        for each in lines
        for x, y, to_x, to_y, label in zip(each.x, each.y, each.to_x, each.to_y, each.labels, strict=True)
    }
    for row in found.rows.iter_rows(named=True):
        x, y, to_x, to_y = ends[row["item"]]
        if row["rank_a"] and row["rank_b"]:
            assert (x, y, to_x, to_y) == (0, row["rank_a"] - 1, 1, row["rank_b"] - 1)
        else:
            assert y == to_y == (row["rank_a"] or row["rank_b"]) - 1
            assert abs(to_x - x) < 0.2
    drawn = np.concatenate([each.value for each in _bars(difference)])
    assert sorted(drawn) == sorted(each for each in found.rows["difference"] if each)
    assert drawn.sum() == pytest.approx(found.difference)


def test_of_a_measure_of_which_less_is_better_a_smaller_value_is_green() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": ["b", "a"]}
    found = rm.explain(qrels, run, "MeanRank", query="q", other={"q": ["a", "b"]})
    assert found.difference is not None
    assert found.difference < 0
    bars = _bars(found.plot().panels[1])
    assert {each.tone for each in bars if each.value.sum() < 0} == {"good"}


def test_only_the_first_ranks_are_shown() -> None:
    run = {"q": {f"d{i:03}": -float(i) for i in range(500)}}
    other = {"q": {f"d{i:03}": float(i) for i in range(500)}}
    found = rm.explain({"q": {"d400": 1, "d003": 1}}, run, "AP", query="q", other=other)
    ranks, _ = found.plot(count=10).panels
    assert ranks.y.names == tuple(map(str, range(1, 11)))
    points = [each for each in ranks.marks if isinstance(each, Points)]
    assert sum(len(each.x) for each in points) == 20
    rings = [each for each in points if each.hollow]
    assert sum(len(each.x) for each in rings) == 19
