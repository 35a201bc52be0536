"""What a partition of a Spark cluster sends to the driver beside its tally, to be finished there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rankmark.dataclassing import dataclass
from rankmark.engines.spark_parcels import OF_RESULTS, widened

if TYPE_CHECKING:
    import pyarrow as pa

    from rankmark.aggregation.tally import Tally
    from rankmark.engines.spark import Task
    from rankmark.engines.spark_judgements import Judgements

__all__ = ["Rest", "stored"]

Columns = tuple[tuple[str, str], ...]
"""As in `Parcels`."""


@dataclass(frozen=True, slots=True)
class Rest:
    """What is left of partitions.

    Attributes:
        evaluated: a row a query that is evaluated already, in tallies.
        results: the rows of all others.

    """

    evaluated: pa.Table
    results: pa.Table

    @classmethod
    def of(cls, sent: Iterable[bytes | None], columns: Columns) -> Rest:
        """What partitions sent, if they did."""
        import pyarrow as pa
        import pyarrow.compute as pc

        tables = [pa.ipc.open_stream(each).read_all() for each in sent if each is not None]
        whole = _together(tables, columns)
        is_result = pc.is_valid(whole["item"])
        queries = whole.filter(pc.invert(is_result)).drop_columns(["item", "value"])
        return cls(queries, whole.filter(is_result))

    def apart(self) -> Any:
        """The queries of which rows are at several places, and which were evaluated at one."""
        import pyarrow as pa
        import pyarrow.compute as pc

        evaluated, others = self.evaluated["query"], pc.unique(self.results["query"])
        counts = pc.value_counts(pa.chunked_array([*evaluated.chunks, others], others.type))
        return counts.field("values").filter(pc.greater(counts.field("counts"), 1))

    def tally(self, task: Task, judgements: Judgements) -> Tally:
        """What all queries come to that are not evaluated already, those without results among them."""
        others = judgements.of_others(self.evaluated["query"])
        return task.observe(others, widened(self.results, judgements.columns)).tally


def stored(parts: Iterable[pa.Table], columns: Columns) -> memoryview:
    """Rows of results, and of queries, which have no item, as an Arrow IPC stream."""
    import pyarrow as pa

    whole = _together(parts, columns)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, whole.schema) as stream:
        stream.write_table(whole)
    return memoryview(sink.getvalue())


def _together(parts: Iterable[pa.Table], columns: Columns) -> pa.Table:
    """All in one table, in the types that rows have in the core, also if there are none."""
    import pyarrow as pa

    types = (*columns, ("part", "integer"))
    nothing = widened(pa.table({name: pa.nulls(0) for name in OF_RESULTS}), types)
    return pa.concat_tables([nothing, *(widened(each, types) for each in parts)], promote_options="default")
