"""Results whose queries are on a Spark cluster."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rankmark._native import Table
from rankmark.engines import spark_driver
from rankmark.engines.spark import names_of_parts
from rankmark.errors import ColumnError, UsageError, did_you_mean
from rankmark.inputs.names import listed
from rankmark.inputs.places import Places
from rankmark.inputs.roles import ColumnNames, Side, find_roles
from rankmark.inputs.slicing import By, ByRows, Slicing, columns_of, understood
from rankmark.inputs.tables.spark_frames import column
from rankmark.results.lists import ListResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    import polars as pl
    from pyspark.sql import DataFrame

    from rankmark.aggregation.terms import Terms
    from rankmark.language.measure import Measure
    from rankmark.results.sliced import Sliced

__all__ = ["SparkResult", "brought", "places_of", "sliceable"]


class SparkResult(ListResult):
    """A result whose per-query values are on the cluster, and come here when first asked for.

    That is another job, which brings them all, and reads the tables anew. They are ordered by query, since
    rows come from a cluster in no order.
    """

    __slots__ = ("_rows", "_told", "_whole")

    def __init__(self, rows: Callable[[], DataFrame], **told: Any) -> None:
        super().__init__(**told)
        self._rows = rows
        self._told = told
        self._whole: ListResult | None = None

    @property
    def per_query(self) -> pl.DataFrame:
        """A row a query: ``query`` and a column a measure; null where a query is left out of the mean."""
        return self._here().per_query

    @property
    def query_measures(self) -> tuple[Measure, ...]:
        """The measures that have a value for each query."""
        return self.measures

    @property
    def query_ids(self) -> list[int] | list[str]:
        """The judged queries, in the order of the per-query values."""
        return self._here().query_ids

    @property
    def query_table(self) -> Table:
        """The same as a table with a column ``query``."""
        return self._here().query_table

    def query_values(self, measure: str | Measure) -> np.ndarray[Any, Any]:
        """One value a judged query; NaN where a query is left out of the mean."""
        return self._here().query_values(measure)

    @property
    def query_parts(self) -> dict[Measure, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
        """As `Result.query_parts`; nothing before the values of queries are here."""
        return {} if self._whole is None else self._whole.query_parts

    def query_terms(self, measure: str | Measure) -> Terms:
        """As `Result.query_terms`."""
        return self._here().query_terms(measure)

    def with_slices(self, slices: Sliced) -> Any:
        """As `Result.with_slices`; the values of queries are then here."""
        return self._here().with_slices(slices)

    def _here(self) -> ListResult:
        """The same with the values of all queries."""
        import polars as pl

        if self._whole is None:
            with spark_driver.spark_errors():
                rows = pl.DataFrame(spark_driver.collected(self._rows())).sort("query")
            columns = {
                name: rows[name].fill_null(math.nan).to_numpy(writable=True) for name in rows.columns[1:]
            }
            parts = {
                m: tuple(columns[name] for name in names_of_parts(m))
                for m in self.measures
                if m.page.aggregate == "ratio"
            }
            told = {
                "per_query_values": {m: columns[str(m)] for m in self.measures},
                "parts": parts,
                "query_ids": Table.from_arrow(rows.select("query")),
            }
            self._whole = ListResult(**{**self._told, **told})
        return self._whole


def sliceable(by: By) -> Slicing | None:
    """By what the queries of a cluster are to be sliced, if they are.

    Raises:
        UsageError: values by position, of which a cluster has none.

    """
    if by is None:
        return None
    found = understood(by)
    if isinstance(found, ByRows) and not found.numbered:
        raise UsageError(
            "by gives a value a row, and rows on a cluster have no order; give a column, {query: slice}, or "
            "a pandas Series whose index is the queries"
        )
    return found


def places_of(
    tables: tuple[DataFrame | None, DataFrame],
    attributes: Any,
    columns: ColumnNames | None,
    *,
    by: Slicing | None,
    weights: Any,
    clusters: Any,
) -> Places:
    """Where the columns that are asked for are to be found: a row a query and value is brought here.

    Args:
        tables: the judgements, if there are any, and the results.
        attributes: a table of queries, of Spark or here.
        columns: their columns, as they are said.
        by: what asks for columns; so do `weights` and `clusters`.
        weights: see `rankmark.spark.evaluate`.
        clusters: see there.

    Raises:
        ColumnError: a column that no table has.

    """
    named = {"by": columns_of(by), "weights": _names_in(weights), "clusters": _names_in(clusters)}
    known = list(dict.fromkeys(name for table in tables if table is not None for name in table.columns))
    for argument, names in named.items() if attributes is None else ():
        for name in names:
            if name not in known:
                near = did_you_mean(name, known) or ";"
                raise ColumnError(
                    f"{argument}={name!r}: no table has such a column{near} there are {listed(known)}"
                )
    attributes = brought(attributes)
    every = [name for names in named.values() for name in names]
    sides = zip(tables, SIDES, strict=True)
    qrels, run = (_attributes_of(frame, every, columns, side) for frame, side in sides)
    return Places(qrels, run, attributes, columns, ordered=False)


def _names_in(asked: Any) -> tuple[str, ...]:
    """The columns that weights or clusters are asked for by."""
    each = asked if isinstance(asked, list | tuple) else [asked]
    return tuple(name for name in each if isinstance(name, str))


SIDES: tuple[Side, Side] = ("qrels", "run")


def _attributes_of(
    frame: DataFrame | None, named: Sequence[str], columns: ColumnNames | None, side: Side
) -> Any:
    """Of the columns that are named those that the table has, a row each of their values in a query."""
    if frame is None:
        return None
    query = find_roles(frame.columns, side, columns, side).query
    own = [name for name in dict.fromkeys(named) if name in frame.columns and name != query]
    return brought(frame.select(*map(column, (query, *own))).distinct()) if own else None


def brought(frame: Any) -> Any:
    """The rows of a DataFrame of Spark, here; what else it is, as it is."""
    if not hasattr(frame, "mapInArrow"):
        return frame
    import polars as pl

    with spark_driver.spark_errors():
        return pl.DataFrame(frame.toArrow())
