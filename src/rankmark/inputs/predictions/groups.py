"""Queries whose rows stand together, told by how many rows each has, as LightGBM and XGBoost take them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark._native import Table
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, UsageError
from rankmark.inputs.arrays.libraries import is_torch, to_numpy
from rankmark.inputs.predictions.reading import source_of
from rankmark.inputs.roles import Chosen
from rankmark.inputs.source import Source
from rankmark.inputs.tables.polars_frames import from_polars
from rankmark.rendering.words import brief, counted

__all__ = ["GROUPS", "group_numbers", "in_groups"]

GROUPS = "group sizes"
"""The column of the groups' numbers, from 0."""


def in_groups(source: object, group: Any, query: object) -> Source:
    """A table of labelled scores with a column `GROUPS` more: the number of each row's group.

    Args:
        source: the table, as `source_of` takes it.
        group: how many rows each group has, in the order in which they stand.
        query: the column of queries, if it is said, which it must not be.

    Raises:
        UsageError: `query` is said, too, sizes that are none, or what is no table.
        DataError: sizes below 0, or, when the table is read, that do not add up to its rows.

    """
    if query:
        raise UsageError(f"query={query!r} and group= both say which query each row is of; give one of them")
    sizes = _sizes(group)
    opened = source_of(source)

    def take(roles: Chosen) -> Table:
        import polars as pl

        table = opened.take(_Own(roles))
        number = group_numbers(sizes, table.num_rows, opened.where)
        if GROUPS not in roles.names:
            return table
        frame = pl.DataFrame(table)
        columns = [frame[name] for name in frame.columns]
        return from_polars(pl.DataFrame([*columns, pl.Series(GROUPS, number)]), opened.where)

    return replace(opened, names=[*opened.names, GROUPS], take=take)


@dataclass(frozen=True, slots=True)
class _Own:
    """The columns that a table has itself."""

    chosen: Chosen

    @property
    def names(self) -> list[str]:
        """All but that of groups."""
        return [name for name in self.chosen.names if name != GROUPS]

    @property
    def numbers(self) -> list[str]:
        """Those that hold numbers."""
        return self.chosen.numbers

    def instead(self, name: str) -> str:
        """What to do where one of these holds texts."""
        return self.chosen.instead(name)


def group_numbers(group: Any, rows: int, where: str) -> NDArray[np.int64]:
    """The number of each row's group, from 0.

    Args:
        group: how many rows each group has, in the order in which they stand.
        rows: how many rows there are.
        where: what messages call their table.

    Raises:
        UsageError: sizes that are no whole numbers.
        DataError: sizes below 0, or that do not add up to the rows.

    """
    sizes = _sizes(group)
    if (total := int(sizes.sum())) != rows:
        each = "; group holds the size of each group; a column with the query of each row is said by query"
        raise DataError(
            f"group has {counted(len(sizes), 'size')} that add up to {total:,}, and {where} has "
            f"{counted(rows, 'row')}{each if len(sizes) == rows else ''}"
        )
    return np.repeat(np.arange(len(sizes)), sizes)


def _sizes(group: Any) -> NDArray[np.int64]:
    """The sizes as integers from 0."""
    if isinstance(group, str | bytes) or not isinstance(group, Iterable) or not hasattr(group, "__len__"):
        raise UsageError(
            f"group={brief(group)} is no list of sizes, how many rows each query has; a column with the "
            "query of each row is said by query"
        )
    try:
        sizes = to_numpy(group) if is_torch(group) else np.asarray(group)
    except ValueError:
        sizes = np.asarray(list(group), dtype=object)
    if sizes.ndim != 1 or (sizes.dtype.kind not in "iuf" and len(sizes)):
        held = f"{sizes.dtype} of shape {sizes.shape}"
        raise UsageError(f"group holds {held}; it needs whole numbers, how many rows each query has")
    for wrong, what in ((~np.isfinite(sizes) | (sizes % 1 != 0), "no whole number"), (sizes < 0, "below 0")):
        if wrong.any():
            place = int(wrong.argmax())
            raise DataError(f"group holds {sizes[place]} at place {place} (from 0), a size that is {what}")
    return sizes.astype(np.int64)
