"""In which categories and groups items are: columns of a table of items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import ColumnError, DataError
from rankmark.kinds.item_facts import Groups
from rankmark.kinds.ragged import offsets_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["groups_of", "rows_of_categories"]

MOST_CODES = 1_000
"""So many integers can be codes of categories; more of them are numbers, such as prices."""


def rows_of_categories(items: pl.DataFrame, column: str) -> pl.DataFrame | None:
    """A row for each category of each item, its ``place`` and the ``value``; None where a column has numbers.

    Raises:
        ColumnError: a column of something else, or of more integers than categories are.

    """
    import polars as pl

    values = items[column]
    of_lists = isinstance(values.dtype, pl.List | pl.Array)
    inner = values.dtype.inner if isinstance(values.dtype, pl.List | pl.Array) else values.dtype
    if inner.is_float() or inner.is_decimal() or (of_lists and inner.is_numeric()):
        return None
    if inner.is_nested() or inner in (pl.Object, pl.Binary):
        raise ColumnError(
            f"items: {column!r} is {values.dtype}, neither categories nor numbers, nor lists of them"
        )
    if inner.is_integer() and values.n_unique() > MOST_CODES:
        raise ColumnError(
            f"items: {column!r} has {values.n_unique():,} different integers, more than categories are; make "
            "intervals of them (pandas.cut, polars' qcut), or cast them to texts where they are codes"
        )
    frame = pl.DataFrame({"place": pl.int_range(items.height, eager=True), "value": values})
    if not of_lists:  # so that there is one of each item, and nothing stands twice
        return frame.filter(pl.col("value").is_not_null())
    frame = frame.with_columns(pl.col("value").cast(pl.List(inner))).explode("value")
    return frame.filter(pl.col("value").is_not_null()).unique(maintain_order=True)


def groups_of(items: pl.DataFrame, column: str) -> Groups:
    """The groups of items: their categories, or how much they are of each.

    Raises:
        ColumnError: a column of something else.
        DataError: parts of groups that are negative or not finite, or no item with a group.

    """
    import polars as pl

    frame = _rows_of_parts(items, column)
    if frame is None:
        found = rows_of_categories(items, column)
        if found is None:
            raise ColumnError(
                f"items: {column!r} has numbers, and groups are categories, lists of these, or how much an "
                "item is of each: lists of numbers, or dicts of them by the names of groups"
            )
        frame = found.with_columns(pl.col("value").cast(pl.String), part=pl.lit(1.0))
    names = frame["value"].unique().sort().to_list()
    if not names:
        raise DataError(f"items: {column!r} says of no item in which group it is")
    frame = frame.filter(pl.col("part") > 0).sort("place", "value")
    group = frame["value"].replace_strict(names, range(len(names)), return_dtype=pl.Int64).to_numpy()
    lengths = np.bincount(frame["place"].to_numpy(), minlength=items.height)
    without = np.flatnonzero(lengths == 0)
    said = None
    if len(without):
        first = items["item"][int(without[0])]
        have = "has" if len(without) == 1 else "have"
        said = f"{len(without):,} of {items.height:,} items {have} no {column!r}, the first is {first!r}"
    return Groups(tuple(names), group, frame["part"].to_numpy(), offsets_of(lengths), said)


def _rows_of_parts(items: pl.DataFrame, column: str) -> pl.DataFrame | None:
    """A row for each item and group: its place, the group's name and how much of it the item is; or None."""
    import polars as pl

    values, place = items[column], pl.int_range(items.height, eager=True).alias("place")
    if isinstance(values.dtype, pl.List | pl.Array) and values.dtype.inner.is_numeric():
        values = values.cast(pl.List(pl.Float64))
        if values.drop_nulls().list.len().n_unique() > 1:
            raise DataError(f"items: {column!r} has lists of different lengths; give a number for each group")
        frame = pl.DataFrame([place, values.alias("part")]).explode("part")
        frame = frame.with_columns(value=pl.int_range(pl.len()).over("place").cast(pl.String))
    elif isinstance(values.dtype, pl.Struct) and all(
        field.dtype.is_numeric() for field in values.dtype.fields
    ):
        wide = values.struct.unnest().cast(pl.Float64)
        frame = pl.concat(
            [pl.DataFrame({"place": place, "value": own.name, "part": own}) for own in wide.iter_columns()]
        )
    else:
        return None
    frame = frame.with_columns(pl.col("part").fill_null(0.0))
    wrong = frame.filter(~pl.col("part").is_finite() | (pl.col("part") < 0))
    if wrong.height:
        item, part = items["item"][int(wrong["place"][0])], wrong["part"][0]
        raise DataError(f"items: {column!r} of {item!r} has {part:g}; parts of groups are 0 or more")
    return frame
