"""Where to look next: how many units of each stratum, so that a mean is known best."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.errors import ChoiceError, DataError

__all__ = ["neyman_allocation", "neyman_order"]

LEAST = 2
"""Of fewer units of a stratum no spread is known."""


def neyman_allocation(
    units: int, sizes: Sequence[int], deviations: ArrayLike, *, known: Sequence[int] | None = None
) -> NDArray[np.int64]:
    """How many units to look at in each stratum, so that the variance of the mean is least.

        n_k ~ N_k·σ_k,   which makes Σ (N_k/N)²·σ_k²/n_k least of all with Σ n_k = n

    In whole numbers, two or more of each stratum and not more than it has, by giving one unit after the other
    to the stratum of the greatest N_k·σ_k/√(n_k·(n_k + 1)), which is exact.

    Args:
        units: n, those that are known already among them.
        sizes: N, how many units there are in each stratum.
        deviations: σ, of what varies in each: of values, or of residuals where these are predicted.
        known: how many of each were looked at before, which cannot be taken back.

    Raises:
        DataError: other numbers of sizes, deviations and known units, or a deviation below 0.
        ChoiceError: fewer units than are known, or than two of each stratum, or more than there are.

    Source:
        J. Neyman, "On the two different aspects of the representative method", JRSS 97, 1934; in whole
        numbers T. Wright, "The equivalence of Neyman optimum allocation for sampling and equal proportions
        for apportioning the U.S. House of Representatives", The American Statistician 66, 2012.

    Example:
        >>> from rankmark.statistics import neyman_allocation
        >>> neyman_allocation(12, [100, 100, 200], [1, 3, 1]).tolist()
        [2, 6, 4]

    """
    counts = _begin(sizes, known)
    if not counts.sum() <= units <= sum(sizes):
        raise ChoiceError(
            f"units={units}: {counts.sum():,} at least, with two of each stratum, and {sum(sizes):,} at most"
        )
    for stratum in neyman_order(sizes, deviations, known=known):
        if counts.sum() == units:
            break
        counts[stratum] += 1
    return counts


def neyman_order(
    sizes: Sequence[int], deviations: ArrayLike, *, known: Sequence[int] | None = None
) -> Iterator[int]:
    """The stratum of each further unit, the most useful first; see `neyman_allocation`.

    Whoever stops at any of them has the best allocation of so many. Units that bring a stratum to two are not
    in it.
    """
    spread = np.asarray(deviations, dtype=float)
    if spread.shape != (len(sizes),) or not (spread >= 0).all():
        raise DataError(f"deviations are one of each of {len(sizes)} strata, 0 or more")
    counts = _begin(sizes, known).tolist()

    def priority(stratum: int) -> tuple[float, int]:
        count = counts[stratum]
        return -sizes[stratum] * float(spread[stratum]) / math.sqrt(count * (count + 1) or 1), stratum

    waiting = [priority(each) for each in range(len(sizes)) if counts[each] < sizes[each]]
    heapq.heapify(waiting)
    while waiting:
        stratum = heapq.heappop(waiting)[1]
        yield stratum
        counts[stratum] += 1
        if counts[stratum] < sizes[stratum]:
            heapq.heappush(waiting, priority(stratum))


def _begin(sizes: Sequence[int], known: Sequence[int] | None) -> NDArray[np.int64]:
    """What there has to be of each stratum."""
    whole = np.asarray(sizes, dtype=np.int64)
    before = np.zeros(len(whole), dtype=np.int64) if known is None else np.asarray(known, dtype=np.int64)
    if before.shape != whole.shape or (before > whole).any():
        raise DataError("known units are one number a stratum, and not more than it has")
    return np.maximum(before, np.minimum(LEAST, whole))
