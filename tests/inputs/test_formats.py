"""Formats of files: each is one module, is known by its name or its content, and says what is unreadable."""

from __future__ import annotations

import gzip
import json
import pkgutil
import re
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import rankmark as rm
from rankmark.errors import ColumnError, DataError, FormatError, RankmarkError
from rankmark.inputs import formats, read_qrels, read_run
from rankmark.inputs.batches import open_batches
from rankmark.inputs.format import File
from rankmark.inputs.formats import file_formats, format_of, listed_formats
from rankmark.inputs.formats.separated import _blocks
from rankmark.progress import RowProgress
from small_tables import QRELS, RUN, as_tuples, rows

UNREADABLE = {
    "TREC": [
        ("a.txt", b"", "is empty"),
        ("a.txt", b"# only\n\n", "only blank and comment lines"),
        ("a.txt", b"q Q0 d 1 0.5 t\nq Q0 d 1 x t\n", 'line 2: the score "x" is not a number'),
        ("a.txt", b"q Q0 d 1 0.5 t\nq Q0 d 1 0.5\n", "line 2: 5 fields where the first line has 6"),
        ("a.txt", b"one two\n", "line 1: 2 fields where a line of a run needs"),
        ("a.tsv", b"q\td\t1\nq\td\tx\n", 'line 2: the score "x" is not a number'),
    ],
    "CSV": [
        ("a.csv", b"", "is empty"),
        (
            "a.csv",
            b"query,item,score\n1,2,3\n1,3,x\n",
            "row 1 (from 0): 'x' in column 'score' is not",
        ),
        ("a.csv", "查询,item,score\n1,a,1\n".encode("gbk"), "line 1, column 1: byte 0xb2 is no UTF-8 text"),
        ("a.csv", b"query,item,score\n1,caf\xe9,1\n", "line 2, column 6: byte 0xe9 is no UTF-8 text"),
        ("a.csv", b"\n\n", "cannot be read as CSV: empty"),
    ],
    "TSV": [
        ("a.tsv", b"", "is empty"),
        ("a.tsv", b"query\titem\tscore\n1\t2\tx\n", "row 0 (from 0): 'x' in column 'score' is not a number"),
        ("tabs", b"query\titem\tscore\n1\tcaf\xe9\t1\n", "line 2, column 6: byte 0xe9 is no UTF-8 text"),
    ],
    "JSON": [
        ("a.json", b'{"q1": {"a": 1}, "q1": {"b": 1}}', "line 1: an object has two values called 'q1'"),
        ("a.json", b'{"q1": {"a": 1},\n"q2": {"b": NaN}}', "line 1: NaN is no number in JSON"),
        ("a.json", b'{"q1": {"a": 1},\n"q2": {"b" 1}}', "line 2, column 12: this is no JSON"),
        ("a.json", b'{"q1": {"a": 1}, "q2": {"b": "x"}}', "the score 'x' is a str, not a number"),
        ("a.json", b'{"q1": {}}', "has no rows"),
        ("a.jsonl", b'{"query": 1, "item": 1, "score": 1}\n{"query"\n', "line 2, column 9: this is no JSON"),
        ("json", b'{"query": 1, "item"\n', "line 1, column 20: this is no JSON"),
    ],
    "Parquet": [
        ("a.parquet", b"PAR1", "4 bytes: the end of the file is missing, which tells what is in Parquet"),
        ("a.parquet", b"query,item,score\n1,2,3\n", "23 bytes: it does not begin as Parquet does; rename"),
        ("parquet", b"PAR1 and no more", "16 bytes: the end of the file is missing"),
        (
            "a.parquet.gz",
            gzip.compress(b"PAR1 and no more", mtime=0),
            "it was cut off or is still being written",
        ),
        ("parquet", b"PAR1 and what is no end PAR1", "cannot be read as Parquet"),
    ],
    "Arrow": [
        ("a.arrow", b"ARROW1", "6 bytes: the end of the file is missing, which tells what is in Arrow"),
        ("a.feather", b"query,item,score\n1,2,3\n", "23 bytes: it does not begin as Arrow does; rename"),
        ("arrow", b"ARROW1\0\0 and no more", "the end of the file is missing"),
        ("stream", b"\xff\xff\xff\xff\x10\0\0\0 and no more", "cannot be read as Arrow"),
        ("a.arrow.gz", gzip.compress(b"ARROW1\0\0 and no more", mtime=0), "it was cut off or is still"),
    ],
}
"""By the format: files that cannot be read, and what is said of them. A new format needs some, too."""


def test_every_module_of_the_folder_is_listed_with_what_tells_it_apart() -> None:
    modules = {each.name for each in pkgutil.iter_modules(formats.__path__)}
    assert {type(each).__module__.rpartition(".")[2] for each in file_formats()} == modules
    endings = [ending for each in file_formats() for ending in (*each.endings, *each.usual_endings)]
    assert len(set(endings)) == len(endings)
    assert len({each.place for each in file_formats()}) == len({each.name for each in file_formats()})
    assert set(UNREADABLE) == {each.name for each in file_formats()}, "give UNREADABLE files of it"
    assert listed_formats("run").startswith("TREC text, CSV, TSV, JSON, Parquet, Arrow")
    assert listed_formats("predictions").startswith("CSV, TSV, JSON, Parquet, Arrow")


@pytest.mark.parametrize(
    ("format_name", "name", "content", "message"),
    [(format_name, *case) for format_name, cases in UNREADABLE.items() for case in cases],
)
def test_what_is_unreadable_is_explained(
    format_name: str, name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FormatError, match=re.escape(message)) as error:
        read_run(path)
    assert str(path) in str(error.value)
    if content:
        assert format_of(File(path, "run"), "run", None).name == format_name
    with pytest.raises(RankmarkError) as in_batches:
        list(open_batches(path, "run", None).read(1 << 20, RowProgress()))
    assert str(path) in str(in_batches.value)


def test_predictions_of_no_known_format(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("0 0.5\n1 0.25\n")
    message = "is none of these: CSV or TSV whose first line names the columns, JSON, Parquet, Arrow"
    with pytest.raises(FormatError, match=re.escape(message)):
        format_of(File(path, f"predictions {str(path)!r}"), "predictions", None)


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


def parquet(columns: dict, path: Any) -> None:
    pl.DataFrame(columns | {"more": [[1]] * len(columns["query"])}).write_parquet(path)


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
def packed(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Writes a file as it is or compressed, and says where."""

    def pack(path: Any) -> Any:
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


@pytest.mark.parametrize("engine", ["local", "stream"])
@pytest.mark.parametrize("blank", [b"", b"\n", b"\n\n\n", b"\r\n\r\n", b"\0" * 1000])
def test_blank_lines_and_zeros_at_the_end_are_no_rows(blank: bytes, engine: Any, tmp_path: Path) -> None:
    """Zeros fill up what is compressed, for example on tapes; `gzip -t` takes them, too."""
    qrels, run = tmp_path / "qrels.csv", tmp_path / "run.csv"
    qrels.write_bytes(b"query,item,relevance\nq,a,0\nq,b,1\n")
    text = b'query,item,score\nq,"a",2\nq,"b",1\n'
    run.write_bytes(gzip.compress(text) + blank if b"\0" in blank else text + blank)
    result = rm.evaluate(qrels, run, ["RR", "NumRet"], engine=engine)
    assert dict(result.values) == {"RR": 0.5, "NumRet": 2}


@pytest.mark.parametrize("engine", ["local", "stream"])
def test_blank_lines_between_rows_are_refused(engine: Any, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.csv", tmp_path / "run.csv"
    qrels.write_bytes(b"query,item,relevance\nq,a,0\n")
    run.write_bytes(b"query,item,score\nq,a,2\n\nq,b,1\n\n")
    with pytest.raises(DataError, match=r"query column 'query' (has 1|is) null.* row 1 \(from 0\)"):
        rm.evaluate(qrels, run, "RR", engine=engine)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_blocks_of_text_have_each_row_and_no_blank_end(ends: str, tmp_path: Path) -> None:
    rows = ["h,g", "a,1", '"x\ny",2', "b,", '"",3']
    for blank in range(4):
        path = tmp_path / "a.csv"
        path.write_bytes((ends.join(rows) + ends + ends * blank).encode())
        for size in range(1, 40):
            blocks = list(_blocks(File(path, "a.csv"), size))
            assert {header for header, _, _ in blocks} == {b"h,g" + ends.encode()}
            assert b"".join(text for _, text, _ in blocks).decode() == ends.join(rows[1:]) + ends


def test_a_damaged_zstd_file_is_told_in_words(tmp_path: Path) -> None:
    whole = pa.compress(b"q Q0 d 1 0.5 t\n" * 100, "zstd", asbytes=True)
    path = tmp_path / "run.zst"
    for length in range(5, len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(FormatError, match=r"damaged or cut off: unexpected end of file$"):
            read_run(path)


@pytest.mark.parametrize("engine", ["local", "stream"])
@pytest.mark.parametrize("line", ["q Q0 doc one 1 3.0 t", "q Q0 a 1 3 t\rq Q0 b 2 2 t\r"])
def test_lines_of_trec_text_that_are_split_elsewhere_are_refused(
    line: str, engine: Any, tmp_path: Path
) -> None:
    qrels, path = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("q 0 a 1\n")
    path.write_text(f"q Q0 a 1 3.0 my tag\n{line}\n", newline="")
    with pytest.raises(
        FormatError, match=r"line 2: (the rank is \"one\" and the score \"1\"|the line has \\r)"
    ):
        rm.evaluate(qrels, path, "RR", engine=engine)


@pytest.mark.parametrize("name", WRITERS)
def test_files(name: str, tmp_path: Path, packed: Any) -> None:
    for columns, read in [(QRELS, read_qrels), (RUN, read_run)]:
        path = tmp_path / name
        WRITERS[name](columns, path)
        table = read(packed(path))
        assert rows(table) == as_tuples(columns)
        assert table.text_ids == (name in ("a.csv", "a.tsv", "comma", "tab"))
        assert table.table.names == list(columns)


@pytest.mark.parametrize("name", ["run.txt", "run.tsv", "run", "run.trec"])
def test_trec_text(name: str, tmp_path: Path, packed: Any) -> None:
    for columns, read in [(QRELS, read_qrels), (RUN, read_run)]:
        path = tmp_path / name
        path.write_text("\ufeff# made by hand\n\n" + trec_text(columns), encoding="utf-8", newline="")
        table = read(str(packed(path)))
        expected = [(q.replace(" ", "_"), d.replace(" ", "_"), value) for q, d, value in as_tuples(columns)]
        assert rows(table) == expected
        assert table.text_ids


def test_trec_text_with_form_feeds_indented_comments_and_nul_bytes_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(b"q\f0\va\t1\n  # indented\nq 0 b 0\n\0\0")
    assert rows(read_qrels(path)) == [("q", "a", 1), ("q", "b", 0)]


@pytest.mark.parametrize("name", [*WRITERS, "a.txt"])
def test_batches_hold_the_same_rows(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name in WRITERS:
        WRITERS[name](RUN, path)
    else:
        path.write_text(trec_text(RUN))
    if refusal := format_of(File(path, "run"), "run", None).refuses_batches(File(path, "run")):
        assert refusal == "is JSON, which is not read in batches"
        return
    whole = read_run(path)
    batches = list(open_batches(path, "run", None).read(1 << 20, RowProgress()))
    assert [row for batch in batches for row in rows(batch)] == rows(whole)
    assert {batch.text_ids for batch in batches} == {whole.text_ids}


@pytest.mark.parametrize("line", ["q Q0 d 3", "q Q0 d 3 tag"])
def test_trec_text_with_ranks_only(line: Any, tmp_path: Path) -> None:
    (tmp_path / "run").write_text(line)
    run = read_run(tmp_path / "run")
    assert (run.value, run.rank) == (None, "rank")
    assert rows(run) == [("q", "d", 3)]


def test_json_array(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([{"query": 1, "item": "a"}, {"query": 2, "item": "b"}]))
    assert rows(read_qrels(tmp_path / "a.json")) == [(1, "a"), (2, "b")]


def test_json_numbers_may_be_whole_at_first(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [json.dumps({"query": 1, "item": "a", "score": i if i < 150 else 0.5}) for i in range(151)]
    path.write_text("\n".join(lines))
    assert rows(read_run(path))[-1] == (1, "a", 0.5)
    lists = [json.dumps({"query": i, "items": ["a"], "scores": [i if i < 150 else 0.5]}) for i in range(151)]
    path.write_text("\n".join(lists))
    assert rows(read_run(path))[-1] == (150, "a", 0.5)


def test_csv_numbers_may_be_whole_at_first(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("query,item,score\n" + "1,a,1\n" * 150 + "1,b,0.5\n1,007,-inf\n")
    assert rows(read_run(path))[-2:] == [("1", "b", 0.5), ("1", "007", float("-inf"))]


def test_booleans_are_relevance(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("query,item,click\n1,a,true\n1,b,false\n")
    assert rows(read_qrels(path)) == [("1", "a", True), ("1", "b", False)]


def test_booleans_and_other_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,item,rel\n" + "1,2,true\n" * 120 + "1,3,2\n")
    with pytest.raises(
        FormatError, match=re.escape("row 120 (from 0): '2' in column 'rel' is not true or false")
    ):
        read_qrels(tmp_path / "a.csv")


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_files_without_rows_or_with_other_columns(name: str, tmp_path: Path) -> None:
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


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,item,item\n1,2,3\n")
    with pytest.raises(ColumnError, match="two columns called 'item'"):
        read_qrels(tmp_path / "a.csv")


def test_qrels_given_as_a_run(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 d 1\n")
    with pytest.raises(FormatError, match="line 1: 4 fields where a line of a run needs"):
        read_run(tmp_path / "qrels")


@pytest.mark.parametrize("score", ["nan", "NaN", "-nan", "NA", "null", "0,5"])
def test_what_is_no_score_in_the_first_of_five_fields_is_no_tag(score: str, tmp_path: Path) -> None:
    """Once the line was read as one with a rank and a tag, and the run evaluated by its ranks."""
    (tmp_path / "a.run").write_text(f"q1 Q0 a 1 {score}\nq1 Q0 b 2 0.5\n")
    with pytest.raises(FormatError, match=f'line 1: the score "{score}" is not a number'):
        read_run(tmp_path / "a.run")
    (tmp_path / "tagged.run").write_text("q1 Q0 a 1 nano\nq1 Q0 b 2 nano\n")
    assert read_run(tmp_path / "tagged.run").rank == "rank"
