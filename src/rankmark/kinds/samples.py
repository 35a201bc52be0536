"""What lists hold of a pool of which a sample was judged.

An item of the pool that was not sampled has a grade below 0; items without a grade are not in the pool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark import _native
from rankmark import _numpy as np
from rankmark.kinds.aspects import sums
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Sampled", "Strata"]


class Sampled:
    """The items of lists that are in the pool, in rank order, and all of the pool.

    Attributes:
        queries: how many queries there are.
        place: where each is among the items of the lists.
        query: the number of its query.
        rank: its rank.
        grade: its grade, below 0 where it was not sampled.
        row: where it is in the pool.
        pool_query: of each item of the pool the number of the query.
        pool_grade: its grade.

    """

    def __init__(self, lists: RecommendedLists) -> None:
        judged = lists.facts.aspects()
        self.lists, self.queries = lists, len(lists.offsets) - 1
        self.pool_query, self.pool_grade = judged.query.astype(np.int64), judged.grade
        rows, offsets = judged.of(lists.query, lists.item.astype(np.int64))
        first = offsets[:-1][np.diff(offsets) > 0]  # an item is in the pool of a query once
        self.place = np.flatnonzero(np.diff(offsets))
        self.row = rows[first]
        self.query, self.rank = lists.query[self.place], lists.rank[self.place]
        self.grade = judged.grade[self.row]

    def running(self, x: Values) -> Values:
        """For each of these items the sum of `x` over those of its list down to it."""
        spread = np.zeros(len(self.lists.item))
        spread[self.place] = x
        return _native.segment_running_sum(spread, self.lists.offsets)[self.place]

    def sum(self, x: Values) -> Values:
        """The sum of `x` over these items of each list."""
        return sums(self.query, x, self.queries)


class Strata(Sampled):
    """The same where each item of the pool is in a stratum, of which each item was as likely to be sampled.

    Attributes:
        stratum: of each item of lists its stratum of its query, from 0.
        pool_stratum: the same of each item of the pool.
        of: the query of each stratum.
        size: how many items are in each.
        sampled: how many of them were sampled.

    """

    def __init__(self, lists: RecommendedLists) -> None:
        super().__init__(lists)
        judged = lists.facts.aspects()
        keys = self.pool_query * judged.count + judged.aspect
        pairs, self.pool_stratum = np.unique(keys, return_inverse=True)
        self.of, self.stratum = pairs // judged.count, self.pool_stratum[self.row]
        self.size = np.bincount(self.pool_stratum, minlength=len(pairs)).astype(np.float64)
        self.sampled = self._among(self.pool_stratum, self.pool_grade >= 0)

    def _among(self, stratum: NDArray[np.int64], which: NDArray[np.bool_]) -> Values:
        return np.bincount(stratum, which, minlength=len(self.of)).astype(np.float64)

    @property
    def weight(self) -> Values:
        """How many items of the pool each sampled one of a stratum stands for; 0 where none was."""
        return np.divide(self.size, self.sampled, out=np.zeros(len(self.size)), where=self.sampled > 0)

    def estimated(self, which: NDArray[np.bool_]) -> Values:
        """How many items of the pool are estimated to be like these sampled ones; one a query."""
        counted = self._among(self.pool_stratum, which & (self.pool_grade >= 0))
        return sums(self.of, counted * self.weight, self.queries)

    def above(self, which: NDArray[np.bool_], smoothing: float, room: float) -> Values:
        """For each item how many of those above it, in the pool, are estimated to be like these.

        Of each stratum above it is d · (r + smoothing) / (n + room): d items are of it, n of them sampled,
        and r of these are like those that are looked for.
        """
        order = np.argsort(self.stratum, kind="stable")
        stratum = self.stratum[order]
        first = np.searchsorted(stratum, stratum)

        def so_far(x: NDArray[np.bool_]) -> Values:
            running = np.cumsum(x[order])
            found: Values = running - np.concatenate(([0], running))[first]
            return found.astype(np.float64)

        counted = (np.ones(len(order), dtype=np.bool_), which, self.grade >= 0)
        own = [so_far(each) for each in counted]
        before = [down - each[order] for down, each in zip(own, counted, strict=True)]
        now, then = (d * (r + smoothing) / (n + room) for d, r, n in (own, before))
        added = np.empty(len(order))
        added[order] = now - then
        return self.running(added) - added
