"""Files: which ones a path or a glob names, compressed or not, and what is refused of them."""

from __future__ import annotations

import gzip
import io
import os
import re
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import rankmark as rm
from rankmark.errors import ColumnError, DataError, FileMissingError, FormatError, UsageError
from rankmark.inputs import read_qrels, read_run
from rankmark.inputs.files import _standard_input as standard_input

COMPRESSED = [
    ("a.gz", gzip.compress(b"", mtime=0), "is empty"),
    ("a.txt.gz", gzip.compress(b"q Q0 d 1 0.5 t\n" * 1000, mtime=0)[:-12], "damaged or cut off"),
    ("a.txt.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff\xff\xff", "damaged"),
    ("a.zst", pa.compress(b"q Q0 d 1 0.5 t\n", "zstd", asbytes=True)[:-3], "damaged or cut off"),
]


@pytest.mark.parametrize(("name", "content", "message"), COMPRESSED)
def test_damaged_files(name: str, content: Any, message: Any, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FormatError, match=re.escape(message)) as error:
        read_run(path)
    assert str(path) in str(error.value)


def test_missing_files(tmp_path: Path) -> None:
    (tmp_path / "qrels.parquet").touch()
    with pytest.raises(FileMissingError, match=r"no file '.*qrels.parqet'; did you mean '.*qrels.parquet'"):
        read_qrels(tmp_path / "qrels.parqet")
    with pytest.raises(FileMissingError, match="there is no directory '/nowhere'"):
        read_qrels("/nowhere/a.csv")
    with pytest.raises(FileMissingError, match="no file fits the pattern"):
        read_qrels(str(tmp_path / "*.csv"))
    with pytest.raises(FileMissingError, match="is not a path"):
        read_qrels("query,item\n" * 10_000)
    with pytest.raises(
        UsageError, match=re.escape(f"is a directory; name its files, for example '{tmp_path}/*.parq")
    ):
        read_qrels(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,item\n1,2\n")
    (tmp_path / "a.csv").chmod(0)
    with pytest.raises(UsageError, match="cannot be read: Permission denied"):
        read_qrels(tmp_path / "a.csv")


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "txt"])
def test_a_file_whose_name_looks_like_a_glob(suffix: Any, tmp_path: Path) -> None:
    path = tmp_path / f"a [b]*?.{suffix}"
    table = pl.DataFrame({"query": [1], "item": [2]})
    match suffix:
        case "csv":
            table.write_csv(path)
        case "jsonl":
            table.write_ndjson(path)
        case "parquet":
            table.write_parquet(path)
        case "txt":
            path.write_text("1 2 1")
    assert read_qrels(path).table.num_rows == 1


def test_what_spark_writes_beside_a_table_is_none_of_its_files(tmp_path: Path) -> None:
    pl.DataFrame({"query": [1], "item": [2]}).write_parquet(tmp_path / "part-00000.snappy.parquet")
    for name in ("_SUCCESS", "_metadata", "_committed_42"):
        (tmp_path / name).touch()
    assert read_qrels(str(tmp_path / "*")).table.num_rows == 1


def rows_of(pattern: Any) -> int:
    return read_qrels(str(pattern)).table.num_rows


def test_judgements_with_aspects_and_without_are_one_table(tmp_path: Path) -> None:
    (tmp_path / "a1.csv").write_text("query,item,relevance,aspect\n1,a,1,x\n")
    (tmp_path / "a2.csv").write_text("query,item,relevance\n2,b,1\n")
    qrels = read_qrels(str(tmp_path / "a*"))
    assert (qrels.names, qrels.table.num_rows) == (["query", "item", "relevance"], 2)


def test_globs(tmp_path: Path) -> None:
    (tmp_path / "a1.csv").write_text("query,item,relevance\n1,a,1\n")
    (tmp_path / "a2.csv").write_text("relevance,other,query,item\n0.5,,2,b\n")
    pl.DataFrame({"query": ["3"], "item": ["c"], "relevance": [2.0]}).write_parquet(tmp_path / "a3.parquet")
    (tmp_path / "a4.txt").write_text("4 0 d 1\n")
    qrels = read_qrels(str(tmp_path / "a*"))
    assert pl.DataFrame(qrels.table).rows() == [
        ("1", "a", 1.0),
        ("2", "b", 0.5),
        ("3", "c", 2.0),
        ("4", "d", 1.0),
    ]
    assert not qrels.text_ids
    (tmp_path / "a0.csv").write_text("query,item,relevance\n")
    assert rows_of(tmp_path / "a*") == 4
    assert rows_of(tmp_path / "a[04]*") == 1
    with pytest.raises(DataError, match="has no rows"):
        rows_of(tmp_path / "a0*")
    (tmp_path / "a5.csv").write_text("query,item,grade\n1,a,1\n")
    with pytest.raises(ColumnError, match=r"a5.csv' has the columns .*all files need the same columns"):
        read_qrels(str(tmp_path / "a*"))
    pl.DataFrame({"query": [3], "item": ["c"], "relevance": [2.0]}).write_parquet(tmp_path / "a3.parquet")
    with pytest.raises(ColumnError, match=r"a3.parquet': column 'query' is Int64, but String in .*a1.csv'"):
        read_qrels(str(tmp_path / "a[1-3]*"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is a pipe or a device"):
        read_run(tmp_path / "pipe")


BROKEN = [
    (
        "a.csv",
        "query,item\nq1,é\n".encode("latin-1"),
        "line 2, column 4: byte 0xe9 is no UTF-8 text; convert the",
    ),
    (
        "a.tsv",
        "query\titem\nq1\t用\n".encode("gbk"),
        "line 2, column 4: byte 0xd3 is no UTF-8 text; convert the",
    ),
    ("a.jsonl", '{"query": "é"}'.encode("latin-1"), "line 1, column 12: byte 0xe9 is no UTF-8 text"),
    (
        "a.csv",
        b'query,item,relevance\nq1,a,"1"\nq1,b,0,5\n',
        "line 3: 4 fields, but the first line names 3 columns; field 4 is '5'; quote what has ','",
    ),
    (  # of which all columns are there that are read
        "a.csv",
        b"query,item,note,relevance\nq1,a,x,1\nq1,b,y, 4,1\n",
        "line 3: 5 fields, but the first line names 4 columns; field 5 is '1'; quote what has ','",
    ),
    ("a.csv", b'query,item\nq1,a\nq1,"b\nq2,c\n', 'line 3: a text that begins with a quote (") does not end'),
    (
        "a.csv",
        b'query,item\nq1,a\nq1,"b"c\nq2,c\n',
        'line 3: a text that begins with a quote (") does not end',
    ),
    (
        "a.jsonl",
        b'{"query": 1, "item": 2}\n\n{"query": 1, "item": }\n',
        "line 3, column 22: this is no JSON: Expecting value at '}'",
    ),
    (
        "a.jsonl",
        b'{"query": 1}\n{"query": 1\n',
        "line 2, column 12: this is no JSON: Expecting ',' delimiter at its",
    ),
    ("a.jsonl", b'{"query": 1}\nhello\n', "line 2, column 1: this is no JSON: Expecting value at 'hello'"),
    ("a.jsonl", b'{"query": 1}\n[1]\n', "line 2: this is JSON, but no object with a value for each column"),
    (
        "a.json",
        b'[{"query": 1},\n {"query": }]\n',
        "line 2, column 12: this is no JSON: Expecting value at '}]'",
    ),
]


@pytest.mark.parametrize(("name", "content", "message"), BROKEN)
@pytest.mark.parametrize("packed", [False, True])
def test_where_a_file_is_broken(
    name: str, content: bytes, message: str, packed: bool, tmp_path: Path
) -> None:
    path = tmp_path / (name + ".gz" * packed)
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(FormatError) as error:
        read_qrels(path)
    assert str(error.value).startswith(f"qrels '{path}', {message}")


@pytest.mark.parametrize("line", [b"7,8,9,1,1\n", b"7,\xff,x,1\n", b'7,8,"x,1\n'])
def test_a_streamed_file_is_broken_in_the_same_place(line: bytes, tmp_path: Path) -> None:
    rows = [b"%d,%d,x,1\n" % divmod(number, 10) for number in range(300_000)]
    rows[250_000] = line
    (tmp_path / "run.csv").write_bytes(b"query,item,note,score\n" + b"".join(rows))
    (tmp_path / "qrels.csv").write_bytes(b"query,item\n7,8\n")
    said = []
    for engine in ("local", "stream"):
        with pytest.raises(FormatError, match="line 250002") as error:
            rm.evaluate(tmp_path / "qrels.csv", tmp_path / "run.csv", "AP", engine=engine, memory="64MiB")
        said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("address", "instead"),
    [
        ("hdfs://host/qrels.csv", "hdfs dfs -get"),
        ("ftp://host/qrels.csv", "copy it here first"),
        ("file:///tmp/qrels.txt", "give its path, without 'file://'"),
    ],
)
def test_addresses_are_not_fetched(address: str, instead: str) -> None:
    with pytest.raises(
        UsageError, match=re.escape(f"{address!r} is an address, and here only files")
    ) as error:
        read_qrels(address)
    assert instead in str(error.value)
    with pytest.raises(UsageError, match="is an address"):
        read_qrels(Path(address))


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    given = io.TextIOWrapper(io.BytesIO(gzip.compress(b"query,item\n1,2\n1,3\n")))
    monkeypatch.setattr("sys.stdin", given)
    standard_input.cache_clear()
    assert [read_qrels("-").table.num_rows for _ in range(2)] == [2, 2]
    assert read_qrels("-").name == "qrels from standard input"
    monkeypatch.setattr("sys.stdin", None)
    standard_input.cache_clear()
    with pytest.raises(UsageError, match="'-' is standard input, which there is none of here"):
        read_qrels("-")


PRINTED = "num_ret\t1\t10\nmap\t1\t0.5\nmap\t2\t0.3\nrunid\tall\tbm25\nmap\tall\t0.4\n"


@pytest.mark.parametrize(
    "door",
    [
        lambda path: rm.evaluate(path, {"1": ["d"]}, "AP"),
        lambda path: rm.evaluate(path, path, "AP", engine="stream"),
        lambda path: rm.check(path, {"1": ["d"]}),
        read_qrels,
        lambda path: rm.gate(path, {"1": ["d"]}, {"1": ["d"]}, "AP", max_drop=0.1),
        lambda path: rm.evaluate({"1": {"d": 1}}, path, "AP"),
    ],
)
@pytest.mark.parametrize("text", [PRINTED, PRINTED.replace("runid\tall\tbm25\n", "")])
def test_what_trec_eval_prints_of_queries_is_no_judgements(tmp_path: Path, door: Any, text: str) -> None:
    """Of three fields a line, as judgements are: measures would be queries, and queries items."""
    path = tmp_path / "bm25.eval"
    path.write_text(text)
    with pytest.raises(
        FormatError, match=r"values of queries, as trec_eval -q prints them, and no .*-matrix"
    ):
        door(str(path))


def test_judgements_of_queries_called_as_measures_are_judgements(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("map\td1\t1\nmap\td2\t0\nq2\tall\t1\n")
    assert rm.evaluate(str(path), {"map": ["d1"], "q2": ["all"]}, "AP")["AP"] == 1
