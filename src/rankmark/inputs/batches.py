"""Files that are read in batches of rows, in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from rankmark import _native
from rankmark.errors import DataError, FormatError, RankmarkError, UsageError
from rankmark.inputs.files import (
    SEPARATORS,
    File,
    expand,
    form_of,
    once,
    polars_errors,
    refuse_differing,
    refuse_text,
    unknown_form,
)
from rankmark.inputs.roles import Chosen, ColumnNames, Input, Roles, Side, TableName, find_roles
from rankmark.inputs.tables import Source, from_polars, no_rows

if TYPE_CHECKING:
    import polars as pl

    from rankmark.progress import Rows

__all__ = ["Batches", "Part", "can_be_streamed", "open_batches", "open_parts", "total_size", "wrong_row"]

Pieces: TypeAlias = "Iterator[tuple[_native.Table, float]]"
"""Rows of a file, and how much of it has been read when they are there: 1 at the end."""


@dataclass(frozen=True, slots=True)
class Part:
    """One file: what messages call it, its columns, and how to read those that have a role."""

    where: str
    size: int
    names: Sequence[str]
    read: Callable[[Chosen, int], Pieces]
    text_ids: bool


@dataclass(frozen=True, slots=True)
class Batches:
    """A table in files that can be read again and again.

    Attributes:
        side: what the table holds.
        where: what messages call it.
        names: the names of its columns.

    """

    side: Side
    where: str
    names: Sequence[str]
    _columns: ColumnNames | None
    _parts: Sequence[Part]

    def read(self, size: int, rows: Rows) -> Iterator[Input]:
        """The table in batches of about `size` bytes of memory; `rows` is told how far it is.

        Raises:
            DataError: nulls, NaN …, with the row's number in its file.

        """
        total = sum(part.size for part in self._parts)
        before, empty = 0, True
        for part in self._parts:
            roles = find_roles(part.names, self.side, self._columns, self.where)
            first_row = 0
            for table, share in part.read(roles, size):
                source = Source(self.where, part.names, partial(_same, table), part.text_ids)
                batch = source.read(self.side, self._columns)
                empty = False
                _check_rows(batch, part.where, first_row)
                first_row += table.num_rows
                rows.advance(batch.table.num_rows, (before + share * part.size) / total)
                yield batch
            before += part.size
        if empty:
            raise no_rows(self.where)


def _same(table: _native.Table, _: Roles) -> _native.Table:
    return table


def open_batches(path: str | os.PathLike[str], side: Side, columns: ColumnNames | None) -> Batches:
    """The file at `path`, or all files of a glob, one after another.

    Raises:
        UsageError: a format that is not read in batches: JSON lines, or Parquet within gzip or zstd.

    """
    where, parts = open_parts(path, side, columns)
    first = parts[0]
    expected = find_roles(first.names, side, columns, first.where)
    for part in parts[1:]:
        if find_roles(part.names, side, columns, part.where) != expected:
            raise refuse_differing(part, first)
    return Batches(side, where, first.names, columns, parts)


def open_parts(
    path: str | os.PathLike[str], side: TableName, columns: ColumnNames | None
) -> tuple[str, list[Part]]:
    """What messages call the file at `path`, or all files of a glob, and each of them."""
    path = os.fspath(path)
    parts = [_open(one, side, columns) for one in expand(path)]
    return parts[0].where if len(parts) == 1 else f"{side} {path!r}", parts


def total_size(paths: Iterable[str | os.PathLike[str]]) -> int:
    """Bytes of the files that paths and globs name; 0 for what names none."""
    try:
        return sum(one.stat().st_size for path in paths for one in expand(os.fspath(path)))
    except (OSError, UsageError):
        return 0


def can_be_streamed(paths: Mapping[TableName, str | os.PathLike[str]]) -> bool:
    """Whether all tables have formats that are read in batches."""
    try:
        return all(
            _refusal(File(one, ""), side, None) is None
            for side, path in paths.items()
            for one in expand(os.fspath(path))
        )
    except RankmarkError:  # which whoever reads it will say better
        return False


def _refusal(file: File, side: TableName, columns: ColumnNames | None) -> str | None:
    """Why a file cannot be read in batches."""
    form = form_of(file, side, columns)
    if form == "JSON":
        return "is JSON, which is not read in batches"
    if form == "Parquet" and not file.start.startswith(b"PAR1"):
        return "is Parquet within a compressed file, which is not read in batches"
    return None


def _open(path: Path, side: TableName, columns: ColumnNames | None) -> Part:
    file = File(path, f"{side} {str(path)!r}")
    if not file.head:
        raise FormatError(f"{file.where} is empty")
    if refusal := _refusal(file, side, columns):
        raise UsageError(f'{file.where} {refusal}; convert it to Parquet, or use engine="local"')
    form = form_of(file, side, columns)
    if form == "TREC":
        if side == "predictions":
            raise unknown_form(file)
        return _open_trec(file, side)
    with polars_errors(file, form):
        return _open_parquet(file) if form == "Parquet" else _open_csv(file, form)


def _open_trec(file: File, side: Side) -> Part:
    def read(_: Chosen, size: int) -> Pieces:
        progress = _native.Progress()
        # A row of text takes about as much again as columns.
        reader = _native.TrecReader(str(file.path), side, size // 2, progress)
        while (table := reader.next()) is not None:
            yield table, progress.done / max(1, progress.total)

    start = _native.TrecReader(str(file.path), side, 1 << 16, _native.Progress()).next()
    assert start is not None  # a file without rows is an error
    return Part(file.where, file.path.stat().st_size, start.names, read, text_ids=True)


SAMPLE = 10_000
"""Rows by which the size of a row is told."""


def _open_parquet(file: File) -> Part:
    import polars as pl

    def scan() -> pl.LazyFrame:
        return pl.scan_parquet(file.path, glob=False)

    def read(roles: Chosen, size: int) -> Pieces:
        with polars_errors(file, "Parquet"):
            count = scan().select(pl.len()).collect().item()
            sample = scan().select(roles.names).head(SAMPLE).collect(engine="streaming")
            step = max(1, size * sample.height // max(1, int(sample.estimated_size())))
        for start in range(0, count, step):
            with polars_errors(file, "Parquet"):
                frame = scan().select(roles.names).slice(start, step).collect(engine="streaming")
            yield from_polars(_plain(frame), file.where), min(1.0, (start + step) / count)

    names = scan().collect_schema().names()
    return Part(file.where, file.path.stat().st_size, names, read, text_ids=False)


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Ids that are codes of a dictionary as text, because each batch may have a dictionary of its own."""
    import polars as pl

    coded = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Categorical | pl.Enum)]
    return frame.with_columns(pl.col(coded).cast(pl.String)) if coded else frame


def _open_csv(file: File, form: str) -> Part:
    import polars as pl

    separator = SEPARATORS[form]
    start = file.head[: file.head.rfind(b"\n") + 1] or file.head
    schema = pl.scan_csv(start, separator=separator).collect_schema()

    def read(roles: Chosen, size: int) -> Pieces:
        numbers: dict[str, type[pl.DataType]] = {
            name: pl.Boolean if schema[name] == pl.Boolean else pl.Float64 for name in roles.numbers
        }
        texts: dict[str, type[pl.DataType]] = dict.fromkeys(roles.names, pl.String)
        row = 0
        for text, share in _blocks(file, size // 4):  # polars takes as much again to read it
            where = f"{file.where} from row {row} on"
            try:
                frame = pl.read_csv(text, separator=separator, schema_overrides=texts | numbers)
            except pl.exceptions.PolarsError as error:
                with polars_errors(replace(file, where=where), form):
                    unread = pl.read_csv(text, separator=separator, schema_overrides=texts).lazy()
                    for name, dtype in numbers.items():
                        refuse_text(unread, name, dtype, file.where, roles, row)
                    raise error
            row += frame.height
            if frame.height:
                yield from_polars(frame.select(roles.names), where), share

    names = once(list(schema), file.where)
    return Part(file.where, file.path.stat().st_size, names, read, text_ids=True)


def _blocks(file: File, size: int) -> Iterator[tuple[bytes, float]]:
    """CSV text in blocks of whole rows, each with the header before it."""
    progress = _native.Progress()
    reader = _native.TextReader(str(file.path), progress)
    rest = b""
    while not (end := _end_of_rows(rest, first=True)) and (more := reader.read(size)):
        rest += more
    header, rest = (rest[:end], rest[end:]) if end else (rest + b"\n", b"")
    while True:
        more = reader.read(size)
        text = rest + more
        end = len(text) if len(more) < size else _end_of_rows(text)
        if end:
            yield header + text[:end], progress.done / max(1, progress.total)
        rest = text[end:]
        if len(more) < size:
            return


def _end_of_rows(text: bytes, *, first: bool = False) -> int:
    """Where the last row that ends in the text ends, or the first, or 0; a line end in quotes ends no row."""
    find = text.find if first else text.rfind
    at = find(b"\n")
    while at >= 0 and text.count(b'"', 0, at) % 2:
        at = text.find(b"\n", at + 1) if first else text.rfind(b"\n", 0, at)
    return at + 1


def _check_rows(batch: Input, where: str, first_row: int) -> None:
    """Refuses what the core refuses too, but by the row's number in its file."""
    import polars as pl

    frame = pl.DataFrame(batch.table)
    roles = {"query": batch.query, "item": batch.item, "rank": batch.rank}
    roles["relevance" if batch.side == "qrels" else "score"] = batch.value
    for role, name in roles.items():
        if name is None:
            continue
        column = frame[name]
        if column.null_count():
            raise wrong_row(column.is_null(), "null", role, name, where, first_row)
        if column.dtype.is_float():
            finite = role == "relevance"
            wrong = ~column.is_finite() if finite else column.is_nan()
            if wrong.any():
                raise wrong_row(wrong, "NaN or infinite" if finite else "NaN", role, name, where, first_row)


def wrong_row(wrong: pl.Series, what: str, role: str, name: str, where: str, first_row: int) -> DataError:
    """The error for values that cannot be evaluated."""
    row = first_row + int(wrong.arg_true()[0])
    return DataError(
        f"{where}: the {role} column {name!r} is {what} in row {row} (from 0), and perhaps in others; "
        "remove or replace those rows"
    )
