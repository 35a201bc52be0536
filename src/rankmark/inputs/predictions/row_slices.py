"""By what the rows of labelled scores are sliced."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankmark.errors import ColumnError, did_you_mean
from rankmark.inputs.attributes import (
    QuerySlices,
    aligned,
    attributes_alone,
    open_attributes,
    read_known,
    slices_of_queries,
)
from rankmark.inputs.predictions.reading import source_of
from rankmark.inputs.predictions.systems import is_one_table
from rankmark.inputs.slicing import (
    By,
    ByColumns,
    ByQueries,
    ByRows,
    Slicing,
    single_values,
    slice_names,
    understood,
)

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_row_slices", "sliced_by"]


def sliced_by(by: By, table: object, attributes: Any, query: str | None) -> Slicing | None:
    """By what rows are to be sliced, if they are.

    Args:
        by: as `rankmark.inputs.slicing.understood` takes it.
        table: the table of the rows.
        attributes: a table of queries, if there is one.
        query: the column of queries, if it is said.

    """
    if by is None:
        if attributes is not None:
            raise attributes_alone()
        return None
    slicing = understood(by, table)
    if attributes is None or not isinstance(slicing, ByColumns):
        return slicing
    columns = {"query": query} if query else {}
    source = open_attributes(attributes, columns)
    for name in slicing.names:
        near = "" if name in source.names else did_you_mean(name, source.names)
        if near and is_one_table(table) and name not in source_of(table).names:
            raise ColumnError(f"by={name!r}: neither the attributes nor the table have such a column{near}")
    return replace(slicing, attributes=read_known(slicing.names, source, columns))


def read_row_slices(
    slicing: Slicing, frame: pl.DataFrame, rows: int, query: str | None, where: str
) -> QuerySlices:
    """The slices of rows, as `slice_names`, a column an attribute, and what is to be said of them.

    Args:
        slicing: what they are sliced by.
        frame: of the rows the columns that this names, and that of queries.
        rows: how many there are.
        query: the column of queries, if there is one.
        where: what messages call the table.

    Raises:
        UsageError: values that are not as many as rows.
        ColumnError: a column that does not hold single values, or no column of queries for their slices.
        DataError: a query that is in several slices, or none of them in any.

    """
    import polars as pl

    if isinstance(slicing, ByRows):
        slicing = slicing.of(rows, where, [None] if query is None else frame[query])
    if isinstance(slicing, ByRows):
        return QuerySlices(_names(slicing.values, "what was given").to_frame())
    if not isinstance(slicing, ByColumns):
        queries = _queries(frame, query, where)
        found = slices_of_queries(slicing, queries.unique(maintain_order=True).to_list())
        notes = slicing.notes if isinstance(slicing, ByQueries) else ()
        return QuerySlices(aligned(found, queries, "queries"), notes)
    return QuerySlices(
        pl.DataFrame(
            [
                aligned(slicing.attributes[name], _queries(frame, query, where), "queries")[name]
                if name in slicing.attributes
                else _names(frame[name], where)
                for name in dict.fromkeys(slicing.names)
            ]
        )
    )


def _queries(frame: pl.DataFrame, query: str | None, where: str) -> pl.Series:
    if query is None:
        raise ColumnError(
            f"by gives the slices of queries, and {where} has no column known as the query; say which it is "
            'with query="…", or give a column of slices, or a value a row'
        )
    return frame[query]


def _names(column: pl.Series, where: str) -> pl.Series:
    try:
        return slice_names(single_values(column))
    except ColumnError as error:
        raise ColumnError(f"by={column.name!r}: that column of {where} {error}") from error
