"""Files read in batches give what the same files give in memory; stopped runs leave nothing behind."""

from __future__ import annotations

import gzip
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rankmark as rm
from processes import started
from rankmark import _native
from rankmark.engines import partitions, stream
from rankmark.engines.selection import is_streamed, memory_bytes
from rankmark.language.choices import go_together, values_of
from strategies import at_most

MEASURES = ["nDCG@3", "AP", "RR", "NumRet", "infAP", "AP(mean=geometric)"]
CLOSED = [measure for measure in MEASURES if measure != "infAP"]  # those that ties="expected" has
SMALL = {"memory": "64MiB"}


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    """Makes batches of so many bytes, partitions of so many, and files of what is not in the last batch."""

    def make(batch: int, partition: int = 1 << 20) -> None:
        monkeypatch.setattr(partitions, "HELD", max(1, (64 << 20) // batch))
        monkeypatch.setattr(stream, "OWN", 0)
        monkeypatch.setattr(stream, "BATCH", max(1, (64 << 20) // batch))
        monkeypatch.setattr(stream, "PARTITION", max(1, (64 << 20) // partition))
        monkeypatch.setattr(stream, "SAMPLED", batch)

    return make


def same(local: rm.results.ListResult, other: rm.results.ListResult) -> None:
    """All that two results have is the same, to the last bit."""
    assert other.per_query.equals(local.per_query)
    assert other.per_query.schema == local.per_query.schema
    assert other.values == pytest.approx(local.values, rel=1e-12, nan_ok=True)
    assert other.counts == local.counts
    assert other.bounds.keys() == local.bounds.keys()
    assert other.inputs == local.inputs
    assert other.notes == local.notes
    for measure in local.measures:
        assert other.signature(measure) == local.signature(measure)
    assert json.loads(other.to_json(per_query=True)) == json.loads(local.to_json(per_query=True))


def outcome(evaluate: Callable[[], rm.results.ListResult]) -> tuple[rm.results.ListResult | None, str]:
    """The result, or what is said of data that have none."""
    try:
        return evaluate(), ""
    except rm.DataError as error:
        return None, str(error)


def streamed(
    folder: Path, qrels: str, run: str, measures: Any = "AP", **options: Any
) -> rm.results.ListResult:
    return rm.evaluate(str(folder / qrels), str(folder / run), measures, engine="stream", **SMALL, **options)


def both(folder: Path, qrels: Any, run: Any, measures: Any = "AP", **options: Any) -> rm.results.ListResult:
    """The result in memory, which that of the stream is the same as."""
    local = rm.evaluate(str(folder / qrels), str(folder / run), measures, **options)
    result = streamed(folder, qrels, run, measures, **options)
    same(local, result)
    return result


def tables(queries: int = 40, length: int = 30) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Judgements and results with ties, queries that are not answered and queries that are not judged."""
    rows = [(query, item) for query in range(queries) for item in range(length)]
    run = pl.DataFrame(
        {
            "query": [query for query, _ in rows],
            "item": [item * 7 % 31 for _, item in rows],
            "score": [float((query + item * item) % 11) for query, item in rows],
        }
    )
    judged = [(query + 5, item, (query * item) % 4) for query in range(queries) for item in range(0, 20, 3)]
    qrels = pl.DataFrame(judged[::-1], schema=["query", "item", "relevance"], orient="row")
    return qrels, run


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    """A folder with the judgements, a grouped run and a scattered one."""
    qrels, run = tables()
    qrels.write_parquet(tmp_path / "qrels.parquet")
    qrels.sample(fraction=1, shuffle=True, seed=3).write_parquet(tmp_path / "mixed.parquet")
    run.write_parquet(tmp_path / "grouped.parquet")
    run.sample(fraction=1, shuffle=True, seed=5).write_parquet(tmp_path / "scattered.parquet")
    return tmp_path


# --- The same result ----------------------------------------------------------------------------------------

ids = st.integers(0, 6)
rows = st.lists(st.tuples(ids, st.integers(0, 9), st.integers(-1, 3)), min_size=1, max_size=60)


@pytest.mark.slow
@settings(max_examples=at_most(40))
@given(
    judged=rows,
    returned=rows,
    ties=st.sampled_from(values_of("ties")),
    missing=st.sampled_from(["zero", "skip"]),
    no_relevant=st.sampled_from(["zero", "skip", "one"]),
    duplicates=st.sampled_from(["first", "best"]),
    unjudged=st.sampled_from(values_of("unjudged")),
    text=st.booleans(),
    bytes_a_batch=st.integers(24, 400),
    partition=st.integers(100, 2000),
    held=st.sampled_from([0, 1000, 1 << 20]),
    large=st.booleans(),
)
def test_any_cut_into_batches_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, judged: Any, returned: Any, ties: Any, missing: Any,
    no_relevant: Any, duplicates: Any, unjudged: Any, text: Any, bytes_a_batch: Any, partition: Any,
    held: Any, large: Any,
) -> None:  # fmt: skip
    assume(go_together({"ties": ties, "unjudged": unjudged}))
    folder = tmp_path_factory.mktemp("cuts")
    schema = {"query": pl.Int32, "item": pl.Int64, "relevance": pl.Float64}
    qrels = pl.DataFrame(judged, schema=schema, orient="row")
    run = pl.DataFrame(returned, schema=schema, orient="row").rename({"relevance": "score"})
    if text:
        cast = pl.col("query", "item").cast(pl.String)
        qrels, run = qrels.with_columns(cast), run.with_columns(cast)
    qrels.write_parquet(folder / "qrels.parquet")
    run.write_parquet(folder / "run.parquet")
    chosen = {"ties": ties, "missing": missing, "no_relevant": no_relevant}
    chosen |= {"duplicates": duplicates, "unjudged": unjudged}
    measures = CLOSED if ties == "expected" else MEASURES
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "BATCH", (64 << 20) // bytes_a_batch)
        patch.setattr(stream, "PARTITION", (64 << 20) // partition)
        patch.setattr(stream, "JUDGEMENTS", 1 << 30 if large else 4)
        patch.setattr(stream, "SAMPLED", 100)
        patch.setattr(partitions, "HELD", (64 << 20) // held if held else 1 << 30)
        patch.setattr(stream, "OWN", 0)
        paths = str(folder / "qrels.parquet"), str(folder / "run.parquet")
        local, said = outcome(lambda: rm.evaluate(*paths, measures, **chosen))
        other, again = outcome(lambda: rm.evaluate(*paths, measures, **chosen, engine="stream", **SMALL))
        assert said == again
        if local and other:
            same(local, other)
    shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.parametrize("run", ["grouped.parquet", "scattered.parquet"])
@pytest.mark.parametrize("qrels", ["qrels.parquet", "mixed.parquet"])
@pytest.mark.parametrize(
    "options", [{"bounds": True, "hash_inputs": True}, {"like": "ranx"}, {"like": "lightgbm"}]
)
def test_bounds_hashes_and_conventions(
    parquet: Any, small_batches: Any, qrels: Any, run: Any, options: Any
) -> None:
    small_batches(5000, 8000)
    measures = ["nDCG@3", "AP@5"] if "like" in options else MEASURES
    both(parquet, qrels, run, measures, **options)


def test_partitions_that_are_too_large_are_dealt_out_again(
    parquet: Any, small_batches: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_batches(4000, 500)
    monkeypatch.setattr(stream, "MOST_PARTITIONS", 3)
    levels = []
    deal = partitions.Partitions.deal
    monkeypatch.setattr(
        partitions.Partitions, "deal", lambda self, *a: (levels.append(self.level), deal(self, *a))
    )
    both(parquet, "mixed.parquet", "scattered.parquet", MEASURES)
    assert {0, 1, 2} <= set(levels)


def text_of(run: pl.DataFrame) -> str:
    lines = (f"q{query} Q0 d{item} 1 {score} tag\n" for query, item, score in run.iter_rows())
    return "".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "tsv", "trec", "csv.gz", "trec.gz", "glob", "csv.zst", "trec.zst"])
@pytest.mark.parametrize("order", ["grouped", "scattered"])
def test_every_format_that_can_be_streamed(tmp_path: Path, small_batches: Any, form: Any, order: Any) -> None:
    small_batches(3000, 3000)
    qrels, run = tables()
    run = run.sample(fraction=1, shuffle=True, seed=5) if order == "scattered" else run
    (tmp_path / "qrels.txt").write_text("".join(f"q{q} 0 d{i} {r}\n" for q, i, r in qrels.iter_rows()))
    named = run.with_columns(pl.format("q{}", "query").alias("query"), pl.format("d{}", "item").alias("item"))
    kind, _, packed = form.partition(".")
    text = text_of(run) if kind == "trec" else named.write_csv(separator="\t" if kind == "tsv" else ",")
    name = f"run.{form}"
    if form == "glob":
        for number, half in enumerate((named[:555], named[555:])):
            half.write_parquet(tmp_path / f"run{number}.parquet")
        name = "run*.parquet"
    elif packed == "gz":
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    elif packed == "zst":
        (tmp_path / name).write_bytes(pa.compress(text.encode(), "zstd", asbytes=True))
    else:
        (tmp_path / name).write_text(text)
    both(tmp_path, "qrels.txt", name, MEASURES, hash_inputs=True)


def test_line_ends_within_quotes_end_no_row(tmp_path: Path, small_batches: Any) -> None:
    small_batches(60)
    lines = [f'1,"item\n{i}, ""quoted""",{i}\n' for i in range(50)]
    (tmp_path / "run.csv").write_text("query,item,score\n" + "".join(lines))
    (tmp_path / "qrels.csv").write_text("query,item,relevance\n" + "".join(lines[::7]))
    both(tmp_path, "qrels.csv", "run.csv", MEASURES)


def test_text_ids_of_one_table_become_the_integers_of_the_other(tmp_path: Path, small_batches: Any) -> None:
    small_batches(500)
    qrels, run = tables()
    qrels.write_parquet(tmp_path / "qrels.parquet")
    run.write_csv(tmp_path / "run.csv")
    both(tmp_path, "qrels.parquet", "run.csv", MEASURES)
    run.write_parquet(tmp_path / "run.parquet")
    qrels.write_csv(tmp_path / "qrels.csv")
    assert "item_ids:integer" in both(tmp_path, "qrels.csv", "run.parquet").signature("AP")


def test_ids_of_different_widths(tmp_path: Path, small_batches: Any) -> None:
    small_batches(8000, 8000)
    qrels, run = tables()
    high = pl.col("query", "item").cast(pl.UInt64) + 2**63
    for number, (judged, returned) in enumerate(
        [(pl.Int32, pl.Int64), (pl.UInt64, pl.Int16), (pl.Int64, pl.UInt8), (high, high)]
    ):
        for table, kind, name in ((qrels, judged, "qrels"), (run, returned, "run")):
            cast = pl.col("query", "item").cast(kind) if isinstance(kind, type) else kind
            table.with_columns(cast).write_parquet(tmp_path / f"{name}{number}.parquet")
        both(tmp_path, f"qrels{number}.parquet", f"run{number}.parquet", MEASURES)
        scattered = pl.read_parquet(tmp_path / f"run{number}.parquet").sample(
            fraction=1, shuffle=True, seed=1
        )
        scattered.write_parquet(tmp_path / f"scattered{number}.parquet")
        both(tmp_path, f"qrels{number}.parquet", f"scattered{number}.parquet", MEASURES)


def test_dictionaries_of_text(tmp_path: Path, small_batches: Any) -> None:
    small_batches(500, 3000)
    qrels, run = tables()
    text = pl.col("query", "item").cast(pl.String).cast(pl.Categorical)
    qrels.with_columns(text).write_parquet(tmp_path / "qrels.parquet")
    run.with_columns(text).write_parquet(tmp_path / "run.parquet", row_group_size=100)
    local = rm.evaluate(str(tmp_path / "qrels.parquet"), str(tmp_path / "run.parquet"), MEASURES)
    other = streamed(tmp_path, "qrels.parquet", "run.parquet", MEASURES)
    assert other.values == local.values
    assert other.query_ids == local.query_ids


def test_a_list_a_query(tmp_path: Path, small_batches: Any) -> None:
    small_batches(300)
    qrels, run = tables()
    qrels.write_parquet(tmp_path / "qrels.parquet")
    ranked = run.sort("query", "score", descending=[False, True])
    lists = ranked.group_by("query", maintain_order=True).agg("item")
    lists.write_parquet(tmp_path / "lists.parquet")
    both(tmp_path, "qrels.parquet", "lists.parquet", MEASURES, hash_inputs=True)
    pl.concat([lists, lists[:1]]).write_parquet(tmp_path / "twice.parquet")
    with pytest.raises(rm.DataError, match="query 0 has several lists"):
        streamed(tmp_path, "qrels.parquet", "twice.parquet")


@pytest.mark.parametrize("batch", [20, 200, 1000])
def test_rows_of_lists_are_those_of_the_table(tmp_path: Path, small_batches: Any, batch: Any) -> None:
    small_batches(batch)
    lists = [[query, query + 1, query + 2] for query in range(40)]
    lists[10:20] = [[] for _ in range(10)]  # some batches have no items
    frame = pl.DataFrame({"query": range(40), "item": lists})
    frame[:25].write_parquet(tmp_path / "run0.parquet")
    frame[25:].write_parquet(tmp_path / "run1.parquet")
    judged = {"query": [*range(40)] * 2, "item": [*range(40), *range(1, 41)]}
    pl.DataFrame(judged).write_parquet(tmp_path / "qrels.parquet")
    both(tmp_path, "qrels.parquet", "run*.parquet", MEASURES)
    lists[33] = [33, 34, 33]
    frame.with_columns(pl.Series("item", lists))[25:].write_parquet(tmp_path / "run1.parquet")
    with pytest.raises(rm.DataError, match="item 33 of query 33 in row 33, already in row 33 "):
        streamed(tmp_path, "qrels.parquet", "run*.parquet")


@pytest.mark.parametrize("run", ["grouped.parquet", "scattered.parquet"])
@pytest.mark.parametrize("broken", ["qrels", "run"])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_refused_names_its_rows_in_the_files(
    parquet: Path, small_batches: Any, run: str, broken: str, seed: int
) -> None:
    small_batches(600, 2000)
    paths = {"qrels": "mixed.parquet", "run": run}
    frame = pl.read_parquet(parquet / paths[broken])
    row = int(np.random.default_rng(seed).integers(30, frame.height))
    near = int(np.random.default_rng(seed).integers(row - 30, row)) if run == "grouped.parquet" else row // 2
    where = frame["query"][near]
    twice = pl.concat([frame[:row], frame[near : near + 1], frame[row:]])
    twice.write_parquet(parquet / "twice.parquet")
    with pytest.raises(rm.DataError, match=f"of query {where} in row {row}, already in row {near} ") as whole:
        rm.evaluate(*(str(parquet / each) for each in ({**paths, broken: "twice.parquet"}.values())), "AP")
    with pytest.raises(rm.DataError) as error:
        streamed(parquet, *{**paths, broken: "twice.parquet"}.values())
    assert str(error.value).replace(", as far as it was looked at", "") == str(whole.value)


def test_lists_that_are_all_empty_are_refused(tmp_path: Path, small_batches: Any) -> None:
    small_batches(20)
    pl.DataFrame({"query": [1], "item": [2]}).write_parquet(tmp_path / "qrels.parquet")
    nothing = pl.DataFrame(
        {"query": range(40), "item": [[]] * 40}, schema_overrides={"item": pl.List(pl.Int64)}
    )
    nothing.write_parquet(tmp_path / "run.parquet")
    for engine in ("local", "stream"):
        with pytest.raises(rm.DataError, match="every list of items is empty"):
            rm.evaluate(str(tmp_path / "qrels.parquet"), str(tmp_path / "run.parquet"), "AP", engine=engine)


@pytest.mark.parametrize("room", [1 << 30, 16_000, 4_000, 100])
def test_partitions_stay_in_memory_or_not(
    parquet: Any, small_batches: Any, monkeypatch: pytest.MonkeyPatch, room: Any
) -> None:
    small_batches(4000, 2000)
    monkeypatch.setattr(partitions, "HELD", max(1, (64 << 20) // room))
    both(parquet, "mixed.parquet", "scattered.parquet", MEASURES)


# --- What is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["local", "stream"])
@pytest.mark.parametrize("judged", ["qrels.csv", "qrels.parquet"])
def test_files_with_numbers_and_texts_as_ids_are_refused(tmp_path: Path, engine: Any, judged: Any) -> None:
    qrels = pl.DataFrame({"query": [1, 2], "item": [1, 2]})
    qrels.write_csv(tmp_path / "qrels.csv")
    qrels.write_parquet(tmp_path / "qrels.parquet")
    run = qrels.with_columns(score=0.5)
    run[:1].write_parquet(tmp_path / "run0.parquet")
    run[1:].with_columns(pl.col("query").cast(pl.String)).write_parquet(tmp_path / "run1.parquet")
    with pytest.raises(rm.ColumnError, match=r"run1.parquet'.* 'query' is String, but Int64 in .*run0"):
        rm.evaluate(str(tmp_path / judged), str(tmp_path / "run*.parquet"), "AP", engine=engine)


@pytest.mark.parametrize("engine", ["local", "stream"])
@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda run: run.drop("item"), rm.ColumnError, "has no column for the item"),
        (lambda run: run.drop("score"), rm.ColumnError, "has no column for a score or a rank"),
        (
            lambda run: run.with_columns(score=pl.when(pl.col("query") == 30).then(None).otherwise("score")),
            rm.DataError,
            "the score column 'score' .*null.* row 900 ",
        ),
        (
            lambda run: run.with_columns(
                score=pl.when(pl.col("query") == 30).then(float("nan")).otherwise("score")
            ),
            rm.DataError,
            "the score column 'score' .*NaN.* row 900 ",
        ),
        (lambda run: run.with_columns(item=pl.lit(3)), rm.DataError, "returned again for the same query"),
        (
            lambda run: run.with_columns(query=pl.col("query") + 1000),
            rm.DataError,
            "no results for any of the",
        ),
        (lambda run: run.with_columns(item=pl.col("item").cast(pl.String)), rm.IdTypeError, "item ids are"),
        (lambda run: run.clear(), rm.DataError, "has no rows"),
    ],
)
def test_bad_tables_have_the_same_errors_in_every_engine(
    tmp_path: Path, small_batches: Any, change: Any, error: Any, message: Any, engine: Any
) -> None:
    small_batches(2000)
    qrels, run = tables()
    qrels.write_parquet(tmp_path / "qrels.parquet")
    change(run).write_parquet(tmp_path / "run.parquet")
    with pytest.raises(error, match=message):
        rm.evaluate(str(tmp_path / "qrels.parquet"), str(tmp_path / "run.parquet"), "AP", engine=engine)


@pytest.mark.parametrize("engine", ["local", "stream"])
def test_a_damaged_parquet_file_is_named_by_every_engine(parquet: Any, engine: Any) -> None:
    content = bytearray((parquet / "grouped.parquet").read_bytes())
    content[4:2000] = bytes(1996)
    (parquet / "damaged.parquet").write_bytes(content)
    (parquet / "cut.parquet").write_bytes(content[:-200])
    for name, told in (("damaged", "cannot be read as Parquet"), ("cut", "the end of the file is missing")):
        with pytest.raises(rm.FormatError, match=rf"{name}\.parquet'.* {told}"):
            rm.evaluate(str(parquet / "qrels.parquet"), str(parquet / f"{name}.parquet"), "AP", engine=engine)


def test_a_wrong_number_in_a_late_batch_is_found_by_its_row(tmp_path: Path, small_batches: Any) -> None:
    small_batches(400)
    (tmp_path / "qrels.csv").write_text("query,item,relevance\n1,1,1\n")
    lines = [f"1,{i},{i}\n" for i in range(200)] + ["1,999,high\n"]
    (tmp_path / "run.csv").write_text("query,item,score\n" + "".join(lines))
    with pytest.raises(rm.FormatError, match="'high' in column 'score' is not a number"):
        streamed(tmp_path, "qrels.csv", "run.csv")
    (tmp_path / "run.txt").write_text("".join(f"1 Q0 {i} 1 {i} t\n" for i in range(200)) + "1 Q0 x\n")
    with pytest.raises(rm.FormatError, match="line 201: 3 fields"):
        streamed(tmp_path, "qrels.csv", "run.txt")


def test_one_query_without_judgements_is_told_as_one(tmp_path: Path, small_batches: Any) -> None:
    small_batches(100)
    pl.DataFrame({"query": [*range(20)], "item": 1}).write_parquet(tmp_path / "qrels.parquet")
    run = pl.DataFrame({"query": [*range(20), *[20] * 200], "item": [*range(220)], "score": 1.0})
    run.write_parquet(tmp_path / "run.parquet")
    with pytest.raises(rm.DataError, match="results for 1 query without judgements, the first is query 20"):
        streamed(tmp_path, "qrels.parquet", "run.parquet", unjudged_queries="error")


def test_unjudged_queries_can_be_refused(parquet: Any, small_batches: Any) -> None:
    small_batches(2000)
    with pytest.raises(rm.DataError, match="queries without judgements"):
        streamed(parquet, "qrels.parquet", "grouped.parquet", unjudged_queries="error")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda p: rm.evaluate({"q": {"a": 1}}, str(p / "grouped.parquet"), "AP", engine="stream"),
            "qrels is of type",
        ),
        (lambda p: rm.evaluate(str(p / "qrels.parquet"), [], "AP", engine="stream"), "run is of type list"),
        (lambda _: rm.evaluate("a", "b", "AP", engine="steam"), "did you mean 'stream'"),
        (lambda _: rm.evaluate("a", "b", "AP", engine="stream", memory="2 parsecs"), "is not an amount"),
        (lambda _: rm.evaluate("a", "b", "AP", engine="stream", memory=1000), "is too little"),
        (lambda p: streamed(p, "qrels.parquet", "run.jsonl"), "is JSON, which is not read in batches"),
        (lambda p: streamed(p, "qrels.parquet", "none.parquet"), "there is no file"),
        (lambda p: streamed(p, "qrels.parquet", "grouped.parquet", by="item"), "give attributes="),
    ],
)
def test_what_cannot_be_streamed_is_said(parquet: Any, call: Any, message: Any) -> None:
    (parquet / "run.jsonl").write_text('{"query": 1, "item": 2, "score": 3}\n')
    with pytest.raises(rm.UsageError, match=message):
        call(parquet)


def test_amounts_of_memory() -> None:
    assert memory_bytes("2GiB") == memory_bytes(None) == 2 << 30
    assert memory_bytes(" 500 MB ") == 500_000_000
    assert memory_bytes("1.5g") == 3 << 29
    assert memory_bytes(1 << 30) == 1 << 30


def test_large_files_are_streamed_by_themselves(parquet: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankmark.engines.selection.LEAST", 0)
    paths = {"qrels": str(parquet / "qrels.parquet"), "run": str(parquet / "grouped.parquet")}
    size = sum(Path(path).stat().st_size for path in paths.values())
    monkeypatch.setattr("rankmark.inputs.memory.free_memory", lambda: 2 * size - 1)
    assert is_streamed(None, None, paths)
    assert not is_streamed("local", None, paths)
    assert not is_streamed(None, None, paths | {"qrels": {"q": {"a": 1}}})
    monkeypatch.setattr("rankmark.inputs.memory.free_memory", lambda: 2 * size)
    assert not is_streamed(None, None, paths)


# --- Temporary files ----------------------------------------------------------------------------------------


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_a_full_disk_is_said_and_nothing_stays(
    parquet: Any, small_batches: Any, temporary: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_batches(2000)
    free = shutil.disk_usage(temporary)._replace(free=100)
    with monkeypatch.context() as patch:
        patch.setattr("shutil.disk_usage", lambda _: free)
        with pytest.raises(rm.UsageError, match=r"0.0 are free; make room"):
            streamed(parquet, "qrels.parquet", "scattered.parquet")

    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")

    @contextmanager
    def full() -> Iterator[Path]:
        with partitions.temporary_folder() as folder:
            (folder / "0.0.run").symlink_to("/dev/full")
            yield folder

    monkeypatch.setattr(stream, "temporary_folder", full)
    with pytest.raises(rm.UsageError, match="No space left on device; make room there"):
        streamed(parquet, "qrels.parquet", "scattered.parquet")
    assert not list(temporary.iterdir())


def test_what_fits_its_part_of_the_memory_needs_no_room_on_the_disk(
    parquet: Any, small_batches: Any, temporary: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_batches(2000)
    monkeypatch.setattr(partitions, "HELD", 4)
    monkeypatch.setattr("shutil.disk_usage", lambda _: shutil._ntuple_diskusage(0, 0, 0))
    seen = []
    observe = stream._Dealt.observe

    def look(self: Any, *args: Any) -> int:
        seen.extend(temporary.glob("*/*"))
        return observe(self, *args)

    monkeypatch.setattr(stream._Dealt, "observe", look)
    both(parquet, "mixed.parquet", "scattered.parquet", MEASURES)
    assert not seen


def test_a_temporary_file_that_has_lost_bytes_is_refused(
    parquet: Any, small_batches: Any, temporary: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_batches(2000)
    observe = stream._Dealt.observe

    def cut(self: Any, *args: Any) -> int:
        for path in temporary.glob("*/*.run"):
            path.write_bytes(path.read_bytes()[:-1])
        return observe(self, *args)

    monkeypatch.setattr(stream._Dealt, "observe", cut)
    with pytest.raises(rm.DataError, match="a temporary file has lost bytes"):
        streamed(parquet, "qrels.parquet", "scattered.parquet")
    assert not list(temporary.iterdir())


def test_a_run_whose_queries_come_back_is_dealt_out_before_any_is_evaluated(
    parquet: Any, small_batches: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_batches(4000)
    monkeypatch.setattr(stream, "_add_block", None)
    both(parquet, "qrels.parquet", "scattered.parquet", MEASURES)


def test_an_error_leaves_no_temporary_files(parquet: Any, small_batches: Any, temporary: Any) -> None:
    small_batches(2000)
    run = pl.read_parquet(parquet / "scattered.parquet").with_columns(item=pl.lit(3))
    run.write_parquet(parquet / "twice.parquet")
    with pytest.raises(rm.DataError, match="again for the same query"):
        streamed(parquet, "qrels.parquet", "twice.parquet")
    assert not list(temporary.iterdir())


SLOW = """
import sys, time
from rankmark.engines import partitions, stream
stream.BATCH, stream.SAMPLED, stream.OWN, partitions.HELD = (64 << 20) // 2000, 2000, 0, 1 << 20
observe = stream._Dealt.observe
def slow(self, *args):
    print("started", flush=True)
    time.sleep(60)
    return observe(self, *args)
stream._Dealt.observe = slow
from rankmark.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_stopped_run_leaves_nothing(parquet: Any, temporary: Any, number: Any, code: Any) -> None:
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip(f"{number.name} is ignored here, as under nohup, and by what is started, too")
    out = parquet / "values.parquet"
    command = [
        "eval",
        str(parquet / "qrels.parquet"),
        str(parquet / "scattered.parquet"),
        "-q",
        "-o",
        str(out),
    ]
    with started(
        [sys.executable, "-c", SLOW, *command, "--engine", "stream", "--memory", "64MiB"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"TMPDIR": str(temporary)},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        assert list(temporary.glob("rankmark-*/*"))
        asked_at = time.monotonic()
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
    assert time.monotonic() - asked_at < 20
    assert process.returncode == code, errors
    assert b"Traceback" not in errors
    assert not list(temporary.iterdir())
    assert not list(parquet.glob("*values*"))


def test_handlers_of_signals_are_as_before(parquet: Any, small_batches: Any) -> None:
    before = signal.getsignal(signal.SIGTERM)
    small_batches(2000)
    streamed(parquet, "qrels.parquet", "scattered.parquet")
    assert signal.getsignal(signal.SIGTERM) == before


# --- The command line, and values of each query in Parquet -------------------------------------------------


@pytest.mark.parametrize("engine", ["local", "stream"])
def test_values_of_each_query_go_to_a_parquet_file(
    parquet: Any, capfd: pytest.CaptureFixture[str], engine: Any
) -> None:
    from rankmark.cli import main

    qrels, out = str(parquet / "qrels.parquet"), parquet / "values.parquet"
    runs = [str(parquet / "grouped.parquet"), str(parquet / "scattered.parquet")]
    options = ["-m", "AP RR", "-q", "-o", str(out), "--engine", engine]
    assert main(["eval", qrels, runs[0], *options]) == 0
    assert pl.read_parquet(out).equals(rm.evaluate(qrels, runs[0], "AP RR").per_query)
    assert main(["eval", qrels, *runs, *options]) == 0
    assert pl.read_parquet(out)["run"].unique().sort().to_list() == ["grouped", "scattered"]
    assert main(["eval", qrels, runs[0], "-o", str(out)]) == 2
    assert "add -q and -o FILE" in capfd.readouterr().err
    assert main(["eval", qrels, runs[0], "-q", "--format", "parquet"]) == 2


def test_without_values_of_queries_there_is_no_parquet_file(tmp_path: Path) -> None:
    result = rm.evaluate_predictions({"click": [1, 0], "p": [0.9, 0.8]}, "AUC")
    with pytest.raises(rm.UsageError, match="no measure here has any"):
        result.write(tmp_path / "values.parquet")
    assert not list(tmp_path.iterdir())


def test_the_command_line_streams(parquet: Any, capfd: pytest.CaptureFixture[str]) -> None:
    from rankmark.cli import main

    tables = [str(parquet / "qrels.parquet"), str(parquet / "scattered.parquet")]
    assert main(["eval", *tables, "--format", "json"]) == 0
    local = capfd.readouterr().out
    assert main(["eval", *tables, "--format", "json", "--engine", "stream", "--memory", "128MiB"]) == 0
    assert capfd.readouterr().out == local
    assert main(["eval", *tables, "--engine", "stram"]) == 2
    assert "did you mean 'stream'" in capfd.readouterr().err


@given(st.lists(st.lists(st.integers(0, 2)), min_size=1), st.booleans())
def test_queries_begin_where_another_is_before(chunks: list[list[int]], texts: bool) -> None:
    assume(any(chunks))
    dtype = pl.String if texts else pl.Int64
    parts = [pl.Series(each, dtype=pl.Int64).cast(dtype) for each in chunks]
    whole = pl.concat(parts, rechunk=False)
    ids = whole.to_list()
    starts = [row for row in range(len(ids)) if not row or ids[row] != ids[row - 1]]
    assert stream.segment_starts(whole).tolist() == starts


@given(
    st.lists(st.floats(allow_nan=False) | st.integers(-3, 3).map(float)),
    st.sets(st.floats(allow_nan=False) | st.integers(-3, 3).map(float), max_size=5),
)
def test_numbers_stand_between_borders_or_at_one(numbers: list[float], among: set[float]) -> None:
    borders = sorted(among)
    table = _native.Table.from_arrow(pl.DataFrame({"x": pl.Series(numbers, dtype=pl.Float64)}))
    expected = [2 * sum(each < number for each in borders) + (number in borders) for number in numbers]
    assert _native.places_between(table, "x", np.array(borders)).tolist() == expected


@pytest.mark.parametrize(
    ("queries", "expected"),
    [
        ([1, 1, 2, 2, 3], False),
        ([1, 2, 3, 1, 2, 3], True),
        (["a", "b", "a", "b"], True),
        ([*range(20), 0], False),  # one of them alone does not decide
    ],
)
def test_queries_come_back_where_many_have_rows_after_those_of_others(queries: Any, expected: bool) -> None:
    table = _native.Table.from_arrow(pl.DataFrame({"query": queries}))
    assert stream.come_back(table, "query") == expected


@given(st.lists(st.floats() | st.integers(-(2**60), 2**60).map(float)))
def test_a_range_tells_whether_there_are_fractions(values: list[float]) -> None:
    found = _native.Table.from_arrow(pl.DataFrame({"x": pl.Series(values, dtype=pl.Float64)})).range("x")
    known = [value for value in values if not math.isnan(value)]
    fraction = any(math.isfinite(value) and not value.is_integer() for value in known)
    assert found == (min(known, default=math.inf), max(known, default=-math.inf), fraction)
