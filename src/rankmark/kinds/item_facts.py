"""What is known of items, of users before, and of which items are judged for which queries."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from rankmark import _native
from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.kinds.ragged import found_in, offsets_of, spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.kinds.lists import Values

__all__ = [
    "AspectJudgements",
    "Attributes",
    "By",
    "Groups",
    "Interactions",
    "ItemFacts",
    "Judgements",
    "Lists",
    "Numbers",
]

Numbers: TypeAlias = "NDArray[np.int32]"
By = Literal["users", "interactions"]


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

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many numbers each has."""
        return np.diff(self.offsets)

    def of(self, which: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of some, one after the other, after the places in `which` they are of."""
        lengths = self.lengths
        if len(self.values) == len(lengths) and lengths.max(initial=1) == 1:  # one each
            return np.arange(len(which)), self.values[which]
        places = np.repeat(np.arange(len(which)), lengths[which])
        return places, self.values[spread(self.offsets[which], lengths[which])]


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """In which groups items are, one item after the other.

    Attributes:
        names: the names of the groups, ascending.
        group: the numbers of the groups, those of item ``i`` ``offsets[i]:offsets[i + 1]``.
        part: how much of each the item is: 1, or a part of it where that is given.
        offsets: where those of each item begin, and where the last end.
        without: how many items are in none, and the first of them, in words; None where each is in one.

    """

    names: tuple[str, ...]
    group: NDArray[np.int64]
    part: Values
    offsets: NDArray[np.int64]
    without: str | None


class Attributes(Protocol):
    """What items are like."""

    @property
    def count(self) -> int:
        """Of how many items it is known, those with the lowest numbers."""

    def values(self, column: str) -> list[Any]:
        """What each item has in a column."""

    def categories(self, column: str) -> Lists | None:
        """The categories of each item, each once; None where the column has numbers."""

    def is_integer(self, column: str) -> bool:
        """Whether each item has an integer in a column, which can be a number or the code of a category."""

    def vectors(self, column: str) -> NDArray[np.float64]:
        """The numbers of each item, [items, dimensions]."""

    def groups(self, column: str) -> Groups:
        """The groups of each item."""


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
        return _native.counts_of(self._item, self._items)

    @cached_property
    def users_of(self) -> Values:
        """How many users had each item."""
        return _native.owners_of(self._user, self._item, (self.users, self._items))

    @cached_property
    def _sets(self) -> tuple[NDArray[np.int64], Numbers]:
        """Where the items of each user begin, and the items, of each user ascending and once."""
        return _native.sets_of(self._user, self._item, self.users)

    def had(self, user: NDArray[np.int64], offsets: NDArray[np.int64], item: Numbers) -> NDArray[np.bool_]:
        """Whether the user of each list had its items, which begin at its offset; a user of -1 had none."""
        return _native.in_sets(self._sets, user, (offsets, item))

    def both(self, x: Numbers, y: Numbers) -> Values:
        """How many users had each of the items `x` and the one beside it in `y`, too."""
        return _native.owners_of_both(self._sets, self._sets_of_users, x, y)

    @cached_property
    def _sets_of_users(self) -> tuple[NDArray[np.int64], Numbers]:
        """Where the users who had each item begin, and the users, of each item ascending and once."""
        return _native.sets_of(self._item, self._user, self._items)

    @property
    def repeated(self) -> bool:
        """Whether a user had an item more than once."""
        return bool(self.users_of.sum() < len(self._user))

    def of(self, user: NDArray[np.int64]) -> tuple[Numbers, NDArray[np.int64]]:
        """The items that each of these users had, one after the other, and their offsets."""
        offsets, item = self._sets
        known = np.maximum(user, 0)
        first = offsets[known]
        lengths = np.where(user >= 0, offsets[np.minimum(known + 1, self.users)] - first, 0)
        return item[spread(first, lengths)], offsets_of(lengths)


class Judgements:
    """Which items are judged for which queries, and how.

    Attributes:
        item: the number of each item, query after query, ascending in each; some have no place in lists.
        grade: its grade.
        offsets: items of query ``q`` are ``offsets[q]:offsets[q + 1]``.

    """

    def __init__(
        self, query: NDArray[Any], item: NDArray[Any], grade: Values, *, queries: int, items: int
    ) -> None:
        """Takes rows; of those of one item for one query the first counts."""
        keys = query.astype(np.int64) * items + item
        self._keys, first = np.unique(keys, return_index=True)
        self.item, self.grade, self._items = self._keys % items, grade[first], items
        self.offsets = offsets_of(np.bincount(self._keys // items, minlength=queries))

    def of(self, query: NDArray[np.int64], item: NDArray[np.int64]) -> Values:
        """The grade of each of these items for the query beside it, NaN where it is not judged."""
        places = self.places(query, item)
        grades = np.full(len(item), np.nan)
        grades[places >= 0] = self.grade[places[places >= 0]]
        return grades

    def places(self, query: NDArray[np.int64], item: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where in these arrays each item stands for the query beside it, -1 where it is not judged."""
        places = np.full(len(item), -1)
        keys = query * self._items + item
        there = (item < self._items) & found_in(keys, self._keys)
        places[there] = np.searchsorted(self._keys, keys[there])
        return places


class AspectJudgements:
    """Which items are judged for which aspects of queries, and how: rows by query, item and aspect.

    Attributes:
        query: the number of the query.
        item: that of the item; some have no place in lists.
        aspect: that of the aspect, from 0 to below `count`.
        grade: the grade.
        order: where the item stands among all by their ids, from the greatest on.
        weight: how much the aspect weighs for the query.
        items: how many items there are.
        count: how many aspects there are, of all queries together.

    """

    def __init__(
        self,
        query: NDArray[Any],
        item: NDArray[Any],
        aspect: NDArray[np.int64],
        grade: Values,
        order: NDArray[np.int64],
        weight: Values,
        *,
        items: int,
        count: int,
    ) -> None:
        """Takes rows; of those of one item for one aspect of a query the first counts."""
        keys = (query.astype(np.int64) * items + item) * count + aspect
        keys, first = np.unique(keys, return_index=True)
        self.grade, self.order, self.weight = grade[first], order[first], weight[first]
        self.items, self.count = items, count
        self._pairs, self.aspect = keys // count, keys % count
        self.query, self.item = self._pairs // items, self._pairs % items

    def repeated(self, queries: int) -> AspectJudgements:
        """Of one query, as if so many had the same."""
        columns = (self.item, self.aspect, self.grade, self.order, self.weight)
        item, aspect, grade, order, weight = (np.tile(each, queries) for each in columns)
        query = np.repeat(np.arange(queries), len(self.item))
        return AspectJudgements(query, item, aspect, grade, order, weight, items=self.items, count=self.count)

    def of(
        self, query: NDArray[np.int64], item: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of each of these items for the query beside it, one after the other, and their offsets."""
        known = (item >= 0) & (item < self.items)
        pairs = np.where(known, query * self.items + item, -1)
        first = np.searchsorted(self._pairs, pairs)
        lengths = np.searchsorted(self._pairs, pairs, side="right") - first
        return spread(first, lengths), offsets_of(lengths)


@dataclass(frozen=True, slots=True, eq=False)
class ItemFacts:
    """What is known of items, by their numbers, and of users.

    Attributes:
        count: how many items there are: those with a number below.
        catalogued: how many of them, the first, are all that can be recommended; where that is not known,
            those of `attributes` and `train`. Others have numbers after these, by the lists alone.
        attributes: what they are like; None where that is not known.
        train: who had which items before; None where that is not known.
        users: gives the number in `train` of each judged query, -1 for one that is not there.
        any_user: gives whether one of them is there, which mostly costs less.
        judged: gives which items are judged, by the numbers of judged queries; None without judgements.
        by_aspect: gives which are judged for which aspects of queries; None without such judgements.

    """

    count: int
    catalogued: int
    attributes: Attributes | None
    train: Interactions | None
    users: Callable[[], NDArray[np.int64]]
    any_user: Callable[[], bool]
    judged: Callable[[], Judgements] | None = None
    by_aspect: Callable[[], AspectJudgements] | None = None

    def known(self) -> Attributes:
        """What items are like, for pages that say that they need it."""
        assert self.attributes is not None
        return self.attributes

    def before(self) -> Interactions:
        """Who had which items before, for pages that say that they need it."""
        assert self.train is not None
        return self.train

    def judgements(self) -> Judgements:
        """Which items are judged, for pages that say that they need it."""
        assert self.judged is not None
        return self.judged()

    def aspects(self) -> AspectJudgements:
        """Which items are judged for which aspects, for pages that say that they need it."""
        assert self.by_aspect is not None
        return self.by_aspect()

    def popularity(self, by: By) -> Values:
        """How many users had each item before, or how often it was had; one an item that has a number."""
        train = self.before()
        counts = train.users_of if by == "users" else train.interactions
        return np.concatenate((counts, np.zeros(max(self.count - len(counts), 0))))
