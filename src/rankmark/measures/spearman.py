"""Spearman."""

from __future__ import annotations

import math

from rankmark.kinds.regression import check_both_vary, check_unweighted
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "Spearman",
    aliases=("spearmanr", "spearman_correlation", "rank_correlation", "SRCC"),
    bounds=(-1, 1),
    labels="numbers",
)
def spearman(rows: Rows) -> float:
    """Spearman's rank correlation ρ of labels and scores: Pearson's correlation of their ranks.

        Spearman = Σ (a − ā) · (b − b̄) / √(Σ (a − ā)² · Σ (b − b̄)²)

    a is the rank of the label among all labels, b that of the score among all scores; equal ones have the
    mean of their ranks.

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
    check_unweighted(rows)
    label, score, both = rows.correlation.ranks
    check_both_vary(label > 0, score > 0)
    return both / math.sqrt(label * score)
