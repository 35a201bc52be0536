"""What an engine hands on: the values of every judged query, and what tie-breaking decides in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankmark.kinds.lists import JudgedLists, Values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark import _native
    from rankmark.language.measure import Measure

__all__ = ["Observed", "Part", "judged_lists", "measured", "merged"]


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the judged queries.

    Attributes:
        queries: their numbers, in the order in which the judgements name them first.
        answered: whether each has results.
        retrieved: number of items in each list.
        tied_rank: the best rank at which tie-breaking decides between different grades, 0 if it nowhere does.
        values: what the measures give, one value a query, or two for a ratio of sums: its numerators and its
            denominators; NaN where nothing is relevant.
        hits: number of judged items in their lists.

    """

    queries: slice | NDArray[np.uint32]
    answered: NDArray[np.bool_]
    retrieved: NDArray[np.int64]
    tied_rank: NDArray[np.int64]
    values: list[Values]
    hits: int


@dataclass(frozen=True, slots=True)
class Observed:
    """All judged queries, in the order in which the judgements name them first; attributes as in `Part`.

    Attributes:
        ties: whether tie-breaking decides anything at all.
        first_rows: the first row of each query in the judgements.
        unjudged_queries: number of queries with results and without judgements.

    """

    answered: NDArray[np.bool_]
    retrieved: NDArray[np.int64]
    tied_rank: NDArray[np.int64]
    values: list[Values]
    hits: int
    first_rows: NDArray[np.uint32]
    unjudged_queries: int
    ties: bool


def measured(lists: _native.JudgedLists, measures: Sequence[Measure]) -> Part:
    """Computes the measures of some queries."""
    seen = judged_lists(lists)
    values: list[Values] = []
    for measure in measures:
        computed = measure.compute(seen)
        values.extend(computed if isinstance(computed, tuple) else (computed,))
    return Part(lists.queries, lists.answered, lists.retrieved, lists.tied_rank, values, hits=len(lists.rank))


def judged_lists(lists: _native.JudgedLists) -> JudgedLists:
    """What measures see of some queries."""
    ties = None
    if lists.tied_first is not None and lists.tied_last is not None:
        ties = (lists.tied_first, lists.tied_last)
    ideal = JudgedLists.perfect(lists.ideal, lists.ideal_offsets)
    return JudgedLists(lists.rank, lists.relevance, lists.offsets, lists.retrieved, ties=ties, ideal=ideal)


def merged(parts: list[Part], first_rows: NDArray[np.uint32], unjudged_queries: int) -> Observed:
    """Brings the queries of all parts into their order."""
    hits = sum(part.hits for part in parts)
    if len(parts) == 1 and isinstance(parts[0].queries, slice):
        part = parts[0]
        # Copies, because two measures may have given the same array.
        values = [each.copy() for each in part.values]
        answered, retrieved, tied_rank = part.answered, part.retrieved, part.tied_rank
    else:
        queries = len(first_rows)
        answered = np.empty(queries, dtype=np.bool_)
        retrieved, tied_rank = np.empty((2, queries), dtype=np.int64)
        values = [np.empty(queries) for _ in parts[0].values]
        for part in parts:
            answered[part.queries] = part.answered
            retrieved[part.queries] = part.retrieved
            tied_rank[part.queries] = part.tied_rank
            for whole, own in zip(values, part.values, strict=True):
                whole[part.queries] = own
    ties = bool(np.count_nonzero(tied_rank))
    return Observed(answered, retrieved, tied_rank, values, hits, first_rows, unjudged_queries, ties)
