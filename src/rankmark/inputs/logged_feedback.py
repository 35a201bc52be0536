"""Logs of what a system showed, with which chance, and what it earned: a row an item that was shown."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from rankmark.dataclassing import dataclass
from rankmark.errors import ColumnError, DataError
from rankmark.inputs.batches import open_each
from rankmark.inputs.column_checks import check_ids, no_rows
from rankmark.inputs.log_columns import called_log
from rankmark.inputs.names import ALIASES
from rankmark.inputs.predictions.reading import source_of
from rankmark.progress import counting_rows
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl

    from rankmark._native import Table

__all__ = [
    "NAMES",
    "OTHER",
    "LogColumns",
    "LoggedRows",
    "names_of_log",
    "read_log",
    "read_log_in_batches",
    "rows_of",
]

IMPRESSION = (
    *("impression", "impression_id", "event", "event_id", "slate", "slate_id", "request", "request_id"),
    *("round", "round_id", "serp", "serp_id", "list_id"),
)
NAMES: Mapping[str, tuple[str, ...]] = {
    "impression": IMPRESSION,
    "query": tuple(name for name in ALIASES["query"] if name not in IMPRESSION),
    "item": (*ALIASES["item"], "action", "action_id", "arm"),
    "position": (*ALIASES["rank"], "slot"),
    "propensity": (
        *("propensity", "propensity_score", "pscore", "logging_prob", "logging_probability"),
        *("logged_probability", "behavior_probability", "action_prob", "action_probability"),
    ),
    "reward": (
        *("reward", "click", "clicked", "clicks", "is_click", "is_clicked", "conversion", "label"),
        "relevance",
    ),
    "candidates": ("candidates", "n_candidates", "num_candidates", "candidate_count"),
    "predicted": ("predicted", "predicted_reward", "reward_prediction", "q_hat"),
}
"""The usual names of each role of a column."""
IDS = ("impression", "query", "item")
MOST = 1.0 + 1e-9
"""What rounding may make of a chance of 1."""


@dataclass(frozen=True, slots=True)
class LogColumns:
    """The columns of a log that are read.

    Attributes:
        roles: the column of each role that there is.
        chances: columns of chances that a policy shows what was shown.
        expected: columns of what a model expects of a policy.
        others: columns that are wanted as they are.

    """

    roles: Mapping[str, str]
    chances: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """Every one of them."""
        return list(dict.fromkeys([*self.roles.values(), *self.chances, *self.expected, *self.others]))

    @property
    def numbers(self) -> list[str]:
        """Those that hold numbers."""
        roles = [name for role, name in self.roles.items() if role not in IDS]
        return list(dict.fromkeys([*roles, *self.chances, *self.expected]))

    def instead(self, _: str) -> str:
        """As `rankmark.inputs.roles.Chosen.instead`."""
        return "name another column with columns={…} (on the command line --column ROLE=NAME)"


@dataclass(frozen=True, slots=True, eq=False)
class LoggedRows:
    """Rows of a log that have been read and checked.

    Attributes:
        frame: a row an item that was shown, with a column for each role; other columns by their own names
            after ``column:``.
        where: what messages call it.
        text_ids: whether the ids come from a format without types.

    """

    frame: pl.DataFrame
    where: str
    text_ids: bool

    def column(self, name: str) -> pl.Series:
        """A column that has no role."""
        return self.frame[OTHER + name]


OTHER = "column:"
Finding: TypeAlias = Callable[[list[str], str], LogColumns]
"""What finds the columns of a table by its columns' names, and by what messages call it."""


def names_of_log(source: object) -> list[str]:
    """The names of a log's columns.

    Raises:
        UsageError: what is no table, or a file that is not there.

    """
    with called_log():
        names = list(source_of(source).names)
    if not names:
        raise no_rows("log")
    return names


def read_log(source: object, columns: Finding) -> LoggedRows:
    """Reads a log whole.

    Args:
        source: a path, a table, or a dict of columns.
        columns: gives the columns of a table whose columns have these names.

    Raises:
        UsageError: what is no table, or a file that is not there.
        ColumnError: a column that is not there, or two that fit.
        DataError: no rows; ids, rewards or chances that are null or none.

    """
    with called_log():
        opened = source_of(source)
        where = re.sub(r"^predictions\b", "log", opened.where)
        chosen = columns(list(opened.names), where)
        table = opened.take(chosen)
    if not table.num_rows:
        raise no_rows(where)
    return LoggedRows(_checked(table, chosen, where, 0), where, opened.text_ids)


def read_log_in_batches(path: str | os.PathLike[str], columns: Finding, size: int) -> Iterator[LoggedRows]:
    """Reads a log in files, in batches of about `size` bytes of memory; raises as `read_log`."""
    with called_log():
        where, files = open_each(path, "predictions", None)
        where = re.sub(r"^predictions\b", "log", where)
        total, before, empty = sum(file.size for file in files), 0, True
        with counting_rows("reading the log") as rows:
            for file in files:
                own = re.sub(r"^predictions\b", "log", file.where)
                chosen, first = columns(list(file.names), own), 0
                for table, share in file.read(chosen, size):
                    if table.num_rows:
                        empty = False
                        yield LoggedRows(_checked(table, chosen, own, first), own, file.text_ids)
                    first += table.num_rows
                    rows.advance(table.num_rows, (before + share * file.size) / total)
                before += file.size
        if empty:
            raise no_rows(where)


def rows_of(table: Table, columns: LogColumns, where: str) -> LoggedRows:
    """The rows of a table that has been read otherwise; raises as `read_log`."""
    return LoggedRows(_checked(table, columns, where, 0), where, text_ids=False)


def _checked(table: Table, columns: LogColumns, where: str, first: int) -> pl.DataFrame:
    """The columns by their roles, whose values are what they are to be."""
    import polars as pl

    frame = pl.DataFrame(table)
    found = {}
    for role, name in columns.roles.items():
        if role in IDS:
            check_ids(table, name, role, where)
            _refuse(frame[name].is_null(), "null", role, name, where, first)
            own = frame[name]
            found[role] = own if own.dtype.is_integer() else own.cast(pl.String)
        else:
            found[role] = _numbers(frame[name], role, name, where, first)
    if "propensity" in found:
        values = found["propensity"]
        what = "no chance above 0 to 1: what was shown had one"
        _refuse(
            ~((values > 0) & (values <= MOST)), what, "propensity", columns.roles["propensity"], where, first
        )
    for name in columns.chances:
        values = found[OTHER + name] = _numbers(frame[name], "policy", name, where, first)
        _refuse(~((values >= 0) & (values <= MOST)), "no chance of 0 to 1", "policy", name, where, first)
    for name in columns.expected:
        found[OTHER + name] = _numbers(frame[name], "expected", name, where, first)
    for name in columns.others:
        _refuse(frame[name].is_null(), "null", "grouping", name, where, first)
        found[OTHER + name] = frame[name]
    return pl.DataFrame([values.alias(role) for role, values in found.items()])


def _numbers(values: pl.Series, role: str, name: str, where: str, first: int) -> pl.Series:
    """Finite numbers."""
    import polars as pl

    if not (values.dtype.is_numeric() or values.dtype == pl.Boolean):
        raise ColumnError(
            f"{where}: the {role} column {name!r} is {values.dtype}, not numbers; cast it, or name another "
            f'with columns={{"{role}": "…"}} (on the command line --column {role}=…)'
        )
    _refuse(values.is_null(), "null", role, name, where, first)
    numbers = values.cast(pl.Float64)
    _refuse(~numbers.is_finite(), "NaN or infinite", role, name, where, first)
    return numbers


def _refuse(wrong: pl.Series, what: str, role: str, name: str, where: str, first: int) -> None:
    if count := int(wrong.sum()):
        raise DataError(
            f"{where}: {counted(count, 'row')} of the {role} column {name!r} {'is' if count == 1 else 'are'} "
            f"{what}, the first is row {first + int(wrong.arg_true()[0])} (from 0); correct or remove "
            f"{'it' if count == 1 else 'them'}"
        )
