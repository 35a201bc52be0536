"""What Python has of items: their ids, dicts of an item each, or a dict of what each is like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankmark.errors import DataError, UsageError
from rankmark.inputs.arrays.libraries import is_array, to_numpy
from rankmark.inputs.column_checks import half_a_character, no_rows, several_types
from rankmark.inputs.names import fitting
from rankmark.inputs.source import Source
from rankmark.inputs.tables.polars_frames import from_polars
from rankmark.rendering.words import brief

if TYPE_CHECKING:
    import polars as pl

__all__ = ["of_columns", "of_python"]

FORMS = (
    "give a path, a table with a column of items, their ids, or what each is like, "
    '{"a": {"category": "x"}, …}'
)
"""What items can be given as."""


def of_python(source: Any) -> Mapping[str, Sequence[Any]]:
    """The columns of ids, of dicts of an item each, of a dict of what each is like, or of a dict of them.

    Raises:
        UsageError: it holds no items.
        DataError: there are none.

    """
    single = isinstance(source, str | bytes) or (is_array(source) and not source.shape)
    if single or not isinstance(source, Iterable):
        raise UsageError(f"items is of type {type(source).__name__}: {FORMS}")
    rows = list(source)
    if not rows:
        raise no_rows("items")
    if isinstance(source, Mapping):
        return _of_mapping(source)
    if all(isinstance(row, Mapping) for row in rows):
        return _of_rows(rows)
    if isinstance(rows[0], tuple | list):
        raise UsageError(
            f"items, row 0 (from 0): nothing says what the values of {brief(rows[0])} are: {FORMS}"
        )
    return {"item": rows}


def _of_mapping(source: Mapping[Any, Any]) -> Mapping[str, Sequence[Any]]:
    if all(isinstance(each, Mapping) for each in source.values()):
        return _of_rows([{**own, "item": item} for item, own in source.items()])
    names = [name for name in source if isinstance(name, str)]
    lengths = {len(each) if hasattr(each, "__len__") else None for each in source.values()}
    texts = any(isinstance(each, str | bytes) for each in source.values())
    if fitting(names, "item") and len(names) == len(source) and len(lengths) == 1 and not texts:
        return {
            name: to_numpy(each).tolist() if is_array(each) else list(each) for name, each in source.items()
        }
    first, value = next(iter(source.items()))
    raise UsageError(
        f"items is a dict, and {first!r} has {brief(value)}, which no name says what it is: {FORMS}"
    )


def _of_rows(rows: Sequence[Mapping[Any, Any]]) -> Mapping[str, Sequence[Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    for name in names:
        if not isinstance(name, str):
            raise UsageError(f"items: the name of a column, {name!r}, is no text")
    return {name: [row.get(name) for row in rows] for name in names}


def of_columns(columns: Mapping[str, pl.Series | Sequence[Any]]) -> Source:
    """A table of values of Python.

    Raises:
        DataError: values of several types in a column.

    """
    import polars as pl

    frame = pl.DataFrame([_column(name, values) for name, values in columns.items()])
    return Source("items", frame.columns, lambda roles: from_polars(frame[roles.names], "items"))


def _column(name: str, values: pl.Series | Sequence[Any]) -> pl.Series:
    """Values of Python as a column.

    Raises:
        DataError: they are of several types.

    """
    import polars as pl

    if isinstance(values, pl.Series):
        return values.alias(name)
    if any(isinstance(value, Mapping) for value in values):
        return _struct(name, values)
    values = [list(value) if isinstance(value, tuple | set | frozenset) else value for value in values]
    single = [
        value for value in values if value is not None and not (isinstance(value, list) or is_array(value))
    ]
    if single and len(single) < sum(value is not None for value in values):
        raise DataError(
            f"items: the column {name!r} has lists for some items and single values, such as "
            f"{brief(single[0])}, for others; make all of them lists"
        )
    try:
        return pl.Series(name, values, strict=not _of_numbers(values))
    except UnicodeEncodeError as error:
        raise DataError(half_a_character(f"a value of {name!r} of items", error.object)) from error
    except (TypeError, OverflowError, pl.exceptions.PolarsError) as error:
        raise DataError(f"items: the column {name!r} {several_types(values)}") from error


def _struct(name: str, values: Sequence[Any]) -> pl.Series:
    """Dicts as a column, with all names that any of them has."""
    import polars as pl

    others = [value for value in values if value is not None and not isinstance(value, Mapping)]
    if others:
        raise DataError(
            f"items: the column {name!r} has dicts for some items and, such as {brief(others[0])}, something "
            "else for others; make all of them dicts"
        )
    rows = [{} if value is None else value for value in values]
    names = dict.fromkeys(key for row in rows for key in row)
    fields = [_column(str(key), [row.get(key) for row in rows]) for key in names]
    return pl.DataFrame(fields).to_struct(name)


def _of_numbers(values: Sequence[Any]) -> bool:
    """Whether values are numbers, or lists of numbers, whole ones and others side by side."""
    kinds = {type(value) for value in values}
    if list in kinds:
        kinds |= {type(number) for value in values if isinstance(value, list) for number in value}
    return kinds <= {int, float, list, type(None)} and kinds & {int, float} == {int, float}
