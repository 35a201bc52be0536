"""Brier."""

from __future__ import annotations

from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "Brier",
    aliases=("brier_score", "brier_score_loss"),
    bounds=(0, 1),
    labels="binary",
    scores="probability",
    better="less",
)
def brier(rows: Rows) -> float:
    """Brier score: the mean squared error of probabilities.

        Brier = Σ w · (p − y)² / Σ w

    y is 1 for a positive row and else 0, and p the score.

    Range: 0 to 1; less is better.

    Source: [brier1950].

    Example:
        (0.5² + 0.75²) / 2.

        >>> import rankmark as rm
        >>> rm.evaluate_predictions({"label": [1, 0], "score": [0.5, 0.75]}, ["Brier"])["Brier"]
        0.40625

    """
    return rows.brier / rows.weight
