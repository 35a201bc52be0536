"""The plain twin of the search for extremes: whole lists, and every number of relevant items tried."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.kinds.gains import discounts, gain_of
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.kinds.ragged import offsets_of, spread
from rankmark.kinds.unjudged import highest_grades
from rankmark.language.extremes import Extreme, how_open
from rankmark.language.measure import Measure

TINY = 1e-13


class PlainSearch:
    """The judgements of open items by which values are lowest or highest, of all that there can be."""

    def __init__(self, measure: Extreme, lists: JudgedLists) -> None:
        self.measure, self.lists, self.open = measure, lists, _OpenLists(lists)
        self.how, self.highest = how_open(measure), measure.end == "highest"
        rel = measure.arguments.get("rel", 1.0)
        named = np.full(len(lists.retrieved), 0.0 if measure.grade is None else measure.grade)
        self.grade = named if measure.grade is not None else np.maximum(highest_grades(lists), rel)

    def values(self) -> Values:
        """One a query."""
        return self._of(np.arange(len(self.lists.retrieved)))

    def _last(self) -> int:
        """The rank below which open items count but as relevant ones that are to be found."""
        cutoff = self.measure.cutoff
        return int(np.iinfo(np.int64).max) if cutoff is None else cutoff

    def _of(self, queries: NDArray[np.int64]) -> Values:
        numbers, counts = self._candidates(queries)
        values = self._computed(numbers, self._grades(numbers, counts))
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
        plain = values[starts]  # of each query the first: nothing open is relevant
        otherwise = 0.0 if self.measure.no_relevant == "zero" else np.nan
        values = np.where(np.isnan(values), otherwise, values)
        found = (np.fmax if self.highest else np.fmin).reduceat(values, starts)
        if self.how == "gains" and self.highest:
            best = [self._levels(query) for query in queries.tolist()]
            more = self._computed(queries, np.concatenate([*best, np.empty(0)]))
            found = np.fmax(found, more)
        # A query that is left out because nothing judged is relevant stays left out.
        return np.where(np.isnan(plain) & np.isnan(otherwise), np.nan, found)

    def _candidates(self, queries: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Each query once for each number of open items that are relevant, and that number, 0 first."""
        whole = self.open.open[queries]
        if self.how == "ends" or (self.how == "gains" and self.highest):
            counts = np.stack((np.zeros_like(whole), whole), axis=1)
            return np.repeat(queries, 2), counts.ravel()
        within = np.zeros(len(self.open.open), dtype=np.int64)
        owner = np.repeat(np.arange(len(within)), self.open.open)
        np.add.at(within, owner[self.open.rank <= self._last()], 1)
        inside = within[queries]
        lengths = inside + 2
        steps = np.arange(lengths.sum()) - np.repeat(offsets_of(lengths)[:-1], lengths)
        # Highest: 0, 1 … of those above the cutoff. Lowest: all those below it, and 0, 1 … of those above.
        first = np.zeros(len(queries), dtype=np.int64) if self.highest else whole - inside
        counts = np.where(steps == 0, 0, np.repeat(first, lengths) + steps - 1)
        return np.repeat(queries, lengths), counts

    def _grades(self, queries: NDArray[np.int64], counts: NDArray[np.int64]) -> Values:
        """The grades of open items of which so many are relevant: the first, or for the lowest the last."""
        whole = self.open.open[queries]
        place = np.arange(whole.sum()) - np.repeat(offsets_of(whole)[:-1], whole)
        if not self.highest:
            place = np.repeat(whole, whole) - 1 - place
        return np.where(place < np.repeat(counts, whole), np.repeat(self.grade[queries], whole), 0.0)

    def _computed(self, queries: NDArray[np.int64], grades: Values) -> Values:
        values = Measure.compute(self.measure, self.open.judged(queries, grades))
        assert not isinstance(values, tuple)  # those are refused
        return values

    def _levels(self, query: int) -> Values:
        """The grades of a query's open items by which a quotient of gains is highest."""
        own = slice(self.open.offsets[query], self.open.offsets[query + 1])
        rank, cutoff = self.open.rank[own], self.measure.cutoff
        given = self.measure.arguments
        lists, top = self.lists.one(query), self.grade[query]
        known = lists.relevance if given["ideal"] == "retrieved" else lists.ideal.relevance
        deepest = max(int(lists.retrieved[0]), len(known) + len(rank), 1)
        weight = discounts(given["discount"], deepest) if "discount" in given else np.ones(deepest)
        inside = np.arange(1, deepest + 1) <= (deepest if cutoff is None else cutoff)
        seen = np.where(inside, weight, 0.0)
        ideal = np.concatenate(([0.0], np.cumsum(seen)))
        first = np.concatenate(([0.0], np.cumsum(seen[rank[inside[rank - 1]] - 1])))
        scale = np.unique(np.append(known[known > 0], top))
        possible = scale <= top
        gains = gain_of(scale, given["gain"])
        steps = np.diff(gains, prepend=0.0)
        reached = np.array([np.count_nonzero(gain_of(known, given["gain"]) >= gain) for gain in gains])
        judged = [
            seen[lists.rank[gain_of(lists.relevance, given["gain"]) >= gain] - 1].sum() for gain in gains
        ]
        numbers = np.arange(len(first))
        below = ideal[np.minimum(reached[:, None] + numbers, deepest)]
        above = np.array(judged)[:, None] + first
        counts, before = np.where(possible, len(first) - 1, 0), -np.inf
        while True:
            picked = (np.arange(len(gains)), counts)
            whole = (steps * below[picked]).sum()
            quotient = (steps * above[picked]).sum() / whole if whole else 0.0
            better = np.where(possible, np.argmax(above - quotient * below, axis=1), 0)
            gained = (steps * (above - quotient * below)[np.arange(len(gains)), better]).sum()
            if gained <= TINY or quotient <= before:
                break
            before = quotient
            counts = better
        grades = np.zeros(len(rank))
        for level, count in zip(scale.tolist(), counts.tolist(), strict=True):
            grades[:count] = level
        return grades


class _OpenLists:
    """The items of some lists, also those that nobody judged, whose grades are open.

    An item judged below 0 was pooled and not judged (trec_eval's convention), and is open as well.

    Attributes:
        lists: the lists, without ties.
        open: how many items of each list are not judged.
        offsets: those of list ``q`` are ``offsets[q]:offsets[q + 1]`` of `rank`.
        rank: the rank of each.

    """

    def __init__(self, lists: JudgedLists) -> None:
        assert lists.ties is None
        self.lists = lists
        self._whole = offsets_of(lists.retrieved)
        self._grade = np.full(int(self._whole[-1]), np.nan)
        judged = lists.relevance >= 0
        self._grade[(self._whole[lists.query] + lists.rank - 1)[judged]] = lists.relevance[judged]
        places = np.flatnonzero(np.isnan(self._grade))
        query = np.searchsorted(self._whole, places, side="right") - 1
        self.open = np.bincount(query, minlength=len(lists.retrieved))
        self.offsets = offsets_of(self.open)
        self.rank = places - self._whole[query] + 1
        ideal = lists.ideal
        # The ideal list ends with the lowest grades, those of the retrieved items below 0 among them.
        known = ideal.rank <= (np.diff(ideal.offsets) - lists.sum(~judged))[ideal.query]
        self._ideal = ideal.relevance[known]
        self._ideal_offsets = offsets_of(ideal.sum(known).astype(np.int64))

    def judged(self, queries: NDArray[np.int64], grades: Values) -> JudgedLists:
        """The lists of these queries, each as often as it is named, with these grades of their open items."""
        lengths = self.lists.retrieved[queries]
        relevance = self._grade[spread(self._whole[queries], lengths)]
        relevance[np.isnan(relevance)] = grades
        offsets, assigned = offsets_of(lengths), self.open[queries]
        known = np.diff(self._ideal_offsets)[queries]
        ends = offsets_of(known + assigned)
        best = np.empty(int(ends[-1]))
        best[spread(ends[:-1], known)] = self._ideal[spread(self._ideal_offsets[queries], known)]
        best[spread(ends[:-1] + known, assigned)] = grades
        ideal = JudgedLists.perfect(_native.segment_descending(best, ends), ends)
        return JudgedLists(_native.segment_ranks(offsets), relevance, offsets, lengths, ideal=ideal)
