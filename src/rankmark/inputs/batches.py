"""Files that are read in batches of rows, in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rankmark import _native
from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, RankmarkError, UsageError
from rankmark.forking import need_polars_threads
from rankmark.inputs.column_checks import no_rows, wrong_row
from rankmark.inputs.files import called, check_family, expand, refuse_differing
from rankmark.inputs.format import Batched, File, Pieces
from rankmark.inputs.formats import format_of
from rankmark.inputs.input import Input
from rankmark.inputs.long_form import no_items
from rankmark.inputs.roles import Chosen, ColumnNames, Roles, Side, TableName, find_roles
from rankmark.inputs.source import Source
from rankmark.panics import hidden_panics

if TYPE_CHECKING:
    import polars as pl

    from rankmark.progress import RowProgress

__all__ = [
    "Batches",
    "Cutter",
    "ahead",
    "can_be_streamed",
    "open_batches",
    "open_each",
    "total_size",
    "whole_queries",
]

T = TypeVar("T")


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
    _files: Sequence[Batched]

    def read(self, size: int, rows: RowProgress) -> Iterator[Input]:
        """The table in batches of about `size` bytes of memory; `rows` is told how far it is.

        The rows that items come from are numbered across batches and files.

        Raises:
            ColumnError: numbers in one file where there are texts in another.
            DataError: nulls, NaN …, with the row's number in its file.

        """
        total = sum(file.size for file in self._files)
        before, rows_before, empty = 0, 0, True
        error, types = no_rows(self.where), _Types()
        for file in self._files:
            roles = find_roles(file.names, self.side, self._columns, self.where)
            first_row = 0
            for table, share in file.read(roles, size):
                if not first_row:
                    types.check(table, roles.names, file)
                source = Source(self.where, file.names, partial(_same, table), file.text_ids)
                batch = source.read(self.side, self._columns, whole=False)
                _check_rows(batch, file.where, first_row)
                if batch.rows is not None:
                    batch = replace(batch, rows=batch.rows + np.int64(rows_before + first_row))
                first_row += table.num_rows
                if not batch.table.num_rows:  # of lists that are empty, as others may not be
                    error = no_items(self.where)
                    continue
                empty = False
                rows.advance(batch.table.num_rows, (before + share * file.size) / total)
                yield batch
            before += file.size
            rows_before += first_row
        if empty:
            raise error


class _Types:
    """The types of the columns of the first of some files, which those of the others are to fit."""

    def __init__(self) -> None:
        self._first: tuple[pl.Schema, Batched] | None = None

    def check(self, table: _native.Table, names: Sequence[str], file: Batched) -> None:
        """Refuses rows of a file whose columns of these names do not."""
        import polars as pl

        schema = pl.DataFrame(table).schema
        types, first = self._first = self._first or (schema, file)
        for name in names:
            check_family(name, [types[name], schema[name]], [first, file])


def _same(table: _native.Table, _: Roles) -> _native.Table:
    return table


def open_batches(path: str | os.PathLike[str], side: Side, columns: ColumnNames | None) -> Batches:
    """The file at `path`, or all files of a glob, one after another.

    Raises:
        UsageError: a format that is not read in batches: JSON lines, or Parquet within gzip or zstd.

    """
    where, files = open_each(path, side, columns)
    first = files[0]
    expected = find_roles(first.names, side, columns, first.where)
    for file in files[1:]:
        if find_roles(file.names, side, columns, file.where) != expected:
            raise refuse_differing(file, first)
    return Batches(side, where, first.names, columns, files)


def open_each(
    path: str | os.PathLike[str], side: TableName, columns: ColumnNames | None
) -> tuple[str, list[Batched]]:
    """What messages call the file at `path`, or all files of a glob, and each of them."""
    path = os.fspath(path)
    files = [_open_batched(one, side, columns) for one in expand(path, side)]
    return files[0].where if len(files) == 1 else f"{side} {path!r}", files


def total_size(paths: Iterable[str | os.PathLike[str]]) -> int:
    """Bytes of the files that paths and globs name, decompressed; 0 for what names none or is damaged."""
    try:
        return sum(_native.expanded_size(str(one)) for path in paths for one in expand(os.fspath(path)))
    except (OSError, RankmarkError):
        return 0


def can_be_streamed(paths: Mapping[TableName, str | os.PathLike[str]]) -> bool:
    """Whether all tables have formats that are read in batches."""
    try:
        return all(
            format_of(file, table, None).refuses_batches(file) is None
            for table, path in paths.items()
            for file in (File(one, "") for one in expand(os.fspath(path), table))
        )
    except RankmarkError:  # which whoever reads it will say better
        return False


def _open_batched(path: Path, table: TableName, columns: ColumnNames | None) -> Batched:
    need_polars_threads()
    file = File(path, called(path, table))
    format_ = format_of(file, table, columns)
    if refusal := format_.refuses_batches(file):
        raise UsageError(f'{file.where} {refusal}; convert it to Parquet, or use engine="local"')
    found, before = format_.in_batches(file, table), _state(path)

    def check() -> None:
        if _state(path) != before:
            raise DataError(f"{file.where} was changed while it was read; evaluate it when it is written")

    def read(roles: Chosen, size: int) -> Pieces:
        for piece in found.read(roles, size):
            check()
            yield piece
        check()

    return replace(found, read=read)


def _state(path: Path) -> tuple[int, int] | None:
    """By what to know that a file has been changed: its size, and when it was; None if it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


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
            raise wrong_row(column.is_null(), "null", role, name, where, first_row, batch.rows)
        if column.dtype.is_float():
            finite = role == "relevance"
            wrong = ~column.is_finite() if finite else column.is_nan()
            if wrong.any():
                what = "NaN or infinite" if finite else "NaN"
                raise wrong_row(wrong, what, role, name, where, first_row, batch.rows)


def ahead(batches: Iterator[T]) -> Iterator[T]:
    """The same, of which the next one is read while whoever asked is busy with the one before."""
    from concurrent.futures import ThreadPoolExecutor

    with hidden_panics(), ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = reader.submit(next, batches, None)
            yield batch


class Cutter:
    """Cuts rows that come in batches at the borders of queries."""

    def __init__(self, query: str) -> None:
        """Takes the column of the ids of queries."""
        self._query = query
        self.rest: list[pl.DataFrame] = []
        """The rows of the last query, of which more may come: a frame, once there are any."""

    def take(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Adds rows; gives those, also of before, behind which another query begins."""
        import polars as pl

        known = pl.concat([*self.rest, frame], how="vertical_relaxed", rechunk=False)
        end = last_border(known[self._query])
        self.rest = [_released(known[end:], len(known))]
        return known[:end]


def whole_queries(frames: Iterator[pl.DataFrame], query: str) -> Iterator[pl.DataFrame]:
    """The same rows, cut at the borders of queries, the ids of which are in the column `query`."""
    cutter = Cutter(query)
    for frame in frames:
        if (whole := cutter.take(frame)).height:
            yield whole
    yield from cutter.rest


def _released(rest: pl.DataFrame, of: int) -> pl.DataFrame:
    """A few rows in memory of their own, so that those before them can be let go."""
    import polars as pl

    return rest[pl.int_range(rest.height, dtype=pl.UInt32, eager=True)] if rest.height < of / 2 else rest


def last_border(queries: pl.Series) -> int:
    """The row at which the last query begins."""
    last, length = queries[-1], 1 << 12
    while True:
        tail = queries.tail(length)
        other = (tail != last).arg_true()
        if len(other):
            return len(queries) - len(tail) + int(other[-1]) + 1
        if len(tail) == len(queries):
            return 0
        length *= 8
