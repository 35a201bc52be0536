"""What is refused says what is wrong, where, and what to do."""

import gzip
import os
import re

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rankmark.errors import ColumnError, DataError, FileMissingError, FormatError, IdTypeError, UsageError
from rankmark.inputs import read_qrels, read_run

FILES = [
    ("a.txt", b"", "is empty"),
    ("a.csv", b"", "is empty"),
    ("a.gz", gzip.compress(b"", mtime=0), "is empty"),
    ("a.txt", b"# only\n\n", "only blank and comment lines"),
    ("a.txt", b"q Q0 d 1 0.5 t\nq Q0 d 1 x t\n", 'line 2: the score "x" is not a number'),
    ("a.txt", b"q Q0 d 1 0.5 t\nq Q0 d 1 0.5\n", "line 2: 5 fields where the first line has 6"),
    ("a.txt", b"one two\n", "line 1: 2 fields where a line of a run needs"),
    ("a.txt.gz", gzip.compress(b"q Q0 d 1 0.5 t\n" * 1000, mtime=0)[:-12], "damaged or cut off"),
    ("a.txt.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff\xff\xff", "damaged"),
    ("a.zst", pa.compress(b"q Q0 d 1 0.5 t\n", "zstd", asbytes=True)[:-3], "damaged or cut off"),
    ("a.csv", b"query,item,score\n1,2,3\n1,3,x\n", "row 1 (from 0): 'x' in column 'score' is not a number"),
    ("a.csv", b"query,item,score\n1,caf\xe9,1\n", "cannot be read as CSV: invalid utf-8"),
    ("a.csv", b"\n\n", "cannot be read as CSV: empty"),
    ("a.jsonl", b'{"query": 1, "item": 1, "score": 1}\n{"query"\n', "cannot be read as JSON"),
    ("a.parquet", b"PAR1", "cannot be read as Parquet"),
    ("a.parquet", b"query,item,score\n1,2,3\n", "cannot be read as Parquet"),
]


@pytest.mark.parametrize(("name", "content", "message"), FILES)
def test_files(name, content, message, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FormatError, match=re.escape(message)) as error:
        read_run(path)
    assert str(path) in str(error.value)


def test_booleans_and_other_text(tmp_path):
    (tmp_path / "a.csv").write_text("query,item,rel\n" + "1,2,true\n" * 120 + "1,3,2\n")
    with pytest.raises(
        FormatError, match=re.escape("row 120 (from 0): '2' in column 'rel' is not true or false")
    ):
        read_qrels(tmp_path / "a.csv")


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_files_without_rows_or_with_other_columns(name, tmp_path):
    path = tmp_path / name
    write = getattr(
        pl.DataFrame, {"a.csv": "write_csv", "a.jsonl": "write_ndjson", "a.parquet": "write_parquet"}[name]
    )
    write(pl.DataFrame({"query": [1], "itme": [2]}), path)
    with pytest.raises(ColumnError, match=f"{name}' has no column for the item; did you mean 'itme'"):
        read_qrels(path)
    if name != "a.jsonl":
        write(pl.DataFrame({"query": [], "item": []}, schema={"query": pl.Int64, "item": pl.Int64}), path)
        with pytest.raises(DataError, match=f"{name}' has no rows"):
            read_qrels(path)


def test_two_columns_of_one_name(tmp_path):
    (tmp_path / "a.csv").write_text("query,item,item\n1,2,3\n")
    with pytest.raises(ColumnError, match="two columns called 'item'"):
        read_qrels(tmp_path / "a.csv")
    with pytest.raises(ColumnError, match="2 columns that can be the item: 'item', 'item'"):
        read_qrels(pd.DataFrame([[1, 2, 3]], columns=["query", "item", "item"]))


def test_missing_files(tmp_path):
    (tmp_path / "qrels.parquet").touch()
    with pytest.raises(FileMissingError, match=r"no file '.*qrels.parqet'; did you mean 'qrels.parquet'"):
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
def test_a_file_that_may_not_be_read(tmp_path):
    (tmp_path / "a.csv").write_text("query,item\n1,2\n")
    (tmp_path / "a.csv").chmod(0)
    with pytest.raises(UsageError, match="cannot be read: Permission denied"):
        read_qrels(tmp_path / "a.csv")


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "txt"])
def test_a_file_whose_name_looks_like_a_glob(suffix, tmp_path):
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


def rows_of(pattern) -> int:
    return read_qrels(str(pattern)).table.num_rows


def test_globs(tmp_path):
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


TABLES = [
    (pl.DataFrame({"query": [], "item": []}), DataError, "qrels has no rows"),
    (pl.Series("query", [1]), UsageError, "the Series is not a table"),
    (pd.DataFrame({"query": [1, "a"], "item": [1, 2]}), ColumnError, "values of several types"),
    (pl.DataFrame({"query": [object()], "item": [1]}), ColumnError, "column 'query' holds Python objects"),
    (
        pl.DataFrame({"query": [1], "items": [[1, 2]], "grades": [[1]]}),
        DataError,
        "row 0 (from 0; query 1): 2 in 'items' but 1 in 'grades'; both lists need the same length",
    ),
    (
        pl.DataFrame({"query": [1], "items": [[1, 2]], "grade": [1]}),
        ColumnError,
        "'grade' holds one Int64 a row",
    ),
    (
        pl.DataFrame({"query": ["a", "b"], "items": [[1], [2, None]]}),
        DataError,
        "row 1 (from 0; query 'b'): a null in the list 'items'",
    ),
    (
        pl.DataFrame({"query": [1], "items": [[]]}, schema_overrides={"items": pl.List(pl.Int64)}),
        DataError,
        "every list of items is empty",
    ),
    (pl.DataFrame({"query": [1], "items": [[1.5]]}), ColumnError, "'items' is Float64"),
    (
        pl.DataFrame({"query": [1, 2], "item_1": ["a", None], "item_2": ["b", "c"]}),
        DataError,
        "row 1 (from 0): 'item_1' is empty but 'item_2' is not",
    ),
    (
        pl.DataFrame({"query": [1], "item_1": ["a"], "item_2": [2]}),
        ColumnError,
        "the ranked columns need one type; 'item_1' is String and 'item_2' is integer",
    ),
]


@pytest.mark.parametrize(("table", "kind", "message"), TABLES)
def test_tables(table, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        read_qrels(table)


QRELS = [
    ({}, DataError, "qrels has no rows"),
    ([], DataError, "qrels has no rows"),
    ({"q": {}}, DataError, "qrels has no rows"),
    (
        {"q": {"d": 1}, "p": ["d"]},
        DataError,
        "a dict for some queries, a list for others; the first is query 'p'",
    ),
    ({"q": "d"}, UsageError, "query 'q' has 'd'; give {item: value} or a list or set of relevant items"),
    ({"q": 1}, UsageError, "query 'q' has 1"),
    ({"query": ["q"], "item": ["d"]}, UsageError, "a dict of columns"),
    ({"q": {"d": "1"}}, DataError, "row 0 (from 0): the relevance '1' is a str, not a number"),
    ({"q": {"d": None}}, DataError, "the relevance None is a NoneType"),
    (
        {"q": {"d": 1, 2: 1}},
        IdTypeError,
        "row 1 (from 0): the item 2 is a int, but the first one, 'd', is a str",
    ),
    ({1: {"d": 1}, "2": {"d": 1}}, IdTypeError, "row 1 (from 0): the query '2' is a str"),
    ({1.5: {"d": 1}}, IdTypeError, "the query 1.5 is a float; ids are integers or strings"),
    ({True: {"d": 1}}, IdTypeError, "the query True is a bool"),
    ({2**70: {"d": 1}}, DataError, "does not fit into 64 bits"),
    (
        [("q", "d", 1), ("q", "d")],
        UsageError,
        "row 1 (from 0): ('q', 'd') is no tuple (query, item, relevance)",
    ),
    ([("q",)], UsageError, "is no tuple"),
    (["qd"], UsageError, "row 0 (from 0): 'qd' is no tuple"),
    (7, UsageError, "qrels is of type int, none of these: the path of a file"),
    (None, UsageError, "qrels is of type NoneType, none of these"),
    (b"a.csv", UsageError, "qrels is of type bytes, none of these"),
]


@pytest.mark.parametrize(("source", "kind", "message"), QRELS)
def test_containers(source, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        read_qrels(source)


RUNS = [
    ({"q": {"d", "e"}}, DataError, "run: query 'q' has a set, which has no order; give a list, best first"),
    ({"q": "d"}, UsageError, "or a list of items, best first"),
    ({"q": {"d": True}}, DataError, "the score True is a bool, not a number"),
    ([("q", "d")], UsageError, "('q', 'd') is no tuple (query, item, score)"),
]


@pytest.mark.parametrize(("source", "kind", "message"), RUNS)
def test_containers_of_results(source, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        read_run(source)


def test_qrels_given_as_a_run(tmp_path):
    (tmp_path / "qrels").write_text("q 0 d 1\n")
    with pytest.raises(FormatError, match="line 1: 4 fields where a line of a run needs"):
        read_run(tmp_path / "qrels")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is a pipe or a device"):
        read_run(tmp_path / "pipe")
