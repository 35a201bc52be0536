"""Tukey's honestly significant differences, by randomisation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from rankmark import _native
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError
from rankmark.statistics.record import Statistic, table
from rankmark.statistics.resampling import Floats, as_columns, check_drawn
from rankmark.statistics.significance import TestName
from rankmark.statistics.spread import ROUNDING

__all__ = ["SIMULTANEOUS", "SimultaneousTest", "randomised_tukey"]


def randomised_tukey(
    values: ArrayLike, *, resamples: int = 10_000, seed: int = 0, threads: int | None = None
) -> Floats:
    """The paired randomised Tukey HSD test of all pairs of systems at once.

    If all systems were alike, the values of a query could be permuted among them. q is the range of the
    systems' means after such permutations, one for each query: p_ij = (b + 1) / (m + 1), b the number of m
    times that q ≥ |x̄_i − x̄_j|. This holds the chance of any false positive among all pairs; correct it no
    further.

    Args:
        values: [queries, systems]; queries without a value of every system are left out.
        resamples: m.
        seed: of the permutations.
        threads: how many to use; all cores if None.

    Returns:
        float64 [systems, systems], symmetric; the diagonal is 1.

    Source:
        B. A. Carterette, "Multiple testing in statistical analysis of systems-based information retrieval
        experiments", TOIS 30, 2012.

    """
    check_drawn(resamples, seed, threads)
    table = as_columns(values)
    table = np.ascontiguousarray(table[~np.isnan(table).any(axis=1)])
    if not len(table):
        raise DataError("there is no query with a value of every system")
    ranges = np.sort(_native.permuted_ranges(table, resamples, seed, threads or 0))
    sums = table.sum(axis=0)
    distances = np.abs(sums[:, None] - sums) - ROUNDING * np.abs(table).sum()
    reached = len(ranges) - np.searchsorted(ranges, distances, side="left")
    return np.asarray((reached + 1) / (resamples + 1))


@dataclass(frozen=True, slots=True)
class SimultaneousTest(Statistic):
    """A test of all pairs of systems at once, which takes the place of a correction over them.

    Its function takes the values, [queries, systems], and ``resamples``, ``seed`` and ``threads``; it gives
    the p-values, [systems, systems].

    Attributes:
        test: the paired test whose p-values it corrects, two-sided ones.

    """

    test: TestName = "randomisation"


SIMULTANEOUS: Mapping[str, SimultaneousTest] = table(
    SimultaneousTest(
        "tukey",
        "randomised Tukey HSD",
        randomised_tukey,
        "without an effect each value of a query could be that of any system",
    )
)
