"""Several systems on several blocks (queries or data sets), by their ranks in each."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.errors import ChoiceError, DataError
from rankmark.statistics.chance import LEAST_P, never_zero
from rankmark.statistics.resampling import Floats, as_columns, check_share

__all__ = ["Friedman", "critical_difference", "friedman_test", "mean_ranks", "nemenyi_test"]


class Friedman(NamedTuple):
    """Whether any system ranks otherwise than the others.

    Attributes:
        statistic: χ²_F.
        freedom: k − 1.
        p: the chance of as great a statistic if all ranks were by chance, by the χ² distribution.
        f: Iman and Davenport's F_F, which is less conservative.
        f_freedom: its degrees of freedom, k − 1 and (k − 1)(n − 1).
        f_p: its p-value.
        mean_ranks: of each system, 1 for the best in every block.
        blocks: n, those with a value of every system.

    """

    statistic: float
    freedom: int
    p: float
    f: float
    f_freedom: tuple[int, int]
    f_p: float
    mean_ranks: tuple[float, ...]
    blocks: int


def friedman_test(values: ArrayLike) -> Friedman:
    """Friedman's test of k systems on n blocks, by the mean ranks R_j of the systems.

        χ²_F = n(k − 1) Σ_j (R_j − (k + 1)/2)² / s²,   s² = Σ_ij (r_ij − (k + 1)/2)² / n

        F_F = (n − 1) χ²_F / (n(k − 1) − χ²_F)

    Equal values share their mean rank, for which s² corrects; without ties s² = k(k² − 1)/12. Where all
    values of each block are equal χ²_F is 0.

    Args:
        values: [blocks, systems], of which more is better; blocks without a value of every system are left
            out.

    Raises:
        DataError: fewer than two systems or blocks.

    Source:
        M. Friedman, "The use of ranks to avoid the assumption of normality implicit in the analysis of
        variance", JASA 32, 1937; R. L. Iman and J. M. Davenport, 1980; both as in J. Demšar, "Statistical
        comparisons of classifiers over multiple data sets", JMLR 7, 2006.

    """
    from scipy import stats

    ranks = _ranks(values)
    blocks, systems = ranks.shape
    centred = ranks - (systems + 1) / 2
    spread = float(np.sum(centred**2)) / blocks
    between = float(np.sum(centred.mean(axis=0) ** 2))
    statistic = blocks * (systems - 1) * between / spread if spread else 0.0
    freedom = systems - 1, (systems - 1) * (blocks - 1)
    left = blocks * (systems - 1) - statistic
    f = (blocks - 1) * statistic / left if left > 1e-9 * blocks else math.inf
    return Friedman(
        statistic,
        systems - 1,
        never_zero(float(stats.chi2.sf(statistic, systems - 1))),
        f,
        freedom,
        never_zero(float(stats.f.sf(f, *freedom))),
        tuple(ranks.mean(axis=0).tolist()),
        blocks,
    )


def nemenyi_test(values: ArrayLike) -> Floats:
    """Nemenyi's test of all pairs of systems by their mean ranks, to be corrected no further.

        p_ij = P(Q ≥ √2 · |R_i − R_j| / √(k(k + 1) / 6n))

    with Q the studentised range of k normal variables with infinitely many degrees of freedom.

    Args:
        values: as for `friedman_test`.

    Returns:
        float64 [systems, systems], symmetric; the diagonal is 1.

    Source:
        P. B. Nemenyi, "Distribution-free Multiple Comparisons", 1963; as in Demšar 2006 (see there).

    """
    from scipy import stats

    ranks = _ranks(values)
    blocks, systems = ranks.shape
    mean = ranks.mean(axis=0)
    error = math.sqrt(systems * (systems + 1) / (6 * blocks))
    distances = np.abs(mean[:, None] - mean) * math.sqrt(2) / error
    p = stats.studentized_range.sf(distances, systems, np.inf)
    np.fill_diagonal(p, 1.0)
    return np.asarray(np.maximum(p, LEAST_P))


def critical_difference(systems: int, blocks: int, *, alpha: float = 0.05) -> float:
    """The least difference of mean ranks that Nemenyi's test finds: q_α √(k(k + 1) / 6n).

    q_α is the quantile 1 − α of the studentised range of k normal variables, over √2.

    Args:
        systems: k, at least 2.
        blocks: n, at least 1.
        alpha: the level.

    Source:
        Demšar 2006 (see `friedman_test`), which has q_.05 = 2.569 for four systems.

    """
    from scipy import stats

    check_share(alpha=alpha)
    if systems < 2 or blocks < 1:
        raise ChoiceError(f"{systems} systems on {blocks} blocks: give two systems and a block, or more")
    quantile = float(stats.studentized_range.isf(alpha, systems, np.inf)) / math.sqrt(2)
    return quantile * math.sqrt(systems * (systems + 1) / (6 * blocks))


def mean_ranks(values: ArrayLike, weights: Floats | None = None) -> Floats:
    """The mean rank of each system over the blocks, 1 for the best in all; see `friedman_test`.

    With weights, of which there is one a block, Σ w·r / Σ w.
    """
    return np.asarray(np.average(_ranks(values), axis=0, weights=weights))


def _ranks(values: ArrayLike) -> Floats:
    """The rank of each system in each block, 1 for the greatest value."""
    from scipy import stats

    table = as_columns(values)
    table = table[~np.isnan(table).any(axis=1)]
    if min(table.shape) < 2:
        raise DataError(
            f"ranks of {table.shape[1]} systems in {table.shape[0]} blocks: each must be 2 or more"
        )
    return np.asarray(stats.rankdata(-table, axis=1))
