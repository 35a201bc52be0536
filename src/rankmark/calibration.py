"""What measures of calibration are made of: bins of scores, and logistic recalibration."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

import numpy as np

from rankmark.parameters import Whole
from rankmark.rows import Ranked, Rows, Undefined, Values

__all__ = [
    "Binning",
    "BinsOrScores",
    "Groups",
    "NumberOfBins",
    "Recalibration",
    "binned",
    "grouped",
    "recalibrate",
]

NumberOfBins: TypeAlias = Annotated[int, Whole(1, 10_000)]
Binning: TypeAlias = Literal["width", "mass"]
"""Bins of equal width, from 0 to 1, or of equal mass, each of the same weight of rows."""
BinsOrScores: TypeAlias = Literal["scores"] | NumberOfBins
"""A number of bins, or a group of its own for every score that there is."""


@dataclass(frozen=True, slots=True)
class Groups:
    """Rows by their scores, from the lowest; every group has some weight.

    Attributes:
        weight: Σ w of each group.
        positive: Σ w·y.
        score: Σ w·s.

    """

    weight: Values
    positive: Values
    score: Values

    @property
    def share(self) -> Values:
        """The share of the rows' weight that is in each group."""
        shares: Values = self.weight / self.weight.sum()
        return shares

    @property
    def rate(self) -> Values:
        """The observed rate of each group, its share of positive weight."""
        rates: Values = self.positive / self.weight
        return rates

    @property
    def mean(self) -> Values:
        """The mean score of each group."""
        means: Values = self.score / self.weight
        return means

    @property
    def gap(self) -> Values:
        """Mean score less observed rate."""
        gaps: Values = self.mean - self.rate
        return gaps


@dataclass(frozen=True, slots=True)
class Bins(Groups):
    """Groups that are bins.

    Attributes:
        low: the border that scores lie above; the first bin has its border, too.
        high: the border up to which they go.
        rows: number of rows, whatever they weigh.
        squares: Σ w².

    """

    low: Values
    high: Values
    rows: Values
    squares: Values

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
    else:
        borders = _quantiles(rows.ranked, bins)
        score = rows.ranked.curve.score
        ends = float(score[-1]), float(score[0])
    number, weight, positive, score, squares = rows.bins(borders)
    low, high = np.append(ends[0], borders), np.append(borders, ends[1])
    some = weight > 0
    columns = (weight, positive, score, low, high, number, squares)
    return Bins(*(column[some] for column in columns))


def _quantiles(ranked: Ranked, bins: int) -> Values:
    """The scores that end bins of equal mass, all but the last."""
    curve = ranked.curve
    found = curve.tp + curve.fp
    reached = (found[-1] - np.append(0.0, found[:-1]))[
        ::-1
    ]  # the weight of the rows that score at most so much
    # Weights that add up to a share but for rounding have reached it.
    wanted = np.arange(1, bins) * (found[-1] * (1 - 1e-12) / bins)
    borders: Values = curve.score[::-1][np.searchsorted(reached, wanted)]
    return borders


def grouped(rows: Rows, bins: BinsOrScores, binning: Binning) -> Groups:
    """The rows in bins, or in a group for every score."""
    if bins != "scores":
        return binned(rows, bins, binning)
    curve = rows.ranked.curve
    positive, other = (np.diff(weights, prepend=0.0)[::-1] for weights in (curve.tp, curve.fp))
    weight = positive + other
    some = weight > 0
    return Groups(weight[some], positive[some], (weight * curve.score[::-1])[some])


@dataclass(frozen=True, slots=True)
class Recalibration:
    """The logistic model logit(q) = intercept + slope · logit(p) under which the labels are most likely."""

    intercept: float
    slope: float


STEPS = 100
"""Steps of Newton's method at the most; a handful is usual."""
CLOSE = 1e-10
"""The last step, beside the coefficients: since each squares the distance, the next would change nothing."""


def recalibrate(rows: Rows, clip: float, slope: Literal["fixed", "fitted"]) -> Recalibration:
    """Fits the model, by Newton's method (which is iteratively reweighted least squares here).

    Args:
        rows: labels and probabilities.
        clip: how far probabilities are kept from 0 and 1.
        slope: ``fixed`` at 1, or ``fitted`` with the intercept.

    Raises:
        Undefined: rows of one class; for a fitted slope, classes that do not overlap; no convergence.

    """
    rows.check_both_classes()
    if slope == "fitted":
        _check_overlap(rows, clip)
    at = _start(rows, clip, slope)
    likelihood, *derivatives = rows.core.logistic(*at, clip)
    for _ in range(STEPS):
        step = _newton(derivatives, slope)
        if max(map(abs, step)) <= CLOSE * max(1.0, *map(abs, at)):
            return Recalibration(at[0] + step[0], at[1] + step[1])
        at, (likelihood, *derivatives) = _climb(rows, clip, at, step, likelihood)
    raise Undefined(f"logistic recalibration did not converge in {STEPS} steps")


def _check_overlap(rows: Rows, clip: float) -> None:
    """Without overlap the likelihood grows with the slope, for ever."""
    least_positive, most_positive, least_other, most_other = rows.core.log_odds(clip)
    if least_positive == most_positive == least_other == most_other:
        raise Undefined("all scores are equal")
    if least_positive >= most_other:
        raise Undefined("no positive row scores below any other, so that the slope is infinite")
    if most_positive <= least_other:
        raise Undefined("no positive row scores above any other, so that the slope is infinite")


def _start(rows: Rows, clip: float, slope: Literal["fixed", "fitted"]) -> tuple[float, float]:
    base = _logit(rows.base_rate)
    if slope == "fitted":
        return base, 0.0
    return base - _logit(min(max(rows.score / rows.weight, clip), 1 - clip)), 1.0


def _logit(p: float) -> float:
    return math.log(p / (1 - p))


def _newton(derivatives: list[float], slope: Literal["fixed", "fitted"]) -> tuple[float, float]:
    """Newton's step, from the derivatives of first and, with their signs changed, of second order."""
    by_intercept, by_slope, a, b, c = derivatives
    determinant = a if slope == "fixed" else a * c - b * b
    if not determinant > 0:
        raise Undefined("logistic recalibration has no solution that rounding does not decide")
    if slope == "fixed":
        return by_intercept / a, 0.0
    return (c * by_intercept - b * by_slope) / determinant, (a * by_slope - b * by_intercept) / determinant


def _climb(
    rows: Rows, clip: float, at: tuple[float, float], step: tuple[float, float], likelihood: float
) -> tuple[tuple[float, float], tuple[float, ...]]:
    """Where the step leads, halved until that is no way down."""
    for halvings in range(STEPS):
        there = at[0] + step[0] / 2**halvings, at[1] + step[1] / 2**halvings
        found = rows.core.logistic(*there, clip)
        if found[0] >= likelihood - abs(likelihood) * 1e-14:
            return there, found
    raise Undefined("logistic recalibration did not converge")
