"""Tables of preferences between items: a row says that one is preferred to another for a query."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankmark.errors import ColumnError, DataError, UsageError, did_you_mean
from rankmark.inputs.column_checks import check_ids, no_rows
from rankmark.inputs.names import ALIASES, listed, normal
from rankmark.inputs.predictions.reading import source_of
from rankmark.inputs.roles import AnyColumns, columns_said
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_preferences"]

NAMES: Mapping[str, tuple[str, ...]] = {
    "query": (*ALIASES["query"], "prompt", "prompt_id", "question"),
    "preferred": ("preferred", "preferred_item", "better", "winner", "chosen"),
    "other": ("other", "other_item", "worse", "loser", "rejected"),
    "assessor": ("assessor", "assessor_id", "judge", "annotator", "annotator_id", "rater", "worker"),
}
"""The usual names of each role of a column."""
NEEDED = ("query", "preferred", "other")


def read_preferences(source: object, columns: Mapping[str, Any] | None = None) -> tuple[pl.DataFrame, str]:
    """Reads preferences between items.

    Args:
        source: a path, a table, or a dict of columns.
        columns: the columns to use, by their roles, where their names do not say it.

    Returns:
        A row a preference with ``query``, ``preferred``, ``other`` and, where there is one, ``assessor``; and
        what messages call the table.

    Raises:
        UsageError: what is no table, a file or a role that is not there.
        ColumnError: a column that is not there, or two that fit, or that hold no ids.
        DataError: no rows, nulls, or an item that is preferred to itself.

    """
    import polars as pl

    opened = source_of(source)
    where = re.sub(r"^predictions\b", "preferences", opened.where)
    found = _columns(opened.names, columns_said(columns), where)
    table = opened.take(AnyColumns(tuple(dict.fromkeys(found.values()))))
    if not table.num_rows:
        raise no_rows(where)
    for role, name in found.items():
        check_ids(table, name, role, where)
    read = pl.DataFrame(table).select(pl.col(name).alias(role) for role, name in found.items())
    _refuse(read, found, where)
    if read["preferred"].dtype != read["other"].dtype:
        read = read.with_columns(pl.col("preferred", "other").cast(pl.String))
    return read, where


def _columns(names: Sequence[str], said: Mapping[str, Any], where: str) -> dict[str, str]:
    """The column of each role that is there."""
    for role, name in said.items():
        if role not in NAMES:
            raise UsageError(
                f"columns={{{role!r}: …}}: preferences between items have no role {role!r}"
                f"{did_you_mean(role, NAMES)}; the roles are {listed(NAMES)}"
            )
        if name not in names:
            raise ColumnError(f"{where} has no column {name!r}; its columns are {listed(names)}")
    found: dict[str, str] = {}
    for role, aliases in NAMES.items():
        known = {normal(alias) for alias in aliases}
        fits = [name for name in names if normal(name) in known and name not in said.values()]
        fits = [str(said[role])] if role in said else [name for name in fits if name == role] or fits
        if len(fits) > 1:
            raise ColumnError(
                f"{where} has {len(fits)} columns that can be the {role}: {listed(fits)}; say which with "
                f'columns={{"{role}": "{fits[0]}"}} (on the command line --column {role}={fits[0]})'
            )
        if fits:
            found[role] = fits[0]
    if lacks := [role for role in NEEDED if role not in found]:
        raise ColumnError(
            f"{where} has no column of {listed(lacks)}; its columns are {listed(names)}; say which it is "
            f'with columns={{"{lacks[0]}": "…"}} (on the command line --column {lacks[0]}=…)'
        )
    return found


def _refuse(read: pl.DataFrame, names: Mapping[str, str], where: str) -> None:
    """Refuses rows that lack an id, and items beside themselves."""
    import polars as pl

    for role, name in names.items():
        if nulls := read[role].null_count():
            first = int(read[role].is_null().arg_max() or 0)
            raise DataError(
                f"{where}: {counted(nulls, 'row')} of the {role} column {name!r} are null, the first is row "
                f"{first} (from 0); correct or remove them"
            )
    own = read["preferred"].cast(pl.String) == read["other"].cast(pl.String)
    if own.any():
        row = int(own.arg_max() or 0)
        raise DataError(f"{where}: row {row} (from 0) prefers {read['preferred'][row]!r} to itself")
