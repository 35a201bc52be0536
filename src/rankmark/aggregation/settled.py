"""What measures of lists come to: which queries count, what is filled in, and how they are averaged."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from rankmark import _native
from rankmark import _numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.kinds.items import RecommendedLists
    from rankmark.kinds.lists import Values
    from rankmark.language.choices import Choices
    from rankmark.language.measure import Measure
    from rankmark.language.plan import Group

__all__ = [
    "LEAST_FACTOR",
    "Lengths",
    "Settled",
    "SettledTogether",
    "counting",
    "left_out",
    "settled_alone",
    "settled_as",
    "settled_means",
    "settled_together",
    "terms",
    "values_of",
]

FILLERS: Mapping[str, float] = {"zero": 0.0, "one": 1.0}
"""What a query counts in which nothing is relevant; one that is left out is NaN."""
LEAST_FACTOR = 1e-5
"""What a query with less counts in a geometric mean, which one 0 would make 0 (trec_eval's value)."""


class Settled(NamedTuple):
    """What a measure comes to.

    Attributes:
        value: its value; NaN where no query has one.
        averaged: how many queries count.
        no_relevant: in how many nothing is relevant.
        short: how many have fewer items than the cutoff, and are left out for it.
        tied: see `MeasureCounts.tied`.
        values: that of each query, NaN where it is left out; None where they are not here.
        parts: of a ratio of sums, what each query adds to them; None where they are not here.
        lists: of a measure of items the tops of the lists that it saw; None where they are not here.

    """

    value: float
    averaged: int
    no_relevant: int
    short: int
    tied: int | None
    values: _native.QueryValues | None
    parts: tuple[Values, Values] | None = None
    lists: RecommendedLists | None = None

    @property
    def per_query(self) -> Values | None:
        """The values of the queries as an array."""
        return None if self.values is None else self.values.array


class SettledTogether(Mapping["Measure", Settled]):
    """What measures come to that are settled at once: their values, and the rest when somebody looks.

    Attributes:
        value_of: the values.

    """

    __slots__ = ("_made", "_settled", "value_of")

    def __init__(self, value_of: dict[Measure, float], settled: Callable[[], Iterable[Settled]]) -> None:
        self.value_of, self._settled = value_of, settled
        self._made: dict[Measure, Settled] = {}

    def __getitem__(self, measure: Measure) -> Settled:
        if not self._made:
            self._made = dict(zip(self.value_of, self._settled(), strict=True))
        return self._made[measure]

    def __iter__(self) -> Iterator[Measure]:
        return iter(self.value_of)

    def __len__(self) -> int:
        return len(self.value_of)


def values_of(settled: Mapping[Measure, Settled]) -> dict[Measure, float]:
    """The values of measures."""
    if isinstance(settled, SettledTogether):
        return settled.value_of
    return {measure: each.value for measure, each in settled.items()}


Asked: TypeAlias = "tuple[Measure, Counting]"
"""A measure, and which queries count in it."""


def settled_together(
    asked: Sequence[Asked],
    computed: Iterator[_native.QueryValues],
    choices: Choices,
    tied: Callable[[Measure], int | None],
) -> SettledTogether:
    """What measures come to when queries that lack a value are filled in or left out; values are taken over.

    `computed` gives what the engine computed: one value a query for a measure, two for a ratio of sums.
    `tied` counts the queries that tie-breaking can change in a measure.
    """
    unsettled, each_parts = [], []
    usual = FILLERS.get(choices.no_relevant, math.nan)
    for measure, (which, _) in asked:
        parts: tuple[Values, Values] | None = None
        values = next(computed)
        filler = usual if measure.answers else math.nan  # which lacks items or users, and nothing relevant
        if measure.page.aggregate == "ratio":
            above, below = values.array, next(computed).array
            parts = (above, below)
            if which is not None:
                parts = (np.where(which, above, 0.0), np.where(which, below, 0.0))
            values, filler = _native.QueryValues(_native.ratio(above, below, below)), math.nan
        unsettled.append((values, which, filler))
        each_parts.append(parts)
    each = [*zip(asked, unsettled, each_parts, _native.settle(unsettled), strict=True)]
    value_of = {
        measure: total / averaged
        if averaged and measure.is_mean_of_queries
        else _value(measure, values.array, parts, total, averaged)
        for (measure, _), (values, _, _), parts, (total, averaged, _) in each
    }

    def settled() -> Iterator[Settled]:
        for (measure, (_, short)), (values, _, _), parts, (_, averaged, no_relevant) in each:
            value = value_of[measure]
            yield Settled(value, averaged, no_relevant, short, tied(measure), values, parts)

    return SettledTogether(value_of, settled)


def settled_means(
    group: Group, computed: Sequence[_native.QueryValues], tied: Callable[[Measure], int | None]
) -> SettledTogether:
    """As `settled_together`, of measures that are means over all judged queries; see `Group.are_means`."""
    filler = FILLERS.get(group.choices.no_relevant, math.nan)
    means, counts = _native.settle_means(computed, filler)
    value_of = dict(zip(group.measures, means, strict=True))

    def settled() -> Iterator[Settled]:
        for (measure, value), (averaged, no_relevant), values in zip(
            value_of.items(), counts, computed, strict=True
        ):
            yield Settled(value, averaged, no_relevant, 0, tied(measure), values)

    return SettledTogether(value_of, settled)


def settled_alone(
    asked: Asked, computed: Iterator[_native.QueryValues], choices: Choices, tied: int | None
) -> Settled:
    """As `settled_together`, of one measure of which so many queries are tied."""
    return settled_together([asked], computed, choices, lambda _: tied)[asked[0]]


def _value(
    measure: Measure, values: Values, parts: tuple[Values, Values] | None, total: float, averaged: int
) -> float:
    """What a measure comes to, of the values of so many queries and their sum."""
    if measure.is_mean_of_queries:
        return total / averaged if averaged else math.nan
    from rankmark.statistics.summaries import SUMMARIES

    if measure.mean in SUMMARIES:
        return SUMMARIES[measure.mean].of(values[~np.isnan(values)])
    geometric = measure.mean == "geometric"
    sums = [total]
    if parts or geometric:
        sums = [_native.exact_sum(each) for each in terms(measure, values, parts)]
    return settled_as(measure, sums, averaged, geometric=geometric)


def terms(measure: Measure, values: Values, parts: tuple[Values, Values] | None) -> tuple[Values, ...]:
    """What of the queries' values is added up, for each sum of which the measure is made."""
    if parts:
        return parts
    kept = values[~np.isnan(values)]
    return (np.log(np.maximum(kept, LEAST_FACTOR)) if measure.mean == "geometric" else kept,)


class Answers(Protocol):
    """Queries, as far as it depends on their lists whether they count."""

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Whether each has results."""

    @property
    def retrieved(self) -> NDArray[np.int64]:
        """How many."""


class Lengths(NamedTuple):
    """The same where nothing else is known of them."""

    answered: NDArray[np.bool_]
    retrieved: NDArray[np.int64]


class Counting(NamedTuple):
    """Which queries count.

    Attributes:
        which: these; None for all.
        short: how many have results and are left out for their few items.

    """

    which: NDArray[np.bool_] | None
    short: int


ALL = Counting(None, 0)


def counting(measure: Measure, queries: Answers, choices: Choices) -> Counting:
    """The queries that count in a measure."""
    which = queries.answered if choices.missing == "skip" or not measure.answers else None
    if choices.short_lists == "keep" or measure.cutoff is None:
        return ALL if which is None else Counting(which, 0)
    short = queries.answered & (queries.retrieved < measure.cutoff)
    return Counting(~short if which is None else which & ~short, int(np.count_nonzero(short)))


def left_out(per_query: Values, which: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Of the queries that would count those that have no value, where the choices leave such out."""
    without = np.isnan(per_query)
    return without if which is None else without & which


def settled_as(measure: Measure, sums: Sequence[float], averaged: int, *, geometric: bool) -> float:
    """The value of a measure of so many queries, of the sums of which it is made."""
    if measure.page.aggregate == "sum":
        return sums[0]
    count = averaged if len(sums) == 1 else sums[1]
    mean = sums[0] / count if count else math.nan
    return math.exp(mean) if geometric else mean
