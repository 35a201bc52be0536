"""Pearson."""

from __future__ import annotations

import math

from rankmark import _numpy as np
from rankmark.kinds.rankings import clipped, quotient
from rankmark.kinds.regression import Average, check_both_vary, is_of_queries, mean_of, query_spreads
from rankmark.kinds.rows import PerQuery, Rows
from rankmark.language.registry import row_measure


@row_measure(
    "Pearson",
    aliases=("pearsonr", "pearson_correlation", "PCC"),
    bounds=(-1, 1),
    labels="numbers",
    per_query=is_of_queries,
)
def pearson(rows: Rows, *, average: Average = "micro") -> float | PerQuery:
    """Pearson's correlation of labels and scores: how near they lie to a straight line.

        Pearson = Σ w · (y − ȳ) · (s − s̄) / √(Σ w · (y − ȳ)² · Σ w · (s − s̄)²)

    y is the label and s the score; ȳ and s̄ are weighted means.

    Args:
        average: ``micro`` is of all rows; ``macro`` is the mean of the values of the queries, and
            ``weighted`` counts each query as much as its rows weigh. Queries without a value are left out
            and counted.

    Range: −1 to 1; 0 is what chance gives.
    Every label, or every score, the same: undefined.

    Source: [pearson1895].

    Example:
        Deviations −1, 0, 1 and −2, 1, 1: 3 / √(2 · 6).

        >>> import rankmark as rm
        >>> table = {"rating": [1, 2, 3], "pred": [0, 3, 3]}
        >>> round(rm.evaluate_predictions(table, ["Pearson"])["Pearson"], 6)
        0.866025

    """
    if average != "micro":
        label, score, both, _ = query_spreads(rows)
        return mean_of(clipped(quotient(both, np.sqrt(label) * np.sqrt(score))), rows, average)
    moments = rows.moments
    check_both_vary(moments.label > 0, moments.score > 0)
    return max(-1.0, min(1.0, moments.both / math.sqrt(moments.label) / math.sqrt(moments.score)))
