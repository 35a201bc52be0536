"""RMSE."""

from __future__ import annotations

import math

from rankmark.measure import row_measure
from rankmark.measures.mse import mean_squared_error
from rankmark.rows import Rows


@row_measure(
    "RMSE",
    aliases=("root_mean_squared_error",),
    bounds=(0, None),
    cite="gauss1823",
    labels="numbers",
    better="less",
)
def root_mean_squared_error(rows: Rows) -> float:
    """Root mean squared error of predicted numbers, in their unit.

        RMSE = √MSE

    The mean is over all rows (micro), whichever query they are of.

    Range: from 0; less is better.

    Source: C. Gauss, "Theoria combinationis observationum erroribus minimis obnoxiae", 1823.

    Example:
        Errors of 1 and −7: √((1 + 49) / 2).

        >>> import rankmark as rm
        >>> rm.evaluate_predictions({"rating": [3, 9], "pred": [4, 2]}, ["RMSE"])["RMSE"]
        5.0

    """
    return math.sqrt(mean_squared_error(rows))
