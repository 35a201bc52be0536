"""Lists of which some items are not judged, with grades in their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark import _native
from rankmark.kinds.lists import JudgedLists, Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OpenLists", "highest_grades"]


def highest_grades(lists: JudgedLists) -> Values:
    """The highest grade that anybody gave for each query, at least 1."""
    return np.maximum(lists.ideal.max(lists.ideal.relevance), 1.0)


class OpenLists:
    """Some lists of which the grades of the items are open that nobody judged.

    An item judged below 0 was pooled and not judged (trec_eval's convention), and is open as well.

    Attributes:
        lists: the lists, without ties.
        judged: those of their items that are judged.
        known: the grades of all items that are judged, best first, and their offsets.
        open: how many items of each list are open.
        within: how many of these stand above the cutoff.
        last: the last rank above the cutoff, or one below all lists.
        zeros: whether open items that are not relevant are seen, too.
        best: how many grades of the best order are seen.

    """

    def __init__(
        self, lists: JudgedLists, cutoff: int | None, best: int, *, whole: bool = False, zeros: bool = False
    ) -> None:
        """The open items of lists.

        Args:
            lists: the lists.
            cutoff: below which rank an open item is only one more to find.
            best: how many grades of the best order are seen.
            whole: whether lists are seen below the cutoff all the same.
            zeros: whether open items that are not relevant are seen, too.

        """
        assert lists.ties is None
        self.lists, self.zeros, self.best = lists, zeros, best
        pooled = lists.relevance < 0
        self.judged = lists.where(~pooled) if pooled.any() else lists
        self.deepest = int(lists.retrieved.max(initial=0))
        self.last = self.deepest if cutoff is None else min(cutoff, self.deepest)
        self._kept = self.deepest if whole else self.last
        self.open = lists.retrieved - np.diff(self.judged.offsets)
        above = self.judged.sum(self.judged.rank <= self.last).astype(np.int64)
        self.within = np.minimum(lists.retrieved, self.last) - above
        ideal = lists.ideal
        if pooled.any():
            # The ideal list ends with the lowest grades, those of the retrieved items below 0 among them.
            ideal = ideal.where(ideal.rank <= (np.diff(ideal.offsets) - lists.sum(pooled))[ideal.query])
        self.known = ideal.relevance, ideal.offsets
        self.deepest_known = max(1, self.deepest, int((self.open + np.diff(ideal.offsets)).max(initial=0)))

    def items(self, values: Values) -> _native.JudgedItems:
        """The judged items with a number each, as the core takes them."""
        return self.judged.rank, values, self.judged.offsets, self.lists.retrieved

    def totals(
        self, values: Values, gain: Values, weights: Values | None, *, top: bool, first: bool = False
    ) -> tuple[Values, NDArray[np.int64]]:
        """What items above the cutoff add up to if none, one, two … of the open ones there are relevant.

        Args:
            values: what each judged item counts, 0 if it is not relevant.
            gain: what a relevant open item of each list counts.
            weights: those of ranks; None: each item adds its precision.
            top: whether the first open items are relevant, or the last ones.
            first: whether only the first relevant item counts.

        Returns:
            The sums, list after list, and their offsets.

        """
        return _native.open_totals(self.items(values), gain, weights, first, top, self.last)

    def filled(
        self,
        queries: NDArray[np.int64],
        fills: Values,
        offsets: NDArray[np.int64],
        *,
        top: bool,
        rel: float | None = None,
    ) -> JudgedLists:
        """The lists of these queries, each as often as it is named, with grades of their open items.

        Args:
            queries: which.
            fills: the grades above 0, for each list the highest first.
            offsets: those of the lists in `fills`.
            top: whether the first open items have these, or the last ones.
            rel: the grade from which on the number of relevant items is seen.

        """
        relevant = None
        if rel is not None:
            relevant = rel, self.lists.relevant(rel)[queries] + _native.segment_count(fills >= rel, offsets)
        rank, grade, borders, best, ends = _native.open_filled(
            self.items(self.judged.relevance),
            self.known,
            queries,
            (fills, offsets),
            top,
            self._kept,
            self.zeros,
            self.best,
        )
        retrieved, ideal = self.lists.retrieved[queries], JudgedLists.perfect(best, ends, relevant)
        return JudgedLists(rank, grade, borders, retrieved, ideal=ideal)
