"""By what the rows of labelled scores are sliced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.errors import ColumnError
from rankmark.inputs.attributes import aligned, slices_of_queries
from rankmark.inputs.slicing import ByColumns, ByRows, Slicing, single_values, slice_names

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_row_slices"]


def read_row_slices(
    slicing: Slicing, frame: pl.DataFrame, rows: int, query: str | None, where: str
) -> pl.DataFrame:
    """The slices of rows, as `slice_names`: a column an attribute.

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
        slicing = slicing.of(rows, where, [None] if query is None else frame[query].unique())
    if isinstance(slicing, ByColumns):
        columns = [_single(frame[name], where) for name in dict.fromkeys(slicing.names)]
    elif isinstance(slicing, ByRows):
        columns = [_single(slicing.values, "what was given")]
    else:
        if query is None:
            raise ColumnError(
                f"by gives the slices of queries, and {where} has no column known as the query; say which it "
                'is with query="…", or give a column of slices, or a value a row'
            )
        found = slices_of_queries(slicing, frame[query].unique(maintain_order=True).to_list())
        return aligned(found, frame[query], "queries")
    return pl.DataFrame([slice_names(column) for column in columns])


def _single(column: pl.Series, where: str) -> pl.Series:
    try:
        return single_values(column)
    except ColumnError as error:
        raise ColumnError(f"by={column.name!r}: that column of {where} {error}") from error
