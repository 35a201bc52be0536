"""Logs of what was shown and clicked: a row an item that stood at a position of a list."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankmark.dataclassing import dataclass
from rankmark.errors import ColumnError, DataError
from rankmark.inputs.column_checks import no_rows
from rankmark.inputs.log_columns import called_log, find_log_columns, no_log_column
from rankmark.inputs.names import ALIASES
from rankmark.inputs.predictions.reading import source_of
from rankmark.inputs.roles import AnyColumns
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["ClickLog", "read_click_log"]

IMPRESSION = (
    *("impression", "impression_id", "session", "session_id", "serp", "serp_id", "list", "list_id"),
    *("request", "request_id", "page_view", "page_view_id"),
)
NAMES: Mapping[str, tuple[str, ...]] = {
    "impression": IMPRESSION,
    "query": tuple(name for name in ALIASES["query"] if name not in IMPRESSION),
    "item": ALIASES["item"],
    "position": ("position", "rank", "pos", "slot"),
    "click": ("click", "clicked", "clicks", "is_click", "is_clicked"),
    "propensity": ("propensity", "examination"),
    "team": ("team",),
    "credit": ("credit",),
    "rank_a": ("rank_a",),
    "rank_b": ("rank_b",),
    "name_a": ("name_a",),
    "name_b": ("name_b",),
}
"""The usual names of each role of a column."""
NEEDED = ("query", "item", "position", "click")
MADE = ("list", "listid")
"""Ids of lists that were made, which may have been shown several times."""
WHOLE = ("position", "rank_a", "rank_b")
MAY_LACK = ("rank_a", "rank_b", "team", "credit")
"""What a row need not have a value of."""


@dataclass(frozen=True, slots=True, eq=False)
class ClickLog:
    """A log that has been read.

    Attributes:
        frame: a row an item that was shown, in the order of lists and positions: ``impression``, the number
            of the list from 0; ``query``, ``item``, ``position`` from 1, ``click``, and what else was asked
            for.
        where: what messages call it.
        notes: what a reader should know of how it was understood.

    """

    frame: pl.DataFrame
    where: str
    notes: tuple[str, ...]

    @property
    def impressions(self) -> int:
        """How many lists were shown."""
        return int(self.frame["impression"].max()) + 1  # type: ignore[arg-type] # there are rows

    def numbers_of(self, *columns: str) -> NDArray[Any]:
        """The number of what these columns hold together, from 0 as it came first, of each row."""
        return _numbered(self.frame, columns)

    def clusters(self, column: str) -> NDArray[Any]:
        """The number of what each list belongs to, from 0: the query, the impression itself, or a column.

        Raises:
            DataError: a list has several.

        """
        import polars as pl

        of_lists = self.frame.group_by("impression", maintain_order=True).agg(
            pl.col(column).n_unique().alias("several"), pl.col(column).first().alias("cluster")
        )
        if (of_lists["several"] > 1).any():
            raise DataError(f"{self.where}: clusters={column!r}: that column has several values in one list")
        return _numbered(of_lists, ("cluster",))

    def refuse_gaps(self, what: str) -> None:
        """Refuses lists that lack a position above one that they have.

        Raises:
            DataError: there are such.

        """
        import polars as pl

        ends = self.frame.group_by("impression", maintain_order=True).agg(
            pl.len().alias("rows"), pl.col("position").max(), pl.col("query").first()
        )
        wrong = ends.filter(pl.col("position") != pl.col("rows"))
        if wrong.height:
            first = wrong.row(0, named=True)
            raise DataError(
                f"{self.where}: {what} goes down lists from their top, and in {wrong.height:,} of "
                f"{counted(ends.height, 'list')} positions are missing, such as one of query "
                f"{first['query']!r}, which has {counted(first['rows'], 'row')} down to position "
                f"{first['position']}; log all that was shown, with and without clicks"
            )


def read_click_log(
    source: object,
    columns: Mapping[str, Any] | None = None,
    *,
    roles: Sequence[str] = (),
    others: Sequence[str] = (),
) -> ClickLog:
    """Reads a log of clicks.

    Args:
        source: a path, a table, or a dict of columns.
        columns: the columns to use, by their roles, where their names do not say it.
        roles: further columns that are wanted if there are such: ``propensity``, ``team`` …
        others: columns that are wanted as they are.

    Raises:
        UsageError: what is no table, a file or a role that is not there.
        ColumnError: a column that is not there, or two that fit.
        DataError: no rows, nulls, clicks other than 0 and 1, positions that do not count from 1, an item or a
            position twice in one list.

    """
    import polars as pl

    with called_log('{"query": queries, "item": items, …}'):
        opened = source_of(source)
        where = re.sub(r"^predictions\b", "log", opened.where)
        wanted = ("impression", *roles)
        found = find_log_columns(opened.names, columns, where, NAMES, NEEDED, wanted, yielding=MADE)
        for name in others:
            if name not in opened.names:
                raise no_log_column(name, opened.names, where, repr(name))
        table = opened.take(AnyColumns(tuple(dict.fromkeys([*found.values(), *others]))))
    frame = pl.DataFrame(table)
    if not frame.height:
        raise no_rows(where)
    taken = {role: frame[name].alias(role) for role, name in found.items()}
    further = [frame[name] for name in others if name not in taken]
    notes = []
    for role in (each for each in taken if each not in MAY_LACK):
        _refuse_nulls(taken[role], found[role], where)
    taken["click"] = _clicks(taken["click"], found["click"], where)
    for role in (each for each in WHOLE if each in taken):
        taken[role] = _positions(taken[role], found[role], where)
    frame = pl.DataFrame([*taken.values(), *further])
    if "impression" in taken:
        numbers = _numbered(frame, ("impression", "query"))
    else:
        numbers = _numbered(frame, ("query",))
        notes.append("each query is taken for one list: the log has no column of impressions or sessions")
    frame = frame.with_columns(pl.Series("impression", numbers)).with_row_index("_row")
    frame = frame.sort("impression", "position", maintain_order=True)
    _refuse_twice(frame, "position", where, alone="impression" not in taken)
    _refuse_twice(frame, "item", where, alone="impression" not in taken)
    if bool(frame["click"].all()):
        raise DataError(
            f"{where}: all of {counted(frame.height, 'row')} are clicked; a log needs what was shown and "
            "not clicked, too"
        )
    return ClickLog(frame.drop("_row"), where, tuple(notes))


def _refuse_nulls(values: pl.Series, name: str, where: str) -> None:
    null = values.is_null()
    if values.dtype.is_float():
        null = null | values.is_nan()
    if null.any():
        raise DataError(
            f"{where}: {int(null.sum()):,} of {counted(len(null), 'row')} "
            f"{'have' if len(null) > 1 else 'has'} no value of {name!r}, the first in row {null.arg_max()} "
            "(from 0); remove what has none"
        )


def _numbers(values: pl.Series) -> pl.Series | None:
    """A column as numbers; None if it is none."""
    import polars as pl

    if values.dtype == pl.String:
        words = {"true": "1", "false": "0", "": None}
        texts = values.str.to_lowercase().replace(words)
        numbers = texts.cast(pl.Float64, strict=False)
        return None if numbers.null_count() > texts.null_count() else numbers
    if values.dtype in (pl.Boolean, pl.Null) or values.dtype.is_numeric():
        return values.cast(pl.Float64)
    return None


def _clicks(values: pl.Series, name: str, where: str) -> pl.Series:
    numbers = _numbers(values)
    if numbers is None:
        raise ColumnError(
            f"{where}: the click column {name!r} is {values.dtype}; clicks are 0 and 1, or booleans"
        )
    wrong = ~numbers.is_in([0.0, 1.0])
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise DataError(
            f"{where}: {int(wrong.sum()):,} of {counted(len(wrong), 'row')} of the click column {name!r} are "
            f"neither 0 nor 1, the first {numbers[row]:g} in row {row} (from 0); a row is one item that was "
            "shown once, clicked or not"
        )
    return numbers == 1.0


def _positions(values: pl.Series, name: str, where: str) -> pl.Series:
    import polars as pl

    numbers = _numbers(values)
    if numbers is None:
        raise ColumnError(f"{where}: the position column {name!r} is {values.dtype}; positions are 1, 2, 3 …")
    wrong = ((numbers < 1) | (numbers != numbers.round(0)) | numbers.is_infinite()).fill_null(value=False)
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        zero = numbers.min() == 0 and bool((numbers == numbers.round(0)).all())
        instead = "they count from 0 here: add 1" if zero else "they are 1 for the first, 2, 3 …"
        raise DataError(
            f"{where}: {int(wrong.sum()):,} of {counted(len(wrong), 'row')} of {name!r} are no positions, "
            f"the first {numbers[row]:g} in row {row} (from 0); {instead}"
        )
    return numbers.cast(pl.Int64)


def _numbered(frame: pl.DataFrame, columns: Sequence[str]) -> NDArray[Any]:
    import polars as pl

    keys = frame.select(columns)
    first = keys.unique(maintain_order=True).with_columns(_number=pl.int_range(pl.len()))
    found = keys.join(first, on=list(columns), how="left", nulls_equal=True, maintain_order="left")
    return found["_number"].to_numpy()


def _refuse_twice(frame: pl.DataFrame, role: str, where: str, *, alone: bool) -> None:
    """Refuses lists that have an item or a position twice."""
    import polars as pl

    numbers = _numbered(frame, (role,))
    lists = frame["impression"].to_numpy()
    if pl.Series(lists * (int(numbers.max()) + 1) + numbers).n_unique() == frame.height:
        return
    again = frame.filter(pl.struct("impression", role).is_duplicated())
    first = again.row(0, named=True)
    rows = again.filter((pl.col("impression") == first["impression"]) & (pl.col(role) == first[role]))["_row"]
    instead = (
        "a query was shown several times, and no column says which list is which: add an impression or "
        "session id"
        if alone
        else "a list has one id, and each of its items and positions once: give each list that was shown an "
        "id of its own, and remove rows that were logged twice"
    )
    several, shown = (each["impression"].n_unique() for each in (again, frame))
    raise DataError(
        f"{where}: in {several:,} of {counted(shown, 'list')} "
        f"{'an item' if role == 'item' else 'a position'} stands twice, such as {role} {first[role]!r} of "
        f"query {first['query']!r} in rows {rows[0]} and {rows[1]} (from 0); {instead}"
    )
