"""What an item measure sees: the items at the top of every list, and what is known of items and users."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark import _native

if TYPE_CHECKING:
    from rankmark.kinds.lists import Values

__all__ = [
    "PIECE",
    "Attributes",
    "Interactions",
    "ItemFacts",
    "Lists",
    "Numbers",
    "RecommendedLists",
    "Shares",
    "together",
]

T = TypeVar("T")
Numbers = NDArray[np.int32]
By = Literal["users", "interactions"]
PIECE = 1 << 22
"""Numbers that are looked at at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """Some numbers each, such as the categories of items, one after the other.

    Attributes:
        values: the numbers, from 0 to below `count`.
        offsets: those of ``i`` are ``values[offsets[i]:offsets[i + 1]]``.
        count: how many different ones there can be.

    """

    values: NDArray[np.int64]
    offsets: NDArray[np.int64]
    count: int


class Attributes(Protocol):
    """What items are like."""

    def categories(self, column: str) -> Lists | None:
        """The categories of each item, each once; None where the column has numbers."""

    def vectors(self, column: str) -> NDArray[np.float64]:
        """The numbers of each item, [items, dimensions]."""


class Interactions:
    """Who had which items before: rows of numbers of users and of items.

    Attributes:
        users: how many users there are.

    """

    def __init__(self, user: Numbers, item: Numbers, users: int, items: int) -> None:
        self._user, self._item = user, item
        self.users, self._items = users, items

    @cached_property
    def interactions(self) -> Values:
        """How often each item was had."""
        return np.bincount(self._item, minlength=self._items).astype(np.float64)

    @cached_property
    def users_of(self) -> Values:
        """How many users had each item."""
        return np.bincount(self._pairs % self._items, minlength=self._items).astype(np.float64)

    @cached_property
    def _pairs(self) -> NDArray[np.int64]:
        """Each user with each item that they had, once, as ``user · items + item``, ascending."""
        pairs = self._user.astype(np.int64) * self._items + self._item
        pairs.sort()
        return pairs[np.concatenate(([True], pairs[1:] != pairs[:-1]))] if len(pairs) else pairs

    def had(self, user: NDArray[np.int64], item: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each of these users had the item beside them; a user of -1 had none."""
        return (user >= 0) & (item < self._items) & _in_sorted(user * self._items + item, self._pairs)

    def both(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> Values:
        """How many users had each of the items `x` and the one beside it in `y`, too."""
        users, offsets = self._by_item
        lengths = np.diff(offsets)
        known = np.maximum(x, y) < self._items  # others can be recommended, too
        x, y = np.where(known, x, 0), np.where(known, y, 0)
        few, many = np.where(lengths[x] < lengths[y], (x, y), (y, x))
        spread = np.where(known, lengths[few], 0)
        found = np.zeros(len(x))
        for start, stop in _pieces(spread):
            pair = np.repeat(np.arange(start, stop), spread[start:stop])
            user = users[_spread(offsets[few[start:stop]], spread[start:stop])]
            found[start:stop] = np.bincount(pair[self.had(user, many[pair])] - start, minlength=stop - start)
        return found

    @cached_property
    def _by_item(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The users who had each item, one after the other, and their offsets."""
        item = self._pairs % self._items
        order = np.argsort(item, kind="stable")
        return (self._pairs // self._items)[order], _offsets(np.bincount(item, minlength=self._items))

    @property
    def repeated(self) -> bool:
        """Whether a user had an item more than once."""
        return len(self._pairs) < len(self._user)

    def of(self, user: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The items that each of these users had, one after the other, and their offsets."""
        first = np.searchsorted(self._pairs, user * self._items)
        last = np.searchsorted(self._pairs, (user + 1) * self._items)
        lengths = np.where(user >= 0, last - first, 0)
        return self._pairs[_spread(first, lengths)] % self._items, _offsets(lengths)


@dataclass(frozen=True, slots=True, eq=False)
class ItemFacts:
    """What is known of items, by their numbers, and of users.

    Attributes:
        count: how many items can be recommended: those with a number below.
        attributes: what they are like; None where that is not known.
        train: who had which items before; None where that is not known.
        users: gives the number in `train` of each judged query, -1 for one that is not there.

    """

    count: int
    attributes: Attributes | None
    train: Interactions | None
    users: Callable[[], NDArray[np.int64]]

    def known(self) -> Attributes:
        """What items are like, for pages that say that they need it."""
        assert self.attributes is not None
        return self.attributes

    def before(self) -> Interactions:
        """Who had which items before, for pages that say that they need it."""
        assert self.train is not None
        return self.train

    def popularity(self, by: By) -> Values:
        """How many users had each item before, or how often it was had; one an item that has a number."""
        train = self.before()
        counts = train.users_of if by == "users" else train.interactions
        return np.concatenate((counts, np.zeros(max(self.count - len(counts), 0))))


class RecommendedLists:
    """The items at the top of some lists, flat, query after query, each in rank order.

    Arrays named here have one entry an item of a list, unless they are said to have one a query.

    Attributes:
        item: its number, int32.
        tied: whether the item after it, in the list or beyond what is seen of it, has an equal score.
        offsets: items of query ``q`` are ``offsets[q]:offsets[q + 1]``, int64.
        facts: what is known of items and users.

    """

    __slots__ = ("_known", "facts", "item", "offsets", "tied")

    def __init__(
        self, item: Numbers, tied: NDArray[np.bool_], offsets: NDArray[np.int64], facts: ItemFacts
    ) -> None:
        self.item, self.tied, self.offsets, self.facts = item, tied, offsets, facts
        self._known: dict[Hashable, object] = {}

    @property
    def length(self) -> Values:
        """How many items there are; one a query."""
        return self._once("length", lambda: np.diff(self.offsets).astype(np.float64))

    @property
    def query(self) -> NDArray[np.int64]:
        """The number of its query."""
        return self._once("query", lambda: np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets)))

    @property
    def user(self) -> NDArray[np.int64]:
        """The number of the user among those who had items before, -1 for none; one a query."""
        return self._once("user", self.facts.users)

    def top(self, cutoff: int | None) -> RecommendedLists:
        """The same down to a rank."""
        if cutoff is None or not len(self.item) or int(np.diff(self.offsets).max()) <= cutoff:
            return self
        return self._once(("top", cutoff), lambda: self._cut(cutoff))

    def _cut(self, cutoff: int) -> RecommendedLists:
        kept = _native.segment_ranks(self.offsets) <= cutoff
        lengths = np.minimum(np.diff(self.offsets), cutoff)
        return RecommendedLists(self.item[kept], self.tied[kept], _offsets(lengths), self.facts)

    def sum(self, x: ArrayLike) -> Values:
        """The sum of `x` over the items of each list; one a query."""
        return _native.segment_sum(np.ascontiguousarray(x, dtype=np.float64), self.offsets)

    def mean(self, x: ArrayLike, size: int | None = None) -> Values:
        """The mean of `x` over the items of each list, NaN for a list without items; one a query.

        Args:
            x: a number an item.
            size: what the sum is divided by instead of the length of the list.

        """
        length = self.length
        return _native.ratio(self.sum(x), length if size is None else float(size), length)

    def among(self, which: NDArray[np.bool_]) -> RecommendedLists:
        """The same with some of the items."""
        lengths = np.bincount(self.query[which], minlength=len(self.offsets) - 1)
        return RecommendedLists(self.item[which], self.tied[which], _offsets(lengths), self.facts)

    def median(self, x: Values) -> Values:
        """The median of `x` over the items of each list, NaN for a list without items; one a query."""
        ordered = x[np.lexsort((x, self.query))]
        first, length = self.offsets[:-1], np.diff(self.offsets)
        there = length > 0
        low, high = first + np.maximum(length - 1, 0) // 2, first + length // 2
        found = np.full(len(first), np.nan)
        found[there] = (ordered[low[there]] + ordered[high[there]]) / 2
        return found

    def exposure(self) -> Values:
        """In how many lists each item is; one an item that can be recommended."""
        return self._once(
            "exposure", lambda: np.bincount(self.item, minlength=self.facts.count).astype(np.float64)
        )

    def had(self) -> NDArray[np.bool_]:
        """Whether the user had it before."""
        return self.facts.before().had(self.user[self.query], self.item.astype(np.int64))

    def shares(self, column: str) -> Shares:
        """What share of each list is of which category; an item of several is of each in part."""
        return self._once(
            ("shares", column), lambda: self._shares(self.item.astype(np.int64), self.offsets, column)
        )

    def shares_before(self, column: str) -> Shares:
        """The same of the items that can be recommended that users had before."""
        return self._once(("before", column), lambda: self._before(column))

    def _before(self, column: str) -> Shares:
        item, offsets = self.facts.before().of(self.user)
        can = item < self.facts.count
        lengths = np.diff(np.concatenate(([0], np.cumsum(can)))[offsets])
        return self._shares(item[can], _offsets(lengths), column)

    def _shares(self, item: NDArray[np.int64], offsets: NDArray[np.int64], column: str) -> Shares:
        categories = self.facts.known().categories(column)
        assert categories is not None  # the column was looked at before
        lengths = np.diff(categories.offsets)[item]
        queries = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        keys = np.repeat(queries, lengths) * categories.count
        keys += categories.values[_spread(categories.offsets[item], lengths)]
        whole = np.diff(offsets).astype(np.float64)
        weights = np.repeat(1 / (lengths * whole[queries]), lengths)
        distinct, places = np.unique(keys, return_inverse=True)
        return Shares(
            distinct,
            np.bincount(places, weights, len(distinct)).astype(np.float64),
            categories.count,
            len(whole),
        )

    def _once(self, key: Hashable, compute: Callable[[], T]) -> T:
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]  # type: ignore[return-value]


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """How each of some lists divides into categories; what is not there is 0.

    Attributes:
        keys: ``list · count + category``, ascending.
        share: the share of each, which for each list add up to 1.
        count: how many categories there are.
        lists: how many lists there are.

    """

    keys: NDArray[np.int64]
    share: Values
    count: int
    lists: int

    def sum(self, x: Values) -> Values:
        """The sum of `x` over the categories of each list, NaN for a list without any; one a list."""
        lists = self.keys // self.count
        there = np.bincount(lists, minlength=self.lists)
        return np.where(there > 0, np.bincount(lists, x, self.lists), np.nan)

    def at(self, keys: NDArray[np.int64]) -> Values:
        """The shares of these keys."""
        found = np.zeros(len(keys))
        there = _in_sorted(keys, self.keys)
        found[there] = self.share[np.searchsorted(self.keys, keys[there])]
        return found


def together(
    parts: Sequence[tuple[NDArray[np.int64], Numbers, NDArray[np.bool_], NDArray[np.int64]]],
    queries: int,
    facts: ItemFacts,
) -> RecommendedLists:
    """The lists of all parts (queries, items, ties, offsets), in the order of their queries, so many."""
    lengths = np.zeros(queries, dtype=np.int64)
    for numbers, _, _, own in parts:
        lengths[numbers] = np.diff(own)
    offsets = _offsets(lengths)
    items, tied = np.empty(offsets[-1], dtype=np.int32), np.empty(offsets[-1], dtype=np.bool_)
    for numbers, item, ties, own in parts:
        first = offsets[numbers]
        if np.array_equal(first - first[:1], own[:-1]):  # queries that follow one another
            places: slice | NDArray[np.int64] = (
                slice(int(first[0]), int(first[0]) + len(item)) if len(first) else slice(0)
            )
        else:
            places = _spread(first, np.diff(own))
        items[places], tied[places] = item, ties
    return RecommendedLists(items, tied, offsets, facts)


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)))


def _spread(first: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers from each first one, so many of each, one after the other."""
    before = _offsets(lengths)
    return np.repeat(first - before[:-1], lengths) + np.arange(before[-1])


def _pieces(lengths: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Where those stand, one after the other, that are together about as long as fits in memory."""
    ends = np.cumsum(lengths)
    start = 0
    while start < len(ends):
        before = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, before + PIECE, side="right")), start + 1)
        yield start, stop
        start = stop


def _in_sorted(x: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each is among some ascending numbers."""
    if not len(known):
        return np.zeros(len(x), dtype=np.bool_)
    places = np.minimum(np.searchsorted(known, x), len(known) - 1)
    found: NDArray[np.bool_] = known[places] == x
    return found
