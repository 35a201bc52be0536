"""What measures of lists come to: which queries count, what is filled in, and how they are averaged."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark import _native
from rankmark.statistics.summaries import SUMMARIES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.kinds.items import RecommendedLists
    from rankmark.kinds.lists import Values
    from rankmark.language.choices import Choices
    from rankmark.language.measure import Measure

__all__ = [
    "LEAST_FACTOR",
    "Settled",
    "Summands",
    "counted",
    "counted_together",
    "counting",
    "left_out",
    "settled_as",
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
        per_query: that of each query, NaN where it is left out; None where they are not here.
        parts: of a ratio of sums, what each query adds to them; None where they are not here.
        lists: of a measure of items the tops of the lists that it saw; None where they are not here.

    """

    value: float
    averaged: int
    no_relevant: int
    short: int
    tied: int | None
    per_query: Values | None
    parts: tuple[Values, Values] | None = None
    lists: RecommendedLists | None = None


class Summands(NamedTuple):
    """What of the queries' values is added up.

    Attributes:
        measure: what was measured.
        per_query: the value of each query; NaN where it is left out.
        averaged: how many count.
        no_relevant: in how many nothing is relevant.
        total: the sum of the values.
        parts: of a ratio of sums, the numerators and the denominators, 0 for queries that do not count.
        geometric: whether logarithms are added up.

    """

    measure: Measure
    per_query: Values
    averaged: int
    no_relevant: int
    total: float
    parts: tuple[Values, Values] | None
    geometric: bool

    def terms(self) -> tuple[Values, ...]:
        """What is added up, for each sum of which the measure is made."""
        if self.parts:
            return self.parts
        kept = self.per_query[~np.isnan(self.per_query)]
        return (np.log(np.maximum(kept, LEAST_FACTOR)) if self.geometric else kept,)

    def sums(self) -> Sequence[float]:
        """The same, added up."""
        if not self.parts and not self.geometric:
            return (self.total,)
        return [_native.exact_sum(terms) for terms in self.terms()]

    def value(self) -> float:
        """What the measure comes to."""
        if self.measure.is_mean_of_queries:
            return self.total / self.averaged if self.averaged else math.nan
        if self.measure.mean in SUMMARIES:
            return SUMMARIES[self.measure.mean].of(self.per_query[~np.isnan(self.per_query)])
        return settled_as(self.measure, self.sums(), self.averaged, geometric=self.geometric)


def counted(
    measure: Measure, computed: Iterator[Values], which: NDArray[np.bool_] | None, choices: Choices
) -> Summands:
    """As `counted_together`, of one measure."""
    (summands,) = counted_together([(measure, which)], computed, choices)
    return summands


def counted_together(
    measures: Sequence[tuple[Measure, NDArray[np.bool_] | None]], computed: Iterator[Values], choices: Choices
) -> list[Summands]:
    """What is filled in for the queries that count in each measure (None: all); values are taken over.

    `computed` gives what the engine computed: one array for a measure, two for a ratio of sums.
    """
    unsettled, each_parts = [], []
    for measure, which in measures:
        parts: tuple[Values, Values] | None = None
        values, filler = next(computed), FILLERS.get(choices.no_relevant, np.nan)
        if not measure.answers:  # which lacks items or users, and nothing relevant
            filler = np.nan
        if measure.page.aggregate == "ratio":
            below = next(computed)
            parts = (values, below)
            if which is not None:
                parts = (np.where(which, values, 0.0), np.where(which, below, 0.0))
            values, filler = _native.ratio(values, below, below), np.nan
        unsettled.append((values, which, filler))
        each_parts.append(parts)
    settled = zip(measures, unsettled, _native.settle(unsettled), each_parts, strict=True)
    return [
        Summands(measure, values, averaged, no_relevant, total, parts, measure.mean == "geometric")
        for (measure, _), (values, _, _), (total, averaged, no_relevant), parts in settled
    ]


class Counting(NamedTuple):
    """Which queries count.

    Attributes:
        which: these; None for all.
        short: how many have results and are left out for their few items.

    """

    which: NDArray[np.bool_] | None
    short: int


ALL = Counting(None, 0)


def counting(
    measure: Measure, answered: NDArray[np.bool_], retrieved: NDArray[np.int64], choices: Choices
) -> Counting:
    """The queries that count in a measure."""
    which = answered if choices.missing == "skip" or not measure.answers else None
    if choices.short_lists == "keep" or measure.cutoff is None:
        return ALL if which is None else Counting(which, 0)
    short = answered & (retrieved < measure.cutoff)
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
