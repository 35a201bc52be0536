"""What measures of calibration are made of: bins of scores, and logistic recalibration."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.kinds.ranges import Whole
from rankmark.kinds.rows import Ranked, Rows, Undefined, Values

if TYPE_CHECKING:
    from rankmark import _native

__all__ = [
    "MOST_BINS",
    "Binning",
    "Bins",
    "BinsOrScores",
    "NumberOfBins",
    "Recalibration",
    "Slope",
    "binned",
    "recalibrate",
    "spanned",
    "sweep",
]

MOST_BINS = 10_000
NumberOfBins: TypeAlias = Annotated[int, Whole(1, MOST_BINS)]
Binning: TypeAlias = Literal["width", "mass"]
"""Bins of equal width, from 0 to 1, or of equal mass, each of the same weight of rows."""
Slope: TypeAlias = Literal["fixed", "fitted"]
"""Whether recalibration keeps the slope of 1."""
BinsOrScores: TypeAlias = Literal["scores"] | NumberOfBins
"""A number of bins, or a group of its own for every score that there is."""


@dataclass(frozen=True, slots=True)
class Bins:
    """Rows by their scores, from the lowest; every bin has some weight.

    Attributes:
        weight: Σ w of each bin.
        positive: Σ w·y.
        score: Σ w·s.
        low: the border that scores lie above; the first bin has its border, too.
        high: the border up to which they go.
        rows: number of rows, whatever they weigh.
        squares: Σ w².

    """

    weight: Values
    positive: Values
    score: Values
    low: Values
    high: Values
    rows: Values
    squares: Values

    @property
    def share(self) -> Values:
        """The share of the rows' weight that is in each bin."""
        shares: Values = self.weight / self.weight.sum()
        return shares

    @property
    def rate(self) -> Values:
        """The observed rate of each bin, its share of positive weight."""
        rates: Values = self.positive / self.weight
        return rates

    @property
    def mean(self) -> Values:
        """The mean score of each bin."""
        means: Values = self.score / self.weight
        return means

    @property
    def gap(self) -> Values:
        """Mean score less observed rate."""
        gaps: Values = self.mean - self.rate
        return gaps

    @property
    def effective(self) -> Values:
        """How many rows of equal weight would tell as much, (Σ w)² / Σ w² (Kish 1965)."""
        numbers: Values = self.weight**2 / self.squares
        return numbers


def binned(rows: Rows, bins: int, binning: Binning) -> Bins:
    """The rows in bins, without those that are empty.

    Bins of equal width are (0, 1/bins], (1/bins, 2/bins] … up to 1, the first with 0. Those of equal mass end
    at quantiles: bin m at the least score that m/bins of the weight do not exceed. Equal scores are never
    split, so that a score that many rows have can leave the next bins with less, or empty.
    """
    if binning == "width":
        borders = np.linspace(0.0, 1.0, bins + 1)[1:-1]
        ends = 0.0, 1.0
        found = rows.bins(borders)
    else:
        borders, ends = _quantiles(rows.ranked, bins)
        found = rows.ranked.bins(borders)
    return _filled(found, borders, ends)


def spanned(rows: Rows, bins: int) -> Bins:
    """The rows in bins of equal width from the least score to the greatest, without those that are empty.

    Raises:
        Undefined: there are infinite scores.

    """
    least, greatest = rows.ranked.beyond(np.array([np.inf, -np.inf])).score.tolist()
    if not math.isfinite(greatest - least):
        raise Undefined("there are infinite scores")
    borders = np.linspace(least, greatest, bins + 1)[1:-1] if greatest > least else np.empty(0)
    return _filled(rows.bins(borders), borders, (least, greatest))


def _filled(found: list[Values], borders: Values, ends: tuple[float, float]) -> Bins:
    """Those bins that have some weight, of the sums of all."""
    number, weight, positive, score, squares = found
    low, high = np.append(ends[0], borders), np.append(borders, ends[1])
    some = weight > 0
    columns = (weight, positive, score, low, high, number, squares)
    return Bins(*(column[some] for column in columns))


def _quantiles(ranked: Ranked, bins: int) -> tuple[Values, tuple[float, float]]:
    """The scores that end bins of equal mass, all but the last; and the least score and the greatest."""
    weight = ranked.positive + ranked.negative
    # No threshold finds more than infinite weight, and all find more than its opposite.
    weights = np.concatenate([[np.inf], weight - _masses(weight, bins), [-np.inf]])
    least, *borders, greatest = ranked.beyond(weights).score.tolist()
    return np.array(borders), (least, greatest)


def _masses(weight: float, bins: int) -> Values:
    """What bins of equal mass hold up to the end of each, all but the last."""
    # Weights that add up to a share but for rounding have reached it.
    masses: Values = np.arange(1, bins, dtype=np.float64) * (weight * (1 - 1e-12) / bins)
    return masses


def sweep(rows: Rows) -> int:
    """The number of bins of equal mass at which, counted from 1, observed rates last rise from bin to bin."""
    curve = rows.ranked.curve
    # What scores at most as much as each score, from the lowest.
    weights, positives = ((up[-1] - np.append(0.0, up[:-1]))[::-1] for up in (curve.tp + curve.fp, curve.tp))
    for bins in range(2, MOST_BINS + 1):
        ends = np.append(np.searchsorted(weights, _masses(weights[-1], bins)), len(weights) - 1)
        weight, positive = (np.diff(up[ends], prepend=0.0) for up in (weights, positives))
        rates = positive[weight > 0] / weight[weight > 0]
        if np.any(np.diff(rates) < 0):
            return bins - 1
    return MOST_BINS


@dataclass(frozen=True, slots=True)
class Recalibration:
    """The logistic model logit(q) = intercept + slope · logit(p) under which the labels are most likely."""

    intercept: float
    slope: float


STEPS = 100
"""Steps of Newton's method at the most; a handful is usual."""
CLOSE = 1e-16
"""What the last step gains at most, as a share of the log-likelihood: nothing that a number could show."""


def recalibrate(rows: Rows, clip: float, slope: Slope) -> Recalibration:
    """Fits the model, by Newton's method (which is iteratively reweighted least squares here).

    Args:
        rows: labels and probabilities.
        clip: how far probabilities are kept from 0 and 1.
        slope: ``fixed`` at 1, or ``fitted`` with the intercept.

    Raises:
        Undefined: rows of one class; for a fitted slope, classes that do not overlap; no convergence.

    """
    rows.check_both_classes()
    log_odds = rows.ranked.log_odds(clip)
    ranges = log_odds.ranges
    if slope == "fitted":
        _check_overlap(*ranges)
    # Log odds are taken from about their mean, so that what they differ by is not lost beside it.
    center = _logit(min(max(rows.score / rows.weight, clip), 1 - clip))
    fit = _Fit(log_odds, slope, center, max(abs(odds - center) for odds in ranges))
    at = _logit(rows.base_rate), 1.0 if slope == "fixed" else 0.0
    likelihood, *derivatives = fit.derivatives(at)
    for _ in range(STEPS):
        step = fit.step(at, derivatives)
        if step[0] * derivatives[0] + step[1] * derivatives[1] <= CLOSE * abs(likelihood):
            return fit.solution((at[0] + step[0], at[1] + step[1]))
        at, (likelihood, *derivatives) = fit.climbed(at, step, likelihood)
    raise Undefined(f"logistic recalibration did not converge in {STEPS} steps")


def _check_overlap(
    least_positive: float, most_positive: float, least_other: float, most_other: float
) -> None:
    """Refuses scores of two classes that do not overlap: the likelihood grows with the slope, for ever."""
    if least_positive == most_positive == least_other == most_other:
        raise Undefined("all scores are equal")
    if least_positive >= most_other:
        raise Undefined("no positive row scores below any other, so that the slope is infinite")
    if most_positive <= least_other:
        raise Undefined("no positive row scores above any other, so that the slope is infinite")


def _logit(p: float) -> float:
    return math.log(p / (1 - p))


@dataclass(frozen=True, slots=True)
class _Fit:
    """The model with log odds less `center`, which are as far from 0 as `spread` at most."""

    log_odds: _native.LogOdds
    slope: Slope
    center: float
    spread: float

    def derivatives(self, at: tuple[float, float]) -> tuple[float, ...]:
        """The log-likelihood at an intercept and a slope, and what it changes by there."""
        return self.log_odds.logistic(*at, self.center)

    def step(self, at: tuple[float, float], derivatives: list[float]) -> tuple[float, float]:
        """Newton's step, but not far beyond where anything is known: where q is near 0 or 1 it is a leap."""
        step = self._newton(derivatives)
        most = 10 + abs(at[0]) + abs(at[1]) * self.spread
        part = min(1.0, most / (abs(step[0]) + abs(step[1]) * self.spread or 1.0))
        return step[0] * part, step[1] * part

    def _newton(self, derivatives: list[float]) -> tuple[float, float]:
        """Of the derivatives of first and, with their signs changed, of second order."""
        by_intercept, by_slope, a, b, c = derivatives
        determinant = a if self.slope == "fixed" else a * c - b * b
        if not determinant > 0:
            raise Undefined("logistic recalibration has no solution that rounding does not decide")
        if self.slope == "fixed":
            return by_intercept / a, 0.0
        step = c * by_intercept - b * by_slope, a * by_slope - b * by_intercept
        return step[0] / determinant, step[1] / determinant

    def climbed(
        self, at: tuple[float, float], step: tuple[float, float], likelihood: float
    ) -> tuple[tuple[float, float], tuple[float, ...]]:
        """Where the step leads, halved until that is no way down, and the derivatives there."""
        for halvings in range(STEPS):
            there = at[0] + step[0] / 2**halvings, at[1] + step[1] / 2**halvings
            found = self.derivatives(there)
            if found[0] >= likelihood - abs(likelihood) * 1e-14:
                return there, found
        raise Undefined("logistic recalibration did not converge")

    def solution(self, at: tuple[float, float]) -> Recalibration:
        """The model of log odds as they are."""
        return Recalibration(at[0] - at[1] * self.center, at[1])
