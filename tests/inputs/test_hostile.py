"""Tables and files that are damaged, tampered with or out of proportion are refused, and end no process."""

from __future__ import annotations

import gzip
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import rankmark as rm
from processes import python, ran
from rankmark import _native
from rankmark._native import Table
from rankmark.engines.selection import selected
from rankmark.errors import ColumnError, DataError, FormatError, TooLargeError, UsageError
from rankmark.inputs import read_run
from rankmark.inputs.batches import open_batches
from rankmark.inputs.format import File
from rankmark.inputs.formats import separated
from rankmark.progress import RowProgress

QRELS = {"q": {"a": 1}}
ROWS = {"query": ["q", "q"], "item": ["x", "a"], "score": [2.0, 1.0]}


class Capsule:
    """What hands over the same capsules each time, as no producer should."""

    def __init__(self, name: str, made: Any) -> None:
        setattr(self, name, lambda requested_schema=None: made)  # noqa: ARG005


def tampered(offsets: list[int]) -> pa.Table:
    """Two rows whose items have these offsets, changed after pyarrow has looked at them."""
    memory = bytearray(np.array([0, 2, 5], dtype=np.int32).tobytes())
    items = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(memory), pa.py_buffer(b"abcde")])
    table = pa.table({"query": ["q", "q"], "item": items, "score": [2.0, 1.0]})
    memory[:] = np.array(offsets, dtype=np.int32).tobytes()
    return table


# --- Tables


NUL: dict[str, Callable[[], object]] = {
    "column": lambda: rm.evaluate(
        QRELS, pl.DataFrame(ROWS).rename({"query": "query\0"}), "AP", columns={"query": "query\0"}
    ),
    "field": lambda: read_run(pl.DataFrame(ROWS | {"item": [{"b": {"a\0": 1}}, {"b": {"a\0": 2}}]})),
    "field in lists": lambda: read_run(pl.DataFrame(ROWS | {"item": [[[{"a\0": 1}]], [[{"a\0": 2}]]]})),
    "lazy": lambda: read_run(pl.LazyFrame(ROWS | {"item": [{"a\0": 1}, {"a\0": 2}]})),
    "dict": lambda: rm.evaluate_predictions({"label": [1, 0], "p\0": [0.2, 0.1]}, "AUC", score="p\0"),
    "slices": lambda: rm.evaluate_predictions(
        {"label": [1, 0], "p": [0.2, 0.1], "x\0": [1, 2]}, "AUC", by="x\0"
    ),
    "series": lambda: Table.from_arrow(pl.Series("s", [{"a\0": 1}])),
}


@pytest.mark.parametrize("where", NUL)
def test_a_name_with_nul_is_refused_before_polars_hands_it_out(where: str) -> None:
    with pytest.raises(DataError, match=r"the character NUL: \".*\\0\"; rename it"):
        NUL[where]()


def test_a_field_with_nul_in_json_is_refused_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(r'{"query":"q","item":{"a\u0000":1},"score":1}')
    with pytest.raises(ColumnError, match=r"run\.jsonl.*NUL"):
        read_run(path)


def test_a_column_with_nul_in_text_is_refused_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    path.write_text("topic,a,b\0\n1,.5,.25\n2,1,0\n")
    with pytest.raises(ColumnError, match=r"values\.csv.*NUL.*rename it"):
        rm.compare_matrix(path, "x")


@pytest.mark.parametrize("offsets", [[0, 9, 5], [0, 1, 2**30], [0, -5, 5], [0, 2, -1]])
def test_offsets_that_lead_nowhere_are_refused(offsets: list[int]) -> None:
    with pytest.raises(DataError, match=r"run: the table cannot be read: .*offset"):
        read_run(tampered(offsets))
    if offsets[-1] == 5:  # of another library only the offsets are known, not how long the text is
        with pytest.raises(DataError, match=r"run: the table cannot be read: .*[Oo]ffset"):
            read_run(Capsule("__arrow_c_stream__", tampered(offsets).__arrow_c_stream__()))


def test_a_code_without_a_value_is_refused() -> None:
    memory = bytearray(np.array([0, 1], dtype=np.int32).tobytes())
    codes = pa.Array.from_buffers(pa.int32(), 2, [None, pa.py_buffer(memory)])
    items = pa.DictionaryArray.from_arrays(codes, pa.array(["x", "a"]))
    table = pa.table(ROWS | {"item": items})
    memory[4:] = np.array([7], dtype=np.int32).tobytes()
    for source in (table, Capsule("__arrow_c_stream__", table.__arrow_c_stream__())):
        with pytest.raises(DataError, match="run: the table cannot be read"):
            read_run(source)


def test_a_capsule_given_twice_is_refused_the_second_time() -> None:
    batch = pa.RecordBatch.from_pydict(ROWS)
    for name in ("__arrow_c_stream__", "__arrow_c_array__"):
        capsule = Capsule(name, getattr(batch, name)())
        assert rm.evaluate(QRELS, capsule, "RR")["RR"] == 0.5
        with pytest.raises(DataError, match=r"released|handed over before"):
            rm.evaluate(QRELS, capsule, "RR")


def test_rows_that_are_null_as_a_whole_are_no_data() -> None:
    columns = [pa.array(ROWS[name]) for name in ROWS]
    rows = pa.StructArray.from_arrays(columns, names=list(ROWS), mask=pa.array([True, False]))
    for source in (
        Capsule("__arrow_c_array__", rows.__arrow_c_array__()),
        Capsule("__arrow_c_stream__", pa.chunked_array([rows]).__arrow_c_stream__()),
    ):
        with pytest.raises(DataError, match="1 of its rows are null as a whole; remove those rows"):
            read_run(source)
    with pytest.raises(UsageError, match="it is one column, not a table"):
        read_run(Capsule("__arrow_c_stream__", pa.chunked_array([[1, 2]]).__arrow_c_stream__()))


# --- Damaged files


def damaged(content: bytes, seed: int) -> bytes:
    """The content with a few bytes changed."""
    draw, changed = random.Random(seed), bytearray(content)
    for _ in range(draw.choice([1, 2, 5])):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


@pytest.mark.process
def test_damaged_parquet_is_named_and_nothing_else_is_printed(tmp_path: Path) -> None:
    rows = {"query": [f"q{i // 10}" for i in range(60)], "item": [f"d{i % 10}" for i in range(60)]}
    path = tmp_path / "run.parquet"
    pl.DataFrame(rows | {"score": [i / 7 for i in range(60)]}).write_parquet(path)
    path.write_bytes(damaged(path.read_bytes(), PANICS))
    (tmp_path / "qrels").write_text("q0 0 d0 1\n")
    done = ran([sys.executable, "-m", "rankmark", "eval", "qrels", path.name], cwd=tmp_path)
    said = "rankmark: error: run 'run.parquet' is damaged: it cannot be read as Parquet\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


PANICS = 132
"""A seed whose file polars panics at."""


def test_a_stray_quote_is_told_with_its_line_by_either_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, qrels = tmp_path / "run.csv", tmp_path / "qrels.csv"
    qrels.write_text("query,item,relevance\nq0,d0,1\n")
    lines = [f"q{i // 10},d{i % 10},0.5" for i in range(5000)]
    for stray, line in (('q7,d"0,0.5', 72), ('"q7,d0,0.5', 72)):
        run.write_text("query,item,score\n" + "\n".join([*lines[:70], stray, *lines[71:]]) + "\n")
        for engine in ("local", "stream"):
            with pytest.raises(FormatError, match=rf"run\.csv', line {line}: .* does not end"):
                rm.evaluate(qrels, run, "AP", engine=engine)
    # Where blocks are small, it is found long before the file ends.
    monkeypatch.setattr(separated, "LONGEST_ROW", 1000)
    blocks = separated._blocks(File(run, "run"), 100)
    with pytest.raises(FormatError, match="line 72"):
        list(blocks)
    run.write_text("query,item,score\n" + "\n".join(lines) + "\n")  # a block may be longer than any row
    blocks = separated._blocks(File(run, "run"), 4000)
    assert sum(text.count(b"\n") for _, text, _ in blocks) == len(lines)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"query":"q","item":"b","score":1}\n{"query":"q","item":"a","score":1,"score":2}\n', 2),
        ('[{"query":"q","item":"b","score":1},\n {"query":"q","item":"a",\n "score":1,"score":2}]', 3),
    ],
)
def test_two_values_of_one_name_in_json_are_refused(text: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(text)
    with pytest.raises(FormatError, match=rf"line {line}: an object has two values called 'score'; keep one"):
        read_run(path)


def test_rows_end_where_no_quote_is_open(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(b'\nh,"\n"\na\n"b\n"c\nd\n')
    blocks = [block for header, block, _ in separated._blocks(File(path, "run"), 1) if header == b'h,"\n"\n']
    assert blocks == [b"a\n", b'"b\n"c\n', b"d\n"]
    path.write_bytes(b'h\n"a\nb\n')
    with pytest.raises(FormatError, match="line 2: a text that begins with a quote"):
        list(separated._blocks(File(path, "run"), 1))


def test_a_file_that_is_cut_while_it_is_streamed_is_refused(tmp_path: Path) -> None:
    run = tmp_path / "run.csv"
    run.write_text("query,item,score\n" + "".join(f"q{i % 50},d,0.5\n" for i in range(50)))

    batches = open_batches(run, "run", None)
    assert sum(each.table.num_rows for each in batches.read(1 << 20, RowProgress())) == 50
    os.truncate(run, run.stat().st_size // 2)
    with pytest.raises(DataError, match=r"run\.csv' was changed while it was read"):
        list(batches.read(1 << 20, RowProgress()))


def test_an_unused_column_may_change_its_type_in_either_engine(tmp_path: Path) -> None:
    run = tmp_path / "run.csv"
    values = [*map(str, range(20_000)), "n/a"]
    run.write_text(
        "query,item,score,note\n" + "".join(f"q,d{i},{i},{note}\n" for i, note in enumerate(values))
    )
    qrels = tmp_path / "qrels.csv"
    qrels.write_text("query,item,relevance\nq,d20000,1\n")
    for engine in ("local", "stream"):
        assert rm.evaluate(qrels, run, "RR", engine=engine)["RR"] == 1.0


# --- Out of proportion


def test_the_engine_is_chosen_by_what_a_compressed_file_expands_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run.gz"
    qrels.write_text("q 0 d 1\n")
    run.write_bytes(gzip.compress(b"q Q0 document 1 0.5 tag\n" * (5 << 20)))
    assert run.stat().st_size < 1 << 20
    assert abs(_native.expanded_size(str(run)) / (120 << 20) - 1) < 0.1
    assert selected(None, None, {"qrels": qrels, "run": run}) == "local"
    monkeypatch.setattr("rankmark.inputs.memory.free_memory", lambda: 200 << 20)
    assert selected(None, None, {"qrels": qrels, "run": run}) == "stream"


@pytest.mark.parametrize("name", ["run.csv.gz", "run.gz"])
def test_what_expands_beyond_memory_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    text = b"query,item,score\n" if ".csv" in name else b""
    path.write_bytes(gzip.compress(text + b"q Q0 d 1 0.5 tag\n" * 1000))
    monkeypatch.setattr("rankmark.inputs.memory.free_memory", lambda: 20_000)
    with pytest.raises(TooLargeError, match=r'decompress to more than 10000, .*engine="stream"') as refused:
        read_run(path)
    assert isinstance(refused.value, MemoryError)


def test_more_threads_than_any_machine_has_are_refused() -> None:
    for threads in (_native.MOST_THREADS + 1, 2**63):
        with pytest.raises(rm.ChoiceError, match=r"is not a whole number from 1 to 1024"):
            rm.evaluate(QRELS, QRELS, "AP", threads=threads)
    assert rm.evaluate(QRELS, QRELS, "AP", threads=_native.MOST_THREADS)["AP"] == 1.0


@pytest.mark.process
def test_where_the_system_refuses_threads_the_caller_does_the_work() -> None:
    script = """
import os, resource
import polars as pl
import rankmark as rm
from rankmark import _native
n = 30_000
rows = range(n)
run = pl.DataFrame({"query": [i // 10 for i in rows], "item": [i % 10 for i in rows], "score": [1.0] * n})
qrels = run.select("query", "item", relevance=pl.lit(1.0))
expected = rm.evaluate(qrels, run, "nDCG@10", threads=2).values
if os.getuid() == 0:
    os.setuid(54321)  # nothing limits the superuser
for threads in (len(os.listdir("/proc/self/task")) + 3, 1):
    resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))
    print(rm.evaluate(qrels, run, "nDCG@10", threads=60 + threads).values == expected)
"""
    assert python(script) == "True\nTrue\n"


@pytest.mark.parametrize(
    "called",
    [
        lambda half: rm.evaluate(QRELS, {half: QRELS, "b": QRELS}, "AP"),
        lambda half: rm.evaluate(QRELS, QRELS, "AP", by={"q": half}),
        lambda half: rm.evaluate(QRELS, QRELS, "AP", by={half: "new"}),
        lambda half: rm.evaluate(QRELS, half, "AP"),
        lambda half: rm.report(QRELS, QRELS, "AP", queries={"q": half}),
    ],
)
def test_half_of_a_character_is_refused_wherever_it_stands(called: Callable[[str], object]) -> None:
    with pytest.raises(rm.RankmarkError, match=r"udcff.*(half of a character|not UTF-8)"):
        called("run\udcff")
