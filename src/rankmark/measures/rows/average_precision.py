"""AveragePrecision."""

from __future__ import annotations

from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "AveragePrecision",
    aliases=("average_precision_score", "AUPRC"),
    bounds=(0, 1),
    labels="binary",
)
def average_precision(rows: Rows) -> float:
    """Average precision: the area under the precision-recall curve, as a step function.

        AveragePrecision = Σ_t (ΔTP_t / P) · TP_t / (TP_t + FP_t)

    t runs over the thresholds; TP and FP are the weights of the positive and the other rows that score at
    least t, ΔTP is what threshold t adds to TP, and P is the weight of all positive rows. Rows with equal
    scores are found together, so that their order does not matter.

    Range: 0 to 1; the share of positive rows is what chance gives.
    No positive rows: undefined.

    Source: [davis2006].

    Example:
        Positive rows at places 1 and 3: (1/1 + 2/3) / 2.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.7, 0.6]}
        >>> round(rm.evaluate_predictions(table, ["AveragePrecision"])["AveragePrecision"], 6)
        0.833333

    """
    rows.check_positive()
    return rows.ranked.precision_steps / rows.ranked.positive
