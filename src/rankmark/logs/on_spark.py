"""Logs on a Spark cluster, of which executors send what their impressions come to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rankmark._native import Table
from rankmark.dataclassing import dataclass
from rankmark.engines import spark_driver
from rankmark.engines.spark import told
from rankmark.engines.spark_parcels import blocks
from rankmark.inputs.column_checks import no_rows
from rankmark.inputs.logged_feedback import LogColumns, rows_of
from rankmark.logs.asking import Asked
from rankmark.logs.parts import Seen, refuse_in_parts

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["is_on_cluster", "on_cluster"]

KEY = "rankmark:key"
"""The column by which rows that belong together come together."""


def is_on_cluster(log: Any) -> bool:
    """Whether it is a Spark DataFrame, also of Spark Connect."""
    return type(log).__module__.startswith("pyspark.") and hasattr(log, "mapInArrow")


def on_cluster(log: Any, asked: Asked, *, kept: bool) -> Seen:
    """What a DataFrame comes to.

    Raises:
        UsageError: what needs the log in memory.
        DataError: no rows, or any that cannot be evaluated.

    """
    from pyspark.sql import functions

    refuse_in_parts(asked, "bring it here: log.toPandas()", kept=kept)
    with spark_driver.spark_errors():
        columns = asked.find(list(log.columns), "log")
        together = asked.clusters or columns.roles.get("impression")
        rows = log.select(*columns.names)
        width = 1
        if "impression" in columns.roles:
            sizes = log.groupBy(columns.roles["impression"]).count()
            width = sizes.agg(functions.max("count")).collect()[0][0] or 1
        if together is not None:
            rows = rows.withColumn(KEY, functions.xxhash64(together))
            rows = rows.repartition(KEY).sortWithinPartitions(KEY)
        parts = spark_driver.told(rows, _Task(asked, columns, width, together is not None).seen)
    found = [Seen.from_record(each) for each in map(json.loads, parts) if each is not None]
    if not found:
        raise no_rows("log")
    whole, *others = found
    for other in others:
        whole.add(other)
    whole.counted.never.clear()  # what the log shows elsewhere is not known in a part
    return whole


@dataclass(frozen=True, slots=True)
class _Task:
    """What every executor is told.

    Attributes:
        asked: all that is asked.
        columns: the columns.
        width: how many positions there are at most.
        keyed: whether rows that belong together have a key.

    """

    asked: Asked
    columns: LogColumns
    width: int
    keyed: bool

    def seen(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """What a partition comes to."""

        def work() -> str:
            whole: Seen | None = None
            for block in blocks(batches, KEY if self.keyed else None):
                own = block.drop_columns([KEY]) if self.keyed else block
                rows = rows_of(Table.from_arrow(own), self.columns, "log, in a part of it")
                part = Seen.of(rows, self.asked.alike(rows), self.width)
                if whole is None:
                    whole = part
                else:
                    whole.add(part)
            return json.dumps(None if whole is None else whole.to_record())

        return told(work)
