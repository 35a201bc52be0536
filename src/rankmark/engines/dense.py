"""Arrays of scores: the ranks of the judged items are counted where the scores are, and nothing else travels.

A judged item's rank is one more than the number of items before it. So nothing is sorted, no top is selected,
and the ranks are exact however deep they are. Scores in this machine's memory are counted by the core, others
by their own library, a block of rows at a time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.aggregation.observed import Block, Measured, Observed, measured, merged
from rankmark.aggregation.refusals import check_judged
from rankmark.errors import DataError, UsageError
from rankmark.inputs.arrays.libraries import (
    Array,
    RowNumbers,
    Scores,
    is_torch,
    like,
    namespace,
    take_rows,
    to_numpy,
)
from rankmark.language.choices import ORDERS
from rankmark.language.conventions.limits import Extent, spanning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankmark.inputs.arrays.judged_items import Grades, Sparse
    from rankmark.inputs.arrays.scored import Scored
    from rankmark.inputs.catalogue import Numbered
    from rankmark.language.choices import Choices, Ties
    from rankmark.language.measure import Measure
    from rankmark.language.plan import Group

__all__ = ["CELLS", "NEVER", "Batch", "Watched", "grade_extent", "judge", "observe", "single"]


class Batch(NamedTuple):
    """Some rows of scores, and what is known of them.

    Attributes:
        scores: a row a query and a column an item, of any library.
        judged: the judged items of each row.
        excluded: the items of each row that are in no list.
        seeds: of the order of ties in each row, uint64; None unless they are ordered at random.
        rows: the rows' numbers, for messages.

    """

    scores: Array
    judged: Sparse
    excluded: Sparse | None
    seeds: NDArray[np.uint64] | None
    rows: RowNumbers


def observe(
    arrays: Scored,
    groups: Sequence[Group],
    *,
    k: int | None = None,
    threads: int | None = None,
    items: Numbered | None = None,
) -> Block:
    """Ranks the judged items of every row that has any, once for each group; `k` ends the lists.

    Measures of items need `items`, by whose numbers the tops of lists are kept.

    Raises:
        UsageError: a measure that sees what is beyond `k`, where no list can end there.
        DataError: scores that are NaN, or rows that a choice refuses.

    """
    observed = []
    for choices, measures in groups:
        relevance = arrays.grades(choices.duplicates)
        rows, judged = len(relevance.counts), np.flatnonzero(relevance.counts)
        check_judged(rows, len(judged), choices)
        cut = _cut(k, choices, measures)
        found = _observed(arrays, relevance, judged, choices, measures, cut, threads)
        if items is not None and any(measure.page.kind == "item" for measure in measures):
            from rankmark.engines.dense_tops import with_tops

            found = with_tops(found, arrays, relevance, judged, choices, measures, k, items)
        observed.append(found)
    first_rows = judged.astype(np.uint32)
    query_ids = arrays.query_ids.take("query", first_rows, "query")
    return Block(query_ids, observed, first_rows, rows - len(judged))


class Watched:
    """Scores of which it is known, once they were looked at, how far what can be in a list extends."""

    def __init__(self, scores: Scores) -> None:
        self._scores = scores
        self.shape, self.local = scores.shape, scores.local
        self.extent: Extent | None = None

    def block(self, rows: RowNumbers) -> Array:
        """The scores of some rows."""
        found = self._scores.block(rows)
        self.extent = spanning(self.extent, _extent(found[found > NEVER]))
        return found


def grade_extent(grades: Grades) -> Extent | None:
    """The extent of the grades."""
    return _extent(grades.take(np.flatnonzero(grades.counts)).grades)


def _extent(numbers: Array) -> Extent | None:
    """That of numbers along one axis."""
    if not numbers.shape[0]:
        return None
    return Extent(float(numbers.min()), float(numbers.max()), bool((numbers % 1 != 0).any()))


def _cut(k: int | None, choices: Choices, measures: tuple[Measure, ...]) -> int | None:
    """Where lists are cut: under ties="expected" nowhere, if no measure sees what is beyond k.

    Raises:
        UsageError: one does, and there is no one list of the first k.

    """
    if k is None or choices.ties != "expected":
        return k
    for measure in measures:
        within = measure.cutoff is not None and measure.cutoff <= k and measure.order != "list"
        if not within and measure.order != "nothing":
            raise UsageError(
                f'{measure} sees all of a list, and under ties="expected" none can end between equal scores: '
                f"give the measure a cutoff up to {k}, or leave out k"
            )
    return None


def _observed(
    arrays: Scored,
    relevance: Grades,
    judged: RowNumbers,
    choices: Choices,
    measures: tuple[Measure, ...],
    k: int | None,
    threads: int | None,
) -> Observed:
    """What a group of measures gives for the rows in which anything is judged."""
    seeds = _native.query_seeds(arrays.query_ids, "query", choices.seed) if choices.ties == "random" else None
    parts: list[Measured] = []
    for places in _blocks(relevance.counts[judged], arrays.scores):
        rows = judged[places]
        batch = Batch(
            arrays.scores.block(rows),
            relevance.take(rows),
            None if arrays.excluded is None else arrays.excluded.take(rows),
            None if seeds is None else seeds[rows],
            rows,
        )
        lists, lengths = judge(batch, places.astype(np.uint32), choices, k=k, threads=threads)
        # What ties could change is told by the lists as they were before the cut.
        parts.append(replace(measured(lists, measures, choices), retrieved=lengths))
    return merged(parts, len(judged))


CELLS = 1 << 26
"""Scores of a block: a call of the core is short enough for Ctrl-C, and products need so much memory."""


def _blocks(counts: NDArray[np.int64], scores: Scores) -> Iterator[RowNumbers]:
    """The places of the rows with so many judged items, a block at a time.

    A library that counts for all rows of a block at once does so as often as one of them has judged items, so
    for these they are ordered by that.
    """
    step = max(1, CELLS // max(1, scores.shape[1]))
    order = np.arange(len(counts)) if scores.local else np.argsort(-counts, kind="stable")
    return (order[start : start + step] for start in range(0, len(order), step))


def judge(
    batch: Batch, queries: NDArray[np.uint32], choices: Choices, *, k: int | None, threads: int | None
) -> tuple[_native.JudgedLists, NDArray[np.int64]]:
    """The judged lists of a batch, whose queries have these numbers, and how long they are before the cut.

    Raises:
        DataError: scores that are NaN.

    """
    if choices.scores == "float32" and "float64" in str(batch.scores.dtype):
        batch = batch._replace(scores=single(batch.scores))
    if _is_here(batch):
        places = _count_here(batch._replace(scores=to_numpy(batch.scores)), choices.ties, k, threads)
    else:
        places = _count_there(batch, choices.ties)
        places = _drawn(batch, places) if choices.ties == "random" else places
    _refuse_nan(places, batch.rows)
    return _native.ranked_lists(
        (places.greater, places.equal, places.before),
        places.retrieved,
        (batch.judged.offsets, batch.judged.grades),
        queries,
        ties=choices.ties,
        unjudged=choices.unjudged,
        k=k,
    )


def _is_here(batch: Batch) -> bool:
    """Whether the core is to count: what is no array of NumPy travels to it if that is better."""
    few = batch.judged.counts.max(initial=0) <= MOST
    return isinstance(batch.scores, np.ndarray) or not few or "float" not in str(batch.scores.dtype)


MOST = 500
"""Judged items a row beyond which scores travel: the core can sort them, counting would take long."""


class _Places(NamedTuple):
    """Where the judged items stand.

    Attributes:
        greater: items with a greater score, -1 for a judged item that is in no list; one a judged item.
        equal: items with its score, itself included.
        before: of these, the ones that the order of ties puts before it.
        retrieved: items in a list, one a row.
        undefined: number of scores that are NaN.
        first_undefined: row and column of the first of them.

    """

    greater: NDArray[np.int64]
    equal: NDArray[np.int64]
    before: NDArray[np.int64]
    retrieved: NDArray[np.int64]
    undefined: int
    first_undefined: tuple[int, int] | None


def _refuse_nan(places: _Places, rows: RowNumbers) -> None:
    if places.first_undefined is not None:
        row, column = places.first_undefined
        raise DataError(
            f"scores: {places.undefined} NaN, the first in row {rows[row]}, column {column} (from 0); "
            "replace them, with -inf where an item is never to be in the list"
        )


def single(scores: Array) -> Array:
    """The scores as 32-bit floats."""
    if isinstance(scores, np.ndarray):
        with np.errstate(over="ignore"):  # becomes infinite, as elsewhere
            return scores.astype(np.float32)
    library = namespace(scores)
    return scores.to(library.float32) if is_torch(scores) else library.astype(scores, library.float32)


def _count_here(batch: Batch, ties: Ties, k: int | None, threads: int | None) -> _Places:
    """Counts with the core, which can leave out what is beyond a cut."""
    judged, excluded = batch.judged, batch.excluded
    return _Places(
        *_native.count_before(
            _native_scores(batch.scores),
            (judged.offsets, judged.items),
            None if excluded is None else (excluded.offsets, excluded.items),
            ties=ties,
            seeds=batch.seeds,
            limit=k,
            threads=threads or 0,
        )
    )


def _native_scores(scores: NDArray[Any]) -> NDArray[np.float32] | NDArray[np.float64]:
    """The scores as the core takes them: without copying if they are so already."""
    single = scores.dtype.kind not in "iub" and scores.dtype.itemsize <= 4  # also halves, of whatever kind
    return np.require(scores, dtype=np.float32 if single else np.float64, requirements=["A", "C"])


def _count_there(batch: Batch, ties: Ties) -> _Places:
    """Counts with the functions of the scores' library; only the counts travel."""
    scores, judged, excluded = batch.scores, batch.judged, batch.excluded
    library, columns = namespace(scores), like(np.arange(scores.shape[1]), scores)
    asked, numbers = _gathered(scores, judged)
    counts = [_count(library, scores > NEVER)]
    for place in range(asked.shape[1]):
        score, number = asked[:, place : place + 1], numbers[:, place : place + 1]
        counts += _compared(library, scores, columns, score, number, ties)
    if excluded is not None:  # what is not in the lists is counted off again
        others, other_numbers = _gathered(scores, excluded)
        off = [_count(library, others > NEVER)]
        for place in range(asked.shape[1]):
            score, number = asked[:, place : place + 1], numbers[:, place : place + 1]
            off += _compared(library, others, other_numbers, score, number, ties)
        counts = [own - other for own, other in zip(counts, off, strict=True)]
    undefined = _count(library, library.isnan(scores))
    return _placed(batch, to_numpy(library.stack([*counts, undefined])), to_numpy(asked > NEVER))


NEVER = float("-inf")
"""The score of an item that is never to be in a list."""


def _compared(
    library: Any, scores: Array, columns: Array, score: Array, number: Array, ties: Ties
) -> list[Array]:
    """How many scores of each row are greater, how many equal, and how many of these come before."""
    equal = scores == score
    earlier = columns < number if ORDERS[ties].lower_first else columns > number
    return [_count(library, each) for each in (scores > score, equal, equal & earlier)]


def _count(library: Any, true: Array) -> Array:
    """How many are true, one a row."""
    return true.sum(dim=1) if is_torch(true) else library.count_nonzero(true, axis=1)


def _gathered(scores: Array, items: Sparse) -> tuple[Array, Array]:
    """The scores of some items of each row and their columns, NaN and -1 where a row has no more of them."""
    most = int(items.counts.max(initial=0))
    numbers = np.full((len(items.counts), most), -1)
    numbers[items.row, np.arange(len(items.items)) - items.offsets[items.row]] = items.items
    flat = np.maximum(numbers, 0) + np.arange(len(numbers))[:, None] * scores.shape[1]
    library = namespace(scores)
    at = like(flat.reshape(-1), scores)
    every = scores.reshape(-1) if is_torch(scores) else library.reshape(scores, (-1,))
    taken = every[at] if is_torch(scores) else library.take(every, at, axis=0)
    gathered = library.reshape(taken, numbers.shape)
    return library.where(like(numbers >= 0, scores), gathered, float("nan")), like(numbers, scores)


def _placed(batch: Batch, counts: NDArray[np.int64], listed: NDArray[np.bool_]) -> _Places:
    """The counts of each row's judged items, one after the other."""
    judged, excluded = batch.judged, batch.excluded
    row = judged.row
    place = np.arange(len(row)) - judged.offsets[row]
    greater, equal, before = (counts[1 + part : -1 : 3][place, row].astype(np.int64) for part in range(3))
    absent = ~listed[row, place]
    if excluded is not None:
        columns = batch.scores.shape[1]
        absent |= np.isin(row * columns + judged.items, excluded.row * columns + excluded.items)
    greater[absent], equal[absent], before[absent] = -1, 0, 0
    undefined, first = counts[-1], None
    if undefined.any():
        in_row = int(np.flatnonzero(undefined)[0])
        first = (in_row, int(np.isnan(to_numpy(batch.scores[in_row, :])).argmax()))
    return _Places(greater, equal, before, counts[0].astype(np.int64), int(undefined.sum()), first)


def _drawn(batch: Batch, places: _Places) -> _Places:
    """The places under ties="random", which the core draws: rows with ties of judged items travel."""
    row = batch.judged.row
    tied = np.unique(row[places.equal > 1])
    if not len(tied):
        return places
    part = Batch(
        to_numpy(take_rows(batch.scores, tied)),
        batch.judged.take(tied),
        None if batch.excluded is None else batch.excluded.take(tied),
        None if batch.seeds is None else batch.seeds[tied],
        batch.rows[tied],
    )
    places.before[np.isin(row, tied)] = _count_here(part, "random", None, None).before
    return places
