"""What the executors of a Spark cluster do: the core on whole queries, some hundred thousand rows at a time.

A partition comes as Arrow batches of judgements and results together, sorted by the hash of the query, so
that the rows of a query follow each other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark._native import Table, __version__
from rankmark.aggregation.finish import refuse_part
from rankmark.aggregation.query_state import QueryState
from rankmark.aggregation.refusals import Fault, Some, raise_faults, some
from rankmark.aggregation.tally import Tally, tallied
from rankmark.engines import local
from rankmark.engines.partitions import stored
from rankmark.errors import DataError, RankmarkError
from rankmark.inputs.digest import digest
from rankmark.inputs.input import Input, extent_of
from rankmark.inputs.tables.spark_frames import FrameNames

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from rankmark.aggregation.observed import Block
    from rankmark.aggregation.settled import Summands
    from rankmark.inputs.catalogue import Catalogue, Numbered
    from rankmark.kinds.lists import Values
    from rankmark.language.measure import Measure
    from rankmark.language.plan import Group, Plan

__all__ = ["Task", "blocks", "names_of_parts", "threads", "told", "wrong_rows"]

BLOCK_ROWS = 1 << 19
"""Rows evaluated at once, and then those of the query that goes on."""


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

    """

    plan: Plan
    qrels: FrameNames | None
    run: FrameNames
    hash_inputs: bool = False
    parts: bool = False
    items: tuple[Catalogue, bool] | None = None

    @property
    def columns(self) -> list[str]:
        """What there is of each query, besides its id: each measure, and both sums of ratios."""
        ratios = (each for each in self.plan.measures if self.parts and each.page.aggregate == "ratio")
        return [*map(str, self.plan.measures), *(name for each in ratios for name in names_of_parts(each))]

    def tallies(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The tally of a partition."""

        def work() -> str:
            whole = Tally()
            for block in blocks(batches):
                whole.add(self._observe(block).tally)
            return whole.to_json()

        return told(work)

    def states(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The tally of a partition, and beside it its queries with their values and the tops of lists."""
        state = QueryState.empty(self.plan.groups(), self._numbered())

        def work() -> str:
            whole = Tally()
            for block in blocks(batches):
                observed = self._observe(block, state.items)
                whole.add(observed.tally)
                if observed.block is not None:
                    state.add(_state(state, observed.block))
            return whole.to_json()

        return told(work, state)

    def per_query(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A row a judged query: its id, and the value of each measure, null where it is left out."""
        import pyarrow as pa

        for block in blocks(batches):
            observed = self._observe(block)
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

    def _observe(self, block: pa.Table, items: Numbered | None = None) -> _Observed:
        """What some queries come to; with items their tops are kept, and no measure is added up."""
        import pyarrow.compute as pc

        judged = block["judged"]
        run = block.filter(pc.invert(judged))
        qrels = run if self.qrels is None else block.filter(judged)
        sides = ((self.qrels or self.run, qrels), (self.run, run))
        tally = Tally(qrels_rows=qrels.num_rows, run_rows=run.num_rows)
        for names, rows in sides:
            tally.faults |= _faults(names, rows)
        if tally.faults:
            return _Observed(tally)
        for names, rows in sides:
            tally.seen |= _seen(names, rows)
        results = _input(self.run, run)
        judgements = results.queries() if self.qrels is None else _input(self.qrels, qrels)
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
        lenient = [(replace(choices, unjudged_queries="skip"), group) for choices, group in groups]
        try:
            seen = local.observe(judgements, results, lenient, threads(), items)
        except DataError:
            for (names, rows), verb in zip(sides, ("judged", "returned"), strict=True):
                tally.faults |= _repeated(names, rows, verb)
            if not tally.faults or all(choices.duplicates != "error" for choices, _ in groups):
                raise
            return _Observed(tally)
        if seen.unjudged_queries:
            tally.unjudged = _unjudged(qrels, run)
        return _tallied(tally, lenient, seen, qrels["query"].take(seen.first_rows).to_numpy(), items)


@dataclass(frozen=True, slots=True)
class _Observed:
    """The tally of some queries, their ids, and what each measure adds up, by its canonical name.

    Or what was seen of them, where measures look at items.
    """

    tally: Tally
    ids: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    summands: dict[str, Summands] = field(default_factory=dict)
    block: Block | None = None

    def values(self) -> dict[str, Values]:
        """The values of the queries, and what they add to both sums of ratios."""
        found = {name: each.per_query for name, each in self.summands.items()}
        for each in self.summands.values():
            if each.parts:
                found |= zip(names_of_parts(each.measure), each.parts, strict=True)
        return found


def names_of_parts(measure: Measure) -> tuple[str, str]:
    """What the columns of the numerators and of the denominators are called."""
    return f"{measure} above", f"{measure} below"


def _tallied(
    tally: Tally, groups: Sequence[Group], seen: Block, ids: NDArray[Any], items: Numbered | None
) -> _Observed:
    """The same with what the measures of judged queries come to."""
    tally.judged = len(ids)
    tally.missing = some(ids, ~seen.observed[0].answered)
    tally.hits = seen.hits
    tally.below, tally.above = seen.order
    if items is not None:
        return _Observed(tally, ids, block=seen)
    tally.measures, summands = tallied(groups, seen, ids)
    return _Observed(tally, ids, summands)


def _state(whole: QueryState, block: Block) -> QueryState:
    """What was seen of some queries, to be added to others."""
    import polars as pl

    state = QueryState.of(whole.groups, block, pl.DataFrame(block.query_ids)["query"])
    return replace(state, items=whole.items)


def told(work: Callable[[], str], state: QueryState | None = None) -> Iterator[pa.RecordBatch]:
    """What a partition comes to, or the error that it met, as one text in a column ``told``.

    The queries that the work puts into a state are beside it in a column ``state``, as an Arrow IPC stream,
    and the items to which it gave numbers in the text.
    """
    import pyarrow as pa

    news: dict[str, Any]
    sent = None
    try:
        news = {"tally": work()}
        if state is not None and state.parts:
            frame, news["items"] = state.told()
            sent = stored(frame)
    except RankmarkError as error:  # raised here, Spark would try again and then show its own
        news = {"error": type(error).__name__, "message": str(error)}
    text = json.dumps({"version": __version__, **news})
    yield pa.RecordBatch.from_pydict({"told": pa.array([text]), "state": pa.array([sent], type=pa.binary())})


def blocks(batches: Iterable[pa.RecordBatch], key: str | None = "key") -> Iterator[pa.Table]:
    """The rows in tables of about `BLOCK_ROWS`, cut where the number in the column `key`, which rises, does.

    Without such a column they are cut anywhere.
    """
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    rows, last = 0, 0
    for batch in batches:
        if not batch.num_rows:
            continue
        keys = None if key is None else batch.column(key).to_numpy()
        if rows >= BLOCK_ROWS:
            border = 0 if keys is None else int(np.searchsorted(keys, last, side="right"))
            if border < batch.num_rows:
                yield pa.Table.from_batches([*held, batch.slice(0, border)])
                held, rows, batch = [], 0, batch.slice(border)
        held.append(batch)
        rows += batch.num_rows
        last = 0 if keys is None else keys[-1]
    if held:
        yield pa.Table.from_batches(held)


def threads() -> int:
    """The cores that Spark gives a task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.cpus() if context else 1


def _input(names: FrameNames, rows: pa.Table) -> Input:
    """The rows as the core takes them, under their own names, which stand in its messages."""
    import pyarrow as pa

    columns = {names.query: rows["query"], names.item: rows["item"]}
    value = names.value or (f"rank of {names.item}" if names.ranked else None)
    if value is not None:
        columns[value] = rows["value"]
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
    )


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


def _faults(names: FrameNames, rows: pa.Table) -> dict[str, Fault]:
    """Nulls, and numbers that are none."""
    wrong = _nulls(names, rows) | (_lists(names, rows) if names.value is None else _numbers(names, rows))
    return {f"{names.side} {name}": fault for name, fault in wrong.items()}


def _nulls(names: FrameNames, rows: pa.Table) -> dict[str, Fault]:
    """Rows without an id or a number."""
    import pyarrow.compute as pc

    faults = {}
    for role, column in (("query", names.query), ("item", names.item), ("value", names.value)):
        if column is not None and rows[role].null_count:
            before = f"{names.described(names.value_role if role == 'value' else role, column)} has"
            wrong = wrong_rows(rows, pc.is_null(rows[role]))
            faults[f"{role} null"] = Fault(before, "null", "nulls", "remove those rows", wrong)
    return faults


def _numbers(names: FrameNames, rows: pa.Table) -> dict[str, Fault]:
    """Numbers that are none: grades have to be finite."""
    import pyarrow.compute as pc

    if names.side == "qrels":
        which, kind = pc.invert(pc.is_finite(rows["value"])), "NaN or infinite"
    else:
        which, kind = pc.is_nan(rows["value"]), "NaN"
    wrong = wrong_rows(rows, which)
    if not wrong.count:
        return {}
    before = f"{names.described(names.value_role, names.value)} has"
    return {"value number": Fault(before, kind, kind, "remove or replace those rows", wrong)}


def _lists(names: FrameNames, rows: pa.Table) -> dict[str, Fault]:
    """Queries with several lists."""
    import pyarrow.compute as pc

    if not names.ranked:
        return {}
    tops = rows["query"].filter(pc.equal(rows["value"], 1))
    several = len(tops) - pc.count_distinct(tops).as_py()
    if not several:
        return {}
    what = "several lists, and no scores say how they are to be merged"
    one, more = f"query has {what}", f"queries have {what}"
    return {"lists": Fault("run:", one, more, "give each query one", Some(several))}


def _repeated(names: FrameNames, rows: pa.Table, verb: str) -> dict[str, Fault]:
    """The same item twice for one query."""
    import pyarrow.compute as pc

    pairs = rows.group_by(["query", "item"]).aggregate([([], "count_all")])
    again = pairs.filter(pc.greater(pairs["count_all"], 1))
    if not again.num_rows:
        return {}
    more = pc.sum(again["count_all"]).as_py() - again.num_rows
    what = f"an item that was {verb} before for the same query"
    some = Some(more, sorted(pc.unique(again["query"]).to_pylist())[:1])
    remedy = 'remove them or choose duplicates="best"'
    fault = Fault(f"{names.side}:", f"row has {what}", f"rows have {what}", remedy, some)
    return {f"{names.side} repeated": fault}


def wrong_rows(rows: pa.Table, which: Any) -> Some:
    """How many rows, and a query in which they are, if the rows have queries."""
    import pyarrow.compute as pc

    which = pc.fill_null(which, False)
    if "query" not in rows.column_names:
        return Some(pc.sum(which).as_py() or 0)
    queries = rows["query"].filter(which)
    return Some(len(queries), sorted(pc.unique(queries.drop_null()).to_pylist())[:1])
