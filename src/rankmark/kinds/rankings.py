"""What coefficients of two rankings are made of: which items come before which, in one and in both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from rankmark import _native
from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.kinds.lists import Values
from rankmark.kinds.pairs import Pairs, Whole, offsets_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "CELLS",
    "Items",
    "Rankings",
    "better_alike",
    "better_in_both",
    "clipped",
    "groups",
    "mid_ranks",
    "ordered",
    "pair_counts",
    "quotient",
    "rankings",
    "tau_b",
    "tied",
    "tied_in_both",
    "worse_in_both",
]

Items: TypeAlias = Literal["common", "union"]
"""The items that are compared: those ``common`` to both lists, or all of either (``union``), where those that
a list lacks share the place after its end."""


@dataclass(frozen=True, slots=True)
class Rankings:
    """Two rankings of the same items for each of some queries; the smaller number is the better place."""

    offsets: Whole
    x: Whole
    y: Whole

    @property
    def n(self) -> Values:
        """Number of items; one a query."""
        return np.diff(self.offsets).astype(np.float64)

    @property
    def query(self) -> Whole:
        """The number of each item's query."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def sum(self, x: ArrayLike) -> Values:
        """The sum over the items of each query."""
        return _native.segment_sum(np.ascontiguousarray(x, dtype=np.float64), self.offsets)

    def swapped(self) -> Rankings:
        """With the rankings in each other's place."""
        return Rankings(self.offsets, self.y, self.x)


class PairCounts(NamedTuple):
    """Pairs of items, one number a query.

    Attributes:
        all: how many there are.
        difference: those in the same order in both rankings less those in different ones.
        tied_x: those tied in the first ranking.
        tied_y: those tied in the second.

    """

    all: Values
    difference: Values
    tied_x: Values
    tied_y: Values


def rankings(pairs: Pairs, items: Items) -> Rankings:
    """The two rankings of these items; equal items have the first of their ranks."""
    x, y = pairs.tied("a")[0], pairs.tied("b")[0]
    if items == "common":
        return Rankings(pairs.offsets, x, y)
    query = [pairs.query]
    xs, ys = [x], [y]
    for lists, ranks, own, others, beyond in (
        (pairs.a, pairs.rank_a, xs, ys, pairs.b.length + 1),
        (pairs.b, pairs.rank_b, ys, xs, pairs.a.length + 1),
    ):
        alone = np.ones(len(lists.first), dtype=np.bool_)
        alone[lists.offsets[pairs.query] + ranks - 1] = False
        of = np.repeat(np.arange(len(lists.offsets) - 1), lists.length)[alone]
        query.append(of)
        own.append(lists.first[alone])
        others.append(beyond[of])
    of_all = np.concatenate(query)
    order = np.argsort(of_all, kind="stable")
    counts = np.bincount(of_all, minlength=len(pairs.offsets) - 1)
    return Rankings(offsets_of(counts), np.concatenate(xs)[order], np.concatenate(ys)[order])


def _key(ranks: Rankings, *keys: Whole) -> tuple[Whole, int]:
    """One whole number for the query and the keys of each item, in their order, and above all of them."""
    key, most = ranks.query, len(ranks.offsets)
    for each in keys:
        low = int(each.min(initial=0))
        width = int(each.max(initial=0)) - low + 1
        key, most = key * width + (each - low), most * width
    return key, most


def ordered(ranks: Rankings, *keys: Whole) -> Whole:
    """An order of the items: by query, then by the keys."""
    key, most = _key(ranks, *keys)
    if most >= 2**62:  # not to be had in one number
        return np.lexsort((*reversed(keys), ranks.query))
    return np.arange(len(key)) if np.all(key[1:] >= key[:-1]) else np.argsort(key, kind="stable")


def groups(ranks: Rankings, key: Whole, other: Whole | None = None) -> tuple[Whole, Whole]:
    """Of items with the same key or keys in a query: how many come before by these, and how many they are."""
    if other is None:
        return _native.segment_below_and_equal(key, ranks.offsets)
    return _native.segment_below_and_equal_in_turn(key, other, ranks.offsets)


def tied(ranks: Rankings, key: Whole, other: Whole | None = None) -> Whole:
    """How many items of a query have the same key, or keys, of each item."""
    return groups(ranks, key, other)[1]


def tied_in_both(ranks: Rankings, alike_x: Whole, alike_y: Whole) -> Whole:
    """How many items of a query have the same x and the same y, of each item."""
    some = alike_x.max(initial=1) > 1 and alike_y.max(initial=1) > 1
    return tied(ranks, ranks.x, ranks.y) if some else np.ones(len(alike_x), dtype=np.int64)


def better_alike(ranks: Rankings, alike: Whole, better: Whole) -> Whole:
    """How many items are alike in the one key and strictly better in the other, of each item."""
    start, size = groups(ranks, alike)
    if size.max(initial=1) == 1:
        return np.zeros(len(size), dtype=np.int64)
    return groups(ranks, alike, better)[0] - start


CELLS = 1 << 21
"""So many items are looked at in one go."""


def better_in_both(ranks: Rankings) -> Whole:
    """How many items are strictly better in both rankings, of each item."""
    return _native.segment_below_in_both(ranks.x, ranks.y, ranks.offsets)


def worse_in_both(ranks: Rankings) -> Whole:
    """How many items are strictly worse in both rankings, of each item."""
    return _native.segment_below_in_both(-ranks.x, -ranks.y, ranks.offsets)


def tau_b(ranks: Rankings) -> Values:
    """Kendall's τ_b of each query; NaN where every pair is tied in one of the rankings."""
    pairs = pair_counts(ranks)
    untied = np.sqrt(pairs.all - pairs.tied_x) * np.sqrt(pairs.all - pairs.tied_y)
    return clipped(quotient(pairs.difference, untied))


def pair_counts(ranks: Rankings) -> PairCounts:
    """How many pairs of items each query has, and of which kinds."""
    all_pairs = ranks.n * (ranks.n - 1) / 2
    counts = _native.segment_pair_counts(ranks.x, ranks.y, ranks.offsets)
    concordant, tied_x, tied_y, tied_both = counts
    difference = 2 * concordant - (all_pairs - tied_x - tied_y + tied_both)
    return PairCounts(all_pairs, difference, tied_x, tied_y)


def quotient(numerator: ArrayLike, denominator: ArrayLike) -> Values:
    """The one by the other; NaN where that is 0."""
    above, below = np.broadcast_arrays(np.asarray(numerator, np.float64), np.asarray(denominator, np.float64))
    quotient: Values = np.divide(above, below, out=np.full(above.shape, np.nan), where=below != 0)
    return quotient


def clipped(x: Values) -> Values:
    """Without what rounding put beyond 1."""
    clipped: Values = np.clip(x, -1.0, 1.0)
    return clipped


def mid_ranks(ranks: Rankings, key: Whole) -> Values:
    """Ranks from 1 by the key, equal items having the mean of theirs."""
    start, size = groups(ranks, key)
    mid: Values = start + (size + 1) / 2
    return mid
