"""BinaryPrecision."""

from __future__ import annotations

from rankmark.kinds.decisions import AtThreshold, Top, decided, share
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "BinaryPrecision",
    aliases=("Precision", "precision_score", "PPV", "positive_predictive_value"),
    bounds=(0, 1),
    labels="binary",
)
def binary_precision(rows: Rows, *, threshold: float = 0.5, top: Top = "none") -> float | AtThreshold:
    """Precision of a decision: the share of positive rows among those that it finds.

        BinaryPrecision = TP / (TP + FP)

    TP is the weight of the positive rows that are found, FP that of the others that are.

    Args:
        threshold: the least score that is found, in the precision of the scores' column.
        top: the share of the rows (of their weight), those with the greatest scores, that is found instead,
            such as 0.1, or how many of them, whatever they weigh, such as 10; or ``none``. Of equal scores at
            the border the part that is needed counts, mixed as they are: the expected value over all orders
            of rows that weigh the same.

    Range: 0 to 1.
    No row is found: undefined; scikit-learn says 0 there (``zero_division``).

    Source: [vanrijsbergen1979].

    Example:
        Of three rows that score at least 0.5 two are positive; the best quarter is one row.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.5, 0.1]}
        >>> rm.evaluate_predictions(table, ["BinaryPrecision(top=0.25)"]).values
        {'BinaryPrecision(top=0.25)': 1.0}
        >>> round(rm.evaluate_predictions(table, "precision")["precision"], 6)
        0.666667

    """
    return decided(rows, lambda c: share(c.tp, c.found), threshold, top)
