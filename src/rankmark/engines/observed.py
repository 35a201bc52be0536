"""What an engine hands on: the values of every judged query, and what tie-breaking decides in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankmark.lists import JudgedLists, Values

if TYPE_CHECKING:
    from rankmark import _native
    from rankmark.measure import Measure

__all__ = ["Computed", "Observed", "Part", "measured", "merged"]

Computed: TypeAlias = tuple[Values, ...]
"""One value a query; for a ratio of sums its numerators and its denominators."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the judged queries.

    Attributes:
        queries: their numbers, in the order in which the judgements name them first.
        answered: whether each has results.
        tied_rank: the best rank at which tie-breaking decides between different grades, 0 if it nowhere does.
        computed: what each measure gives for them; NaN where nothing is relevant.
        hits: number of judged items in their lists.

    """

    queries: NDArray[np.uint32]
    answered: NDArray[np.bool_]
    tied_rank: NDArray[np.int64]
    computed: Mapping[Measure, Computed]
    hits: int


@dataclass(frozen=True, slots=True)
class Observed:
    """All judged queries, in the order in which the judgements name them first; attributes as in `Part`.

    Attributes:
        first_rows: the first row of each query in the judgements.
        unjudged_queries: number of queries with results and without judgements.

    """

    answered: NDArray[np.bool_]
    tied_rank: NDArray[np.int64]
    computed: Mapping[Measure, Computed]
    hits: int
    first_rows: NDArray[np.uint32]
    unjudged_queries: int


def measured(lists: _native.JudgedLists, measures: Iterable[Measure]) -> Part:
    """Computes the measures of some queries."""
    ties = None
    if lists.tied_first is not None and lists.tied_last is not None:
        ties = (lists.tied_first, lists.tied_last)
    ideal = JudgedLists.perfect(lists.ideal, lists.ideal_offsets)
    seen = JudgedLists(lists.rank, lists.relevance, lists.offsets, lists.retrieved, ties=ties, ideal=ideal)
    computed = {measure: _parts(measure.compute(seen)) for measure in measures}
    return Part(lists.queries, lists.answered, lists.tied_rank, computed, len(lists.rank))


def merged(parts: list[Part], first_rows: NDArray[np.uint32], unjudged_queries: int) -> Observed:
    """Brings the queries of all parts into their order."""
    queries = np.concatenate([part.queries for part in parts])

    def whole(pieces: list[NDArray[Any]]) -> NDArray[Any]:
        joined = np.empty(len(queries), pieces[0].dtype)
        joined[queries] = np.concatenate(pieces)
        return joined

    def computed(measure: Measure) -> Computed:
        pieces = zip(*(part.computed[measure] for part in parts), strict=True)
        return tuple(whole(list(each)) for each in pieces)

    return Observed(
        answered=whole([part.answered for part in parts]),
        tied_rank=whole([part.tied_rank for part in parts]),
        computed={measure: computed(measure) for measure in parts[0].computed},
        hits=sum(part.hits for part in parts),
        first_rows=first_rows,
        unjudged_queries=unjudged_queries,
    )


def _parts(computed: Values | tuple[Values, Values]) -> Computed:
    return computed if isinstance(computed, tuple) else (computed,)
