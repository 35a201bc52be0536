"""PRAUC."""

from __future__ import annotations

from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure("PRAUC", aliases=("PR_AUC",), bounds=(0, 1), labels="binary")
def area_under_precision_recall_curve(rows: Rows) -> float:
    """Area under the precision-recall curve by the trapezoid rule.

        PRAUC = Σ_t (ΔTP_t / P) · (prec_{t−1} + prec_t) / 2        prec_t = TP_t / (TP_t + FP_t)

    t runs over the thresholds, as in AveragePrecision, which takes prec_t alone; above the first threshold
    the precision is 1. Between two thresholds precision is no straight line, so that this is too high; it
    is here because it is much used (``auc(recall, precision)`` of scikit-learn).

    Range: 0 to 1.
    No positive rows: undefined.

    Source: [davis2006].

    Example:
        Positive rows at places 1 and 3: precisions 1, 1/2, 2/3, so (1 + 1)/2 · 1/2 + (1/2 + 2/3)/2 · 1/2.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.7, 0.6]}
        >>> round(rm.evaluate_predictions(table, ["PRAUC"])["PRAUC"], 6)
        0.791667

    """
    rows.check_positive()
    return rows.ranked.precision_trapezoids / rows.ranked.positive
