"""Attributes of queries: columns that say to which slice of the queries each belongs."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from rankmark.errors import ColumnError, DataError, RankmarkError, UsageError, did_you_mean
from rankmark.inputs.column_checks import several_types
from rankmark.inputs.files import open_files
from rankmark.inputs.input import Input
from rankmark.inputs.names import listed
from rankmark.inputs.roles import ColumnNames, Roles, Side, find_query
from rankmark.inputs.source import Source
from rankmark.inputs.tables import open_table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ids_like", "read_attributes", "read_columns"]

Opener = Callable[[], "Source | None"]
Argument = Literal["by", "clusters"]
UNITS: Mapping[Argument, str] = {"by": "slice", "clusters": "cluster"}
"""What the values of a column are for each argument that names one."""


def read_columns(
    by: Sequence[str],
    qrels: Any,
    run: Any,
    attributes: Any = None,
    columns: ColumnNames | None = None,
    argument: Argument = "by",
) -> pl.DataFrame:
    """The columns `by`, each of the first table that has it: the attributes, the judgements, the results.

    `argument` is what asks for them, for messages.

    Returns:
        A row a query that has a value: ``query``, and the columns as text.

    Raises:
        ColumnError: a column that no table has, or that is none of values.
        DataError: a column that is not the same in all rows of a query.

    """
    openers = [
        lambda: None if attributes is None else _open_attributes(attributes, columns),
        lambda: _with_all_columns(qrels, "qrels", columns),
        lambda: _with_all_columns(run, "run", columns),
    ]
    return _columns(by, [functools.cache(opener) for opener in openers], columns, argument)


def _columns(
    by: Sequence[str], openers: Sequence[Opener], columns: ColumnNames | None, argument: Argument = "by"
) -> pl.DataFrame:
    found: pl.DataFrame | None = None
    for name in dict.fromkeys(by):
        column = _values(_having(name, openers, argument), name, columns, argument)
        if found is None:
            found = column
        else:
            column = ids_like(column, found.schema["query"])
            found = found.join(column, on="query", how="full", coalesce=True, maintain_order="left_right")
    if found is None:
        raise UsageError('no column to slice by; for example by="country"')
    return found


def read_attributes(
    attributes: Any, by: Sequence[str] = (), columns: ColumnNames | None = None
) -> pl.DataFrame:
    """The columns `by` of a table of attributes, all but the query if none is named; see `read_columns`.

    A mapping ``{query: slice}`` is a table with the one column ``slice``.
    """
    import polars as pl

    if isinstance(attributes, Mapping):
        named = {"query": list(attributes), "slice": list(map(_text, attributes.values()))}
        try:
            attributes = pl.DataFrame(named, schema_overrides={"slice": pl.String})
        except (TypeError, pl.exceptions.PolarsError) as error:
            raise DataError(f"the column of queries of the slices {several_types(attributes)}") from error
    source = _open_attributes(attributes, columns)
    query = _query(source, columns)
    names = list(by) or [name for name in source.names if name != query]
    return _columns(names, [lambda: source], columns)


def ids_like(frame: pl.DataFrame, dtype: pl.DataType) -> pl.DataFrame:
    """The rows whose query ids can be of this type, as such.

    Raises:
        DataError: ids that differ as text are the same integer.

    """
    import polars as pl

    alike = frame.with_columns(pl.col("query").cast(dtype, strict=False)).drop_nulls("query")
    again = alike.filter(pl.col("query").is_duplicated())
    if again.height:
        raise DataError(
            f"query {again['query'][0]!r} has {again.height} rows of attributes under ids written differently"
        )
    return alike


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _with_all_columns(table: Any, side: Side, columns: ColumnNames | None) -> Source | None:
    """A table that can have other columns than those with a role."""
    if isinstance(table, Input):
        return None
    return (
        open_files(table, side, columns) if isinstance(table, str | os.PathLike) else open_table(table, side)
    )


def _open_attributes(attributes: Any, columns: ColumnNames | None) -> Source:
    try:
        source = _with_all_columns(attributes, "qrels", columns)
    except RankmarkError as error:
        raise type(error)(f"the attributes, read as qrels are: {error}") from error
    if source is None:
        raise UsageError(
            f"the attributes are of type {type(attributes).__name__}; give a path or a table with a column "
            "of queries"
        )
    return replace(source, where=source.where.replace("qrels", "attributes", 1))


def _query(source: Source, columns: ColumnNames | None) -> str:
    everywhere = {key: name for key, name in (columns or {}).items() if "." not in key}
    return find_query(source.names, everywhere, source.where)


def _having(name: str, openers: Sequence[Opener], argument: Argument) -> Source:
    """The first table with the column."""
    seen: list[Source] = []
    for opener in openers:
        source = opener()
        if source is not None:
            if name in source.names:
                return source
            seen.append(source)
    known = list(dict.fromkeys(each for source in seen for each in source.names))
    there = f"; there are {listed(known)}" if known else ""
    raise ColumnError(
        f"{argument}={name!r}: no table has such a column{did_you_mean(name, known)}{there} (judgements and "
        "results that were read before, dicts and tuples have no further columns: give attributes)"
    )


def _values(source: Source, name: str, columns: ColumnNames | None, argument: Argument) -> pl.DataFrame:
    """The queries that have a value in the column, each with the one that it has."""
    import polars as pl

    query = _query(source, columns)
    if name == query:
        raise ColumnError(f"{argument}={name!r}: that column of {source.where} is the query itself")
    frame = pl.DataFrame(source.take(Roles(query, (name,), False, None, None)))
    if frame.schema[name].is_nested() or frame.schema[name] == pl.Object:
        raise ColumnError(
            f"{argument}={name!r}: that column of {source.where} is {frame.schema[name]}, not single values"
        )
    text = [] if frame.schema[query].is_integer() else [pl.col(query).cast(pl.String)]
    frame = frame.with_columns(*text, pl.col(name).cast(pl.String))
    pairs = frame.select(pl.col(query).alias("query"), name).drop_nulls().unique(maintain_order=True)
    several = pairs.filter(pl.col("query").is_duplicated())
    if several.height:
        first = several["query"][0]
        values = several.filter(pl.col("query") == first)[name].to_list()
        shown = listed(values[:3]) + (", …" if len(values) > 3 else "")
        raise DataError(
            f"{argument}={name!r}: in {several['query'].n_unique():,} of {pairs['query'].n_unique():,} "
            f"queries of {source.where} the rows differ in that column; query {first!r} has {shown}; a query "
            f"can be in one {UNITS[argument]} only"
        )
    return pairs
