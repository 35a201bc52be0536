"""What a coefficient of agreement sees: two lists for each of some queries, and the items in both."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias

from rankmark import _native
from rankmark import _numpy as np
from rankmark.dataclassing import dataclass

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Lists", "Pairs", "Whole", "offsets_of"]

Whole: TypeAlias = "NDArray[np.int64]"


@dataclass(frozen=True, slots=True)
class Lists:
    """Ranked lists, flat, query after query, each in rank order.

    Attributes:
        offsets: the items of query ``q`` are ``offsets[q]:offsets[q + 1]``.
        first: the first rank of the items with the same score, of each item.
        last: the last one.

    """

    offsets: Whole
    first: Whole
    last: Whole

    @property
    def length(self) -> Whole:
        """Number of items; one a query."""
        return np.diff(self.offsets)

    @property
    def tied(self) -> bool:
        """Whether any items have the same score."""
        return self.first is not self.last and not np.array_equal(self.first, self.last)

    def between(self, start: int, stop: int) -> Lists:
        """Those of the queries from one number, from 0, to before another."""
        offsets = self.offsets[start : stop + 1]
        own = slice(offsets[0], offsets[-1])
        return Lists(offsets - own.start, self.first[own], self.last[own])


AT_ONCE = 2**16
"""So many items of lists are looked at at a time."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Two lists for each of some queries, and the items that are in both.

    Attributes:
        a: the first lists.
        b: the second lists.
        offsets: the common items of query ``q`` are ``offsets[q]:offsets[q + 1]``.
        rank_a: the rank of each of them in the first list; they stand in this order.
        rank_b: its rank in the second list.

    """

    a: Lists
    b: Lists
    offsets: Whole
    rank_a: Whole
    rank_b: Whole

    @property
    def query(self) -> Whole:
        """The number of each common item's query."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def parts(self) -> Iterator[Pairs]:
        """The pairs of some queries at a time, whose items stay in a cache."""
        filled = np.cumsum(self.a.length + self.b.length) // AT_ONCE
        for start, stop in pairwise([0, *(np.flatnonzero(np.diff(filled)) + 1), len(filled)]):
            offsets = self.offsets[start : stop + 1]
            own = slice(offsets[0], offsets[-1])
            lists = self.a.between(start, stop), self.b.between(start, stop)
            yield Pairs(*lists, offsets - own.start, self.rank_a[own], self.rank_b[own])

    def top(self, cutoff: int | None) -> Pairs:
        """The first items of each list alone. Equal scores there and below are not equal any more."""
        if cutoff is None:
            return self
        kept = (self.rank_a <= cutoff) & (self.rank_b <= cutoff)
        offsets = offsets_of(_native.segment_count(kept, self.offsets))
        a, b = _top(self.a, cutoff), _top(self.b, cutoff)
        return Pairs(a, b, offsets, self.rank_a[kept], self.rank_b[kept])

    def tied(self, side: Literal["a", "b"]) -> tuple[Whole, Whole]:
        """The first and the last rank of the items tied with each common item, in one of the lists."""
        lists, rank = (self.a, self.rank_a) if side == "a" else (self.b, self.rank_b)
        if not lists.tied:
            return rank, rank
        at = lists.offsets[self.query] + rank - 1
        return lists.first[at], lists.last[at]


def _top(lists: Lists, cutoff: int) -> Lists:
    offsets = offsets_of(np.minimum(lists.length, cutoff))
    kept = np.repeat(lists.offsets[:-1] - offsets[:-1], np.diff(offsets)) + np.arange(offsets[-1])
    return Lists(offsets, lists.first[kept], np.minimum(lists.last[kept], cutoff))


def offsets_of(counts: ArrayLike) -> Whole:
    """Where the items of each query begin, and where the last one's end, of how many each has."""
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
