"""The same small tables in every form that is read."""

import gzip
import json

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rankmark._native import Table
from rankmark.errors import DataError
from rankmark.inputs import Input, read_qrels, read_run

QRELS = {
    "query": ["q1", "q1", "a rather long query"],
    "item": ["d1", "a rather long item", "007"],
    "relevance": [2.0, 0.0, -0.5],
}
RUN = {
    "query": ["q1", "q1", "q1", "q2"],
    "item": ["d1", "007", "a rather long item", "d1"],
    "score": [2.5, 1e30, 1.0, -1e-3],
}


def rows(table: Input) -> list[tuple]:
    names = [
        table.query,
        table.item,
        *([table.value] if table.value else []),
        *([table.rank] if table.rank else []),
    ]
    return pl.DataFrame(table.table).select(names).rows()


def trec_text(columns: dict) -> str:
    value = "relevance" if "relevance" in columns else "score"
    lines = zip(columns["query"], columns["item"], columns[value], strict=True)
    words = ((query.replace(" ", "_"), item.replace(" ", "_"), value) for query, item, value in lines)
    if value == "relevance":
        return "".join(f"{query} 0 {item} {value}\n" for query, item, value in words)
    return "".join(
        f"{query}\tQ0\t{item}  {rank} {value} tag\r\n" for rank, (query, item, value) in enumerate(words)
    )


def csv(columns: dict, separator: str = ",") -> bytes:
    return pl.DataFrame(columns).write_csv(separator=separator).encode()


def json_lines(columns: dict) -> bytes:
    return pl.DataFrame(columns).write_ndjson().encode()


def parquet(columns: dict, path) -> None:
    pl.DataFrame(columns | {"more": [[1]] * len(columns["query"])}).write_parquet(path)


def as_tuples(columns: dict) -> list[tuple]:
    return list(zip(*columns.values(), strict=True))


def as_dicts(columns: dict) -> dict:
    nested: dict = {}
    for query, item, value in as_tuples(columns):
        nested.setdefault(query, {})[item] = value
    return nested


IN_MEMORY = {
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "polars categorical": lambda c: pl.DataFrame(c).with_columns(
        pl.col("query", "item").cast(pl.Categorical)
    ),
    "polars chunked": lambda c: pl.concat([pl.DataFrame(c)[:1], pl.DataFrame(c)[1:]], rechunk=False),
    "pandas": pd.DataFrame,
    "pandas categorical": lambda c: pd.DataFrame(c).astype({"query": "category", "item": "category"}),
    "pandas with an index": lambda c: pd.DataFrame(c, index=[f"row {i}" for i in range(len(c["query"]))]),
    "pyarrow": pa.table,
    "pyarrow large_string": lambda c: pa.table(c).cast(
        pa.schema([("query", pa.large_string()), ("item", pa.large_string()), (list(c)[2], pa.float32())])
    ),
    "pyarrow batch": pa.RecordBatch.from_pydict,
    "pyarrow reader": lambda c: pa.table(c).to_reader(),
    "duckdb": lambda c: duckdb.from_arrow(pa.table(c)),
    "capsule": lambda c: Table.from_arrow(pa.table(c)),
    "lists": lambda c: pl.DataFrame(c).group_by("query", maintain_order=True).all(),
    "fixed lists": lambda c: pl.DataFrame(c).with_columns(
        pl.exclude("query").reshape((-1, 1)),
    ),
    "dict of dicts": as_dicts,
    "dict of dicts of numpy scalars": lambda c: {
        query: {np.str_(item): np.float32(value) for item, value in items.items()}
        for query, items in as_dicts(c).items()
    },
    "tuples": as_tuples,
    "generator": lambda c: iter(as_tuples(c)),
}


@pytest.mark.parametrize("form", IN_MEMORY)
def test_in_memory(form):
    qrels, run = read_qrels(IN_MEMORY[form](QRELS)), read_run(IN_MEMORY[form](RUN))
    assert rows(qrels) == as_tuples(QRELS)
    single = "float32" in str(pl.DataFrame(run.table).schema[run.value]).lower() or "numpy" in form
    expected = [(q, d, float(np.float32(s)) if single else s) for q, d, s in as_tuples(RUN)]
    assert rows(run) == expected
    assert not qrels.text_ids
    assert (qrels.name, run.name) == ("qrels", "run")


def test_pandas_without_pyarrow(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    frame = pd.DataFrame(QRELS).astype({"item": "category", "query": object})
    assert rows(read_qrels(frame)) == as_tuples(QRELS)
    integers = pd.DataFrame({"query": pd.array([1, 2], dtype="Int64"), "item": [3, 4]})
    assert rows(read_qrels(integers)) == [(1, 3), (2, 4)]


WRITERS = {
    "a.csv": lambda c, path: path.write_bytes(csv(c)),
    "a.tsv": lambda c, path: path.write_bytes(csv(c, "\t")),
    "a.jsonl": lambda c, path: path.write_bytes(json_lines(c)),
    "a.ndjson": lambda c, path: path.write_bytes(json_lines(c)),
    "a.parquet": parquet,
    "a.pq": parquet,
    "comma": lambda c, path: path.write_bytes(b"\xef\xbb\xbf" + csv(c)),
    "tab": lambda c, path: path.write_bytes(csv(c, "\t").replace(b"\n", b"\r\n")),
    "json": lambda c, path: path.write_bytes(json_lines(c)),
    "parquet": parquet,
}


@pytest.fixture(params=["plain", "gz", "zst"])
def packed(request, tmp_path):
    """Writes a file as it is or compressed, and says where."""

    def pack(path):
        content = path.read_bytes()
        if request.param == "plain":
            return path
        half = len(content) // 2
        compress = (
            gzip.compress if request.param == "gz" else (lambda data: pa.compress(data, "zstd", asbytes=True))
        )
        packed = tmp_path / f"{path.name}.{request.param}"
        packed.write_bytes(compress(content[:half]) + compress(content[half:]))
        return packed

    return pack


@pytest.mark.parametrize("name", WRITERS)
def test_files(name, tmp_path, packed):
    for columns, read in [(QRELS, read_qrels), (RUN, read_run)]:
        path = tmp_path / name
        WRITERS[name](columns, path)
        table = read(packed(path))
        assert rows(table) == as_tuples(columns)
        assert table.text_ids == (name in ("a.csv", "a.tsv", "comma", "tab"))
        assert table.table.names == list(columns)


@pytest.mark.parametrize("name", ["run.txt", "run.tsv", "run", "run.trec"])
def test_trec_text(name, tmp_path, packed):
    for columns, read in [(QRELS, read_qrels), (RUN, read_run)]:
        path = tmp_path / name
        path.write_text("\ufeff# made by hand\n\n" + trec_text(columns), encoding="utf-8", newline="")
        table = read(str(packed(path)))
        expected = [(q.replace(" ", "_"), d.replace(" ", "_"), value) for q, d, value in as_tuples(columns)]
        assert rows(table) == expected
        assert table.text_ids


@pytest.mark.parametrize("line", ["q Q0 d 3", "q Q0 d 3 tag"])
def test_trec_text_with_ranks_only(line, tmp_path):
    (tmp_path / "run").write_text(line)
    run = read_run(tmp_path / "run")
    assert (run.value, run.rank) == (None, "rank")
    assert rows(run) == [("q", "d", 3)]


def test_json_array(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([{"query": 1, "item": "a"}, {"query": 2, "item": "b"}]))
    assert rows(read_qrels(tmp_path / "a.json")) == [(1, "a"), (2, "b")]


def test_json_numbers_may_be_whole_at_first(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = [json.dumps({"query": 1, "item": "a", "score": i if i < 150 else 0.5}) for i in range(151)]
    path.write_text("\n".join(lines))
    assert rows(read_run(path))[-1] == (1, "a", 0.5)
    lists = [json.dumps({"query": i, "items": ["a"], "scores": [i if i < 150 else 0.5]}) for i in range(151)]
    path.write_text("\n".join(lists))
    assert rows(read_run(path))[-1] == (150, "a", 0.5)


def test_csv_numbers_may_be_whole_at_first(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("query,item,score\n" + "1,a,1\n" * 150 + "1,b,0.5\n1,007,-inf\n")
    assert rows(read_run(path))[-2:] == [("1", "b", 0.5), ("1", "007", float("-inf"))]


def test_booleans_are_relevance(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("query,item,click\n1,a,true\n1,b,false\n")
    assert rows(read_qrels(path)) == [("1", "a", True), ("1", "b", False)]
    assert rows(read_qrels([("q", "d", True)])) == [("q", "d", 1.0)]


def test_qrels_without_relevance():
    for qrels in [pl.DataFrame({"query": ["q"], "item": ["d"]}), {"q": ["d"]}, {"q": {"d"}}, [("q", "d")]]:
        table = read_qrels(qrels)
        assert table.value is None
        assert rows(table) == [("q", "d")]


def test_run_with_ranks_only():
    run = read_run(pl.DataFrame({"query": [1, 1], "item": [1, 2], "position": [2, 1]}))
    assert (run.value, run.rank) == (None, "position")


def test_lists_in_rank_order():
    expected = [("q1", "b"), ("q1", "a"), ("q2", "c")]
    for source in [
        {"q1": ["b", "a"], "q2": ("c",), "q3": []},
        {"q1": np.array(["b", "a"]), "q2": iter("c")},
        pl.DataFrame({"query": ["q1", "q2", "q3"], "items": [["b", "a"], ["c"], []]}),
        pl.DataFrame({"query": ["q1", "q2", "q3"], "item": [["b", "a"], ["c"], None]}),
        pd.DataFrame({"query": ["q1", "q2"], "item_ids": [["b", "a"], ["c"]]}),
    ]:
        run = read_run(source)
        assert (run.value, run.rank) == (None, None)
        assert rows(run) == expected


def test_a_wide_table_of_pandas_with_gaps():
    """Which pandas holds as floats."""
    run = read_run(pd.DataFrame({"query": [1, 2], "item_1": [10, 11], "item_2": [12, None]}))
    assert rows(run) == [(1, 10), (1, 12), (2, 11)]


def test_two_lists_for_one_query_without_scores_are_refused():
    table = pl.DataFrame({"query": [1, 2, 1], "items": [[1], [2], [3]]})
    with pytest.raises(DataError, match=r"query 1 has several lists \(rows 0 and 2, from 0\)"):
        read_run(table)
    scores = pl.Series("scores", [[0.1], [0.2], [0.3]])
    assert len(rows(read_run(table.with_columns(scores)))) == 3
    assert len(rows(read_qrels(table))) == 3


def test_pandas_with_ids_in_the_index():
    table = pd.DataFrame({"user": [1, 1], "item": ["a", "b"], "rating": [2.0, 0.0]})
    qrels = read_qrels(table.set_index(["user", "item"]))
    series = read_qrels(table.set_index(["user", "item"])["rating"])
    for read in (qrels, series):
        assert (read.query, read.item, read.value) == ("user", "item", "rating")
        assert read.table.column_values("item") == ["a", "b"]
    assert list(table.columns) == ["user", "item", "rating"]


@pytest.mark.parametrize("prefix", ["item_", "top_", "rank", "", "Top-", "prediction "])
@pytest.mark.parametrize("start", [0, 1])
def test_wide(prefix, start, tmp_path):
    names = [f"{prefix}{start + i}" for i in range(11)]
    columns = {"query": ["q1", "q2"], "score_1": [1, 2]} if prefix == "item_" else {"query": ["q1", "q2"]}
    columns |= {name: [f"d{i}", f"e{i}" if i < 2 else None] for i, name in reversed(list(enumerate(names)))}
    expected = [("q1", f"d{i}") for i in range(11)] + [("q2", "e0"), ("q2", "e1")]
    frame = pl.DataFrame(columns)
    frame.write_csv(tmp_path / "a.csv")
    for source in [frame, frame.to_pandas(), tmp_path / "a.csv"]:
        run = read_run(source)
        assert (run.value, run.rank) == (None, None)
        assert rows(run) == expected


def test_wide_said_outright():
    frame = pl.DataFrame(
        {"query": [1, 2], "first": ["US", "FR"], "second": ["FR", None], "truth": ["US", "CN"]}
    )
    expected = [(1, "US"), (1, "FR"), (2, "FR")]
    assert rows(read_run(frame, {"items": "first, second"})) == expected
    assert rows(read_run(frame, {"run.items": ["first", "second"]})) == expected
    assert rows(read_qrels(frame, {"item": "truth"})) == [(1, "US"), (2, "CN")]


def test_wide_pandas_with_numbers_as_names():
    frame = pd.DataFrame([["a", "b"], ["c", "d"]], columns=[1, 2]).assign(query=[7, 8])
    assert rows(read_run(frame)) == [(7, "a"), (7, "b"), (8, "c"), (8, "d")]


def test_inputs_stay_as_they_are():
    frame, columns = pd.DataFrame(QRELS, index=[5, 6, 7]), {"query": "query"}
    before = frame.copy()
    read_qrels(frame, columns)
    pd.testing.assert_frame_equal(frame, before)
    assert columns == {"query": "query"}
