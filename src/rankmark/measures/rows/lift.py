"""Lift."""

from __future__ import annotations

from rankmark.kinds.decisions import AtThreshold, Taken, decided, share
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure("Lift", aliases=("lift_score",), bounds=(0, None), labels="binary")
def lift(rows: Rows, *, top: Taken = 0.1) -> float | AtThreshold:
    """Lift: how many times as many positive rows the best rows hold as rows taken by chance.

        Lift = (TP / (TP + FP)) / (P / Σ w)

    The best rows are those with the greatest scores; TP is the weight of the positive ones among them, FP
    that of the others, and P that of all positive rows.

    Args:
        top: the share of the rows (of their weight) that is taken, or how many of them, whatever they weigh,
            such as 10. Of equal scores at the border the part that is needed counts, mixed as they are: the
            expected value over all orders of rows that weigh the same.

    Range: 0 to 1/top, top being the share; 1 is what chance gives.
    No row is positive: undefined.

    Source: [ling1998].

    Example:
        Of the best half of the rows all are positive, of all rows half.

        >>> import rankmark as rm
        >>> table = {"label": [1, 1, 0, 0], "score": [0.9, 0.8, 0.4, 0.1]}
        >>> rm.evaluate_predictions(table, ["Lift(top=0.5)"])["Lift(top=0.5)"]
        2.0

    """
    return decided(rows, lambda c: share(share(c.tp, c.found), share(c.positive, c.weight)), 0.5, top)
