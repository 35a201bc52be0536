"""What a list measure sees: the judged items of every list, in rank order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark import _native

if TYPE_CHECKING:
    from typing import Self

__all__ = ["JudgedLists", "Values", "ratio"]

Values: TypeAlias = NDArray[np.float64]
"""One value an item or one a query."""


class JudgedLists:
    """The judged items of all lists, flat, query after query, each in rank order.

    Arrays named here have one entry an item unless they are said to have one a query. Items that were
    retrieved and not judged are not here: they have a rank but no grade, so no measure needs them.

    Attributes:
        rank: position in the list from 1, int64.
        relevance: grade, float64.
        offsets: items of query ``q`` are ``offsets[q]:offsets[q + 1]``, int64.
        retrieved: number of items in each list, judged or not; one a query, int64.
        ties: under ``ties="expected"`` the first and the last rank of the items with the same score;
            None where every item has one rank.

    """

    __slots__ = ("_ideal", "_query", "offsets", "rank", "relevance", "retrieved", "ties")

    def __init__(
        self,
        rank: NDArray[np.int64],
        relevance: Values,
        offsets: NDArray[np.int64],
        retrieved: NDArray[np.int64],
        *,
        ties: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
        ideal: JudgedLists | None = None,
    ) -> None:
        self.rank = rank
        self.relevance = relevance
        self.offsets = offsets
        self.retrieved = retrieved
        self.ties = ties
        self._ideal = ideal
        self._query: NDArray[np.intp] | None = None

    @classmethod
    def perfect(cls, relevance: Values, offsets: NDArray[np.int64]) -> Self:
        """Lists of judged items alone, at ranks 1, 2, 3 … in the order given."""
        lengths = np.diff(offsets)
        rank = np.arange(1, len(relevance) + 1) - np.repeat(offsets[:-1], lengths)
        return cls(rank, relevance, offsets, lengths)

    @property
    def ideal(self) -> JudgedLists:
        """All judged items of each query, retrieved or not, best first at ranks 1, 2, 3 …."""
        return self if self._ideal is None else self._ideal

    @property
    def judged(self) -> NDArray[np.int64]:
        """Number of judged items, retrieved or not; one a query."""
        return np.diff(self.ideal.offsets)

    @property
    def known(self) -> NDArray[np.int64]:
        """Number of items that were retrieved or judged; one a query."""
        return self.retrieved + self.judged - np.diff(self.offsets)

    def with_unjudged(self, grade: float) -> JudgedLists:
        """The same lists, with the unjudged items in them taken as judged `grade`."""
        offsets = np.concatenate(([0], np.cumsum(self.retrieved)))
        query = np.repeat(np.arange(len(self.retrieved)), self.retrieved)
        rank = np.arange(1, len(query) + 1) - offsets[query]
        relevance = np.full(len(query), float(grade))
        relevance[offsets[self.query] + self.rank - 1] = self.relevance
        ties = None if self.ties is None else self._ties_of_all(offsets, rank)

        unjudged = self.retrieved - np.diff(self.offsets)
        of = np.concatenate((self.ideal.query, np.repeat(np.arange(len(unjudged)), unjudged)))
        grades = np.concatenate((self.ideal.relevance, np.full(unjudged.sum(), float(grade))))
        order = np.lexsort((-grades, of))
        ideal = JudgedLists.perfect(grades[order], np.concatenate(([0], np.cumsum(self.judged + unjudged))))
        return JudgedLists(rank, relevance, offsets, self.retrieved, ties=ties, ideal=ideal)

    def _ties_of_all(
        self, offsets: NDArray[np.int64], rank: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first and the last rank of the items tied with each item of the lists, judged or not.

        Only ties with judged items are known. In the others all items are alike, so their order is no matter.
        """
        assert self.ties is not None
        first, last = self.ties
        opens = self._opens_list()
        opens[1:] |= first[1:] != first[:-1]
        first, size, start = first[opens], (last - first + 1)[opens], offsets[self.query][opens]
        place = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        tied = np.repeat(start + first - 1, size) + place
        all_first, all_last = rank.copy(), rank.copy()
        all_first[tied] = np.repeat(first, size)
        all_last[tied] = np.repeat(first + size - 1, size)
        return all_first, all_last

    def relevant(self, rel: float) -> Values:
        """Number of items judged `rel` or better, retrieved or not; one a query."""
        return self.ideal.sum(self.ideal.relevance >= rel)

    def length(self, cutoff: int | None) -> Values:
        """Number of items in each list down to `cutoff`; one a query."""
        lengths = self.retrieved if cutoff is None else np.minimum(self.retrieved, cutoff)
        return lengths.astype(np.float64)

    def sum(self, x: ArrayLike) -> Values:
        """The sum of `x` over the items of each list, added in rank order; one a query."""
        return _native.segment_sum(_floats(x), self.offsets)

    def running_sum(self, x: ArrayLike) -> Values:
        """For each item the sum of `x` over the items of its list down to it."""
        return _native.segment_running_sum(_floats(x), self.offsets)

    def running_product(self, x: ArrayLike) -> Values:
        """For each item the product of `x` over the items of its list down to it."""
        return _native.segment_running_product(_floats(x), self.offsets)

    def before(self, running: Values, start: float) -> Values:
        """A running value as it was one item earlier; `start` for the first item of a list."""
        return np.where(self._opens_list(), start, np.roll(running, 1))

    def last(self, x: Values, otherwise: float) -> Values:
        """The value of each list's last judged item, `otherwise` where none was retrieved; one a query."""
        value = np.full(len(self.retrieved), otherwise)
        filled = self.offsets[1:] > self.offsets[:-1]
        value[filled] = x[self.offsets[1:][filled] - 1]
        return value

    def greatest(self, x: Values) -> Values:
        """The greatest value of each list, 0 where no judged item was retrieved; one a query."""
        value = np.zeros(len(self.retrieved))
        filled = self.offsets[1:] > self.offsets[:-1]
        value[filled] = np.maximum.reduceat(x, self.offsets[:-1][filled]) if filled.any() else 0.0
        return value

    def ideal_rank(self) -> NDArray[np.int64]:
        """The rank that each item has in the ideal list in which equal grades come in this list's order.

        Those of a grade that were not retrieved follow those that were.
        """
        ideal = self.ideal
        grades = np.unique(ideal.relevance)
        best_first = len(grades) - 1 - np.searchsorted(grades, ideal.relevance)
        places = ideal.query * len(grades) + best_first
        place = self.query * len(grades) + len(grades) - 1 - np.searchsorted(grades, self.relevance)
        better = np.searchsorted(places, place) - ideal.offsets[self.query]
        order = np.argsort(place, kind="stable")
        of_grade = place[order]
        earlier = np.empty(len(order), dtype=np.int64)
        earlier[order] = np.arange(len(order)) - np.searchsorted(of_grade, of_grade)
        return better + earlier + 1

    @property
    def query(self) -> NDArray[np.intp]:
        """The number of each item's query, from 0."""
        if self._query is None:
            self._query = np.repeat(np.arange(len(self.retrieved)), np.diff(self.offsets))
        return self._query

    def spread(self, per_query: ArrayLike) -> NDArray[np.float64]:
        """A value a query, repeated for each item of its list."""
        return _floats(per_query)[self.query]

    def descending(self, x: Values) -> Values:
        """The values `x`, in each list from the greatest to the least."""
        rises = (x[1:] > x[:-1]) & ~self._opens_list()[1:]
        return x[np.lexsort((-x, self.query))] if rises.any() else x

    def within(self, cutoff: ArrayLike | None) -> Values:
        """1 for an item at rank `cutoff` or better, else 0; with ties the share of orders in which it is.

        `cutoff` is one number, one a query, or None for the whole list.
        """
        if cutoff is None:
            return np.ones(len(self.rank))
        limit = np.asarray(cutoff, dtype=np.float64)
        limit = self.spread(limit) if limit.ndim else limit
        if self.ties is None:
            return _floats(self.rank <= limit)
        first, last = self.ties
        return np.clip((limit - first + 1) / (last - first + 1), 0.0, 1.0)

    def at_rank(self, weight: Callable[[NDArray[np.int64]], ArrayLike]) -> Values:
        """The weight of each item's rank; with ties the mean weight of the ranks it can have."""
        if self.ties is None:
            return _floats(weight(self.rank))
        first, last = self.ties
        ranks = np.arange(1, last.max(initial=0) + 1)
        below = np.concatenate(([0.0], np.cumsum(_floats(weight(ranks)))))
        # One rank's weight is taken as it is: a difference of sums would blur its last digit.
        single = _floats(weight(self.rank))
        mean = (below[last] - below[first - 1]) / (last - first + 1)
        return _floats(np.where(first == last, single, mean))

    def at_first(self, hit: NDArray[np.bool_], weight: Callable[[NDArray[np.int64]], ArrayLike]) -> Values:
        """The weight of the rank of each list's first hit, 0 without a hit; one a query.

        With ties its mean over all orders. Of ``s`` tied items ``r`` are hits; the first of them is ``j``
        places down with probability C(s−1−j, r−1) / C(s, r).
        """
        value = np.zeros(len(self.retrieved))
        firsts = self._first_hits(hit)
        queries = self.query[firsts]
        if self.ties is None:
            value[queries] = _floats(weight(self.rank[firsts]))
            return value
        start = self.ties[0][firsts]
        size = self.ties[1][firsts] - start + 1
        hits = self._hits_tied_with(hit, firsts)
        probability, place = hits / size, 0
        while len(queries):
            value[queries] += probability * _floats(weight(start + place))
            left = place < size - hits
            queries, start, size, hits = queries[left], start[left], size[left], hits[left]
            probability = probability[left] * (size - hits - place) / (size - 1 - place)
            place += 1
        return value

    def tied_hits(self, hit: NDArray[np.bool_]) -> tuple[Values, Values]:
        """For each item the hits ranked above all items tied with it, and the hits among those tied."""
        running = self.running_sum(hit)
        if self.ties is None:
            return running - hit, _floats(hit)
        first = self.ties[0]
        opens = self._opens_list()
        opens[1:] |= first[1:] != first[:-1]
        closes = np.roll(opens, -1)  # the first item of all opens a group, so the last one closes one
        group = np.cumsum(opens) - 1
        upto = running[closes][group]
        before = (running - hit)[opens][group]
        return before, upto - before

    def _opens_list(self) -> NDArray[np.bool_]:
        """Whether an item is the first of its list."""
        opens: NDArray[np.bool_] = np.diff(self.query, prepend=-1) != 0
        return opens

    def _first_hits(self, hit: NDArray[np.bool_]) -> NDArray[np.intp]:
        places = np.flatnonzero(hit)
        queries = self.query[places]
        is_first = np.ones(len(places), dtype=np.bool_)
        is_first[1:] = queries[1:] != queries[:-1]
        return places[is_first]

    def _hits_tied_with(self, hit: NDArray[np.bool_], places: NDArray[np.intp]) -> NDArray[np.int64]:
        return self.tied_hits(hit)[1][places].astype(np.int64)


def ratio(numerator: ArrayLike, denominator: ArrayLike, relevant: ArrayLike) -> Values:
    """One value a query: NaN where nothing is `relevant`, else 0 where the denominator is 0."""
    above, below, some = np.broadcast_arrays(_floats(numerator), _floats(denominator), _floats(relevant))
    value = np.divide(above, below, out=np.zeros(above.shape), where=below != 0)
    value[some <= 0] = np.nan
    return _floats(value)


def _floats(x: ArrayLike) -> Values:
    return np.ascontiguousarray(x, dtype=np.float64)
