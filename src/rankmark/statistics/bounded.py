"""Upper bounds of means and ratios of which the worst that a row can add is known, right for few rows, too.

A bootstrap or Student's t knows of nothing that has not been seen: of fifty queries that did not change they
say that none can. Here one more row is counted, as bad as a row can be.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError
from rankmark.statistics.resampling import Clusters, Floats, check_share, cluster_totals, known
from rankmark.statistics.spread import deviations

if TYPE_CHECKING:
    from rankmark.statistics.seeds import NewSeeds

__all__ = ["LEAST_CHANGED", "LEAST_UNITS", "Rows", "gaffke_bound", "least_root"]

LEAST_UNITS, LEAST_CHANGED = 25, 10
"""Where the worst is not known but only seen: the fewest rows, and of them that differ from the usual one."""
MOST_BLOCKS, KEPT = 2_000, 250
"""More rows are brought together with those next to them in order, which are nearly equal; so many of the
greatest and of the least are not."""
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


class _Blocks(NamedTuple):
    """Rows brought together: the mean of each above and below, and how many there are of it."""

    above: Floats
    below: Floats
    counts: Floats


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
        """How many rows do not differ from the ratio as most do."""
        above, below, counts = self._distinct
        own = above - self.ratio * below
        greatest = float(np.abs(own).max(initial=0.0)) or 1.0
        # To the digits that what rows add by derivatives has.
        _, place = np.unique(np.round(own / greatest, 8), return_inverse=True)
        return len(self.above) - int(np.bincount(place, counts).max(initial=0))

    @property
    def decide(self) -> bool:
        """Whether there is a bound: not of few rows whose worst is not known, nor where one has no value."""
        if np.isnan(self.above).any():
            return False
        return self.worst is not None or (len(self.above) >= LEAST_UNITS and self.changed >= LEAST_CHANGED)

    def excess(self, ratio: float) -> tuple[Floats, float]:
        """What each row adds to Σ above − ratio · Σ below, and what the worst could."""
        own = self.above - ratio * self.below
        worst = own.max() if self.worst is None else self.worst[0] - ratio * self.worst[1]
        return own, float(worst)

    def chance_above(self, ratio: float) -> float:
        """P(Σ E_i·y_i > 0) of the excesses y of the rows and of the worst."""
        return self._chance(self._blocks(ratio), ratio, self.scale)

    def bound(self, confidence: float) -> float:
        """The least ratio that is exceeded with a chance of at most 1 − confidence; infinite if none is."""
        if not self.decide:
            return math.inf
        found = self._bound(self.ratio, self._step, confidence)
        # Blocks are of rows that are nearly equal at one ratio, and so are made again at the bound.
        return self._bound(found, self._step / 100, confidence) if self._vary and found < math.inf else found

    def _bound(self, start: float, step: float, confidence: float) -> float:
        blocks = self._blocks(start)
        return least_root(
            lambda ratio: self._chance(blocks, ratio, self.scale) - (1 - confidence), start, step
        )

    def detectable(self, confidence: float, power: float, seeds: NewSeeds | None = None) -> float:
        """What the true ratio has to be below a limit for the bound to be so with this chance.

        The bound of such rows with a ratio of 0, and z_power standard errors; with seeds, which more rows do
        not change, the quantile of both over what these could add.
        """
        from scipy.special import ndtri

        bound = self._centred.bound(confidence)
        if seeds is None:
            return bound + float(ndtri(power)) * self.error
        return float(np.quantile(np.hypot(bound, seeds.reach) + _off(seeds, self.error), power))

    def needed(
        self, distance: float, confidence: float, power: float, seeds: NewSeeds | None = None
    ) -> int | None:
        """How many such rows there have to be to detect a distance, to three digits; None where none do."""
        from scipy.special import ndtri

        if not self.decide or not distance > 0:
            return None

        centred, z = self._centred, float(ndtri(power))
        # At about the ratio that decides, were it normal.
        blocks = centred._blocks(distance / (1 + z / float(ndtri(confidence))))

        def enough(rows: int) -> bool:
            scale = rows / len(self.above)
            error = centred._error(scale)
            most = distance - z * error if seeds is None else _left(distance, error, seeds, power)
            return most > 0 and centred._chance(blocks, most, scale) <= 1 - confidence

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
        return self._error(self.scale)

    def _error(self, scale: float) -> float:
        rows = scale * len(self.above)
        return math.sqrt(scale * self._squares / (rows - 1) / rows) if rows > 1 else 0.0

    @cached_property
    def _squares(self) -> float:
        """The sum of the squares of what moves the ratio."""
        squares = float(np.sum(deviations(self.excess(self.ratio)[0]) ** 2))
        return squares / float(self.below.mean()) ** 2

    @cached_property
    def _centred(self) -> Rows:
        """Such rows with a ratio of 0."""
        return replace(self, above=self.above - self.ratio * self.below)

    @cached_property
    def _distinct(self) -> _Blocks:
        """The rows that there are, and how many of each."""
        if len(self.below) and not np.ptp(self.below):
            kinds, counts = np.unique(self.above, return_counts=True)
            return _Blocks(kinds, np.full(len(kinds), self.below[0]), counts.astype(float))
        pairs = np.empty(len(self.above), complex)
        pairs.real, pairs.imag = self.above, self.below
        kinds, counts = np.unique(pairs, return_counts=True)
        return _Blocks(kinds.real, kinds.imag, counts.astype(float))

    @property
    def _vary(self) -> bool:
        """Whether there are too many rows, whose order by excess is another at another ratio."""
        return len(self._distinct.counts) > MOST_BLOCKS and bool(np.ptp(self.below))

    def _blocks(self, ratio: float) -> _Blocks:
        """The distinct rows; of very many, the means of those with nearly equal excesses at this ratio.

        The greatest and the least, which matter most, stay as they are.
        """
        above, below, counts = self._distinct
        if len(counts) <= MOST_BLOCKS:
            return self._distinct
        order = np.argsort(above - ratio * below)
        ends = np.arange(KEPT)
        middle = np.linspace(KEPT, len(order) - KEPT, MOST_BLOCKS - 2 * KEPT, endpoint=False).astype(int)
        starts = np.unique(np.concatenate([ends, middle, len(order) - KEPT + ends]))
        counts = counts[order]
        sizes = np.add.reduceat(counts, starts)
        above, below = (np.add.reduceat(counts * own[order], starts) / sizes for own in (above, below))
        return _Blocks(above, below, sizes)

    def _chance(self, blocks: _Blocks, ratio: float, scale: float) -> float:
        """P(Σ E_i·y_i > 0) of the rows in blocks."""
        own = blocks.above - ratio * blocks.below
        if self.worst is not None:
            worst = self.worst[0] - ratio * self.worst[1]
        else:
            worst = float((self._distinct.above - ratio * self._distinct.below).max())
        return _chance_above_zero(own, scale * blocks.counts, worst)

    @property
    def _step(self) -> float:
        """About how far a bound is from the ratio."""
        _, worst = self.excess(self.ratio)
        return 2 * self.error + abs(worst / float(self.below.mean())) / (self.scale * len(self.above)) + 1e-12


def _off(seeds: NewSeeds, error: float) -> Floats:
    """By how much a ratio with this error is too great, in draws of what seeds could add."""
    from scipy.special import ndtri

    draws = len(seeds.error)
    normal = ndtri((np.random.default_rng(1).permutation(draws) + 0.5) / draws)
    return np.asarray(np.hypot(error, seeds.error) * normal)


def _left(distance: float, error: float, seeds: NewSeeds, power: float) -> float:
    """The greatest bound of the rows that is, widened by seeds, within a distance with this chance."""
    room = distance - _off(seeds, error)
    squared = np.where(room > seeds.reach, room**2 - seeds.reach**2, 0.0)
    return float(np.sqrt(np.quantile(squared, 1 - power)))


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


def _chance_above_zero(own: Floats, shapes: Floats, worst: float) -> float:
    """P(Σ G_i·y_i + E·worst > 0), G_i of gamma distributions of these shapes, E exponential.

    1/π · ∫₀^∞ Re exp(K(s)) / s dt over s = c + it, K(s) = −Σ k_i·log(1 − s·y_i) − log(1 − s·worst), with k_i
    the shapes and c where exp(K(s)) / s is least on the positive axis, so that the integrand falls at once.
    """
    from scipy.optimize import brentq

    y, shape = np.append(own, worst), np.append(shapes, 1.0)
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
