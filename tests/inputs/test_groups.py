"""Sizes of groups instead of a column of queries, as LightGBM and XGBoost take them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmark as rm

LABELS, SCORES = [1, 0, 0, 1, 0, 1], [0.9, 0.8, 0.3, 0.2, 0.5, 0.4]
SIZES, QUERIES = [2, 4], [0, 0, 1, 1, 1, 1]
TABLE: dict[str, Any] = {"label": LABELS, "score": SCORES}
MEASURES = "GAUC, nDCG@3, AUC"
VALUES = rm.evaluate_predictions(TABLE | {"query": QUERIES}, MEASURES).values


@pytest.mark.parametrize("of", [list, tuple, np.array, pd.Series, pl.Series, pa.array, pa.chunked_array])
def test_sizes_are_queries(of: Any) -> None:
    sizes = of([SIZES]) if of is pa.chunked_array else of(SIZES)
    assert rm.evaluate_predictions(TABLE, MEASURES, group=sizes).values == VALUES


def test_a_group_without_rows_is_no_query() -> None:
    result = rm.evaluate_predictions(TABLE, MEASURES, group=[0, 2, 0, 4])
    assert result.values == VALUES
    assert result.counts.queries == 2


def test_sizes_come_before_a_column_known_as_the_query() -> None:
    table = TABLE | {"group": [7] * 6, "user": [8] * 6}
    assert rm.evaluate_predictions(table, MEASURES, group=SIZES).values == VALUES


def test_sizes_go_with_files(tmp_path: Path) -> None:
    pl.DataFrame(TABLE).write_parquet(tmp_path / "p.parquet")
    assert rm.evaluate_predictions(tmp_path / "p.parquet", MEASURES, group=SIZES).values == VALUES
    with pytest.raises(rm.UsageError, match="group needs the whole table"):
        rm.evaluate_predictions(tmp_path / "p.parquet", "GAUC", group=SIZES, engine="stream")


def test_slices_are_by_the_numbers_of_groups() -> None:
    result = rm.evaluate_predictions(TABLE, "nDCG@3", group=SIZES, by={0: "a", 1: "b"})
    assert result.slices is not None
    assert sum(row["value"] for row in result.slices.records()) / 2 == VALUES["nDCG@3"]


def test_a_measure_called_with_data_takes_sizes() -> None:
    assert rm.GAUC(LABELS, SCORES, group=SIZES) == VALUES["GAUC"]
    assert (rm.nDCG @ 3)(np.array(LABELS), np.array(SCORES), group=np.array(SIZES)) == VALUES["nDCG@3"]
    with pytest.raises(rm.UsageError, match=r"queries= and group= both say"):
        rm.GAUC(LABELS, SCORES, group=SIZES, queries=QUERIES)
    with pytest.raises(rm.UsageError, match=r"group= is said of labels and scores"):
        rm.nDCG(LABELS, group=SIZES)


WRONG: list[tuple[Any, str]] = [
    ([2, 3], "group has 2 sizes that add up to 5, and predictions has 6 rows$"),
    (QUERIES, "add up to 4, and predictions has 6 rows; group holds the size of each group; a column"),
    ([], "group has 0 sizes that add up to 0"),
    ([7, -1], r"group holds -1 at place 1 \(from 0\), a size that is below 0"),
    ([2.5, 3.5], r"group holds 2.5 at place 0 \(from 0\), a size that is no whole number"),
    ([float("nan"), 6], "group holds nan at place 0"),
    ([True, True], "group holds bool"),
    ([[2, 4]], r"group holds int64 of shape \(1, 2\); it needs whole numbers"),
    ("user", "group='user' is no list of sizes, .* is said by query"),
    (6, "group=6 is no list of sizes"),
]


@pytest.mark.parametrize(("sizes", "message"), WRONG, ids=repr)
def test_what_are_no_sizes_is_refused(sizes: Any, message: str) -> None:
    with pytest.raises(rm.RankmarkError, match=message):
        rm.evaluate_predictions(TABLE, "GAUC", group=sizes)


def test_query_and_sizes_together_are_refused() -> None:
    table = TABLE | {"user": QUERIES}
    with pytest.raises(rm.UsageError, match="query='user' and group= both say which query each row is of"):
        rm.evaluate_predictions(table, "GAUC", query="user", group=SIZES)
    with pytest.raises(rm.UsageError, match="query='user' and group= both"):
        rm.compare_predictions(table, {"a": "score", "b": "label"}, "GAUC", query="user", group=SIZES)
    with pytest.raises(rm.UsageError, match="query='user' and group= both"):
        rm.PredictionEvaluator("GAUC", query="user").update(table, group=SIZES)


def test_groups_of_each_part_are_queries_of_their_own() -> None:
    whole = rm.evaluate_predictions(
        {"label": LABELS * 3, "score": SCORES * 2 + SCORES[::-1], "query": np.repeat(range(6), SIZES * 3)},
        MEASURES,
    )
    first, other = rm.PredictionEvaluator(MEASURES), rm.PredictionEvaluator(MEASURES)
    first.update(TABLE, group=SIZES)
    other.update_arrays(LABELS, SCORES, group=SIZES)
    first = rm.PredictionEvaluator.from_bytes(first.to_bytes())
    first.merge(other)
    first.update_arrays(np.array(LABELS), np.array(SCORES)[::-1], group=np.array(SIZES))
    result = first.result()
    assert result.counts.queries == 6
    assert result.values == pytest.approx(whole.values)


def test_parts_tell_their_queries_alike() -> None:
    with_sizes, without = rm.PredictionEvaluator("GAUC"), rm.PredictionEvaluator("GAUC")
    with_sizes.update(TABLE, group=SIZES)
    without.update(TABLE | {"query": QUERIES})
    with pytest.raises(rm.UsageError, match="every part before has a group=: give it here, too"):
        with_sizes.update(TABLE)
    with pytest.raises(rm.UsageError, match="every part before has no group=: leave it out"):
        without.update(TABLE, group=SIZES)
    with pytest.raises(rm.UsageError, match="queries= and group= both say"):
        with_sizes.update_arrays(LABELS, SCORES, group=SIZES, queries=QUERIES)


def test_sizes_are_checked_where_no_measure_needs_queries() -> None:
    evaluator = rm.PredictionEvaluator("LogLoss")
    evaluator.update(TABLE, group=SIZES)
    with pytest.raises(rm.DataError, match="add up to 5"):
        evaluator.update(TABLE, group=[5])
    assert evaluator.rows == 6


@pytest.mark.parametrize("several", [False, True])
def test_systems_are_compared_over_groups(several: bool) -> None:
    one = TABLE | {"other": SCORES[::-1]}
    tables: Any = {"a": TABLE, "b": TABLE | {"score": SCORES[::-1]}} if several else one
    scores = None if several else {"a": "score", "b": "other"}
    found = rm.compare_predictions(tables, scores, MEASURES, baseline="a", group=SIZES)
    said = rm.compare_predictions(
        one | {"query": QUERIES}, {"a": "score", "b": "other"}, MEASURES, baseline="a"
    )
    assert found.table.equals(said.table)


def test_other_doors_take_sizes() -> None:
    assert str(rm.check_predictions(TABLE, group=SIZES)).startswith("predictions: 6 rows of 2 queries")
    result = rm.evaluate_predictions(TABLE, "nDCG@3", group=SIZES)
    again = rm.from_signature(result.signature("nDCG@3"))
    assert again.evaluate_predictions(TABLE, group=SIZES).values == result.values
    assert rm.gate_predictions(
        {"a": TABLE, "b": TABLE}, None, "GAUC", baseline="a", group=SIZES, max_drop=0.1
    )
