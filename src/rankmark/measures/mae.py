"""MAE."""

from __future__ import annotations

from rankmark.measure import row_measure
from rankmark.rows import Rows


@row_measure(
    "MAE",
    aliases=("mean_absolute_error",),
    bounds=(0, None),
    cite="willmott2005",
    labels="numbers",
    better="less",
)
def mean_absolute_error(rows: Rows) -> float:
    """Mean absolute error of predicted numbers, such as ratings.

        MAE = Σ w · |s − y| / Σ w

    y is the label and s the score; the sums are over all rows, whichever query they are of.

    Range: from 0; less is better.

    Source: C. Willmott, K. Matsuura, "Advantages of the mean absolute error (MAE) over the root mean square
    error (RMSE) in assessing average model performance", Climate Research 30, 2005.

    Example:
        Errors of 1 and −2: (1 + 2) / 2.

        >>> import rankmark as rm
        >>> rm.evaluate_predictions({"rating": [3, 5], "pred": [4, 3]}, ["MAE"])["MAE"]
        1.5

    """
    return rows.absolute_error / rows.weight
