"""What a number of queries can show, and how many it takes: power of t and F tests, width of intervals.

T. Sakai calls it topic set size design.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rankmark.errors import ChoiceError
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import check_share
from rankmark.statistics.significance import ALTERNATIVES, Alternative

__all__ = [
    "anova_power",
    "detectable_difference",
    "detectable_range",
    "expected_width",
    "power_of",
    "queries_for_anova",
    "queries_for_width",
    "queries_needed",
]

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
    if freedom > MOST_STUDENT:
        critical = stats.norm.isf(level)
        other = stats.norm.cdf(-critical - towards)
        return float(stats.norm.sf(critical - towards) + (other if two_sided else 0.0))
    critical = stats.t.isf(level, freedom)
    with np.errstate(all="ignore"):  # of which some versions of SciPy warn
        other = stats.nct.cdf(-critical, freedom, towards) if two_sided else 0.0
        found = float(stats.nct.sf(critical, freedom, towards))
    # Far out in the other tail there is nothing to add, and SciPy can give NaN.
    return min(1.0, found + float(np.nan_to_num(other)))


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
    check_share(alpha=alpha, power=power)
    if queries < 2 or math.isnan(deviation):
        return math.nan
    if not deviation:
        return 0.0
    side: Alternative = "two-sided" if alternative == "two-sided" else "greater"

    return deviation * _root(
        lambda effect: power_of(effect, 1.0, queries, alpha=alpha, alternative=side) - power
    )


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

    return _fewest(enough)


def anova_power(
    difference: float, deviation: float, queries: int, systems: int, *, alpha: float = 0.05
) -> float:
    """The chance that the one-way analysis of variance finds that systems differ.

    P(F' > F_{1−α; m−1, m(n−1)}), F' of the noncentral F distribution with these degrees of freedom and
    noncentrality n·D²/(2σ²): the least there is where the best and the worst of m systems on n queries each
    are D apart (the others lie half way between them).

    Args:
        difference: D, between the best and the worst system.
        deviation: σ, the standard deviation of a system's values over queries, above 0.
        queries: n, at least 2.
        systems: m, at least 2.
        alpha: the level of the test.

    Source:
        T. Sakai, "Topic set size design", Information Retrieval Journal 19, 2016, section 4.2, which comes to
        F' by Nagata's approximation; here it is exact.

    """
    from scipy import stats

    check_share(alpha=alpha)
    _check_deviation(deviation)
    for name, value in (("queries", queries), ("systems", systems)):
        if value < 2:
            raise ChoiceError(f"{name}={value!r}: an analysis of variance needs 2 or more")
    freedom = systems - 1, systems * (queries - 1)
    centre = queries * difference**2 / (2 * deviation**2)
    critical = stats.f.isf(alpha, *freedom)
    return float(stats.ncf.sf(critical, *freedom, centre)) if centre else alpha


def detectable_range(
    deviation: float, queries: int, systems: int, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """The smallest D between best and worst system that is found with this power; see `anova_power`."""
    check_share(power=power)
    return deviation * _root(lambda effect: anova_power(effect, 1.0, queries, systems, alpha=alpha) - power)


def queries_for_anova(
    difference: float, deviation: float, systems: int, *, alpha: float = 0.05, power: float = 0.8
) -> int:
    """The fewest queries with which a D between the best and the worst system is found; see `anova_power`."""
    check_share(power=power)
    if not difference or not math.isfinite(difference):
        raise ChoiceError(f"difference={difference!r}: no number of queries shows it")
    return _fewest(lambda queries: anova_power(difference, deviation, queries, systems, alpha=alpha) >= power)


def expected_width(deviation: float, queries: int, *, confidence: float = 0.95) -> float:
    """The expected width of Student's interval of a mean (difference).

    2·t_{(1 + confidence)/2, n−1}·E(s)/√n, with E(s) = σ·√(2/(n − 1))·Γ(n/2)/Γ((n − 1)/2).

    Args:
        deviation: σ, the standard deviation of the values (or differences) over queries, above 0.
        queries: n, at least 2.
        confidence: of the interval.

    Source:
        T. Sakai, "Topic set size design", Information Retrieval Journal 19, 2016, section 4.3.

    """
    from scipy import stats
    from scipy.special import gammaln

    check_share(confidence=confidence)
    _check_deviation(deviation)
    if queries < 2:
        raise ChoiceError(f"queries={queries!r}: a t interval needs 2 or more")
    freedom = queries - 1
    shrinks = math.sqrt(2 / freedom) * math.exp(gammaln(queries / 2) - gammaln(freedom / 2))
    return float(2 * stats.t.isf((1 - confidence) / 2, freedom) * deviation * shrinks / math.sqrt(queries))


def queries_for_width(width: float, deviation: float, *, confidence: float = 0.95) -> int:
    """The fewest queries whose interval is expected to be no wider than this; see `expected_width`."""
    if not 0 < width < math.inf:
        raise ChoiceError(f"width={width!r} is not a number above 0")
    return _fewest(lambda queries: expected_width(deviation, queries, confidence=confidence) <= width)


def _fewest(enough: Callable[[int], bool]) -> int:
    """The least number from 2 that is enough, where all greater ones are."""
    most = 2
    while not enough(most):
        most *= 2
    least = most // 2  # too few, or 1
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if enough(middle) else (middle, most)
    return most


def _root(lack: Callable[[float], float]) -> float:
    """From 0 on, where what rises is 0."""
    from scipy.optimize import brentq

    if lack(0.0) >= 0:
        return 0.0
    most = 1.0
    while lack(most) < 0:
        most *= 2
    return float(brentq(lack, 0.0, most, xtol=1e-12))


def _check_deviation(deviation: float) -> None:
    if not 0 < deviation < math.inf:
        raise ChoiceError(f"deviation={deviation!r} is not a number above 0")
