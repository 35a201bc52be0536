"""BinaryErrorRate."""

from __future__ import annotations

from rankmark.kinds.decisions import AtThreshold, Top, decided, share
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "BinaryErrorRate",
    aliases=("ErrorRate", "zero_one_loss"),
    bounds=(0, 1),
    labels="binary",
    better="less",
)
def binary_error_rate(rows: Rows, *, threshold: float = 0.5, top: Top = "none") -> float | AtThreshold:
    """Error rate of a decision: the share of rows that it decides wrong.

        BinaryErrorRate = (FP + FN) / Σ w

    FP is the weight of the rows that are found and not positive, FN that of the positive rows that are not
    found. It is 1 − BinaryAccuracy.

    Args:
        threshold: the least score that is found, in the precision of the scores' column.
        top: the share of the rows (of their weight), those with the greatest scores, that is found instead,
            such as 0.1; or ``none``. Of equal scores at the border the part that is needed counts, mixed as
            they are: the expected value over all orders of rows that weigh the same.

    Range: 0 to 1; less is better.

    Source: [metz1978].

    Example:
        Of four rows the second is on the wrong side of 0.5.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.5, 0.1]}
        >>> rm.evaluate_predictions(table, ["BinaryErrorRate"])["BinaryErrorRate"]
        0.25

    """
    return decided(rows, lambda c: share(c.fp + c.fn, c.weight), threshold, top)
