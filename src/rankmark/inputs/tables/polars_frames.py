"""Frames of polars, lazy ones too."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Literal

from rankmark._native import Table
from rankmark.errors import ColumnError, DataError
from rankmark.forking import need_polars_threads
from rankmark.inputs.roles import Chosen, TableName
from rankmark.inputs.source import Source

if TYPE_CHECKING:
    import polars as pl

__all__ = ["from_lazy_frame", "from_polars", "opened", "plain_types"]


def opened(source: object, table: TableName) -> Source | None:
    """A frame, or None if `source` is none."""
    polars = sys.modules.get("polars")
    if polars is None:
        return None
    if isinstance(source, polars.LazyFrame):
        return from_lazy_frame(source, table)
    if isinstance(source, polars.DataFrame):
        names = source.columns
        return Source(table, names, lambda roles: from_polars(_only(source, names, roles.names), table))
    return None


def _only(frame: pl.DataFrame, names: list[str], chosen: list[str]) -> pl.DataFrame:
    """Some columns of a frame with these names."""
    import polars as pl

    if {*chosen} == {*names}:
        return frame
    # Column by column: a selection runs on polars' threads, which a forked process lacks.
    return pl.DataFrame([frame[name] for name in chosen])


def from_lazy_frame(
    frame: pl.LazyFrame, where: str, text_ids: bool = False, engine: Literal["auto", "streaming"] = "auto"
) -> Source:
    """A polars frame, of which only the columns with a role are computed, on this engine of polars."""
    need_polars_threads()
    names = frame.collect_schema().names()

    def take(roles: Chosen) -> Table:
        return from_polars(frame.select(roles.names).collect(engine=engine), where)

    return Source(where, names, take, text_ids)


def from_polars(frame: pl.DataFrame, where: str) -> Table:
    """A frame as a table, without copying."""
    import polars as pl

    plain = plain_types().issuperset(map(type, frame.dtypes))
    if not plain:
        frame = _with_types(frame, where)
    try:
        return Table.from_polars(frame, nested=not plain)
    except DataError as error:
        categories = (pl.Categorical, pl.Enum)
        if not any(isinstance(dtype, categories) for dtype in frame.dtypes):
            raise ColumnError(f"{where}: {error}") from error  # a name that cannot be handed out
        # Categories in a series, which older polars cannot hand out.
        texts = [each.cast(pl.String) if isinstance(each.dtype, categories) else each for each in frame]
        return Table.from_polars(pl.DataFrame(texts))


@cache
def plain_types() -> frozenset[type[pl.DataType]]:
    """Those of columns that are handed out as they are."""
    import polars as pl

    integers = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
    return frozenset((*integers, pl.Float32, pl.Float64, pl.Boolean, pl.String))


def _with_types(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """The same with a type for columns without any value, which Arrow libraries do not take alike."""
    import polars as pl

    for name, dtype in frame.schema.items():
        if dtype == pl.Object:
            raise ColumnError(
                f"{where}: column {name!r} holds Python objects; cast it to integers or strings"
            )
        if (inner := _innermost(dtype)).is_integer() and type(inner) not in plain_types():
            raise ColumnError(
                f"{where}: column {name!r} is {dtype}, which Arrow libraries do not take; "
                "cast it to Int64 or String"
            )
    if all(_typed(dtype) == dtype for dtype in frame.dtypes):
        return frame
    # Column by column, which polars does without its threads, as a forked process has to.
    return pl.DataFrame([each.cast(_typed(each.dtype)) for each in frame])


def _innermost(dtype: pl.DataType) -> pl.DataType:
    """Of lists the type of what they hold."""
    import polars as pl

    return _innermost(dtype.inner) if isinstance(dtype, pl.List) else dtype  # type: ignore[arg-type]


def _typed(dtype: pl.DataType) -> pl.DataType:
    """A type in which numbers stand where there is none."""
    import polars as pl

    if isinstance(dtype, pl.List):
        return pl.List(_typed(dtype.inner))  # type: ignore[arg-type]  # an instance, as in all frames
    return pl.Int64() if dtype == pl.Null else dtype
