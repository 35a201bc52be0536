"""Files of labelled scores larger than memory, read in batches.

Sums over the rows add up from batch to batch. For AUC the rows are dealt out by ranges of scores, each small
enough to be sorted alone; a score that many rows have is a range of its own, of which only the weights are
summed. Measures of each query take the batches as they are read, cut at the borders of
queries; where queries come back, the rows are dealt out by a hash of the query first. Rows that are dealt out
go to files once they take too much memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark._native import Table
from rankmark.aggregation.merged_rows import Asked, asked_of
from rankmark.aggregation.row_tally import LABELS, Range, RowTally, sums_of, told_sums
from rankmark.aggregation.rows import in_memory, need_query
from rankmark.aggregation.settled_rows import QueryValues
from rankmark.dataclassing import dataclass
from rankmark.engines.partitions import (
    NOWHERE,
    ROW,
    ROW_BYTES,
    Partitions,
    Size,
    check_room,
    stored_size,
    temporary_folder,
)
from rankmark.engines.selection import memory_bytes
from rankmark.engines.stream import OWN, come_back, segment_starts
from rankmark.errors import MeasureError
from rankmark.inputs.batches import Cutter, ahead
from rankmark.inputs.column_checks import check_ids
from rankmark.inputs.digest import digest_predictions, whole_numbers
from rankmark.inputs.predictions.batches import PredictionBatches
from rankmark.kinds.row_core import BINARY, InMemory, NotMergedError, Sum
from rankmark.kinds.rows import PerQuery, Rows
from rankmark.language.measure import weighing
from rankmark.progress import counting_rows

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs.predictions.labelled import Predictions
    from rankmark.language.measure import Measure

__all__ = ["RowsInFiles", "observe"]

BATCH = 24
"""A batch takes this part of the memory: there are several at a time, and what is made of them."""
PARTITION = 16
"""A partition takes this part of the memory; sorting it takes as much again several times."""
MOST_PARTITIONS = 1024
"""Files that rows are dealt out to at once by score."""
HASHES = 64
"""Files that rows are dealt out to at once by query; those that are still too large are dealt out again."""
DEEPEST = 3
"""How often they are; one query alone cannot be."""


def observe(
    path: str | os.PathLike[str],
    measures: Sequence[Measure],
    said: Mapping[str, str | Sequence[str] | None],
    classes: Sequence[str | int] | None,
    positive: str | float | None,
    *,
    threads: int | None = None,
    memory: int | str | None = None,
) -> RowsInFiles:
    """What files of labelled scores come to, in bounded memory; the arguments are as in `read_predictions`.

    The values of each query stay in memory: 16 bytes a measure and query. What is not known after the first
    pass over the files is asked of the rows again, so that all is to be asked within `cleaned_up`.

    Raises:
        MeasureError: a measure that looks at more than sums, pairs of rows and queries, or several
            scores in a row.
        UsageError: a format that is not read in batches, or no room for temporary files.
        DataError: a table, a label or a score that a measure cannot take.

    """
    asked = {measure: _asked(measure) for measure in measures}
    batches = PredictionBatches(path, said, positive, weighing(measures))
    if classes is not None or batches.of_classes:
        raise MeasureError(f'{measures[0]} is of several scores in a row here; use engine="local"')
    usable = max(memory_bytes(memory) - OWN, memory_bytes(memory) // 4)
    return RowsInFiles(_Files(batches, usable, threads or 0), asked)


NOTHING = Asked((BINARY,), later=False, ranges=False)


def _asked(measure: Measure) -> Asked:
    """What a measure looks at.

    Raises:
        MeasureError: at more than is there in batches.

    """
    if measure.page.kind == "list":
        raise MeasureError(
            f"{measure} is a measure of lists; rankmark.evaluate computes it in batches, with the table as "
            'both judgements and results, or use engine="local"'
        )
    if measure.page.kind == "class":
        raise MeasureError(f'{measure} is a measure of classes; use engine="local"')
    try:
        return NOTHING if measure.per_query else asked_of(measure)
    except NotMergedError:
        raise _not_streamed(measure) from None


def _not_streamed(measure: Measure) -> MeasureError:
    return MeasureError(
        f"{measure} looks at more than sums and pairs of the rows, which is not done in batches; use "
        'engine="local", which reads the table into memory'
    )


@dataclass(frozen=True, slots=True)
class _Files:
    """Labelled scores in files, and what may be used to read them.

    Attributes:
        batches: the files.
        memory: bytes that may be used.
        threads: how many; 0 means all cores.

    """

    batches: PredictionBatches
    memory: int
    threads: int

    @property
    def like(self) -> Predictions:
        """The table with its first rows."""
        return self.batches.like

    @property
    def positive(self) -> float:
        """The label of positive rows."""
        return 1.0 if self.like.positive is None else self.like.positive

    def read(self, doing: str, *others: str) -> Iterator[Predictions]:
        """The columns of numbers, and of these roles, in batches."""
        columns = self.like.columns
        query, item = (getattr(columns, role) if role in others else None for role in ("query", "item"))
        columns = replace(columns, query=query, item=item, weighing=columns.weighing if query else ())
        with counting_rows(doing) as rows:
            yield from ahead(self.batches.read(columns, self.memory // BATCH, rows))

    def size(self, like: pl.DataFrame) -> float:
        """About how many bytes all rows take in files, by some of them."""
        return stored_size(like) / like.height * self.batches.rows

    def partitions(self, size: float, most: int) -> int:
        """How many to deal so many bytes out to; rather more, since sizes are estimated."""
        return min(most, 1 + int(1.5 * size * PARTITION / self.memory))

    def core(self, table: Table) -> InMemory:
        """Rows in the core."""
        read = replace(self.like, table=table)
        return in_memory(read, self.threads)


class RowsInFiles:
    """The rows of files, of which only what they come to is in memory: `SeenRows`."""

    def __init__(self, files: _Files, asked: Mapping[Measure, Asked]) -> None:
        self.read = files.like
        self._files = files
        self._queries = _OfQueries(files, tuple(measure for measure in asked if measure.per_query))
        self._sample = _Sample() if any(each.ranges for each in asked.values()) else None
        self._improbable: tuple[int, float] | None = None
        self.tally = self._first_pass(dict.fromkeys(each for own in asked.values() for each in own.sums))

    @property
    def query_ids(self) -> _native.Table | None:
        """As `SeenRows`."""
        return self._queries.ids() if self._queries.measures else None

    @property
    def queries(self) -> int | None:
        """As `Core`."""
        ids = self.query_ids
        return None if ids is None else ids.num_rows

    def of_queries(self, measure: Measure) -> QueryValues:
        """As `SeenRows`."""
        return self._queries.values(measure)

    def shown_improbable(self) -> str:
        """As `SeenRows`."""
        assert self._improbable is not None
        return "the first in row {} (from 0): {}".format(*self._improbable)

    def not_merged(self, measure: Measure) -> MeasureError:
        """As `SeenRows`."""
        return _not_streamed(measure)

    def digest(self) -> str:
        """The hash of the rows."""
        return _digest(self._files)

    def _first_pass(self, sums: Iterable[Sum]) -> RowTally:
        """What needs the rows in no order, and queries as long as their rows are together."""
        import polars as pl

        columns, tally = self.read.columns, RowTally()
        batches = self._files.read("reading predictions", *(["query"] if self._queries.measures else []))
        with ExitStack() as folders:
            for batch in batches:
                frame = pl.DataFrame(batch.table)
                scores = frame[columns.score]
                improbable = (scores < 0) | (scores > 1)
                if self._improbable is None and improbable.any():
                    first = int(improbable.arg_true()[0])
                    self._improbable = tally.rows + first, scores[first]
                if self._sample is not None:
                    self._sample.add(_thresholds(scores))
                self._queries.take(batch.table, folders)
                labels, found = _labels(frame[columns.label]), sums_of(self._files.core(batch.table), sums)
                tally.add(RowTally(frame.height, labels, int(improbable.sum()), sums=found))
                tally.compact()
            self._queries.finish(folders)
        return tally

    def sums(self, asked: Sum) -> tuple[float, ...]:
        """Sums over all rows, read once more for those that no one could ask for before."""
        known = told_sums(self.tally)
        try:
            return known(asked)
        except NotMergedError:
            for batch in self._files.read("reading predictions again"):
                self.tally.add(RowTally(sums=sums_of(self._files.core(batch.table), [asked])))
                self.tally.compact()
            return known(asked)

    def ranges(self) -> list[Range]:
        """Ranges of scores: those of one score that many rows have, and those between."""
        import polars as pl

        assert self._sample is not None
        columns = replace(self.read.columns, query=None, item=None)
        like = pl.DataFrame(self.read.table).select(columns.names)
        size = Size.of(self._files.size(like), like)
        borders = self._sample.borders(self._files.partitions(size.bytes, MOST_PARTITIONS))
        with temporary_folder() as folder:
            check_room(folder, size, self._files.memory)
            partitions = Partitions(folder, len(borders) + 1, self._files.memory, size)
            ranges = self._deal(borders, partitions)
            for number in range(partitions.count):
                ranges += self._range(partitions, number)
        return ranges

    def _deal(self, borders: NDArray[Any], partitions: Partitions) -> list[Range]:
        """Deals out the rows between borders; gives the ranges of the borders' scores."""
        import polars as pl

        columns = self.read.columns
        at = np.zeros((2, len(borders)))
        for batch in self._files.read("dealing out by score"):
            place = _native.places_between(batch.table, columns.score, borders)
            equal = place & 1 == 1
            place >>= 1
            tied = pl.DataFrame(batch.table).filter(pl.Series(equal))
            positive = tied[columns.label].cast(pl.Float64).to_numpy() == self._files.positive
            weights = np.ones(tied.height) if columns.weight is None else tied[columns.weight].to_numpy()
            for side, own in enumerate((positive, ~positive)):
                at[side] += np.bincount(place[equal], weights * own, len(borders))
            place[equal] = NOWHERE
            partitions.deal_to(place, "rows", batch.table)
        return [
            (float(score), positive, negative, positive * negative / 2)
            for score, positive, negative in zip(borders, *at.tolist(), strict=True)
        ]

    def _range(self, partitions: Partitions, number: int) -> list[Range]:
        """The range of a partition, if there are rows in it."""
        table = partitions.take("rows", number)
        if table is None:
            return []
        least, _, _ = table.range(self.read.columns.score)
        ranked = self._files.core(table).ranked()
        return [(least, *ranked.totals(), ranked.pairs())]


def _labels(labels: pl.Series) -> list[float]:
    """The least labels there are, in order: no more of them than tell that there are too many."""
    ends = labels.min(), labels.max()
    # Most have two, for which nobody has to look up each row's.
    found = {*ends} if ((labels == ends[0]) | (labels == ends[1])).all() else labels.unique().to_list()
    return sorted(map(float, found))[:LABELS]


def _thresholds(scores: pl.Series) -> pl.Series:
    """Scores as the core compares them: as floats."""
    import polars as pl

    return scores if scores.dtype.is_float() else scores.cast(pl.Float64)


class _Sample:
    """Scores drawn from the batches, by which the rows are divided into ranges of about as many."""

    def __init__(self) -> None:
        self._draw = np.random.default_rng(0)  # what is drawn decides how much memory is used, and no value
        self._scores: list[NDArray[Any]] = []
        self._of_batch = DRAWN

    def add(self, scores: pl.Series) -> None:
        """Draws from a batch, and takes the half of all away where they are too many."""
        count = min(len(scores), self._of_batch)
        self._scores.append(scores.gather(self._draw.integers(len(scores), size=count)).to_numpy())
        if sum(map(len, self._scores)) > MOST_DRAWN:
            self._scores = [np.concatenate(self._scores)[::2]]
            self._of_batch = max(1, self._of_batch // 2)

    def borders(self, ranges: int) -> NDArray[Any]:
        """Rising scores between which about so many ranges are, or fewer if many rows have the same score."""
        scores = np.sort(np.concatenate(self._scores))
        return np.unique(scores[np.arange(1, ranges) * len(scores) // ranges]).astype(np.float64)


DRAWN = 4096
"""Scores drawn from a batch, at first."""
MOST_DRAWN = 1 << 20
"""Scores drawn in all."""


class _OfQueries:
    """What measures give for each query."""

    def __init__(self, files: _Files, measures: tuple[Measure, ...]) -> None:
        self.measures = measures
        self._files = files
        self._parts: list[pl.DataFrame] = []
        self._skipped: dict[Measure, str] = {}
        self._cutter: Cutter | None = None
        self._start = 0
        self._together = bool(measures)
        self._dealt: _DealtByQuery | None = None
        for measure in measures:
            name = need_query(files.like, measure)
            check_ids(files.like.table, name, "query", files.like.name)

    @property
    def _query(self) -> str:
        query = self._files.like.columns.query
        assert query is not None
        return query

    def take(self, table: Table, folders: ExitStack) -> None:
        """Takes a batch, the rows of its last query with the next one, unless queries are not together."""
        import polars as pl

        if self._together and self._cutter is None:
            self._cutter = Cutter(self._query)
            if come_back(table, self._query):
                self._together, self._dealt = False, self._deal_like(table, folders)
        if self._dealt is not None:
            self._dealt.add(table)
        if self._together and self._cutter is not None:
            self._add_together(self._cutter.take(pl.DataFrame(table)))

    def finish(self, folders: ExitStack) -> None:
        """Takes the last query; where not all were together, evaluates the rows dealt out."""
        if self._together and self._cutter is not None:
            self._add_together(self._cutter.rest[0])
            self._together = self._together and bool(self._whole["query"].is_unique().all())
        if not self.measures or self._together:
            return
        self._parts.clear()
        self._cutter = None
        if self._dealt is None:
            for batch in self._files.read("dealing out by query", "query"):
                self._dealt = self._dealt or self._deal_like(batch.table, folders)
                self._dealt.add(batch.table)
        assert self._dealt is not None
        for number in range(self._dealt.partitions.count):
            self._add_partition(self._dealt.partitions, number)
        self._dealt = None

    def values(self, measure: Measure) -> QueryValues:
        """What a measure gives, and how many rows each query has."""
        number = self.measures.index(measure)
        value, weight, rows = (
            self._whole[name].to_numpy(writable=True)
            for name in (f"{number}.value", f"{number}.weight", "rows")
        )
        return QueryValues(PerQuery(value, weight, self._skipped[measure]), rows)

    def ids(self) -> _native.Table:
        """The queries in the order of their first rows."""
        return _native.Table.from_arrow(self._whole.select("query"))

    @property
    def _whole(self) -> pl.DataFrame:
        import polars as pl

        self._parts = [pl.concat(self._parts, how="vertical_relaxed").sort("place")]
        return self._parts[0]

    def _add_together(self, frame: pl.DataFrame) -> None:
        if not frame.height:
            return
        queries = frame[self._query]
        starts = segment_starts(queries)
        if queries.gather(starts).n_unique() < len(starts):
            self._together = False
            return
        self._add(Table.from_polars(frame), lambda first: first.astype(np.int64) + self._start)
        self._start += frame.height

    def _add(self, table: Table, places: Callable[[NDArray[np.uint32]], NDArray[np.int64]]) -> None:
        """Adds whole queries; `places` gives the numbers of rows of this table."""
        import polars as pl

        rows = Rows(self._files.core(table), table.num_rows, self._query)
        columns: dict[str, Any] = {}
        for number, measure in enumerate(self.measures):
            each = measure.compute_rows(rows)
            assert isinstance(each, PerQuery)
            columns |= {f"{number}.value": each.values, f"{number}.weight": each.weights}
            self._skipped[measure] = each.skipped
        first = rows.of_queries.first_rows
        ids = pl.DataFrame(table)[self._query][first]
        known = {"query": ids, "place": places(first), "rows": rows.of_queries.rows}
        self._parts.append(pl.DataFrame(known | columns))

    def _deal_like(self, table: Table, folders: ExitStack) -> _DealtByQuery:
        """Begins to deal out rows such as these; files are there until `folders` are closed."""
        import polars as pl

        folder, memory = folders.enter_context(temporary_folder()), self._files.memory
        frame = pl.DataFrame(table)
        size = Size.of(self._files.size(frame) + ROW_BYTES * self._files.batches.rows, frame)
        check_room(folder, size, memory)
        count = self._files.partitions(size.bytes, HASHES)
        return _DealtByQuery(Partitions(folder, count, memory, size), self._query)

    def _add_partition(self, partitions: Partitions, number: int) -> None:
        import polars as pl

        size = partitions.size(number)
        if size > 2 * self._files.memory / PARTITION and partitions.level < DEEPEST:
            count = self._files.partitions(size, HASHES)
            smaller = partitions.smaller(number, count, {"rows": self._query})
            for each in range(smaller.count):
                self._add_partition(smaller, each)
        elif table := partitions.take("rows", number):
            numbers = pl.DataFrame(table)[ROW]
            self._add(table, lambda first: numbers.gather(first).to_numpy())


class _DealtByQuery:
    """Rows with their numbers, dealt out by query."""

    def __init__(self, partitions: Partitions, query: str) -> None:
        self.partitions = partitions
        self._query = query
        self._rows = 0

    def add(self, table: Table) -> None:
        """Deals out the next rows."""
        import polars as pl

        end = self._rows + table.num_rows
        numbers = Table.from_polars(pl.DataFrame({ROW: np.arange(self._rows, end, dtype=np.int64)}))
        self.partitions.deal("rows", numbers.beside(table), self._query)
        self._rows = end


def _digest(files: _Files) -> str:
    """The hash of the rows; ids in files without types are integers if all are whole numbers."""
    ids = [name for name in (files.like.columns.query, files.like.columns.item) if name is not None]
    integers = set(ids)
    if files.like.text_ids:
        for batch in files.read("hashing", "query", "item"):
            integers &= whole_numbers(batch)
    sums = (int(digest_predictions(batch, integers), 16) for batch in files.read("hashing", "query", "item"))
    return f"{sum(sums) % 2**64:016x}"
