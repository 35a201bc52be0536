"""What engines see of whole queries: the values of each, and what tie-breaking decides in it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from rankmark import _native
from rankmark import _numpy as np
from rankmark.aggregation.refusals import NONE, SHOWN, Some, some_of
from rankmark.aggregation.settled import (
    Settled,
    counting,
    left_out,
    settled_alone,
    settled_means,
    settled_together,
)
from rankmark.dataclassing import dataclass
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.language.measure import QueryError
from rankmark.language.plan import compiled_of, is_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from rankmark.inputs.catalogue import JudgedItems, Numbered
    from rankmark.kinds.item_facts import Numbers
    from rankmark.kinds.items import RecommendedLists, Tops
    from rankmark.language.choices import Choices
    from rankmark.language.measure import Measure
    from rankmark.language.plan import Group

__all__ = [
    "Block",
    "Measured",
    "Observed",
    "as_seen",
    "judged_lists",
    "measured",
    "merged",
    "tied_queries",
    "with_aspects",
]


@dataclass(frozen=True, slots=True)
class Measured:
    """Some of the judged queries, as one thread computes them.

    Attributes:
        queries: their numbers, in the order in which the judgements name them first.
        answered: whether each has results.
        retrieved: number of items in each list.
        tied_rank: the best rank at which tie-breaking decides between different grades, 0 if it nowhere does.
        values: what the measures give, one value a query, or two for a ratio of sums: its numerators and its
            denominators; NaN where nothing is relevant.
        hits: number of judged items in their lists.
        order: in how many lists relevant items stand below the others, and in how many above.
        tops: the items at the top of the lists, where measures look at them.

    """

    queries: slice | NDArray[np.uint32]
    answered: NDArray[np.bool_]
    retrieved: NDArray[np.int64]
    tied_rank: NDArray[np.int64]
    values: list[Values]
    hits: int
    order: tuple[int, int]
    tops: Tops | None = None

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The numbers of the queries as an array."""
        if isinstance(self.queries, slice):
            return np.arange(self.queries.start or 0, self.queries.stop)
        return self.queries.astype(np.int64)


class Observed(NamedTuple):
    """What a group of measures gives for whole queries, in one order.

    Attributes:
        queries: the judged queries.
        values: what the measures give, as in `Measured`.
        tops: the items at the top of the lists as they were numbered, where measures look at them.
        judged: gives which items are judged, by the same numbers; None without judgements.
        recommended: the items at the top of the lists with what is known of them, once all lists are here.
        by_aspect: the lists with the judgements of aspects, where they were observed at once.
        tied_lists: for each measure of aspects, in which lists tie-breaking decides what it sees.

    """

    queries: _native.ObservedQueries
    values: list[_native.QueryValues]
    tops: Tops | None = None
    judged: Callable[[], JudgedItems] | None = None
    recommended: RecommendedLists | None = None
    by_aspect: RecommendedLists | None = None
    tied_lists: Mapping[Measure, NDArray[np.bool_]] = MappingProxyType({})


class Block(NamedTuple):
    """Whole queries that were observed at once, or all that a `QueryState` has: what can be finished.

    Attributes:
        queries: the judged queries as a group has them: nothing but ties depends on the choices.
        query_ids: the same, a table with a column ``query``.
        observed: what each group of measures gives for them.
        unjudged_queries: number of queries with results and without judgements.

    """

    queries: _native.ObservedQueries
    query_ids: _native.Table
    observed: Sequence[Observed]
    unjudged_queries: int

    @property
    def first_rows(self) -> NDArray[np.uint32]:
        """The first row of each in the judgements; empty where these are not here."""
        return self.queries.first_rows

    @property
    def judged(self) -> int:
        """Number of queries with judgements."""
        return len(self.queries)

    @property
    def missing(self) -> Some:
        """Judged queries without results."""
        count = self.queries.missing
        return Some(count, [*self.queries.unanswered(self.query_ids, SHOWN)]) if count else NONE

    @property
    def unjudged(self) -> Some:
        """Queries with results and without judgements."""
        return Some(self.unjudged_queries) if self.unjudged_queries else NONE

    @property
    def hits(self) -> int:
        """Number of judged items in the lists."""
        return self.queries.hits

    @property
    def order(self) -> tuple[int, int]:
        """As `Seen`."""
        return self.queries.order

    def with_items(self, items: Numbered, name: str) -> Block:
        """The same with what is known of the items at the top of the lists, of all that there are.

        Args:
            items: the items by whose numbers these are.
            name: what messages call the results.

        Raises:
            DataError: items that cannot be recommended.

        """
        observed = [
            each
            if each.tops is None
            else each._replace(recommended=items.recommended(each.tops, self.query_ids, each.judged, name))
            for each in self.observed
        ]
        return self._replace(observed=observed)

    def settled(self, number: int, group: Group, k: int | None) -> Mapping[Measure, Settled]:
        """What the measures of a group come to, once: their values are taken over."""
        observed, (choices, measures) = self.observed[number], group

        def tied(measure: Measure) -> int | None:
            return tied_queries(observed, measure, choices, k)

        if group.are_means:
            return settled_means(group, observed.values, tied)
        asked = [
            (measure, counting(measure, observed.queries, choices))
            for measure in measures
            if not measure.of_all_lists
        ]
        settled = settled_together(asked, iter(observed.values), choices, tied)
        if len(asked) == len(measures):
            return settled
        return {
            each: _of_items(each, observed, choices) if each.of_all_lists else settled[each]
            for each in measures
        }

    def undefined(self, measure: Measure, settled: Settled, choices: Choices) -> Some:
        """The queries in which nothing is relevant to a measure, which were left out."""
        assert settled.per_query is not None, measure
        which, _ = counting(measure, self.queries, choices)
        return some_of(self.query_ids, left_out(settled.per_query, which))


def _of_items(measure: Measure, observed: Observed, choices: Choices) -> Settled:
    """What a measure of items comes to, of the queries with results: no others have any."""
    assert observed.recommended is not None, measure
    counted = counting(measure, observed.queries, choices)
    computed = measure.compute_items(observed.recommended)
    tied = int(np.count_nonzero(_tied_lists(observed.recommended, measure)))
    if measure.page.aggregate == "run":
        answered = len(observed.queries) - observed.queries.missing
        return Settled(float(computed), answered, 0, 0, tied, None, lists=observed.recommended)
    values = _native.QueryValues(np.array(computed))
    settled = settled_alone((measure, counted), iter((values,)), choices, tied)
    return settled._replace(lists=observed.recommended)


def with_aspects(observed: Observed, lists: RecommendedLists, measures: Sequence[Measure]) -> Observed:
    """The same with what the measures of aspects among the measures of a group give, of the whole lists.

    Raises:
        QueryError: a query that is too large for one.

    """
    from rankmark.kinds.best_orders import TooManyOrdersError

    computed = iter(observed.values)
    values: list[_native.QueryValues] = []
    tied = {}
    for measure in measures:
        if measure.of_aspects:
            try:
                found = np.array(measure.compute_items(lists), dtype=np.float64)
                values.append(_native.QueryValues(found))
            except TooManyOrdersError as error:
                raise QueryError(error.number, str(measure), error.problem) from None
            tied[measure] = _tied_lists(lists, measure)
        elif not measure.of_all_lists:
            values.extend(next(computed) for _ in range(measure.page.arrays))
    return observed._replace(values=values, by_aspect=lists, tied_lists=tied)


def _tied_lists(lists: RecommendedLists, measure: Measure) -> NDArray[np.bool_]:
    """In which lists tie-breaking decides which items a measure sees, or in which order."""
    top = lists.top(measure.cutoff)
    if measure.order == "top":
        return top.ties > 0
    there = np.diff(top.offsets) > 0
    tied = np.zeros(len(there), dtype=np.bool_)
    tied[there] = top.tied[top.offsets[1:][there] - 1]
    return tied


def measured(lists: _native.JudgedLists, measures: Sequence[Measure], choices: Choices) -> Measured:
    """Computes the measures of some queries, but for those that look at items."""
    of_lists = [measure for measure in measures if measure.page.kind != "item"]
    if not of_lists and not len(lists.rank):  # as where nothing is judged
        return _measured(lists, [], (0, 0))
    order = lists.order()
    if (compiled := compiled_of(of_lists, choices)) is not None:
        return _measured(lists, lists.compute(compiled), order)
    plain, judged = is_plain(choices), judged_lists(lists)
    values: list[Values] = []
    for measure in of_lists:
        if plain and measure.compiled is not None:
            values += lists.compute([measure.compiled])
            continue
        try:
            computed = measure.compute(as_seen(judged, measure, choices))
        except QueryError as error:
            raise error.numbered(_number(lists.queries, error.number)) from error.__cause__
        values.extend(computed if isinstance(computed, tuple) else (computed,))
    return _measured(lists, values, order)


def _measured(lists: _native.JudgedLists, values: list[Values], order: tuple[int, int]) -> Measured:
    return Measured(
        lists.queries,
        lists.answered,
        lists.retrieved,
        lists.tied_rank,
        values,
        len(lists.rank),
        order,
        None if lists.first is None else _tops(lists.first),
    )


def _tops(first: tuple[Numbers, NDArray[np.bool_], NDArray[np.int64]]) -> Tops:
    """What the core keeps of the tops of lists."""
    from rankmark.kinds.items import Tops

    return Tops(*first)


def _number(queries: slice | NDArray[np.uint32], place: int) -> int:
    """The number of one of some queries."""
    return (queries.start or 0) + place if isinstance(queries, slice) else int(queries[place])


def as_seen(lists: JudgedLists, measure: Measure, choices: Choices) -> JudgedLists:
    """The lists as a measure sees them, which may take unjudged items as relevant."""
    if choices.unjudged != "relevant":
        return lists
    return lists.with_unjudged(measure.arguments.get("rel", 1.0))


def judged_lists(lists: _native.JudgedLists) -> JudgedLists:
    """What measures see of some queries."""
    ties = None
    if lists.tied_first is not None and lists.tied_last is not None:
        ties = (lists.tied_first, lists.tied_last)
    ideal = JudgedLists.perfect(lists.ideal, lists.ideal_offsets)
    return JudgedLists(lists.rank, lists.relevance, lists.offsets, lists.retrieved, ties=ties, ideal=ideal)


def merged(parts: list[Measured], first_rows: NDArray[np.uint32]) -> Observed:
    """Brings the queries of all parts into their order; `first_rows` are those of all in the judgements."""
    queries = len(first_rows)
    hits = sum(part.hits for part in parts)
    order = sum(part.order[0] for part in parts), sum(part.order[1] for part in parts)
    if len(parts) == 1 and isinstance(parts[0].queries, slice):
        part = parts[0]
        # Copies, because two measures may have given the same array.
        values = [each.copy() for each in part.values]
        answered, retrieved, tied_rank = part.answered, part.retrieved, part.tied_rank
    else:
        answered = np.empty(queries, dtype=np.bool_)
        retrieved, tied_rank = np.empty((2, queries), dtype=np.int64)
        # In one piece, for which there are large pages: bringing in small ones takes longer than the rest.
        values = list(np.empty((len(parts[0].values), queries)))
        for part in parts:
            answered[part.queries] = part.answered
            retrieved[part.queries] = part.retrieved
            tied_rank[part.queries] = part.tied_rank
            for whole, own in zip(values, part.values, strict=True):
                whole[part.queries] = own
    every = _native.ObservedQueries(first_rows, answered, retrieved, tied_rank, hits, order)
    return Observed(every, list(map(_native.QueryValues, values)))


def tied_queries(observed: Observed, measure: Measure, choices: Choices, k: int | None = None) -> int | None:
    """The queries that tie-breaking can change; see `MeasureCounts.tied`."""
    if measure.of_aspects:
        return int(np.count_nonzero(observed.tied_lists[measure]))
    last = measure.last_deciding_rank
    if k is not None and measure.order != "nothing":
        last = min(last or k, k)  # a cut makes a set of what stands above it
    if not last:
        return 0
    if choices.unjudged == "relevant" or (measure.tells_unjudged and choices.unjudged != "ignore"):
        return None
    if not observed.queries.ties:
        return 0
    return observed.queries.tied(last, cut=measure.order == "set")
