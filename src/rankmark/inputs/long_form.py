"""From a row a query, whose items stand in lists or in ranked columns, to a row an item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from rankmark import _numpy as np
from rankmark._native import Table
from rankmark.errors import ColumnError, DataError
from rankmark.forking import need_polars_threads
from rankmark.inputs.roles import Roles, Side

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["is_listed", "no_items", "one_row_an_item"]


def is_listed(table: Table, roles: Roles) -> bool:
    """Whether a row has several items: in a list, or in ranked columns."""
    return roles.wide or table.kind(roles.items[0]) == "list"


def no_items(where: str) -> DataError:
    """The error for a table of lists none of which has an item."""
    return DataError(f"{where}: every list of items is empty; there is nothing to evaluate")


def one_row_an_item(
    table: Table, roles: Roles, side: Side, where: str, *, whole: bool = True
) -> tuple[Table, Roles, NDArray[np.uint32]]:
    """The rows in long form, the columns' roles in it, and the row of the table that each comes from.

    There are none where all lists are empty of a table that is not `whole`.

    Raises:
        ColumnError: ranked columns of several types, or numbers that are no lists where the items are.
        DataError: lists that do not fit together, or several of a query that nothing orders.

    """
    import polars as pl

    need_polars_threads()
    if side == "run" and not (roles.value or roles.rank):
        _check_one_list_a_query(table, roles.query, where)
    frame = _whole_numbers(pl.DataFrame(table), roles.items)
    values = [name for name in (roles.value, roles.rank) if name is not None]
    _check_are_lists(frame, values, where)
    item = "item" if roles.wide else roles.items[0]
    items = _joined(frame, roles.items, where).alias(item) if roles.wide else _as_list(frame, item)
    frame = frame.select(roles.query, items, *(_as_list(frame, name) for name in values))
    _check_lengths(frame, item, values, where)
    _check_no_holes(frame, [item, *values], where)
    lengths = frame[item].list.len().fill_null(0).to_numpy()
    if whole and not lengths.any():
        raise no_items(where)
    rows = frame.filter(lengths > 0).explode(item, *values)
    origin = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
    return Table.from_arrow(rows), replace(roles, items=(item,), wide=False), origin


def _check_one_list_a_query(table: Table, query: str, where: str) -> None:
    import polars as pl

    queries = pl.DataFrame(table)[query]
    again = queries.is_duplicated().arg_true()
    if len(again):
        raise DataError(
            f"{where}: query {queries[int(again[0])]!r} has several lists (rows {again[0]} and {again[1]}, "
            "from 0), and no scores say how they are to be merged; give it one"
        )


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

    floats = [name for name in names if frame[name].dtype.is_float()]
    whole = [name for name in floats if (frame[name].drop_nulls().fill_nan(0.5) % 1 == 0).all()]
    return frame.with_columns(pl.col(whole).cast(pl.Int64)) if whole else frame


def _joined(frame: pl.DataFrame, names: Sequence[str], where: str) -> pl.Expr:
    """The columns of a wide table as one list, which ends at the first null."""
    import polars as pl

    types = {name: frame[name].dtype for name in names if frame[name].null_count() < frame.height}
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
