"""Measures of aspects of files read in batches are those of the same files in memory."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark as rm
from rankmark.aggregation.query_state import QueryState
from strategies import at_most
from streams import SMALL, batches, same

MEASURES = [
    *("alpha_nDCG@3", "alpha_DCG(alpha=0.3)", "ERR_IA@2", "nERR_IA", "NRBP", "nNRBP", "SubtopicRecall@2"),
    *("AP_IA", "P_IA@3", "DSharp_nDCG@3", "nDCG@3"),
]
COLUMNS = {"aspect_weight": "probability"}
WEIGHTS = [0.1, 0.3, 0.7, 1 / 3, 0.2]
rows = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 9), st.integers(0, 4), st.integers(-1, 2)),
    min_size=1,
    max_size=60,
)
results = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9), st.integers(-1, 3)), min_size=1)


def written(folder: Path, judged: list[Any], returned: list[Any], *, words: bool = False) -> None:
    """Both tables; some aspects are called by words and others by numbers, in the order of neither."""
    names = np.array(["10", "9", "b", "a", "2"] if words else ["10", "9", "1", "0", "2"])
    table = pl.DataFrame(judged, schema=["query", "item", "aspect", "relevance"], orient="row")
    places = table["aspect"].to_numpy()
    weights = pl.Series("probability", np.array(WEIGHTS)[places])
    table.with_columns(weights, aspect=pl.Series(names[places])).write_parquet(folder / "qrels.parquet")
    run = pl.DataFrame(returned, schema=["query", "item", "score"], orient="row")
    run.with_columns(pl.col("score").cast(pl.Float64)).write_parquet(folder / "run.parquet")


@pytest.mark.slow
@settings(max_examples=at_most(40), deadline=None)
@given(
    judged=rows,
    returned=results,
    duplicates=st.sampled_from(["first", "best"]),
    words=st.booleans(),
    bytes_a_batch=st.integers(24, 400),
    partition=st.integers(100, 2000),
    large=st.booleans(),
)
def test_any_cut_into_batches_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, judged: Any, returned: Any, duplicates: Any, words: bool,
    bytes_a_batch: int, partition: int, large: bool,
) -> None:  # fmt: skip
    folder = tmp_path_factory.mktemp("cuts")
    written(folder, judged, returned, words=words)
    with pytest.MonkeyPatch.context() as patch:
        batches(patch, bytes_a_batch, partition, large=large)
        same(folder, True, MEASURES, duplicates=duplicates, columns=COLUMNS, hash_inputs=True)
    shutil.rmtree(folder)


def random_tables(seed: int) -> tuple[list[Any], list[Any]]:
    draw = np.random.default_rng(seed)
    returned = [(u, int(i), draw.integers(0, 5)) for u in range(60) for i in draw.permutation(40)[:9]]
    judged = [
        (u, int(i), a, int(draw.integers(0, 3)))
        for u in range(5, 70)
        for i in draw.permutation(40)[:6]
        for a in np.flatnonzero(draw.random(5) < 0.6).tolist()
    ]
    return judged, returned


@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("size", [300, 6000])
@pytest.mark.parametrize("like", [None, "pyndeval"])
def test_batches_of_any_size_give_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grouped: bool, size: int, like: str | None
) -> None:
    batches(monkeypatch, size, 4 * size)
    judged, returned = random_tables(1)
    if not grouped:
        draw = np.random.default_rng(2)
        judged, returned = (
            [rows[place] for place in draw.permutation(len(rows))] for rows in (judged, returned)
        )
    written(tmp_path, judged, returned)
    measures = ["alpha_nDCG@5", "NRBP", "MAP-IA", "strec@5"] if like else [*MEASURES, "AggregateDiversity@2"]
    same(tmp_path, True, measures, columns=COLUMNS, hash_inputs=True, like=like)


def test_lists_alone_are_measured_of_the_best_grades_where_the_aspect_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches(monkeypatch, 300)
    written(tmp_path, *random_tables(3))
    same(tmp_path, True, ["nDCG@5", "AP"], columns={"aspect": "aspect"}, hash_inputs=True)
    with pytest.raises(rm.DataError, match="judged again"):
        rm.evaluate(str(tmp_path / "qrels.parquet"), str(tmp_path / "run.parquet"), "AP", **SMALL)


def test_judgements_of_aspects_that_stand_twice_are_named_by_their_own_rows(tmp_path: Path) -> None:
    judged = {"query": ["q"] * 5, "item": list("aabcc"), "aspect": list("xyxxx"), "grade": [1] * 5}
    pl.DataFrame(judged).write_parquet(tmp_path / "qrels.parquet")
    pl.DataFrame({"query": ["q"], "item": ["a"], "score": [1.0]}).write_parquet(tmp_path / "run.parquet")
    with pytest.raises(rm.DataError, match="item 'c' of query 'q' in row 4, already in row 3 "):
        rm.evaluate(str(tmp_path / "qrels.parquet"), str(tmp_path / "run.parquet"), "alpha_nDCG@5", **SMALL)


def test_neither_aspects_nor_whole_lists_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batches(monkeypatch, 300)
    written(tmp_path, *random_tables(4))
    widths = []
    whole = QueryState.whole
    monkeypatch.setattr(
        QueryState, "whole", lambda state, *a: (widths.append(state.parts[0]), whole(state, *a))[1]
    )
    paths = str(tmp_path / "qrels.parquet"), str(tmp_path / "run.parquet")
    rm.evaluate(*paths, ["NRBP", "alpha_nDCG@3"], **SMALL)
    assert not any(dtype.is_nested() for dtype in widths[0].dtypes)
    assert widths[0].width == 9  # the query, its place and whether it has results; two numbers, two values, …
    rm.evaluate(*paths, ["NRBP", "AggregateDiversity@2"], **SMALL)
    assert widths[1]["0.top"].list.len().max() == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"aspect": None}, r"has 1 null, the first in row"),
        ({"probability": -1.0}, r"is -1.0 in row .*weights are numbers from 0"),
        ({"probability": 9.0}, r"of aspect '\d+' of query 6 is .* in one row and .* in another"),
    ],
)
def test_what_is_no_aspect_or_weight_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], said: str
) -> None:
    batches(monkeypatch, 300)
    judged, returned = random_tables(5)
    written(tmp_path, [*judged, (6, 39, 0, 1), (6, 38, 0, 1)], returned)
    path = tmp_path / "qrels.parquet"
    table = pl.read_parquet(path)
    last = pl.int_range(pl.len()) == pl.len() - 1

    def with_last(name: str, value: Any) -> pl.Expr:
        return pl.when(last).then(pl.lit(value)).otherwise(pl.col(name)).alias(name)

    changed = [with_last(name, value) for name, value in change.items()]
    table.with_columns(changed).write_parquet(path)
    with pytest.raises(rm.DataError, match=said):
        rm.evaluate(str(path), str(tmp_path / "run.parquet"), "NRBP", columns=COLUMNS, **SMALL)


def test_judgements_without_aspects_are_refused(tmp_path: Path) -> None:
    written(tmp_path, *random_tables(6))
    pl.read_parquet(tmp_path / "qrels.parquet").drop("aspect").write_parquet(tmp_path / "qrels.parquet")
    with pytest.raises(rm.ColumnError, match="NRBP needs judgements of aspects"):
        rm.evaluate(str(tmp_path / "qrels.parquet"), str(tmp_path / "run.parquet"), "NRBP", **SMALL)
