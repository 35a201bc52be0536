"""MCC."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.decisions import AtThreshold, Best, Confusion, Top, decided, share
from rankmark.kinds.rows import Rows, Values
from rankmark.language.registry import row_measure


@row_measure(
    "MCC",
    aliases=("matthews_corrcoef", "matthews_correlation", "phi_coefficient"),
    bounds=(-1, 1),
    labels="binary",
)
def matthews_correlation(rows: Rows, *, threshold: Best = 0.5, top: Top = "none") -> float | AtThreshold:
    """Matthews correlation coefficient: how labels and a decision correlate.

        MCC = (TP · TN − FP · FN) / √((TP + FP) · (TP + FN) · (TN + FP) · (TN + FN))

    TP, FP, TN and FN are the weights of true and false positives, which are found, and true and false
    negatives, which are not.

    Args:
        threshold: the least score that is found, in the precision of the scores' column; or ``max`` for the
            one that gives the greatest value (of several the highest), which the result tells.
        top: the share of the rows (of their weight), those with the greatest scores, that is found instead,
            such as 0.1, or how many of them, whatever they weigh, such as 10; or ``none``. Of equal scores at
            the border the part that is needed counts, mixed as they are: the expected value over all orders
            of rows that weigh the same.

    Range: −1 to 1; 0 is what chance gives.
    Rows of one class only, or all of them or none found: undefined; scikit-learn says 0 there.

    Source: [matthews1975].

    Example:
        TP = 2, FP = 1, TN = 1, FN = 0: (2 · 1 − 1 · 0) / √(3 · 2 · 2 · 1).

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.5, 0.1]}
        >>> round(rm.evaluate_predictions(table, ["MCC"])["MCC"], 6)
        0.57735

    """
    return decided(rows, _correlation, threshold, top)


def _correlation(c: Confusion) -> Values:
    # Two roots, since a product of four weights may be too great for a float.
    spread = np.sqrt(c.found * c.left) * np.sqrt(c.positive * c.negative)
    return share(c.tp * c.tn - c.fp * c.fn, spread)
