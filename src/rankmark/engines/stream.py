"""Files larger than memory, read in batches that are cut at the borders of queries.

A run whose rows are grouped by query is evaluated as it is read, against judgements that are in memory, by
query: those of the queries in the batch. A query that comes back in a later batch ends this before it is
counted twice: both tables are then dealt out by a hash of the query to partitions, each small enough to be
evaluated alone, which are kept in temporary files once they take too much memory. So are they where the
first rows show that queries come back, or the judgements are too large to be kept in memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankmark._native import Table, queries_come_back
from rankmark.aggregation.observed import Block
from rankmark.aggregation.oddities import SAMPLED as SAMPLED_ROWS
from rankmark.aggregation.query_state import QueryState
from rankmark.aggregation.refusals import Some, refuse_unjudged
from rankmark.aggregation.state import Observation
from rankmark.dataclassing import dataclass
from rankmark.engines import local
from rankmark.engines.partitions import (
    ROW,
    ROW_BYTES,
    Partitions,
    Size,
    check_room,
    keys,
    stored_size,
    temporary_folder,
)
from rankmark.engines.selection import memory_bytes
from rankmark.errors import DataError
from rankmark.inputs import Input, align_ids, extent_of, with_text_items
from rankmark.inputs.aspects import by_aspect, check_aspects, looked_at, noted
from rankmark.inputs.batches import Batches, ahead, open_batches, whole_queries
from rankmark.inputs.roles import check_names, says_aspect
from rankmark.language.conventions.limits import Extent, spanning
from rankmark.progress import RowProgress, counting_rows
from rankmark.stopping import cleaned_up

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs import ColumnNames
    from rankmark.inputs.catalogue import Catalogue
    from rankmark.inputs.roles import Side
    from rankmark.language.plan import Group

__all__ = ["OWN", "come_back", "observe_sources", "segment_starts"]

OWN = 128 << 20
"""Bytes that the process has before it reads anything."""
BATCH = 24
"""A batch takes this part of the memory: there are several at a time, and what is made of them."""
JUDGEMENTS = 4
"""Judgements that take more than this part of the memory are dealt out to files."""
PARTITION = 16
"""A partition takes this part of the memory; evaluating it takes as much again several times."""


def observe_sources(
    qrels: str | os.PathLike[str] | None,
    run: str | os.PathLike[str],
    groups: Sequence[Group],
    *,
    columns: ColumnNames | None = None,
    text_items: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    hash_inputs: bool = False,
    known: Catalogue | None = None,
    extents: bool = False,
) -> Observation:
    """Evaluates files in bounded memory; the arguments are those of `rankmark.evaluate`.

    The values of each query stay in memory: 8 bytes a measure and query; and of measures of what is
    recommended, but for those of aspects, the top of each list, 4 bytes an item, and the items.

    Raises:
        UsageError: a format that is not read in batches, or no room for temporary files.
        DataError: a table that cannot be evaluated as it is.

    """
    judged = None if qrels is None else open_batches(qrels, "qrels", columns)
    returned = open_batches(run, "run", columns)
    there: dict[Side, Sequence[str]] = {} if judged is None else {"qrels": judged.names}
    check_names(columns, {**there, "run": returned.names})
    usable = max(memory_bytes(memory) - OWN, memory_bytes(memory) // 4)
    looks = looked_at(groups) or ("columns={…}" if says_aspect(columns) else None)
    tables = _Tables(judged, returned, text_items, usable, hash_inputs, looks, extents=extents)
    with cleaned_up():
        items = None
        if known is not None:
            from rankmark.inputs.catalogue import Numbered

            items = Numbered(known, integer=tables.heads()[1].item_ids == "integer")
        state, unjudged = _observed(tables, QueryState.empty(groups, items), threads)
    inputs = {side: f"{sums % 2**64:016x}" for side, sums in tables.digests.items()} if hash_inputs else {}
    found = tables.extents["qrels"], tables.extents["run"]
    results = tables.samples["run"]
    heads = noted(tables.samples.get("qrels", results.queries()), tables.aspects), results
    return Observation(state.whole("place", unjudged, results.name), heads, inputs, lambda: found)


class _Returned(Exception):  # noqa: N818 - a turn of events that is dealt with, no error
    """A query has rows in two batches that are not one after the other."""

    def __init__(self, query: int | str) -> None:
        super().__init__(query)
        self.query = query


class _TooLarge(Exception):  # noqa: N818
    """The judgements do not fit their share of the memory."""


class _Tables:
    """Both tables in batches, with ids of the same types; without judgements the results alone.

    Attributes:
        are_apart: whether the first results show already that no query's are together.

    """

    def __init__(
        self,
        judged: Batches | None,
        returned: Batches,
        text_items: bool,
        memory: int,
        hash_inputs: bool,
        by_aspect: object = None,
        *,
        extents: bool,
    ) -> None:
        """Takes both, what looks at aspects of judgements, and whether extents are asked for."""
        self.judged = judged is not None
        self._batches = {"run": returned} if judged is None else {"qrels": judged, "run": returned}
        self._text_items = text_items
        self._hash = hash_inputs
        self._by_aspect = by_aspect
        self._spans = extents
        self.memory = memory
        self.digests: dict[str, int] = {}
        self.samples: dict[str, Input] = {}
        self.extents: dict[str, Extent | None] = {"qrels": None, "run": None}
        self.aspects: set[int | str] = set()
        self._size = 0.0
        self._first: dict[str, Input] = {}
        for side, batches in self._batches.items():
            rows = RowProgress()
            first = next(batches.read(SAMPLED, rows))
            size = stored_size(_frame(first))
            if side == next(iter(self._batches)):
                size += ROW_BYTES * first.table.num_rows
            self._size += size / rows.done
            self.are_apart = rows.done < 1 and come_back(first.table, first.query)
            self._first[side] = _head(first)
        self._heads = self._aligned(self._first.get("qrels"), self._first["run"])

    def partitions(self, size: float | None = None) -> int:
        """How many to deal so many bytes out to, or both tables; rather more, since sizes are estimated."""
        return min(MOST_PARTITIONS, 1 + int(1.5 * (size or self._size) * PARTITION / self.memory))

    @property
    def size(self) -> Size:
        """About how many bytes both tables take in files, with the numbers of rows."""
        return Size.of(self._size, *map(_frame, self._heads))

    def heads(self) -> tuple[Input, Input]:
        """The first rows of the judgements and of the results."""
        return self._heads

    def read(self, side: str, rows: RowProgress) -> Iterator[Input]:
        """A table in batches; `rows` is told how far it is."""
        self.digests[side] = 0
        start = 0
        lists: list[pl.Series] = []
        for batch in ahead(self._batches[side].read(self.memory // BATCH, rows)):
            first = start if batch.rows is None else int(batch.rows[0])
            named = replace(batch, name=f"{batch.name} from row {first} on")
            pair = (named, self._first["run"]) if side == "qrels" else (self._first.get("qrels"), named)
            aligned = self._aligned(*pair)[side == "run"]
            if later := side == "qrels" and self._by_aspect is not None:
                check_aspects(aligned, self._by_aspect)
            aligned = replace(aligned, name=batch.name)
            if not later:
                self._look_at(aligned, start)
            if start < SAMPLED_ROWS:
                self._sample(side, aligned, start)
            start += aligned.table.num_rows
            if side == "run" and batch.value is None and batch.rank is None:
                lists.append(_frame(aligned)[batch.query].unique())
            yield aligned
        if lists:
            self._check_one_list_a_query(lists)

    def judgements(self, of_queries: Input) -> Input:
        """All judgements of some queries, each of which comes once, as measures look at them."""
        if self._by_aspect is None or not of_queries.judges:
            return of_queries
        found = by_aspect(of_queries, self._by_aspect)
        self._look_at(found, 0)
        if found.aspects is not None and len(self.aspects) < 2:
            self.aspects |= {*found.aspects.names[:2]}
        return found

    def observe(self, judgements: Input, results: Input, state: QueryState, threads: int | None) -> Block:
        """What is observed of parts of both tables that hold whole queries.

        Raises:
            DataError: what cannot be evaluated, with the rows that it has in the files.

        """
        try:
            return local.observe(judgements, results, state.groups, threads, state.items)
        except DataError:
            with suppress(OSError):  # of a file that is no longer there
                judged = self._in_files(judgements) if self.judged else judgements
                local.observe(judged, self._in_files(results), state.groups, threads, state.items)
            raise

    def _in_files(self, part: Input) -> Input:
        """A part of a table that holds whole queries, with the rows of the files that its own come from."""
        import polars as pl

        if part.aspects is not None:  # of which several rows are one
            return part

        def of_queries(queries: pl.Series, rows: NDArray[Any]) -> pl.DataFrame:
            frame = pl.DataFrame({"query": queries, "row": rows})
            return frame.filter(pl.col("query").is_in(asked))

        def in_turn(frame: pl.DataFrame) -> pl.DataFrame:
            return frame.with_columns(turn=pl.int_range(pl.len()).over("query"))

        own = _frame(part)[part.query]
        asked, found, start = own.unique().implode(), [], 0
        for batch in self.read(part.side, RowProgress()):
            rows = np.arange(start, start + batch.table.num_rows) if batch.rows is None else batch.rows
            found.append(of_queries(_frame(batch)[batch.query], rows))
            start += batch.table.num_rows
        theirs = in_turn(pl.concat(found)).rename({"row": "theirs"})
        mine = in_turn(of_queries(own, np.arange(len(own))))
        places = mine.join(theirs, on=["query", "turn"], how="left", maintain_order="left")["theirs"]
        if places.null_count():  # the file was changed meanwhile
            return part
        name = f"{self._first[part.side].name}, as far as it was looked at"
        return replace(part, name=name, rows=places.to_numpy())

    def _look_at(self, batch: Input, start: int) -> None:
        """Takes hash and extent of a batch that begins in row `start`, as far as they are asked for."""
        if self._hash:
            self._add_digests(batch, start)
        if self._spans:
            self.extents[batch.side] = spanning(self.extents[batch.side], extent_of(batch))

    def _add_digests(self, batch: Input, start: int) -> None:
        """Hashes a batch that begins in row `start`, and without judgements its queries, too."""
        from rankmark.inputs.digest import digest

        for table in (batch,) if self.judged else (batch.queries(), batch):
            # Who reads a table begins its sum anew; nobody reads the queries of results by themselves.
            before = self.digests.get(table.side, 0) if start or self.judged else 0
            self.digests[table.side] = before + int(digest(table, start), 16)

    def _sample(self, side: str, batch: Input, start: int) -> None:
        """Keeps the first rows of a table; the batch begins in row `start`."""
        import polars as pl

        before = [_frame(self.samples[side])] if start else []
        frames = [*before, _frame(batch).head(SAMPLED_ROWS - start)]
        self.samples[side] = _with_rows(batch, pl.concat(frames, how="vertical_relaxed"))

    def _check_one_list_a_query(self, queries: list[pl.Series]) -> None:
        """The same as of tables in memory, across batches."""
        import polars as pl

        ids = pl.concat(queries)
        again = ids.filter(ids.is_duplicated())
        if len(again):
            raise self.several_lists(again[0])

    def several_lists(self, query: int | str) -> DataError:
        """The error for a second list of a query, in a run without scores."""
        return DataError(
            f"{self.heads()[1].name}: query {query!r} has several lists, and no scores say how they are to "
            "be merged; give it one"
        )

    def _aligned(self, judged: Input | None, returned: Input) -> tuple[Input, Input]:
        if judged is not None:
            judged, returned = align_ids(judged, returned)
        if self._text_items:
            judged, returned = judged and with_text_items(judged), with_text_items(returned)
        return judged or returned.queries(), returned


SAMPLED = 8 << 20
"""Bytes of a batch that is read to know the types of a table."""


def _head(table: Input) -> Input:
    import polars as pl

    return _with_rows(table, pl.DataFrame(table.table).head(1))


def _with_rows(
    table: Input, frame: pl.DataFrame, name: str | None = None, rows: NDArray[np.integer[Any]] | None = None
) -> Input:
    """A table like another, with these rows, which come from those of the user's table."""
    return replace(table, table=Table.from_arrow(frame.to_struct()), name=name or table.name, rows=rows)


def _observed(tables: _Tables, state: QueryState, threads: int | None) -> tuple[QueryState, int]:
    try:
        if not tables.are_apart:
            return (_streamed if tables.judged else _streamed_alone)(tables, state, threads)
    except _TooLarge:
        pass
    except _Returned as error:
        results = tables.heads()[1]
        if results.value is None and results.rank is None:
            raise tables.several_lists(error.query) from None
    return _partitioned(tables, QueryState.empty(state.groups, state.items), threads)


# --- A run that is grouped by query -----------------------------------------------------------------------


class _Judgements:
    """The judgements in memory, those of each query together, in the order in which these come first."""

    def __init__(self, tables: _Tables, rows: RowProgress) -> None:
        import polars as pl

        frames, size = [], 0
        for batch in tables.read("qrels", rows):
            frames.append(pl.DataFrame(batch.table))
            size += int(frames[-1].estimated_size())
            if size > tables.memory // JUDGEMENTS:
                raise _TooLarge
        self.tables, self._like = tables, batch
        self._query = batch.query
        frame = pl.concat(frames, how="vertical_relaxed", rechunk=True)
        frames.clear()
        starts = segment_starts(frame[self._query])
        ids = frame[self._query].gather(starts)
        places = ids.to_frame("query").unique(maintain_order=True).with_row_index("place")
        places = places.with_columns(keys(places["query"]).alias("key"))
        lengths = np.diff(starts, append=frame.height)
        if places.height < len(starts):
            of_segment = ids.to_frame("query").join(places, on="query", how="left", maintain_order="left")[
                "place"
            ]
            of_row = np.repeat(of_segment.to_numpy(), lengths)
            frame = frame[np.argsort(of_row, kind="stable").astype(np.uint32)]
            lengths = np.bincount(of_row)
        self._frame = frame
        self._ends = np.cumsum(lengths)
        self._starts = self._ends - lengths
        self.places = places

    def find(self, queries: pl.Series) -> pl.DataFrame:
        """Of the queries with these keys the judged ones, in the order of their places."""
        # The lesser table comes second: of it the join makes a hash table.
        return self.places.join(queries.to_frame("key"), on="key", how="semi", maintain_order="left")

    def of(self, places: NDArray[np.int64]) -> Input:
        """The judgements of the queries at these places: one or more, in order."""
        import polars as pl

        first, last = int(places[0]), int(places[-1])
        if last - first + 1 == len(places):
            frame = self._frame[int(self._starts[first]) : int(self._ends[last])]
        else:
            lengths = self._ends[places] - self._starts[places]
            ends = np.cumsum(lengths)
            rows_of = np.arange(ends[-1]) + np.repeat(self._starts[places] - (ends - lengths), lengths)
            frame = self._frame[pl.Series(rows_of.astype(np.uint32))]
        like = self._like
        return self.tables.judgements(_with_rows(like, frame, f"{like.name}, in order of queries"))


def segment_starts(queries: pl.Series) -> NDArray[np.int64]:
    """The rows at which another query begins."""
    if not queries.dtype.is_integer():
        later = (queries[1:] != queries[:-1]).arg_true().to_numpy().astype(np.int64) + 1
        return np.concatenate((np.zeros(1, dtype=np.int64), later))
    starts, before, last = [np.zeros(1, dtype=np.int64)], 0, None
    for chunk in queries.get_chunks():  # a whole column of several would be copied
        ids = chunk.to_numpy()
        if last is not None and len(ids) and ids[0] != last:
            starts.append(np.array([before]))
        starts.append(np.flatnonzero(ids[1:] != ids[:-1]) + (before + 1))
        before, last = before + len(ids), ids[-1] if len(ids) else last
    return np.concatenate(starts)


def _streamed(tables: _Tables, state: QueryState, threads: int | None) -> tuple[QueryState, int]:
    with counting_rows("reading judgements") as rows:
        judgements = _Judgements(tables, rows)
    seen = np.zeros(judgements.places.height, dtype=np.bool_)
    with counting_rows("evaluating") as rows:
        for results in _whole_queries(tables.read("run", rows), tables.heads()[1].query):
            _add_block(results, judgements, state, threads, seen)
    unseen = np.flatnonzero(~seen)
    nothing = tables.heads()[1]
    nothing = _with_rows(nothing, _frame(nothing).clear())
    for start in range(0, len(unseen), UNSEEN):
        _add(judgements, unseen[start : start + UNSEEN], nothing, None, state, threads)
    return state, len(state.unjudged())


def _streamed_alone(tables: _Tables, state: QueryState, threads: int | None) -> tuple[QueryState, int]:
    """The same without judgements: all queries of the run."""
    seen: list[pl.Series] = []
    count = 0
    with counting_rows("evaluating") as rows:
        for results in _whole_queries(tables.read("run", rows), tables.heads()[1].query):
            block = tables.observe(results.queries(), results, state, threads)
            query_ids = _frame(results)[results.query].gather(block.first_rows)
            ids = keys(query_ids)
            for before in seen:
                if len(again := query_ids.filter(ids.is_in(before.implode()))):
                    raise _Returned(again[0])
            seen.append(ids)
            places = np.arange(count, count := count + len(ids))
            state.add(QueryState.of(state.groups, block, query_ids, places))
    return state, 0


UNSEEN = 1 << 18
"""Queries without results that are evaluated at once."""


def _frame(table: Input) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(table.table)


def _add_block(
    results: Input, judgements: _Judgements, state: QueryState, threads: int | None, seen: NDArray[np.bool_]
) -> None:
    queries = _frame(results)[results.query]
    ids = keys(queries.gather(segment_starts(queries))).unique(maintain_order=True)
    known = judgements.find(ids)
    places = known["place"].to_numpy().astype(np.int64)
    if seen[places].any():
        again = known["query"][int(np.flatnonzero(seen[places])[0])]
        raise _Returned(again)
    seen[places] = True
    others = ids.filter(~ids.is_in(known["key"].implode())) if known.height < len(ids) else None
    _add(judgements, places, results, others, state, threads)


def _add(
    judgements: _Judgements,
    places: NDArray[np.int64],
    results: Input,
    others: pl.Series | None,
    state: QueryState,
    threads: int | None,
) -> None:
    if not len(places):
        if others is not None:
            _refuse_others(others, results, state)
            state.add(QueryState.of_others(state.groups, others))
        return
    block = judgements.tables.observe(judgements.of(places), results, state, threads)
    query_ids = judgements.places["query"].gather(places)
    state.add(QueryState.of(state.groups, block, query_ids, places, others))


def _refuse_others(others: pl.Series, results: Input, state: QueryState) -> None:
    """Refuses results of which none are for judged queries, where a choice refuses any."""
    which = Some(len(others), others.head(1).to_list())
    refuse_unjudged(results.name, which, (choices for choices, _ in state.groups))


def _whole_queries(batches: Iterator[Input], query: str) -> Iterator[Input]:
    """The batches, cut at the borders of queries."""
    batch: Input | None = None
    rows: NDArray[np.integer[Any]] | None = None

    def frames() -> Iterator[pl.DataFrame]:
        nonlocal batch, rows
        for batch in batches:
            if batch.rows is not None:
                rows = batch.rows if rows is None else np.concatenate((rows, batch.rows))
            yield _frame(batch)

    start = 0
    for frame in whole_queries(frames(), query):
        assert batch is not None
        first, own = start, None
        if rows is not None:
            first, own, rows = int(rows[0]), rows[: frame.height] - rows[0], rows[frame.height :]
        yield _with_rows(batch, frame, f"{batch.name} from row {first} on", own)
        start += frame.height


def come_back(table: Table, query: str) -> bool:
    """Whether the first rows show that many queries have rows again after those of others."""
    import polars as pl

    return queries_come_back(Table.from_polars(pl.DataFrame(table).head(LOOKED_AT)), query)


LOOKED_AT = 1 << 20
"""Rows that are looked at for that."""


# --- Any other ----------------------------------------------------------------------------------------------


def _partitioned(tables: _Tables, state: QueryState, threads: int | None) -> tuple[QueryState, int]:
    with temporary_folder() as folder:
        check_room(folder, tables.size, tables.memory)
        partitions = Partitions(folder, tables.partitions(), tables.memory, tables.size)
        with counting_rows("dealing out by query") as rows:
            if tables.judged:
                _deal(tables.read("qrels", rows), "qrels", partitions, numbered=True)
            _deal(tables.read("run", rows), "run", partitions, numbered=not tables.judged)
        with counting_rows("evaluating") as rows:
            dealt = _Dealt(tables, state, threads, rows)
            return state, sum(dealt.observe(partitions, number) for number in range(partitions.count))


def _deal(batches: Iterable[Input], side: str, partitions: Partitions, *, numbered: bool) -> None:
    """Deals out a table, with the numbers of its rows where it says which queries there are."""
    import polars as pl

    first_row = 0
    for batch in batches:
        table = batch.table
        if numbered:
            numbers = pl.DataFrame({ROW: np.arange(first_row, first_row + table.num_rows)})
            table = Table.from_polars(numbers).beside(table)
            first_row += table.num_rows
        partitions.deal(side, table, batch.query)


@dataclass(frozen=True, slots=True)
class _Dealt:
    """Observes partitions, one after another."""

    tables: _Tables
    state: QueryState
    threads: int | None
    rows: RowProgress

    def observe(self, partitions: Partitions, number: int) -> int:
        """Observes the queries of a partition; gives the number of those that are not judged."""
        size = partitions.size(number)
        if size > 2 * self.tables.memory / PARTITION and partitions.level < DEEPEST:
            queries = {head.side: head.query for head in self.tables.heads()}
            smaller = partitions.smaller(number, self.tables.partitions(size), queries)
            return sum(self.observe(smaller, each) for each in range(smaller.count))
        head, run_head = self.tables.heads()
        run = self._read(partitions, number, run_head)
        qrels = self._read(partitions, number, head) if self.tables.judged else run.queries()
        if qrels.table.num_rows == 0:
            others = _frame(run)[run.query].unique()
            _refuse_others(others, run, self.state)
            return len(others)
        groups = self.state.groups
        qrels = self.tables.judgements(qrels)
        block = self.tables.observe(qrels, run, self.state, self.threads)
        first_rows = _frame(qrels)[block.first_rows]
        places = first_rows[ROW].to_numpy()
        self.state.add(QueryState.of(groups, block, first_rows[qrels.query], places))
        return block.unjudged_queries

    def _read(self, partitions: Partitions, number: int, head: Input) -> Input:
        table = partitions.take(head.side, number)
        if table is None:
            table = _with_rows(head, _frame(head).clear()).table
        if head.side == "run":
            share = number / partitions.count if partitions.level == 0 else self.rows.done
            self.rows.advance(table.num_rows, share)
        return replace(head, table=table, name=f"{head.name}, dealt out by query", rows=None)


MOST_PARTITIONS = 64
"""Partitions that rows are dealt out to at once."""
DEEPEST = 3
"""How often a partition that is too large is dealt out again; one query alone cannot be."""
