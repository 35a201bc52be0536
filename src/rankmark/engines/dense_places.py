"""Where judged items stand in rows of scores: how many items are before each.

A judged item's rank is one more than the number of items before it, so that nothing need be sorted, and the
ranks are exact however deep they are. Scores in this machine's memory are counted by the core, others by
their own library: where lists end early, among the highest scores, selected once for all judged items.
A device computes while its program goes on, so that counting is begun, and waited for later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.inputs.arrays.libraries import (
    Array,
    RowNumbers,
    first_true,
    highest,
    is_torch,
    least,
    like,
    namespace,
    take_rows,
    to_numpy,
)
from rankmark.language.choices import ORDERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankmark.inputs.arrays.judged_items import Sparse
    from rankmark.language.choices import Ties

__all__ = ["CELLS", "NEVER", "Batch", "Places", "begin_places"]

CELLS = 1 << 26
"""Scores of a block: a call of the core is short enough for Ctrl-C, and products need so much memory."""
NEVER = float("-inf")
"""The score of an item that is never to be in a list."""
MOST = 500
"""Judged items a row beyond which scores travel: the core can sort them, counting would take long."""
SHARE = 4
"""The highest scores are selected if they are at most one in so many."""


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


class Places(NamedTuple):
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


def begin_places(batch: Batch, ties: Ties, *, limit: int | None, threads: int | None) -> Callable[[], Places]:
    """Begins to count the places of the judged items of a batch; what it gives waits for them.

    One with `limit` greater scores is taken to have none. Without a limit the scores are not looked at again.
    """
    if _is_here(batch):
        places = _count_here(batch._replace(scores=to_numpy(batch.scores)), ties, limit, threads)
    elif ties == "random":
        places = _drawn(batch, _count_there(batch, ties, limit)())
    else:
        return _count_there(batch, ties, limit)
    return lambda: places


def _is_here(batch: Batch) -> bool:
    """Whether the core is to count: what is no array of NumPy travels to it if that is better."""
    few = batch.judged.counts.max(initial=0) <= MOST
    return isinstance(batch.scores, np.ndarray) or not few or "float" not in str(batch.scores.dtype)


def _count_here(batch: Batch, ties: Ties, limit: int | None, threads: int | None) -> Places:
    """Counts with the core, which stops at the limit."""
    judged, excluded = batch.judged, batch.excluded
    return Places(
        *_native.count_before(
            _native_scores(batch.scores),
            (judged.offsets, judged.items),
            None if excluded is None else (excluded.offsets, excluded.items),
            ties=ties,
            seeds=batch.seeds,
            limit=limit,
            threads=threads or 0,
        )
    )


def _native_scores(scores: NDArray[Any]) -> NDArray[np.float32] | NDArray[np.float64]:
    """The scores as the core takes them: without copying if they are so already."""
    single = scores.dtype.kind not in "iub" and scores.dtype.itemsize <= 4  # also halves, of whatever kind
    return np.require(scores, dtype=np.float32 if single else np.float64, requirements=["A", "C"])


def _count_there(batch: Batch, ties: Ties, limit: int | None) -> Callable[[], Places]:
    """Has the scores' library count; only the counts travel, once they are asked for."""
    scores, excluded = batch.scores, batch.excluded
    every = Compared(scores, like(np.arange(scores.shape[1]), scores))
    if limit is None:
        lengths = _lengths(scores)
        return _among(every, batch, ties, lambda: lengths)
    # So many that without the excluded items more than the limit are left.
    depth = limit + 1 + (0 if excluded is None else int(excluded.counts.max(initial=0)))
    selected = depth * SHARE <= scores.shape[1]
    compared = Compared(*highest(scores, depth)) if selected else every
    counted = _among(compared, batch, ties, _whole_or_counted(scores))

    def within() -> Places:
        places = counted()
        if selected:
            _count_whole(places, batch, ties, limit, depth)
        beyond = places.greater >= limit
        places.greater[beyond], places.equal[beyond], places.before[beyond] = -1, 0, 0
        return places

    return within


class Compared(NamedTuple):
    """Scores that judged items are compared with, and their columns; of each row all, or the highest."""

    scores: Array
    columns: Array


def _count_whole(places: Places, batch: Batch, ties: Ties, limit: int, depth: int) -> None:
    """Counts the rows whole whose `depth` highest scores do not tell all within the limit.

    Scores greater than that of a judged item within the limit are all among these, and so are equal ones
    unless it is the least of them.
    """
    row = batch.judged.row
    removed = 0 if batch.excluded is None else batch.excluded.counts[row]
    down_to_the_least = places.greater + places.equal + removed >= depth
    within = (places.greater >= 0) & (places.greater < limit)
    rows = np.unique(row[within & down_to_the_least])
    if len(rows):
        counted = np.isin(row, rows)
        whole = _count_there(_rows(batch, rows), ties, None)()
        for mine, theirs in zip(places[:3], whole[:3], strict=True):
            mine[counted] = theirs


def _rows(batch: Batch, rows: RowNumbers) -> Batch:
    """Some rows of a batch."""
    return Batch(
        take_rows(batch.scores, rows),
        batch.judged.take(rows),
        None if batch.excluded is None else batch.excluded.take(rows),
        None if batch.seeds is None else batch.seeds[rows],
        batch.rows[rows],
    )


class Lengths(NamedTuple):
    """What is known of the scores of each row, as arrays of any library.

    Attributes:
        possible: how many can be in a list.
        undefined: how many are NaN.
        first: the column of the first that is, any number where none is.

    """

    possible: Array
    undefined: Array
    first: Array


def _among(
    compared: Compared, batch: Batch, ties: Ties, lengths: Callable[[], Lengths]
) -> Callable[[], Places]:
    """The places of the judged items among some scores of each row, without those of the excluded items."""
    judged, excluded, columns = batch.judged, batch.excluded, batch.scores.shape[1]
    asked = _gathered(batch.scores, judged)
    counts, there = _counts(compared, asked, ties), asked.scores > NEVER
    removed = None
    if excluded is not None:  # what is not in the lists is counted off again
        others = _gathered(batch.scores, excluded)
        counts = [mine - off for mine, off in zip(counts, _counts(others, asked, ties), strict=True)]
        removed = _count(others.scores > NEVER)

    def places() -> Places:
        row = judged.row
        place = np.arange(len(row)) - judged.offsets[row]
        found = np.concatenate([to_numpy(each) for each in counts], axis=2).astype(np.int64, copy=False)
        greater, equal, before = (each[row, place] for each in found)
        absent = ~to_numpy(there)[row, place]
        possible, undefined, first = (to_numpy(each) for each in lengths())
        retrieved = possible.astype(np.int64)
        if excluded is not None:
            retrieved -= to_numpy(removed)
            absent |= np.isin(row * columns + judged.items, excluded.row * columns + excluded.items)
        greater[absent], equal[absent], before[absent] = -1, 0, 0
        in_rows = np.flatnonzero(undefined)
        where = (int(in_rows[0]), int(first[in_rows[0]])) if len(in_rows) else None
        return Places(greater, equal, before, retrieved, int(undefined.sum()), where)

    return places


def _lengths(scores: Array) -> Lengths:
    """What is known of the scores, by looking at each of them."""
    undefined = namespace(scores).isnan(scores)
    return Lengths(_count(scores > NEVER), _count(undefined), first_true(undefined))


def _whole_or_counted(scores: Array) -> Callable[[], Lengths]:
    """The same by a look at the least score of each row alone, if that tells."""
    lowest = least(scores) > NEVER  # which NaN is not

    def lengths() -> Lengths:
        rows, columns = scores.shape
        if not to_numpy(lowest).all():
            return _lengths(scores)
        none = np.zeros(rows, dtype=np.int64)
        return Lengths(np.full(rows, columns), none, none)

    return lengths


def _counts(compared: Compared, asked: Compared, ties: Ties) -> list[Array]:
    """How many scores of each row are greater than each asked one, how many equal, how many of these before.

    Of shape [3, rows, some of the asked ones].
    """
    library = namespace(asked.scores)
    rows, most = asked.scores.shape
    scores, columns = compared.scores[:, None, :], compared.columns[..., None, :]
    step = max(1, CELLS // max(1, rows * scores.shape[2]))
    found = []
    for start in range(0, most, step):
        end = min(start + step, most)
        score, number = asked.scores[:, start:end, None], asked.columns[:, start:end, None]
        equal = scores == score
        earlier = columns < number if ORDERS[ties].lower_first else columns > number
        found.append(library.stack([_count(each) for each in (scores > score, equal, equal & earlier)]))
    return found


def _count(true: Array) -> Array:
    """How many are true along the last axis."""
    return true.sum(dim=-1) if is_torch(true) else namespace(true).count_nonzero(true, axis=-1)


def _gathered(scores: Array, items: Sparse) -> Compared:
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
    known = library.where(like(numbers >= 0, scores), gathered, float("nan"))
    return Compared(known, like(numbers, scores))


def _drawn(batch: Batch, places: Places) -> Places:
    """The places under ties="random", which the core draws: rows with ties of judged items travel."""
    row = batch.judged.row
    tied = np.unique(row[places.equal > 1])
    if len(tied):
        part = _rows(batch, tied)
        part = part._replace(scores=to_numpy(part.scores))
        places.before[np.isin(row, tied)] = _count_here(part, "random", None, None).before
    return places
