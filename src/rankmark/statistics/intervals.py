"""Confidence intervals of a mean: of one system's values, or of differences between two."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.statistics.record import Statistic, check_choice, table
from rankmark.statistics.resampling import (
    Clusters,
    Floats,
    bootstrap_means,
    check_share,
    cluster_totals,
    known,
)
from rankmark.statistics.spread import deviations, without_rounding

__all__ = [
    "INTERVALS",
    "Interval",
    "IntervalName",
    "MeanInterval",
    "bca_interval",
    "bootstrap_interval",
    "left_out_means",
    "percentile_interval",
    "standard_error",
    "t_interval",
]

IntervalName = Literal["bca", "percentile", "t"]


class Interval(NamedTuple):
    """The two ends of a confidence interval; NaN where there are too few values for one."""

    low: float
    high: float


def t_interval(values: ArrayLike, *, confidence: float = 0.95, clusters: Clusters = None) -> Interval:
    """Student's interval: x̄ ± t·SE, t the quantile (1 + confidence) / 2 with n − 1 degrees of freedom.

    SE = s/√n; with G clusters SE² = G/(G − 1) · Σ_c (S_c − m_c·x̄)² / n² for a cluster of m_c rows of sum S_c,
    and G − 1 degrees of freedom.

    Args:
        values: one a row; NaN is left out.
        confidence: the share of such intervals that hold the true mean, 0 to 1.
        clusters: a label a row.

    Source:
        Student, "The probable error of a mean", Biometrika 6, 1908; for clusters the linearised variance of a
        ratio, W. G. Cochran, "Sampling Techniques", 1977, section 9A.

    """
    from scipy import stats

    check_share(confidence=confidence)
    own, labels = known(values, clusters)
    error, freedom = standard_error(own, labels)
    if not freedom:
        return Interval(math.nan, math.nan)
    reach = float(stats.t.ppf((1 + confidence) / 2, freedom)) * error
    mean = float(own.mean())
    return Interval(mean - reach, mean + reach)


def standard_error(values: Floats, clusters: Clusters = None) -> tuple[float, int]:
    """The standard error of the mean of values without NaN, and its degrees of freedom; NaN and 0 if none.

    It is 0 where they are alike but for rounding.
    """
    if clusters is None:
        units = deviations(values)
    else:
        totals, sizes = cluster_totals(values[:, None], np.asarray(clusters))
        magnitudes, _ = cluster_totals(np.abs(values)[:, None], np.asarray(clusters))
        units = without_rounding(totals - sizes * values.mean(), magnitudes)
    if len(units) < 2:
        return math.nan, 0
    spread = float(np.sum(units**2)) * len(units) / (len(units) - 1)
    return math.sqrt(spread) / len(values), len(units) - 1


def percentile_interval(resampled: Floats, *, confidence: float = 0.95) -> Interval:
    """The percentile bootstrap: the quantiles (1 ∓ confidence) / 2 of the resampled means.

    Args:
        resampled: what `bootstrap_means` gave for one column.
        confidence: the share of such intervals that hold the true mean, 0 to 1.

    Source:
        B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13.

    """
    check_share(confidence=confidence)
    low, high = np.quantile(resampled, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def bca_interval(
    resampled: Floats, estimate: float, left_out: Floats, *, confidence: float = 0.95
) -> Interval:
    """The bias-corrected and accelerated bootstrap, right to second order where values are skewed.

    The quantiles α₁, α₂ of the resampled estimates, α = Φ(z₀ + (z₀ + z) / (1 − a·(z₀ + z))) for z = ∓Φ⁻¹ of
    (1 + confidence) / 2. z₀ = Φ⁻¹ of the share of resampled estimates below the estimate (those equal to it
    by half), a = Σu³ / (6·(Σu²)^1.5), u the mean of the left-out estimates less each of them.

    Args:
        resampled: the estimates of the resamples.
        estimate: that of all rows.
        left_out: those without one row (or one cluster) each.
        confidence: the share of such intervals that hold the true value, 0 to 1.

    Source:
        B. Efron, "Better bootstrap confidence intervals", JASA 82, 1987.

    """
    from scipy.special import ndtr, ndtri

    check_share(confidence=confidence)
    influence = left_out.mean() - left_out
    spread = float(np.sum(influence**2))
    # All the same but for rounding: there is nothing to correct.
    if spread <= (1e-14 * abs(estimate)) ** 2:
        return percentile_interval(resampled, confidence=confidence)
    acceleration = float(np.sum(influence**3)) / (6 * spread**1.5)
    slack = 1e-12 * float(np.abs(resampled).max())  # for those that are equal but for rounding
    below = np.count_nonzero(resampled < estimate - slack) + np.count_nonzero(resampled <= estimate + slack)
    share = below / (2 * len(resampled))
    bias = ndtri(np.clip(share, 0.5 / len(resampled), 1 - 0.5 / len(resampled)))
    ends = bias + ndtri(np.array([(1 - confidence) / 2, (1 + confidence) / 2]))
    low, high = np.quantile(resampled, ndtr(bias + ends / (1 - acceleration * ends)))
    return Interval(float(low), float(high))


def left_out_means(values: Floats, clusters: Clusters = None) -> Floats:
    """The mean without each row in turn, or each cluster: (Σ − S_c) / (n − m_c); values have no NaN."""
    if clusters is None:
        return np.asarray((values.sum() - values) / (len(values) - 1))
    totals, sizes = cluster_totals(values[:, None], np.asarray(clusters))
    return np.asarray((values.sum() - totals[:, 0]) / (len(values) - sizes[:, 0]))


def bootstrap_interval(
    values: ArrayLike,
    *,
    method: Literal["bca", "percentile"] = "bca",
    confidence: float = 0.95,
    clusters: Clusters = None,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
) -> Interval:
    """The bootstrap interval of the mean over rows, or over clusters of them.

    Args:
        values: one a row; NaN is left out.
        method: ``bca`` (see `bca_interval`) or ``percentile`` (see `percentile_interval`).
        confidence: the share of such intervals that hold the true mean, 0 to 1.
        clusters: a label a row.
        resamples: how many.
        seed: of the resamples.
        threads: how many to use; all cores if None.

    """
    check_choice("method", method, (each.name for each in INTERVALS.values() if each.draws))
    own, labels = known(values, clusters)

    def drawn() -> Floats:
        return bootstrap_means(own, clusters=labels, resamples=resamples, seed=seed, threads=threads)

    return INTERVALS[method].of_mean(own, labels, drawn, confidence)


@dataclass(frozen=True, slots=True)
class MeanInterval(Statistic):
    """A way to make the interval of a mean.

    Its function takes ``confidence``, and by name whatever else `of_mean` has that it has use for.
    """

    @property
    def draws(self) -> bool:
        """Whether it is of resamples."""
        return "resampled" in self.takes

    def of_mean(
        self, values: Floats, clusters: Clusters, resampled: Callable[[], Floats], confidence: float
    ) -> Interval:
        """The interval of the mean of values without NaN; NaN for fewer than two of them, or of clusters.

        Args:
            values: one a row.
            clusters: a label a row.
            resampled: gives the means of resamples, for those that draw.
            confidence: the share of such intervals that hold the true mean, 0 to 1.

        """
        if len(values) < 2 or (clusters is not None and len(np.unique(clusters)) < 2):
            return Interval(math.nan, math.nan)
        given: Mapping[str, Callable[[], Any]] = {
            "values": lambda: values,
            "clusters": lambda: clusters,
            "resampled": resampled,
            "estimate": lambda: float(values.mean()),
            "left_out": lambda: left_out_means(values, clusters),
        }
        taken = {name: given[name]() for name in self.takes if name in given}
        interval: Interval = self.function(**taken, confidence=confidence)
        return interval


INTERVALS: Mapping[str, MeanInterval] = table(
    MeanInterval(
        "bca",
        "BCa bootstrap",
        bca_interval,
        "there are rows enough that resamples of them vary as new rows would",
    ),
    MeanInterval(
        "percentile",
        "percentile bootstrap",
        percentile_interval,
        "as bca, and that the resampled means lie symmetrically around the mean",
    ),
    MeanInterval("t", "t", t_interval, "the mean is nearly normal: many rows, or no long tails"),
)
"""The first is the default. Each assumes that rows (or clusters of them) do not depend on each other."""
