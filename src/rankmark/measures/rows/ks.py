"""KS."""

from __future__ import annotations

from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure("KS", aliases=("kolmogorov_smirnov", "ks_stat"), bounds=(0, 1), labels="binary")
def kolmogorov_smirnov(rows: Rows) -> float:
    """Kolmogorov-Smirnov statistic: how far the scores of positive rows lie from those of the others.

        KS = max_t |TP_t / P − FP_t / N|

    t runs over the thresholds: TP_t / P is the share of the positive rows that score at least t, and
    FP_t / N that of the others.

    Range: 0 to 1.
    Rows of one class only: undefined.

    Source: [smirnov1939].

    Example:
        At the score 0.7 both positive rows are found, and one of the two others.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.7, 0.6]}
        >>> rm.evaluate_predictions(table, ["KS"])["KS"]
        0.5

    """
    rows.check_both_classes()
    return rows.ranked.greatest_gap
