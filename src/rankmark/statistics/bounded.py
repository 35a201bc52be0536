"""Upper bounds of means and ratios of which the worst that a row can add is known, right for few rows, too.

A bootstrap or Student's t knows of nothing that has not been seen: of fifty queries that did not change they
say that none can. Here one more row is counted, as bad as a row can be.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.errors import ChoiceError, DataError
from rankmark.statistics.resampling import Clusters, Floats, check_share, cluster_totals, known
from rankmark.statistics.spread import deviations

__all__ = ["LEAST_CHANGED", "LEAST_UNITS", "NOTHING_FIXED", "Fixed", "Rows", "gaffke_bound", "least_root"]

LEAST_UNITS, LEAST_CHANGED = 25, 10
"""Where the worst is not known but only seen: the fewest rows, and of them that differ from the usual one."""
MOST_BLOCKS = 2_000
"""More rows are brought together with those next to them in order, which are nearly equal."""
STEP = 0.1
"""Of the integral, in the logarithm of the frequency; halving it changes the 9th digit."""
NOTHING = -35.0
"""The logarithm of what adds nothing to an integral."""


def gaffke_bound(
    values: ArrayLike, *, most: float, confidence: float = 0.95, clusters: Clusters = None
) -> float:
    """Gaffke's upper confidence bound of the mean of values that are at most ``most``.

    The least m with P(Σ E_i·(x_i − m) > 0) ≤ 1 − confidence, where i runs over the n values and one more,
    which is ``most``, and the E_i are independent and exponential: the quantile of the mean under Dirichlet
    weights (the Bayesian bootstrap) with a worst row added. The chance is computed and not drawn. For a lower
    bound take negatives.

    It assumes independent values of one law, and nothing else of it. Of 0 and 1 it is the bound of Clopper
    and Pearson: of n values 0 it is most·(1 − (1 − confidence)^(1/n)). That it holds for every law is proved
    for some cases and not for all; none is known where it does not, and simulations found none. It nears
    Student's bound for many values, and is a good deal less wide than those of Hoeffding, Bernstein or by
    betting for few.

    Args:
        values: one a row; NaN is left out.
        most: what no value of the population exceeds.
        confidence: how often such bounds are at least the true mean, 0 to 1.
        clusters: a label a row; then the row added is a cluster as large as the largest seen.

    Raises:
        DataError: a value above ``most``, or none at all.

    Source:
        N. Gaffke, "Three test statistics for a nonparametric one-sided hypothesis on the mean of a
        nonnegative variable", Mathematical Methods of Statistics 14, 2005; E. Learned-Miller, P. S. Thomas,
        "A new confidence interval for the mean of a bounded random variable", arXiv 1905.06208, 2019. The
        chance by the saddlepoint contour of S. O. Rice, "Distribution of quadratic forms in normal random
        variables", SIAM Journal on Scientific and Statistical Computing 1, 1980.

    """
    check_share(confidence=confidence)
    own, labels = known(values, clusters)
    if not len(own):
        raise DataError("a bound of a mean needs a value")
    if not math.isfinite(most):
        raise ChoiceError(f"most={most!r} is not a finite number")
    if (own > most).any():
        raise DataError(f"{np.count_nonzero(own > most)} of the values are above most={most:g}")
    return Rows.of(own, np.ones_like(own), (most, 1.0), labels).bound(confidence)


class Fixed(NamedTuple):
    """How sure a ratio is besides its rows, which more of them do not change, such as for seeds.

    Attributes:
        reach: of a one-sided bound.
        error: the standard error.

    """

    reach: float
    error: float


NOTHING_FIXED = Fixed(0.0, 0.0)


@dataclass(frozen=True)
class Rows:
    """What independent rows add to a ratio Σ above / Σ below, such as a mean, and the worst that one could.

    Attributes:
        above: one a row.
        below: one a row; 1 of a mean.
        worst: what raises the ratio most, above and below; None where that has no end, and the worst of the
            rows that were seen stands for it.
        scale: how many such rows stand behind each.

    """

    above: Floats
    below: Floats
    worst: tuple[float, float] | None
    scale: float = 1.0

    @classmethod
    def of(
        cls, above: Floats, below: Floats, worst: tuple[float, float] | None, clusters: Clusters = None
    ) -> Rows:
        """Those of each row, or of each cluster of rows; the worst cluster is as large as the largest."""
        if clusters is None:
            return cls(above, below, worst)
        totals, sizes = cluster_totals(np.column_stack([above, below]), np.asarray(clusters))
        largest = float(sizes.max())
        many = None if worst is None else (largest * worst[0], largest * worst[1])
        return cls(totals[:, 0], totals[:, 1], many)

    @property
    def ratio(self) -> float:
        """That of the rows seen."""
        return float(self.above.sum() / self.below.sum())

    @cached_property
    def changed(self) -> int:
        """How many rows are not as most are."""
        pairs = np.column_stack([self.above, self.below])
        return len(pairs) - int(np.unique(pairs, axis=0, return_counts=True)[1].max(initial=0))

    @property
    def decide(self) -> bool:
        """Whether there is a bound: not of few rows whose worst is not known."""
        return self.worst is not None or (len(self.above) >= LEAST_UNITS and self.changed >= LEAST_CHANGED)

    def excess(self, ratio: float) -> tuple[Floats, float]:
        """What each row adds to Σ above − ratio · Σ below, and what the worst could."""
        own = self.above - ratio * self.below
        worst = own.max() if self.worst is None else self.worst[0] - ratio * self.worst[1]
        return own, float(worst)

    def chance_above(self, ratio: float) -> float:
        """P(Σ E_i·y_i > 0) of the excesses y of the rows and of the worst."""
        return _chance_above_zero(*self.excess(ratio), self.scale)

    def bound(self, confidence: float) -> float:
        """The least ratio that is exceeded with a chance of at most 1 − confidence; infinite if none is."""
        if not self.decide:
            return math.inf
        return least_root(lambda ratio: self.chance_above(ratio) - (1 - confidence), self.ratio, self._step)

    def detectable(self, confidence: float, power: float, fixed: Fixed = NOTHING_FIXED) -> float:
        """What the true ratio has to be below a limit for the bound to be so with this chance.

        The bound of such rows with a ratio of 0, and z_power standard errors; both with what is fixed.
        """
        from scipy.special import ndtri

        bound = math.hypot(self._centred.bound(confidence), fixed.reach)
        return bound + float(ndtri(power)) * math.hypot(self.error, fixed.error)

    def needed(
        self, distance: float, confidence: float, power: float, fixed: Fixed = NOTHING_FIXED
    ) -> int | None:
        """How many such rows there have to be to detect a distance, to three digits; None where none do."""
        from scipy.special import ndtri

        if not self.decide or not distance > 0:
            return None

        centred = self._centred

        def enough(rows: int) -> bool:
            scaled = replace(centred, scale=rows / len(self.above))
            left = distance - float(ndtri(power)) * math.hypot(scaled.error, fixed.error)
            if left <= fixed.reach:
                return False
            return scaled.chance_above(math.sqrt(left**2 - fixed.reach**2)) <= 1 - confidence

        most = 2
        while not enough(most):
            most *= 2
            if most > 10**9:
                return None
        least = most // 2
        while most - least > max(1, least // 1000):
            middle = (least + most) // 2
            least, most = (least, middle) if enough(middle) else (middle, most)
        return most

    @property
    def error(self) -> float:
        """The standard error of the ratio, linearised; 0 of one row."""
        rows = self.scale * len(self.above)
        if rows <= 1:
            return 0.0
        squares = self.scale * float(np.sum(deviations(self.excess(self.ratio)[0]) ** 2))
        return math.sqrt(squares / (rows - 1) / rows) / abs(float(self.below.mean()))

    @property
    def _centred(self) -> Rows:
        """Such rows with a ratio of 0."""
        return replace(self, above=self.above - self.ratio * self.below)

    @property
    def _step(self) -> float:
        """About how far a bound is from the ratio."""
        _, worst = self.excess(self.ratio)
        return 2 * self.error + abs(worst / float(self.below.mean())) / (self.scale * len(self.above)) + 1e-12


def least_root(lack: Callable[[float], float], start: float, step: float) -> float:
    """The root of what falls from above 0 to below it; infinite if it does not fall so far."""
    from scipy.optimize import brentq

    low = start
    while lack(low) <= 0:
        low -= step
        step *= 2
    high = low + step
    while lack(high) > 0:
        low, step = high, 2 * step
        high += step
        if step > 1e12 * (1 + abs(start)):
            return math.inf
    return float(brentq(lack, low, high, xtol=1e-9 * (high - low), rtol=1e-10))


def _chance_above_zero(own: Floats, worst: float, scale: float) -> float:
    """P(Σ G_i·y_i + E·worst > 0), G_i of the gamma distribution of shape ``scale``, E exponential.

    1/π · ∫₀^∞ Re exp(K(s)) / s dt over s = c + it, K(s) = −scale · Σ log(1 − s·y_i) − log(1 − s·worst), with
    c where exp(K(s)) / s is least on the positive axis, so that the integrand falls at once.
    """
    from scipy.optimize import brentq

    values, counts = _blocks(own)
    y, shape = np.append(values, worst), np.append(scale * counts, 1.0)
    top = float(y.max())
    if top <= 0:
        return 0.0
    if (y >= 0).all():
        return 1.0
    y = y / top
    centre = float(brentq(lambda s: float(shape @ (y / (1 - s * y))) - 1 / s, 1e-15, 1 - 1e-15, xtol=1e-15))
    width = 1 / math.sqrt(float(shape @ (y / (1 - centre * y)) ** 2) + 1 / centre**2)
    # t = width · sinh u, as the integrand of few rows falls slowly.
    heights: list[float] = []
    for u in np.arange(0, 40, STEP):
        s = centre + 1j * width * math.sinh(u)
        exponent = complex(-(shape @ np.log(1 - s * y)) - np.log(s))
        heights.append(np.exp(exponent).real * math.cosh(u))
        if exponent.real + u < NOTHING:
            break
    return float(np.clip((sum(heights) - heights[0] / 2) * STEP * width / math.pi, 0, 1))


def _blocks(values: Floats) -> tuple[Floats, Floats]:
    """Different values and how often each occurs; of very many, the means of those next to each other."""
    ordered, counts = np.unique(values, return_counts=True)
    if len(ordered) <= MOST_BLOCKS:
        return ordered, counts.astype(float)
    starts = np.linspace(0, len(ordered), MOST_BLOCKS, endpoint=False).astype(int)
    sizes = np.add.reduceat(counts.astype(float), starts)
    return np.add.reduceat(ordered * counts, starts) / sizes, sizes
