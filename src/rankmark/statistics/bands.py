"""Bands around curves of rates, and the intervals of rates that they are made of."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rates", "band", "wilson"]

Values = NDArray[np.float64]


class Rates(NamedTuple):
    """Rates, and of how many rows each is; of none, nothing is known."""

    values: Values
    number: Values | float


def wilson(rate: Values, number: Values | float, confidence: float) -> tuple[Values, Values]:
    """The score interval of a rate (E. Wilson, Journal of the American Statistical Association 22, 1927)."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    number = np.asarray(number, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = (rate + z**2 / (2 * number)) / (1 + z**2 / number)
        half = z * np.sqrt(rate * (1 - rate) / number + (z / (2 * number)) ** 2) / (1 + z**2 / number)
    # Exactly 0 and 1 where all rows are of one class, whatever rounding makes of it.
    low, high = np.where(rate == 0, 0.0, middle - half), np.where(rate == 1, 1.0, middle + half)
    return np.where(number == 0, 0.0, low), np.where(number == 0, 1.0, high)


def band(x: Rates, y: Rates, at: NDArray[np.intp], confidence: float) -> tuple[Values, Values]:
    """The pointwise band of y over x, of a curve of both over thresholds, whose x rises or stays.

    At each threshold both rates have Wilson's interval at the level √confidence. Intervals of different rows
    hold together with `confidence`, so that the rectangle of both has the point of the threshold in it so
    often. The band is what the rectangles of all thresholds but the first cover: at an x from the lowest to
    the highest of those that reach over it. It is wider than it need be: bands of 95% held the curve at an x
    in 97 to 100% of tables of 20 to 10,000 rows a class that were drawn of two normal distributions, but in
    92% the precision at a recall lower than that of one row.

    Source: H. Schäfer, Efficient confidence bounds for ROC curves, Statistics in Medicine 13, 1994.

    Args:
        x: one rate at each threshold, from one that finds nothing, of which nothing is unknown.
        y: the other.
        at: the thresholds at whose x the band is wanted.
        confidence: the share of bands that hold the true value at an x.

    """
    level = math.sqrt(confidence)
    (left, right), (low, high) = ((each[1:] for each in wilson(of.values, of.number, level)) for of in (x, y))
    where = x.values[at]
    # The ends of intervals of one number of rows rise as their rates do.
    first = np.minimum(np.searchsorted(right, where, side="left"), len(right) - 1)
    last = np.maximum(np.searchsorted(left, where, side="right"), first + 1)
    windows = np.stack([first, last], axis=1).ravel()
    # One more, since a window can end at the end.
    lowest = np.minimum.reduceat(np.append(low, 1.0), windows)[::2]
    highest = np.maximum.reduceat(np.append(high, 0.0), windows)[::2]
    return lowest, highest
