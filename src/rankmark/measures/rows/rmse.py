"""RMSE."""

from __future__ import annotations

import math
from dataclasses import replace

from rankmark import _numpy as np
from rankmark.kinds.regression import Average, is_of_queries, query_means
from rankmark.kinds.rows import PerQuery, Rows
from rankmark.language.registry import row_measure


@row_measure(
    "RMSE",
    aliases=("root_mean_squared_error",),
    bounds=(0, None),
    labels="numbers",
    per_query=is_of_queries,
    better="less",
)
def root_mean_squared_error(rows: Rows, *, average: Average = "micro") -> float | PerQuery:
    """Root mean squared error of predicted numbers, in their unit.

        RMSE = √MSE

    Args:
        average: ``micro`` is of all rows; ``macro`` is the mean of the values of the queries, as LensKit
            gives it for users, and ``weighted`` counts each query as much as its rows weigh.

    Range: from 0; less is better.

    Source: [gauss1823].

    Example:
        Errors of 1 and −7: √((1 + 49) / 2).

        >>> import rankmark as rm
        >>> rm.evaluate_predictions({"rating": [3, 9], "pred": [4, 2]}, ["RMSE"])["RMSE"]
        5.0

    """
    if average != "micro":
        each = query_means(rows.query_errors.squared, rows, average)
        return replace(each, values=np.sqrt(each.values))
    return math.sqrt(rows.squared_error / rows.weight)
