"""McNemar's test: whether one of two systems is right on more rows than the other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.errors import DataError
from rankmark.statistics.chance import never_zero
from rankmark.statistics.record import Statistic, check_choice, table
from rankmark.statistics.resampling import as_floats
from rankmark.statistics.significance import ALTERNATIVES, Alternative

__all__ = ["MCNEMAR", "McNemar", "McNemarMethod", "mcnemar_of_counts", "mcnemar_test"]

McNemarMethod = Literal["mid-p", "exact", "asymptotic", "corrected"]


class McNemar(NamedTuple):
    """What McNemar's test found.

    Attributes:
        first: rows on which the first system alone is right.
        second: rows on which the second alone is.
        statistic: χ² of ``asymptotic`` and ``corrected``, with one degree of freedom; of the others how many
            of these rows are with the system that the test takes for the better.
        p: the chance of so many more for one of them, if either were as likely.
        method: which of `MCNEMAR`.

    """

    first: int
    second: int
    statistic: float
    p: float
    method: McNemarMethod


def mcnemar_test(
    first: ArrayLike,
    second: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    method: McNemarMethod = "mid-p",
) -> McNemar:
    """McNemar's test of two systems that are right (1) or wrong (0) on each of the same rows.

    Only the b rows on which the first alone is right and the c on which the second alone is count: if both
    are as good, b is binomial with n = b + c and 1/2. Without such rows p is 1.

    Args:
        first: one a row: 1 or true where the first system is right.
        second: alike.
        alternative: ``two-sided``, or that the first is right more often (``greater``) or less (``less``).
        method: ``mid-p`` counts half of what is as likely as b, and holds its level with few rows;
            ``exact`` counts all of it, and is below its level; ``asymptotic`` is (b − c)² / (b + c) by χ²;
            ``corrected`` the same of |b − c| − 1, which is as careful as ``exact``.

    Raises:
        DataError: what is neither 0 nor 1, or not as many of both.

    Source:
        Q. McNemar, "Note on the sampling error of the difference between correlated proportions or
        percentages", Psychometrika 12, 1947; A. Edwards, "Note on the correction for continuity", ibid. 13,
        1948; for mid-p M. Fagerland, S. Lydersen, P. Laake, "The McNemar test for binary matched-pairs data:
        mid-p and asymptotic are better than exact conditional", BMC Medical Research Methodology 13, 2013.

    """
    check_choice("alternative", alternative, ALTERNATIVES)
    check_choice("method", method, MCNEMAR)
    one, other = as_floats(first), as_floats(second)
    if one.ndim != 1 or one.shape != other.shape or not np.isin([one, other], (0, 1)).all():
        raise DataError("give as many of both systems, one a row, each 0 or 1 (or false or true)")
    b, c = int(np.count_nonzero(one > other)), int(np.count_nonzero(one < other))
    return mcnemar_of_counts(b, c, alternative, method)


def mcnemar_of_counts(first: int, second: int, alternative: Alternative, method: McNemarMethod) -> McNemar:
    """The same of the numbers of rows on which one system alone is right."""
    moved = first + second
    if not moved:
        return McNemar(0, 0, 0.0, 1.0, method)
    more = {"two-sided": max(first, second), "greater": first, "less": second}[alternative]
    statistic, tail = MCNEMAR[method].function(more, moved)
    p = min(1.0, 2 * tail) if alternative == "two-sided" else tail
    return McNemar(first, second, statistic, never_zero(p), method)


# Each gives the statistic, and the chance of as many as b of n or more.


def _mid_p(b: int, n: int) -> tuple[float, float]:
    """P(B > b) + P(B = b)/2 of binomial B."""
    from scipy import stats

    return float(b), float(stats.binom.sf(b, n, 0.5) + stats.binom.pmf(b, n, 0.5) / 2)


def _exact(b: int, n: int) -> tuple[float, float]:
    """P(B ≥ b) of binomial B."""
    from scipy import stats

    return float(b), float(stats.binom.sf(b - 1, n, 0.5))


def _asymptotic(b: int, n: int) -> tuple[float, float]:
    """That of z = (b − c)/√n, whose square is χ²."""
    return _normal((2 * b - n) / math.sqrt(n))


def _corrected(b: int, n: int) -> tuple[float, float]:
    """That of z = (b − c − 1)/√n, at least 0 where b ≥ c."""
    apart = 2 * b - n
    return _normal((max(apart - 1, 0) if apart >= 0 else apart - 1) / math.sqrt(n))


def _normal(z: float) -> tuple[float, float]:
    from scipy.special import ndtr

    return z * z, float(ndtr(-z))


MCNEMAR: Mapping[str, Statistic] = table(
    Statistic("mid-p", "mid-p McNemar test", _mid_p, "rows do not depend on each other"),
    Statistic("exact", "exact McNemar test", _exact, "rows do not depend on each other"),
    Statistic("asymptotic", "McNemar test", _asymptotic, "as mid-p, and there are 25 rows that differ"),
    Statistic(
        "corrected", "McNemar test with continuity correction", _corrected, "as asymptotic; it is careful"
    ),
)
"""The first is the default. As functions of b and n."""
