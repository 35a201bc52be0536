"""Strengths of systems of which pairs were compared: Bradley and Terry's model, with ties and side bias."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, UsageError
from rankmark.rendering.records import Record
from rankmark.statistics.intervals import Interval
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import check_share

if TYPE_CHECKING:
    from rankmark.statistics.resampling import Floats

__all__ = ["PENALTIES", "TIES", "BradleyTerry", "Penalty", "TieModel", "bradley_terry", "infinite_strengths"]

TieModel: TypeAlias = Literal["half", "davidson"]
Penalty: TypeAlias = Literal["none", "firth"]
TIES: dict[TieModel, str] = {"half": "a tie is half a win of each", "davidson": "Davidson's model of ties"}
"""What ties are."""
PENALTIES: dict[Penalty, str] = {"none": "maximum likelihood", "firth": "Firth's penalty"}
"""What keeps strengths finite."""
STEPS, STILL = 100, 1e-10
FLAT = 1e-10
"""Of the greatest, a curvature of the likelihood that is none: it still rises far away."""
OUTCOMES = np.array([0.5, 0.0, -0.5])
"""What the difference of strengths counts for in a win of the first, a tie and a win of the second."""


@dataclass(frozen=True, slots=True, repr=False)
class BradleyTerry(Record):
    """Strengths, their covariance, and what else was estimated.

    Attributes:
        strengths: one a system, in logits; their mean is 0.
        side: by how many logits standing first is worth more than standing second; 0 unless estimated.
        tie: the logarithm of Davidson's ν, which is how likely ties are; −∞ of half wins.
        covariance: of the strengths, the side and the tie, in this order.
        log_likelihood: at these values, without the penalty.
        ties: what ties are.
        sided: whether the side was estimated.
        penalty: what kept strengths finite.

    """

    strengths: Floats
    side: float
    tie: float
    covariance: Floats
    log_likelihood: float
    ties: TieModel
    sided: bool
    penalty: Penalty

    def probabilities(self) -> Floats:
        """The chance that the system of a row is preferred to that of a column, without sides; NaN in itself.

        With Davidson's ties those of (i, j) and (j, i) leave the chance of a tie.
        """
        half = (self.strengths[:, None] - self.strengths) / 2
        weight = np.exp(half)
        found: Floats = weight / (weight + 1 / weight + np.exp(self.tie))
        np.fill_diagonal(found, np.nan)
        return found


def bradley_terry(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    *,
    ties: TieModel = "half",
    side: bool = False,
    penalty: Penalty = "none",
    clusters: ArrayLike | None = None,
) -> BradleyTerry:
    """Strengths of systems by comparisons of two each: P(i is preferred to j) = 1 / (1 + exp(θⱼ − θᵢ − γ)).

    γ is 0 unless `side` is estimated: what standing first is worth. With Davidson's ties P(i), P(tie) and
    P(j) are as exp(η/2), ν and exp(−η/2), where η = θᵢ + γ − θⱼ. The likelihood is greatest at the strengths,
    whose mean is 0. Their covariance is the inverse of the information; with clusters that of the sums of
    scores of clusters between two such inverses, times G / (G − 1).

    Args:
        first: the number of the system that stood first, from 0.
        second: that of the other.
        outcome: 1 where the first was preferred, 0 the second, 0.5 neither.
        ties: ``half`` counts a tie as half a win of each, ``davidson`` models it.
        side: whether standing first is worth something that is estimated.
        penalty: ``firth`` adds half the logarithm of the determinant of the information, which keeps
            strengths finite where a system only won, and takes the bias of order 1/n away; of half wins only.
        clusters: what comparisons belong to that are not independent, such as queries.

    Raises:
        DataError: no finite strengths have the greatest likelihood, or some were never compared.
        UsageError: Firth's penalty with Davidson's ties.

    Source:
        R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs: I", Biometrika 39, 1952.
        R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison
        experiments", JASA 65, 1970. D. Firth, "Bias reduction of maximum likelihood estimates", Biometrika
        80, 1993.

    Example:
        >>> from rankmark.statistics import bradley_terry
        >>> found = bradley_terry([0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 0])  # 3 of 4: log 3
        >>> [round(float(strength), 4) for strength in found.strengths]
        [0.5493, -0.5493]
        >>> round(float(found.probabilities()[0, 1]), 4)
        0.75

    """
    check_choice("ties", ties, TIES)
    check_choice("penalty", penalty, PENALTIES)
    if ties == "davidson" and penalty == "firth":
        raise UsageError("penalty='firth' is of ties='half'; Davidson's ties have none here")
    counted = Compared.of(first, second, outcome, ties=ties, side=side, penalty=penalty)
    counted.refuse_separate()
    fitted = counted.fitted()
    covariance = counted.covariance(fitted)
    if clusters is not None:
        covariance = counted.sandwich(
            fitted, covariance, np.unique(np.asarray(clusters), return_inverse=True)[1]
        )
    return counted.shown(fitted, covariance)


def infinite_strengths(
    first: ArrayLike, second: ArrayLike, outcome: ArrayLike
) -> tuple[list[list[int]], list[list[int]]]:
    """The groups of systems that were never compared with each other, and those that are beyond the others.

    Of several groups no strengths can be compared. Where one is split into others of which one never lost to
    those below it, the strengths between them are infinite (Ford, 1957): they come best first.

    Returns:
        The numbers of systems that belong together by comparisons, and by chains of wins (or ties) there and
        back.

    Source:
        L. R. Ford, "Solution of a ranking problem from binary comparisons", American Mathematical Monthly 64,
        1957.

    Example:
        >>> from rankmark.statistics import infinite_strengths
        >>> infinite_strengths([0, 1, 1], [1, 2, 2], [1, 1, 0])  # 0 never lost
        ([[0, 1, 2]], [[0], [1, 2]])

    """
    one, other, won = (np.asarray(each) for each in (first, second, outcome))
    count = int(max(one.max(), other.max())) + 1
    beats = np.eye(count, dtype=bool)
    beats[one[won > 0], other[won > 0]] = True
    beats[other[won < 1], one[won < 1]] = True
    reached, known = _reached(beats), _reached(beats | beats.T)
    both = reached & reached.T
    strong = sorted(_groups(both), key=lambda group: -int(reached[group[0]].sum()))
    return _groups(known), strong


def _reached(steps: NDArray[np.bool_]) -> NDArray[np.bool_]:
    while True:
        more = steps | ((steps.astype(np.float32) @ steps.astype(np.float32)) > 0)
        if (more == steps).all():
            return steps
        steps = more


def _groups(together: NDArray[np.bool_]) -> list[list[int]]:
    return [np.flatnonzero(row).tolist() for at, row in enumerate(together) if row.argmax() == at]


@dataclass(frozen=True, eq=False)
class Compared:
    """Comparisons, counted by who stood where.

    Attributes:
        first: the systems that stood first, a number a cell.
        second: those that stood second.
        counts: for each cell wins of the first, ties, and wins of the second; of half wins no ties.
        cell: for each comparison its cell.
        outcome: for each comparison 1, 0.5 or 0.
        systems: how many there are.
        ties: what ties are.
        side: whether standing first is estimated.
        penalty: what keeps strengths finite.

    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    counts: Floats
    cell: NDArray[np.int64]
    outcome: Floats
    systems: int
    ties: TieModel
    side: bool
    penalty: Penalty

    @classmethod
    def of(
        cls,
        first: ArrayLike,
        second: ArrayLike,
        outcome: ArrayLike,
        *,
        ties: TieModel,
        side: bool,
        penalty: Penalty,
    ) -> Compared:
        """Counts comparisons.

        Raises:
            DataError: none, other outcomes than 1, 0.5 and 0, or a system beside itself.

        """
        one, other = (np.asarray(each, dtype=np.int64) for each in (first, second))
        won = np.asarray(outcome, dtype=np.float64)
        if not len(one) or not len(one) == len(other) == len(won):
            raise DataError(
                f"{len(one)} first, {len(other)} second and {len(won)} outcomes are no comparisons"
            )
        if not np.isin(won, (0.0, 0.5, 1.0)).all():
            raise DataError("outcomes are 1 (the first), 0 (the second) and 0.5 (neither)")
        if (one == other).any():
            raise DataError(f"comparison {int((one == other).argmax())} is of a system with itself")
        systems = int(max(one.max(), other.max())) + 1
        cells, cell = np.unique(one * systems + other, return_inverse=True)
        made = cls(cells // systems, cells % systems, np.empty(0), cell, won, systems, ties, side, penalty)
        return made.weighted(np.ones(len(won)))

    def weighted(self, weights: Floats) -> Compared:
        """The same comparisons, each counted as often as its weight says."""
        ties = self.ties == "davidson"
        shares = np.stack(
            [self.outcome == 1, self.outcome == 0.5, self.outcome == 0] if ties else
            [self.outcome, np.zeros(len(self.outcome)), 1 - self.outcome]
        )  # fmt: skip
        size = len(self.first)
        counts = [np.bincount(self.cell, weights * share, minlength=size) for share in shares]
        return replace(self, counts=np.stack(counts, axis=1).astype(np.float64))

    def refuse_separate(self) -> None:
        """Refuses comparisons of which the likelihood is greatest at no finite strengths.

        Raises:
            DataError: there are groups that were never compared, or one is beyond the others.

        """
        wins = np.stack(
            [self.counts[:, 0] + self.counts[:, 1] / 2, self.counts[:, 2] + self.counts[:, 1] / 2]
        )
        shares = [wins[0] > 0, wins[1] > 0]
        one = np.concatenate([self.first[shares[0]], self.second[shares[1]]])
        other = np.concatenate([self.second[shares[0]], self.first[shares[1]]])
        known, strong = infinite_strengths(one, other, np.ones(len(one)))
        if len(known) > 1:
            raise DataError(f"there are {len(known)} groups of systems that were never compared: {known}")
        if len(strong) > 1 and self.penalty == "none":
            raise DataError(
                f"systems {strong[0]} never lost to the others: their strengths are infinite; "
                "penalty='firth' keeps them finite"
            )

    @property
    def parameters(self) -> int:
        """Strengths, side, and tie."""
        return self.systems + 2

    @property
    def design(self) -> Floats:
        """For each cell what the parameters count for in η."""
        found = np.zeros((len(self.first), self.parameters))
        rows = np.arange(len(self.first))
        found[rows, self.first], found[rows, self.second] = 1, -1
        found[:, -2] = self.side
        return found

    @property
    def basis(self) -> Floats:
        """The directions that are free: strengths whose sum is 0, and what else is estimated."""
        free = np.eye(self.parameters)[:, : self.systems - 1]
        free[self.systems - 1, :] = -1
        others = [
            *([self.systems] if self.side else []),
            *([self.systems + 1] if self.ties == "davidson" else []),
        ]
        return np.hstack([free, np.eye(self.parameters)[:, others]])

    def fitted(self, start: Floats | None = None, basis: Floats | None = None) -> Floats:
        """The parameters of the greatest likelihood, from `start` in the directions of `basis`.

        Raises:
            DataError: it has no greatest value that is finite.

        """
        found = np.zeros(self.parameters) if start is None else start.copy()
        free = self.basis if basis is None else basis
        best = self.likelihood(found)
        for _ in range(STEPS):
            counted = self._penalized(found)
            slope, information = counted._slope(found), counted.information(found)
            way, _, rank, _ = np.linalg.lstsq(free.T @ information @ free, free.T @ slope, rcond=FLAT)
            if rank < free.shape[1]:
                break
            step = free @ way
            for _ in range(30):
                reached = self.likelihood(found + step)
                if reached >= best - 1e-12 * max(abs(best), 1):
                    break
                step = step / 2
            found, best = found + step, reached
            if np.abs(step).max(initial=0) < STILL:
                return found
            if np.abs(found).max() > 50:
                break
        raise DataError(
            "the likelihood has no greatest value at finite strengths; penalty='firth' keeps them finite, or "
            "leave the side out"
        )

    def likelihood(self, at: Floats) -> float:
        """The logarithm of the likelihood, with the penalty."""
        logs = self._logs(at)
        value = float((self.counts * np.where(self.counts > 0, logs, 0)).sum())
        if self.penalty == "firth":
            free = self.basis
            value += 0.5 * float(np.linalg.slogdet(free.T @ self.information(at) @ free)[1])
        return value

    def _logs(self, at: Floats) -> Floats:
        """For each cell the logarithms of the chances of the outcomes."""
        logits = (self.design @ at)[:, None] * OUTCOMES
        logits[:, 1] = at[-1] if self.ties == "davidson" else -np.inf
        found: Floats = logits - np.logaddexp.reduce(logits, axis=1)[:, None]
        return found

    def _moments(self, at: Floats) -> tuple[Floats, Floats]:
        """For each cell the chances, and the design of η and of ties."""
        return np.exp(self._logs(at)), self.design

    def _penalized(self, at: Floats) -> Compared:
        """The same with what the penalty adds to the counts: half of a cell's leverage to either side."""
        if self.penalty == "none":
            return self
        return replace(self, counts=self.counts + np.outer(self._leverage(at) / 2, [1, 0, 1]))

    def _slope(self, at: Floats) -> Floats:
        chances, design = self._moments(at)
        lacks = self.counts - self.counts.sum(axis=1)[:, None] * chances
        found: Floats = design.T @ (lacks @ OUTCOMES)
        found[-1] += lacks[:, 1].sum()
        return found

    def _leverage(self, at: Floats) -> Floats:
        """For each cell how much it decides of its own chances."""
        chances, design = self._moments(at)
        own = self.counts.sum(axis=1) * chances[:, 0] * chances[:, 2]
        found: Floats = own * np.einsum("ci,ij,cj->c", design, self.covariance(at), design)
        return found

    def information(self, at: Floats) -> Floats:
        """The expected information of all parameters."""
        chances, design = self._moments(at)
        counts = self.counts.sum(axis=1)
        mean = chances @ OUTCOMES
        spread = counts * (chances @ OUTCOMES**2 - mean**2)
        found: Floats = design.T @ (design * spread[:, None])
        of_ties = design.T @ (counts * -mean * chances[:, 1])
        found[-1, :] += of_ties
        found[:, -1] += of_ties
        found[-1, -1] += (counts * chances[:, 1] * (1 - chances[:, 1])).sum()
        return found

    def covariance(self, at: Floats) -> Floats:
        """The inverse of the information in the directions that are free."""
        free = self.basis
        found: Floats = free @ np.linalg.pinv(free.T @ self.information(at) @ free) @ free.T
        return found

    def sandwich(self, at: Floats, bread: Floats, clusters: NDArray[Any]) -> Floats:
        """The covariance if comparisons of one cluster belong together.

        Raises:
            DataError: there is one cluster.

        """
        several = int(clusters.max()) + 1
        if several < 2:
            raise DataError("there is one cluster only, by which nothing can be said of others")
        chances, design = self._moments(at)
        tied = (self.outcome == 0.5) & (self.ties == "davidson")
        scores = design[self.cell] * (self.outcome - 0.5 - (chances @ OUTCOMES)[self.cell])[:, None]
        scores[:, -1] += (tied - chances[self.cell, 1]) * (self.ties == "davidson")
        sums = np.zeros((several, self.parameters))
        np.add.at(sums, clusters, scores)
        found: Floats = bread @ (sums.T @ sums) @ bread * several / (several - 1)
        return found

    def shown(self, at: Floats, covariance: Floats) -> BradleyTerry:
        """The estimates as users see them."""
        plain = replace(self, penalty="none")
        tie = float(at[-1]) if self.ties == "davidson" else -np.inf
        return BradleyTerry(
            at[: self.systems], float(at[-2]), tie, covariance, plain.likelihood(at), self.ties, self.side,
            self.penalty,
        )  # fmt: skip

    def profile(self, at: Floats, contrast: Floats, confidence: float) -> Interval:
        """The values of a contrast of strengths of which the likelihood is not too much below the greatest.

        Args:
            at: the parameters of the greatest likelihood.
            contrast: what each parameter counts for; the sum is 0.
            confidence: how often the interval is to hold the value.

        """
        from scipy.stats import chi2

        check_share(confidence=confidence)
        allowed = float(chi2.ppf(confidence, 1)) / 2
        free, best, value = self.basis, self.likelihood(at), float(contrast @ at)
        along = free @ np.linalg.pinv(free) @ contrast
        along = along / float(contrast @ along)
        inside = free @ _kernel(contrast @ free)
        width = float(np.sqrt(contrast @ self.covariance(at) @ contrast * 2 * allowed))

        def left(to: float) -> float:
            fixed = self.fitted(at + (to - value) * along, inside)
            return self.likelihood(fixed) - best + allowed

        return Interval(*(_root(left, value, sign * width) for sign in (-1, 1)))


def _kernel(row: Floats) -> Floats:
    """The directions in which a linear form stays."""
    from scipy.linalg import null_space

    found: Floats = null_space(row[None, :])
    return found


def _root(left: Callable[[float], float], start: float, step: float) -> float:
    """Where a function that is above 0 at `start` gets 0, beyond it in the direction of `step`."""
    from scipy.optimize import brentq

    inner, outer = start, start + step
    for _ in range(30):
        if left(outer) < 0:
            return float(brentq(left, inner, outer, xtol=1e-8))
        inner, outer = outer, outer + step
    return float(np.copysign(np.inf, step))
