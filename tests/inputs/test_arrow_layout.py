"""Arrow IPC, in which any number can be wrong."""

from __future__ import annotations

import io
import struct
from contextlib import suppress
from itertools import product
from pathlib import Path

import polars as pl
import pytest

import rankmark as rm
from rankmark.inputs.arrow_layout import need_whole

pa = pytest.importorskip("pyarrow")
ipc = pytest.importorskip("pyarrow.ipc")
ROWS = 300
TABLE = pa.table(
    {
        "text": [f"q{row // 7}" for row in range(ROWS)],
        "views": pa.array(["y" * (row % 40) for row in range(ROWS)], pa.string_view()),
        "coded": pa.array(["a", "b", None] * (ROWS // 3)).dictionary_encode(),
        "gaps": [None, 1, 2] * (ROWS // 3),
        "flags": [True, False, None] * (ROWS // 3),
        "lists": [[1, 2], [], None] * (ROWS // 3),
        "structs": [{"a": 1}] * ROWS,
        "nulls": pa.nulls(ROWS),
        "same": ["same"] * ROWS,
    }
)


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("is_old", [False, True])
@pytest.mark.parametrize("new", [ipc.new_file, ipc.new_stream])
def test_what_others_write_is_whole(compression: str | None, is_old: bool, new: object) -> None:
    version = ipc.MetadataVersion.V4 if is_old else ipc.MetadataVersion.V5
    # A stream of before 2019 begins otherwise, and is no stream here.
    legacy = is_old and new is ipc.new_file
    options = ipc.IpcWriteOptions(compression=compression, metadata_version=version, use_legacy_format=legacy)
    for table in (TABLE, TABLE.slice(5, 70), TABLE.slice(0, 0)):
        written = io.BytesIO()
        with new(written, TABLE.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=100)
        need_whole(written.getvalue())


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_what_polars_packs_most_tightly_is_whole(compression: str) -> None:
    same = pl.DataFrame({"a": ["a" * 50], "b": [0]}).select(pl.all().repeat_by(1 << 20).explode())
    for name in ("write_ipc", "write_ipc_stream"):
        written = io.BytesIO()
        getattr(same, name)(written, compression=compression)
        need_whole(written.getvalue())


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("ending", ["arrow", "arrows"])
def test_a_number_that_is_wrong_anywhere_is_answered(tmp_path: Path, compression: str, ending: str) -> None:
    items = [f"an item with a long name, {item}" for item in range(9)]
    frame = pl.DataFrame({"query": ["q"] * 9, "item": items, "relevance": range(9)})
    written = io.BytesIO()
    write = frame.write_ipc if ending == "arrow" else frame.write_ipc_stream
    write(written, compression=compression)  # type: ignore[operator]
    whole = written.getvalue()
    path = tmp_path / f"qrels.{ending}"
    for place, number in product(range(0, len(whole) - 7, 8), (1 << 56, -1)):
        path.write_bytes(whole[:place] + struct.pack("<q", number) + whole[place + 8 :])
        with suppress(rm.RankmarkError):
            rm.evaluate(path, {"q": {"a": 1.0}}, "nDCG@10")
