"""What several systems predicted of the same rows: in columns of one table, or in a table of each system."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from rankmark.errors import DataError, RankmarkError, UsageError, did_you_mean
from rankmark.inputs.predictions.classes import ClassPredictions
from rankmark.inputs.predictions.columns import check_there
from rankmark.inputs.predictions.labelled import Predictions, scored_by
from rankmark.inputs.predictions.reading import read_predictions, source_of
from rankmark.inputs.predictions.same_rows import matched
from rankmark.inputs.tables import open_table

__all__ = ["SystemScores", "Systems", "asked_systems", "is_one_table", "read_systems"]


@dataclass(frozen=True, slots=True)
class SystemScores:
    """Where a system's scores are: a table, and the column; None for the one that is known by its name."""

    table: object
    column: str | None


@dataclass(frozen=True, slots=True)
class Systems:
    """What the systems predicted.

    Attributes:
        predictions: those of each system, of the same rows in the same order.
        notes: how the rows of several tables were matched.

    """

    predictions: Mapping[str, Predictions]
    notes: tuple[str, ...] = ()


def asked_systems(table: Any, scores: str | Mapping[str, str] | None) -> dict[str, SystemScores]:
    """Each system's table and column.

    Args:
        table: one table, or a dict with the table of each system.
        scores: the column of each system; of several tables also one column for all, or None for the usual
            names.

    Raises:
        UsageError: one table without the column of each system, or columns of systems that there are not.

    """
    _check_columns(scores)
    tables = _by_system(table)
    if tables is None:
        if not isinstance(scores, Mapping):
            raise UsageError(
                f"scores={scores!r}: one table needs the column of each system, {{system: column}}; several "
                "tables are given by their systems, {system: table}"
            )
        return {name: SystemScores(table, column) for name, column in scores.items()}
    if not isinstance(scores, Mapping):
        return {name: SystemScores(each, scores) for name, each in tables.items()}
    for name in scores:
        if name not in tables:
            hint = did_you_mean(str(name), map(str, tables))
            raise UsageError(
                f"scores has a column for {name!r}, which is none of the systems "
                f"{', '.join(map(str, tables))}{hint}"
            )
    return {name: SystemScores(each, scores.get(name)) for name, each in tables.items()}


def is_one_table(table: object) -> bool:
    """Whether it is a table, and not those of several systems."""
    return _by_system(table) is None


def _check_columns(scores: object) -> None:
    columns = list(scores.values()) if isinstance(scores, Mapping) else [scores or ""]
    if wrong := [column for column in columns if not isinstance(column, str)]:
        raise UsageError(f"systems have one column of scores each, called by its name, not {wrong[0]!r}")


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

    Rows of several tables are matched by query and item where all tables have both, else by position. Labels
    and weights have to agree. A query or an item that only some tables have is that of the matching rows.

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
    columns = {name: each.column for name, each in systems.items() if each.column is not None}
    first, *following = systems.values()
    if len(columns) == len(systems) and all(each.table is first.table for each in following):
        name = next(iter(systems))
        read = _read_system(name, first, said, positive, weighing, others, list(columns.values()))
        return Systems({name: scored_by(read, column, name) for name, column in columns.items()})
    reads: dict[str, Predictions] = {}
    sought, known = list(others), dict[str, None]()
    for name, each in systems.items():
        with _naming(name):
            opened = source_of(each.table)
            found = [column for column in sought if column in opened.names]
            read = _read_system(name, replace(each, table=opened), said, positive, weighing, found)
        sought = [column for column in sought if column not in found]
        known |= dict.fromkeys(opened.names)
        reads[name] = replace(read, name=f"{read.name} of {name!r}")
    check_there(dict.fromkeys(sought, "to slice by"), list(known), "every system's table")
    predictions, note = matched(reads)
    return Systems(predictions, (note,) if len(reads) > 1 else ())


@contextmanager
def _naming(system: str) -> Iterator[None]:
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
        raise DataError(f"systems are compared by one score in a row each, and {read.name} has several")
    return read
