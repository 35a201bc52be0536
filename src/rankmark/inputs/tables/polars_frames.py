"""Frames of polars, lazy ones too."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal

from rankmark._native import Table
from rankmark.errors import ColumnError, DataError
from rankmark.forking import need_polars_threads
from rankmark.inputs.roles import Chosen, TableName
from rankmark.inputs.source import Source

if TYPE_CHECKING:
    import polars as pl

__all__ = ["from_lazy_frame", "from_polars", "opened"]


def opened(source: object, table: TableName) -> Source | None:
    """A frame, or None if `source` is none."""
    polars = sys.modules.get("polars")
    if polars is None:
        return None
    if isinstance(source, polars.LazyFrame):
        return from_lazy_frame(source, table)
    if isinstance(source, polars.DataFrame):
        # Column by column: a selection runs on polars' threads, which a forked process lacks.
        return Source(
            table,
            source.columns,
            lambda roles: from_polars(polars.DataFrame([source[name] for name in roles.names]), table),
        )
    return None


def from_lazy_frame(
    frame: pl.LazyFrame, where: str, text_ids: bool = False, engine: Literal["auto", "streaming"] = "auto"
) -> Source:
    """A polars frame, of which only the columns with a role are computed, on this engine of polars."""
    need_polars_threads()
    names = frame.collect_schema().names()

    def take(roles: Chosen) -> Table:
        return from_polars(frame.select(roles.names).collect(engine=engine), where)

    return Source(where, names, take, text_ids)


def _typed(dtype: pl.DataType) -> pl.DataType:
    """A type in which numbers stand where there is none."""
    import polars as pl

    if isinstance(dtype, pl.List):
        return pl.List(_typed(dtype.inner))  # type: ignore[arg-type]  # an instance, as in all frames
    return pl.Int64() if dtype == pl.Null else dtype


def from_polars(frame: pl.DataFrame, where: str) -> Table:
    """A frame as a table, without copying."""
    import polars as pl

    for name, dtype in frame.schema.items():
        if dtype == pl.Object:
            raise ColumnError(
                f"{where}: column {name!r} holds Python objects; cast it to integers or strings"
            )
    # Columns without any value have no type, which not every Arrow library takes the same way.
    if any(_typed(dtype) != dtype for dtype in frame.dtypes):
        # Column by column, which polars does without its threads, as a forked process has to.
        frame = pl.DataFrame([each.cast(_typed(each.dtype)) for each in frame])
    # A frame would be handed out in one piece, which copies one that has several; a series keeps its pieces.
    try:
        return Table.from_arrow(frame.to_struct())
    except DataError as error:
        categories = (pl.Categorical, pl.Enum)
        if not any(isinstance(dtype, categories) for dtype in frame.dtypes):
            raise ColumnError(f"{where}: {error}") from error  # a name that cannot be handed out
        texts = pl.DataFrame(
            [each.cast(pl.String) if isinstance(each.dtype, categories) else each for each in frame]
        )
        return Table.from_arrow(
            texts.to_struct()
        )  # categories in a series, which older polars cannot hand out
