"""DeLong's intervals and tests of AUC, from midranks in the time that sorting takes.

A row's structural component is the share of the other class's rows with which it is in order, ties counted
half. Their spread is the variance of AUC; rows of one cluster, such as those of a user, are counted together.
Where they have none, since the scores order all rows without a fault, bounds are of pairs that share no row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.dataclassing import dataclass
from rankmark.errors import DataError
from rankmark.statistics.chance import never_zero
from rankmark.statistics.freedom import effective_freedom
from rankmark.statistics.intervals import Interval
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Clusters, Floats, as_floats, check_share
from rankmark.statistics.significance import ALTERNATIVES, Alternative

__all__ = [
    "AUCDifference",
    "AUCSpread",
    "AreaInterval",
    "AreaTest",
    "auc_spread",
    "delong_interval",
    "delong_test",
    "unpaired_delong_test",
]

AreaInterval: TypeAlias = Literal["delong-logit", "delong"]
"""Ways to make the interval of an AUC; the first is the default."""
AreaTest: TypeAlias = Literal["delong-t", "delong"]
"""Ways to compare two; the first is the default."""

ROUNDING = 1e-15
"""What is left of scores that order all rows without a fault, or of two that order them alike."""
LEAST_SHARE = 1e-100
"""Beyond the end of an interval; quantiles of few degrees of freedom overflow below it."""


class AUCDifference(NamedTuple):
    """Two scores of the same rows, or of different ones, by AUC.

    Attributes:
        first: the AUC of the one.
        second: that of the other.
        difference: first − second.
        interval: of the difference.
        error: its standard error; NaN where a class has fewer than two rows (or clusters).
        p: the chance of such a difference between scores that are equally good.
        statistic: difference / error; NaN where the error is 0 or unknown, or p is not of it.
        freedom: of the t distribution that the statistic is compared with; infinite for the normal one.

    """

    first: float
    second: float
    difference: float
    interval: Interval
    error: float
    p: float
    statistic: float = math.nan
    freedom: float = math.inf


def delong_interval(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    clusters: Clusters = None,
    confidence: float = 0.95,
    method: AreaInterval = "delong-logit",
) -> Interval:
    """The confidence interval of AUC with DeLong's variance, on the scale of the log odds.

        logit(AUC) ± t·SE / (AUC·(1 − AUC))        method=delong-logit
        AUC ± z·SE, cut off at 0 and 1             method=delong

        SE² = m/(m − 1) · Σ_i a_i² + n/(n − 1) · Σ_j b_j²
        a_i = w_i·(V_i − AUC)/P,   b_j = w_j·(V_j − AUC)/N

    i runs over the m positive rows of weight P, j over the n others of weight N, and V is the weighted share
    of the other class's rows with which a row is in order, ties counted half. Without weights it is DeLong's
    variance. With clusters a and b are summed up in each cluster, m and n are the clusters that have such
    rows, and 2·I/(I − 1)·Σ a·b over all I clusters is added (Obuchowski): with ``delong``. With
    ``delong-logit`` it is the variance that leaving clusters out shows, which is as right where few of them
    have most of the rows: (I − 1)/I · Σ_c (a_c/(1 − P_c/P) + b_c/(1 − N_c/N))². Of rows that weigh the same
    the two are one.

    t has (x + y)² / (x²/f + y²/g) degrees of freedom, x and y the two terms of SE², f = 2m/(κ − 1) with
    κ = m·Σ a⁴/(Σ a²)², m − 1 at most, and g alike: how well the variance is known where few rows make up
    most of it, as they do near 1. With clusters it is f of their terms.

    Where SE is 0 ``delong-logit`` has a bound that holds whatever the distributions are. k pairs of a
    positive row and another that share no row (or cluster) are independent, so that all rows are in order
    with a chance of AUC^k at most: for an AUC of 1 the interval begins at (α/2)^(1/k), α = 1 − confidence,
    with k the rows of the smaller class; for 0 it ends at 1 less that. Equal scores alone leave
    1/2 ± (1 − α^(1/k))/2.

    Args:
        labels: true or 1 for positive rows, one a row.
        scores: one a row.
        weights: one a row; each 1 if None.
        clusters: a label a row, such as its user; each row stands for itself if None.
        confidence: the share of such intervals that hold the true AUC, 0 to 1.
        method: ``delong-logit``, or ``delong``, what pROC and others compute. That is too narrow near 1: of
            20 and 20 rows and a true AUC of 0.95, 84 of 100 intervals of 95% hold it, of 0.99 60, and where
            classes do not overlap it is a point. Of ``delong-logit`` 98 and 99 do, of 50 and 50 rows 97 and
            98, of 200 and 200 rows 96, and of an AUC of 0.8 95 to 97; of 10 to 200 users with a few rows
            each, or very different numbers of them, 93 to 96, of ``delong`` 73 to 95.

    Returns:
        NaN where a class has fewer than two rows (or clusters), and where all clusters are alike.

    Source:
        E. DeLong, D. DeLong, D. Clarke-Pearson, "Comparing the areas under two or more correlated receiver
        operating characteristic curves", Biometrics 44, 1988; X. Sun, W. Xu, "Fast implementation of DeLong's
        algorithm", IEEE Signal Processing Letters 21, 2014; N. Obuchowski, "Nonparametric analysis of
        clustered ROC curve data", Biometrics 53, 1997; the logit M. S. Pepe, "The Statistical Evaluation of
        Medical Tests for Classification and Prediction", 2003, section 5.2; degrees of freedom from the
        variance of a variance F. E. Satterthwaite, "An approximate distribution of estimates of variance
        components", Biometrics Bulletin 2, 1946.

    """
    check_share(confidence=confidence)
    check_choice("method", method, get_args(AreaInterval))
    return auc_spread(labels, scores, weights, clusters).interval(confidence, method)


def delong_test(
    labels: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    clusters: Clusters = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    method: AreaTest = "delong-t",
) -> AUCDifference:
    """DeLong's test of the difference between the AUC of two scores of the same rows.

        t = (AUC₁ − AUC₂)/SE,   the interval AUC₁ − AUC₂ ± t_f·SE        method=delong-t
        z = (AUC₁ − AUC₂)/SE,   the interval AUC₁ − AUC₂ ± z·SE          method=delong

    SE and the degrees of freedom f are those of `delong_interval` with a = a₁ − a₂ and b = b₁ − b₂, which
    takes into account that the scores are of the same rows.

    Args:
        labels: true or 1 for positive rows, one a row.
        first: the one score of each row.
        second: the other.
        weights: one a row; each 1 if None.
        clusters: a label a row, such as its user; each row stands for itself if None.
        confidence: the share of such intervals that hold the true difference, 0 to 1.
        alternative: ``two-sided``, or that the first AUC is ``greater`` or ``less`` than the second.
        method: ``delong-t``, or ``delong``, what pROC and others compute. Of equal systems on 20 and 20 to
            200 and 200 rows up to 6 of 100 have p ≤ .05 by both, hardly any near 1; of 10 and 25 users with
            a few rows each up to 6, and 10 and 7 by ``delong``. Of areas of 0.99 and 0.95 intervals of
            95% are too narrow on few rows: 90 and 87 of 100 hold the difference on 20 and 20 rows, 93 and 91
            on 50 and 50, 95 and 94 on 200 and 200.

    Returns:
        Where SE is 0 and both scores order the rows alike p = 1 and the interval is 0. Where an AUC is 0 or 1
        or of equal scores alone, and SE is 0 therefore, the interval is put together from those of
        `delong_interval`, d − √((AUC₁ − l₁)² + (u₂ − AUC₂)²) to d + √((u₁ − AUC₁)² + (AUC₂ − l₂)²); p is 1 if
        they are equal and 2^(1 − k) at most if not, k as there (2^−k one-sided, and 1 on the other side).

    Source:
        As `delong_interval`; the interval of two others G. Y. Zou, A. Donner, "Construction of confidence
        limits about effect measures: a general approach", Statistics in Medicine 27, 2008.

    """
    check_share(confidence=confidence)
    check_choice("alternative", alternative, ALTERNATIVES)
    check_choice("method", method, get_args(AreaTest))
    one, other = (auc_spread(labels, scores, weights, clusters) for scores in (first, second))
    return one.against(other, confidence, alternative, method)


def unpaired_delong_test(
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    *,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    method: AreaTest = "delong-t",
) -> AUCDifference:
    """The difference between the AUC of different rows, such as of two slices.

        d − √((AUC₁ − l₁)² + (u₂ − AUC₂)²) to d + √((u₁ − AUC₁)² + (AUC₂ − l₂)²)     method=delong-t
        D = d/√(S₁ + S₂),   the interval d ± t·√(S₁ + S₂)                            method=delong

    d is AUC₁ − AUC₂, l to u are the intervals of `delong_interval`, and S its squared standard errors. t has
    (S₁ + S₂)² / (S₁²/f₁ + S₂²/f₂) degrees of freedom, f one less than the rows of each. p of ``delong-t`` is
    1 − confidence where the interval ends at 0.

    Args:
        first: the labels and the scores of the one, one a row.
        second: those of the other.
        confidence: the share of such intervals that hold the true difference, 0 to 1.
        alternative: ``two-sided``, or that the first AUC is ``greater`` or ``less`` than the second.
        method: ``delong-t``, or ``delong``, what pROC computes. That takes an AUC of 1 as known without
            error: of equal systems of 0.9 on 10 and 10 and on 100 and 100 rows it has p ≤ .05 in 13 of 100
            and p ≤ .001 in 5, ``delong-t`` in 1 and none.

    Returns:
        Of ``delong-t`` no statistic. Where both areas are 0 or 1 or of equal scores alone, as `delong_test`,
        but with k of the fewer rows.

    Source:
        The interval G. Y. Zou, A. Donner, as `delong_test`; ``delong`` X. Robin et al., "pROC: an open-source
        package for R and S+ to analyze and compare ROC curves", BMC Bioinformatics 12, 2011
        (``roc.test(paired=FALSE)``).

    """
    check_share(confidence=confidence)
    check_choice("alternative", alternative, ALTERNATIVES)
    check_choice("method", method, get_args(AreaTest))
    one, other = (auc_spread(labels, scores, None, None) for labels, scores in (first, second))
    return one.apart_from(other, confidence, alternative, method)


class _BothClasses(NamedTuple):
    positive: NDArray[np.bool_]
    weights: Floats
    codes: NDArray[np.intp] | None  # the number of each row's cluster


@dataclass(frozen=True)
class AUCSpread:
    """An AUC, and how much each row (or cluster) moves it.

    Attributes:
        auc: its value.
        ours: what the positive rows of each cluster move it by.
        theirs: what the others do.
        left_out: both as leaving the cluster out shows: (1 − 1/n)·a/(1 − v) for one of n that has the share v
            of its class's weight, which is a where all weigh the same.
        sizes: how many rows, or clusters with such rows, these are.
        alone: whether a cluster is one row, so that both are not of the same clusters.
        apart: how many pairs of a positive row and another there are that share no row (or cluster).

    """

    auc: float
    ours: Floats
    theirs: Floats
    left_out: tuple[Floats, Floats]
    sizes: tuple[int, int]
    alone: bool
    apart: int

    @property
    def error(self) -> float:
        """DeLong's or Obuchowski's standard error; NaN where a class has fewer than two rows or clusters."""
        m, n = self.sizes
        if min(m, n) < 2:
            return math.nan
        variance = m / (m - 1) * float(self.ours @ self.ours)
        variance += n / (n - 1) * float(self.theirs @ self.theirs)
        if not self.alone:
            count = len(self.ours)
            variance += 2 * count / (count - 1) * float(self.ours @ self.theirs)
        return _beyond_rounding(variance)

    @cached_property
    def left_out_error(self) -> float:
        """The standard error by leaving rows or clusters out; NaN as `error`."""
        if min(self.sizes) < 2:
            return math.nan
        return _beyond_rounding(sum(square for square, _ in self._squares))

    @cached_property
    def freedom(self) -> float:
        """How many normal values would tell their variance as well as these do that of the AUC."""
        squares, freedoms = np.array(self._squares).T
        total = float(squares.sum())
        return float(total**2 / (squares**2 / freedoms).sum()) if total > 0 else math.inf

    @cached_property
    def _squares(self) -> list[tuple[float, float]]:
        """The parts of the variance by leaving out, and the degrees of freedom of each."""
        ours, theirs = self.left_out
        parts = zip(self.left_out, self.sizes, strict=True) if self.alone else [(ours + theirs, len(ours))]
        return [
            (size / max(size - 1, 1) * float(part @ part), effective_freedom(part, size))
            for part, size in parts
        ]

    def _apart_error(self, other: AUCSpread) -> float:
        """The standard error of the difference from another of different rows."""
        x, y = self.left_out_error, other.left_out_error
        return math.sqrt(max(x * x + y * y - 2 * self._together(other) * x * y, 0.0))

    def _together(self, other: AUCSpread) -> float:
        """The correlation with another of different rows, of which clusters may be the same."""
        if self.alone or other.alone:
            return 0.0
        ours, theirs = (np.add(*each.left_out) for each in (self, other))
        scale = math.sqrt(float(ours @ ours) * float(theirs @ theirs))
        return float(ours @ theirs) / scale if scale else 0.0

    @classmethod
    def combined(cls, auc: float, spreads: Sequence[AUCSpread], slopes: Sequence[float]) -> AUCSpread:
        """That of a figure of several areas of the same rows or clusters, by its derivative by each."""
        first = spreads[0]
        columns = zip(*((each.ours, each.theirs, *each.left_out) for each in spreads), strict=True)
        ours, theirs, *left_out = (np.asarray(np.tensordot(slopes, column, 1)) for column in columns)
        return replace(first, auc=auc, ours=ours, theirs=theirs, left_out=(left_out[0], left_out[1]))

    def interval(self, confidence: float, method: AreaInterval = "delong-logit") -> Interval:
        """As `delong_interval`."""
        share = (1 - confidence) / 2
        if method == "delong":
            reach = _reach(self.error, share)
            return Interval(*(float(np.clip(end, 0, 1)) for end in (self.auc - reach, self.auc + reach)))
        return self._on_logits(share)

    def _on_logits(self, share: float) -> Interval:
        """With so small a share beyond either end."""
        from scipy.special import expit, logit

        error = self.left_out_error
        if error == 0 or not 0 < self.auc < 1:  # weights round to 0 or 1
            return self._exact(share)
        reach = _reach(error, share, self.freedom) / (self.auc * (1 - self.auc))
        return Interval(*(float(expit(logit(self.auc) + each)) for each in (-reach, reach)))

    def _exact(self, share: float) -> Interval:
        """Of an AUC without a spread: 0, 1, or that of equal scores."""
        if self._plain is None or math.isnan(self.left_out_error):
            return Interval(math.nan, math.nan)
        if self._plain == 0.5:
            reach = (1 - (2 * share) ** (1 / self.apart)) / 2
            return Interval(0.5 - reach, 0.5 + reach)
        least = share ** (1 / self.apart)
        return Interval(least, 1.0) if self._plain else Interval(0.0, 1 - least)

    @property
    def is_plain(self) -> bool:
        """Whether all pairs are in the same order, or equal."""
        return self._plain is not None

    @cached_property
    def _plain(self) -> float | None:
        """0, 1/2 or 1 where all pairs are in the same order, or equal; else None."""
        nearest = round(2 * self.auc) / 2
        moved = max(np.abs(self.ours).max(), np.abs(self.theirs).max())
        return nearest if abs(self.auc - nearest) <= ROUNDING and moved <= ROUNDING else None

    def bound(self, confidence: float) -> float:
        """The one-sided upper bound, by leaving rows or clusters out."""
        return self.auc + _reach(self.left_out_error, 1 - confidence, self.freedom)

    def against(
        self, other: AUCSpread, confidence: float, alternative: Alternative, method: AreaTest = "delong-t"
    ) -> AUCDifference:
        """The difference from another of the same rows or clusters, as `delong_test`."""
        moved = self.combined(self.auc - other.auc, (self, other), (1.0, -1.0))
        if method == "delong":
            return self._compared(other, moved.error, math.inf, confidence, alternative)
        return self._compared(other, moved.left_out_error, moved.freedom, confidence, alternative)

    def apart_from(
        self, other: AUCSpread, confidence: float, alternative: Alternative, method: AreaTest = "delong-t"
    ) -> AUCDifference:
        """The difference from another of different rows, as `unpaired_delong_test`.

        Both may be of the same clusters, which are then moved together.
        """
        if method == "delong-t":
            return self._compared_by_intervals(other, confidence, alternative)
        parts = np.array([self.error, other.error]) ** 2
        total = float(parts.sum())
        freedoms = [sum(each.sizes) - 1 for each in (self, other)]
        freedom = total**2 / float((parts**2 / freedoms).sum()) if total > 0 else math.inf
        return self._compared(other, math.sqrt(total), freedom, confidence, alternative)

    def _compared_by_intervals(
        self, other: AUCSpread, confidence: float, alternative: Alternative
    ) -> AUCDifference:
        error = self._apart_error(other)
        if error == 0:
            return self._compared(other, error, math.inf, confidence, alternative)
        ends, p = self._between(other, (1 - confidence) / 2), self._p_between(other, alternative)
        return AUCDifference(self.auc, other.auc, self.auc - other.auc, ends, error, p)

    def _compared(
        self, other: AUCSpread, error: float, freedom: float, confidence: float, alternative: Alternative
    ) -> AUCDifference:
        difference = self.auc - other.auc
        if error == 0:
            p, ends = self._p_without_spread(other, alternative), self._around(other, confidence)
            return AUCDifference(self.auc, other.auc, difference, ends, error, p)
        statistic, reach = difference / error, _reach(error, (1 - confidence) / 2, freedom)
        ends = Interval(difference - reach, difference + reach)
        p = _p(statistic, freedom, alternative)
        return AUCDifference(self.auc, other.auc, difference, ends, error, p, statistic, freedom)

    def _around(self, other: AUCSpread, confidence: float) -> Interval:
        """The interval of the difference, of those of both, where it does not vary."""
        if self._plain is None and other._plain is None and abs(self.auc - other.auc) <= ROUNDING:
            return Interval(0.0, 0.0)
        return self._between(other, (1 - confidence) / 2, together=0.0)

    def _between(self, other: AUCSpread, share: float, together: float | None = None) -> Interval:
        """The interval of the difference, of those of both and their correlation."""
        r = self._together(other) if together is None else together
        (low, high), (other_low, other_high) = (each._on_logits(share) for each in (self, other))

        def apart(x: float, y: float) -> float:
            return math.sqrt(max(x * x + y * y - 2 * r * x * y, 0.0))

        difference = self.auc - other.auc
        down, up = (
            apart(self.auc - low, other_high - other.auc),
            apart(high - self.auc, other.auc - other_low),
        )
        return Interval(max(difference - down, -1.0), min(difference + up, 1.0))

    def _p_between(self, other: AUCSpread, alternative: Alternative) -> float:
        """Twice the share beyond either end of the interval that ends at 0, or one-sided that."""
        from scipy.optimize import brentq

        if math.isnan(self._between(other, 0.25).low):
            return math.nan
        above = self.auc > other.auc

        def beyond(exponent: float) -> float:
            low, high = self._between(other, math.exp(exponent))
            return low if above else -high

        least, most = math.log(LEAST_SHARE), math.log(0.5)
        if beyond(most) <= 0:  # a bound of few pairs is below even the middle
            share = 0.5
        else:
            share = LEAST_SHARE if beyond(least) > 0 else math.exp(brentq(beyond, least, most))
        if alternative == "two-sided":
            return never_zero(2 * share)
        return never_zero(share) if above == (alternative == "greater") else 1 - share

    def _p_without_spread(self, other: AUCSpread, alternative: Alternative) -> float:
        """Of areas neither of which varies, or that vary together."""
        difference = self.auc - other.auc
        if abs(difference) <= ROUNDING:
            return 1.0
        if self._plain is None or other._plain is None:
            return math.nan
        pairs = min(self.apart, other.apart)
        if alternative == "two-sided":
            return never_zero(2 * 0.5**pairs)
        return never_zero(0.5**pairs) if (difference > 0) == (alternative == "greater") else 1.0


def auc_spread(
    positive: ArrayLike, scores: ArrayLike, weights: ArrayLike | None, clusters: Clusters
) -> AUCSpread:
    """The spread of an AUC, for several intervals and tests; arguments as `delong_interval`."""
    rows = _rows(positive, weights, clusters)
    return _spread(rows, _scores(scores, rows))


def _beyond_rounding(variance: float) -> float:
    error = math.sqrt(max(variance, 0.0))
    return 0.0 if error <= ROUNDING else error


def _p(statistic: float, freedom: float, alternative: Alternative) -> float:
    """The p-value of a statistic that is t-distributed, or normal without end of degrees of freedom."""
    from scipy.special import ndtr, stdtr

    def below(value: float) -> float:
        return float(ndtr(value) if math.isinf(freedom) else stdtr(freedom, value))

    if alternative == "two-sided":
        return never_zero(2 * below(-abs(statistic)))
    return never_zero(below(-statistic if alternative == "greater" else statistic))


def _reach(error: float, share: float, freedom: float = math.inf) -> float:
    """How far from the middle an interval ends that leaves such a share beyond either end."""
    from scipy.special import ndtri, stdtrit

    return -float(ndtri(share) if math.isinf(freedom) else stdtrit(freedom, share)) * error


def _spread(rows: _BothClasses, scores: Floats) -> AUCSpread:
    """The AUC of the scores, and its structural components brought together by cluster."""
    positive, weights, codes = rows
    _, place = np.unique(scores, return_inverse=True)
    at, others_at = (np.bincount(place, weights * of) for of in (positive, ~positive))
    total, other_total = at.sum(), others_at.sum()
    behind = (np.cumsum(others_at) - others_at / 2) / other_total
    ahead = 1 - (np.cumsum(at) - at / 2) / total
    auc = float(at @ behind / total)
    moved = weights * (np.where(positive, behind[place], ahead[place]) - auc)
    moved /= np.where(positive, total, other_total)
    parts = weights / np.where(positive, total, other_total)

    def by_unit(of: Floats, rows: NDArray[np.bool_]) -> Floats:
        if codes is None:
            return of[rows]
        return np.bincount(codes, of * rows, codes.max() + 1).astype(np.float64)

    (ours, own), (theirs, others) = (
        [by_unit(of, rows) for of in (moved, parts)] for rows in (positive, ~positive)
    )
    sizes, apart = _units(rows)
    counts = sizes if codes is None else (len(ours), len(ours))
    left_out = _left_out(ours, own, counts[0]), _left_out(theirs, others, counts[1])
    return AUCSpread(auc, ours, theirs, left_out, sizes, codes is None, apart)


def _left_out(moves: Floats, shares: Floats, count: int) -> Floats:
    """What leaving each of so many out shows; one that has all cannot be left out."""
    rest = 1 - shares
    return np.divide((1 - 1 / count) * moves, rest, out=np.zeros(len(moves)), where=rest > 0)


def _units(rows: _BothClasses) -> tuple[tuple[int, int], int]:
    """`sizes` and `apart` of an `AUCSpread`."""
    counted = rows.weights > 0
    codes = np.arange(len(counted)) if rows.codes is None else rows.codes
    m, n = (len(np.unique(codes[counted & of])) for of in (rows.positive, ~rows.positive))
    everything = len(np.unique(codes[counted]))
    return (m, n), min(m, n, everything // 2)


def _rows(labels: ArrayLike, weights: ArrayLike | None, clusters: Clusters) -> _BothClasses:
    given = as_floats(labels)
    if given.ndim != 1 or not np.isin(given, (0, 1)).all():
        raise DataError("labels are one a row, each 0 or 1 (or false or true)")
    positive = given.astype(bool)
    own = np.ones(len(positive)) if weights is None else as_floats(weights)
    if own.shape != positive.shape or not (own >= 0).all() or not np.isfinite(own).all():
        raise DataError(f"weights are one a row, of {len(positive)}, each a finite number from 0")
    if not own[positive].any() or not own[~positive].any():
        raise DataError("AUC needs rows of both classes, and all are of one")
    return _BothClasses(positive, own, None if clusters is None else _codes(clusters, len(positive)))


def _codes(clusters: Any, count: int) -> NDArray[np.intp] | None:
    """The number of each row's cluster; None where each is of one row."""
    labels = np.asarray(clusters)
    if labels.shape != (count,):
        raise DataError(f"{len(labels)} clusters for {count} rows; give one a row")
    known, codes = np.unique(labels, return_inverse=True)
    return codes if len(known) < count else None


def _scores(scores: ArrayLike, rows: _BothClasses) -> Floats:
    own = as_floats(scores)
    if own.shape != rows.positive.shape or np.isnan(own).any():
        raise DataError(f"scores are one a row, of {len(rows.positive)}, and no NaN")
    return own
