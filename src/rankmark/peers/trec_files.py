"""Files as trec_eval reads them.

TREC text is read by its rules: a line of judgements has four fields, one of a run six or more; the name of
the run is the tag in its last line; ids are bytes, so that here a byte is a character. Whatever else rankmark
reads can stand in the place of either file.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankmark import _native
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, FormatError
from rankmark.inputs import Input, align_ids, read_qrels, read_run, with_text_items
from rankmark.inputs.files import expand
from rankmark.inputs.format import File
from rankmark.inputs.formats import format_of
from rankmark.inputs.roles import VALUE_OF, Side
from rankmark.progress import reading

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Files", "as_bytes", "read_files", "read_results", "shown", "with_results"]

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class Files:
    """What has been read.

    Attributes:
        qrels: the judgements.
        run: the results.
        tag: the name of the run, as bytes.

    """

    qrels: Input
    run: Input
    tag: bytes


def read_files(qrels: str, run: str) -> Files:
    """Reads judgements and results.

    Args:
        qrels: the file of judgements.
        run: the file of results; ``-`` for standard input.

    Raises:
        UsageError: a file that is not there.
        DataError: a line that trec_eval refuses, or would misread.

    """
    return with_results(_read(qrels, "qrels")[0], *read_results(run))


def read_results(run: str) -> tuple[Input, bytes]:
    """Reads results, and the name of the run; see `read_files`."""
    results, tag = _read(run, "run")
    return results, Path(run).stem.encode() if tag is None else tag


def with_results(judged: Input, results: Input, tag: bytes) -> Files:
    """Judgements beside results, with ids of one type."""
    judged, results = map(with_text_items, align_ids(judged, results))
    return Files(judged, results, tag)


def shown(id_: object) -> str:
    """An id for a message."""
    return repr(as_bytes(str(id_)).decode(errors="replace"))


def as_bytes(id_: str) -> bytes:
    """An id as it stands in the file."""
    return id_.encode("latin-1")


def _read(path: str, side: Side) -> tuple[Input, bytes | None]:
    if side == "run" and path == STANDARD_INPUT:
        return _read_text(path, side, sys.stdin.buffer.read())
    found = expand(path)
    file = File(found[0], f"{side} {path!r}")
    if not file.head:
        raise FormatError(f"{file.where} is empty")
    if len(found) == 1 and format_of(file, side, None).name == "TREC":
        return _read_text(str(found[0]), side)
    table = read_qrels(path) if side == "qrels" else read_run(path)
    return _with_bytes(_whole(table)), None


def _read_text(path: str, side: Side, content: bytes | None = None) -> tuple[Input, bytes | None]:
    progress = _native.Progress()
    with reading(path, None, progress):
        table, tag = _native.read_as_trec_eval(path, side, progress, content)
    if side == "qrels" and not table.num_rows:
        raise FormatError(f"{path}: the file has only comment lines")
    return Input(
        table, side, f"{side} {path!r}", "query", "item", VALUE_OF[side], None, text_ids=True
    ), tag or b""


def _whole(table: Input) -> Input:
    """Judgements whose grades are whole numbers."""
    import polars as pl

    if table.side == "run" or table.value is None:
        return table
    grades = pl.DataFrame(table.table)[table.value].cast(pl.Float64)
    fractions = grades.filter(grades != grades.round())
    if len(fractions):
        raise DataError(
            f"{table.name} has the grade {fractions[0]:g}; trec_eval knows whole grades only and would cut "
            "it off (`rankmark eval` takes it as it is)"
        )
    return table


def _with_bytes(table: Input) -> Input:
    """The table with a character for each byte of its ids."""
    import polars as pl

    frame = pl.DataFrame(table.table)
    names = [name for name in (table.query, table.item) if frame.schema[name] == pl.String]
    beyond = [
        name for name in names if not (frame[name].str.len_bytes() == frame[name].str.len_chars()).all()
    ]
    if not beyond:
        return table
    changed = frame.with_columns(_characters(frame[name]) for name in beyond)
    return replace(table, table=_native.Table.from_arrow(changed))


def _characters(ids: pl.Series) -> pl.Series:
    import polars as pl

    return ids.map_elements(lambda text: text.encode().decode("latin-1"), return_dtype=pl.String)
