"""MSE."""

from __future__ import annotations

from rankmark.measure import row_measure
from rankmark.rows import Rows


@row_measure(
    "MSE",
    aliases=("mean_squared_error",),
    bounds=(0, None),
    cite="gauss1823",
    labels="numbers",
    better="less",
)
def mean_squared_error(rows: Rows) -> float:
    """Mean squared error of predicted numbers, such as ratings.

        MSE = Σ w · (s − y)² / Σ w

    y is the label and s the score; the sums are over all rows, whichever query they are of.

    Range: from 0; less is better.

    Source: C. Gauss, "Theoria combinationis observationum erroribus minimis obnoxiae", 1823.

    Example:
        Errors of 1 and −2: (1 + 4) / 2.

        >>> import rankmark as rm
        >>> rm.evaluate_predictions({"rating": [3, 5], "pred": [4, 3]}, ["MSE"])["MSE"]
        2.5

    """
    return rows.squared_error / rows.weight
