"""Confidence intervals of a mean: of one system's values, or of differences between two."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError
from rankmark.rendering.records import record_html
from rankmark.statistics.freedom import effective_freedom
from rankmark.statistics.record import Statistic, check_choice, table
from rankmark.statistics.resampling import (
    Clusters,
    Floats,
    as_floats,
    bootstrap_means,
    check_drawn,
    check_enough,
    check_share,
    cluster_totals,
    known,
    resampled_sums,
)
from rankmark.statistics.spread import (
    ROUNDING,
    AroundMean,
    around_mean,
    deviations,
    scaled,
    unit_near,
    without_rounding,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "CAUTIONS",
    "ENOUGH",
    "FEWEST",
    "INTERVALS",
    "Bounds",
    "Caution",
    "Interval",
    "IntervalName",
    "Made",
    "MeanInterval",
    "Sample",
    "StandardError",
    "are_zero_one",
    "auto_interval",
    "bca_interval",
    "bootstrap_interval",
    "bounds_of_difference",
    "caution_of",
    "exact_interval",
    "known_leverage",
    "left_out_means",
    "linearised_error",
    "made_interval",
    "percentile_interval",
    "skewness",
    "standard_error",
    "studentised_interval",
    "studentised_ratios",
    "t_interval",
    "tango_interval",
    "wilson_interval",
]

IntervalName = Literal["auto", "t", "studentised", "bca", "percentile", "wilson", "exact", "tango"]


Bounds: TypeAlias = "tuple[float | None, float | None]"
"""The least and the greatest value that there can be; None where there is none."""


class Interval(NamedTuple):
    """The two ends of a confidence interval; NaN where there are too few values for one."""

    low: float
    high: float

    def within(self, bounds: Bounds) -> Interval:
        """The same without what lies beyond the bounds, where the true value cannot be."""
        least, most = bounds
        low = self.low if least is None else max(self.low, float(least))
        return Interval(low, self.high if most is None else min(self.high, float(most)))

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return record_html(self)


def bounds_of_difference(one: Bounds, other: Bounds) -> Bounds:
    """The least and the greatest difference of what is between these."""
    (low, high), (other_low, other_high) = one, other
    return (
        None if low is None or other_high is None else low - other_high,
        None if high is None or other_low is None else high - other_low,
    )


Caution: TypeAlias = Literal["", "alike", "small", "few", "uneven", "skewed"]
"""Why an interval is not to be trusted: one of `CAUTIONS`, or nothing."""

CAUTIONS: Mapping[Caution, str] = MappingProxyType(
    {
        "alike": "all values are the same, which does not say how far off their mean can be",
        "small": "there are fewer than 10 values, or clusters of them",
        "few": "fewer than 10 values are others than the most frequent one",
        "uneven": "few of the values weigh most",
        "skewed": "the values are few for being so skewed",
    }
)
"""What makes it likely that an interval holds the true value more or less often than it says."""


class Made(NamedTuple):
    """An interval and how it was made.

    Attributes:
        low: the lower end; NaN where there are too few values for one.
        high: the upper end.
        method: which of `INTERVALS` it is; never ``auto``.
        caution: which of `CAUTIONS` holds; empty if none.
        resamples: how many were drawn; None for a method that draws none.

    """

    low: float
    high: float
    method: IntervalName
    caution: Caution = ""
    resamples: int | None = None

    @property
    def ends(self) -> Interval:
        """The interval alone."""
        return Interval(self.low, self.high)


def t_interval(
    values: ArrayLike,
    *,
    confidence: float = 0.95,
    clusters: Clusters = None,
    leverage: ArrayLike | None = None,
) -> Interval:
    """Student's interval: x̄ ± t·SE, t the quantile (1 + confidence) / 2 with n − 1 degrees of freedom.

    SE = s/√n; with G clusters SE² = (G − 1)/G · Σ_c u_c², u_c = (S_c − m_c·x̄)/(n − m_c) for a cluster of m_c
    rows of sum S_c, which is by how much the mean is another without it (the jackknife). The degrees of
    freedom are G − 1; where clusters are not all of a size 2G/(κ − 1), G − 1 at most, κ the kurtosis of u,
    for SE is less well known where few clusters have most rows. So clusters may be of any sizes, but have to
    be independent, and 25 or more. The same goes for rows that weigh differently: the linearised values of a
    ratio Σ a / Σ b, such as a weighted mean, without one of which it moves by u = (x − x̄)/(n·(1 − h)), h the
    leverage b / Σ b; in clusters that of all of their rows.

    With clusters of two kinds, such as topics and users, SE² is SE₁² + SE₂² − SE₁₂², SE₁₂ that of rows in the
    same clusters of both, each G/(G − 1) · Σ_c (S_c − m_c·x̄)² / n², and at least the greater of SE₁² and
    SE₂²; the degrees of freedom are the number of the fewer less 1.

    Args:
        values: one a row; NaN is left out.
        confidence: the share of such intervals that hold the true mean, 0 to 1.
        clusters: a label a row, or two: [rows, 2].
        leverage: h, how much of all each row stands for, 1 together; None for 1/n.

    Source:
        Student, "The probable error of a mean", Biometrika 6, 1908; for clusters J. W. Tukey, "Bias and
        confidence in not-quite large samples", Annals of Mathematical Statistics 29, 1958, the degrees of
        freedom as `jackknife_interval`; for two kinds A. C. Cameron, J. B. Gelbach, D. L. Miller, "Robust
        inference with multiway clustering", JBES 29, 2011, and for the greatest of three J. G. MacKinnon, M.
        Ø. Nielsen, M. D. Webb, "Jackknife inference with two-way clustering", 2024.

    """
    check_share(confidence=confidence)
    own, labels = known(values, clusters)
    return _t_around(Sample(own, labels, known_leverage(values, leverage)), confidence)


def _t_around(sample: Sample, confidence: float) -> Interval:
    """The same of a sample."""
    from scipy import special

    error = sample.error
    if not error.freedom:
        return Interval(math.nan, math.nan)
    reach = float(special.stdtrit(error.freedom, (1 + confidence) / 2)) * error.error
    return Interval(sample.mean - reach, sample.mean + reach)


class StandardError(NamedTuple):
    """How far a mean may be off.

    Attributes:
        error: its standard error; 0 where values are alike but for rounding, NaN of fewer than two.
        freedom: how well that is known: degrees of freedom, 0 of fewer than two values.
        units: how many values stand for themselves, or clusters; of the kind that has fewer if there are two.

    """

    error: float
    freedom: float
    units: int


def standard_error(
    values: Floats, clusters: Clusters = None, leverage: Floats | None = None
) -> StandardError:
    """The standard error of the mean of values without NaN, as `t_interval` takes it."""
    labels = None if clusters is None else np.asarray(clusters)
    if labels is None and leverage is None:
        unit = unit_near(values)
        found = linearised_error(values, None, unit)
    else:
        own, unit = scaled(values)
        found = _error(own, labels, leverage)
    return found._replace(error=found.error * unit)


@dataclass(frozen=True)
class Sample:
    """Values of which a mean is, and what is found of them once for all who ask.

    Attributes:
        values: one a row, without NaN.
        clusters: a label a row, or two.
        leverage: as for `t_interval`.

    """

    values: Floats
    clusters: NDArray[Any] | None = None
    leverage: Floats | None = None

    @cached_property
    def mean(self) -> float:
        """Their mean."""
        return float(self.values.mean())

    @cached_property
    def error(self) -> StandardError:
        """See `standard_error`."""
        return standard_error(self.values, self.clusters, self.leverage)

    @cached_property
    def around_mean(self) -> AroundMean:
        """What values are off their mean by, whatever their clusters."""
        return around_mean(self.values)

    @cached_property
    def skewness(self) -> float:
        """See `skewness`."""
        if self.clusters is None:
            return _skewness(self.around_mean, len(self.values))
        return skewness(self.values, self.clusters)

    def enough(self, times: float) -> bool:
        """Whether they are so many times their squared skewness, or the clusters, of either kind."""
        if (ways := _ways(self.clusters)) is not None:
            return all(Sample(self.values, each).enough(times) for each in ways)
        return _units(self.values, self.clusters) > times * self.skewness**2


def known_leverage(values: ArrayLike, leverage: ArrayLike | None) -> Floats | None:
    """The leverage of the values that are not NaN, 1 together.

    Raises:
        DataError: it is of another number of values, or one is below 0.

    """
    if leverage is None:
        return None
    there, found = ~np.isnan(as_floats(values)), as_floats(leverage)
    if found.shape != there.shape:
        raise DataError(f"the leverage of {found.size} values for {there.size}; give one a value")
    own = found[there]
    if len(own) and not (own.min() >= 0 and 0 < own.sum() < math.inf):
        raise DataError("leverage is the share of each value: 0 or more, and above 0 for some")
    return np.asarray(own / own.sum())


def _error(values: Floats, labels: NDArray[Any] | None, leverage: Floats | None) -> StandardError:
    """The same of values of which squares neither overflow nor vanish."""
    if labels is not None and labels.ndim == 2:
        return _two_way_error(values, labels)
    linear = linearised_error(values, labels)
    shares = _unit_shares(labels, leverage)
    if shares is None or not linear.freedom:
        return linear
    if shares.max() == 1:  # a ratio of one value says nothing of others
        return StandardError(math.nan, 0, linear.units)
    count = linear.units
    moves = (1 - 1 / count) * _unit_deviations(values, labels) / (len(values) * (1 - shares))
    error = math.sqrt(count / (count - 1) * float(np.sum(moves**2)))
    return StandardError(error, effective_freedom(moves, count), count)


def _unit_shares(labels: NDArray[Any] | None, leverage: Floats | None) -> Floats | None:
    """The leverage of each value, or cluster of them; None where all have the same."""
    if labels is None:
        shares = leverage
    else:
        _, codes = np.unique(labels, return_inverse=True)
        sizes = np.bincount(codes, leverage).astype(float)
        shares = sizes / sizes.sum()
    return None if shares is None or shares.min() == shares.max() else shares


def linearised_error(values: Floats, labels: Clusters, unit: float = 1.0) -> StandardError:
    """That of the linearised mean: SE² = G/(G − 1) · Σ_c (S_c − m_c·x̄)² / n², G − 1 degrees of freedom.

    It is in the `unit` that values without clusters are taken in.

    Source:
        W. G. Cochran, "Sampling Techniques", 1977, section 9A.

    """
    own, count = _around_mean(values, labels, unit)
    if count < 2:
        return StandardError(math.nan, 0, count)
    spread = own.squares * count / (count - 1)
    return StandardError(own.unit * math.sqrt(spread) / len(values), count - 1, count)


def _two_way_error(values: Floats, labels: NDArray[Any]) -> StandardError:
    """The same where rows are in clusters of two kinds; the degrees of freedom are those of the fewer."""
    ways = [linearised_error(values, each) for each in labels.T]
    freedom, units = min(each.freedom for each in ways), min(each.units for each in ways)
    if not freedom:
        return StandardError(math.nan, 0, units)
    _, both = np.unique(labels, axis=0, return_inverse=True)
    squared = sum(each.error**2 for each in ways) - linearised_error(values, both.ravel()).error ** 2
    return StandardError(math.sqrt(max(squared, *(each.error**2 for each in ways))), freedom, units)


def _unit_deviations(values: Floats, clusters: Clusters) -> Floats:
    """Of each row x − x̄, or of each cluster S_c − m_c·x̄."""
    if clusters is None:
        return deviations(values)
    totals, sizes = cluster_totals(values[:, None], np.asarray(clusters))
    magnitudes, _ = cluster_totals(np.abs(values)[:, None], np.asarray(clusters))
    return without_rounding(totals - sizes * values.mean(), magnitudes)[:, 0]


def _around_mean(values: Floats, clusters: Clusters, unit: float = 1.0) -> tuple[AroundMean, int]:
    """`_unit_deviations` in powers, and how many they are; the unit is of rows."""
    if clusters is None:
        return around_mean(values, unit), len(values)
    units = _unit_deviations(values, clusters)
    return AroundMean.of(units), len(units)


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
    influence, unit = scaled(left_out.mean() - left_out)
    spread = float(np.sum(influence**2))
    # All the same but for rounding: there is nothing to correct.
    if unit * math.sqrt(spread) <= 1e-14 * abs(estimate):
        return percentile_interval(resampled, confidence=confidence)
    acceleration = float(np.sum(influence**3)) / (6 * spread**1.5)
    slack = 1e-12 * float(np.abs(resampled).max())  # for those that are equal but for rounding
    below = np.count_nonzero(resampled < estimate - slack) + np.count_nonzero(resampled <= estimate + slack)
    share = below / (2 * len(resampled))
    bias = ndtri(np.clip(share, 0.5 / len(resampled), 1 - 0.5 / len(resampled)))
    ends = bias + ndtri(np.array([(1 - confidence) / 2, (1 + confidence) / 2]))
    low, high = np.quantile(resampled, ndtr(bias + ends / (1 - acceleration * ends)))
    return Interval(float(low), float(high))


def studentised_interval(
    values: ArrayLike, ratios: Floats, *, confidence: float = 0.95, clusters: Clusters = None
) -> Interval:
    """The symmetric studentised bootstrap: x̄ ± q·SE, q the quantile of |x̄* − x̄| / SE* of resamples.

    It is also called bootstrap t. SE is s/√n, or with clusters the linearised one, √(G/(G − 1) · Σ_c (S_c −
    m_c·x̄)²)/n for a cluster of m_c rows of sum S_c; in place of Student's quantile q takes account
    of values that are skewed or mostly alike.

    Args:
        values: one a row; NaN is left out.
        ratios: what `studentised_ratios` gave for them.
        confidence: the share of such intervals that hold the true mean, 0 to 1.
        clusters: a label a row.

    Returns:
        NaN where too many resamples have no spread: too few rows have another value than most.

    Source:
        P. Hall, "On symmetric bootstrap confidence intervals", JRSS B 50, 1988.

    """
    check_share(confidence=confidence)
    own, labels = known(values, clusters)
    error, freedom, _ = linearised_error(own, labels)
    reach = float(np.quantile(ratios, confidence, method="higher")) * error if freedom and error else error
    if not math.isfinite(reach):
        return Interval(math.nan, math.nan)
    mean = float(own.mean())
    return Interval(mean - reach, mean + reach)


def studentised_ratios(
    values: ArrayLike,
    *,
    clusters: Clusters = None,
    leverage: ArrayLike | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
) -> Floats:
    """|x̄* − x̄| / SE* of resamples of the rows, or of clusters of them; infinite for those without spread.

    Args:
        values: one a row; NaN is left out.
        clusters: a label a row.
        leverage: as for `t_interval`.
        resamples: how many.
        seed: of the resamples.
        threads: how many to use; all cores if None.

    """
    check_drawn(resamples, seed, threads)
    own, labels = known(values, clusters)
    shares = known_leverage(values, leverage)
    totals = scaled(deviations(own))[0][:, None]
    sizes = np.ones_like(totals) if shares is None else len(own) * shares[:, None]
    alike = labels is None and shares is None
    if labels is not None:
        sizes = cluster_totals(sizes, labels)[0]
        totals, _ = cluster_totals(totals, labels)
    units = len(totals)
    terms = [totals, totals**2] if alike else [totals, totals**2, sizes, totals * sizes, sizes**2]
    table = np.column_stack(terms)
    sums = resampled_sums(table, resamples, seed, threads)
    total, squares, *of_sizes = np.ascontiguousarray(sums.T)
    size, products, sizes_squared = of_sizes or (units, total, units)
    mean = total / size
    spread = squares - 2 * mean * products + mean**2 * sizes_squared
    spread[spread <= ROUNDING * float(table[:, 1].sum())] = 0.0
    errors = np.sqrt(spread * (units / max(units - 1, 1))) / size
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nan_to_num(np.abs(mean) / errors, nan=0.0, posinf=np.inf))


FINE = 0.00005
"""How far an end may be off by its resamples: half of the last digit that is shown."""
MOST_RATIOS, MOST_DRAWN, MOST_TOGETHER = 400_000, 20_000_000, 400_000_000
"""The most resamples of an interval, values in all of them, and values of all intervals together: seconds."""


def _ratios(
    values: Floats,
    clusters: Clusters,
    leverage: Floats | None,
    *,
    confidence: float,
    together: int | None,
    resamples: int = 10_000,
    **draws: Any,
) -> Floats:
    """`studentised_ratios`; of so many more resamples, up to a limit, that the ends are known to `FINE`.

    An end's standard error by m resamples is SE times half of how far the quantiles of the ratios at c ∓ √(c
    (1 − c) / m) are apart, c the confidence.

    Args:
        values: without NaN.
        clusters: a label a row.
        leverage: as for `t_interval`.
        confidence: of the interval.
        together: how many intervals are made, which share the limit; None for no more than `resamples`.
        resamples: the least.
        **draws: ``seed`` and ``threads``.

    Source:
        For the quantiles R. J. Serfling, "Approximation Theorems of Mathematical Statistics", 1980, section
        2.6.

    """
    draws |= {"clusters": clusters, "leverage": leverage}
    ratios = studentised_ratios(values, resamples=resamples, **draws)
    if together is None:
        return ratios
    about = math.sqrt(confidence * (1 - confidence) / resamples)
    shares = np.clip([confidence - about, confidence + about], 0, 1)
    first, last = map(float, np.quantile(ratios, shares, method="higher"))
    off = linearised_error(values, clusters).error * (last - first) / 2
    limit = min(MOST_RATIOS, min(MOST_DRAWN, MOST_TOGETHER // together) // len(values))
    times = min(limit / resamples, (off / FINE) ** 2)  # NaN, where an end is infinite, takes the limit
    if not times > 1:
        return ratios
    return studentised_ratios(values, resamples=math.ceil(times) * resamples, **draws)


def wilson_interval(values: ArrayLike, *, confidence: float = 0.95, clusters: Clusters = None) -> Interval:
    """Wilson's score interval of a share: all p with |p̂ − p| ≤ z·√(p(1 − p)/n).

    z = Φ⁻¹((1 + confidence) / 2). With clusters n is the number of rows that would say as much if each stood
    for itself, p̂(1 − p̂)/SE², SE that of `studentised_interval`, or the number of clusters where all rows are
    alike; z is Student's quantile then.

    n rows have n + 1 shares, so that how often it holds the true one goes up and down with that: intervals of
    95% in 92 to 98% for shares from 0.1 to 0.9 of 25 rows, in 93 to 97% of 100, and in 84% at worst nearer to
    0 and 1, where few rows are of one kind.

    Args:
        values: 0 or 1, one a row; NaN is left out.
        confidence: the share of such intervals that hold the true share, 0 to 1.
        clusters: a label a row.

    Raises:
        ChoiceError: other values.

    Source:
        E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927;
        for clusters P. S. Kott, D. A. Carr, "Developing an estimation strategy for a pesticide data program",
        Journal of Official Statistics 13, 1997.

    """
    check_share(confidence=confidence)
    share, count, z = _share("wilson", values, clusters, confidence)
    middle = (share + z**2 / (2 * count)) / (1 + z**2 / count)
    reach = z / (1 + z**2 / count) * math.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2)
    # Where all rows are alike what is rounded is not quite 0 or 1.
    low, high = 0.0 if share == 0 else middle - reach, 1.0 if share == 1 else middle + reach
    return Interval(low, high).within((0, 1))


def exact_interval(values: ArrayLike, *, confidence: float = 0.95, clusters: Clusters = None) -> Interval:
    """Clopper's and Pearson's interval of a share: all p of which no tail beyond the count is rarer than α/2.

    It holds the true share at least as often as it says, mostly more often. Clusters are as in
    `wilson_interval`.

    Args:
        values: 0 or 1, one a row; NaN is left out.
        confidence: the least share of such intervals that hold the true share, 0 to 1.
        clusters: a label a row.

    Raises:
        ChoiceError: other values.

    Source:
        C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
        binomial", Biometrika 26, 1934; for clusters E. L. Korn, B. I. Graubard, "Confidence intervals for
        proportions with small expected number of positive counts estimated from survey data", Survey
        Methodology 24, 1998.

    """
    from scipy import stats

    check_share(confidence=confidence)
    share, count, _ = _share("exact", values, clusters, confidence)
    tail, ones = (1 - confidence) / 2, share * count
    low = float(stats.beta.ppf(tail, ones, count - ones + 1)) if ones else 0.0
    high = float(stats.beta.isf(tail, ones + 1, count - ones)) if count > ones else 1.0
    return Interval(low, high)


def tango_interval(values: ArrayLike, *, confidence: float = 0.95) -> Interval:
    """Tango's score interval of the difference of two shares, of the differences of values that are 0 or 1.

    All Δ with |b − c − n·Δ| ≤ z·√(n·(2q + Δ − Δ²)), where b of the n differences are 1 and c are −1, and q is
    the likeliest chance of −1 if Δ is true: 2n·q² + (Δ·(2n − b + c) − b − c)·q = c·Δ·(1 − Δ). At Δ = 0 it is
    McNemar's test. It holds the true difference also where few values differ, or none.

    Args:
        values: −1, 0 or 1, one a row; NaN is left out.
        confidence: the share of such intervals that hold the true difference, 0 to 1.

    Raises:
        ChoiceError: other values.

    Source:
        T. Tango, "Equivalence test and confidence interval for the difference in proportions for the
        paired-sample design", Statistics in Medicine 17, 1998, equations 24 to 26.

    """
    from scipy import optimize, special

    check_share(confidence=confidence)
    own, _ = known(values, None)
    if not np.isin(own, (-1, 0, 1)).all():
        raise ChoiceError('interval="tango" is of differences of values that are 0 or 1, which these are not')
    n, b, c = len(own), int(np.count_nonzero(own > 0)), int(np.count_nonzero(own < 0))
    if not n:
        return Interval(math.nan, math.nan)
    z = float(special.ndtri((1 + confidence) / 2))

    def beyond(difference: float) -> float:
        """How far the observed difference is from this one, less than may be."""
        linear = difference * (2 * n - b + c) - b - c
        root = math.sqrt(max(linear**2 + 8 * n * c * difference * (1 - difference), 0.0))
        variance = n * ((root - linear) / (2 * n) + difference - difference**2)
        return abs(b - c - n * difference) - z * math.sqrt(max(variance, 0.0))

    def farthest(end: float) -> float:
        # Of values that are all alike it is nothing at the difference itself, too.
        start = seen + 1e-9 * (end - seen)
        return (
            float(optimize.brentq(beyond, start, end, xtol=1e-12)) if beyond(end) > 0 > beyond(start) else end
        )

    seen = (b - c) / n
    return Interval(farthest(-1.0), farthest(1.0))


def _share(
    method: str, values: ArrayLike, clusters: Clusters, confidence: float
) -> tuple[float, float, float]:
    """A share, of how many rows that stand for themselves, and the quantile that goes with it."""
    from scipy import special

    own, labels = known(values, clusters)
    if not are_zero_one(own):
        raise ChoiceError(f'interval="{method}" is of values that are 0 or 1, which these are not')
    share = float(own.mean()) if len(own) else math.nan
    tail = (1 + confidence) / 2
    if labels is None:
        return share, float(len(own)), float(special.ndtri(tail))
    error, freedom, units = linearised_error(own, labels)
    if not freedom:
        return math.nan, 1.0, math.nan
    count = share * (1 - share) / error**2 if error else float(units)
    return share, min(count, float(len(own))), float(special.stdtrit(freedom, tail))


def are_zero_one(values: Floats) -> bool:
    """Whether all values are 0 or 1."""
    return bool(np.all((values == 0) | (values == 1)))


def left_out_means(values: Floats, clusters: Clusters = None) -> Floats:
    """The mean without each row in turn, or each cluster: (Σ − S_c) / (n − m_c); values have no NaN."""
    if clusters is None:
        return np.asarray((values.sum() - values) / (len(values) - 1))
    totals, sizes = cluster_totals(values[:, None], np.asarray(clusters))
    return np.asarray((values.sum() - totals[:, 0]) / (len(values) - sizes[:, 0]))


def bootstrap_interval(
    values: ArrayLike,
    *,
    method: Literal["bca", "percentile", "studentised"] = "bca",
    confidence: float = 0.95,
    clusters: Clusters = None,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
) -> Interval:
    """The bootstrap interval of the mean over rows, or over clusters of them.

    Args:
        values: one a row; NaN is left out.
        method: ``bca`` (see `bca_interval`), ``percentile`` (see `percentile_interval`) or ``studentised``
            (see `studentised_interval`).
        confidence: the share of such intervals that hold the true mean, 0 to 1.
        clusters: a label a row.
        resamples: how many.
        seed: of the resamples.
        threads: how many to use; all cores if None.

    """
    check_choice("method", method, (each.name for each in INTERVALS.values() if each.draws))
    own, labels = known(values, clusters)
    draws = {"resamples": resamples, "seed": seed, "threads": threads}
    return made_interval(method, own, labels, confidence=confidence, draws=draws).ends


def auto_interval(
    values: ArrayLike,
    *,
    differences: bool = False,
    zero_one: bool = False,
    confidence: float = 0.95,
    clusters: Clusters = None,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
) -> Made:
    """By what the values are: Wilson's for 0 and 1, the studentised bootstrap for skewed ones, t for others.

    Of differences of 0 and 1 it is Tango's, without clusters.

    Skewed are values with n ≤ 25·G₁², G₁ their skewness Σ(x − x̄)³/n / (Σ(x − x̄)²/n)^1.5, that of clusters'
    S_c − m_c·x̄ where there are such; if fewer than five have another value than most, resamples do not tell,
    and t is taken, as for clusters of two kinds; and for rows that weigh so differently that less than half
    of them would say as much if all weighed the same, 1/Σh² for leverages h (Kish). `CAUTIONS` say where an
    interval may hold the true value more or less often than it says: where fewer than ten have another value
    than most, where that many rows of the same weight are fewer than 25, or n ≤ 10·G₁².
    `benchmarks/coverage` shows how often.

    Args:
        values: one a row; NaN is left out.
        differences: whether they are differences between two systems, of which none is a share.
        zero_one: whether they are differences of values that are 0 or 1.
        confidence: the share of such intervals that hold the true mean, 0 to 1.
        clusters: a label a row.
        resamples: of the studentised bootstrap.
        seed: of these.
        threads: how many to use; all cores if None.

    Source:
        For n > 25·G₁² W. G. Cochran, "Sampling Techniques", 1977, section 2.15; the rest is chosen by
        simulation.

    """
    own, labels = known(values, clusters)
    draws = {"resamples": resamples, "seed": seed, "threads": threads}
    how: dict[str, Any] = {"differences": differences, "zero_one": zero_one, "draws": draws}
    return made_interval("auto", own, labels, confidence=confidence, **how)


ENOUGH = 25.0
"""How many values t takes, times their squared skewness (Cochran)."""
ENOUGH_OF_RESAMPLES = 10.0
"""How many the studentised bootstrap takes, alike."""
FEWEST_RESAMPLED, FEWEST = 5, 10
"""How many values have to be others than the most frequent one, to be resampled and for any interval."""


ALIKE = 25.0
"""As many as how many values that weigh the same are enough (Kish), where they say less than half of them."""


def _usual(sample: Sample, *, differences: bool, zero_one: bool) -> IntervalName:
    """The method for these values."""
    values, clusters, leverage = sample.values, sample.clusters, sample.leverage
    if zero_one and clusters is None and leverage is None:
        return "tango"
    if not differences and are_zero_one(values) and _ways(clusters) is None:
        return "wilson"
    if _effective(values, leverage) < len(values) / 2:
        return "t"
    skewed = _ways(clusters) is None and not sample.enough(ENOUGH)
    return "studentised" if skewed and not _nearly_alike(values, clusters, FEWEST_RESAMPLED) else "t"


def _effective(values: Floats, leverage: Floats | None) -> float:
    """As many as how many values of the same weight they are: 1/Σh² (Kish)."""
    return float(len(values) if leverage is None else 1 / np.sum(leverage**2))


def caution_of(method: IntervalName, sample: Sample) -> Caution:
    """What to say of an interval of the mean of these by this method, which is not ``auto``."""
    values, clusters, leverage = sample.values, sample.clusters, sample.leverage
    if method in ("wilson", "exact", "tango"):
        return ""
    if not sample.around_mean.squares:
        return "alike"
    if _units(values, clusters) < FEWEST:
        return "small"
    if _nearly_alike(values, clusters, FEWEST):
        return "few"
    if _effective(values, leverage) < min(ALIKE, len(values) / 2):
        return "uneven"
    return "" if sample.enough(ENOUGH_OF_RESAMPLES if method == "studentised" else ENOUGH) else "skewed"


def _units(values: Floats, clusters: Clusters) -> int:
    """How many values there are, or clusters of them, of the kind that has fewer."""
    if (ways := _ways(clusters)) is not None:
        return min(_units(values, each) for each in ways)
    return len(values) if clusters is None else len(np.unique(np.asarray(clusters)))


def skewness(values: Floats, clusters: Clusters = None) -> float:
    """G₁ = Σ(x − x̄)³/n / (Σ(x − x̄)²/n)^1.5 of values without NaN; 0 if they are alike.

    With clusters it is that of S_c − m_c·x̄, see `t_interval`; of two kinds that of the more skewed one.
    """
    if (ways := _ways(clusters)) is not None:
        return max((skewness(values, each) for each in ways), key=abs)
    return _skewness(*_around_mean(values, clusters))


def _skewness(own: AroundMean, count: int) -> float:
    return own.cubes / count / (own.squares / count) ** 1.5 if own.squares else 0.0


def _ways(clusters: Clusters) -> list[NDArray[Any]] | None:
    """The labels of either kind, where there are two."""
    labels = None if clusters is None else np.asarray(clusters)
    return None if labels is None or labels.ndim == 1 else list(labels.T)


def _nearly_alike(values: Floats, clusters: Clusters, few: int) -> bool:
    """Whether fewer values than `few` are not the most frequent one, or clusters that have such."""
    if (ways := _ways(clusters)) is not None:
        return any(_nearly_alike(values, each, few) for each in ways)
    # Of values that are nearly alike the most frequent one is so among any 2 · few of them.
    looked_at = values[: 2 * few] if clusters is None else values
    different, counts = np.unique(looked_at, return_counts=True)
    others = values != different[counts.argmax()]
    found = np.count_nonzero(others) if clusters is None else len(np.unique(np.asarray(clusters)[others]))
    return bool(found < few)


DRAWN = ("resampled", "ratios")
"""What is drawn of what an interval can be made of."""


@dataclass(frozen=True, slots=True)
class MeanInterval(Statistic):
    """A way to make the interval of a mean.

    Its function takes ``confidence``, and by name whatever else `made_interval` has that it has use for.
    """

    @property
    def draws(self) -> bool:
        """Whether it is of resamples."""
        return any(each in self.takes for each in DRAWN)

    @property
    def knows_clusters(self) -> bool:
        """As `Statistic.knows_clusters`: what is drawn can be drawn of them."""
        return self.draws or "clusters" in self.takes

    def check(self, resamples: int, confidence: float) -> None:
        """Refuses fewer resamples than leave one of them beyond either end."""
        if self.draws:
            share, width = (1 - confidence) / 2, f"{100 * confidence:.6g}%"
            check_enough(resamples, share, f"the ends of a {width} interval by the {self.title}")

    @property
    def of_differences(self) -> bool:
        """Whether there is one of differences between two systems."""
        return self.function not in (wilson_interval, exact_interval)

    @property
    def of_means(self) -> bool:
        """Whether there is one of the mean of a system's values."""
        return self.function is not tango_interval


def made_interval(
    name: IntervalName,
    values: Floats | Sample,
    clusters: Clusters = None,
    leverage: Floats | None = None,
    *,
    confidence: float,
    differences: bool = False,
    zero_one: bool = False,
    bounds: Bounds = (None, None),
    draws: Mapping[str, Any] = MappingProxyType({}),
    together: int | None = None,
    resampled: Callable[[], Floats] | None = None,
) -> Made:
    """The interval of the mean of values without NaN; NaN for fewer than two of them, or of clusters.

    Args:
        name: which of `INTERVALS`.
        values: one a row; or a sample, which has clusters and leverage, too.
        clusters: a label a row.
        leverage: as for `t_interval`.
        confidence: the share of such intervals that hold the true mean, 0 to 1.
        differences: as for `auto_interval`.
        zero_one: likewise.
        bounds: of the mean, beyond which no end is.
        draws: ``resamples``, ``seed`` and ``threads``, for those that draw.
        together: how many intervals of measures are made, which share the time for more resamples than that,
            so many that their ends are known to `FINE`; None for no more.
        resampled: gives the means of resamples, where they are known; `bootstrap_means` if None.

    """
    if isinstance(values, Sample):
        sample = values
    else:
        sample = Sample(values, None if clusters is None else np.asarray(clusters), leverage)
    values, clusters, leverage = sample.values, sample.clusters, sample.leverage
    if not sample.error.freedom:
        return Made(math.nan, math.nan, "t" if name == "auto" else name)
    method = _usual(sample, differences=differences, zero_one=zero_one) if name == "auto" else name
    given: Mapping[str, Callable[[], Any]] = {
        "values": lambda: values,
        "clusters": lambda: clusters,
        "leverage": lambda: leverage,
        "resampled": resampled or (lambda: bootstrap_means(values, clusters=clusters, **draws)),
        "ratios": lambda: _ratios(
            values, clusters, leverage, confidence=confidence, together=together, **draws
        ),
        "estimate": lambda: sample.mean,
        "left_out": lambda: left_out_means(values, clusters),
    }
    record = INTERVALS[method]
    if "resamples" in draws:
        record.check(draws["resamples"], confidence)
    taken = {each: given[each]() for each in record.takes if each in given}
    ends: Interval
    if method == "t" and leverage is None:  # whose standard error has been found
        check_share(confidence=confidence)
        ends = _t_around(sample, confidence)
    else:
        ends = record.function(**taken, confidence=confidence)
    drawn = next((len(taken[each]) for each in DRAWN if each in taken), None)
    if name == "auto" and math.isnan(ends.low):
        ends = t_interval(values, confidence=confidence, clusters=clusters, leverage=leverage)
        method, drawn = "t", None
    caution = caution_of(method, sample)
    return Made(*ends.within(bounds), method, caution, drawn)


INTERVALS: Mapping[str, MeanInterval] = table(
    MeanInterval(
        "auto",
        "t, studentised bootstrap where values are skewed, Wilson's or Tango's of 0 and 1",
        auto_interval,
        "where values are too few or too skewed for what they are, a caution says so",
    ),
    MeanInterval("t", "t", t_interval, "the mean is nearly normal: many rows, or no long tails"),
    MeanInterval(
        "studentised",
        "studentised bootstrap",
        studentised_interval,
        "there are rows enough that resamples of them vary as new rows would",
    ),
    MeanInterval(
        "bca",
        "BCa bootstrap",
        bca_interval,
        "as studentised; of differences it is too short for fewer than 100 rows",
    ),
    MeanInterval(
        "percentile",
        "percentile bootstrap",
        percentile_interval,
        "as bca, and that the resampled means lie symmetrically around the mean",
    ),
    MeanInterval("wilson", "Wilson", wilson_interval, "values are 0 or 1"),
    MeanInterval("exact", "Clopper-Pearson", exact_interval, "values are 0 or 1"),
    MeanInterval("tango", "Tango", tango_interval, "values are differences of values that are 0 or 1"),
)
"""The first is the default. Each assumes that rows (or clusters of them) do not depend on each other."""
