"""How far measures of some rows are from those of all others, and whether that is more than chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark.aggregation.intervals import (
    FEWEST,
    FEWEST_DRAWN,
    LEFT_OUT,
    ROWS,
    UPWARD,
    Labelled,
    OfRows,
    OfSums,
    Sample,
    Sampling,
    Units,
    is_auc,
)
from rankmark.dataclassing import dataclass
from rankmark.statistics.independent import FEWEST as FEWEST_VALUES
from rankmark.statistics.independent import group_difference
from rankmark.statistics.intervals import Interval, bounds_of_difference
from rankmark.statistics.jackknife import jackknife_difference

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.language.measure import Measure
    from rankmark.statistics.resampling import Floats

__all__ = ["Apart", "Parts"]

FEWEST_GROUPS = 20
"""So many groups of units at least, where a measure is computed again without each."""


class Apart(NamedTuple):
    """A measure of some rows less that of all others; NaN where nothing can be said.

    Attributes:
        difference: that.
        low: the lower end of its confidence interval.
        high: the upper end.
        p: the chance of such a difference between rows that are alike.
        test: ``delong-t``; ``groups``, that of `statistics.independent.group_difference`; or ``jackknife``.
        few: whether there are too few rows or queries on a side to say more than the difference.

    """

    difference: float
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    test: Literal["delong-t", "groups", "jackknife"] = "jackknife"
    few: bool = False


@dataclass(frozen=True)
class Parts:
    """Some rows of a table, and all others.

    Where no query has rows on both sides, the units' own values are compared as those of queries of lists
    are. Of a function of sums these are what each unit moves it by, by the derivatives at the sums of all
    rows, which are alike on both sides if these are; and of others, and for intervals, the jackknife's
    pseudo-values, n·value − (n − 1)·value without the unit. Else the difference is computed without each
    query, on both sides at once.

    Attributes:
        rows: all of them.
        inside: whether each is one of these.
        sampling: what the intervals are made by.
        first: whether measures of queries have them in the order of their first rows, and not of their codes.

    """

    rows: Units
    inside: NDArray[np.bool_]
    sampling: Sampling
    first: bool

    def apart(
        self, ours: Mapping[Measure, Sample], others: Mapping[Measure, Sample]
    ) -> Iterator[tuple[str, Apart]]:
        """Each measure that both have, but counts, and errors of calibration, which few rows have more of."""
        for measure, sample in ours.items():
            if is_auc(measure) and isinstance(self.rows, Labelled):
                found = self.rows.apart(self.inside, self.sampling.confidence)
                if found is not None:
                    yield measure.label, Apart(found.difference, *found.interval, found.p, "delong-t")
            elif measure in others and measure.name not in UPWARD and measure.page.aggregate != "sum":
                apart = self._apart(sample, others[measure])
                ends = Interval(apart.low, apart.high).within(bounds_of_difference(*[measure.bounds] * 2))
                yield measure.label, apart._replace(**ends._asdict())

    def _apart(self, sample: Sample, other: Sample) -> Apart:
        difference, confidence = sample.value - other.value, self.sampling.confidence
        pair = sample, other
        are_means = all(isinstance(each, OfSums) and each.means is not None for each in pair)
        are_sums = all(isinstance(each, OfSums) for each in pair)
        least = FEWEST_VALUES if are_means else FEWEST if are_sums else FEWEST_DRAWN
        if min(sample.units, other.units) < least:
            return Apart(difference, few=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            own, less = self._moves(sample, self.inside), self._moves(other, ~self.inside)
        if self._shared:
            moves = [_together(*own, *less)]
            return Apart(difference, *jackknife_difference(difference, moves, confidence=confidence))
        values = sample.value + _centred(own[1]), other.value + _centred(less[1])
        if not all(np.isfinite(each).all() for each in values):
            return Apart(difference)
        if are_means or not (isinstance(sample, OfSums) and isinstance(other, OfSums)):
            found = group_difference(*values, confidence=confidence)
            return Apart(difference, found.low, found.high, found.p, "groups")
        low, high, _ = jackknife_difference(difference, [own[1], less[1]], confidence=confidence)
        return Apart(difference, low, high, group_difference(*sample.beside(other)).p, "groups")

    @cached_property
    def _shared(self) -> bool:
        """Whether there are queries with rows on both sides."""
        query = self.rows.query
        return query is not None and len(np.intersect1d(query[self.inside], query[~self.inside])) > 0

    def _moves(self, sample: Sample, of: NDArray[np.bool_]) -> tuple[NDArray[np.intp], Floats]:
        """What each unit moves a value by, or each group of units, with their numbers among all."""
        codes = np.arange(self.rows.count) if self.rows.query is None else self.rows.query
        codes = codes[of]
        if isinstance(sample, OfRows):
            groups = min(LEFT_OUT, max(FEWEST_GROUPS, ROWS // self.rows.count))
            if self.rows.units > groups and (self._shared or groups < LEFT_OUT):
                order = np.random.default_rng(self.sampling.seed).permutation(self.rows.units)
                codes, at = np.unique(order[codes] % groups, return_inverse=True)
                sample = OfRows(Units(len(at), at), sample.value, sample.evaluate)
                return codes, sample.moves(self.sampling)
        known, first = np.unique(codes, return_index=True)
        if isinstance(sample, OfSums):
            if sample.places is not None:
                known = (codes[np.sort(first)] if self.first else known)[sample.places]
            if sample.units <= LEFT_OUT:
                left_out = sample.left_out(self.sampling.seed)
                return known, (1 - 1 / sample.units) * (sample.value - left_out)
        return known, sample.moves(self.sampling)


def _centred(moves: Floats) -> Floats:
    """How far the jackknife's pseudo-values of units are from their mean."""
    return np.asarray(len(moves) * (moves - moves.mean()))


def _together(units: NDArray[np.intp], moves: Floats, others: NDArray[np.intp], less: Floats) -> Floats:
    """What units move a difference by, which can have rows on both sides."""
    known = np.union1d(units, others)
    both = np.zeros(len(known))
    both[np.searchsorted(known, units)] += moves
    both[np.searchsorted(known, others)] -= less
    return both
