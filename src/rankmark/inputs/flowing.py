"""Results in Parquet that are read in the background, some rows at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankmark._native import Table, queries_come_back
from rankmark.dataclassing import dataclass
from rankmark.errors import RankmarkError
from rankmark.forking import need_polars_threads
from rankmark.inputs.addresses import is_address
from rankmark.inputs.files import called, expand
from rankmark.inputs.format import File, polars_errors
from rankmark.inputs.formats import format_of
from rankmark.inputs.formats.parquet import Parquet
from rankmark.inputs.ids import id_as
from rankmark.inputs.input import Input
from rankmark.inputs.roles import ColumnNames, Roles, find_roles
from rankmark.inputs.source import Source
from rankmark.inputs.tables.polars_frames import plain_types

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Flow", "flow_of", "together"]

PIECE = 100_000
"""Rows that are judged at once for each thread: their columns are still in the cache."""
LEAST = 1 << 21
"""Fewer rows are read in no more time than it takes to begin."""
LOOKED_AT = 1 << 17
"""Rows that tell whether many queries come back: what is read in vain in the background would take longer."""
SINCE = (1, 37)
"""The polars in which batches can be let go before the last one."""


@dataclass(frozen=True, slots=True)
class Flow:
    """One file of results, or several, one after another.

    Attributes:
        rows: how many they have.
        names: their columns.

    """

    rows: int
    names: Sequence[str]
    _where: str
    _frame: pl.LazyFrame
    _roles: Roles
    _columns: ColumnNames | None

    def start(self, threads: int | None) -> Iterator[Table]:
        """Begins to read in the background, in pieces for so many threads, or as many as read."""
        import polars as pl

        frame, rows = self._frame.select(self._roles.names), PIECE * max(2, threads or pl.thread_pool_size())
        batches = frame.collect_batches(chunk_size=rows, maintain_order=True, engine="streaming")
        return (Table.from_polars(frame, nested=False) for frame in self._refused(batches))

    def _refused(self, batches: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """The same, with errors as of files that are read whole."""
        while True:
            with polars_errors(self._where, Parquet.name):
                frame = next(batches, None)
            if frame is None:
                return
            yield frame

    def of_query(self, query: int | str) -> Input:
        """The rows of a query; others are read only where the file does not tell that they are not."""
        import polars as pl

        rows = self._frame.select(self._roles.names)
        with polars_errors(self._where, Parquet.name):
            kind = "integer" if rows.collect_schema()[self._roles.query].is_integer() else "string"
            own = id_as(query, kind)
            kept = pl.lit(value=False) if own is None else pl.col(self._roles.query) == own
            found = rows.filter(kept).collect(engine="streaming")
            some = found if found.height else rows.head(1).collect(engine="streaming")
        return replace(self.read(Table.from_polars(some)), table=Table.from_polars(found))

    def read(self, table: Table) -> Input:
        """A piece with its columns' roles, as of the whole table."""
        return Source(self._where, self.names, lambda _: table).read("run", self._columns, whole=False)


def flow_of(path: str | os.PathLike[str], columns: ColumnNames | None) -> Flow | None:
    """Files to be read so; None of others, of small ones, and of those that who reads them whole refuses."""
    if is_address(text := os.fspath(path)):
        return None
    try:
        files = [File(each, called(each, "run")) for each in expand(text, "run")]
        if not all(isinstance(format_of(file, "run", columns), Parquet) for file in files):
            return None
        where = files[0].where if len(files) == 1 else f"run {text!r}"
        with polars_errors(where, Parquet.name):
            return _flow(files, where, columns)
    except RankmarkError:
        return None


def _flow(files: Sequence[File], where: str, columns: ColumnNames | None) -> Flow | None:
    """Large files in which queries seem to stand together, and whose columns are the same in each piece.

    So they are not of lists, and not of categories, of which each piece has its own.
    """
    need_polars_threads()
    import polars as pl

    if tuple(map(int, pl.__version__.split(".")[:2])) < SINCE or any(file.is_compressed for file in files):
        return None
    frames = [Parquet().frame(file) for file in files]
    schema = frames[0].collect_schema()
    if any(other.collect_schema() != schema for other in frames[1:]) or any("\0" in name for name in schema):
        return None
    frame = pl.concat(frames, rechunk=False)
    roles = find_roles(schema.names(), "run", columns, where)
    rows = frame.select(pl.len()).collect().item()
    if rows < LEAST or not plain_types().issuperset(type(schema[name]) for name in roles.names):
        return None
    first = frame.select(roles.query).head(LOOKED_AT).collect(engine="streaming")
    if queries_come_back(Table.from_polars(first), roles.query):
        return None
    return Flow(rows, schema.names(), where, frame, roles, columns)


def together(pieces: Sequence[Table], most: int) -> Table:
    """The first rows of pieces that follow one another, so many at most."""
    import polars as pl

    frame = pl.concat([pl.DataFrame(piece).head(most) for piece in pieces], rechunk=False)
    return Table.from_polars(frame.head(most))
