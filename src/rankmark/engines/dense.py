"""Arrays of scores: the ranks of the judged items are counted where the scores are, and nothing else travels.

It goes through the rows a block at a time; `rankmark.engines.dense_places` counts. Where scores are on
another device, that begins with a block before this waits for the one before it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.aggregation.observed import Block, Measured, Observed, measured, merged
from rankmark.aggregation.refusals import check_judged
from rankmark.engines.dense_places import CELLS, NEVER, Batch, Places, begin_places
from rankmark.errors import DataError, UsageError
from rankmark.inputs.arrays.libraries import Array, RowNumbers, Scores, is_torch, namespace
from rankmark.language.conventions.limits import Extent, spanning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rankmark.inputs.arrays.judged_items import Grades, Sparse
    from rankmark.inputs.arrays.scored import Scored
    from rankmark.inputs.catalogue import Numbered
    from rankmark.language.choices import Choices
    from rankmark.language.measure import Measure
    from rankmark.language.plan import Group

__all__ = ["Watched", "as_chosen", "begin", "grade_extent", "observe"]


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
        relevance, judged = _judged(arrays, choices)
        cut = _cut(k, choices, measures)
        begun = _begun(arrays, relevance, judged, choices, measures, cut, threads)
        found = merged([*_one_behind(begun)], judged.astype(np.uint32))
        if items is not None and any(measure.page.kind == "item" for measure in measures):
            from rankmark.engines.dense_tops import with_tops

            found = with_tops(found, arrays, relevance, judged, choices, measures, k, items)
        observed.append(found)
    return _block(arrays.query_ids, len(relevance.counts) - len(judged), observed)


def begin(arrays: Scored, groups: Sequence[Group], *, threads: int | None = None) -> Callable[[], Block]:
    """Begins what `observe` does, of whole lists and without items; what it gives waits for the values.

    Of scores elsewhere nothing but counts is kept until then.

    Raises:
        DataError: rows that a choice refuses; scores that are NaN, here or when it has waited.

    """
    begun = []
    for choices, measures in groups:
        relevance, judged = _judged(arrays, choices)
        begun.append([*_begun(arrays, relevance, judged, choices, measures, None, threads)])
    return partial(_waited, arrays.query_ids, len(relevance.counts), judged, begun)


def _one_behind(begun: Iterator[Callable[[], Measured]]) -> Iterator[Measured]:
    """Waits for each block once the next one is begun."""
    waiting: Callable[[], Measured] | None = None
    for each in begun:
        if waiting is not None:
            yield waiting()
        waiting = each
    if waiting is not None:
        yield waiting()


def _waited(
    query_ids: _native.Table, rows: int, judged: RowNumbers, begun: list[list[Callable[[], Measured]]]
) -> Block:
    """What was begun, of each group all blocks."""
    first_rows = judged.astype(np.uint32)
    observed = [merged([each() for each in parts], first_rows) for parts in begun]
    return _block(query_ids, rows - len(judged), observed)


def _judged(arrays: Scored, choices: Choices) -> tuple[Grades, RowNumbers]:
    """The judgements, and the rows that have any.

    Raises:
        DataError: there are none, or too few for the choices.

    """
    relevance = arrays.grades(choices.duplicates)
    judged = np.flatnonzero(relevance.counts)
    check_judged(len(relevance.counts), len(judged), choices)
    return relevance, judged


def _block(query_ids: _native.Table, unjudged: int, observed: list[Observed]) -> Block:
    """What was observed of the judged rows, and how many others there are."""
    queries = observed[0].queries
    return Block(queries, queries.ids(query_ids, "query"), observed, unjudged)


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


def _begun(
    arrays: Scored,
    relevance: Grades,
    judged: RowNumbers,
    choices: Choices,
    measures: tuple[Measure, ...],
    k: int | None,
    threads: int | None,
) -> Iterator[Callable[[], Measured]]:
    """Begins with the rows in which anything is judged, a block at a time."""
    seeds = _native.query_seeds(arrays.query_ids, "query", choices.seed) if choices.ties == "random" else None
    for places in _blocks(relevance.counts[judged], arrays.scores):
        rows = judged[places]
        batch = Batch(
            as_chosen(arrays.scores.block(rows), choices),
            relevance.take(rows),
            None if arrays.excluded is None else arrays.excluded.take(rows),
            None if seeds is None else seeds[rows],
            rows,
        )
        counted = begin_places(batch, choices.ties, limit=k, threads=threads)
        queries = places.astype(np.uint32)
        yield partial(_measured, counted, rows, batch.judged, queries, measures, choices, k)


def _measured(
    counted: Callable[[], Places],
    rows: RowNumbers,
    judged: Sparse,
    queries: NDArray[np.uint32],
    measures: tuple[Measure, ...],
    choices: Choices,
    k: int | None,
) -> Measured:
    """The values of rows, whose queries have these numbers, once their judged items are counted.

    Raises:
        DataError: scores that are NaN.

    """
    places = counted()
    _refuse_nan(places, rows)
    lists, lengths = _native.ranked_lists(
        (places.greater, places.equal, places.before),
        places.retrieved,
        (judged.offsets, judged.grades),
        queries,
        ties=choices.ties,
        unjudged=choices.unjudged,
        k=k,
    )
    # What ties could change is told by the lists as they were before the cut.
    return replace(measured(lists, measures, choices), retrieved=lengths)


def _blocks(counts: NDArray[np.int64], scores: Scores) -> Iterator[RowNumbers]:
    """The places of the rows with so many judged items, a block at a time.

    A library that counts for all rows of a block at once does so as often as one of them has judged items, so
    for these they are ordered by that.
    """
    step = max(1, CELLS // max(1, scores.shape[1]))
    order = np.arange(len(counts)) if scores.local else np.argsort(-counts, kind="stable")
    return (order[start : start + step] for start in range(0, len(order), step))


def _refuse_nan(places: Places, rows: RowNumbers) -> None:
    if places.first_undefined is not None:
        row, column = places.first_undefined
        raise DataError(
            f"scores: {places.undefined} NaN, the first in row {rows[row]}, column {column} (from 0); "
            "replace them, with -inf where an item is never to be in the list"
        )


def as_chosen(scores: Array, choices: Choices) -> Array:
    """The scores as wide as was chosen."""
    if choices.scores != "float32" or "float64" not in str(scores.dtype):
        return scores
    if isinstance(scores, np.ndarray):
        with np.errstate(over="ignore"):  # becomes infinite, as elsewhere
            return scores.astype(np.float32)
    library = namespace(scores)
    return scores.to(library.float32) if is_torch(scores) else library.astype(scores, library.float32)
