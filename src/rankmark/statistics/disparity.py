"""How far groups are apart at most, and how unequal values are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.errors import ChoiceError, DataError
from rankmark.statistics.intervals import (
    ENOUGH,
    Made,
    made_interval,
    skewness,
)
from rankmark.statistics.resampling import Floats, as_floats, check_drawn, check_share, known, resampled_sums
from rankmark.statistics.spread import sum_of_squares

__all__ = [
    "FEWEST",
    "GroupDisparity",
    "gini",
    "gini_estimate",
    "gini_interval",
    "group_disparity",
    "low_share",
    "low_share_estimate",
    "low_share_interval",
]

FEWEST = 3
"""Of fewer values nobody knows how they vary."""
CELLS = 1 << 22
"""So many pairs of groups in resamples are looked at in one go."""


class GroupDisparity(NamedTuple):
    """How far the means of several groups are apart.

    Attributes:
        lowest: the number of the group with the lowest mean.
        highest: that of the one with the highest.
        difference: the highest mean less the lowest.
        low: the lower end of its confidence interval; 0 where the groups may be alike.
        high: the upper end.
        ratio: the lowest mean by the highest; NaN where a mean is negative or all are 0.
        ratio_low: the lower end of its confidence interval; NaN where a mean is 0 or below.
        ratio_high: the upper end.
        by_chance: how large the difference is on average between such groups that have one mean.
        p: the chance of two means so far apart, by their standard errors, where all groups have one mean.

    """

    lowest: int
    highest: int
    difference: float
    low: float
    high: float
    ratio: float
    ratio_low: float
    ratio_high: float
    by_chance: float
    p: float


def group_disparity(
    groups: Sequence[ArrayLike],
    *,
    confidence: float = 0.95,
    resamples: int = 2_000,
    seed: int = 0,
    threads: int | None = None,
) -> GroupDisparity:
    """The largest difference between the means of groups, and the ratio of the lowest to the highest.

    The largest of several differences is too large on average, because chance makes some group the worst:
    its intervals are those of all pairs together. With means m, squared standard errors v and c the quantile
    of max |d*ᵢⱼ − dᵢⱼ| / √(v*ᵢ + v*ⱼ) over all pairs of groups, all true differences are in dᵢⱼ ± c·√(vᵢ +
    vⱼ) with the confidence asked for, and so the largest is between the largest lower and the largest upper
    end. The ratio goes the same way by logarithms. Groups are drawn one by one: their queries with
    replacement where they are skewed (n ≤ 25·G₁²), and else normal means with χ² variances.

    Args:
        groups: the values of each, three or more; NaN is left out.
        confidence: the share of such intervals that hold the true value, 0 to 1.
        resamples: how many.
        seed: of the resamples.
        threads: how many to use; all cores if None.

    Raises:
        DataError: fewer than two groups, or one of fewer than three values.

    Source:
        P. A. Games and J. F. Howell, Journal of Educational Statistics 1, 1976, of which it is the bootstrap;
        J. P. Romano and M. Wolf, "Exact and approximate stepdown methods for multiple hypothesis testing",
        JASA 100, 2005.

    """
    check_share(confidence=confidence)
    check_drawn(resamples, seed, threads)
    values = [known(each)[0] for each in groups]
    if len(values) < 2 or min(map(len, values)) < FEWEST:
        raise DataError(f"two groups or more are compared, of {FEWEST} values or more each")
    sizes, means = np.array([len(each) for each in values]), np.array([each.mean() for each in values])
    errors = np.array([each.var(ddof=1) for each in values]) / sizes
    drawn = [_drawn(each, resamples, _seed(seed, number), threads) for number, each in enumerate(values)]
    moved, varied = np.column_stack([each[0] for each in drawn]), np.column_stack([each[1] for each in drawn])
    far = _farthest(moved, varied)
    apart, scale = _pairs(means, np.subtract), np.sqrt(_pairs(errors, np.add))
    width = _width(far, confidence, scale)
    lowest, highest = int(means.argmin()), int(means.argmax())
    positive = means.min() > 0
    ratio = _ratio(means, errors, moved, varied, confidence) if positive else (math.nan, math.nan)
    return GroupDisparity(
        lowest,
        highest,
        float(means[highest] - means[lowest]),
        float(max(0.0, (abs(apart) - width).max())),
        float((abs(apart) + width).max()),
        float(means[lowest] / means[highest]) if means.min() >= 0 < means.max() else math.nan,
        *ratio,
        _by_chance(sizes, errors, seed),
        _chance(far, abs(apart), scale),
    )


def _seed(seed: int, number: int) -> int:
    """A seed of its own for each group, whose resamples are not to be alike."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])


def _drawn(values: Floats, resamples: int, seed: int, threads: int | None) -> tuple[Floats, Floats]:
    """How far the means of resamples are from the mean, and their squared standard errors."""
    n = len(values)
    deviations = values - values.mean()
    if n > ENOUGH * skewness(values) ** 2:
        random = np.random.default_rng(seed)
        error = sum_of_squares(deviations) / n / (n - 1)
        return (
            random.normal(0.0, math.sqrt(error), resamples),
            error * random.chisquare(n - 1, resamples) / (n - 1),
        )
    sums = resampled_sums(np.column_stack([deviations, deviations**2]), resamples, seed, threads) / n
    return sums[:, 0], np.maximum(sums[:, 1] - sums[:, 0] ** 2, 0.0) / (n - 1)


def _pairs(values: Floats, combined: Callable[[Floats, Floats], Floats]) -> Floats:
    """What each pair of groups gives, of the groups in the last dimension."""
    one, other = np.triu_indices(values.shape[-1], 1)
    return combined(values[..., one], values[..., other])


def _farthest(moved: Floats, varied: Floats) -> Floats:
    """How far the two groups are apart, by standard errors, that are farthest apart in each resample."""
    count = moved.shape[1] * (moved.shape[1] - 1) // 2
    steps = [*range(0, len(moved), max(1, CELLS // count)), len(moved)]
    parts = []
    for first, last in pairwise(steps):
        apart, error = _pairs(moved[first:last], np.subtract), _pairs(varied[first:last], np.add)
        with np.errstate(divide="ignore", invalid="ignore"):
            parts.append(np.nan_to_num(abs(apart) / np.sqrt(error), nan=0.0, posinf=np.inf).max(axis=1))
    return np.concatenate(parts)


def _width(far: Floats, confidence: float, scale: Floats) -> Floats:
    """Half the width of the interval of each pair."""
    most = float(np.quantile(far, confidence, method="higher"))
    return most * scale if math.isfinite(most) else np.full(len(scale), np.inf)


def _ratio(
    means: Floats, errors: Floats, moved: Floats, varied: Floats, confidence: float
) -> tuple[float, float]:
    """The interval of the lowest mean by the highest, by the logarithms of all pairs."""
    again = means + moved
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.where(again > 0, np.log(again) - np.log(means), -np.inf)
        relative = np.where(again > 0, varied / again**2, 0.0)
        far = np.where((again > 0).all(axis=1), _farthest(logarithms, relative), np.inf)
    apart = -abs(_pairs(np.log(means), np.subtract))
    width = _width(far, confidence, np.sqrt(_pairs(errors / means**2, np.add)))
    return float(np.exp((apart - width).min())), float(np.exp(min(0.0, (apart + width).min())))


def _by_chance(sizes: NDArray[np.int64], errors: Floats, seed: int) -> float:
    """The mean range of normal means of groups of these sizes that have the variance within all of them."""
    within = (errors * sizes * (sizes - 1)).sum() / (sizes - 1).sum()
    means = np.random.default_rng(seed).normal(size=(4_000, len(sizes))) * np.sqrt(within / sizes)
    return float(np.ptp(means, axis=1).mean())


def _chance(far: Floats, apart: Floats, scale: Floats) -> float:
    """How many resamples have groups as far apart, of one more than there are."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.nan_to_num(apart / scale, nan=0.0, posinf=np.inf).max()
    return float((1 + np.count_nonzero(far >= found)) / (1 + len(far)))


def gini(values: ArrayLike) -> float:
    """Gini's coefficient, Σᵢⱼ |xᵢ − xⱼ| / (2·n²·x̄): 0 where all values are alike, 1 − 1/n where one has all.

    Args:
        values: 0 or more each; NaN is left out. NaN if all are 0, or there are none.

    Raises:
        DataError: a negative value.

    Source:
        C. Gini, "Variabilità e mutabilità", 1912.

    """
    return _value(_gini_terms, _shares(values))


def gini_interval(values: ArrayLike, *, confidence: float = 0.95) -> Made:
    """The confidence interval of `gini`: as of the mean of what each value adds to it, to first order.

    Raises:
        DataError: a negative value.

    Source:
        M. Langel and Y. Tillé, "Variance estimation of the Gini index: revisiting a result several times
        published", Journal of the Royal Statistical Society A 176, 2013.

    """
    return gini_estimate(values, confidence=confidence)[1]


def gini_estimate(values: ArrayLike, *, confidence: float = 0.95) -> tuple[float, Made]:
    """`gini` and `gini_interval`, for which the values are put in order once."""
    return _estimate(_gini_terms, values, confidence)


def low_share(values: ArrayLike, part: float = 0.1) -> float:
    """What share of the sum the lowest part of the values has: as large as the part where all are alike.

    Args:
        values: 0 or more each; NaN is left out. NaN if all are 0, or there are none.
        part: 0 to 1; of a value at the border the part within it counts.

    Raises:
        DataError: a negative value.
        ChoiceError: a part that is not between 0 and 1.

    Source:
        M. O. Lorenz, "Methods of measuring the concentration of wealth", 1905.

    """
    return _value(lambda own: _low_terms(own, part), _shares(values))


def low_share_interval(values: ArrayLike, part: float = 0.1, *, confidence: float = 0.95) -> Made:
    """The confidence interval of `low_share`, as `gini_interval`."""
    return low_share_estimate(values, part, confidence=confidence)[1]


def low_share_estimate(
    values: ArrayLike, part: float = 0.1, *, confidence: float = 0.95
) -> tuple[float, Made]:
    """`low_share` and `low_share_interval`, alike."""
    return _estimate(lambda own: _low_terms(own, part), values, confidence)


def _shares(values: ArrayLike) -> Floats:
    own = as_floats(values).ravel()
    own = own[~np.isnan(own)]
    if negative := np.count_nonzero(own < 0):
        raise DataError(f"{negative:,} of {len(own):,} values are negative: they are no shares of a sum")
    return own


def _value(terms: Callable[[Floats], Floats], own: Floats) -> float:
    return float(terms(own).mean()) if own.any() else math.nan


def _estimate(terms: Callable[[Floats], Floats], values: ArrayLike, confidence: float) -> tuple[float, Made]:
    """The mean of what each value adds, and its interval."""
    check_share(confidence=confidence)
    own = _shares(values)
    linear = terms(own) if own.any() else np.empty(0)
    made = made_interval("auto", linear, confidence=confidence, differences=True, bounds=(0, 1))
    return float(linear.mean()) if len(linear) else math.nan, made


def _gini_terms(x: Floats) -> Floats:
    """One number a value, whose mean is Gini's coefficient and whose spread that of it."""
    order = np.argsort(x, kind="stable")
    ordered, n, mean = x[order], len(x), x.mean()
    below = np.cumsum(ordered)
    apart = np.empty(n)  # the mean distance of each from all
    apart[order] = (ordered * (2 * np.arange(1, n + 1) - n) - 2 * below + below[-1]) / n
    found = apart.mean() / (2 * mean)
    return np.asarray(found + (apart - apart.mean()) / mean - found * (x - mean) / mean)


def _low_terms(x: Floats, part: float) -> Floats:
    """The same of the share of the lowest."""
    if not 0 < part < 1:
        raise ChoiceError(f"part={part!r} is not a number above 0 and below 1")
    n, mean = len(x), x.mean()
    place = min(math.ceil(part * n) - 1, n - 1)
    border = np.partition(x, place)[place]
    # Σ of the lowest, the border counting in part, is Σ min(x − border, 0) + part · n · border.
    below = np.minimum(x - border, 0.0) + part * border
    found = below.mean() / mean
    return np.asarray(found + (below - below.mean()) / mean - found * (x - mean) / mean)
