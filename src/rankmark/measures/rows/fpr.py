"""FPR."""

from __future__ import annotations

from rankmark.kinds.decisions import AtThreshold, Top, decided, share
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "FPR",
    aliases=("false_positive_rate", "fall_out", "false_alarm_rate"),
    bounds=(0, 1),
    labels="binary",
    better="less",
)
def false_positive_rate(rows: Rows, *, threshold: float = 0.5, top: Top = "none") -> float | AtThreshold:
    """False positive rate of a decision: the share of the rows that are not positive that it finds.

        FPR = FP / N

    FP is the weight of the rows that are found and not positive, N that of all rows that are not positive;
    FPR = 1 − Specificity.

    Args:
        threshold: the least score that is found, in the precision of the scores' column.
        top: the share of the rows (of their weight), those with the greatest scores, that is found instead,
            such as 0.1, or how many of them, whatever they weigh, such as 10; or ``none``. Of equal scores at
            the border the part that is needed counts, mixed as they are: the expected value over all orders
            of rows that weigh the same.

    Range: 0 to 1; less is better.
    Every row is positive: undefined.

    Source: [metz1978].

    Example:
        Of two rows that are not positive one scores at least 0.5.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.5, 0.1]}
        >>> round(rm.evaluate_predictions(table, ["FPR"])["FPR"], 6)
        0.5

    """
    return decided(rows, lambda c: share(c.fp, c.negative), threshold, top)
