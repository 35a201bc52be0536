"""Results whose queries are on a Spark cluster."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rankmark._native import Table
from rankmark.engines.spark_driver import spark_errors
from rankmark.results.lists import ListResult

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from pyspark.sql import DataFrame

    from rankmark.language.measure import Measure

__all__ = ["SparkResult"]


class SparkResult(ListResult):
    """A result whose per-query values are on the cluster, and come here when first asked for.

    That is another job, which brings them all, and reads the tables anew. They are ordered by query, since
    rows come from a cluster in no order.
    """

    __slots__ = ("_rows", "_told", "_whole")

    def __init__(self, rows: DataFrame, **told: Any) -> None:
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

    def _here(self) -> ListResult:
        """The same with the values of all queries."""
        import polars as pl

        if self._whole is None:
            with spark_errors():
                rows = pl.DataFrame(self._rows.toArrow()).sort("query")
            values = {m: rows[str(m)].fill_null(math.nan).to_numpy(writable=True) for m in self.measures}
            query_ids = Table.from_arrow(rows.select("query"))
            self._whole = ListResult(**{**self._told, "per_query_values": values, "query_ids": query_ids})
        return self._whole
