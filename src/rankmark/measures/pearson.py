"""Pearson."""

from __future__ import annotations

import math

from rankmark.kinds.regression import check_both_vary
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "Pearson",
    aliases=("pearsonr", "pearson_correlation", "PCC"),
    bounds=(-1, 1),
    labels="numbers",
)
def pearson(rows: Rows) -> float:
    """Pearson's correlation of labels and scores: how near they lie to a straight line.

        Pearson = Σ w · (y − ȳ) · (s − s̄) / √(Σ w · (y − ȳ)² · Σ w · (s − s̄)²)

    y is the label and s the score; ȳ and s̄ are weighted means.

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
    moments = rows.moments
    check_both_vary(moments.label > 0, moments.score > 0)
    return max(-1.0, min(1.0, moments.both / math.sqrt(moments.label) / math.sqrt(moments.score)))
