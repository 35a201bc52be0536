"""The distribution of a sum of differences when each has either sign with the same probability."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankmark import _native
from rankmark.statistics.resampling import Floats
from rankmark.statistics.spread import ROUNDING

__all__ = ["tail_bounds", "upper_tail", "upper_tails"]

FEW = 20
"""So few differences are enumerated at once."""

MOST_HALVED = 32
"""As many differences are enumerated in two halves of at most 2¹⁶ sums each."""

MOST_STEPS = 50_000_000
"""Additions that the count of all sums may take: a fraction of a second."""

TILTS = 12
"""Steps towards the best bound; after any number of them it is one."""


def upper_tail(differences: Floats, observed: float) -> float | None:
    """P(Σ ±|d_i| ≥ observed) of one column; None where it takes too long. See `upper_tails`."""
    (tail,) = upper_tails(differences[:, None], np.array([observed]))
    return None if np.isnan(tail) else float(tail)


def upper_tails(table: Floats, observed: Floats, *, threads: int | None = None) -> Floats:
    """P(Σ ±|d_i| ≥ observed) of each column, every choice of signs as likely as any other.

    Differences of 0 change nothing. Up to 32 others are enumerated, in two halves that meet in the middle;
    any number of them is counted sum by sum, if all are small multiples of one unit, as differences of P@10,
    of ranks and of values rounded to four digits are.

    Args:
        table: differences, [rows, columns], none of them NaN.
        observed: a sum a column.
        threads: how many to use; all cores if None.

    Returns:
        float64, [columns]; NaN where it takes too long.

    Source:
        M. Pagano and D. Tritchler, "On obtaining permutation distributions in polynomial time", JASA 78,
        1983; for the halves E. Horowitz and S. Sahni, "Computing partitions", JACM 21, 1974.

    """
    tails = np.full(table.shape[1], np.nan)
    counted: list[tuple[int, _Count]] = []
    for column, (differences, sum_) in enumerate(zip(table.T, observed, strict=True)):
        magnitudes = np.abs(differences[differences != 0])
        least = float(sum_) - ROUNDING * float(magnitudes.sum())
        unit = _common_unit(magnitudes) if len(magnitudes) > FEW else None
        if unit is not None:
            counted.append((column, _count(magnitudes, unit, least)))
        elif len(magnitudes) <= MOST_HALVED:
            tails[column] = _enumerated(magnitudes, least)
    if counted:
        tails[[column for column, _ in counted]] = _counted([count for _, count in counted], threads)
    return tails


def tail_bounds(table: Floats, observed: Floats) -> Floats:
    """What P(Σ ±|d_i| ≥ observed) of each column cannot exceed: Π cosh(θ·d_i) · exp(−θ·observed).

    Any θ ≥ 0 gives a bound. Newton's method comes near the best one, which is some ten times the probability.

    Args:
        table: differences, [rows, columns], none of them NaN.
        observed: a sum a column, from 0 to Σ|d_i|.

    Source:
        H. Chernoff, "A measure of asymptotic efficiency for tests of a hypothesis based on the sum of
        observations", Annals of Mathematical Statistics 23, 1952.

    """
    bounds = np.ones(table.shape[1])
    for column in np.flatnonzero(observed > 0):
        d = table[:, column]
        d, sum_ = np.abs(d[d != 0]) / observed[column], 1.0
        tilt = sum_ / float(d @ d)
        for _ in range(TILTS):
            tanh = np.tanh(tilt * d)
            curve = float((d * d) @ (1 - tanh * tanh))
            short = sum_ - float(d @ tanh)
            # The slope falls, so that Newton's steps never go beyond the best tilt.
            if short <= 1e-9 or curve <= 0:
                break
            tilt += short / curve
        reach = tilt * d
        # log cosh x, of great x too.
        log_cosh = reach + np.log1p(np.exp(-2 * reach)) - np.log(2)
        bounds[column] = min(1.0, float(np.exp(log_cosh.sum() - tilt * sum_)))
    return bounds


def _enumerated(magnitudes: Floats, least: float) -> float:
    half = len(magnitudes) // 2
    one, other = _sums(magnitudes[:half]), np.sort(_sums(magnitudes[half:]))
    reached = len(other) - np.searchsorted(other, np.sort(least - one), side="left")
    return float(reached.sum() / (len(one) * len(other)))


def _sums(magnitudes: Floats) -> Floats:
    sums = np.zeros(1)
    for magnitude in magnitudes:
        sums = np.concatenate([sums - magnitude, sums + magnitude])
    return sums


def _common_unit(magnitudes: Floats) -> float | None:
    """The greatest unit of which all are multiples (Euclid), if it is large enough to count in."""
    greatest = float(magnitudes.max())
    smallest = float(magnitudes.sum()) * len(magnitudes) / MOST_STEPS
    reach = 1e-9 * greatest
    different = np.unique(magnitudes)[::-1]
    unit = greatest
    for known, magnitude in enumerate(different, 1):
        rest = _remainder(float(magnitude), unit)
        if rest <= reach:
            continue
        while rest > reach:
            unit, rest = rest, _remainder(unit, rest)
        if unit < smallest:
            return None
        # The remainders have rounding errors, which grow from one to the next; all so far even them out.
        unit = _fitted(different[:known], unit)
    unit = _fitted(magnitudes, unit)
    fits = np.abs(magnitudes - np.rint(magnitudes / unit) * unit).max() < reach
    return unit if fits and unit >= smallest else None


def _remainder(value: float, unit: float) -> float:
    """How far a value is from the nearest multiple."""
    return abs(value - round(value / unit) * unit)


def _fitted(magnitudes: Floats, unit: float) -> float:
    multiples = np.rint(magnitudes / unit)
    return float(magnitudes @ multiples / (multiples @ multiples))


class _Count(NamedTuple):
    """Magnitudes in steps of a unit, and the least sum of those with a plus that counts."""

    steps: Floats
    least: float


def _count(magnitudes: Floats, unit: float, least: float) -> _Count:
    steps = np.rint(magnitudes / unit)
    # With the minus of all others a sum is twice that of those with a plus, less the total.
    return _Count(steps, max(0.0, float(np.ceil((least / unit + steps.sum()) / 2 - 1e-6))))


def _counted(counts: list[_Count], threads: int | None) -> Floats:
    steps = np.concatenate([each.steps for each in counts]).astype(np.uint32)
    offsets = np.cumsum([0, *(len(each.steps) for each in counts)]).astype(np.uint64)
    least = np.array([each.least for each in counts]).astype(np.uint64)
    return _native.chances_of_sums(steps, offsets, least, threads or 0)
