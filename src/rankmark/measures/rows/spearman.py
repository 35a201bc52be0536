"""Spearman."""

from __future__ import annotations

import math

from rankmark import _numpy as np
from rankmark.kinds.rankings import Rankings, clipped, mid_ranks, quotient
from rankmark.kinds.regression import (
    Average,
    check_both_vary,
    check_unweighted,
    is_of_queries,
    mean_of_rankings,
)
from rankmark.kinds.rows import PerQuery, Rows, Values
from rankmark.language.registry import row_measure


@row_measure(
    "Spearman",
    aliases=("spearmanr", "spearman_correlation", "rank_correlation", "SRCC"),
    bounds=(-1, 1),
    labels="numbers",
    per_query=is_of_queries,
)
def spearman(rows: Rows, *, average: Average = "micro") -> float | PerQuery:
    """Spearman's rank correlation ρ of labels and scores: Pearson's correlation of their ranks.

        Spearman = Σ (a − ā) · (b − b̄) / √(Σ (a − ā)² · Σ (b − b̄)²)

    a is the rank of the label among all labels, b that of the score among all scores; equal ones have the
    mean of their ranks.

    Args:
        average: ``micro`` is of all rows; ``macro`` is the mean of the values of the queries, and
            ``weighted`` counts each query as much as its rows weigh. Queries without a value are left out
            and counted.

    Range: −1 to 1; 0 is what chance gives.
    Every label, or every score, the same, or rows with weights: undefined.

    Source: [spearman1904].

    Example:
        Ranks 1, 2, 3 and 1, 3, 2: deviations −1, 0, 1 and −1, 1, 0.

        >>> import rankmark as rm
        >>> table = {"rating": [1, 2, 3], "pred": [0.1, 0.9, 0.4]}
        >>> rm.evaluate_predictions(table, ["Spearman"])["Spearman"]
        0.5

    """
    if average != "micro":
        return mean_of_rankings(rows, average, _rho)
    check_unweighted(rows)
    label, score, both = rows.correlation.ranks
    check_both_vary(label > 0, score > 0)
    return both / math.sqrt(label * score)


def _rho(ranks: Rankings) -> Values:
    """That of each query."""
    middle = np.repeat((ranks.n + 1) / 2, np.diff(ranks.offsets))
    x, y = mid_ranks(ranks, ranks.x) - middle, mid_ranks(ranks, ranks.y) - middle
    return clipped(quotient(ranks.sum(x * y), np.sqrt(ranks.sum(x**2)) * np.sqrt(ranks.sum(y**2))))
