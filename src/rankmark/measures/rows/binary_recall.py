"""BinaryRecall."""

from __future__ import annotations

from rankmark.kinds.decisions import AtThreshold, Top, decided, share
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "BinaryRecall",
    aliases=("Recall", "recall_score", "TPR", "true_positive_rate", "sensitivity"),
    variants={"Gain": {"top": 0.1}, "capture_rate": {"top": 0.1}},
    bounds=(0, 1),
    labels="binary",
)
def binary_recall(rows: Rows, *, threshold: float = 0.5, top: Top = "none") -> float | AtThreshold:
    """Recall of a decision: the share of the positive rows that it finds.

        BinaryRecall = TP / P

    TP is the weight of the positive rows that are found, P that of all positive rows. Over the share ``top``
    it is what a chart of cumulative gains shows.

    Args:
        threshold: the least score that is found, in the precision of the scores' column.
        top: the share of the rows (of their weight), those with the greatest scores, that is found instead,
            such as 0.1, or how many of them, whatever they weigh, such as 10; or ``none``. Of equal scores at
            the border the part that is needed counts, mixed as they are: the expected value over all orders
            of rows that weigh the same.

    Range: 0 to 1.
    No row is positive: undefined; scikit-learn says 0 there (``zero_division``).

    Source: [vanrijsbergen1979].

    Example:
        One of two positive rows scores at least 0.5. The best half is a row and one of two with the score
        0.4, of which half are positive.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.4, 0.1]}
        >>> rm.evaluate_predictions(table, ["BinaryRecall", "BinaryRecall(top=0.5)"]).values
        {'BinaryRecall': 0.5, 'BinaryRecall(top=0.5)': 0.75}

    """
    return decided(rows, lambda c: share(c.tp, c.positive), threshold, top)
