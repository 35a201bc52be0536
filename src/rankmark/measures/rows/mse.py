"""MSE."""

from __future__ import annotations

from rankmark.kinds.regression import Average, is_of_queries, query_means
from rankmark.kinds.rows import PerQuery, Rows
from rankmark.language.registry import row_measure


@row_measure(
    "MSE",
    aliases=("mean_squared_error",),
    bounds=(0, None),
    labels="numbers",
    per_query=is_of_queries,
    better="less",
)
def mean_squared_error(rows: Rows, *, average: Average = "micro") -> float | PerQuery:
    """Mean squared error of predicted numbers, such as ratings.

        MSE = Σ w · (s − y)² / Σ w

    y is the label and s the score.

    Args:
        average: ``micro`` sums over all rows; ``macro`` is the mean of the values of the queries, and
            ``weighted`` counts each query as much as its rows weigh.

    Range: from 0; less is better.

    Source: [gauss1823].

    Example:
        Errors of 1 and −2: (1 + 4) / 2.

        >>> import rankmark as rm
        >>> rm.evaluate_predictions({"rating": [3, 5], "pred": [4, 3]}, ["MSE"])["MSE"]
        2.5

    """
    if average != "micro":
        return query_means(rows.query_errors.squared, rows, average)
    return rows.squared_error / rows.weight
