"""What the executors of a Spark cluster do: the core on whole queries, some hundred thousand rows at a time.

A partition comes as Arrow batches in which judgements and results are together: in parcels, or, where the
order of rows counts, row by row, sorted by the hash of the query.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark._native import Table, __version__
from rankmark.aggregation.finish import refuse_part
from rankmark.aggregation.query_state import QueryState
from rankmark.aggregation.refusals import Some, raise_faults, some
from rankmark.aggregation.tally import Tally, tallied
from rankmark.dataclassing import dataclass
from rankmark.engines import local
from rankmark.engines.partitions import stored
from rankmark.engines.spark_faults import repeated_items, several_lists, wrong_values
from rankmark.engines.spark_parcels import Parcels, blocks, sides_of
from rankmark.errors import DataError, RankmarkError
from rankmark.inputs.aspects import by_aspect
from rankmark.inputs.digest import digest
from rankmark.inputs.input import Input, extent_of
from rankmark.inputs.tables.spark_frames import FrameNames
from rankmark.language.plan import Group

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from rankmark.aggregation.observed import Block
    from rankmark.aggregation.settled import Settled
    from rankmark.inputs.catalogue import Catalogue, Numbered
    from rankmark.kinds.lists import Values
    from rankmark.language.measure import Measure
    from rankmark.language.plan import Plan

__all__ = ["TOLD", "Task", "from_batches", "names_of_parts", "partition", "threads", "told"]

TOLD = {"told": "string", "state": "binary"}
"""What `told` yields."""


@dataclass(frozen=True, slots=True)
class Task:
    """What every executor is told.

    Attributes:
        plan: what is to be computed.
        qrels: the columns of the judgements; None where there are none.
        run: the columns of the results.
        hash_inputs: whether to hash the rows.
        parts: whether to give of ratios of sums what each query adds to both, too.
        items: the items that have numbers, and whether ids are integers; None where no measure looks at them.
        parcels: how rows come; None where they come as they are.

    """

    plan: Plan
    qrels: FrameNames | None
    run: FrameNames
    hash_inputs: bool = False
    parts: bool = False
    items: tuple[Catalogue, bool] | None = None
    parcels: Parcels | None = None

    @property
    def columns(self) -> list[str]:
        """What there is of each query, besides its id: each measure, and both sums of ratios."""
        ratios = (each for each in self.plan.measures if self.parts and each.page.aggregate == "ratio")
        return [*map(str, self.plan.measures), *(name for each in ratios for name in names_of_parts(each))]

    def tallies(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The tally of a partition."""

        def work() -> str:
            whole = Tally()
            for observed in self._observed(batches):
                whole.add(observed.tally)
            return whole.to_json()

        return told(work)

    def states(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The tally of a partition, and beside it its queries with their values and the tops of lists."""
        state = QueryState.empty(self.plan.groups(), self._numbered())

        def work() -> str:
            whole = Tally()
            for observed in self._observed(batches, state.items):
                whole.add(observed.tally)
                if observed.block is not None:
                    state.add(_state(state, observed.block))
            return whole.to_json()

        return told(work, lambda: _sent(state))

    def per_query(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A row a judged query: its id, and the value of each measure, null where it is left out."""
        import pyarrow as pa

        for observed in self._observed(batches):
            tally = observed.tally
            raise_faults(tally.faults)
            refuse_part(self.plan.groups(), tally, tally.words())
            if tally.judged:
                values = {name: pa.array(each, from_pandas=True) for name, each in observed.values().items()}
                columns = {"query": pa.array(observed.ids), **values}
                yield pa.RecordBatch.from_pydict(columns).select(["query", *self.columns])

    def _numbered(self) -> Numbered | None:
        """The items of a partition by their numbers."""
        if self.items is None:
            return None
        from rankmark.inputs.catalogue import Numbered

        known, integer = self.items
        return Numbered(known, integer=integer)

    def _observed(
        self, batches: Iterable[pa.RecordBatch], items: Numbered | None = None
    ) -> Iterator[_Observed]:
        """What the queries of a partition come to, some at a time."""
        if self.parcels is not None:
            for opened in self.parcels.opened(batches):
                yield from map(_Observed, opened.tallies)
                yield self.observe(opened.judgements, opened.results, items)
        else:
            for block in blocks(batches):
                yield self.observe(*sides_of(block), items)

    def observe(self, qrels: pa.Table, run: pa.Table, items: Numbered | None = None) -> _Observed:
        """What some queries come to; with items their tops are kept, and no measure is added up."""
        if self.qrels is None:
            qrels = run
        sides = ((self.qrels or self.run, qrels), (self.run, run))
        tally = Tally(qrels_rows=qrels.num_rows, run_rows=run.num_rows)
        for names, rows in sides:
            tally.faults |= wrong_values(names, rows) | several_lists(names, rows)
        if tally.faults:
            return _Observed(tally)
        for names, rows in sides:
            tally.seen |= _seen(names, rows)
        results = _input(self.run, run)
        judgements = results.queries() if self.qrels is None else _judgements(self.qrels, qrels)
        if self.hash_inputs:
            tally.digests = {table.side: int(digest(table), 16) for table in (judgements, results)}
        if self.plan.convention is not None:
            extents = (
                (table.side, extent_of(table)) for table in (judgements, results) if table.table.num_rows
            )
            tally.extents = {side: extent for side, extent in extents if extent is not None}
        if not qrels.num_rows:
            tally.unjudged = _unjudged(qrels, run)
            return _Observed(tally)
        groups = self.plan.groups()
        lenient = [Group(replace(each.choices, unjudged_queries="skip"), each.measures) for each in groups]
        try:
            seen = local.observe(judgements, results, lenient, threads(), items)
        except DataError:
            for (names, rows), verb in zip(sides, ("judged", "returned"), strict=True):
                tally.faults |= repeated_items(names, rows, verb)
            if not tally.faults or all(choices.duplicates != "error" for choices, _ in groups):
                raise
            return _Observed(tally)
        if seen.unjudged_queries:
            tally.unjudged = _unjudged(qrels, run)
        queries = judgements.table.take(judgements.query, seen.first_rows, "query").column_values("query")
        return _tallied(tally, lenient, seen, np.array(queries), items)


@dataclass(frozen=True, slots=True)
class _Observed:
    """The tally of some queries, their ids, and what each measure comes to.

    Or what was seen of them, where measures look at items.
    """

    tally: Tally
    ids: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    settled: dict[Measure, Settled] = field(default_factory=dict)
    block: Block | None = None

    def values(self) -> dict[str, Values]:
        """The values of the queries, and what they add to both sums of ratios."""
        found = {str(m): each.per_query for m, each in self.settled.items() if each.per_query is not None}
        for measure, each in self.settled.items():
            if each.parts:
                found |= zip(names_of_parts(measure), each.parts, strict=True)
        return found


def names_of_parts(measure: Measure) -> tuple[str, str]:
    """What the columns of the numerators and of the denominators are called."""
    return f"{measure} above", f"{measure} below"


def _tallied(
    tally: Tally, groups: Sequence[Group], seen: Block, ids: NDArray[Any], items: Numbered | None
) -> _Observed:
    """The same with what the measures of judged queries come to."""
    tally.judged = len(ids)
    tally.missing = some(ids, ~seen.observed[0].queries.answered)
    tally.hits = seen.hits
    tally.below, tally.above = seen.order
    if items is not None:
        return _Observed(tally, ids, block=seen)
    tally.measures, settled = tallied(groups, seen, ids)
    return _Observed(tally, ids, settled)


def _state(whole: QueryState, block: Block) -> QueryState:
    """What was seen of some queries, to be added to others."""
    import polars as pl

    state = QueryState.of(whole.groups, block, pl.DataFrame(block.query_ids)["query"])
    return replace(state, items=whole.items)


def _sent(state: QueryState) -> tuple[memoryview | None, dict[str, Any]]:
    """The queries of a state, and the items to which they gave numbers."""
    if not state.parts:
        return None, {}
    frame, items = state.told()
    return stored(frame), {"items": items}


def told(
    work: Callable[[], str], beside: Callable[[], tuple[memoryview | None, dict[str, Any]]] | None = None
) -> Iterator[pa.RecordBatch]:
    """What a partition comes to, or the error that it met, as one text in a column ``told``.

    What there is beside it after the work is in a column ``state``, as an Arrow IPC stream, and more of it in
    the text.
    """
    import pyarrow as pa

    news: dict[str, Any]
    sent = None
    try:
        news = {"tally": work()}
        if beside is not None:
            sent, more = beside()
            news |= more
    except RankmarkError as error:  # raised here, Spark would try again and then show its own
        news = {"error": type(error).__name__, "message": str(error)}
    text = json.dumps({"version": __version__, **news})
    yield pa.RecordBatch.from_pydict({"told": pa.array([text]), "state": pa.array([sent], type=pa.binary())})


def from_batches(
    work: Callable[[Iterable[pa.RecordBatch]], Iterable[pa.RecordBatch]],
    schema: pa.Schema,
    batches: Iterable[bytes],
) -> Iterator[tuple[Any, ...]]:
    """The rows that a partition is made into, of which the batches come without their schema."""
    import pyarrow as pa

    for made in work(pa.ipc.read_record_batch(each, schema) for each in batches):
        yield from zip(*(column.to_pylist() for column in made.columns), strict=True)


def threads() -> int:
    """The cores that Spark gives a task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.cpus() if context else 1


def partition() -> int:
    """The number of the partition that Spark has given a task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return int(context.partitionId()) if context else 0


def _input(names: FrameNames, rows: pa.Table) -> Input:
    """The rows as the core takes them, under their own names, which stand in its messages."""
    import pyarrow as pa

    columns = {names.query: rows["query"], names.item: rows["item"]}
    value = names.value or (f"rank of {names.item}" if names.ranked else None)
    if value is not None:
        columns[value] = rows["value"]
    for name, role in ((names.aspect, "aspect"), (names.aspect_weight, "aspect_weight")):
        if name is not None:
            columns[name] = rows[role]
    score, rank = (None, value) if names.ranked else (value, None)
    return Input(
        Table.from_arrow(pa.table(columns)),
        names.side,
        names.side,
        names.query,
        names.item,
        score,
        rank,
        False,
        aspect=names.aspect,
        aspect_weight=names.aspect_weight,
    )


def _judgements(names: FrameNames, rows: pa.Table) -> Input:
    """The judgements as measures look at them."""
    if names.aspect is None or not rows.num_rows:
        return _input(names, rows)
    return by_aspect(_input(names, rows))


def _seen(names: FrameNames, rows: pa.Table) -> dict[str, int | str]:
    import pyarrow.compute as pc

    if not rows.num_rows:
        return {}
    return {f"{names.side}.{role}": pc.min(rows[role]).as_py() for role in ("query", "item")}


def _unjudged(qrels: pa.Table, run: pa.Table) -> Some:
    """The queries with results and without judgements."""
    import pyarrow.compute as pc

    queries = pc.unique(run["query"])
    judged = pc.is_in(queries, value_set=pc.unique(qrels["query"]))
    return some(queries.to_numpy(zero_copy_only=False), ~judged.to_numpy(zero_copy_only=False))
