"""From anything that holds judgements or results to columns with roles."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from rankmark._native import Table
from rankmark.errors import DataError, IdTypeError, UsageError
from rankmark.inputs.files import open_files, run_tag
from rankmark.inputs.formats import listed_formats
from rankmark.inputs.roles import ColumnNames, Described, Input, Side, check_names
from rankmark.inputs.source import Source
from rankmark.inputs.tables import dicts_and_tuples, open_table

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "ColumnNames",
    "Described",
    "Input",
    "align_ids",
    "as_integers",
    "read_inputs",
    "read_qrels",
    "read_run",
    "read_tables",
    "run_tag",
    "with_text_items",
]


def read_inputs(qrels: object, run: object, columns: ColumnNames | None = None) -> tuple[Input, Input]:
    """Reads judgements and results, and brings their ids to the same types.

    `columns` says outright which column has which role, ``{"query": "user"}``; a table without that column
    finds the role by the usual names. With a prefix, ``{"run.score": "p"}``, it speaks of one table only.
    """
    judged, (results,) = read_tables(qrels, [run], columns)
    return align_ids(judged, results)


def read_tables(
    qrels: object, runs: Sequence[object], columns: ColumnNames | None = None
) -> tuple[Input, list[Input]]:
    """Reads judgements and the results of several systems, whose ids may be of different types."""
    judged, results = _open(qrels, "qrels", columns), [_open(run, "run", columns) for run in runs]
    check_names(columns, judged.names, [name for each in results for name in each.names])
    return _read(judged, "qrels", columns), [_read(each, "run", columns) for each in results]


def read_qrels(source: object, columns: ColumnNames | None = None) -> Input:
    """Reads judgements once, to be evaluated against many times.

    Args:
        source: whatever `evaluate` takes: a path, a table, a dict, tuples.
        columns: the columns to use where their names do not say it: ``{"query": "person"}``.

    Returns:
        What `evaluate` takes in the place of `source`, without reading it again.

    Raises:
        UsageError: a file or a column that is not there, or the results of `read_run`.
        DataError: a table that cannot be evaluated as it is.

    Example:
        >>> import rankmark as rm
        >>> rm.read_qrels({"q1": {"a": 2, "b": 1}})
        <qrels: 2 rows; query 'query', item 'item', relevance 'relevance'>

    """
    return _read(_open(source, "qrels", columns), "qrels", columns)


def read_run(source: object, columns: ColumnNames | None = None) -> Input:
    """Reads the results of one system once, to be evaluated many times; as `read_qrels` does judgements."""
    return _read(_open(source, "run", columns), "run", columns)


def _read(opened: Source | Input, side: Side, columns: ColumnNames | None) -> Input:
    if not isinstance(opened, Input):
        return opened.read(side, columns)
    if opened.side != side:
        raise UsageError(f"{opened!r} was read as {opened.side}, not as {side}")
    return opened


def align_ids(qrels: Input, run: Input) -> tuple[Input, Input]:
    """Gives query ids, and item ids, the same type in both tables.

    Integers in one table and text from a format without types in the other: the text becomes integers.
    """
    for role in ("query", "item"):
        kinds = [side.table.kind(getattr(side, role)) for side in (qrels, run)]
        if kinds == ["string", "integer"]:
            qrels = _with_integers(qrels, role, run)
        elif kinds == ["integer", "string"]:
            run = _with_integers(run, role, qrels)
    return qrels, run


def with_text_items(table: Input) -> Input:
    """The table with its item ids as text, by which tools that know nothing else break ties."""
    import polars as pl

    if table.table.kind(table.item) == "string":
        return table
    frame = pl.DataFrame(table.table).with_columns(pl.col(table.item).cast(pl.String))
    return replace(table, table=Table.from_arrow(frame))


def _open(source: object, side: Side, columns: ColumnNames | None) -> Source | Input:
    if isinstance(source, Input):
        return source
    if isinstance(source, str | os.PathLike):
        return open_files(source, side, columns)
    opened = open_table(source, side) or dicts_and_tuples.opened(source, side)
    if opened is None:
        raise UsageError(
            f"{side} is of type {type(source).__name__}, none of these: the path of a file or a glob "
            f"({listed_formats(side)}; also .gz or .zst), a table (polars, pandas, pyarrow, DuckDB, anything "
            "with __arrow_c_stream__), a dict of dicts, a dict of lists, tuples (query, item, value)"
        )
    return opened


def _with_integers(texts: Input, role: str, integers: Input) -> Input:
    """Turns one side's ids from text into integers."""
    import polars as pl

    other = getattr(integers, role)
    where = f"{integers.name} (column {other!r}, {integers.table.dtype(other)})"
    frame = pl.DataFrame(texts.table)
    converted = as_integers(frame[getattr(texts, role)], role, texts, where)
    return replace(texts, table=Table.from_arrow(frame.with_columns(converted)))


class Untyped(Protocol):
    """A table that may come from a format without types."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def text_ids(self) -> bool:
        """Whether it does, so that 7 and "7" are the same."""


def as_integers(texts: pl.Series, role: str, table: Untyped, where: str) -> pl.Series:
    """Ids that are text as integers, as they are where another table has them.

    Args:
        texts: the ids, called as their column.
        role: of the column.
        table: the one that they are of.
        where: the table and the column in which they are integers, for messages.

    Raises:
        IdTypeError: they are text on purpose.
        DataError: a text that is no integer.

    """
    import polars as pl

    if not table.text_ids:
        raise IdTypeError(
            f"the {role} ids are strings in {table.name} (column {texts.name!r}) but integers in {where}; "
            "cast one of the two columns"
        )
    converted = texts.cast(pl.Int64, strict=False)
    wrong = (converted.is_null() & texts.is_not_null()).arg_true()
    if len(wrong):
        raise DataError(
            f"the {role} ids are integers in {where}, but {table.name} has {texts[int(wrong[0])]!r} in row "
            f"{wrong[0]} (from 0)"
        )
    return converted
