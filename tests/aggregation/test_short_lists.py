"""Queries with fewer items than the cutoff, which can be left out: counted, signed, and alike everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm

QRELS: dict[str, dict[str, int]] = {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 0, "y": 1}, "d": {"x": 1}}
RUN: dict[str, list[str]] = {"a": ["x"], "b": ["y", "x", "z"], "c": ["x", "y"]}
MEASURES = ["P@2", "HitRatio@2", "RR@3", "AP"]
"""a has one item, b three, c two, d none: it is missing, and its empty list counts."""
EXPECTED = {"P@2": (1 / 2 + 1 / 2 + 0) / 3, "HitRatio@2": 2 / 3, "RR@3": (1 / 2 + 0) / 2, "AP": 2 / 4}


def shorts(result: rm.results.ListResult) -> list[int]:
    counts = (result.counts.measures[name] for name in MEASURES)
    return [each.short for each in counts if isinstance(each, rm.results.MeasureCounts)]


def written(folder: Path) -> tuple[Path, Path]:
    """The tables as files."""
    judged = [(query, item, grade) for query, items in QRELS.items() for item, grade in items.items()]
    listed = [(query, item, -place) for query, items in RUN.items() for place, item in enumerate(items)]
    for name, rows, value in (("qrels", judged, "relevance"), ("run", listed, "score")):
        frame = pl.DataFrame(rows, schema=["query", "item", value], orient="row")
        frame.write_parquet(folder / f"{name}.parquet")
    return folder / "qrels.parquet", folder / "run.parquet"


def test_short_lists_are_left_out_of_the_measures_that_look_further() -> None:
    result = rm.evaluate(QRELS, RUN, MEASURES, short_lists="skip")
    assert result.values == pytest.approx(EXPECTED)
    assert np.isnan(result.query_values("P@2")).tolist() == [True, False, False, False]
    assert shorts(result) == [1, 1, 2, 0]
    assert "fewer items than the cutoff in up to 2 queries (left out)" in " ".join(str(result).split())
    skipped = rm.evaluate(QRELS, RUN, "P@2", short_lists="skip", missing="skip")
    assert skipped["P@2"] == pytest.approx(1 / 2)


def test_that_they_are_is_signed_and_read_back() -> None:
    result = rm.evaluate(QRELS, RUN, "P@2", short_lists="skip")
    for short in (False, True):
        signature = result.signature("P@2", short=short)
        assert "|short_lists:skip|" in signature
        assert rm.from_signature(signature).evaluate(QRELS, RUN).values == result.values
    assert "short_lists" not in rm.evaluate(QRELS, RUN, "P@2").signature("P@2")
    wrong: Any = "drop"
    with pytest.raises(rm.ChoiceError, match="short_lists='drop' is not one of keep, skip"):
        rm.evaluate(QRELS, RUN, "P@2", short_lists=wrong)


def test_every_engine_leaves_out_the_same(tmp_path: Path) -> None:
    whole = rm.evaluate(QRELS, RUN, MEASURES, short_lists="skip")
    stream = rm.evaluate(*written(tmp_path), MEASURES, short_lists="skip", engine="stream")
    evaluator = rm.Evaluator(MEASURES, short_lists="skip")
    evaluator.update({"b": QRELS["b"], "d": QRELS["d"]}, {"b": RUN["b"]})
    evaluator.update({"a": QRELS["a"], "c": QRELS["c"]}, {"a": RUN["a"], "c": RUN["c"]})
    for other in (stream, evaluator.result()):
        assert other.values == pytest.approx(whole.values, rel=1e-15)
        assert shorts(other) == [1, 1, 2, 0]
    scores = np.array([[0.5, 0.4, -np.inf], [0.1, 0.2, 0.3]])
    arrays = rm.evaluate_arrays(scores, [[0], [1]], "P@3", short_lists="skip")
    assert arrays["P@3"] == pytest.approx(1 / 3)


def test_predictions_and_comparisons_take_the_choice() -> None:
    table = {"user": [1, 1, 1, 2, 2], "label": [1, 0, 1, 0, 1], "score": [0.9, 0.8, 0.3, 0.7, 0.4]}
    result = rm.evaluate_predictions(table, "RR@3 AUC", short_lists="skip")
    assert result["RR@3"] == 1.0
    evaluator = rm.PredictionEvaluator("RR@3", short_lists="skip")
    evaluator.update(table)
    assert evaluator.result().values == {"RR@3": 1.0}
    compared = rm.compare(QRELS, {"x": RUN, "y": RUN}, "P@2", short_lists="skip")
    assert "x (a)   0.3333" in str(compared)
