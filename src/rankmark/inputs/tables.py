"""Tables in memory: anything that speaks the Arrow PyCapsule interface, in long, list or wide form."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, Protocol

from rankmark._native import Table
from rankmark.errors import ColumnError, DataError, RankmarkError, UsageError
from rankmark.inputs.roles import (
    VALUE_OF,
    Chosen,
    ColumnNames,
    Input,
    Roles,
    Side,
    TableName,
    find_roles,
    listed,
    missing_role,
    said_outright,
)

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Columns",
    "Source",
    "check_ids",
    "check_numbers",
    "from_lazy_frame",
    "from_polars",
    "no_rows",
    "notes_on",
    "open_table",
    "to_input",
]


class Columns(Protocol):
    """The columns of a table, as far as their types go."""

    def kind(self, name: str) -> str:
        """``integer``, ``float``, ``boolean``, ``string``, ``list``, ``null`` or ``other``."""

    def dtype(self, name: str) -> str:
        """What the table itself calls the column's type."""


@dataclass(frozen=True, slots=True)
class Source:
    """A table of which only the columns' names are known so far."""

    where: str
    """What messages call it."""
    names: Sequence[str]
    take: Callable[[Chosen], Table]
    """Reads the columns that have a role."""
    text_ids: bool = False
    in_rank_order: bool = False
    """Whether the rows of a query are its results, best first, where the table has no score or rank."""

    def read(self, side: Side, columns: ColumnNames | None) -> Input:
        """Finds the columns' roles and reads them."""
        roles = find_roles(self.names, side, columns, self.where)
        return to_input(self.take(roles), roles, self, side, columns)


def open_table(source: object, side: TableName) -> Source | None:
    """A table in memory, or None if `source` is none."""
    polars, pandas, pyarrow = (sys.modules.get(name) for name in ("polars", "pandas", "pyarrow"))
    if polars is not None and isinstance(source, polars.LazyFrame):
        return from_lazy_frame(source, side)
    if polars is not None and isinstance(source, polars.DataFrame):
        # Indexed, not selected: a selection runs on polars' threads, which a forked process lacks.
        return Source(side, source.columns, lambda roles: from_polars(source[roles.names], side))
    if pandas is not None and isinstance(source, pandas.Series) and side != "predictions":
        return _from_pandas(source.to_frame(source.name or VALUE_OF[side]), side)
    if pandas is not None and isinstance(source, pandas.DataFrame):
        return _from_pandas(source, side)
    if pyarrow is not None and isinstance(source, pyarrow.Table | pyarrow.RecordBatch):
        return Source(side, source.schema.names, lambda roles: Table.from_arrow(source.select(roles.names)))
    if type(source).__name__ == "DuckDBPyRelation":
        return _from_duckdb(source, side)
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        table = _from_capsule(source, side)
        return Source(side, table.names, lambda _: table)
    return None


def from_lazy_frame(
    frame: pl.LazyFrame, where: str, text_ids: bool = False, engine: Literal["auto", "streaming"] = "auto"
) -> Source:
    """A polars frame, of which only the columns with a role are computed, on this engine of polars."""
    names = frame.collect_schema().names()

    def take(roles: Chosen) -> Table:
        return from_polars(frame.select(roles.names).collect(engine=engine), where)

    return Source(where, names, take, text_ids)


def to_input(table: Table, roles: Roles, source: Source, side: Side, columns: ColumnNames | None) -> Input:
    """Checks the columns' types and brings lists and wide tables into long form."""
    if not table.num_rows:
        raise no_rows(source.where)
    listed = roles.wide or table.kind(roles.items[0]) == "list"
    if side == "run" and not (listed or source.in_rank_order or roles.value or roles.rank):
        raise missing_role("score", source.names, source.where, columns)
    if listed:
        if side == "run" and not (roles.value or roles.rank):
            _check_one_list_a_query(table, roles.query, source.where)
        table, roles = _explode(table, roles, source.where)
    item = roles.items[0]
    check_ids(table, roles.query, "query", source.where)
    check_ids(table, item, "item", source.where)
    check_numbers(table, roles.value, "relevance" if side == "qrels" else "score", source.where)
    check_numbers(table, roles.rank, "rank", source.where)
    notes = notes_on(source.where, side, source.names, roles, columns)
    return Input(
        table, side, source.where, roles.query, item, roles.value, roles.rank, source.text_ids, notes
    )


def notes_on(
    where: str, side: Side, names: Sequence[str], roles: Roles, columns: ColumnNames | None
) -> tuple[str, ...]:
    """What a reader of the result should know of how a table's columns were understood."""
    others = [name for name in names if name not in roles.names]
    if side == "run" or roles.value or not others or "relevance" in (columns or {}):
        return ()
    return (f"every row of {where} counts as relevant: no relevance among {listed(others)}",)


def no_rows(where: str) -> DataError:
    """The error for a table without rows."""
    return DataError(f"{where} has no rows; there is nothing to evaluate")


def from_polars(frame: pl.DataFrame, where: str) -> Table:
    """A frame as a table, without copying."""
    import polars as pl

    for name, dtype in frame.schema.items():
        if dtype == pl.Object:
            raise ColumnError(
                f"{where}: column {name!r} holds Python objects; cast it to integers or strings"
            )
    # Columns without any value have no type, which not every Arrow library takes the same way.
    frame = frame.cast({pl.Null: pl.Int64}) if pl.Null in frame.dtypes else frame
    # A frame would be handed out in one piece, which copies one that has several; a series keeps its pieces.
    return Table.from_arrow(frame.to_struct())


def _from_pandas(frame: Any, side: TableName) -> Source:
    levels = [name for name in frame.index.names if name is not None and name not in frame.columns]
    frame = frame.reset_index(levels) if levels else frame
    names = [str(name) for name in frame.columns]

    def take(roles: Chosen) -> Table:
        chosen = frame.iloc[:, [names.index(name) for name in roles.names]].set_axis(roles.names, axis=1)
        chosen = chosen.reset_index(drop=True)
        try:
            return Table.from_arrow(chosen if importlib.util.find_spec("pyarrow") else _by_column(chosen))
        except RankmarkError:
            raise
        except (TypeError, ValueError) as error:
            raise ColumnError(f"{side}: a column holds values of several types: {error}") from error

    return Source(side, names, take)


def _by_column(frame: Any) -> pl.DataFrame:
    """A pandas frame through NumPy, for where pyarrow is not installed."""
    import polars as pl

    def values(column: Any) -> Any:
        array = column.to_numpy()
        return array if array.dtype.kind in "biuf" else column.to_numpy(dtype=object, na_value=None).tolist()

    return pl.DataFrame({name: values(frame[name]) for name in frame.columns}, strict=True)


def _from_duckdb(relation: Any, side: TableName) -> Source:
    def take(roles: Chosen) -> Table:
        quoted = ('"' + name.replace('"', '""') + '"' for name in roles.names)
        return Table.from_arrow(relation.project(", ".join(quoted)))

    return Source(side, relation.columns, take)


def _from_capsule(source: object, side: TableName) -> Table:
    try:
        return Table.from_arrow(source)
    except DataError as error:
        raise UsageError(
            f"{side}: the {type(source).__name__} is not a table with columns: {error}"
        ) from error


def check_ids(table: Columns, name: str, role: str, where: str) -> None:
    """Refuses a column of ids that are neither integers nor strings."""
    kind = table.kind(name)
    if kind == "null":
        raise DataError(f"{where}: the {role} column {name!r} holds nothing but nulls")
    if kind not in ("integer", "string"):
        raise ColumnError(
            f"{where}: the {role} column {name!r} is {table.dtype(name)}; "
            f"ids are integers or strings: cast the column to one of them"
        )


def check_numbers(table: Columns, name: str | None, role: str, where: str) -> None:
    """Refuses a column, if there is one, that does not hold numbers; relevances may be booleans."""
    if name is None:
        return
    kind = table.kind(name)
    if kind == "null":
        raise DataError(f"{where}: the {role} column {name!r} holds nothing but nulls")
    if kind not in ("integer", "float") and (kind, role) != ("boolean", "relevance"):
        raise ColumnError(
            f"{where}: the {role} column {name!r} is {table.dtype(name)}, not numbers; "
            f"cast it, or name another column with {said_outright(role)}"
        )


def _check_one_list_a_query(table: Table, query: str, where: str) -> None:
    import polars as pl

    queries = pl.DataFrame(table)[query]
    again = queries.is_duplicated().arg_true()
    if len(again):
        raise DataError(
            f"{where}: query {queries[int(again[0])]!r} has several lists (rows {again[0]} and {again[1]}, "
            "from 0), and no scores say how they are to be merged; give it one"
        )


def _explode(table: Table, roles: Roles, where: str) -> tuple[Table, Roles]:
    """One row an item, for a table with one row a query."""
    import polars as pl

    frame = _whole_numbers(pl.DataFrame(table), roles.items)
    values = [name for name in (roles.value, roles.rank) if name is not None]
    _check_are_lists(frame, values, where)
    item = "item" if roles.wide else roles.items[0]
    items = _joined(frame, roles.items, where).alias(item) if roles.wide else _as_list(frame, item)
    frame = frame.select(roles.query, items, *(_as_list(frame, name) for name in values))
    _check_lengths(frame, item, values, where)
    _check_no_holes(frame, [item, *values], where)
    rows = frame.filter(pl.col(item).list.len() > 0).explode(item, *values)
    if rows.is_empty():
        raise DataError(f"{where}: every list of items is empty; there is nothing to evaluate")
    return Table.from_arrow(rows), replace(roles, items=(item,), wide=False)


def _check_are_lists(frame: pl.DataFrame, names: Sequence[str], where: str) -> None:
    for name in names:
        if not frame.schema[name].is_nested():
            raise ColumnError(
                f"{where}: column {name!r} holds one {frame.schema[name]} a row, but the items are a list; "
                f"give lists of the same length, or leave the column out"
            )


def _as_list(frame: pl.DataFrame, name: str) -> pl.Expr:
    import polars as pl

    column = pl.col(name)
    return column.arr.to_list() if isinstance(frame.schema[name], pl.Array) else column


def _whole_numbers(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Columns of floats that are all whole, as pandas makes of integers with gaps, as integers."""
    import polars as pl

    floats = [name for name in names if frame.schema[name].is_float()]
    whole = [name for name in floats if (frame[name].drop_nulls().fill_nan(0.5) % 1 == 0).all()]
    return frame.with_columns(pl.col(whole).cast(pl.Int64)) if whole else frame


def _joined(frame: pl.DataFrame, names: Sequence[str], where: str) -> pl.Expr:
    """The columns of a wide table as one list, which ends at the first null."""
    import polars as pl

    types = {name: frame.schema[name] for name in names if frame[name].null_count() < frame.height}
    families = {"integer" if dtype.is_integer() else str(dtype): name for name, dtype in types.items()}
    if len(families) > 1:
        (one_type, one), (other_type, other), *_ = families.items()
        raise ColumnError(
            f"{where}: the ranked columns need one type; {one!r} is {one_type} and {other!r} is {other_type}"
        )
    for name, after in pairwise(names):
        gaps = (frame[name].is_null() & frame[after].is_not_null()).arg_true()
        if len(gaps):
            raise DataError(
                f"{where}, row {gaps[0]} (from 0): {name!r} is empty but {after!r} is not; "
                f"only the end of a list can be empty"
            )
    return pl.concat_list(names).list.drop_nulls()


def _check_lengths(frame: pl.DataFrame, item: str, values: Sequence[str], where: str) -> None:
    lengths = {name: frame[name].list.len().fill_null(0) for name in (item, *values)}
    for name in values:
        wrong = (lengths[name] != lengths[item]).arg_true()
        if len(wrong):
            raise DataError(
                f"{where}, {_row(frame, wrong[0])}: {lengths[item][wrong[0]]} in {item!r} but "
                f"{lengths[name][wrong[0]]} in {name!r}; both lists need the same length"
            )


def _check_no_holes(frame: pl.DataFrame, names: Sequence[str], where: str) -> None:
    for name in names:
        lists = frame[name].list
        holes = (lists.drop_nulls().list.len() != lists.len()).arg_true()
        if len(holes):
            raise DataError(f"{where}, {_row(frame, holes[0])}: a null in the list {name!r}; take it out")


def _row(frame: pl.DataFrame, row: int) -> str:
    return f"row {row} (from 0; query {frame[row, 0]!r})"
