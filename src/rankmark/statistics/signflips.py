"""The exact distribution of a sum of differences when each has either sign with the same probability."""

from __future__ import annotations

import numpy as np

from rankmark.statistics.resampling import Floats
from rankmark.statistics.spread import ROUNDING

__all__ = ["upper_tail"]

MOST_HALVED = 32
"""As many differences are enumerated in two halves of at most 2¹⁶ sums each."""

MOST_STEPS = 50_000_000
"""Additions that the count of all sums may take: a fraction of a second."""


def upper_tail(differences: Floats, observed: float) -> float | None:
    """P(Σ ±|d_i| ≥ observed), every choice of signs as likely as any other; None where it takes too long.

    Differences of 0 change nothing. Up to 32 others are enumerated, in two halves that meet in the middle;
    any number of them is counted sum by sum, if all are small multiples of one unit, as differences of P@10,
    of ranks and of values rounded to four digits are.

    Source:
        M. Pagano and D. Tritchler, "On obtaining permutation distributions in polynomial time", JASA 78,
        1983; for the halves E. Horowitz and S. Sahni, "Computing partitions", JACM 21, 1974.

    """
    magnitudes = np.abs(differences[differences != 0])
    least = observed - ROUNDING * float(magnitudes.sum())
    if len(magnitudes) <= MOST_HALVED:
        return _enumerated(magnitudes, least)
    unit = _common_unit(magnitudes)
    return None if unit is None else _counted(magnitudes, unit, least)


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
    total, greatest = float(magnitudes.sum()), float(magnitudes.max())
    least = total * len(magnitudes) / MOST_STEPS
    unit = 0.0
    for magnitude in np.unique(magnitudes)[::-1]:
        rest = float(magnitude)
        while rest > 1e-9 * greatest:
            unit, rest = rest, unit % rest
        if unit < least:
            return None
    # The remainders have rounding errors, which all magnitudes together even out.
    multiples = np.rint(magnitudes / unit)
    unit = float(magnitudes @ multiples / (multiples @ multiples))
    return unit if np.abs(magnitudes - multiples * unit).max() < 1e-9 * greatest else None


def _counted(magnitudes: Floats, unit: float, least: float) -> float:
    steps = np.rint(magnitudes / unit).astype(np.int64)
    total = int(steps.sum())
    # The chance of each sum of those with a plus; with the others' minus it is twice that less the total.
    chance = np.zeros(total + 1)
    chance[0] = 1.0
    for step in steps:
        chance[step:] = chance[step:] + chance[: total + 1 - step]
        chance *= 0.5
    first = int(np.ceil((least / unit + total) / 2 - 1e-6))
    return float(chance[max(first, 0) :].sum())
