"""Tables of items, and of who had which before, from whatever holds them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankmark.errors import DataError, RankmarkError, UsageError
from rankmark.inputs import read_shared
from rankmark.inputs.arrays.libraries import is_array, to_numpy
from rankmark.inputs.column_checks import check_ids, half_a_character, no_rows, several_types
from rankmark.inputs.files import open_files
from rankmark.inputs.names import fitting, misread
from rankmark.inputs.roles import ColumnNames, find_item, said_of
from rankmark.inputs.source import Source
from rankmark.inputs.tables import open_table
from rankmark.inputs.tables.polars_frames import from_polars
from rankmark.inputs.tables.several import is_table
from rankmark.rendering.words import brief, counted

if TYPE_CHECKING:
    import polars as pl

    from rankmark._native import Table

__all__ = ["read_items", "read_train"]

FORMS = (
    "give a path, a table with a column of items, their ids, or what each is like, "
    '{"a": {"category": "x"}, …}'
)
"""What items can be given as."""


def read_items(source: Any, columns: ColumnNames | None) -> pl.DataFrame:
    """The items, each once, as ``item``, and the columns beside it.

    Raises:
        UsageError: what holds no items, or a file that is not there.
        ColumnError: no column of items, or several; ids that are neither integers nor strings.
        DataError: no rows, ids that are null, an item in several rows, or values of several types.

    """
    import polars as pl

    opened = _opened(source)
    names = list(opened.names)
    if len(names) == 1 and not misread(names):
        item = names[0]
    else:
        with _called("items"):
            item = find_item(names, said_of(columns, "items"), opened.where)
    table = opened.take(_All((item, *(name for name in names if name != item))))
    _check_ids(table, item, "item", opened.where)
    frame = pl.DataFrame(table)
    if item != "item" and "item" in frame.columns:
        frame = frame.drop("item")  # a column that was passed over for the one that was said
    frame = frame.rename({item: "item"})
    if opened.text_ids:
        frame = frame.with_columns(_of_texts(each) for each in frame.drop("item"))
    _check_repeated(frame, opened.where)
    return frame


def read_train(source: Any, columns: ColumnNames | None) -> pl.DataFrame:
    """The interactions as ``query`` and ``item``, whatever else, such as ratings, is beside them.

    Raises:
        UsageError: what holds none, or a file that is not there.
        ColumnError: no column of users or of items, or ids that are neither integers nor strings.
        DataError: no rows, or ids that are null.

    """
    import polars as pl

    with _called("train"):
        read = read_shared(_pairs(source), "qrels", said_of(columns, "train"))
        for name, role in ((read.query, "query"), (read.item, "item")):
            _check_ids(read.table, name, role, read.name)
    return pl.DataFrame(read.table).select(query=read.query, item=read.item)


def _of_texts(texts: pl.Series) -> pl.Series:
    """A column of a file of texts as numbers, as lists of what ``|`` separates, or as it is; "" is null."""
    import polars as pl

    if texts.dtype != pl.String:
        return texts
    texts = texts.replace("", None)
    for dtype in (pl.Int64, pl.Float64):
        numbers = texts.cast(dtype, strict=False)
        if numbers.null_count() == texts.null_count() and not texts.str.contains(r"^0\d").any():
            return numbers
    return texts.str.split("|") if texts.str.contains("|", literal=True).any() else texts


@contextmanager
def _called(name: str) -> Iterator[None]:
    """Lets errors of a table that is read as judgements are call it what it is."""
    try:
        yield
    except RankmarkError as error:
        said = re.sub(r"^qrels\b", name, str(error))
        for way in ('columns={"', "--column "):  # of this table alone: another may have it by its usual name
            said = said.replace(way, f"{way}{name}.")
        raise type(error)(said) from error


def _pairs(source: Any) -> Any:
    """Users and items one by one of a dict of the items of each user; all else as it is."""
    if not isinstance(source, Mapping) or not source:
        return source
    own = {user: to_numpy(each).tolist() if is_array(each) else each for user, each in source.items()}
    if any(isinstance(each, str | bytes | Mapping) or is_table(each) for each in own.values()):
        return source
    if not all(isinstance(each, Iterable) for each in own.values()):
        return source
    return [(user, item) for user, items in own.items() for item in items]


@dataclass(frozen=True, slots=True)
class _All:
    """Columns that are read whatever they hold."""

    columns: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """All of them."""
        return list(self.columns)

    @property
    def numbers(self) -> list[str]:
        """None has to hold numbers."""
        return []

    def instead(self, name: str) -> str:
        """What to do where one of these holds texts."""
        return f"name another column than {name!r}"


def _opened(source: Any) -> Source:
    """A table of items, of a file, of a library, or of what Python has."""
    if isinstance(source, str | os.PathLike):
        return open_files(source, "items", None)
    if (ids := _ids(source)) is not None:
        return _of_columns({"item": ids})
    opened = open_table(source, "items")
    return opened if opened is not None else _of_columns(_of_python(source))


def _ids(source: Any) -> pl.Series | Sequence[Any] | None:
    """The ids in an array or a series without an index of ids; None of anything else."""
    import polars as pl

    if isinstance(source, pl.Series):
        return source
    if is_table(source) or hasattr(source, "iloc"):  # a Series of pandas, whose index may be the ids
        return None
    if hasattr(source, "__arrow_c_array__"):
        return pl.Series(source)
    if is_array(source) and len(source.shape) == 1:
        return to_numpy(source).tolist()  # type: ignore[no-any-return]
    return None


def _of_python(source: Any) -> Mapping[str, Sequence[Any]]:
    """The columns of ids, of dicts of an item each, of a dict of what each is like, or of a dict of them."""
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


def _of_columns(columns: Mapping[str, pl.Series | Sequence[Any]]) -> Source:
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


def _check_ids(table: Table, name: str, role: str, where: str) -> None:
    """Refuses a column of ids that are neither integers nor strings, and one with nulls or without rows."""
    import polars as pl

    if not table.num_rows:
        raise no_rows(where)
    check_ids(table, name, role, where)
    null = pl.DataFrame(table)[name].is_null()
    if null.any():
        raise DataError(
            f"{where}: {int(null.sum()):,} of {counted(len(null), 'id')} in the {role} column {name!r} are "
            f"null, the first in row {null.arg_max()} (from 0); remove those rows"
        )


def _check_repeated(frame: pl.DataFrame, where: str) -> None:
    """Refuses items that have several rows."""
    import polars as pl

    repeated = frame.with_row_index("row").filter(pl.col("item").is_duplicated())
    if repeated.height:
        item = repeated["item"][0]
        rows = repeated.filter(pl.col("item") == item)["row"]
        raise DataError(
            f"{where}: {counted(repeated['item'].n_unique(), 'item')} of {frame['item'].n_unique():,} in "
            f"several rows, the first is {item!r} in rows {rows[0]} and {rows[1]} (from 0); give each one "
            "row, with a list of its categories if it has several: polars' "
            'items.group_by("item").agg("category")'
        )
