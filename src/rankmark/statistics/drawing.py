"""P-values by drawing: of m random draws b are as extreme as what was observed, p = (b + 1) / (m + 1).

No p-value of m draws is below 1 / (m + 1), and corrected for many tests none may be small enough: of 10,000
draws none of 561 tests is significant after Holm's correction. So what has too few extreme draws to tell how
small its p-value is draws on, until there are enough or a ceiling is reached that `draws_needed` finds.

Who draws anything asks `drawn_p` and gives it a function that draws::

    most = draws_needed(tests=len(pairs), alpha=0.05, resamples=200)
    p, draws = drawn_p(extreme, len(pairs), resamples=200, most=most)

where ``extreme(first, end, columns)`` makes the draws numbered ``first`` to ``end − 1``, each of its own
number and of the seed alone, and tells for each of these columns how many of them are as extreme as what was
observed. Columns may share draws. Where even the ceiling is too low, say so beside the numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankmark.progress import counting
from rankmark.statistics.resampling import Floats

__all__ = ["MOST_DRAWS", "Counted", "Drawn", "drawn_p", "draws_needed"]

ENOUGH = 100
"""Extreme draws that tell a p-value to a tenth of itself."""

MORE = 4
"""A column that draws on has so many times as many draws afterwards."""

FINER = 10
"""How many times smaller than the level the least p-value of all tests together is to be."""

MOST_DRAWS = 1_000_000
"""The ceiling of any column."""

Counted: TypeAlias = "NDArray[np.int64] | NDArray[np.uint64]"
Extreme: TypeAlias = Callable[[int, int, NDArray[np.intp]], Counted]


class Drawn(NamedTuple):
    """P-values by drawing.

    Attributes:
        p: one a column.
        draws: of how many draws each is.

    """

    p: Floats
    draws: NDArray[np.int64]


def draws_needed(tests: int, alpha: float, resamples: int) -> int:
    """Up to how many draws a column may have: so many that the least p-value, times all tests, is α / 10.

    Args:
        tests: for how many p-values are corrected; 1 if for none.
        alpha: the level.
        resamples: the draws that every column has.

    Returns:
        At least `resamples`, and else at most `MOST_DRAWS`.

    """
    return max(resamples, min(MOST_DRAWS, math.ceil(FINER * tests / alpha)))


def drawn_p(extreme: Extreme, columns: int, *, resamples: int, most: int | None = None) -> Drawn:
    """The p-value of each column from as many draws as it needs.

    All have `resamples` draws. Those of which fewer than 100 are extreme draw on, four times as many at a
    time, up to `most`. p = (b + 1) / (m + 1) where a column stops is valid, P(p ≤ x) ≤ x under the
    hypothesis: a column that goes on after m draws has b < 100, hence (b + 1) / (m + 1) ≤ 100 / (m + 1), and
    one that stops there has more, so that whichever way it goes p ≤ x only if the b of the one stage that can
    give x has (b + 1) / (m + 1) ≤ x. The numbers depend on neither threads nor other columns.

    Args:
        extreme: ``(first, end, columns)`` → of each of these columns how many of the draws from `first` on
            and before `end` are as extreme as what was observed.
        columns: how many there are.
        resamples: draws that every column has.
        most: draws that none exceeds; `resamples` if None.

    Source:
        J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991; with stages as in A.
        Gandy, "Sequential implementation of Monte Carlo tests with uniformly bounded resampling risk", JASA
        104, 2009.

    """
    counts = np.zeros(columns, dtype=np.int64)
    draws = np.zeros(columns, dtype=np.int64)
    going, first, end = np.arange(columns), 0, resamples
    most = max(resamples, most or 0)
    with counting("drawing", most) as counter:
        while len(going):
            counts[going] += np.asarray(extreme(first, end, going), dtype=np.int64)
            draws[going] = counter.done = end
            if end == most:
                break
            going = going[counts[going] < ENOUGH]
            first, end = end, min(MORE * end, most)
    return Drawn((counts + 1) / (draws + 1), draws)
