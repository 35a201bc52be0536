"""Whether predicted probabilities are those that rows have, and what calibrated ones would look like."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.dataclassing import dataclass
from rankmark.errors import DataError
from rankmark.statistics.chance import never_zero
from rankmark.statistics.intervals import Interval
from rankmark.statistics.resampling import Clusters, Floats, as_floats, check_drawn, check_share

__all__ = ["Calibrated", "Gaps", "SpiegelhalterTest", "binned_gaps", "spiegelhalter_test"]

DRAWS = 2_000
"""Of errors of calibrated scores, and of what chance adds."""
MOST_DRAWN, STEP = 20_000_000, 100
"""Labels that are drawn one by one, and so many tables at once."""


class SpiegelhalterTest(NamedTuple):
    """Spiegelhalter's test.

    Attributes:
        statistic: z; above 0 the errors are greater than those of calibrated probabilities.
        p: the chance of one as far from 0 if the probabilities are calibrated.

    """

    statistic: float
    p: float


def spiegelhalter_test(
    labels: ArrayLike, scores: ArrayLike, *, weights: ArrayLike | None = None
) -> SpiegelhalterTest:
    """Spiegelhalter's test of calibration: whether the Brier score is what calibrated probabilities have.

        z = Σ w·(y − p)(1 − 2p) / √(Σ w²·(1 − 2p)²·p(1 − p))

    z is compared with the normal distribution, on both sides. Probabilities of 1/2 tell it nothing.

    Args:
        labels: y, true or 1 for positive rows, one a row.
        scores: p, one a row, 0 to 1.
        weights: w, one a row; each 1 if None.

    Returns:
        NaN where all probabilities are 0, 1/2 or 1.

    Source:
        D. J. Spiegelhalter, "Probabilistic prediction in patient management and clinical trials", Statistics
        in Medicine 5, 1986.

    """
    from scipy.special import ndtr

    y, p, own = _rows(labels, scores, weights)
    error = math.sqrt(float(np.sum(own**2 * (1 - 2 * p) ** 2 * p * (1 - p))))
    if not error:
        return SpiegelhalterTest(math.nan, math.nan)
    z = float(np.sum(own * (y - p) * (1 - 2 * p))) / error
    return SpiegelhalterTest(z, never_zero(2 * float(ndtr(-abs(z)))))


def _rows(labels: ArrayLike, scores: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats, Floats]:
    y, p = as_floats(labels), as_floats(scores)
    own = np.ones(len(y)) if weights is None else as_floats(weights)
    if y.ndim != 1 or not np.isin(y, (0, 1)).all():
        raise DataError("labels are one a row, each 0 or 1 (or false or true)")
    if p.shape != y.shape or not ((p >= 0) & (p <= 1)).all():
        raise DataError(f"scores are one a row, of {len(y)}, each from 0 to 1")
    if own.shape != y.shape or not (own >= 0).all():
        raise DataError(f"weights are one a row, of {len(y)}, each a number from 0")
    return y, p, own


class Calibrated(NamedTuple):
    """What an error of calibration would be if the scores were the rows' probabilities.

    Attributes:
        low: the lower end of what the middle share of such tables have.
        high: the upper end.
        p: the chance of an error as great as that of the table.

    """

    low: float
    high: float
    p: float


def binned_gaps(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    bins: int = 15,
    weights: ArrayLike | None = None,
    clusters: Clusters = None,
) -> Gaps:
    """Rows in bins of equal width, as the measure ECE has them.

    Args:
        labels: true or 1 for positive rows, one a row.
        scores: one a row, 0 to 1.
        bins: how many.
        weights: one a row; each 1 if None.
        clusters: a label a row, such as its user; each row stands for itself if None.

    """
    y, p, own = _rows(labels, scores, weights)
    kept = own > 0
    y, p, own = y[kept], p[kept], own[kept]
    _, codes = np.unique(np.searchsorted(np.linspace(0, 1, bins + 1)[1:-1], p), return_inverse=True)
    units = None if clusters is None else np.unique(np.asarray(clusters)[kept], return_inverse=True)[1]
    return Gaps(codes, p, own, y, np.bincount(codes, own) / own.sum(), units)


@dataclass(frozen=True, slots=True)
class Gaps:
    """Rows in bins of their scores: how far mean scores are from what was observed.

    Attributes:
        bins: the number of each row's bin; none is empty.
        scores: p, one a row.
        weights: w, one a row.
        labels: y, one a row, 0 or 1.
        shares: what each bin counts for in the error, together 1.
        clusters: the number of each row's cluster; None where each row stands for itself.

    """

    bins: NDArray[np.intp]
    scores: Floats
    weights: Floats
    labels: Floats
    shares: Floats
    clusters: NDArray[np.intp] | None = None

    @property
    def gaps(self) -> Floats:
        """Mean score less observed rate of each bin."""
        return self._sums(self.weights * (self.scores - self.labels)) / self._totals

    @property
    def error(self) -> float:
        """Σ v·|g| over the bins."""
        return float(self.shares @ np.abs(self.gaps))

    def interval(self, confidence: float = 0.95, *, draws: int = DRAWS, seed: int = 0) -> Interval:
        """An interval of Σ v·|g| over the true gaps g, which holds it however well calibrated scores are.

            from Σ v·|ĝ| − q to Σ v·|ĝ| + z·√(Σ_b Σ_c s_b·s_c·v_b·v_c·C_bc),   s = sign(ĝ)

        q is the quantile of Σ v·|e| for normal e of the covariances C of ĝ. The upper end holds since
        Σ v·sign(g)·ĝ, which is no more than Σ v·|ĝ|, lies around the true error; the lower one since Σ v·|ĝ|
        is no more than the true error and Σ v·|e|. The estimate is above the middle, for chance adds to it.
        C is r(1 − r)/n of the observed rates, with one more row of each class; with clusters that of the sums
        of w·(p − y − ĝ) over each, but no less.

        Args:
            confidence: the least share of such intervals that hold the true error, but for normality.
            draws: of e.
            seed: of these.

        """
        from scipy.special import ndtri

        check_share(confidence=confidence)
        check_drawn(draws, seed)
        covariance, signed = self._covariance, self.shares * np.sign(self.gaps)
        moved = _normal(covariance, draws, seed)
        down = float(np.quantile(np.abs(moved) @ self.shares, (1 + confidence) / 2))
        up = float(ndtri((1 + confidence) / 2)) * math.sqrt(max(float(signed @ covariance @ signed), 0.0))
        return Interval(max(self.error - down, 0.0), min(self.error + up, 1.0))

    def calibrated(self, confidence: float = 0.95, *, draws: int = DRAWS, seed: int = 0) -> Calibrated:
        """Consistency resampling: the error of labels that are drawn with the scores as probabilities.

        Of many rows, and with clusters, what each bin's rate is off by is drawn as normal.

        Args:
            confidence: the share of such errors between the ends.
            draws: how many.
            seed: of these.

        Source:
            J. Bröcker, L. A. Smith, "Increasing the reliability of reliability diagrams", Weather and
            Forecasting 22, 2007.

        """
        check_share(confidence=confidence)
        check_drawn(draws, seed)
        if self.clusters is not None:
            moved = _normal(self._covariance, draws, seed)
        elif len(self.scores) * draws <= MOST_DRAWN:
            moved = self._drawn(draws, seed)
        else:
            variances = self._sums(self.weights**2 * self.scores * (1 - self.scores)) / self._totals**2
            moved = _normal(np.diag(variances), draws, seed)
        errors = np.abs(moved) @ self.shares
        low, high = np.quantile(errors, [(1 - confidence) / 2, (1 + confidence) / 2])
        as_great = int(np.count_nonzero(errors >= self.error * (1 - 1e-12)))
        return Calibrated(float(low), float(high), (as_great + 1) / (draws + 1))

    def _drawn(self, draws: int, seed: int) -> Floats:
        """Gaps of labels that are drawn row by row."""
        random = np.random.default_rng(seed)
        of_bin = (self.bins[:, None] == np.arange(len(self.shares))) * self.weights[:, None] / self._totals
        steps = (min(STEP, draws - start) for start in range(0, draws, STEP))
        return np.concatenate(
            [
                ((random.random((step, len(self.scores))) < self.scores) - self.scores) @ of_bin
                for step in steps
            ]
        )

    @property
    def _totals(self) -> Floats:
        return self._sums(self.weights)

    def _sums(self, values: Floats) -> Floats:
        return np.bincount(self.bins, values, len(self.shares)).astype(np.float64)

    @property
    def _covariance(self) -> Floats:
        totals = self._totals
        numbers = totals**2 / self._sums(self.weights**2)
        rates = (self._sums(self.weights * self.labels) / totals * numbers + 1) / (numbers + 2)
        alone = np.diag(rates * (1 - rates) / numbers)
        if self.clusters is None:
            return alone
        left = self.weights * (self.scores - self.labels - self.gaps[self.bins]) / totals[self.bins]
        count, bins = int(self.clusters.max()) + 1, len(self.shares)
        sums = np.bincount(self.clusters * bins + self.bins, left, count * bins).reshape(count, bins)
        together = sums.T @ sums * (count / max(count - 1, 1))
        return np.asarray(together + np.diag(np.maximum(np.diag(alone) - np.diag(together), 0)))


def _normal(covariance: Floats, draws: int, seed: int) -> Floats:
    """Normal values with these covariances, [draws, values]."""
    sizes, axes = np.linalg.eigh(covariance)
    factor = axes * np.sqrt(np.maximum(sizes, 0))
    return np.asarray(np.random.default_rng(seed).normal(size=(draws, len(sizes))) @ factor.T)
