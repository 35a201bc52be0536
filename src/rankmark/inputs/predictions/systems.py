"""What several systems predicted of the same rows: in columns of one table, or in a table of each system."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeAlias

from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, RankmarkError, UsageError, did_you_mean
from rankmark.inputs.predictions.classes import ClassPredictions
from rankmark.inputs.predictions.columns import check_there
from rankmark.inputs.predictions.labelled import Predictions, scored_by
from rankmark.inputs.predictions.reading import read_predictions, source_of
from rankmark.inputs.predictions.same_rows import matched
from rankmark.inputs.tables import open_table

__all__ = ["Columns", "SystemScores", "Systems", "asked_systems", "is_one_table", "naming", "read_systems"]


@dataclass(frozen=True, slots=True)
class SystemScores:
    """Where a system's predictions are.

    Attributes:
        table: the table.
        column: that of scores; several with one of each class; None for the one that is known by its name.
        predicted: the column of predicted classes, where these take the place of scores.

    """

    table: object
    column: str | tuple[str, ...] | None
    predicted: str | None = None

    @property
    def of_classes(self) -> bool:
        """Whether it is said that labels are classes."""
        return self.predicted is not None or isinstance(self.column, tuple)


@dataclass(frozen=True, slots=True)
class Systems:
    """What the systems predicted.

    Attributes:
        predictions: those of each system, of the same rows in the same order.
        notes: how the rows of several tables were matched.

    """

    predictions: Mapping[str, Predictions]
    notes: tuple[str, ...] = ()


Columns: TypeAlias = "str | Sequence[str]"
"""A column of scores, or several with one of each class."""


def asked_systems(
    table: Any,
    scores: Columns | Mapping[str, Columns] | None,
    predicted: str | Mapping[str, str] | None = None,
) -> dict[str, SystemScores]:
    """Each system's table and column.

    Args:
        table: one table, or a dict with the table of each system.
        scores: the column of each system, or several with one of each class; of several tables also what
            all have in common, or None for the usual names.
        predicted: the column of predicted classes, alike, where they take the place of scores.

    Raises:
        UsageError: one table without the column of each system, or columns of systems that there are not.

    """
    if predicted is not None:
        if scores is not None:
            raise UsageError("scores and predicted are both said: say the scores, or the predicted classes")
        asked = _asked(table, predicted, "predicted")
        return {name: SystemScores(each, None, str(column)) for name, (each, column) in asked.items()}
    asked = _asked(table, scores, "scores")
    return {
        name: SystemScores(each, column if column is None or isinstance(column, str) else tuple(column))
        for name, (each, column) in asked.items()
    }


def _asked(
    table: Any, scores: Columns | Mapping[str, Columns] | None, what: str
) -> dict[str, tuple[object, Columns | None]]:
    """Each system's table and column, or columns; `what` is said."""
    _check_columns(scores, what)
    tables = _by_system(table)
    if tables is None:
        if not isinstance(scores, Mapping):
            raise UsageError(
                f"{what}={scores!r}: one table needs the column of each system, {{system: column}}; several "
                "tables are given by their systems, {system: table}"
            )
        return {name: (table, column) for name, column in scores.items()}
    if not isinstance(scores, Mapping):
        return {name: (each, scores) for name, each in tables.items()}
    for name in scores:
        if name not in tables:
            hint = did_you_mean(str(name), map(str, tables))
            raise UsageError(
                f"{what} has a column for {name!r}, which is none of the systems "
                f"{', '.join(map(str, tables))}{hint}"
            )
    return {name: (each, scores.get(name)) for name, each in tables.items()}


def is_one_table(table: object) -> bool:
    """Whether it is a table, and not those of several systems."""
    return _by_system(table) is None


def _check_columns(scores: object, what: str) -> None:
    columns = list(scores.values()) if isinstance(scores, Mapping) else [scores or ""]
    for column in columns:
        several = column if what == "scores" and isinstance(column, list | tuple) else [column]
        if not several or not all(isinstance(each, str) for each in several):
            of = "predicted classes" if what == "predicted" else "scores"
            more = "" if what == "predicted" else ", or a list of them with one of each class"
            raise UsageError(
                f"systems have one column of {of} each, called by its name{more}, not {column!r}"
            )


def _by_system(table: object) -> dict[Any, object] | None:
    """The tables of a dict of tables; None for what is one table, as a dict of columns is."""
    if not isinstance(table, Mapping):
        return None
    tables = dict(table)
    opened = {id(each): _opened(each) for each in tables.values()}  # each once: some can be read once only
    if None in opened.values():
        return None
    return {name: opened[id(each)] for name, each in tables.items()}


def _opened(source: object) -> object:
    """A table, opened if it is in memory; None for a column."""
    if isinstance(source, str | os.PathLike | Mapping):
        return source
    try:
        return open_table(source, "predictions")
    except UsageError:
        return None


def read_systems(
    systems: Mapping[str, SystemScores],
    said: Mapping[str, str | None],
    positive: object,
    weighing: Mapping[str, str],
    others: Sequence[str] = (),
) -> Systems:
    """Reads what the systems predicted of the same rows.

    Rows of several tables are matched by query and item where all tables have both and no pair of them
    stands twice, else by position. Labels and weights have to agree, and by position queries and items, too.
    A query or an item that only some tables have is that of the matching rows.

    Args:
        systems: their tables and columns.
        said: the names of the other columns, where they are said, by their roles, with ``""`` for none.
        positive: the label of positive rows, where it is said.
        weighing: columns of numbers that measures name, each with what it is for, in words.
        others: columns without a role that are wanted, too; of several tables those of the first that has
            each.

    Raises:
        UsageError: what is no table, or a file that is not there.
        DataError: a table that cannot be read, or tables that are not of the same rows.

    """
    columns = {name: each.column for name, each in systems.items() if isinstance(each.column, str)}
    first, *following = systems.values()
    if len(columns) == len(systems) and all(each.table is first.table for each in following):
        name = next(iter(systems))
        read = _read_system(name, first, said, positive, weighing, others, list(columns.values()))
        return Systems({name: scored_by(read, column, name) for name, column in columns.items()})
    reads: dict[str, Predictions] = {}
    sought, known = list(others), dict[str, None]()
    for name, each in systems.items():
        with naming(name):
            opened = source_of(each.table)
            found = [column for column in sought if column in opened.names]
            read = _read_system(name, replace(each, table=opened), said, positive, weighing, found)
        sought = [column for column in sought if column not in found]
        known |= dict.fromkeys(opened.names)
        reads[name] = replace(read, name=f"{read.name} of {name!r}")
    check_there(dict.fromkeys(sought, "to slice by"), list(known), "every system's table")
    if len(reads) == 1:
        return Systems(reads)
    predictions, note = matched(reads)
    return Systems(predictions, (note,))


@contextmanager
def naming(system: str) -> Iterator[None]:
    """Says of which system the table is that cannot be read."""
    try:
        yield
    except RankmarkError as error:
        raise type(error)(f"system {system!r}: {error}") from error


def _read_system(
    name: str,
    system: SystemScores,
    said: Mapping[str, str | None],
    positive: object,
    weighing: Mapping[str, str],
    others: Sequence[str],
    compared: Sequence[str] = (),
) -> Predictions:
    told = {**said, "score": system.column}
    read = read_predictions(
        system.table, told, positive, None, others, compared=compared, weighing=weighing, system=name
    )
    if isinstance(read, ClassPredictions):
        raise DataError(
            f"systems are compared by one score in a row each, and {read.name} has several; to compare "
            f'scores of classes, say them as a list, scores={{"{name}": ["{system.column or "…"}"]}}'
        )
    return read
