"""Judgements that are few enough to be on every executor of a Spark cluster as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.engines.spark_parcels import narrowed, parts_of, widened

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

__all__ = ["Judgements", "are_few"]


@dataclass(frozen=True, slots=True)
class Judgements:
    """All judgements, query after query.

    Attributes:
        columns: the columns of judgements, and what each holds, as in `Parcels`.
        rows: the judgements; numbers in as few bytes as have all of their values.
        queries: the queries in their order.
        parts: the number of the part that each is of.
        ends: at which row the first one begins, and each ends.

    """

    columns: tuple[tuple[str, str], ...]
    rows: pa.Table
    queries: pa.Array
    parts: NDArray[np.int16]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, columns: tuple[tuple[str, str], ...], rows: pa.Table) -> Judgements:
        """With judgements of any types, in any order."""
        import pyarrow as pa
        import pyarrow.compute as pc

        wide = widened(rows, columns)
        encoded = pc.dictionary_encode(wide["query"].combine_chunks(), null_encoding="encode")
        queries, of_row = encoded.dictionary, encoded.indices.to_numpy()
        order = np.argsort(of_row, kind="stable")
        ends = np.concatenate(([0], np.cumsum(np.bincount(of_row, minlength=len(queries)))))
        if "part" in rows.column_names:
            parts = parts_of(rows)[order[ends[:-1]]]
        else:
            parts = parts_of(pa.table({"query": queries.fill_null(0)}))
        return cls(columns, _narrow(wide, columns).take(order), queries, parts, ends)

    def of_queries(self, ids: pa.Array) -> pa.Table:
        """The judgements of some queries."""
        import pyarrow.compute as pc

        found = pc.index_in(ids.cast(self.queries.type), value_set=self.queries).drop_null()
        return self._of(np.unique(found))

    def of_others(self, ids: pa.Array) -> pa.Table:
        """The judgements of all other queries."""
        import pyarrow.compute as pc

        found = pc.is_in(self.queries, value_set=ids.cast(self.queries.type))
        return self._of(np.flatnonzero(~found.to_numpy(zero_copy_only=False)))

    def in_parts(self, parts: Sequence[int], evaluated: pa.Array) -> pa.Table:
        """The judgements of the queries in some parts, but for those that are evaluated already."""
        import pyarrow.compute as pc

        places = np.flatnonzero(np.isin(self.parts, parts))
        found = pc.is_in(self.queries.take(places), value_set=evaluated)
        return self._of(places[~found.to_numpy(zero_copy_only=False)])

    def _of(self, places: NDArray[Any]) -> pa.Table:
        """The judgements of the queries that are at these places."""
        sizes = np.diff(self.ends)[places]
        before = np.cumsum(sizes) - sizes
        rows = np.repeat(self.ends[places] - before, sizes) + np.arange(sizes.sum())
        return widened(self.rows.take(rows), self.columns)


def _narrow(rows: pa.Table, columns: tuple[tuple[str, str], ...]) -> pa.Table:
    """Numbers in as few bytes as have all of their values."""
    import pyarrow as pa

    def narrow(values: pa.ChunkedArray, kind: str) -> Any:
        return values if kind == "string" or values.null_count else narrowed(values.to_numpy(), kind)[0]

    return pa.table({name: narrow(rows[name], kind) for name, kind in columns}).combine_chunks()


def are_few(judgements: DataFrame) -> bool:
    """Whether Spark takes a table for so small that it would send it to every executor to join it.

    Spark Connect does not say it.
    """
    there = getattr(judgements, "_jdf", None)
    if there is None:
        return False
    conf = judgements.sparkSession._jsparkSession.sessionState().conf()
    expected = there.queryExecution().optimizedPlan().stats().sizeInBytes()
    return int(expected) <= int(conf.autoBroadcastJoinThreshold())
