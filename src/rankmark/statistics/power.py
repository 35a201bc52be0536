"""Power of the paired t test: what a number of queries can show."""

from __future__ import annotations

import math

import numpy as np

from rankmark.errors import ChoiceError
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import check_share
from rankmark.statistics.significance import ALTERNATIVES, Alternative

__all__ = ["detectable_difference", "power_of", "queries_needed"]

MOST_STUDENT = 100_000
"""With more queries t is normal to five digits, and SciPy's noncentral t can fail."""


def power_of(
    difference: float,
    deviation: float,
    queries: int,
    *,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> float:
    """The chance that the paired t test finds a true mean difference.

    P(|t'| > t_{1−α/2, n−1}), or one-sided P(t' > t_{1−α, n−1}), with t' of the noncentral t distribution with
    n − 1 degrees of freedom and noncentrality √n·difference / deviation.

    Args:
        difference: the true mean difference.
        deviation: the standard deviation of the differences over queries, above 0.
        queries: n, at least 2.
        alpha: the level of the test.
        alternative: ``two-sided``, ``greater`` or ``less``.

    Source:
        J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", 1988, chapter 2; for retrieval T.
        Sakai, "Statistical reform in information retrieval?", SIGIR Forum 48, 2014.

    """
    from scipy import stats

    check_choice("alternative", alternative, ALTERNATIVES)
    check_share(alpha=alpha)
    _check_deviation(deviation)
    if queries < 2:
        raise ChoiceError(f"queries={queries!r}: a t test needs 2 or more")
    freedom = queries - 1
    centre = math.sqrt(queries) * difference / deviation
    two_sided = alternative == "two-sided"
    towards = abs(centre) if two_sided else centre if alternative == "greater" else -centre
    level = alpha / 2 if two_sided else alpha
    if queries > MOST_STUDENT:
        critical = stats.norm.isf(level)
        other = stats.norm.cdf(-critical - towards)
        return float(stats.norm.sf(critical - towards) + (other if two_sided else 0.0))
    critical = stats.t.isf(level, freedom)
    other = stats.nct.cdf(-critical, freedom, towards) if two_sided else 0.0
    # Far out in the other tail there is nothing to add, and SciPy can give NaN.
    return min(1.0, float(stats.nct.sf(critical, freedom, towards)) + float(np.nan_to_num(other)))


def detectable_difference(
    deviation: float,
    queries: int,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> float:
    """The smallest true mean difference that the paired t test finds with this power; see `power_of`.

    NaN for fewer than two queries; 0 without any deviation.
    """
    from scipy.optimize import brentq

    check_share(alpha=alpha, power=power)
    if queries < 2 or math.isnan(deviation):
        return math.nan
    if not deviation:
        return 0.0
    side: Alternative = "two-sided" if alternative == "two-sided" else "greater"

    def lack(effect: float) -> float:
        return power_of(effect, 1.0, queries, alpha=alpha, alternative=side) - power

    if lack(0.0) >= 0:
        return 0.0
    most = 1.0
    while lack(most) < 0:
        most *= 2
    return float(brentq(lack, 0.0, most, xtol=1e-12)) * deviation


def queries_needed(
    difference: float,
    deviation: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> int:
    """The fewest queries with which the paired t test finds a true mean difference; see `power_of`."""
    check_share(alpha=alpha, power=power)
    _check_deviation(deviation)
    if not difference or not math.isfinite(difference):
        raise ChoiceError(f"difference={difference!r}: no number of queries shows it")
    side: Alternative = "two-sided" if alternative == "two-sided" else "greater"

    def enough(queries: int) -> bool:
        return power_of(abs(difference), deviation, queries, alpha=alpha, alternative=side) >= power

    most = 2
    while not enough(most):
        most *= 2
    least = most // 2  # too few, or 1
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if enough(middle) else (middle, most)
    return most


def _check_deviation(deviation: float) -> None:
    if not 0 < deviation < math.inf:
        raise ChoiceError(f"deviation={deviation!r} is not a number above 0")
