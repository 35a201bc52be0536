"""Effect sizes: how much, where a p-value says how surely."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rankmark._native import Ordered
from rankmark.dataclassing import dataclass
from rankmark.statistics.intervals import Interval, standard_error
from rankmark.statistics.resampling import Clusters, Floats, as_floats, check_share, known
from rankmark.statistics.significance import wins_and_losses
from rankmark.statistics.spread import standard_deviation

__all__ = [
    "CohensD",
    "Dominance",
    "Superiority",
    "cliffs_delta",
    "cliffs_delta_interval",
    "cohens_d",
    "cohens_d_interval",
    "probability_of_superiority",
    "superiority_interval",
]

MOST_STUDENT = 100_000
"""With more differences the noncentral t distribution is normal to five digits."""


def cohens_d(differences: ArrayLike) -> float:
    """Cohen's d of paired differences (d_z): mean / standard deviation (n − 1); NaN without spread.

    Source:
        J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", 1988, section 2.3.5.

    """
    return CohensD.of(known(differences)[0]).d


def cohens_d_interval(differences: ArrayLike, *, confidence: float = 0.95) -> Interval:
    """The interval of Cohen's d of paired differences that do not depend on each other.

    √n·d is of the noncentral t distribution with n − 1 degrees of freedom: the ends are the noncentralities,
    over √n, that leave (1 − confidence) / 2 beyond the observed one. NaN without spread.

    Source:
        G. Cumming and S. Finch, "A primer on the understanding, use, and calculation of confidence intervals
        that are based on central and noncentral distributions", Educational and Psychological Measurement 61,
        2001.

    """
    return CohensD.of(known(differences)[0]).interval(confidence=confidence)


@dataclass(frozen=True, slots=True)
class CohensD:
    """Cohen's d of so many paired differences.

    Attributes:
        d: see `cohens_d`.
        count: how many they are.

    """

    d: float
    count: int

    @classmethod
    def of(cls, differences: Floats) -> CohensD:
        """That of differences without NaN."""
        deviation = standard_deviation(differences)
        return cls(float(differences.mean()) / deviation if deviation > 0 else math.nan, len(differences))

    def interval(self, *, confidence: float) -> Interval:
        """See `cohens_d_interval`."""
        from scipy import special

        check_share(confidence=confidence)
        d, root = self.d, math.sqrt(self.count)
        if math.isnan(d):
            return Interval(math.nan, math.nan)
        if self.count > MOST_STUDENT:
            reach = float(special.ndtri((1 + confidence) / 2)) * math.sqrt(1 + d * d / 2) / root
            return Interval(d - reach, d + reach)
        ends = ((1 + confidence) / 2, (1 - confidence) / 2)
        low, high = (_noncentrality(self.count - 1, share, d * root) / root for share in ends)
        return Interval(low, high)


MOST_NONCENTRAL = 200.0
"""Beyond this t SciPy's noncentral distribution can be NaN."""


def _noncentrality(freedom: int, share: float, t: float) -> float:
    """The noncentrality of which t has this share of the distribution below it."""
    from scipy import special
    from scipy.optimize import brentq

    if abs(t) > MOST_NONCENTRAL:
        # t = (Z + δ) / √(χ²/ν), of which Z is no part any more.
        other = share if t < 0 else 1 - share
        return t * math.sqrt(2 * float(special.gammaincinv(freedom / 2, other)) / freedom)

    def below(centre: float, t: float) -> float:
        found = float(special.nctdtr(freedom, centre, t))
        return found if found == found else float(centre < t)  # far out in a tail SciPy has no number

    def beyond(centre: float) -> float:
        # Of a t below 0 by the other tail, which SciPy knows better.
        return (below(centre, t) if t >= 0 else 1 - below(-centre, -t)) - share

    spread = math.sqrt(1 + t * t / (2 * freedom))
    low, high = t - spread, t + spread
    while beyond(low) < 0:
        low -= spread
    while beyond(high) > 0:
        high += spread
    return float(brentq(beyond, low, high, xtol=1e-9))


def cliffs_delta(values: ArrayLike, baseline: ArrayLike) -> float:
    """Cliff's δ: (#(x > y) − #(x < y)) / (n·m) over all pairs of a value x and a baseline's y; −1 to 1.

    It compares the two distributions and does not pair the queries; NaN is left out.

    Source:
        N. Cliff, "Dominance statistics: ordinal analyses to answer ordinal questions", 1993.

    """
    x, y = (_ordered(known(each)[0]) for each in (values, baseline))
    return Dominance.of(x, y).delta


def cliffs_delta_interval(
    values: ArrayLike, baseline: ArrayLike, *, confidence: float = 0.95, clusters: Clusters = None
) -> Interval:
    """The interval of Cliff's δ of two systems on the same queries.

    A query's share of δ is the mean dominance of its value over the baseline's values, plus that of all
    values over its baseline, less δ. With SE that of the mean of these shares, and t the quantile of its
    degrees of freedom, the ends are (δ − δ³ ∓ t·SE·√((1 − δ²)² + t²·SE²)) / (1 − δ² + t²·SE²), which stay
    within −1 and 1. NaN where no share differs, as where all values are above all of the baseline's.

    Args:
        values: of one system, one a query.
        baseline: of the other, on the same queries; queries that lack either are left out.
        confidence: the share of such intervals that hold the true δ, 0 to 1.
        clusters: a label a query.

    Source:
        N. Cliff, "Ordinal Methods for Behavioral Data Analysis", 1996, chapter 5; D. Feng and N. Cliff,
        "Monte Carlo evaluation of ordinal d with improved confidence interval", Journal of Modern Applied
        Statistical Methods 3, 2004.

    """
    first, second = as_floats(values), as_floats(baseline)
    both = ~(np.isnan(first) | np.isnan(second))
    labels = None if clusters is None else np.asarray(clusters)[both]
    x, y = (_ordered(known(each[both])[0]) for each in (first, second))
    return Dominance.of(x, y).interval(confidence=confidence, clusters=labels)


def _ordered(values: Floats) -> Ordered:
    return Ordered(np.ascontiguousarray(values))


@dataclass(frozen=True, slots=True)
class Dominance:
    """How two systems' values stand to each other.

    Attributes:
        delta: see `cliffs_delta`.
        mean: the same, of the shares of queries.
        apart: of each query its share, less their mean; none where these are not as many as those.

    """

    delta: float
    mean: float
    apart: Floats

    @classmethod
    def of(cls, values: Ordered, baseline: Ordered) -> Dominance:
        """That of one system's values over another's."""
        total, mean, apart = values.above(baseline)
        pairs = len(values) * len(baseline)
        # Whole numbers are added up, so that what is even is 0.
        return cls(float(total) / pairs if pairs else math.nan, mean, apart)

    def interval(self, *, confidence: float, clusters: Clusters = None) -> Interval:
        """See `cliffs_delta_interval`: of values of the same queries."""
        from scipy import special

        check_share(confidence=confidence)
        if len(self.apart) < 2:
            return Interval(math.nan, math.nan)
        error, freedom, _ = standard_error(self.apart, clusters)
        if not freedom or not error:
            return Interval(math.nan, math.nan)
        reach = float(special.stdtrit(freedom, (1 + confidence) / 2)) * error
        delta = self.mean
        rest = 1 - delta**2
        around = reach * math.sqrt(rest**2 + reach**2)
        return Interval(*((delta * rest + side * around) / (rest + reach**2) for side in (-1, 1)))


def probability_of_superiority(differences: ArrayLike) -> float:
    """The share of queries with a difference above 0, and half of those with none; 0 to 1, 0.5 for no effect.

    Source:
        R. J. Grissom and J. J. Kim, "Effect Sizes for Research", 2012.

    """
    return Superiority.of(known(differences)[0]).share


def superiority_interval(differences: ArrayLike, *, confidence: float = 0.95) -> Interval:
    """Wilson's interval of the probability of superiority, of differences that do not depend on each other.

    With p the probability, n queries and z the normal quantile, (p + z²/2n ∓ z·√(p(1 − p)/n + z²/4n²)) / (1 +
    z²/n). Queries without a difference spread less than this takes them to, so that it is rather wide where
    there are many.

    Source:
        E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.

    """
    return Superiority.of(known(differences)[0]).interval(confidence=confidence)


@dataclass(frozen=True, slots=True)
class Superiority:
    """On how many queries a system is better, and on how many worse, of so many.

    Attributes:
        wins: where it is better.
        losses: where it is worse.
        count: of how many queries.

    """

    wins: int
    losses: int
    count: int

    @classmethod
    def of(cls, differences: Floats, tie: float = 0.0) -> Superiority:
        """That of differences without NaN, of which those up to a magnitude are ties."""
        return cls(*wins_and_losses(differences, tie), len(differences))

    @property
    def ties(self) -> int:
        """Where it is neither."""
        return self.count - self.wins - self.losses

    @property
    def share(self) -> float:
        """See `probability_of_superiority`."""
        return ((self.wins - self.losses) / self.count + 1) / 2 if self.count else math.nan

    def interval(self, *, confidence: float) -> Interval:
        """See `superiority_interval`."""
        from scipy.special import ndtri

        check_share(confidence=confidence)
        if not self.count:
            return Interval(math.nan, math.nan)
        p, n = self.share, self.count
        squared = float(ndtri((1 + confidence) / 2)) ** 2
        reach = math.sqrt(squared * p * (1 - p) / n + (squared / (2 * n)) ** 2)
        low, high = ((p + squared / (2 * n) + side * reach) / (1 + squared / n) for side in (-1, 1))
        return Interval(max(0.0, low), min(1.0, high))
