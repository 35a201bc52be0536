"""Means of the means of several collections, of which each counts alike however many queries it has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from rankmark.statistics.chance import never_zero
from rankmark.statistics.intervals import Interval, standard_error
from rankmark.statistics.resampling import Floats, check_share

__all__ = ["stratified_error", "stratified_interval", "stratified_t_test", "weighed"]


def weighed(strata: Sequence[Floats]) -> Floats:
    """The values of all strata, each times N / (C·n_c), whose mean is the mean of the C strata's means.

    N is how many values there are and n_c how many in their own stratum; no stratum is empty.
    """
    total = sum(map(len, strata))
    return np.concatenate([own * (total / (len(strata) * len(own))) for own in strata])


Leverages: TypeAlias = "Sequence[Floats | None] | None"
"""Of each stratum's values, see `t_interval`; None where all stand for as much."""


def stratified_error(strata: Sequence[Floats], leverages: Leverages = None) -> tuple[float, float]:
    """The standard error of the mean of the strata's means, and its degrees of freedom; NaN and 0 if none.

        SE² = Σ_c SE_c² / C²,   ν = (Σ_c SE_c²)² / Σ_c (SE_c⁴ / ν_c)

    Source:
        W. G. Cochran, "Sampling Techniques", 1977, section 5.4; F. E. Satterthwaite, "An approximate
        distribution of estimates of variance components", Biometrics Bulletin 2, 1946.

    """
    of_each = [None] * len(strata) if leverages is None else leverages
    parts = [standard_error(own, None, each) for own, each in zip(strata, of_each, strict=True)]
    if not all(each.freedom for each in parts):
        return math.nan, 0.0
    squares = np.array([each.error**2 for each in parts])
    whole = float(squares.sum())
    if not whole:
        return 0.0, float(sum(each.freedom for each in parts))
    # Of shares, for the squares of squares can be too small for a number.
    shares = squares / whole
    freedom = 1 / float(np.sum(shares**2 / [each.freedom for each in parts]))
    return math.sqrt(whole) / len(strata), freedom


def stratified_interval(
    strata: Sequence[Floats], leverages: Leverages = None, *, confidence: float = 0.95
) -> Interval:
    """Student's interval of the mean of the strata's means; see `stratified_error`.

    Args:
        strata: the values of each collection's queries.
        leverages: those of each.
        confidence: the share of such intervals that hold the true value, 0 to 1.

    """
    from scipy import special

    check_share(confidence=confidence)
    error, freedom = stratified_error(strata, leverages)
    if not freedom:
        return Interval(math.nan, math.nan)
    mean = float(np.mean([own.mean() for own in strata]))
    reach = float(special.stdtrit(freedom, (1 + confidence) / 2)) * error
    return Interval(mean - reach, mean + reach)


def stratified_t_test(strata: Sequence[Floats], leverages: Leverages = None) -> float:
    """The t test, two-sided, of whether the mean of the strata's means is 0; see `stratified_error`.

    Without spread p is 1 if the mean is 0, else NaN.

    Args:
        strata: the differences of each collection's queries.
        leverages: those of each.

    """
    from scipy import special

    error, freedom = stratified_error(strata, leverages)
    mean = float(np.mean([own.mean() for own in strata]))
    if not error:
        return 1.0 if not mean else math.nan
    return never_zero(2 * float(special.stdtr(freedom, -abs(mean) / error)))
