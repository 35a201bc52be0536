"""Runs on a Spark cluster in which the rows of each query are next to each other: nothing is shuffled.

Judgements go to every executor, which evaluates queries where their rows are. One at an end of a partition
may go on in another; the rows of these come to the driver, with the ids of all others, so that it is seen if
rows of a query are elsewhere, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rankmark.aggregation.state import merged
from rankmark.aggregation.tally import Tally
from rankmark.dataclassing import dataclass
from rankmark.engines.partitions import stored
from rankmark.engines.spark import Task, told
from rankmark.engines.spark_driver import collected, told_beside
from rankmark.engines.spark_faults import wrong_values
from rankmark.engines.spark_judgements import Judgements
from rankmark.engines.spark_parcels import OF_RESULTS, blocks, columns_of, runs, widened
from rankmark.errors import DataError
from rankmark.inputs.tables.spark_frames import Frame, as_they_are
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

__all__ = ["GroupedTask", "tally_of_grouped"]


def tally_of_grouped(task: Task, qrels: Frame, run: Frame, *, text_items: bool) -> Tally:
    """What all queries add up to."""
    judgements, results = (as_they_are(side, text_items=text_items) for side in (qrels, run))
    grouped = GroupedTask(task, Judgements.of(columns_of(judgements), collected(judgements)))
    return grouped.whole(told_beside(results.drop("part"), grouped.tallies))


@dataclass(frozen=True, slots=True)
class GroupedTask:
    """What every executor is told.

    Attributes:
        task: what is to be made of queries.
        judgements: all of them.

    """

    task: Task
    judgements: Judgements

    def tallies(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The tally of the queries that are whole in a partition; beside it their ids, and rows of others."""
        import polars as pl
        import pyarrow as pa

        apart: list[pa.Table] = []

        def work() -> str:
            whole = Tally()
            for rows, is_end in _divided(self._right(batches, whole)):
                if is_end:
                    apart.append(rows)
                else:
                    ids = runs(rows)[0]
                    apart.append(pa.table({"query": ids}))
                    whole.add(self.task.observe(self.judgements.of_queries(ids), rows).tally)
            return whole.to_json()

        def beside() -> tuple[memoryview | None, dict[str, Any]]:
            return (stored(pl.concat(map(pl.DataFrame, apart), how="diagonal")) if apart else None), {}

        return told(work, beside)

    def whole(self, heard: Iterable[tuple[dict[str, Any], pl.DataFrame | None]]) -> Tally:
        """What all partitions come to, with the queries at their ends and those without results."""
        import polars as pl

        both = list(heard)
        tally = merged(Tally(), (Tally.from_json(each["tally"]) for each, _ in both))
        nothing = pl.DataFrame(widened(self.judgements.rows.select(OF_RESULTS)[:0], self.judgements.columns))
        apart = pl.concat([nothing, *(each for _, each in both if each is not None)], how="diagonal")
        is_end = pl.col("item").is_not_null()
        ends, ids = apart.filter(is_end), apart.filter(~is_end)["query"]
        if not tally.faults:
            _check_together(pl.concat([ids, ends["query"].unique()]))
        others = self.judgements.of_others(ids.to_arrow())
        rows = widened(ends.to_arrow(), self.judgements.columns)
        tally.add(self.task.observe(others, rows).tally)
        return tally

    def _right(self, batches: Iterable[pa.RecordBatch], tally: Tally) -> Iterator[pa.Table]:
        """The results but for those in blocks where something is wrong, which is put into a tally."""
        for each in blocks(batches, None):
            block = widened(each, self.judgements.columns)
            if faults := wrong_values(self.task.run, block):
                tally.add(Tally(faults=faults, run_rows=block.num_rows))
            else:
                yield block


def _check_together(queries: pl.Series) -> None:
    """Refuses a query that is there several times."""
    again = queries.filter(queries.is_duplicated())
    if len(again):
        raise DataError(
            f"run: the rows of {counted(again.n_unique(), 'query', 'queries')}, such as {again.min()!r}, are "
            "not next to each other, as grouped=True says that they are; leave that out"
        )


def _divided(tables: Iterable[pa.Table]) -> Iterator[tuple[pa.Table, bool]]:
    """Whole queries of a partition; the first one and the last one by themselves, and whether it is one."""
    import pyarrow as pa

    held: pa.Table | None = None
    begun = False
    for table in tables:
        rows = table if held is None else pa.concat_tables([held, table])
        ends = runs(rows)[1]
        start = 0
        if len(ends) > 1 and not begun:
            begun, start = True, int(ends[0])
            yield rows[:start], True
        last = int(ends[-2]) if len(ends) > 1 else 0
        if last > start:
            yield rows[start:last], False
        held = rows[last:]
    if held is not None:
        yield held, True
