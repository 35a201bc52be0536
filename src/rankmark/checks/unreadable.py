"""TREC text with NaN among its numbers, which the reader of TREC text refuses."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmark import _native
from rankmark.errors import FormatError
from rankmark.inputs import Input, read_qrels, read_run

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs.roles import ColumnNames, Side

__all__ = ["with_nan"]

FIELDS: Mapping[Side, Mapping[int, tuple[int, int]]] = {
    "qrels": {3: (1, 2), 4: (2, 3)},
    "run": {3: (1, 2), 6: (2, 4)},
}
"""By the number of fields in a line, where the item and the number stand; the query stands first."""


def with_nan(source: Any, side: Side, columns: ColumnNames | None) -> Any:
    """The source itself or, if it is TREC text that NaN keeps from being read, what is in it."""
    if not isinstance(source, str | os.PathLike) or not Path(source).is_file():
        return source
    read = read_qrels if side == "qrels" else read_run
    try:
        return read(source, columns)
    except FormatError:
        frame = _trec_with_nan(Path(source), side)
        if frame is None:
            raise
    table: Input = read(frame)
    return replace(table, name=f"{side} {os.fspath(source)!r}", text_ids=True)


def _trec_with_nan(path: Path, side: Side) -> pl.DataFrame | None:
    """The rows of TREC text, of which some have NaN for a number; None if something else is wrong with it."""
    import polars as pl

    try:
        text = (_native.decompress(str(path)) or path.read_bytes()).decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    lines = pl.Series("line", text.splitlines()).str.strip_chars()
    fields = lines.filter((lines != "") & ~lines.str.starts_with("#")).str.extract_all(r"\S+")
    widths = fields.list.len().unique().to_list()
    places = FIELDS[side].get(widths[0]) if len(widths) == 1 else None
    if places is None:
        return None
    item, number = places
    value = "relevance" if side == "qrels" else "score"
    rows = fields.to_frame("fields").select(
        query=pl.col("fields").list.get(0),
        item=pl.col("fields").list.get(item),
        text=pl.col("fields").list.get(number),
    )
    is_nan = pl.col("text").str.to_lowercase().str.strip_chars_start("+-") == "nan"
    numbers = pl.when(is_nan).then(float("nan")).otherwise(pl.col("text").cast(pl.Float64, strict=False))
    frame = rows.select("query", "item", numbers.alias(value))
    return None if frame[value].null_count() else frame
