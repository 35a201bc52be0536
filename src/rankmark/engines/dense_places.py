"""Where judged items stand in rows of scores: how many items are before each.

A judged item's rank is one more than the number of items before it, so that nothing need be sorted, and the
ranks are exact however deep they are. Scores in this machine's memory are counted by the core, others by
their own library: where lists end early, among the highest scores, selected once for all judged items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.inputs.arrays.libraries import (
    Array,
    RowNumbers,
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
    from rankmark.inputs.arrays.judged_items import Sparse
    from rankmark.language.choices import Ties

__all__ = ["CELLS", "NEVER", "Batch", "Places", "places_of"]

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


def places_of(batch: Batch, ties: Ties, *, limit: int | None, threads: int | None) -> Places:
    """The places of the judged items of a batch; one with `limit` greater scores is taken to have none."""
    if _is_here(batch):
        return _count_here(batch._replace(scores=to_numpy(batch.scores)), ties, limit, threads)
    places = _count_there(batch, ties, limit)
    return _drawn(batch, places) if ties == "random" else places


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


def _count_there(batch: Batch, ties: Ties, limit: int | None) -> Places:
    """Counts with the functions of the scores' library; only the counts travel."""
    scores, excluded = batch.scores, batch.excluded
    every = Compared(scores, like(np.arange(scores.shape[1]), scores))
    if limit is None:
        return _among(every, batch, ties)
    # So many that without the excluded items more than the limit are left.
    depth = limit + 1 + (0 if excluded is None else int(excluded.counts.max(initial=0)))
    if depth * SHARE > scores.shape[1]:
        places = _among(every, batch, ties)
    else:
        places = _among(Compared(*highest(scores, depth)), batch, ties)
        _count_whole(places, batch, ties, limit, depth)
    beyond = places.greater >= limit
    places.greater[beyond], places.equal[beyond], places.before[beyond] = -1, 0, 0
    return places


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
        for mine, whole in zip(places[:3], _count_there(_rows(batch, rows), ties, None)[:3], strict=True):
            mine[counted] = whole


def _rows(batch: Batch, rows: RowNumbers) -> Batch:
    """Some rows of a batch."""
    return Batch(
        take_rows(batch.scores, rows),
        batch.judged.take(rows),
        None if batch.excluded is None else batch.excluded.take(rows),
        None if batch.seeds is None else batch.seeds[rows],
        batch.rows[rows],
    )


def _among(compared: Compared, batch: Batch, ties: Ties) -> Places:
    """The places of the judged items among some scores of each row, without those of the excluded items."""
    judged, excluded = batch.judged, batch.excluded
    asked = _gathered(batch.scores, judged)
    counts = _counts(compared, asked, ties)
    retrieved, undefined = _lengths(batch.scores)
    if excluded is not None:  # what is not in the lists is counted off again
        others = _gathered(batch.scores, excluded)
        counts -= _counts(others, asked, ties)
        retrieved -= to_numpy(_count(others.scores > NEVER))
    row = judged.row
    place = np.arange(len(row)) - judged.offsets[row]
    greater, equal, before = (each[row, place] for each in counts)
    absent = ~to_numpy(asked.scores > NEVER)[row, place]
    if excluded is not None:
        columns = batch.scores.shape[1]
        absent |= np.isin(row * columns + judged.items, excluded.row * columns + excluded.items)
    greater[absent], equal[absent], before[absent] = -1, 0, 0
    first = None
    if undefined.any():
        in_row = int(np.flatnonzero(undefined)[0])
        first = (in_row, int(np.isnan(to_numpy(batch.scores[in_row, :])).argmax()))
    return Places(greater, equal, before, retrieved, int(undefined.sum()), first)


def _lengths(scores: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many scores of each row can be in a list, and how many are NaN."""
    rows, columns = scores.shape
    if to_numpy(least(scores) > NEVER).all():  # which NaN is not
        return np.full(rows, columns, dtype=np.int64), np.zeros(rows, dtype=np.int64)
    possible, undefined = _count(scores > NEVER), _count(namespace(scores).isnan(scores))
    return to_numpy(possible).astype(np.int64), to_numpy(undefined).astype(np.int64)


def _counts(compared: Compared, asked: Compared, ties: Ties) -> NDArray[np.int64]:
    """How many scores of each row are greater than each asked one, how many equal, how many of these before.

    The shape is [3, rows, asked].
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
    return np.concatenate([np.zeros((3, rows, 0), dtype=np.int64), *map(to_numpy, found)], axis=2)


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
