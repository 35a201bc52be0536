"""BinaryAccuracy."""

from __future__ import annotations

from rankmark.kinds.decisions import AtThreshold, Best, Top, decided, share
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "BinaryAccuracy",
    aliases=("Accuracy", "accuracy_score"),
    bounds=(0, 1),
    labels="binary",
)
def binary_accuracy(rows: Rows, *, threshold: Best = 0.5, top: Top = "none") -> float | AtThreshold:
    """Accuracy of a decision: the share of rows that it decides right.

        BinaryAccuracy = (TP + TN) / Σ w

    TP is the weight of the positive rows that are found, TN that of the others that are not. Where few rows
    are positive, to find none of them is accurate, too: see BalancedAccuracy, MCC and Kappa.

    Args:
        threshold: the least score that is found, in the precision of the scores' column; or ``max`` for the
            one that gives the greatest value (of several the highest), which the result tells; it is
            infinite where finding nothing is best.
        top: the share of the rows (of their weight), those with the greatest scores, that is found instead,
            such as 0.1, or how many of them, whatever they weigh, such as 10; or ``none``. Of equal scores at
            the border the part that is needed counts, mixed as they are: the expected value over all orders
            of rows that weigh the same.

    Range: 0 to 1.

    Source: [metz1978].

    Example:
        Three of four rows are on their side of 0.5.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.5, 0.1]}
        >>> rm.evaluate_predictions(table, ["BinaryAccuracy"])["BinaryAccuracy"]
        0.75

    """
    return decided(rows, lambda c: share(c.tp + c.tn, c.weight), threshold, top)
