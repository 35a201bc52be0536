"""BalancedAccuracy."""

from __future__ import annotations

from rankmark.kinds.decisions import AtThreshold, Best, Top, decided, share
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "BalancedAccuracy",
    aliases=("balanced_accuracy_score",),
    bounds=(0, 1),
    labels="binary",
)
def balanced_accuracy(rows: Rows, *, threshold: Best = 0.5, top: Top = "none") -> float | AtThreshold:
    """Balanced accuracy of a decision: the mean of its recall and its specificity.

        BalancedAccuracy = ½ (TP / P + TN / N)

    TP is the weight of the positive rows that are found, of P in all, and TN that of the others that are not,
    of N in all. Youden's J is 2 · BalancedAccuracy − 1; where one is greatest, so is the other.

    Args:
        threshold: the least score that is found, in the precision of the scores' column; or ``max`` for the
            one that gives the greatest value (of several the highest), which the result tells; it is
            infinite where finding nothing is best.
        top: the share of the rows (of their weight), those with the greatest scores, that is found instead,
            such as 0.1, or how many of them, whatever they weigh, such as 10; or ``none``. Of equal scores at
            the border the part that is needed counts, mixed as they are: the expected value over all orders
            of rows that weigh the same.

    Range: 0 to 1; 1/2 is what chance gives.
    Rows of one class only: undefined; scikit-learn takes the accuracy on that class.

    Source: [brodersen2010]; [youden1950].

    Example:
        At 0.5 the positive row is found, and one of three others.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 0, 0], "score": [0.9, 0.8, 0.4, 0.1]}
        >>> round(rm.evaluate_predictions(table, ["BalancedAccuracy"])["BalancedAccuracy"], 6)
        0.833333

    """
    return decided(rows, lambda c: (share(c.tp, c.positive) + share(c.tn, c.negative)) / 2, threshold, top)
