"""What people hold when they come from other tools is read as it is, with the values that it has there."""

from __future__ import annotations

import gzip
import io
import json
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

import rankmark as rm
from rankmark.inputs.format import File
from rankmark.inputs.formats import format_of

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1, "d": 0}}
RUN = {"q1": {"b": 0.9, "a": 0.8}, "q2": {"x": 0.3, "c": 0.2}}
JUDGED = [(q, i, g) for q, items in QRELS.items() for i, g in items.items()]
FOUND = [(q, i, s) for q, items in RUN.items() for i, s in items.items()]
MEASURES = "nDCG@10, RR"
VALUES = rm.evaluate(QRELS, RUN, MEASURES).values

TrecQrel = namedtuple("TrecQrel", ["query_id", "doc_id", "relevance", "iteration"])
GenericScoredDoc = namedtuple("GenericScoredDoc", ["query_id", "doc_id", "score"])
Row = namedtuple("Row", ["one", "other", "number"])
TABLE = pa.table(dict(zip(("query", "item", "score"), map(list, zip(*FOUND, strict=True)), strict=True)))


def _terrier() -> tuple[Any, Any]:
    run = pd.DataFrame(FOUND, columns=["qid", "docno", "score"])
    run["docid"], run["query"] = range(len(run)), "the text of " + run["qid"]
    run["rank"] = run.groupby("qid")["score"].rank(ascending=False).astype(int) - 1
    return pd.DataFrame(JUDGED, columns=["qid", "docno", "label"]), run[
        ["qid", "docid", "docno", "rank", "score", "query"]
    ]


HELD: dict[str, Callable[[], tuple[Any, Any]]] = {
    "named tuples of ir_measures": lambda: (
        [ir_measures.Qrel(*row) for row in JUDGED],
        [ir_measures.ScoredDoc(*row) for row in FOUND],
    ),
    "iterators of ir_measures": lambda: (
        (ir_measures.Qrel(*row) for row in JUDGED),
        (ir_measures.ScoredDoc(*row) for row in FOUND),
    ),
    "named tuples of ir_datasets": lambda: (
        iter([TrecQrel(*row, "0") for row in JUDGED]),
        iter([GenericScoredDoc(*row) for row in FOUND]),
    ),
    "named tuples with names of one's own": lambda: ([Row(*r) for r in JUDGED], [Row(*r) for r in FOUND]),
    "frames of PyTerrier": _terrier,
    "frames of BEIR": lambda: (pd.DataFrame(JUDGED, columns=["query-id", "corpus-id", "score"]), RUN),
    "rows that are dicts": lambda: (
        [{"query-id": q, "corpus-id": i, "score": g} for q, i, g in JUDGED],
        [{"query": q, "item": i, "score": s, "text": "…"} for q, i, s in FOUND],
    ),
    "dicts of series": lambda: ({q: pd.Series(v) for q, v in QRELS.items()}, RUN),
    "a data set of pyarrow": lambda: (QRELS, pyarrow.dataset.dataset(TABLE)),
    "a scanner of pyarrow": lambda: (QRELS, pyarrow.dataset.dataset(TABLE).scanner()),
    "a reader of pyarrow": lambda: (QRELS, TABLE.to_reader()),
}


@pytest.mark.parametrize("held", HELD)
def test_what_other_tools_hold_is_read(held: str) -> None:
    assert rm.evaluate(*HELD[held](), MEASURES).values == VALUES


def _ipc(stream: bool = False) -> bytes:
    frame, written = pl.DataFrame(TABLE), io.BytesIO()
    frame.write_ipc_stream(written) if stream else frame.write_ipc(written, compression="lz4")
    return written.getvalue()


FILES: dict[str, tuple[str, bytes]] = {
    "run as JSON": ("run.json", json.dumps(RUN).encode()),
    "run as JSON over lines": ("run.json", json.dumps(RUN, indent=1).encode()),
    "run as compressed JSON": ("run.json.gz", gzip.compress(json.dumps(RUN).encode(), mtime=0)),
    "lists as JSON": (
        "run.json",
        json.dumps({q: sorted(i, key=lambda x: -i[x]) for q, i in RUN.items()}).encode(),
    ),
    "Arrow": ("run.arrow", _ipc()),
    "Feather under another name": ("run.bin", _ipc()),
    "Arrow stream": ("run.arrows", _ipc(stream=True)),
    "compressed Arrow": ("run.feather.gz", gzip.compress(_ipc(), mtime=0)),
}


@pytest.mark.parametrize("kind", FILES)
def test_files_of_other_tools_are_read(kind: str, tmp_path: Path) -> None:
    name, content = FILES[kind]
    (tmp_path / name).write_bytes(content)
    assert rm.evaluate(QRELS, tmp_path / name, MEASURES).values == VALUES


def test_arrow_is_read_in_batches(tmp_path: Path) -> None:
    frame = pl.DataFrame({"query": range(3000), "item": 7, "score": 0.5, "more": "x"})
    path, table = tmp_path / "a.arrow", frame.to_arrow()
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=100)
    batched = format_of(File(path, "run"), "run", None).in_batches(File(path, "run"), "run")
    qrels = tmp_path / "qrels.parquet"
    frame.select("query", "item").write_parquet(qrels)
    assert batched.names == frame.columns
    streamed = rm.evaluate(qrels, path, "RR", engine="stream", memory="64MiB")
    assert streamed.values == rm.evaluate(qrels, path, "RR").values == {"RR": 1.0}


def test_numbers_as_keys_of_json_meet_numbers_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"1": {"10": 0.5}, "2": {"3": 0.9, "20": 0.1}}')
    assert rm.evaluate({1: {10: 1}, 2: {20: 1}}, tmp_path / "run.json", "RR").values == {"RR": 0.75}


def _beir(folder: Path, *splits: str) -> Path:
    (folder / "qrels").mkdir(parents=True)
    rows = "".join(f"{q}\t{i}\t{g}\n" for q, i, g in JUDGED)
    for split in splits:
        (folder / "qrels" / f"{split}.tsv").write_text("query-id\tcorpus-id\tscore\n" + rows)
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "…"}\n')
    return folder


@pytest.mark.parametrize("splits", [["test"], ["dev", "test", "train"], ["dev"]])
def test_a_folder_of_beir_is_its_judgements(splits: list[str], tmp_path: Path) -> None:
    assert rm.evaluate(_beir(tmp_path, *splits), RUN, MEASURES).values == VALUES


def test_a_folder_of_several_judgements_asks_which(tmp_path: Path) -> None:
    with pytest.raises(rm.UsageError, match=r"has judgements in '.*dev\.tsv', '.*train\.tsv'; say which"):
        rm.evaluate(_beir(tmp_path, "dev", "train"), RUN, MEASURES)


def test_rows_with_other_columns_are_refused() -> None:
    rows = [{"query": "q", "item": "a", "score": 1.0}, {"query": "q", "item": "b"}]
    with pytest.raises(rm.UsageError, match=r"run, row 1 \(from 0\): .* has other columns than"):
        rm.evaluate(QRELS, rows, "AP")
    mixed = [ir_measures.ScoredDoc("q", "a", 1.0), ("q", "b", 1.0)]
    with pytest.raises(rm.UsageError, match=r"row 1 \(from 0\): .* has other columns"):
        rm.evaluate(QRELS, mixed, "AP")


RUNS: dict[str, Any] = {
    "dicts": {"A": RUN, "B": {"q1": {"a": 1.0}}},
    "tables": {"A": TABLE, "B": pl.DataFrame({"query": ["q1"], "item": ["a"], "score": [1.0]})},
    "lists of tuples": {"A": FOUND, "B": [("q1", "a", 1.0)]},
}


@pytest.mark.parametrize("kind", RUNS)
def test_several_runs_have_a_result_each_in_one_table(kind: str) -> None:
    found = rm.evaluate(QRELS, RUNS[kind], MEASURES, intervals=True)
    assert isinstance(found, rm.results.Runs)
    assert {name: found[name].values for name in found} == {
        "A": VALUES,
        "B": rm.evaluate(QRELS, {"q1": {"a": 1.0}}, MEASURES).values,
    }
    assert str(found).splitlines()[0].split()[:2] == ["measure", "A"]


def test_several_runs_can_be_files(tmp_path: Path) -> None:
    paths = {}
    for name in ("A", "B"):
        paths[name] = tmp_path / f"{name}.run"
        paths[name].write_text("".join(f"{q} Q0 {i} 1 {s} {name}\n" for q, i, s in FOUND))
    for given in (paths, {name: str(path) for name, path in paths.items()}):
        assert rm.evaluate(QRELS, given, MEASURES)["B"].values == VALUES


def test_judgements_that_can_be_read_once_do_for_several_runs() -> None:
    found = rm.evaluate(iter(JUDGED), {"A": RUN, "B": RUN}, MEASURES)
    assert found["B"].values == VALUES


def test_a_system_needs_a_name() -> None:
    with pytest.raises(rm.UsageError, match="1 is no name of a system"):
        rm.evaluate(QRELS, {1: RUN, 2: RUN}, MEASURES)


def test_judgements_of_a_folder_are_no_run(tmp_path: Path) -> None:
    folder = _beir(tmp_path / "beir", "test")
    for qrels, options in ((QRELS, {}), (folder / "qrels" / "test.tsv", {"engine": "stream"})):
        with pytest.raises(rm.UsageError, match="is a directory; name its files"):
            rm.evaluate(qrels, folder, MEASURES, **options)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"q1": {"caf\xe9": 1.0}}', "line 1, column 13: byte 0xe9 is no UTF-8 text"),
        (b'{"q\\x": {"a": 1.0}}', "line 1, column 4: this is no JSON"),
    ],
)
def test_objects_of_queries_that_are_no_text_or_no_json_are_told(
    content: bytes, message: str, tmp_path: Path
) -> None:
    (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(rm.FormatError, match=message):
        rm.evaluate(QRELS, tmp_path / "run.json", MEASURES)
