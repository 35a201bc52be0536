"""What holds several tables where one is read, with the way to go."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeGuard, TypeVar

from rankmark.errors import RankmarkError, UsageError
from rankmark.inputs.column_checks import half_a_character, is_text
from rankmark.inputs.input import Input
from rankmark.inputs.roles import TableName

__all__ = ["PLAIN", "is_path", "is_table", "of_system", "refuse_several", "runs_by_name", "several_tables"]

T = TypeVar("T")
R = TypeVar("R")

SEVERAL: Mapping[TableName, str] = {
    "run": 'evaluate and compare take several systems by their names, {"name": run, …}, and others one',
    "qrels": "evaluate takes one table of judgements",
    "predictions": "evaluate_predictions takes one table; rm.compare_predictions compares several systems",
}
PLAIN = frozenset((dict, list, tuple, str, int, float))
"""Types of Python's own that are no table, as is known without looking any further."""
NUMBERS = frozenset((int, float))
"""Those of them that hold no other values."""
MAPPINGS = (dict, Mapping)
"""Types of dicts: one of Python's own is known as such without asking what else is one."""
PATHS = (str, os.PathLike)
"""Types of paths; as ``str | os.PathLike`` they would be put together each time."""
PARTS = "parts of one are put together with pandas.concat or polars.concat, with a column of the queries"


def is_path(value: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether it is the path of a file."""
    kind = type(value)
    return kind is str or (kind not in PLAIN and isinstance(value, PATHS))


def is_table(value: object) -> bool:
    """Whether it is a table of some library, one that has been read, or the path of one."""
    # Of the type: a lazy frame looks for its columns when asked for them.
    kind = type(value)
    if kind in PLAIN:
        return False
    return isinstance(value, Input | os.PathLike) or hasattr(kind, "columns") or hasattr(kind, "column_names")


def runs_by_name(run: object) -> Mapping[str, object] | None:
    """The runs of a dict of several systems, tables or paths; None for the run of one.

    Raises:
        UsageError: systems of which some have no table, or whose names are no texts, or have half of a
            character.

    """
    if not isinstance(run, MAPPINGS) or not run:
        return None
    others = [name for name, each in run.items() if not (isinstance(each, str) or _is_whole(each, "run"))]
    if others:
        whole = next((name for name, each in run.items() if _is_whole(each, "run")), None)
        if whole is None:
            return None
        given = run[others[0]]
        what = f"of type {type(given).__name__}" if given or not isinstance(given, MAPPINGS) else "empty"
        raise UsageError(
            f"run is a dict of systems, and {others[0]!r} is {what}; give it results, as {whole!r} has them"
        )
    for name in run:
        if not isinstance(name, str) or not name:
            raise UsageError(f"run: {name!r} is no name of a system, a text such as 'bm25'")
        if not is_text(name):
            raise UsageError(half_a_character("run: the name of a system", name))
    return run


def of_system(name: str, work: Callable[[T], R], run: T) -> R:
    """What `work` gives of the run of a system, which its errors name where they speak of "run"."""
    try:
        return work(run)
    except RankmarkError as error:
        said = re.sub(r"^run\b(?! ')|(?<=\bin )run(?= \()", lambda _: f"run {name!r}", str(error))
        if said == str(error):
            raise
        raise type(error)(said) from error


def refuse_several(source: object, table: TableName) -> None:
    """Refuses a dict or a list of tables, of paths or of whole runs, which its first one tells.

    Raises:
        UsageError: it is one; the message says what takes several.

    """
    if isinstance(source, Mapping):
        first = next(iter(source.items()), None)
        if first is not None and _is_whole(first[1], table):
            raise several_tables(f"{table} is a dict, and {first[0]!r} has", first[1], table)
    elif isinstance(source, Sequence) and not isinstance(source, str | bytes) and len(source):
        first = source[0]
        if isinstance(first, tuple) and len(first) == 2 and is_table(first[1]):  # a frame that was grouped
            first = first[1]
        if is_table(first) or (table != "predictions" and _is_whole(first, table)):  # a row can be a dict
            raise several_tables(
                f"{table} is a {type(source).__name__}, and in the first place has", first, table
            )


def several_tables(where: str, value: object, table: TableName) -> UsageError:
    """The error for a table that stands where the rows of one do."""
    return UsageError(f"{where} a whole table, of type {type(value).__name__}; {SEVERAL[table]}, and {PARTS}")


def _is_whole(value: object, table: TableName) -> bool:
    """Whether it is all results or judgements, and not those of a query."""
    if is_table(value):
        return True
    if table == "predictions":
        return isinstance(value, Mapping)
    if isinstance(value, MAPPINGS):
        first = next(iter(value.values()), 0)
        if type(first) in NUMBERS:
            return False
        return isinstance(first, Iterable) and not isinstance(first, str | bytes)
    return isinstance(value, list) and bool(value) and isinstance(value[0], tuple) and len(value[0]) == 3
