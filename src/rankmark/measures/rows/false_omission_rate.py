"""FOR."""

from __future__ import annotations

from rankmark.kinds.decisions import AtThreshold, Top, decided, share
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "FOR",
    aliases=("false_omission_rate",),
    bounds=(0, 1),
    labels="binary",
    better="less",
)
def false_omission_rate(rows: Rows, *, threshold: float = 0.5, top: Top = "none") -> float | AtThreshold:
    """False omission rate of a decision: the share of positive rows among those it leaves.

        FOR = FN / (TN + FN)

    FN is the weight of the positive rows that are not found, TN that of the others that are not;
    FOR = 1 − NPV.

    Args:
        threshold: the least score that is found, in the precision of the scores' column.
        top: the share of the rows (of their weight), those with the greatest scores, that is found instead,
            such as 0.1, or how many of them, whatever they weigh, such as 10; or ``none``. Of equal scores at
            the border the part that is needed counts, mixed as they are: the expected value over all orders
            of rows that weigh the same.

    Range: 0 to 1; less is better.
    Every row is found: undefined.

    Source: [altman1994].

    Example:
        One row scores less than 0.5, and is not positive.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.5, 0.1]}
        >>> round(rm.evaluate_predictions(table, ["FOR"])["FOR"], 6)
        0.0

    """
    return decided(rows, lambda c: share(c.fn, c.left), threshold, top)
