"""Ids of one type in tables that are looked at together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from rankmark._native import Table
from rankmark.errors import DataError, IdTypeError
from rankmark.forking import need_polars_threads
from rankmark.inputs.input import Input

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["align_ids", "as_integers", "id_as", "with_text_items"]


def align_ids(qrels: Input, run: Input) -> tuple[Input, Input]:
    """Gives query ids, and item ids, the same type in both tables.

    Integers in one table and text from a format without types in the other: the text becomes integers.
    """
    for role in ("query", "item"):
        judged, returned = qrels.table.kind(getattr(qrels, role)), run.table.kind(getattr(run, role))
        if judged == returned:
            continue
        if (judged, returned) == ("string", "integer"):
            qrels = _with_integers(qrels, role, run)
        elif (judged, returned) == ("integer", "string"):
            run = _with_integers(run, role, qrels)
    return qrels, run


def with_text_items(table: Input) -> Input:
    """The table with its item ids as text, by which tools that know nothing else break ties."""
    import polars as pl

    if table.table.kind(table.item) == "string":
        return table
    need_polars_threads()
    frame = pl.DataFrame(table.table).with_columns(pl.col(table.item).cast(pl.String))
    return replace(table, table=Table.from_arrow(frame))


def id_as(id_: int | str, kind: str) -> int | str | None:
    """An id as one of a table with ids of such a kind; None if none of them is written so."""
    written = str(id_)
    if kind != "integer":
        return written
    try:
        integer = int(written)
    except ValueError:
        return None
    return integer if str(integer) == written else None  # not 7 for "07"


def _with_integers(texts: Input, role: str, integers: Input) -> Input:
    """Turns one side's ids from text into integers."""
    import polars as pl

    need_polars_threads()
    other = getattr(integers, role)
    where = f"{integers.name} (column {other!r}, {integers.table.dtype(other)})"
    frame = pl.DataFrame(texts.table)
    converted = as_integers(frame[getattr(texts, role)], role, texts, where, texts.rows)
    return replace(texts, table=Table.from_arrow(frame.with_columns(converted)))


class Untyped(Protocol):
    """A table that may come from a format without types."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def text_ids(self) -> bool:
        """Whether it does, so that 7 and "7" are the same."""


def as_integers(
    texts: pl.Series, role: str, table: Untyped, where: str, rows: NDArray[np.integer[Any]] | None = None
) -> pl.Series:
    """Ids that are text as integers, as they are where another table has them.

    Args:
        texts: the ids, called as their column.
        role: of the column.
        table: the one that they are of.
        where: the table and the column in which they are integers, for messages.
        rows: the row of the user's own table that each is in; None where that is its place.

    Raises:
        IdTypeError: they are text on purpose.
        DataError: a text that is no integer.

    """
    import polars as pl

    if not table.text_ids:
        shown = f", such as {texts[0]!r}," if len(texts) else ""
        raise IdTypeError(
            f"the {role} ids are strings in {table.name} (column {texts.name!r}){shown} but integers in "
            f"{where}; make both strings or both integers"
        )
    converted = texts.cast(pl.Int64, strict=False)
    wrong = (converted.is_null() & texts.is_not_null()).arg_true()
    if len(wrong):
        first = int(wrong[0])
        raise DataError(
            f"the {role} ids are integers in {where}, but {table.name} has {texts[first]!r} in row "
            f"{first if rows is None else rows[first]} (from 0)"
        )
    return converted
