"""Tables of items, of who had which before, and of the groups of systems, from whatever holds them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankmark.errors import ColumnError, DataError, RankmarkError
from rankmark.inputs import read_shared
from rankmark.inputs.arrays.libraries import is_array, to_numpy
from rankmark.inputs.column_checks import check_ids, no_rows
from rankmark.inputs.files import open_files
from rankmark.inputs.names import listed, misread
from rankmark.inputs.roles import AnyColumns, ColumnNames, find_item, said_of
from rankmark.inputs.source import Source
from rankmark.inputs.tables import open_table
from rankmark.inputs.tables.items_of_python import of_columns, of_python
from rankmark.inputs.tables.several import is_table
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl

    from rankmark._native import Table
    from rankmark.inputs.input import Input

__all__ = ["read_groups", "read_held_out", "read_items", "read_train"]


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
    table = opened.take(AnyColumns((item, *(name for name in names if name != item))))
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

    read = _read_pairs(source, columns, "train")
    return pl.DataFrame(read.table).select(query=read.query, item=read.item)


def read_held_out(source: Any, columns: ColumnNames | None) -> pl.DataFrame:
    """The interactions held out for a test as ``query``, ``item`` and ``relevance``, 1 where none is said.

    Raises:
        UsageError: what holds none, or a file that is not there.
        ColumnError: no column of users or of items, or ids that are neither integers nor strings.
        DataError: no rows, or ids that are null.

    """
    import polars as pl

    read = _read_pairs(source, columns, "test")
    relevance = pl.lit(1) if read.value is None else pl.col(read.value)
    return pl.DataFrame(read.table).select(
        pl.col(read.query).alias("query"), pl.col(read.item).alias("item"), relevance.alias("relevance")
    )


def _read_pairs(source: Any, columns: ColumnNames | None, name: str) -> Input:
    """Users and items as judgements are read; messages call the table `name`."""
    with _called(name):
        read = read_shared(_pairs(source), "qrels", said_of(columns, name))
        for column, role in ((read.query, "query"), (read.item, "item")):
            _check_ids(read.table, column, role, read.name)
    return read


def read_groups(source: Any) -> dict[str, str]:
    """The group of each system: ``{system: group}``, or a table of systems and, in the next column, groups.

    Raises:
        UsageError: what holds no table, or a file that is not there.
        ColumnError: fewer than two columns.
        DataError: no rows, or a system in several groups.

    """
    import polars as pl

    if isinstance(source, Mapping):
        return {str(system): str(group) for system, group in source.items()}
    opened = _opened(source)
    opened = replace(opened, where=opened.where.replace("items", "groups", 1))
    if len(opened.names) < 2:
        raise ColumnError(
            f"{opened.where} has no second column: a table of groups has the systems in its first column and "
            "the groups in the next"
        )
    names = list(opened.names)[:2]
    frame = pl.DataFrame(opened.take(AnyColumns(tuple(names)))).select(pl.col(names).cast(pl.String))
    if not frame.height:
        raise no_rows(opened.where)
    several = frame.group_by(names[0], maintain_order=True).agg(pl.col(names[1]).unique(maintain_order=True))
    several = several.filter(pl.col(names[1]).list.len() > 1)
    if several.height:
        system, groups = several.row(0)
        raise DataError(f"{opened.where}: {system!r} is in the groups {listed(groups)}; give it one")
    return dict(frame.iter_rows())


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


def _opened(source: Any) -> Source:
    """A table of items, of a file, of a library, or of what Python has."""
    if isinstance(source, str | os.PathLike):
        return open_files(source, "items", None)
    if (ids := _ids(source)) is not None:
        return of_columns({"item": ids})
    opened = open_table(source, "items")
    return opened if opened is not None else of_columns(of_python(source))


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

    if frame["item"].n_unique() == frame.height:
        return
    repeated = frame.with_row_index("row").filter(pl.col("item").is_duplicated())
    item = repeated["item"][0]
    rows = repeated.filter(pl.col("item") == item)["row"]
    raise DataError(
        f"{where}: {counted(repeated['item'].n_unique(), 'item')} of {frame['item'].n_unique():,} in "
        f"several rows, the first is {item!r} in rows {rows[0]} and {rows[1]} (from 0); give each one "
        "row, with a list of its categories if it has several: polars' "
        'items.group_by("item").agg("category")'
    )
