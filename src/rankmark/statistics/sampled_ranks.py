"""Ranks among all items, of those that items have among a uniform sample.

Of M others R stand above an item, and r of the n that were drawn without replacement: r is hypergeometric,
P(r | R) = C(R, r)·C(M − R, n − r) / C(M, n). A measure is Σ f(R) over items; estimated is f̂(r), or the
distribution of R. Ranks are in cells, each of its own near the top and at the end and wider between,
where neither f nor P changes much within one.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog, nnls
from scipy.special import gammaln, logsumexp, ndtri

from rankmark.errors import ChoiceError, DataError
from rankmark.statistics.intervals import Interval
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Floats, as_floats, check_share

__all__ = [
    "DISTRIBUTIONS",
    "GAINS",
    "RankDistribution",
    "corrected_gains",
    "rank_distribution",
    "sampled_range",
]

GainMethod: TypeAlias = Literal["bv", "cls"]
DistributionMethod: TypeAlias = Literal["mes", "mle"]
GAINS: tuple[GainMethod, ...] = ("bv", "cls")
DISTRIBUTIONS: tuple[DistributionMethod, ...] = ("mes", "mle")
TOP, GROWTH = 100, 1.05
"""Ranks that have a cell of their own, and how much wider than the last a cell can be."""
STEPS = 300
"""Steps of expectation maximisation: more of them fit the noise."""
NEWTON = 100


class RankDistribution(NamedTuple):
    """How many of an item's M others stand above it.

    Attributes:
        first: the least number of each cell.
        size: how many numbers a cell has.
        share: how likely the number is in it; all numbers of a cell are alike.

    """

    first: NDArray[np.int64]
    size: NDArray[np.int64]
    share: Floats

    def mean(self, gains: ArrayLike) -> float:
        """The mean of f(R), of which `gains` are the values for R from 0 to M."""
        return float(self.share @ _in_cells(as_floats(gains), self.first, self.size))

    def slopes(self, gains: ArrayLike, sampled: int, eta: float) -> Floats:
        """What the mean of f(R) gains by each share of the counts that it was made of by ``mes`` with η."""
        values = _in_cells(as_floats(gains), self.first, self.size)
        chances = _chances(int(self.size.sum()) - 1, sampled, self.first, self.size)
        expected = chances @ self.share
        bend = (chances * self.share) @ chances.T - np.outer(expected, expected)
        bend += eta / 2 * np.eye(sampled + 1)
        covariance = chances @ (self.share * values) - expected * (self.share @ values)
        return np.asarray(np.linalg.solve(bend, covariance))

    def sampled(self, sampled: int) -> Floats:
        """How likely r of `sampled` others that are drawn stand above, for r = 0 … n."""
        others = int(self.size.sum()) - 1
        return np.asarray(_chances(others, sampled, self.first, self.size) @ self.share)


def corrected_gains(
    gains: ArrayLike, sampled: int, *, method: GainMethod = "bv", gamma: float = 0.1
) -> Floats:
    """What an item adds to a measure by its rank in the sample, so that it adds up to that of all items.

    ``bv`` minimises Σ_R [(Σ_r P(r | R)·f̂(r) − f(R))² + γ·Var(f̂ | R)] over all R alike: the bias squared and
    γ times the variance. ``cls`` minimises the bias alone under f̂(0) ≥ f̂(1) ≥ … ≥ 0.

    Args:
        gains: f(R) for R = 0, 1, …, M others above an item; descending for ``cls``.
        sampled: n, how many of the M others are drawn; with n = M it is f itself.
        method: ``bv`` or ``cls``.
        gamma: γ of ``bv``, 0 < γ ≤ 1: less leaves less bias and more variance.

    Returns:
        f̂(r) for r = 0 … n others above it in the sample, in the unit of `gains`.

    Raises:
        ChoiceError: a method or a number that there is not.

    Source:
        W. Krichene and S. Rendle, "On sampled metrics for item recommendation", KDD 2020.

    Example:
        One of two others is drawn, and f is 1 at the top: P(0 | R) is 1, 1/2 and 0.

        >>> from rankmark import statistics
        >>> statistics.corrected_gains([1, 0, 0], 1, method="cls").round(4).tolist()
        [0.8, 0.0]

    """
    check_choice("method", method, GAINS)
    if not 0 < gamma <= 1:
        raise ChoiceError(f"gamma={gamma!r} is not a number above 0 and up to 1")
    values = as_floats(gains)
    others = _others(values, sampled)
    if sampled == others:
        return values
    first, size = _cells(others)
    chances = _chances(others, sampled, first, size)
    wanted, weights = _in_cells(values, first, size), size / (others + 1)
    if method == "bv":
        left = (1 - gamma) * (chances * weights) @ chances.T + gamma * np.diag(chances @ weights)
        return np.asarray(np.linalg.solve(left, chances @ (weights * wanted)))
    root = np.sqrt(weights)
    descending = np.triu(np.ones((sampled + 1, sampled + 1)))
    # The triangle has the same squares as all cells together, and fewer rows.
    whole = np.column_stack([(chances * root).T @ descending, root * wanted])
    triangle = np.asarray(np.linalg.qr(whole, mode="r"))
    steps, _ = nnls(triangle[:, :-1], triangle[:, -1], maxiter=100 * (sampled + 1))
    return np.asarray(descending @ steps)


def rank_distribution(
    counts: ArrayLike, others: int, *, method: DistributionMethod = "mes", eta: float = 1e-3
) -> RankDistribution:
    """The distribution of ranks among all items, of how often which ranks were seen in samples.

    ``mle`` raises Σ_r c_r·log q_r, q_r = Σ_R π_R·P(r | R), by 300 steps of expectation maximisation from
    equal π_R on: the maximum itself would fit the noise. ``mes`` minimises Σ_r (c_r − q_r)² − η·H(π) with the
    entropy H.

    Args:
        counts: c, how many items were below r = 0, 1, …, n of those drawn; weights will do.
        others: M, how many others there are.
        method: ``mes`` or ``mle``.
        eta: η of ``mes``, above 0.

    Raises:
        ChoiceError: a method or a number that there is not.
        DataError: counts that are negative, not finite or all 0, or more drawn than there are.

    Source:
        R. Jin et al., "On estimating recommendation evaluation metrics under sampling", AAAI 2021, after
        D. Li et al., "On sampling top-K recommendation evaluation", KDD 2020.

    Example:
        Of three others one is drawn, and it always stands below: nothing tells ranks apart but that.

        >>> from rankmark import statistics
        >>> found = statistics.rank_distribution([9, 0], 3, method="mle")
        >>> found.share.round(3).tolist()
        [1.0, 0.0, 0.0, 0.0]

    """
    check_choice("method", method, DISTRIBUTIONS)
    if not 0 < eta < math.inf:
        raise ChoiceError(f"eta={eta!r} is not a number above 0")
    shares = _shares(counts, others)
    sampled = len(shares) - 1
    if sampled == others:
        return RankDistribution(np.arange(others + 1), np.ones(others + 1, dtype=np.int64), shares)
    first, size = _cells(others)
    chances = _chances(others, sampled, first, size)
    if method == "mle":
        return RankDistribution(first, size, _likeliest(shares[:, None], chances, size)[:, 0])
    return RankDistribution(first, size, _widest(shares, chances, size, eta))


def sampled_range(
    counts: ArrayLike, gains: ArrayLike, *, confidence: float = 0.95, among: int = 1
) -> Interval:
    """The least and the greatest mean of f(R) of all distributions of ranks that go with the sampled ranks.

    Each share c_r is in Wilson's interval at 1 − (1 − confidence) / ((n + 1)·among), and so all are at once:
    whatever the ranks are, the interval holds the mean with about this confidence or more. It is as wide as
    what a sample does not tell, however many users there are.

    Args:
        counts: how many items were below r = 0, 1, …, n of those drawn.
        gains: f(R) for R = 0 … M.
        confidence: 0 to 1.
        among: how many such intervals are to hold together.

    Raises:
        DataError: counts that are none, or more drawn than there are.

    Source:
        Partial identification by linear programming: C. F. Manski, "Partial Identification of Probability
        Distributions", 2003; Bonferroni's inequality.

    Example:
        >>> from rankmark import statistics
        >>> found = statistics.sampled_range([900, 100], [1, 0, 0, 0, 0])
        >>> round(found.low, 2), round(found.high, 2)
        (0.51, 0.92)

    """
    check_share(confidence=confidence)
    values, seen = as_floats(gains), as_floats(counts)
    others = _others(values, len(seen) - 1)
    shares, total = _shares(seen, others), float(seen.sum())
    first, size = _cells(others)
    chances = _chances(others, len(seen) - 1, first, size)
    z = float(ndtri(1 - (1 - confidence) / (2 * len(seen) * among)))
    middle = (shares + z**2 / (2 * total)) / (1 + z**2 / total)
    half = z / (1 + z**2 / total) * np.sqrt(shares * (1 - shares) / total + z**2 / (4 * total**2))
    wanted = _in_cells(values, first, size)
    ends = []
    for sign in (1, -1):
        found = linprog(
            sign * wanted,
            A_ub=np.vstack([chances, -chances]),
            b_ub=np.concatenate([middle + half, half - middle]),
            A_eq=np.ones((1, len(first))),
            b_eq=[1.0],
        )
        if not found.success:  # no distribution fits, as of ranks that were not sampled uniformly
            return Interval(float(values.min()), float(values.max()))
        ends.append(sign * found.fun)
    return Interval(*ends)


def _others(gains: Floats, sampled: int) -> int:
    """M, by the values of f; refuses a sample that is none of so many."""
    others = len(gains) - 1
    if not isinstance(sampled, int | np.integer) or not 1 <= sampled <= others:
        raise ChoiceError(f"sampled={sampled!r} is not a whole number from 1 to the {others:,} others")
    return others


def _shares(counts: ArrayLike, others: int) -> Floats:
    values = as_floats(counts)
    if not (np.isfinite(values).all() and (values >= 0).all() and values.sum() > 0):
        raise DataError("counts of ranks are 0 or more, finite and not all 0")
    if not 2 <= len(values) <= others + 1:
        raise DataError(f"{len(values) - 1:,} drawn of {others:,} others: 1 to all of them can be")
    return np.asarray(values / values.sum())


def _cells(others: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The least rank and the size of each cell of the ranks from 0 to M, narrow at both ends."""
    count, half = others + 1, others // 2 + 1
    wide = TOP * GROWTH ** np.arange(math.ceil(math.log(max(half / TOP, 1.0)) / math.log(GROWTH)))
    upper = np.unique(np.concatenate([np.arange(min(TOP, half)), wide.astype(np.int64), [half]]))
    upper = upper[upper <= half]
    first = np.unique(np.concatenate([upper, count - upper]))[:-1]
    return first, np.diff(np.append(first, count))


def _in_cells(gains: Floats, first: NDArray[np.int64], size: NDArray[np.int64]) -> Floats:
    """The mean of f in each cell."""
    return np.asarray(np.add.reduceat(gains, first) / size)


def _chances(others: int, sampled: int, first: NDArray[np.int64], size: NDArray[np.int64]) -> Floats:
    """P(r | R) in the middle of each cell, [n + 1, cells]."""
    above, seen = (first + (size - 1) // 2)[None, :].astype(float), np.arange(sampled + 1.0)[:, None]
    below, rest = others - above, sampled - seen
    possible = (seen <= above) & (rest <= below)
    logs = _choose(above, np.minimum(seen, above)) + _choose(below, np.minimum(rest, below))
    return np.where(possible, np.exp(logs - _choose(np.float64(others), np.float64(sampled))), 0.0)


def _choose(count: Floats | np.float64, chosen: Floats | np.float64) -> Floats:
    return np.asarray(gammaln(count + 1) - gammaln(chosen + 1) - gammaln(count - chosen + 1))


def _likeliest(shares: Floats, chances: Floats, size: NDArray[np.int64]) -> Floats:
    """The shares of cells after steps of expectation maximisation, a column of each of `shares`."""
    found = np.repeat((size / size.sum())[:, None], shares.shape[1], axis=1)
    for _ in range(STEPS):
        expected = chances @ found
        found *= chances.T @ np.divide(shares, expected, out=np.zeros_like(shares), where=expected > 0)
    return np.asarray(found)


def _widest(shares: Floats, chances: Floats, size: NDArray[np.int64], eta: float) -> Floats:
    """The shares of cells of the greatest entropy, by Newton's method on the dual problem.

    π is in proportion to size·exp(Pᵀλ), where λ minimises log Σ size·exp(Pᵀλ) − cᵀλ + η/4·‖λ‖².
    """
    logs = np.log(size)

    def dual(dials: Floats) -> float:
        return float(logsumexp(logs + dials @ chances) - shares @ dials + eta / 4 * dials @ dials)

    dials = np.zeros(len(shares))
    value = dual(dials)
    found: Floats = size / size.sum()
    for _ in range(NEWTON):
        exponents = logs + dials @ chances
        found = np.exp(exponents - logsumexp(exponents))
        expected = chances @ found
        slope = expected - shares + eta / 2 * dials
        if np.abs(slope).max() < 1e-10:
            break
        bend = (chances * found) @ chances.T - np.outer(expected, expected) + eta / 2 * np.eye(len(dials))
        step, length = np.linalg.solve(bend, slope), 1.0
        while (new := dual(dials - length * step)) > value - 1e-4 * length * slope @ step and length > 1e-8:
            length /= 2
        dials, value = dials - length * step, new
    return np.asarray(found)
