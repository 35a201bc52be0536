"""Specificity."""

from __future__ import annotations

from rankmark.kinds.decisions import AtThreshold, Top, decided, share
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "Specificity",
    aliases=("TNR", "true_negative_rate", "selectivity"),
    bounds=(0, 1),
    labels="binary",
)
def specificity(rows: Rows, *, threshold: float = 0.5, top: Top = "none") -> float | AtThreshold:
    """Specificity of a decision: the share of the rows that are not positive that it leaves.

        Specificity = TN / N

    TN is the weight of the rows that are neither positive nor found, N that of all rows that are not
    positive; 1 − TN / N is the rate of false positives.

    Args:
        threshold: the least score that is found, in the precision of the scores' column.
        top: the share of the rows (of their weight), those with the greatest scores, that is found instead,
            such as 0.1, or how many of them, whatever they weigh, such as 10; or ``none``. Of equal scores at
            the border the part that is needed counts, mixed as they are: the expected value over all orders
            of rows that weigh the same.

    Range: 0 to 1.
    Every row is positive: undefined.

    Source: [yerushalmy1947].

    Example:
        Of two rows that are not positive one scores less than 0.5.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.5, 0.1]}
        >>> rm.evaluate_predictions(table, ["Specificity"])["Specificity"]
        0.5

    """
    return decided(rows, lambda c: share(c.tn, c.negative), threshold, top)
