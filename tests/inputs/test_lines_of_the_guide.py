"""Every line of the guide's table of inputs is run as it stands."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import pytrec_eval
import scipy.sparse
from ir_measures import ScoredDoc
from pyarrow.dataset import dataset

import rankmark as rm

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guides" / "inputs.md").read_text()
ELSEWHERE = ("https://", "ranx_run")
"""What other tests read: test_addresses.py, and tests/peers with ranx installed."""
LINES = [
    line
    for row in re.findall(r"^\| [^|]+ \| (`rm\.(?:evaluate|[A-Z])[^|]*) \|$", GUIDE, re.MULTILINE)
    for line in re.findall(r"`(rm\.[^`]+)`", row)
]
CONVERTED = re.findall(
    r"^\| ([^|]+) \| `([^`]+)` \| `([^`]+)` \|$",
    (ROOT / "examples" / "before_and_after.md").read_text(),
    re.MULTILINE,
)
"""What one holds, how it becomes a dict, and what is evaluated instead."""
QRELS = {"q1": {"a": 1}, "q2": {"c": 1}}
FRAME = pl.DataFrame({"query": ["q1", "q1", "q2"], "item": ["b", "a", "c"], "score": [0.9, 0.8, 0.2]})
VALUE = 0.75
TREC = "".join(f"{q} Q0 {i} 1 {s} tag\n" for q, i, s in FRAME.rows())


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder of files, and what the lines call by name."""
    folder = tmp_path_factory.mktemp("held")
    (folder / "qrels.txt").write_text("q1 0 a 1\nq2 0 c 1\n")
    (folder / "run.txt").write_text(TREC)
    (folder / "run.txt.gz").write_bytes(gzip.compress(TREC.encode(), mtime=0))
    FRAME.write_parquet(folder / "run.parquet")
    FRAME[:1].write_parquet(folder / "part-0.parquet")
    FRAME[1:].write_parquet(folder / "part-1.parquet")
    FRAME.write_csv(folder / "run.csv")
    FRAME.write_csv(folder / "run.tsv", separator="\t")
    FRAME.write_ndjson(folder / "run.jsonl")
    FRAME.write_ipc(folder / "run.arrow")
    FRAME.write_ipc_stream(folder / "run.arrows")
    with pa.CompressedOutputStream(str(folder / "run.txt.zst"), "zstd") as packed:
        packed.write(TREC.encode())
    run = {"q1": {"b": 0.9, "a": 0.8}, "q2": {"c": 0.2}}
    (folder / "run.json").write_text(json.dumps(run))
    (folder / "scifact" / "qrels").mkdir(parents=True)
    (folder / "scifact" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\ta\t1\nq2\tc\t1\n")
    terrier = FRAME.rename({"query": "qid", "item": "docno"}).with_columns(query=pl.lit("text")).to_pandas()
    names = {"q": QRELS, "run": run, "frame": FRAME, "arrow": pa.table(FRAME), "terrier": terrier}
    tools = {"rm": rm, "np": np, "pd": pd, "duckdb": duckdb, "scipy": scipy, "dataset": dataset}
    hits = [ScoredDoc(*row) for row in FRAME.iter_rows()]
    lists = {query: list(items) for query, items in run.items()}
    series = {query: pd.Series(items) for query, items in run.items()}
    tools |= {"pytrec_eval": pytrec_eval, "pl": pl, "pa": pa, "gzip": gzip, "io": io, "json": json}
    names |= {"hits": hits, "lists": lists, "series": series, "nested": nested}
    labels = {"y": [1, 0, 0, 1], "p": [0.9, 0.8, 0.3, 0.2]}
    return folder, {**names, **tools, **labels, "ScoredDoc": ScoredDoc}


def nested(rows: Iterable[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
    """The same function is in the page."""
    found: dict[str, dict[str, float]] = {}
    for query, item, score in rows:
        found.setdefault(query, {})[item] = score
    return found


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # files that are not closed, as in many a script
@pytest.mark.parametrize(("what", "before", "after"), CONVERTED, ids=[what for what, _, _ in CONVERTED])
def test_what_was_converted_by_hand_is_read_as_it_is(
    what: str, before: str, after: str, held: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, names = held
    monkeypatch.chdir(folder)
    frame = names["frame"]  # which DuckDB looks for among the variables
    converted, taken = (eval(each, {**names, "frame": frame}) for each in (before, after))
    if what.startswith("judgements"):
        assert (
            rm.evaluate(taken, names["run"], "RR")["RR"] == rm.evaluate(converted, names["run"], "RR")["RR"]
        )
    else:
        per_query = pytrec_eval.RelevanceEvaluator(QRELS, {"recip_rank"}).evaluate(converted)
        expected = {query: values["recip_rank"] for query, values in per_query.items()}
        assert dict(rm.evaluate(QRELS, taken, "RR").per_query.select("query", "RR").iter_rows()) == expected


def test_the_table_has_thirty_inputs() -> None:
    assert len(LINES) >= 30


@pytest.mark.parametrize("line", [line for line in LINES if not any(each in line for each in ELSEWHERE)])
def test_a_line_is_as_it_stands(
    line: str, held: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, names = held
    monkeypatch.chdir(folder)
    frame = names["frame"]  # which DuckDB looks for among the variables
    found = eval(line, {**names, "frame": frame})
    value = found if isinstance(found, float) else next(iter(found.values.values()))
    expected = {"AUC": 0.5, "GAUC": 0.5, "[0, 1, 1]": 0.5}
    assert value == next((each for name, each in expected.items() if name in line), VALUE)
