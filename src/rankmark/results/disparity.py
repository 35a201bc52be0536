"""Fairness between queries, such as users: how far slices are apart, and how unequal values are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.rendering.records import Record
from rankmark.rendering.words import counted
from rankmark.statistics.disparity import (
    gini_estimate,
    group_disparity,
    low_share_estimate,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.aggregation.terms import Terms
    from rankmark.language.measure import Measure

    Member = tuple[str | None, NDArray[np.intp]]

__all__ = ["FEWEST", "MOST", "Disparity", "Inequality", "disparity_of", "inequality_of"]

FEWEST = 10
"""Slices of fewer queries are not compared: chance makes them the worst and the best."""
MOST = 200
"""Of more slices no pairs are looked at."""
PAIRS = 4_000_000
"""So many pairs of slices in resamples are looked at for one measure, in about a second."""


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

    @property
    def said(self) -> str:
        """The same in words."""
        parts = (
            (self.gini, self.gini_low, self.gini_high),
            (self.lowest_tenth, self.lowest_tenth_low, self.lowest_tenth_high),
        )
        gini, tenth = (
            f"{value:.3f}{'' if math.isnan(low) else f' ({low:.3f} to {high:.3f})'}"
            for value, low, high in parts
        )
        of = f"{self.measure} across {counted(self.queries, 'query', 'queries')}"
        return (
            f"{of}: Gini {gini}; the lowest tenth have {tenth if self.lowest_tenth else 'nothing'} of the sum"
        )


def disparity_of(terms: Terms, by: str, members: Sequence[Member], confidence: float) -> Disparity | None:
    """How far slices by one attribute are apart; None where there is nothing to compare.

    Args:
        terms: what each query adds to the measure.
        by: the attribute.
        members: its slices, and the numbers of the queries in each.
        confidence: the share of intervals that hold the true value.

    """
    measure = terms.measure
    if terms.summary or measure.page.aggregate == "sum":
        return None
    there = terms.there
    own = [(name, rows[there[rows]]) for name, rows in members]
    kept = [(name, terms.at(rows)) for name, rows in own if len(rows) >= FEWEST]
    if not 2 <= len(kept) <= MOST:
        return None
    resamples = int(np.clip(PAIRS // math.comb(len(kept), 2), 500, 2_000))
    found = group_disparity([each.linear() for _, each in kept], confidence=confidence, resamples=resamples)
    less = measure.better == "less"
    worst, best = (found.highest, found.lowest) if less else (found.lowest, found.highest)
    values, sizes = [each.value() for _, each in kept], [len(each.above) for _, each in kept]
    low, high = terms.bounds
    reach = math.inf if low is None or high is None else high - low
    most = min(found.high, reach)
    return Disparity(
        by,
        measure.label,
        len(kept),
        len(own) - len(kept),
        *(kept[worst][0], values[worst], sizes[worst]),
        *(kept[best][0], values[best], sizes[best]),
        found.difference,
        found.low,
        most if math.isfinite(most) else math.nan,
        found.ratio,
        found.ratio_low,
        found.ratio_high,
        found.by_chance,
        found.p,
    )


def inequality_of(measure: Measure, values: NDArray[np.float64], confidence: float) -> Inequality:
    """How unequal the queries' values of one measure are."""
    values = values[~np.isnan(values)]
    if not len(values) or values.min() < 0:
        return Inequality(measure.label, len(values), *(math.nan,) * 6)
    shares = [
        gini_estimate(values, confidence=confidence),
        low_share_estimate(values, confidence=confidence),
    ]
    return Inequality(
        measure.label, len(values), *(each for value, made in shares for each in (value, *made.ends))
    )
