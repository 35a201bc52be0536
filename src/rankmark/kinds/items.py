"""What an item measure sees: the items at the top of every list, and what is known of items and users."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark import _native

if TYPE_CHECKING:
    from rankmark.kinds.lists import Values

__all__ = ["ItemFacts", "Lists", "RecommendedLists", "recommended_together"]

T = TypeVar("T")
Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Lists:
    """Some items each, one after the other.

    Attributes:
        items: their numbers.
        offsets: those of ``i`` are ``items[offsets[i]:offsets[i + 1]]``.

    """

    items: Numbers
    offsets: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ItemFacts:
    """What is known of items, by their numbers, and of users.

    Attributes:
        catalogue: whether each item can be recommended.
        interactions: of each item the rows in ``train``; None without it.
        users_of: of each item the users in ``train`` who had it; None without it.
        users: how many users ``train`` has; None without it.
        histories: the items that the user of each judged query has in ``train``; None without it.
        attributes: columns of the table of items, in the order of the numbers: numbers, [items] or
            [items, dimensions], or codes of categories as `Lists`.
        ids: gives the ids of all items, for messages.

    """

    catalogue: NDArray[np.bool_]
    ids: Callable[[], list[Any]]
    interactions: Values | None = None
    users_of: Values | None = None
    users: int | None = None
    histories: Lists | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many items can be recommended."""
        return int(np.count_nonzero(self.catalogue))

    def counts(self, by: Literal["users", "interactions"]) -> Values:
        """How many users had each item before, or how often it was had."""
        counts = self.users_of if by == "users" else self.interactions
        assert counts is not None  # pages that need it say so
        return counts


class RecommendedLists:
    """The items at the top of some lists, flat, query after query, each in rank order.

    Arrays named here have one entry an item of a list, unless they are said to have one a query.

    Attributes:
        item: its number, int32.
        relevance: its grade, NaN where it is not judged, float64.
        offsets: items of query ``q`` are ``offsets[q]:offsets[q + 1]``, int64.
        queries: numbers of the queries among all judged ones; one a query.
        facts: what is known of items and users.

    """

    __slots__ = ("_known", "facts", "item", "offsets", "queries", "relevance")

    def __init__(
        self,
        item: Numbers,
        relevance: Values,
        offsets: NDArray[np.int64],
        queries: NDArray[Any],
        facts: ItemFacts,
    ) -> None:
        self.item, self.relevance, self.offsets = item, relevance, offsets
        self.queries, self.facts = queries, facts
        self._known: dict[Hashable, object] = {}

    @property
    def rank(self) -> NDArray[np.int64]:
        """Its rank, from 1."""
        return self._once("rank", lambda: _native.segment_ranks(self.offsets))

    @property
    def length(self) -> Values:
        """How many items there are; one a query."""
        return np.diff(self.offsets).astype(np.float64)

    def top(self, cutoff: int | None) -> RecommendedLists:
        """The same down to a rank."""
        return self if cutoff is None else self._once(("top", cutoff), lambda: self._cut(cutoff))

    def _cut(self, cutoff: int) -> RecommendedLists:
        kept = self.rank <= cutoff
        lengths = np.minimum(np.diff(self.offsets), cutoff)
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        return RecommendedLists(self.item[kept], self.relevance[kept], offsets, self.queries, self.facts)

    def sum(self, x: ArrayLike) -> Values:
        """The sum of `x` over the items of each list; one a query."""
        return _native.segment_sum(np.ascontiguousarray(x, dtype=np.float64), self.offsets)

    def mean(self, x: ArrayLike) -> Values:
        """The mean of `x` over the items of each list, NaN for a list without items; one a query."""
        length = self.length
        return _native.ratio(self.sum(x), length, length)

    def mean_of(self, x: Values, which: NDArray[np.bool_]) -> Values:
        """The mean of `x` over some items of each list, NaN for a list without such; one a query."""
        count = self.sum(which)
        return _native.ratio(self.sum(np.where(which, x, 0.0)), count, count)

    def exposure(self) -> Values:
        """In how many lists each item of the catalogue is; one an item that can be recommended."""
        counts = np.bincount(self.item, minlength=len(self.facts.catalogue)).astype(np.float64)
        return counts[self.facts.catalogue]

    def _once(self, key: Hashable, compute: Callable[[], T]) -> T:
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]  # type: ignore[return-value]


def recommended_together(parts: Sequence[RecommendedLists], queries: int) -> RecommendedLists:
    """The lists of all parts, in the order of their queries, of which there are so many."""
    lengths = np.zeros(queries, dtype=np.int64)
    for part in parts:
        lengths[part.queries] = np.diff(part.offsets)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    items, grades = np.empty(offsets[-1], dtype=np.int32), np.empty(offsets[-1])
    for part in parts:
        moved = np.repeat(offsets[part.queries] - part.offsets[:-1], np.diff(part.offsets))
        places = moved + np.arange(len(part.item))
        items[places], grades[places] = part.item, part.relevance
    return RecommendedLists(items, grades, offsets, np.arange(queries), parts[0].facts)
