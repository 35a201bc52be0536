"""What a list measure sees: the judged items of every list, in rank order."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from rankmark import _native
from rankmark import _numpy as np

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

__all__ = ["DIVISIONS", "Division", "JudgedLists", "Values", "compiled_hits", "ratio"]

if TYPE_CHECKING:
    Values: TypeAlias = np.ndarray[tuple[Any, ...], np.dtype[np.float64]]
else:
    Values = object  # for whoever looks at the annotations of a page, which takes no NumPy
"""One value an item or one a query."""

Division: TypeAlias = "tuple[ArrayLike, float | Values, Values]"
"""A numerator, a denominator and their quotient, one of each a query."""

DIVISIONS: ContextVar[list[Division] | None] = ContextVar("DIVISIONS", default=None)
"""Where `ratio` notes what it divides, for whoever has to show it; None where nobody asks."""

T = TypeVar("T")


class JudgedLists:
    """The judged items of some lists, flat, query after query, each in rank order.

    Arrays named here have one entry an item unless they are said to have one a query. Items that were
    retrieved and not judged are not here: they have a rank but no grade, so no measure needs them.

    What several measures need, such as `hits` and `relevant`, is computed once and kept.

    Attributes:
        rank: position in the list from 1, int64.
        relevance: grade, float64.
        offsets: items of query ``q`` are ``offsets[q]:offsets[q + 1]``, int64.
        retrieved: number of items in each list, judged or not; one a query, int64.
        ties: under ``ties="expected"`` the first and the last rank of the items with the same score;
            None where every item has one rank.

    """

    __slots__ = ("_ideal", "_known", "offsets", "rank", "relevance", "retrieved", "ties")

    def __init__(
        self,
        rank: NDArray[np.int64],
        relevance: Values,
        offsets: NDArray[np.int64],
        retrieved: NDArray[np.int64],
        *,
        ties: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
        ideal: JudgedLists | None = None,
    ) -> None:
        self.rank = rank
        self.relevance = relevance
        self.offsets = offsets
        self.retrieved = retrieved
        self.ties = ties
        self._ideal = ideal
        self._known: dict[Hashable, object] = {}

    @classmethod
    def perfect(
        cls, relevance: Values, offsets: NDArray[np.int64], relevant: tuple[float, Values] | None = None
    ) -> Self:
        """Lists of judged items alone, at ranks 1, 2, 3 … in the order given.

        Args:
            relevance: their grades.
            offsets: those of the lists.
            relevant: a grade, and how many items of each list are judged so or better; where only the first
                ones are here.

        """
        lists = cls(_native.segment_ranks(offsets), relevance, offsets, offsets[1:] - offsets[:-1])
        if relevant is not None:
            lists._known["relevant", relevant[0]] = relevant[1]
        return lists

    @property
    def ideal(self) -> JudgedLists:
        """All judged items of each query, retrieved or not, best first at ranks 1, 2, 3 …."""
        return self if self._ideal is None else self._ideal

    def where(self, kept: NDArray[np.bool_]) -> JudgedLists:
        """The same lists without the items that are not `kept`; the others stay at their ranks."""
        rank, relevance, ties, offsets = _native.segment_kept(
            kept, self.rank, self.relevance, self.ties, self.offsets
        )
        return JudgedLists(rank, relevance, offsets, self.retrieved, ties=ties, ideal=self.ideal)

    def one(self, query: int) -> JudgedLists:
        """The list of one query, by its number, from 0."""
        return self.between(query, query + 1)

    def between(self, start: int, stop: int) -> JudgedLists:
        """The lists of the queries from one number, from 0, to before another."""
        own = slice(self.offsets[start], self.offsets[stop])
        ties = None if self.ties is None else (self.ties[0][own], self.ties[1][own])
        ends = self.ideal.offsets[start : stop + 1]
        ideal = JudgedLists.perfect(self.ideal.relevance[ends[0] : ends[-1]], ends - ends[0])
        return JudgedLists(
            self.rank[own],
            self.relevance[own],
            self.offsets[start : stop + 1] - own.start,
            self.retrieved[start:stop],
            ties=ties,
            ideal=ideal,
        )

    def grades(self, query: int, cutoff: int | None = None) -> tuple[Values, Values]:
        """Of one query the grades in rank order to the cutoff, NaN for unjudged items; and all judged."""
        own = slice(self.offsets[query], self.offsets[query + 1])
        rank, relevance = self.rank[own], self.relevance[own]
        length = int(self.retrieved[query])
        size = length if cutoff is None else min(length, cutoff)
        grades = np.full(size, np.nan)
        above = rank <= size
        grades[rank[above] - 1] = relevance[above]
        best = self.ideal.relevance[self.ideal.offsets[query] : self.ideal.offsets[query + 1]]
        return grades, best.copy()

    def hits(self, rel: float) -> JudgedLists:
        """The relevant items of each list: those judged `rel` or better."""
        return self.once(("hits", rel), lambda: self.where(self.relevance >= rel))

    def top(self, cutoff: int | None) -> JudgedLists:
        """The items at rank `cutoff` or better; with ties those that can be there."""
        if cutoff is None:
            return self
        best_rank = self.rank if self.ties is None else self.ties[0]
        return self.once(("top", cutoff), lambda: self.where(best_rank <= cutoff))

    @property
    def judged(self) -> NDArray[np.int64]:
        """Number of judged items, retrieved or not; one a query."""
        return np.diff(self.ideal.offsets)

    @property
    def known(self) -> NDArray[np.int64]:
        """Number of items that were retrieved or judged; one a query."""
        return self.retrieved + self.judged - np.diff(self.offsets)

    def with_unjudged(self, grade: float) -> JudgedLists:
        """The same lists, with the unjudged items in them taken as judged `grade`."""
        offsets = np.concatenate(([0], np.cumsum(self.retrieved)))
        query = np.repeat(np.arange(len(self.retrieved)), self.retrieved)
        rank = np.arange(1, len(query) + 1) - offsets[query]
        relevance = np.full(len(query), float(grade))
        relevance[offsets[self.query] + self.rank - 1] = self.relevance
        ties = None if self.ties is None else self._ties_of_all(offsets, rank)

        unjudged = self.retrieved - np.diff(self.offsets)
        of = np.concatenate((self.ideal.query, np.repeat(np.arange(len(unjudged)), unjudged)))
        grades = np.concatenate((self.ideal.relevance, np.full(unjudged.sum(), float(grade))))
        order = np.lexsort((-grades, of))
        ideal = JudgedLists.perfect(grades[order], np.concatenate(([0], np.cumsum(self.judged + unjudged))))
        return JudgedLists(rank, relevance, offsets, self.retrieved, ties=ties, ideal=ideal)

    def _ties_of_all(
        self, offsets: NDArray[np.int64], rank: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first and the last rank of the items tied with each item of the lists, judged or not.

        Only ties with judged items are known. In the others all items are alike, so their order is no matter.
        """
        assert self.ties is not None
        first, last = self.ties
        opens = self._opens_tie(first)
        first, size, start = first[opens], (last - first + 1)[opens], offsets[self.query][opens]
        place = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        tied = np.repeat(start + first - 1, size) + place
        all_first, all_last = rank.copy(), rank.copy()
        all_first[tied] = np.repeat(first, size)
        all_last[tied] = np.repeat(first + size - 1, size)
        return all_first, all_last

    def relevant(self, rel: float) -> Values:
        """Number of items judged `rel` or better, retrieved or not; one a query."""
        ideal = self.ideal
        return ideal.once(("relevant", rel), lambda: ideal.sum(ideal.relevance >= rel))

    def length(self, cutoff: int | None) -> Values:
        """Number of retrieved items, judged or not, down to `cutoff`; one a query."""
        lengths = self.retrieved if cutoff is None else np.minimum(self.retrieved, cutoff)
        return lengths.astype(np.float64)

    def count(self, cutoff: int | None = None) -> Values:
        """Number of items here, down to `cutoff`; with ties its mean over all orders; one a query."""
        return self.once(("count", cutoff), lambda: self._counted(cutoff))

    def _counted(self, cutoff: int | None) -> Values:
        if cutoff is None:
            return _floats(self.offsets[1:] - self.offsets[:-1])
        return self.sum(self.rank <= cutoff if self.ties is None else self.within(cutoff))

    def sum(self, x: ArrayLike) -> Values:
        """The sum of `x` over the items of each list, added in rank order; one a query."""
        values = np.asarray(x)
        if values.dtype == np.bool_:
            return _native.segment_count(values, self.offsets)
        return _native.segment_sum(_floats(values), self.offsets)

    def max(self, x: ArrayLike) -> Values:
        """The greatest `x` among the items of each list, 0 for a list without items; one a query."""
        greatest = np.zeros(len(self.retrieved))
        filled = np.flatnonzero(np.diff(self.offsets))
        if len(filled):
            greatest[filled] = np.maximum.reduceat(_floats(x), self.offsets[filled])
        return greatest

    @property
    def place(self) -> NDArray[np.int64]:
        """The place of each item among those of its list that are here, from 1."""
        return _native.segment_ranks(self.offsets)

    def running_sum(self, x: ArrayLike) -> Values:
        """For each item the sum of `x` over the items of its list down to it."""
        return _native.segment_running_sum(_floats(x), self.offsets)

    def running_product(self, x: ArrayLike) -> Values:
        """For each item the product of `x` over the items of its list down to it."""
        return _native.segment_running_product(_floats(x), self.offsets)

    def before(self, running: Values, start: float) -> Values:
        """A running value as it was one item earlier; `start` for the first item of a list."""
        return np.where(self._opens_list(), start, np.roll(running, 1))

    def last(self, x: Values, otherwise: float) -> Values:
        """The value of each list's last judged item, `otherwise` where none was retrieved; one a query."""
        value = np.full(len(self.retrieved), otherwise)
        filled = self.offsets[1:] > self.offsets[:-1]
        value[filled] = x[self.offsets[1:][filled] - 1]
        return value

    def ideal_rank(self) -> NDArray[np.int64]:
        """The rank that each item has in the ideal list in which equal grades come in this list's order.

        Those of a grade that were not retrieved follow those that were.
        """
        ideal = self.ideal
        grades = np.unique(ideal.relevance)
        best_first = len(grades) - 1 - np.searchsorted(grades, ideal.relevance)
        places = ideal.query * len(grades) + best_first
        place = self.query * len(grades) + len(grades) - 1 - np.searchsorted(grades, self.relevance)
        better = np.searchsorted(places, place) - ideal.offsets[self.query]
        order = np.argsort(place, kind="stable")
        of_grade = place[order]
        earlier = np.empty(len(order), dtype=np.int64)
        earlier[order] = np.arange(len(order)) - np.searchsorted(of_grade, of_grade)
        return better + earlier + 1

    @property
    def query(self) -> NDArray[np.intp]:
        """The number of each item's query, from 0."""
        return self.once("query", lambda: np.repeat(np.arange(len(self.retrieved)), np.diff(self.offsets)))

    def spread(self, per_query: ArrayLike) -> NDArray[np.float64]:
        """A value a query, repeated for each item of its list."""
        return _floats(per_query)[self.query]

    def in_ideal(self, x: Values) -> Values:
        """The ideal list's `x` at the rank of each item here; beyond the ideal list's end, its last."""
        ideal = self.ideal
        lengths = np.diff(ideal.offsets)[self.query]  # at least 1: whoever is here is judged
        return x[ideal.offsets[self.query] + np.minimum(self.rank, lengths) - 1]

    def descending(self, x: Values) -> Values:
        """The values `x`, in each list from the greatest to the least."""
        return _native.segment_descending(x, self.offsets)

    def within(self, cutoff: ArrayLike | None) -> Values:
        """1 for an item at rank `cutoff` or better, else 0; with ties the share of orders in which it is.

        `cutoff` is one number, one a query, or None for the whole list.
        """
        if cutoff is None:
            return np.ones(len(self.rank))
        limit = np.asarray(cutoff, dtype=np.float64)
        limit = self.spread(limit) if limit.ndim else limit
        if self.ties is None:
            return _floats(self.rank <= limit)
        first, last = self.ties
        return np.clip((limit - first + 1) / (last - first + 1), 0.0, 1.0)

    def weighted_sum(self, x: float | Values, weights: Values) -> Values:
        """The sum over the items of each list of `x` times the weight of the item's rank; one a query.

        `x` is one number, or one an item. The weights are those of the ranks 1, 2, 3 …; ranks beyond them
        weigh nothing. With ties an item weighs the mean of the ranks it can have.
        """
        each = x if isinstance(x, np.ndarray) else np.full(len(self.rank), x)
        if self.ties is None:
            return _native.segment_weighted_sum(each, self.rank, weights, self.offsets)
        return _native.segment_shared_weighted_sum(each, self.ties, weights, self.offsets)

    def precision(self, cutoff: int | None = None) -> Values:
        """For each item the share of items here among the first as many as its rank.

        With ties the mean over all orders, in which ranks beyond `cutoff` have 0. Without, every item has its
        own.
        """
        if self.ties is None:
            return self.place / self.rank
        return _native.segment_shared_precision(self.ties, cutoff, self.offsets)

    def depth(self, cutoff: int | None = None) -> int:
        """The last rank, down to `cutoff`, that an item here can have."""
        last = int((self.rank if self.ties is None else self.ties[1]).max(initial=0))
        return last if cutoff is None else min(last, cutoff)

    def at_rank(
        self, weight: Callable[[NDArray[np.int64]], ArrayLike], cutoff: ArrayLike | None = None
    ) -> Values:
        """The weight of each item's rank, 0 below `cutoff`; with ties the mean over the ranks it can have.

        `cutoff` is one number, one a query, or None for the whole list.
        """
        limit = np.asarray(np.iinfo(np.int64).max if cutoff is None else cutoff, dtype=np.int64)
        limit = limit[self.query] if limit.ndim else limit
        single = _floats(weight(self.rank)) * (self.rank <= limit)
        if self.ties is None:
            return single
        first, last = self.ties
        upto = np.concatenate(([0.0], np.cumsum(_floats(weight(np.arange(1, last.max(initial=0) + 1))))))
        end = np.maximum(np.minimum(last, limit), first - 1)
        # One rank's weight is taken as it is: a difference of sums would blur its last digit.
        return np.where(first == last, single, (upto[end] - upto[first - 1]) / (last - first + 1))

    def at_first(self, weight: Callable[[NDArray[Any]], ArrayLike]) -> Values:
        """The weight of the rank of each list's first item here, that of infinity without one; one a query.

        With ties its mean over all orders. Of ``s`` tied items ``r`` are here; the first of them is ``j``
        places down with probability C(s−1−j, r−1) / C(s, r).
        """
        if self.ties is None:
            first = self.once("first", lambda: _native.segment_first(self.rank, self.offsets))
            return _floats(weight(first))
        value = np.zeros(len(self.retrieved))
        queries = np.flatnonzero(self.offsets[1:] > self.offsets[:-1])
        firsts = self.offsets[queries]
        start = self.ties[0][firsts]
        size = self.ties[1][firsts] - start + 1
        hits = self.tied()[1][firsts].astype(np.int64)
        probability, place = hits / size, 0
        while len(queries):
            value[queries] += probability * _floats(weight(start + place))
            left = place < size - hits
            queries, start, size, hits = queries[left], start[left], size[left], hits[left]
            probability = probability[left] * (size - hits - place) / (size - 1 - place)
            place += 1
        return value

    def tied(self, counted: NDArray[np.bool_] | None = None) -> tuple[Values, Values]:
        """For each item how many of the `counted` rank above all tied with it, and how many are tied with it.

        All items here are counted if `counted` is None. An item is tied with itself.
        """
        own = np.ones(len(self.rank)) if counted is None else _floats(counted)
        running = self.running_sum(own)
        if self.ties is None:
            return running - own, own
        first = self.ties[0]
        opens = self._opens_tie(first)
        closes = np.roll(opens, -1)  # the first item of all opens a group, so the last one closes one
        group = np.cumsum(opens) - 1
        above = (running - own)[opens]
        return above[group], (running[closes] - above)[group]

    def _opens_list(self) -> NDArray[np.bool_]:
        """Whether an item is the first of its list."""
        opens: NDArray[np.bool_] = np.diff(self.query, prepend=-1) != 0
        return opens

    def _opens_tie(self, first: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether an item is the first here of those that share the rank `first`."""
        opens = self._opens_list()
        opens[1:] |= first[1:] != first[:-1]
        return opens

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What was computed under this key the first time."""
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]  # type: ignore[return-value]


def ratio(numerator: ArrayLike, denominator: float | Values, relevant: ArrayLike) -> Values:
    """One value a query: NaN where nothing is `relevant`, else 0 where the denominator is 0."""
    try:
        quotient = _native.ratio(numerator, denominator, relevant)  # type: ignore[arg-type]
    except TypeError:  # not all of them are arrays of floats
        quotient = _native.ratio(_floats(numerator), denominator, _floats(relevant))
    if (noted := DIVISIONS.get()) is not None:
        noted.append((numerator, denominator, quotient))
    return quotient


def compiled_hits(
    found: Literal["precisions", "first", "any", "count"],
    over: float | Literal["cutoff"] | None = None,
    /,
    **with_: object,
) -> Callable[[Mapping[str, Any]], _native.CompiledMeasure | None]:
    """Gives of a page's arguments what the core computes in its place, where these are as they are said.

    Args:
        found: what is found of the relevant items down to the cutoff: the sum of the precisions at their
            ranks, one over the rank of the first, whether there is one, or how many there are.
        over: by what that is divided; the number of relevant items if None.
        with_: the arguments with which the page is the same; others are computed by the page.

    """

    def compiled(given: Mapping[str, Any]) -> _native.CompiledMeasure | None:
        cutoff = given["cutoff"]
        below = cutoff if over == "cutoff" else over
        same = all(given[name] == value for name, value in with_.items())
        if not same or (over == "cutoff" and cutoff is None):
            return None
        return _native.CompiledMeasure.hits(found, given["rel"], cutoff, below)

    return compiled


def _floats(x: ArrayLike) -> Values:
    return np.ascontiguousarray(x, dtype=np.float64)
