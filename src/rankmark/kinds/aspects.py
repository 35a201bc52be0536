"""What novelty gains: aspects of queries that lists cover, and that items cover which are not the first to.

The first item that is relevant to an aspect gains its weight, and each further one 1 − α times what the one
before it gained (C. L. A. Clarke et al., "Novelty and diversity in information retrieval evaluation", SIGIR
2008). Aspects to which no item is relevant are left out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from rankmark import _native
from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError
from rankmark.kinds.best_orders import TooManyOrdersError, best_gains
from rankmark.kinds.gains import Gain, gain_of
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.kinds.ragged import offsets_of
from rankmark.kinds.ranges import Within

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Alpha",
    "Gains",
    "Ideal",
    "Relevant",
    "lists_of_aspects",
    "lists_of_gains",
    "patience",
    "ranks_that_count",
    "relevant",
    "share_of_ideal",
    "sums",
]

Alpha: TypeAlias = Annotated[float, Within(0, 1)]
"""What an aspect loses each time that an item is relevant to it: 0 nothing, 1 all that it gains."""

Ideal: TypeAlias = Literal["greedy", "exact"]
"""The ideal list: ``greedy`` has at each rank the item that gains most there, ``exact`` is best of all."""

SMALLEST = 2.0**-60
"""Beside 1 no number of float64 tells of less."""


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """What the items of some lists gain, in rank order.

    Attributes:
        gain: that of each item.
        offsets: those of list ``q`` are ``gain[offsets[q]:offsets[q + 1]]``.

    """

    gain: Values
    offsets: NDArray[np.int64]

    def sum(self, weigh: Callable[[NDArray[np.int64]], Values]) -> Values:
        """Σ gain · weight of the rank; one a list."""
        return _native.segment_sum(self.gain * weigh(_native.segment_ranks(self.offsets)), self.offsets)


class Relevant:
    """Which items are relevant to which aspects of some queries, and where they are in lists.

    A pair is a query and an aspect of it to which some item is relevant.

    Attributes:
        weight: that of each pair.
        total: the weights of the aspects of each query together.

    """

    def __init__(self, lists: RecommendedLists, rel: float) -> None:
        self._lists = lists
        judged = lists.facts.aspects()
        self._kept = np.flatnonzero(judged.grade >= rel)
        keys = judged.query[self._kept] * judged.count + judged.aspect[self._kept]
        pairs, first, own = np.unique(keys, return_index=True, return_inverse=True)
        self._pair = np.full(len(judged.grade), -1)
        self._pair[self._kept] = own
        self._query = pairs // judged.count
        self.weight = judged.weight[self._kept][first]
        self.total = sums(self._query, self.weight, len(lists.offsets) - 1)

    def gains(self, alpha: float) -> Gains:
        """What the items of the lists gain."""
        place, pair = self._hits()
        decay = _powers(1 - alpha, 1 + len(place))
        gain = self.weight[pair] * decay[_places_in(pair)]
        return Gains(sums(place, gain, len(self._lists.item)), self._lists.offsets)

    def covered(self) -> Values:
        """The weights of the aspects to which an item of the list is relevant, together; one a query."""
        _, pair = self._hits()
        found = np.unique(pair)
        return sums(self._query[found], self.weight[found], len(self.total))

    def ideal(self, alpha: float, depth: int | None = None) -> Gains:
        """What items gain in an order that is best step by step, down to a rank: at each the most there is.

        Of those that gain the same the one with the greatest id comes first, as in ndeval.
        """
        judged, kept = self._lists.facts.aspects(), self._kept
        rows = kept[np.lexsort((judged.order[kept], judged.query[kept]))]
        query, order, pair = judged.query[rows], judged.order[rows], self._pair[rows]
        opens = (np.diff(query, prepend=-1) != 0) | (np.diff(order, prepend=-1) != 0)
        item = np.cumsum(opens) - 1
        query = query[opens]
        left = self.weight.copy()
        queries, gains = [query[:0]], [np.empty(0)]
        step = 0
        while len(query) and (depth is None or step < depth):
            score = sums(item, left[pair], len(query))
            firsts = np.flatnonzero(np.diff(query, prepend=-1))
            lengths = np.diff(np.append(firsts, len(query)))
            most = np.maximum.reduceat(score, firsts)
            best = np.flatnonzero(score == np.repeat(most, lengths))
            best = best[np.diff(query[best], prepend=-1) != 0]
            queries.append(query[best])
            gains.append(most)
            taken = np.zeros(len(query), dtype=np.bool_)
            taken[best] = True
            of_taken = taken[item]
            left[pair[of_taken]] *= 1 - alpha
            place = np.cumsum(~taken) - 1
            item, pair, query = place[item[~of_taken]], pair[~of_taken], query[~taken]
            step += 1
        of = np.concatenate(queries)
        by_query = np.argsort(of, kind="stable")
        offsets = offsets_of(np.bincount(of, minlength=len(self.total)))
        return Gains(np.concatenate(gains)[by_query], offsets)

    def best(self, alpha: float, depth: int | None, discount: Callable[[NDArray[np.int64]], Values]) -> Gains:
        """What items gain in an order that is best of all: that of `ideal`, unless another gains more.

        Raises:
            TooManyOrdersError: a query is too large to look at them.

        """
        near = self.ideal(alpha, depth)
        judged = self._lists.facts.aspects()
        pair = self._pair[self._kept]
        opens = np.diff(judged.query[self._kept], prepend=-1) != 0
        opens |= np.diff(judged.item[self._kept], prepend=-1) != 0
        kinds = [tuple(each.tolist()) for each in np.split(pair, np.flatnonzero(opens)[1:])]
        of_item = judged.query[self._kept][opens]
        known: dict[tuple[object, ...], list[float]] = {}
        gains: list[float] = []
        for query, (start, end) in enumerate(itertools.pairwise(near.offsets.tolist())):
            first, last = np.searchsorted(of_item, (query, query + 1))
            low, high = np.searchsorted(self._query, (query, query + 1))
            own = [tuple(each - int(low) for each in kind) for kind in kinds[first:last]]
            weight = self.weight[low:high].tolist()
            key = (*sorted(own), *weight)
            if key not in known:
                try:
                    ranks = np.arange(1, 1 + end - start)
                    near_gains = near.gain[start:end].tolist()
                    known[key] = best_gains(own, weight, alpha, discount(ranks).tolist(), near_gains)
                except TooManyOrdersError as error:
                    raise TooManyOrdersError(error.problem, query) from None
            gains += known[key]
        return Gains(np.array(gains), near.offsets)

    def most(self, alpha: float, weights: Values) -> Values:
        """Σ gain · weight of the rank, from 1 on, if every item were relevant to all aspects; one a query."""
        return self.total * float(np.cumsum(_powers(1 - alpha, len(weights)) * weights)[-1])

    def _hits(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places of items in the lists, once for each pair that they are relevant to, and these."""
        lists = self._lists
        rows, offsets = lists.facts.aspects().of(lists.query, lists.item.astype(np.int64))
        place = np.repeat(np.arange(len(lists.item)), np.diff(offsets))
        pair = self._pair[rows]
        return place[pair >= 0], pair[pair >= 0]


def relevant(lists: RecommendedLists, rel: float) -> Relevant:
    """Which items of lists are relevant to which aspects, found once."""
    return lists.once(("aspects", rel), lambda: Relevant(lists, rel))


def share_of_ideal(
    lists: RecommendedLists,
    cutoff: int | None,
    rel: float,
    alpha: float,
    ideal: Ideal,
    discount: Callable[[NDArray[np.int64]], Values],
) -> Values:
    """Σ gain · discount of each list, as a share of that of the ideal one; one a query."""
    found = relevant(lists.top(cutoff), rel)
    best = found.ideal(alpha, cutoff) if ideal == "greedy" else found.best(alpha, cutoff, discount)
    return ratio(found.gains(alpha).sum(discount), best.sum(discount), found.total)


def ranks_that_count(alpha: float, cutoff: int | None, measure: str) -> NDArray[np.int64]:
    """The ranks that add to what can be gained at most: down to the cutoff, or while a float64 tells of it.

    Raises:
        MeasureError: there is no end of them.

    """
    if alpha == 0 and cutoff is None:
        raise MeasureError(f"{measure}: with alpha=0 and no cutoff there is no end of what can be gained")
    told = math.inf if alpha == 0 else 1 if alpha == 1 else 1 + math.log(SMALLEST) / math.log1p(-alpha)
    return np.arange(1, 1 + int(told if cutoff is None else min(told, cutoff)))


def lists_of_aspects(lists: RecommendedLists) -> tuple[JudgedLists, NDArray[np.int64], Values]:
    """The lists with the judgements of each aspect alone, and the query and the weight of each of them."""
    judged = lists.facts.aspects()
    keys = judged.query * judged.count + judged.aspect
    pairs, first, pair = np.unique(keys, return_index=True, return_inverse=True)
    query = pairs // judged.count
    rows, offsets = judged.of(lists.query, lists.item.astype(np.int64))
    rank = np.repeat(lists.rank, np.diff(offsets))
    by_pair = np.lexsort((rank, pair[rows]))
    rows, rank = rows[by_pair], rank[by_pair]
    best = np.lexsort((-judged.grade, pair))
    ideal = JudgedLists.perfect(judged.grade[best], offsets_of(np.bincount(pair, minlength=len(pairs))))
    found = offsets_of(np.bincount(pair[rows], minlength=len(pairs)))
    retrieved = np.diff(lists.offsets)[query]
    return JudgedLists(rank, judged.grade[rows], found, retrieved, ideal=ideal), query, judged.weight[first]


def lists_of_gains(lists: RecommendedLists, gain: Gain) -> JudgedLists:
    """The lists with what each item gains for all aspects together in the place of its grade."""
    judged = lists.facts.aspects()
    pairs, item = np.unique(judged.query * judged.items + judged.item, return_inverse=True)
    gained = sums(item, judged.weight * np.maximum(gain_of(judged.grade, gain), 0.0), len(pairs))
    rows, offsets = judged.of(lists.query, lists.item.astype(np.int64))
    there = np.diff(offsets) > 0
    found = offsets_of(np.bincount(lists.query[there], minlength=len(lists.offsets) - 1))
    query = pairs // judged.items
    best = np.lexsort((-gained, query))
    ends = offsets_of(np.bincount(query, minlength=len(lists.offsets) - 1))
    return JudgedLists(
        lists.rank[there],
        gained[item[rows[offsets[:-1][there]]]],
        found,
        np.diff(lists.offsets),
        ideal=JudgedLists.perfect(gained[best], ends),
    )


def patience(beta: float, ranks: NDArray[np.int64]) -> Values:
    """The chance that a reader gets to each rank who goes on from any to the next with chance β."""
    chances: Values = _powers(beta, int(ranks.max(initial=0)))[ranks - 1]
    return chances


def sums(group: NDArray[np.int64], x: Values, groups: int) -> Values:
    """The sum of `x` in each group."""
    return np.bincount(group, x, groups).astype(np.float64)


def _powers(base: float, count: int) -> Values:
    """The powers of a number from that of 0 on, each the one before times it."""
    return np.cumprod(np.append(1.0, np.full(max(count - 1, 0), base)))


def _places_in(group: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each stands among those of its group, from 0."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    places = np.empty(len(group), dtype=np.int64)
    places[order] = np.arange(len(group)) - np.searchsorted(ordered, ordered)
    return places
