"""What an item measure sees: the items at the top of every list."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from rankmark import _native
from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError
from rankmark.kinds.item_facts import Attributes, ItemFacts, Lists, Numbers
from rankmark.kinds.ragged import found_in, offsets_of, spread, sums_by_key

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from rankmark.kinds.lists import Values

__all__ = ["RecommendedLists", "Shares", "Tops", "together"]

T = TypeVar("T")


class RecommendedLists:
    """The items at the top of some lists, flat, query after query, each in rank order.

    Arrays named here have one entry an item of a list, unless they are said to have one a query.

    Each list counts as often as its query is drawn. What there is of a list does not depend on that; what is
    of all lists, such as `exposure` and `total`, does. A measure of the whole run brings lists together by
    these two, or by `drawn` itself, so that it can be had of resamples and of some of the queries without a
    list being copied: it gives of lists that count twice what it gives of lists that are there twice.

    Attributes:
        item: its number, int32.
        tied: whether the item after it, in the list or beyond what is seen of it, has an equal score.
        offsets: items of query ``q`` are ``offsets[q]:offsets[q + 1]``, int64.
        facts: what is known of items and users.

    """

    __slots__ = ("_drawn", "_known", "facts", "item", "offsets", "tied")

    def __init__(
        self,
        item: Numbers,
        tied: NDArray[np.bool_],
        offsets: NDArray[np.int64],
        facts: ItemFacts,
        drawn: Values | None = None,
    ) -> None:
        self.item, self.tied, self.offsets, self.facts, self._drawn = item, tied, offsets, facts, drawn
        self._known: dict[Hashable, object] = {}

    def draw(self, drawn: Values) -> RecommendedLists:
        """The same lists, of which each counts so often; one number a query."""
        again = RecommendedLists(self.item, self.tied, self.offsets, self.facts, drawn)
        again._known = self._known  # which is of each list
        return again

    @property
    def drawn(self) -> Values:
        """How often each list counts; one a query."""
        return np.ones(len(self.offsets) - 1) if self._drawn is None else self._drawn

    @property
    def length(self) -> Values:
        """How many items there are; one a query."""
        return self.once("length", lambda: np.diff(self.offsets).astype(np.float64))

    @property
    def query(self) -> NDArray[np.int64]:
        """The number of its query."""
        return self.once("query", lambda: np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets)))

    @property
    def rank(self) -> NDArray[np.int64]:
        """Its rank, from 1."""
        return self.once("rank", lambda: _native.segment_ranks(self.offsets))

    @property
    def ties(self) -> Values:
        """How many items have the score of the next; one a query."""
        return self.once("ties", lambda: _native.segment_count(self.tied, self.offsets))

    @property
    def user(self) -> NDArray[np.int64]:
        """The number of the user among those who had items before, -1 for none; one a query."""
        return self.once("user", self.facts.users)

    @property
    def profiles(self) -> RecommendedLists:
        """The items that the user of each list had before, each once, in no order that means anything."""
        return self.once("profiles", self._profiles)

    def _profiles(self) -> RecommendedLists:
        item, offsets = self.facts.before().of(self.user)
        untied = np.zeros(len(item), dtype=np.bool_)
        return RecommendedLists(item, untied, offsets, self.facts)

    def top(self, cutoff: int | None) -> RecommendedLists:
        """The same down to a rank."""
        if cutoff is None or not len(self.item) or int(np.diff(self.offsets).max()) <= cutoff:
            return self
        cut = self.once(("top", cutoff), lambda: self._cut(cutoff))
        return cut if self._drawn is None else cut.draw(self._drawn)

    def _cut(self, cutoff: int) -> RecommendedLists:
        kept = self.rank <= cutoff
        lengths = np.minimum(np.diff(self.offsets), cutoff)
        return RecommendedLists(self.item[kept], self.tied[kept], offsets_of(lengths), self.facts)

    def sum(self, x: ArrayLike) -> Values:
        """The sum of `x` over the items of each list; one a query."""
        return _native.segment_sum(np.ascontiguousarray(x, dtype=np.float64), self.offsets)

    def sum_of(self, x: ArrayLike) -> Values:
        """The sum over the items of each list of what they are, `x`, a number an item that there is."""
        return _native.sums_of(np.ascontiguousarray(x, dtype=np.float64), (self.offsets, self.item))

    def mean(self, x: ArrayLike, size: int | None = None) -> Values:
        """The mean of `x` over the items of each list, NaN for a list without items; one a query.

        Args:
            x: a number an item.
            size: what the sum is divided by instead of the length of the list.

        """
        length = self.length
        return _native.ratio(self.sum(x), length if size is None else float(size), length)

    def mean_of(self, x: ArrayLike, size: int | None = None) -> Values:
        """The same as `mean` of what the items are, `x`, a number an item that there is."""
        length = self.length
        return _native.ratio(self.sum_of(x), length if size is None else float(size), length)

    def among(self, which: NDArray[np.bool_]) -> RecommendedLists:
        """The same with some of the items."""
        lengths = np.bincount(self.query[which], minlength=len(self.offsets) - 1)
        return RecommendedLists(
            self.item[which], self.tied[which], offsets_of(lengths), self.facts, self._drawn
        )

    def median(self, x: Values) -> Values:
        """The median of `x` over the items of each list, NaN for a list without items; one a query."""
        ordered = x[np.lexsort((x, self.query))]
        first, length = self.offsets[:-1], np.diff(self.offsets)
        there = length > 0
        low, high = first + np.maximum(length - 1, 0) // 2, first + length // 2
        found = np.full(len(first), np.nan)
        found[there] = (ordered[low[there]] + ordered[high[there]]) / 2
        return found

    def exposure(self, x: Values | None = None) -> Values:
        """In how many lists each item is, or the sum of `x` over these; one an item that there is."""
        if x is not None:
            weights = x if self._drawn is None else x * self._drawn[self.query]
            return np.bincount(self.item, weights, minlength=self.facts.count).astype(np.float64)
        once = self.once("exposure", self._exposure_once)
        if self._drawn is None:
            return once.copy()
        # Those that count once are added up but once, however often lists are drawn.
        odd, there = np.flatnonzero(self._drawn != 1), np.flatnonzero(self._drawn)
        if len(odd) < len(there):
            return once + self._exposure(odd, self._drawn[odd] - 1, len(once))
        return self._exposure(there, self._drawn[there], len(once))

    def _exposure_once(self) -> Values:
        """In how many lists each item is; one an item that there is, and others that users had."""
        count = max(self.facts.count, int(self.item.max(initial=-1)) + 1)
        return _native.counts_of(self.item, count)

    def _exposure(self, queries: NDArray[np.intp], times: Values, count: int) -> Values:
        """In how many lists of some queries each of so many items is, where each list counts so often."""
        lengths = np.diff(self.offsets)[queries]
        item, weights = self.item[spread(self.offsets[queries], lengths)], np.repeat(times, lengths)
        return np.bincount(item, weights, minlength=count).astype(np.float64)

    def total(self, x: ArrayLike) -> float:
        """The sum of `x` over all lists; one number a query."""
        return float(np.sum(self.drawn * np.asarray(x)))

    def had(self) -> NDArray[np.bool_]:
        """Whether the user had it before."""
        return self.facts.before().had(self.user, self.offsets, self.item)

    def grade(self) -> Values:
        """Its grade for its query, NaN where it is not judged."""
        return self.once("grade", lambda: self.facts.judgements().of(self.query, self.item.astype(np.int64)))

    def described(self) -> Attributes:
        """What its items are like.

        Raises:
            DataError: there are items that the table of items lacks.

        """
        known = self.facts.known()
        if absent := int(np.count_nonzero(self.item >= known.count)):
            raise DataError(
                f"{absent:,} of the {len(self.item):,} items at the top of lists are not in the table of "
                "items, so that it is not known what they are like; add them (closed=True tells which)"
            )
        return known

    def categories(self, column: str) -> tuple[Values, int]:
        """How many different categories the items of each list have, NaN for none, and how many there are."""
        categories = self.described().categories(column)
        assert categories is not None  # the column was looked at before
        sets = (categories.offsets, categories.values.astype(np.int32))
        different = _native.different_of(sets, (self.offsets, self.item), categories.count)
        return np.where(different > 0, different, np.nan), categories.count

    def shares(self, column: str, weight: Values | None = None) -> Shares:
        """What share of each list is of which category; an item of several is of each in part.

        Args:
            column: where the categories are.
            weight: how much each item counts, 1 if None.

        """
        if weight is not None:
            return self.shares_of(self._known_categories(column), weight)
        return self.once(("shares", column), lambda: self.shares_of(self._known_categories(column)))

    def shares_before(self, column: str) -> Shares:
        """The same of the items that can be recommended that users had before."""
        return self.once(("before", column), lambda: self._before(column))

    def _before(self, column: str) -> Shares:
        before = self.profiles
        before = before.among(before.item < min(self.facts.count, self.facts.known().count))
        return before.shares_of(self._known_categories(column))

    def _known_categories(self, column: str) -> Lists:
        categories = self.described().categories(column)
        assert categories is not None  # the column was looked at before
        return categories

    def shares_of(self, categories: Lists, weight: Values | None = None) -> Shares:
        """What share of each list is of which of some categories of all items, as `shares`."""
        item = self.item.astype(np.int64)
        owner, category = categories.of(item)
        weight = np.ones(len(item)) if weight is None else weight
        whole = self.sum(weight)
        weights = (weight / (categories.lengths[item] * whole[self.query]))[owner]
        keys = self.query[owner] * categories.count + category
        distinct, share = sums_by_key(keys, weights, len(whole) * categories.count)
        return Shares(distinct, share, categories.count, len(whole))

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What is computed of the lists when it is first asked for, however often each counts."""
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
        there = found_in(keys, self.keys)
        found[there] = self.share[np.searchsorted(self.keys, keys[there])]
        return found


class Tops(NamedTuple):
    """The items at the top of some lists, flat, query after query, each in rank order, as they were numbered.

    Attributes:
        item: the number of each.
        tied: whether the item after it has an equal score.
        offsets: where those of each query begin.

    """

    item: Numbers
    tied: NDArray[np.bool_]
    offsets: NDArray[np.int64]

    def down_to(self, depth: int) -> Tops:
        """The same down to a rank."""
        lengths = np.diff(self.offsets)
        if lengths.max(initial=0) <= depth:
            return self
        kept = spread(self.offsets[:-1], np.minimum(lengths, depth))
        return Tops(self.item[kept], self.tied[kept], offsets_of(np.minimum(lengths, depth)))


def together(parts: Sequence[tuple[NDArray[np.int64], Tops]], queries: int) -> Tops:
    """The tops of the lists of all parts, beside the numbers of their queries, in the order of these."""
    lengths = np.zeros(queries, dtype=np.int64)
    for numbers, own in parts:
        lengths[numbers] = np.diff(own.offsets)
    offsets = offsets_of(lengths)
    items, tied = np.empty(offsets[-1], dtype=np.int32), np.empty(offsets[-1], dtype=np.bool_)
    for numbers, own in parts:
        first = offsets[numbers]
        if np.array_equal(first - first[:1], own.offsets[:-1]):  # queries that follow one another
            places: slice | NDArray[np.int64] = (
                slice(int(first[0]), int(first[0]) + len(own.item)) if len(first) else slice(0)
            )
        else:
            places = spread(first, np.diff(own.offsets))
        items[places], tied[places] = own.item, own.tied
    return Tops(items, tied, offsets)
