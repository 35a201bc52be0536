"""FDR."""

from __future__ import annotations

from rankmark.kinds.decisions import AtThreshold, Top, decided, share
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "FDR",
    aliases=("false_discovery_rate",),
    bounds=(0, 1),
    labels="binary",
    better="less",
)
def false_discovery_rate(rows: Rows, *, threshold: float = 0.5, top: Top = "none") -> float | AtThreshold:
    """False discovery rate of a decision: the share of rows that are not positive among those it finds.

        FDR = FP / (TP + FP)

    FP is the weight of the rows that are found and not positive, TP that of the positive ones that are found;
    FDR = 1 − precision.

    Args:
        threshold: the least score that is found, in the precision of the scores' column.
        top: the share of the rows (of their weight), those with the greatest scores, that is found instead,
            such as 0.1, or how many of them, whatever they weigh, such as 10; or ``none``. Of equal scores at
            the border the part that is needed counts, mixed as they are: the expected value over all orders
            of rows that weigh the same.

    Range: 0 to 1; less is better.
    No row is found: undefined.

    Source: [altman1994].

    Example:
        Three rows score at least 0.5; one of them is not positive.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.5, 0.1]}
        >>> round(rm.evaluate_predictions(table, ["FDR"])["FDR"], 6)
        0.333333

    """
    return decided(rows, lambda c: share(c.fp, c.found), threshold, top)
