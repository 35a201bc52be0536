"""Fairness between queries, such as users: how far slices are apart, and how unequal values are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankmark.rendering.records import Record
from rankmark.results.sliced import slice_members
from rankmark.statistics.disparity import (
    gini,
    gini_interval,
    group_disparity,
    low_share,
    low_share_interval,
)

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.language.measure import Measure
    from rankmark.results.base import Result

__all__ = ["FEWEST", "MOST", "Disparity", "Inequality", "disparities_of", "inequality_of"]

FEWEST = 10
"""Slices of fewer queries are not compared: chance makes them the worst and the best."""
MOST = 200
"""Of more slices no pairs are looked at."""


@dataclass(frozen=True, slots=True, repr=False)
class Disparity(Record):
    """How far the slices by one attribute are apart on one measure, of those with ten queries or more.

    Attributes:
        by: the attribute.
        measure: the measure's name.
        slices: how many are compared.
        left_out: how many are not, having fewer than ten queries that count.
        worst: the slice with the worst value; where less is better that is the highest.
        worst_value: its value.
        worst_queries: queries of it that count.
        best: the slice with the best value.
        best_value: its value.
        best_queries: queries of it that count.
        difference: the higher of the two values less the lower.
        low: the lower end of its confidence interval, which allows for which slices are picked: see
            `rankmark.statistics.group_disparity`; 0 where all slices may be alike.
        high: the upper end; NaN where there is none.
        ratio: the lower of the two values by the higher: 1 where all are alike; NaN of negative values.
        ratio_low: the lower end of its confidence interval, made alike; NaN where a value is 0.
        ratio_high: the upper end.
        by_chance: how large the difference is on average between slices of these sizes that are alike.
        p: the chance of slices so far apart where all are alike.

    """

    by: str
    measure: str
    slices: int
    left_out: int
    worst: str | None
    worst_value: float
    worst_queries: int
    best: str | None
    best_value: float
    best_queries: int
    difference: float
    low: float
    high: float
    ratio: float
    ratio_low: float
    ratio_high: float
    by_chance: float
    p: float


@dataclass(frozen=True, slots=True, repr=False)
class Inequality(Record):
    """How unequal the values of queries, such as users, are; NaN where a value is negative or all are 0.

    Attributes:
        measure: the measure's name.
        queries: those that have a value.
        gini: Gini's coefficient: 0 where all have the same value, near 1 where one has all there is.
        gini_low: the lower end of its confidence interval.
        gini_high: the upper end.
        lowest_tenth: the share of the sum of all values that the lowest tenth of them has: 0.1 where all are
            alike.
        lowest_tenth_low: the lower end of its confidence interval.
        lowest_tenth_high: the upper end.

    """

    measure: str
    queries: int
    gini: float
    gini_low: float
    gini_high: float
    lowest_tenth: float
    lowest_tenth_low: float
    lowest_tenth_high: float


def disparities_of(result: Result, by: pl.Series, confidence: float) -> Iterator[Disparity]:
    """How far the slices by one attribute are apart, of each measure that is a mean of queries' values."""
    members = list(slice_members(by))
    for measure in result.query_measures:
        found = None if measure.page.aggregate == "sum" else _disparity(result, measure, members, confidence)
        if found is not None:
            yield Disparity(by.name, measure.label, *found)


def _disparity(
    result: Result, measure: Measure, members: Sequence[tuple[str | None, NDArray[np.intp]]], confidence: float
) -> tuple[object, ...] | None:
    """The figures of one measure; None where there is nothing to compare."""
    terms = result.query_terms(measure)
    if terms.summary:
        return None
    there = terms.there
    own = [(name, rows[there[rows]]) for name, rows in members]
    kept = [(name, terms.at(rows)) for name, rows in own if len(rows) >= FEWEST]
    if not 2 <= len(kept) <= MOST:
        return None
    found = group_disparity([each.linear() for _, each in kept], confidence=confidence)
    less = measure.better == "less"
    ends = (found.highest, found.lowest) if less else (found.lowest, found.highest)
    low, high = terms.bounds
    reach = math.inf if low is None or high is None else high - low
    most = min(found.high, reach)
    return (
        len(kept),
        len(own) - len(kept),
        *(each for end in ends for each in (kept[end][0], kept[end][1].value(), len(kept[end][1].above))),
        found.difference,
        found.low,
        most if math.isfinite(most) else math.nan,
        found.ratio,
        found.ratio_low,
        found.ratio_high,
        found.by_chance,
        found.p,
    )


def inequality_of(result: Result, measure: Measure, confidence: float) -> Inequality:
    """How unequal the queries' values of one measure are."""
    values = result.query_values(measure)
    values = values[~np.isnan(values)]
    if not len(values) or values.min() < 0:
        return Inequality(measure.label, len(values), *(math.nan,) * 6)
    shares = [
        (gini(values), gini_interval(values, confidence=confidence)),
        (low_share(values), low_share_interval(values, confidence=confidence)),
    ]
    return Inequality(measure.label, len(values), *(each for value, made in shares for each in (value, *made.ends)))
