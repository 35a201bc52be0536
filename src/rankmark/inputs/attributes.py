"""Attributes of queries: columns that say to which slice of the queries each belongs."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rankmark.errors import ColumnError, DataError, RankmarkError, UsageError, did_you_mean
from rankmark.forking import need_polars_threads
from rankmark.inputs.files import open_files
from rankmark.inputs.input import Input
from rankmark.inputs.names import listed
from rankmark.inputs.places import Places
from rankmark.inputs.roles import ColumnNames, Roles, Side, columns_said, find_query
from rankmark.inputs.slicing import (
    By,
    ByColumns,
    ByFunction,
    ByQueries,
    ByRows,
    single_values,
    slice_names,
    understood,
)
from rankmark.inputs.source import Source
from rankmark.inputs.tables import open_table
from rankmark.inputs.tables.polars_frames import from_polars

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "QuerySlices",
    "aligned",
    "attributes_alone",
    "ids_like",
    "open_attributes",
    "read_attributes",
    "read_columns",
    "read_known",
    "read_slices",
    "slices_of_queries",
]

Opener = Callable[[], "Source | None"]
Argument = Literal["by", "clusters", "strata", "weights", "worst_of"]
UNITS: Mapping[Argument, str] = {
    "by": "be in one slice",
    "clusters": "be in one cluster",
    "strata": "be in one stratum",
    "weights": "have one weight",
    "worst_of": "be in one group",
}
"""What a query can do but once, for each argument that names a column."""


class QuerySlices(NamedTuple):
    """Slices of queries.

    Attributes:
        frame: a row a query that has a value: ``query``, and the names of its slices, as `slice_names`.
        notes: what a reader should know of how they were found.

    """

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()


def read_slices(by: By, places: Places, query_ids: Sequence[Any], argument: Argument = "by") -> QuerySlices:
    """What queries are sliced by, or what else a query has one value of.

    Args:
        by: a column or several, each of the first table that has it: the attributes, the judgements, the
            results; ``{query: slice}``, or a Series with the queries in its index; a function of a query; or
            values by position, of rows of arrays, of rows of the judgements, or else of the queries.
        places: these.
        query_ids: the queries, for functions.
        argument: what it is for; weights are left as they are.

    Raises:
        UsageError: what slices nothing; values that are not as many as rows.
        ColumnError: a column that no table has, or that is none of values.
        DataError: a column that is not the same in all rows of a query.

    """
    if by is None:
        raise attributes_alone()
    found = understood(by, places.qrels, columns=not places.of_arrays)
    if isinstance(found, ByColumns):
        return QuerySlices(_columns(found.names, _openers(places), places.columns, argument))
    if isinstance(found, ByRows):
        found = _by_position(found, places, query_ids)
    notes = found.notes if isinstance(found, ByQueries) else ()
    return QuerySlices(slices_of_queries(found, query_ids, argument), notes)


def read_known(by: Sequence[str], source: Source, columns: ColumnNames) -> dict[str, pl.DataFrame]:
    """Those of the columns that a table of attributes has, each as `QuerySlices.frame`."""
    known = [name for name in by if name in source.names]
    return {name: _columns([name], [lambda: source], columns) for name in known}


def slices_of_queries(
    given: ByQueries | ByFunction, query_ids: Sequence[Any], argument: Argument = "by"
) -> pl.DataFrame:
    """`QuerySlices.frame` of slices that were given query by query."""
    found = given.of(query_ids) if isinstance(given, ByFunction) else given
    source = Source(
        "what was given", found.frame.columns, lambda roles: from_polars(found.frame[roles.names], "by")
    )
    return _columns([found.name], [lambda: source], {"query": "query"}, argument)


def aligned(
    attributes: pl.DataFrame, query_ids: Sequence[Any] | pl.Series, called: str = "judged queries"
) -> pl.DataFrame:
    """The slices of these queries, in their order: a column an attribute; `called` is for messages.

    Raises:
        DataError: no query has a value of any attribute.

    """
    import polars as pl

    queries = pl.DataFrame({"query": query_ids})
    if not queries.schema["query"].is_integer():
        queries = queries.with_columns(pl.col("query").cast(pl.String))
    alike = ids_like(attributes, queries.schema["query"])
    found = queries.join(alike, on="query", how="left", maintain_order="left")
    names = [name for name in attributes.columns if name != "query"]
    if all(found[name].null_count() == found.height for name in names):
        there = f", those with one such as {attributes['query'][0]!r}" if attributes.height else ""
        raise DataError(
            f"none of the {queries['query'].n_unique():,} {called} has a value of "
            f"{' or '.join(map(repr, names))}; they are such as {found['query'][0]!r}{there}"
        )
    return found[names]


def attributes_alone() -> UsageError:
    """The error for a table of attributes of which no column is named."""
    return UsageError('attributes without by: say which of their columns to slice by, by="country"')


def read_columns(by: Sequence[str], places: Places, argument: Argument = "by") -> pl.DataFrame:
    """The columns as they are, as texts; as `read_slices`. `argument` asks for them, for messages."""
    return _columns(by, _openers(places), places.columns, argument)


def read_attributes(
    attributes: Any, by: Sequence[str], columns: ColumnNames | None, query_ids: Sequence[Any]
) -> QuerySlices:
    """The columns `by` of a table of attributes, all but the query if none is named; see `read_slices`.

    Instead of a table there can be what else `by` can be.
    """
    source = None if _is_by(attributes) else open_attributes(attributes, columns)
    if source is None:
        return read_slices(attributes, Places(), query_ids)
    query = _query(source, columns)
    names = list(by) or [name for name in source.names if name != query]
    return QuerySlices(_columns(names, [lambda: source], columns))


def _is_by(attributes: Any) -> bool:
    """Whether these are slices, and no table that has them."""
    if isinstance(attributes, str | os.PathLike):
        return False
    return (
        isinstance(attributes, Mapping | list | tuple) or callable(attributes) or _dimensions(attributes) == 1
    )


def _dimensions(value: Any) -> int:
    return len(getattr(value, "shape", ()))


def _by_position(found: ByRows, places: Places, query_ids: Sequence[Any]) -> ByQueries:
    """The slices of the queries, of values of rows."""
    import polars as pl

    rows, where = _rows(places, query_ids)
    settled = found.of(None if rows is None else len(rows), where, query_ids)
    if isinstance(settled, ByQueries):
        return settled
    assert rows is not None
    return ByQueries(found.values.name, pl.DataFrame([rows, found.values]))


def _rows(places: Places, query_ids: Sequence[Any]) -> tuple[pl.Series | None, str]:
    """The query of each row that values by position can be of, if there are any; and where, for messages."""
    import polars as pl

    if places.rows is not None:
        return pl.Series("query", places.rows), "the array"
    if not places.ordered:
        return None, "a cluster"
    if places.qrels is None:
        return pl.Series("query", query_ids), "the result"
    source = _with_all_columns(places.qrels, "qrels", places.columns)
    if source is None:
        return None, "qrels"
    query = _query(source, places.columns)
    return pl.DataFrame(source.take(Roles(query, (), False, None, None)))[query].alias("query"), source.where


def _columns(
    by: Sequence[str], openers: Sequence[Opener], columns: ColumnNames | None, argument: Argument = "by"
) -> pl.DataFrame:
    need_polars_threads()
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


def ids_like(frame: pl.DataFrame, dtype: pl.DataType) -> pl.DataFrame:
    """The rows whose query ids can be of this type, as such.

    Raises:
        DataError: ids that differ as text are the same integer.

    """
    import polars as pl

    alike = frame.with_columns(pl.col("query").cast(dtype, strict=False)).drop_nulls("query")
    if not _stand_once(alike):
        again = alike.filter(pl.col("query").is_duplicated())
        raise DataError(
            f"query {again['query'][0]!r} has {again.height} rows of attributes under ids written differently"
        )
    return alike


def _stand_once(frame: pl.DataFrame) -> bool:
    """Whether no query has several rows."""
    return frame["query"].n_unique() == frame.height


def _with_all_columns(table: Any, side: Side, columns: ColumnNames | None) -> Source | None:
    """A table that can have other columns than those with a role."""
    if isinstance(table, Input):
        return None
    return (
        open_files(table, side, columns) if isinstance(table, str | os.PathLike) else open_table(table, side)
    )


def open_attributes(attributes: Any, columns: ColumnNames | None, called: str = "attributes") -> Source:
    """A table of queries, or of what it is called, with all of its columns."""
    try:
        source = _with_all_columns(attributes, "qrels", columns)
    except RankmarkError as error:
        raise type(error)(f"the {called}, read as qrels are: {error}") from error
    if source is None:
        raise UsageError(
            f"the {called} are of type {type(attributes).__name__}; give a path or a table with a column "
            f"of {'items' if called == 'items' else 'queries'}"
        )
    return replace(source, where=source.where.replace("qrels", called, 1))


def _query(source: Source, columns: ColumnNames | None) -> str:
    everywhere = {key: name for key, name in columns_said(columns).items() if "." not in key}
    return find_query(source.names, everywhere, source.where)


def _openers(places: Places) -> list[Opener]:
    """What opens each of the tables, the attributes first; each once."""
    qrels, run, attributes, columns = places.qrels, places.run, places.attributes, places.columns
    return [
        functools.cache(opener)
        for opener in (
            lambda: None if attributes is None else open_attributes(attributes, columns),
            lambda: None if qrels is None else _with_all_columns(qrels, "qrels", columns),
            lambda: None if run is None else _with_all_columns(run, "run", columns),
        )
    ]


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
    hint = did_you_mean(name, known) or ";" * bool(known)
    there = f"{hint} there are {listed(known)}" if known else ""
    raise ColumnError(
        f"{argument}={name!r}: no table has such a column{there} (judgements and "
        "results that were read before, dicts and tuples have no further columns: give attributes)"
    )


def _values(source: Source, name: str, columns: ColumnNames | None, argument: Argument) -> pl.DataFrame:
    """The queries that have a value in the column, each with the one that it has."""
    import polars as pl

    query = _query(source, columns)
    if name == query:
        raise ColumnError(f"{argument}={name!r}: that column of {source.where} is the query itself")
    frame = pl.DataFrame(source.take(Roles(query, (name,), False, None, None)))
    try:
        values = single_values(frame[name])
    except ColumnError as error:
        raise ColumnError(f"{argument}={name!r}: that column of {source.where} {error}") from error
    text = [] if frame.schema[query].is_integer() else [pl.col(query).cast(pl.String)]
    frame = frame.with_columns(*text, values)
    pairs = frame.select(pl.col(query).alias("query"), name).drop_nulls()
    if not _stand_once(pairs):
        pairs = pairs.unique(maintain_order=True)
    if not _stand_once(pairs):
        several = pairs.filter(pl.col("query").is_duplicated())
        first = several["query"][0]
        differing = several.filter(pl.col("query") == first)[name].to_list()
        shown = listed(map(str, differing[:3])) + (", …" if len(differing) > 3 else "")
        raise DataError(
            f"{argument}={name!r}: in {several['query'].n_unique():,} of {pairs['query'].n_unique():,} "
            f"queries of {source.where} the rows differ in that column; query {first!r} has {shown}; a query "
            f"can {UNITS[argument]} only"
        )
    if argument == "weights":
        return pairs
    names = pairs[name].cast(pl.String) if argument == "clusters" else slice_names(pairs[name])
    return pairs.with_columns(names)
