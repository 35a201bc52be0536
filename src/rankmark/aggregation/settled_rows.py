"""What measures of rows come to: a value of all rows, or the mean of the queries'."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from rankmark import _native
from rankmark.aggregation.counts import RowMeasureCounts
from rankmark.dataclassing import dataclass
from rankmark.kinds.rows import PerQuery

if TYPE_CHECKING:
    from rankmark.kinds.rows import Values

__all__ = ["OfQueries", "QueryValues", "SettledRows", "mean_of_queries"]


@dataclass(frozen=True, slots=True)
class SettledRows:
    """What a row measure comes to.

    Attributes:
        value: its value; NaN where the rows give it none.
        counts: what became of the rows, and why there is no value.
        per_query: that of each query, of a measure that is a mean over queries, where these are here.
        parts: what each query adds to both sums of that mean: v·value and v.

    """

    value: float
    counts: RowMeasureCounts
    per_query: Values | None = None
    parts: tuple[Values, Values] | None = None


class OfQueries(Protocol):
    """What a measure gives that is a value of each query, all of them or what they add up to."""

    def settled(self) -> SettledRows:
        """What it comes to."""


class QueryValues(NamedTuple):
    """What a measure gives for each query, and how many rows each of them has."""

    each: PerQuery
    rows: Values

    def summands(self) -> tuple[RowMeasureCounts, Values, Values]:
        """The counts, and what is added up of the queries that have a value: v and v·value."""
        each = self.each
        there = ~np.isnan(each.values)
        averaged = int(np.count_nonzero(there))
        counts = RowMeasureCounts(averaged, len(there) - averaged, int(self.rows[~there].sum()), each.skipped)
        weights = each.weights[there]
        return counts, weights, weights * each.values[there]

    def settled(self) -> SettledRows:
        """The weighted mean over the queries that have a value."""
        counts, weights, values = self.summands()
        sums = _native.exact_sum(weights), _native.exact_sum(values)
        settled = mean_of_queries(counts, *sums)
        parts = (self.each.weights * self.each.values, self.each.weights)
        return replace(settled, per_query=self.each.values, parts=parts)


def mean_of_queries(counts: RowMeasureCounts, weights: float, values: float) -> SettledRows:
    """The weighted mean over the queries that have a value, of two sums: Σ v and Σ v·value."""
    if weights == 0:
        why = "no query has any weight" if counts.averaged else f"every query is {counts.why_skipped}"
        return SettledRows(np.nan, replace(counts, undefined=why))
    return SettledRows(values / weights, counts)
