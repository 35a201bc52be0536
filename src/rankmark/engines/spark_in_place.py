"""Queries on a Spark cluster that are evaluated where their rows are, as far as these are next to each other.

Judgements go to every executor. Of the run only the other rows go elsewhere, with the ids of the queries that
are evaluated already, so that it is seen if rows of one are elsewhere, too. If these are few they come to the
driver, which finishes them; else they are brought together, in parcels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.aggregation.state import merged
from rankmark.aggregation.tally import Tally
from rankmark.dataclassing import dataclass
from rankmark.engines.spark import TOLD, Task, partition, told
from rankmark.engines.spark_driver import collected, heard, kept, told_beside
from rankmark.engines.spark_faults import wrong_values
from rankmark.engines.spark_judgements import Judgements, are_few
from rankmark.engines.spark_parcels import (
    Parcels,
    blocks,
    columns_of,
    runs,
    said_types,
    widened,
    with_nulls,
)
from rankmark.engines.spark_rest import Rest, stored
from rankmark.errors import RankmarkError
from rankmark.inputs.tables.spark_frames import PARTS, Frame, as_they_are

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import Broadcast
    from pyspark.sql import DataFrame

__all__ = ["TaskInPlace", "tally_in_place"]

LEAST_RUN = 2
"""Rows of a query next to each other, on average, below which it is chance that they are."""
ROOM = 1 << 24
"""Bytes that partitions send to the driver, to be finished there: the nth one at most an nth of it.

No partition knows how many there are. From n of them, alike, come so many bytes at most, and never more than
a few times as many.
"""


def tally_in_place(task: Task, qrels: Frame, run: Frame, *, text_items: bool) -> Tally | None:
    """What all queries add up to.

    None where it has to be found out otherwise: there are many judgements, or wrong ones, or a query was
    evaluated that has rows elsewhere.
    """
    judgements, results = (as_they_are(side, text_items=text_items) for side in (qrels, run))
    if not are_few(judgements):
        return None
    parcels = Parcels(columns_of(judgements), qrels.names, run.names)
    found = collected(judgements)
    if wrong_values(qrels.names, found):
        return None
    all_judged = Judgements.of(parcels.columns, found)
    with _everywhere(run.frame, all_judged) as there:
        return TaskInPlace(task, parcels, there).tally(results, all_judged)


@contextmanager
def _everywhere(frame: DataFrame, judgements: Judgements) -> Iterator[Any]:
    """What executors find judgements by."""
    there = frame.sparkSession.sparkContext.broadcast(judgements)
    try:
        yield there
    finally:
        there.destroy()


@dataclass(frozen=True, slots=True)
class TaskInPlace:
    """What every executor is told.

    Attributes:
        task: what is to be made of queries.
        parcels: how rows are sent.
        there: by which all judgements are found.

    """

    task: Task
    parcels: Parcels
    there: Broadcast[Judgements]

    @property
    def judgements(self) -> Judgements:
        """All of them."""
        found: Judgements = self.there.value
        return found

    @property
    def types(self) -> dict[str, str]:
        """The columns of what is sent: what a partition tells, in one row, and parcels in others."""
        return TOLD | self.parcels.types

    def tally(self, results: DataFrame, judgements: Judgements) -> Tally | None:
        """What all queries add up to, as far as can be said: see `tally_in_place`."""
        with kept(results, self.sent, said_types(self.types)) as sent:
            of_each = heard(sent.where("told IS NOT NULL"))
            whole = merged(Tally(), (Tally.from_json(news["tally"]) for news, _ in of_each))
            rest = Rest.of((state for _, state in of_each), self.parcels.columns)
            if all(state is not None for _, state in of_each):
                whole.add(rest.tally(self.task, judgements))
                return None if len(rest.apart()) else whole
            parcels = sent.where("part IS NOT NULL").drop(*TOLD)
            if rest.results.num_rows + rest.evaluated.num_rows:
                parcels = parcels.union(sent.sparkSession.createDataFrame(self._parcels_of(rest)))
            together = parcels.repartition("part").sortWithinPartitions("part")
            of_parts = [news for news, _ in told_beside(together, self.tallies)]
        if any(news["apart"] for news in of_parts):
            return None
        whole = merged(whole, (Tally.from_json(news["tally"]) for news in of_parts))
        others = set(range(PARTS)).difference(*(news["parts"] for news in of_parts))
        judged = judgements.in_parts(sorted(others), judgements.queries[:0])
        nothing = widened(judgements.rows[:0], self.parcels.columns)
        return merged(whole, [self.task.observe(judged, nothing).tally])

    def _parcels_of(self, rest: Rest) -> pa.Table:
        """What came here, to be brought together with what did not."""
        import pyarrow as pa

        results = self.parcels.packed("results", rest.results)
        return pa.Table.from_batches([results, self.parcels.packed("evaluated", rest.evaluated)])

    def sent(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Of results, the tally of whole queries, and with it their ids and all other rows.

        These are beside it where they are few, and else in parcels.
        """
        import pyarrow as pa

        whole = Tally()
        evaluated: list[pa.Table] = []
        held: list[pa.RecordBatch] = []
        room = ROOM // (1 + partition())
        others = self._others(batches, whole, evaluated)
        for batch in others:
            held.append(batch)
            room -= batch.nbytes
            if room < 0:
                break
        is_few = sum(ids.nbytes for ids in evaluated) <= room
        if not is_few:
            for rows in blocks(chain(held, others), None):
                yield self._sent(self.parcels.packed("results", rows))
            if evaluated:
                yield self._sent(self.parcels.packed("evaluated", pa.concat_tables(evaluated)))

        def rest() -> memoryview:
            rows = (pa.Table.from_batches([batch]) for batch in held)
            return stored([*evaluated, *rows], self.parcels.columns)

        yield from map(self._sent, told(whole.to_json, lambda: (rest() if is_few else None, {})))

    def _sent(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return with_nulls({name: batch[name] for name in batch.schema.names}, self.types)

    def _others(
        self, batches: Iterable[pa.RecordBatch], whole: Tally, evaluated: list[pa.Table]
    ) -> Iterator[pa.RecordBatch]:
        """The rows that are to be sent; what queries, and wrong rows, come to is put into a tally."""
        for block in blocks(batches, None):
            if faults := wrong_values(self.parcels.run, block):
                whole.add(Tally(faults=faults, run_rows=block.num_rows))
                continue
            ids, start, end = _whole_queries(block)
            if len(ids):
                rows = widened(block[start:end], self.parcels.columns)
                try:
                    whole.add(self.task.observe(self.judgements.of_queries(ids["query"]), rows).tally)
                except RankmarkError:  # which is met again where the rows go, and told
                    yield from block.to_batches()
                    continue
                evaluated.append(ids)
            yield from block[:start].to_batches()
            yield from block[end:].to_batches()

    def tallies(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The tally of a partition of parcels, and beside it of which parts it is.

        And whether there is a query that was evaluated and has rows elsewhere.
        """
        parts: list[int] = []
        apart: list[bool] = []

        def work() -> str:
            whole = Tally()
            for opened in self.parcels.opened(batches):
                parts.extend(opened.parts)
                apart.append(len(Rest(opened.evaluated, opened.results).apart()) > 0)
                judged = self.judgements.in_parts(opened.parts, opened.evaluated["query"])
                whole.add(self.task.observe(judged, opened.results).tally)
            return whole.to_json()

        return told(work, lambda: (None, {"parts": parts, "apart": any(apart)}))


def _whole_queries(block: pa.Table) -> tuple[pa.Table, int, int]:
    """The queries of which all rows may be in a block, and from which row to which these are.

    The first one and the last one may go on in other blocks. There are none if rows of a query are at several
    places.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    ids, ends = runs(block)
    if block.num_rows < LEAST_RUN * len(ids) or len(ids) < 3 or pc.count_distinct(ids).as_py() < len(ids):
        ids, ends = ids[:0], np.zeros(2, dtype=np.int64)
    queries = {"query": ids[1:-1]}
    if "part" in block.column_names:
        queries["part"] = block["part"].take(ends[:-2])
    return pa.table(queries), int(ends[0]), int(ends[-2])
