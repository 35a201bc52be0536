"""Kappa."""

from __future__ import annotations

from rankmark.kinds.decisions import AtThreshold, Best, Confusion, Top, decided, share
from rankmark.kinds.rows import Rows, Values
from rankmark.language.registry import row_measure


@row_measure("Kappa", aliases=("cohen_kappa", "cohen_kappa_score"), bounds=(-1, 1), labels="binary")
def kappa(rows: Rows, *, threshold: Best = 0.5, top: Top = "none") -> float | AtThreshold:
    """Cohen's kappa: how far a decision agrees with the labels beyond what chance would.

        Kappa = (a − e) / (1 − e)      a = (TP + TN) / Σ w      e = (P · (TP + FP) + N · (TN + FN)) / (Σ w)²

    TP, FP, TN and FN are the weights of true and false positives, which are found, and true and false
    negatives, which are not; P = TP + FN and N = FP + TN. a is the accuracy, and e that of deciding as often
    in this way but by chance.

    Args:
        threshold: the least score that is found, in the precision of the scores' column; or ``max`` for the
            one that gives the greatest value (of several the highest), which the result tells.
        top: the share of the rows (of their weight), those with the greatest scores, that is found instead,
            such as 0.1, or how many of them, whatever they weigh, such as 10; or ``none``. Of equal scores at
            the border the part that is needed counts, mixed as they are: the expected value over all orders
            of rows that weigh the same.

    Range: −1 to 1; 0 is what chance gives.
    All rows positive and found, or none positive and none found: undefined, as in scikit-learn.

    Source: [cohen1960].

    Example:
        Three of four rows are decided right, and by chance (2 · 3 + 2 · 1) / 16 = 1/2: (3/4 − 1/2) / (1/2).

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.5, 0.1]}
        >>> rm.evaluate_predictions(table, ["Kappa"])["Kappa"]
        0.5

    """
    return decided(rows, _agreement, threshold, top)


def _agreement(c: Confusion) -> Values:
    # The definition times (Σ w)², where nothing cancels out.
    return share(2 * (c.tp * c.tn - c.fp * c.fn), c.positive * c.left + c.negative * c.found)
