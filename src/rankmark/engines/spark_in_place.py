"""Queries on a Spark cluster that are evaluated where their rows are, as far as these are next to each other.

Judgements go to every executor. Of the run only the other rows are brought together, in parcels; beside them
go the ids of the queries that are evaluated already, so that it is seen if rows of one are elsewhere, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.aggregation.state import merged
from rankmark.aggregation.tally import Tally
from rankmark.dataclassing import dataclass
from rankmark.engines.spark import Task, told
from rankmark.engines.spark_driver import collected, on_executors, told_beside
from rankmark.engines.spark_faults import wrong_values
from rankmark.engines.spark_judgements import Judgements, are_few
from rankmark.engines.spark_parcels import Opened, Parcels, blocks, columns_of, runs, widened
from rankmark.errors import RankmarkError
from rankmark.inputs.tables.spark_frames import PARTS, Frame, as_they_are

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    from pyspark import Broadcast
    from pyspark.sql import DataFrame

__all__ = ["TaskInPlace", "tally_in_place"]

LEAST_RUN = 2
"""Rows of a query next to each other, on average, below which it is chance that they are."""


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
    with _everywhere(run.frame, Judgements.of(parcels.columns, found)) as there:
        in_place = TaskInPlace(task, parcels, there)
        sent = on_executors(results, in_place.sent, parcels.schema)
        rows = sent.repartition("part").sortWithinPartitions("part")
        return in_place.whole(told_beside(rows, in_place.tallies))


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

    def sent(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Of results, the tally of whole queries and their ids, and parcels of all other rows."""
        import pyarrow as pa

        whole = Tally()
        evaluated: list[pa.Table] = []
        for rows in blocks(self._others(batches, whole, evaluated), None):
            yield self.parcels.packed("results", rows)
        yield self.parcels.of(whole)
        if evaluated:
            yield self.parcels.packed("evaluated", pa.concat_tables(evaluated))

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
                apart.append(_is_apart(opened))
                for each in opened.tallies:
                    whole.add(each)
                judged = self.judgements.in_parts(opened.parts, opened.evaluated["query"])
                whole.add(self.task.observe(judged, opened.results).tally)
            return whole.to_json()

        return told(work, lambda: (None, {"parts": parts, "apart": any(apart)}))

    def whole(self, heard: Iterable[tuple[dict[str, Any], pl.DataFrame | None]]) -> Tally | None:
        """What all partitions come to, with the judgements in parts that have no results."""
        each = [news for news, _ in heard]
        if any(news["apart"] for news in each):
            return None
        tally = merged(Tally(), (Tally.from_json(news["tally"]) for news in each))
        others = set(range(PARTS)).difference(*(news["parts"] for news in each))
        judged = self.judgements.in_parts(sorted(others), self.judgements.queries[:0])
        tally.add(self.task.observe(judged, widened(self.judgements.rows[:0], self.parcels.columns)).tally)
        return tally


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


def _is_apart(opened: Opened) -> bool:
    """Whether a query was evaluated twice, or has rows beside those of which it was."""
    import pyarrow.compute as pc

    evaluated = opened.evaluated["query"]
    if not len(evaluated):
        return False
    twice = pc.count_distinct(evaluated).as_py() < len(evaluated)
    more = pc.is_in(pc.unique(opened.results["query"]), value_set=evaluated)
    return twice or bool(pc.any(more).as_py())
