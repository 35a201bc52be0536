"""Analysis of variance of values by system and query."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.errors import DataError
from rankmark.statistics.chance import never_zero
from rankmark.statistics.resampling import as_columns
from rankmark.statistics.spread import without_rounding

__all__ = ["Anova", "AnovaRow", "two_way_anova"]


class AnovaRow(NamedTuple):
    """One source of variance; NaN where a figure has no meaning.

    Attributes:
        squares: the sum of squares.
        freedom: its degrees of freedom.
        mean_square: squares / freedom.
        f: mean_square over that of the residuals.
        p: the chance of as great an F if the source had no effect; without residuals 1 if the
            source has no squares either, else NaN.
        effect: the partial η²: squares / (squares + those of the residuals).

    """

    squares: float
    freedom: int
    mean_square: float
    f: float
    p: float
    effect: float


class Anova(NamedTuple):
    """A two-way table of variance."""

    system: AnovaRow
    query: AnovaRow
    residual: AnovaRow
    queries: int


def two_way_anova(values: ArrayLike) -> Anova:
    """The two-way analysis of variance without replication: x_ij = μ + query_i + system_j + ε_ij.

    For n queries and k systems SS_system = n·Σ_j (x̄_·j − x̄)², SS_query = k·Σ_i (x̄_i· − x̄)², SS_residual is
    what is left of Σ(x_ij − x̄)²; F has k − 1, or n − 1, and (n − 1)(k − 1) degrees of freedom.

    Args:
        values: [queries, systems]; queries without a value of every system are left out.

    Raises:
        DataError: fewer than two systems, or fewer than two queries with a value of each.

    Source:
        R. A. Fisher, "Statistical Methods for Research Workers", 1925, chapter VII; for retrieval J.
        Tague-Sutcliffe and J. Blustein, "A statistical analysis of the TREC-3 data", 1995.

    """
    table = as_columns(values)
    table = table[~np.isnan(table).any(axis=1)]
    queries, systems = table.shape
    if queries < 2 or systems < 2:
        raise DataError(
            f"an analysis of variance of {systems} systems on {queries} queries: each must be 2 or more"
        )
    centred = table - table.mean()
    of_queries, of_systems = (without_rounding(centred.mean(axis=axis), table) for axis in (1, 0))
    left = without_rounding(centred - of_queries[:, None] - of_systems, table)
    rest, freedom = float(np.sum(left**2)), (queries - 1) * (systems - 1)
    return Anova(
        _row(queries * float(np.sum(of_systems**2)), systems - 1, rest, freedom),
        _row(systems * float(np.sum(of_queries**2)), queries - 1, rest, freedom),
        AnovaRow(rest, freedom, rest / freedom, math.nan, math.nan, math.nan),
        queries,
    )


def _row(squares: float, freedom: int, rest: float, rest_freedom: int) -> AnovaRow:
    from scipy import stats

    mean_square = squares / freedom
    if not rest:
        p = math.nan if squares else 1.0
        return AnovaRow(squares, freedom, mean_square, math.nan, p, math.nan)
    f = mean_square / (rest / rest_freedom)
    p = never_zero(float(stats.f.sf(f, freedom, rest_freedom)))
    return AnovaRow(squares, freedom, mean_square, f, p, squares / (squares + rest))
