"""Runs on a Spark cluster in which the rows of each query are next to each other: nothing is shuffled.

Judgements go to every executor, which evaluates queries where their rows are. One at an end of a partition
may go on in another; the rows of these come to the driver, with the ids of all others, so that it is seen if
rows of a query are elsewhere, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rankmark.aggregation.state import merged
from rankmark.aggregation.tally import Tally
from rankmark.dataclassing import dataclass
from rankmark.engines.spark import Task, told
from rankmark.engines.spark_driver import Told, collected, told_beside
from rankmark.engines.spark_faults import wrong_values
from rankmark.engines.spark_judgements import Judgements
from rankmark.engines.spark_parcels import blocks, columns_of, runs, widened
from rankmark.engines.spark_rest import Rest, stored
from rankmark.errors import DataError
from rankmark.inputs.tables.spark_frames import Frame, as_they_are
from rankmark.rendering.words import counted

if TYPE_CHECKING:
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

        return told(work, lambda: (stored(apart, self.judgements.columns), {}))

    def whole(self, heard: Sequence[Told]) -> Tally:
        """What all partitions come to, with the queries at their ends and those without results."""
        tally = merged(Tally(), (Tally.from_json(each["tally"]) for each, _ in heard))
        rest = Rest.of((beside for _, beside in heard), self.judgements.columns)
        if not tally.faults:
            _check_together(rest.apart())
        tally.add(rest.tally(self.task, self.judgements))
        return tally

    def _right(self, batches: Iterable[pa.RecordBatch], tally: Tally) -> Iterator[pa.Table]:
        """The results but for those in blocks where something is wrong, which is put into a tally."""
        for each in blocks(batches, None):
            block = widened(each, self.judgements.columns)
            if faults := wrong_values(self.task.run, block):
                tally.add(Tally(faults=faults, run_rows=block.num_rows))
            else:
                yield block


def _check_together(apart: Any) -> None:
    """Refuses queries of which rows are at several places."""
    import pyarrow.compute as pc

    if len(apart):
        raise DataError(
            f"run: the rows of {counted(len(apart), 'query', 'queries')}, such as {pc.min(apart).as_py()!r}, "
            "are not next to each other, as grouped=True says that they are; leave that out"
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
