"""MAE."""

from __future__ import annotations

from rankmark.kinds.regression import Average, is_of_queries, query_means
from rankmark.kinds.rows import PerQuery, Rows
from rankmark.language.registry import row_measure


@row_measure(
    "MAE",
    aliases=("mean_absolute_error",),
    bounds=(0, None),
    labels="numbers",
    per_query=is_of_queries,
    better="less",
)
def mean_absolute_error(rows: Rows, *, average: Average = "micro") -> float | PerQuery:
    """Mean absolute error of predicted numbers, such as ratings.

        MAE = Σ w · |s − y| / Σ w

    y is the label and s the score.

    Args:
        average: ``micro`` sums over all rows; ``macro`` is the mean of the values of the queries, and
            ``weighted`` counts each query as much as its rows weigh.

    Range: from 0; less is better.

    Source: [willmott2005].

    Example:
        Errors of 1 and −2: (1 + 2) / 2.

        >>> import rankmark as rm
        >>> rm.evaluate_predictions({"rating": [3, 5], "pred": [4, 3]}, ["MAE"])["MAE"]
        1.5

    """
    if average != "micro":
        return query_means(rows.query_errors.absolute, rows, average)
    return rows.absolute_error / rows.weight
