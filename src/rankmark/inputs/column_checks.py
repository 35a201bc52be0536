"""What columns must hold, whatever the table: the errors for those that do not."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from rankmark.errors import ColumnError, DataError
from rankmark.inputs.roles import said_outright
from rankmark.rendering.words import brief

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = [
    "Columns",
    "check_ids",
    "check_numbers",
    "half_a_character",
    "is_text",
    "no_rows",
    "several_types",
    "wrong_row",
]


class Columns(Protocol):
    """The columns of a table, as far as their types go."""

    def kind(self, name: str) -> str:
        """``integer``, ``float``, ``boolean``, ``string``, ``list``, ``null`` or ``other``."""

    def dtype(self, name: str) -> str:
        """What the table itself calls the column's type."""


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


def is_text(value: str) -> bool:
    """Whether it can be written as UTF-8, as all texts but those with half of a character."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def half_a_character(what: str, value: str) -> str:
    """Why a text is refused that `is_text` says is none."""
    return (
        f"{what} {brief(value)} has half of a character in it (a lone surrogate), which no text can; "
        "decode it as what it was written in"
    )


def no_rows(where: str) -> DataError:
    """The error for a table without rows."""
    return DataError(f"{where} has no rows; there is nothing to evaluate")


def several_types(values: Iterable[object]) -> str:
    """What is wrong with values, or lists of values, that are no column: their types, and in which rows."""
    counts: Counter[str] = Counter()
    firsts: dict[str, str] = {}
    none = getattr(sys.modules.get("pandas"), "NA", None)
    for row, value in enumerate(values):
        for each in value if isinstance(value, list | tuple) else (value,):
            if each is not None and each is not none and each == each:  # NaN, where pandas has no value
                name = type(each).__name__
                counts[name] += 1
                firsts.setdefault(name, f"the first {each!r} in row {row}")
    if len(counts) == 1:
        [(name, first)] = firsts.items()
        return f"holds values of type {name} that no column of a table can have, {first}, counted from 0"
    types = ", ".join(f"{counts[name]:,} of {name} ({first})" for name, first in firsts.items())
    return f"holds values of several types: {types}, rows counted from 0; make them one"


def wrong_row(
    wrong: pl.Series,
    what: str,
    role: str,
    name: str,
    where: str,
    first_row: int,
    rows: NDArray[np.integer[Any]] | None = None,
) -> DataError:
    """The error for values that cannot be evaluated; `rows` are those of the user's table, as of `Input`."""
    first = int(wrong.arg_true()[0])
    row = first_row + (first if rows is None else int(rows[first]))
    return DataError(
        f"{where}: the {role} column {name!r} is {what} in row {row} (from 0), and perhaps in others; "
        "remove or replace those rows"
    )
