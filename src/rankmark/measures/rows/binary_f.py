"""BinaryF."""

from __future__ import annotations

from typing import Annotated

from rankmark.kinds.decisions import AtThreshold, Best, Confusion, Top, decided, share
from rankmark.kinds.ranges import Above
from rankmark.kinds.rows import Rows, Values
from rankmark.language.registry import row_measure


@row_measure(
    "BinaryF",
    aliases=("FMeasure", "F1", "f_beta", "f1_score", "fbeta_score"),
    variants={"F2": {"beta": 2}, "best_F1": {"threshold": "max"}},
    bounds=(0, 1),
    labels="binary",
)
def binary_f_measure(
    rows: Rows, *, beta: Annotated[float, Above(0)] = 1, threshold: Best = 0.5, top: Top = "none"
) -> float | AtThreshold:
    """F measure of a decision: the weighted harmonic mean of its precision and recall.

        BinaryF_β = (1 + β²) · TP / (β² · P + TP + FP)

    TP is the weight of the positive rows that are found, FP that of the others that are, and P that of all
    positive rows. This is (1 + β²) · p · r / (β² · p + r) of the precision p and the recall r, and 0 where
    these are 0 or only one of them is defined, as in scikit-learn.

    Args:
        beta: β, how many times as much recall weighs as precision; 1 gives F1.
        threshold: the least score that is found, in the precision of the scores' column; or ``max`` for the
            one that gives the greatest value (of several the highest), which the result tells.
        top: the share of the rows (of their weight), those with the greatest scores, that is found instead,
            such as 0.1, or how many of them, whatever they weigh, such as 10; or ``none``. Of equal scores at
            the border the part that is needed counts, mixed as they are: the expected value over all orders
            of rows that weigh the same.

    Range: 0 to 1. The maximum is optimistic about the rows that it was chosen on.
    No row is positive and none is found: undefined; scikit-learn says 0 there (``zero_division``).

    Source: [vanrijsbergen1979].

    Example:
        At 0.5 one of two positive rows and nothing else is found: 2 · 1 / (2 + 1). At 0.4 both are found, and
        one other: 2 · 2 / (2 + 3).

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.4, 0.1]}
        >>> result = rm.evaluate_predictions(table, ["BinaryF(threshold=max)"])
        >>> result.values, result.thresholds
        ({'BinaryF(threshold=max)': 0.8}, {'BinaryF(threshold=max)': 0.4})
        >>> round(rm.evaluate_predictions(table, "F1")["F1"], 6)
        0.666667

    """

    def f(c: Confusion) -> Values:
        return share((1 + beta**2) * c.tp, beta**2 * c.positive + c.found)

    return decided(rows, f, threshold, top)
