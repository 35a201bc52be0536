"""Every line of the README's table of inputs is run as it stands."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from ir_measures import ScoredDoc
from pyarrow.dataset import dataset

import rankmark as rm

README = (Path(__file__).parents[2] / "README.md").read_text()
ELSEWHERE = ("https://", "ranx_run")
"""What other tests read: test_addresses.py, and tests/peers with ranx installed."""
LINES = [
    line
    for row in re.findall(r"^\| [^|]+ \| (`rm\.(?:evaluate|[A-Z])[^|]*) \|$", README, re.MULTILINE)
    for line in re.findall(r"`(rm\.[^`]+)`", row)
]
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
    labels = {"y": [1, 0, 0, 1], "p": [0.9, 0.8, 0.3, 0.2]}
    return folder, {**names, **tools, **labels, "ScoredDoc": ScoredDoc}


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
