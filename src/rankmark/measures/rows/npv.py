"""NPV."""

from __future__ import annotations

from rankmark.kinds.decisions import AtThreshold, Top, decided, share
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "NPV",
    aliases=("negative_predictive_value",),
    bounds=(0, 1),
    labels="binary",
)
def negative_predictive_value(
    rows: Rows, *, threshold: float = 0.5, top: Top = "none"
) -> float | AtThreshold:
    """Negative predictive value of a decision: the share of rows that are not positive among those it leaves.

        NPV = TN / (TN + FN)

    TN is the weight of the rows that are neither positive nor found, FN that of the positive rows that are
    not found.

    Args:
        threshold: the least score that is found, in the precision of the scores' column.
        top: the share of the rows (of their weight), those with the greatest scores, that is found instead,
            such as 0.1, or how many of them, whatever they weigh, such as 10; or ``none``. Of equal scores at
            the border the part that is needed counts, mixed as they are: the expected value over all orders
            of rows that weigh the same.

    Range: 0 to 1.
    Every row is found: undefined.

    Source: [altman1994].

    Example:
        One row scores less than 0.5, and is not positive.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.5, 0.1]}
        >>> round(rm.evaluate_predictions(table, ["NPV"])["NPV"], 6)
        1.0

    """
    return decided(rows, lambda c: share(c.tn, c.left), threshold, top)
