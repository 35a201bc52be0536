"""SMAPE."""

from __future__ import annotations

from rankmark.kinds.regression import Average, is_of_queries, query_means
from rankmark.kinds.rows import PerQuery, Rows
from rankmark.language.registry import row_measure


@row_measure(
    "SMAPE",
    aliases=("symmetric_mape", "symmetric_mean_absolute_percentage_error"),
    bounds=(0, 2),
    labels="numbers",
    per_query=is_of_queries,
    better="less",
)
def symmetric_percentage_error(rows: Rows, *, average: Average = "micro") -> float | PerQuery:
    """Symmetric mean absolute percentage error of predicted numbers, as a fraction: 0.1 is 10 %.

        SMAPE = (Σ w · 2 |s − y| / (|s| + |y|)) / Σ w

    y is the label and s the score; a row in which both are 0 has no error. Some tools leave the 2 out.

    Args:
        average: ``micro`` sums over all rows; ``macro`` is the mean of the values of the queries, and
            ``weighted`` counts each query as much as its rows weigh.

    Range: 0 to 2; less is better.

    Source: [makridakis1993].

    Example:
        Errors of 2 on 1 and 3, and of 1 on 1 and 0: (2 · 2/4 + 2 · 1/1) / 2.

        >>> import rankmark as rm
        >>> rm.evaluate_predictions({"rating": [1, 1], "pred": [3, 0]}, ["SMAPE"])["SMAPE"]
        1.5

    """
    if average != "micro":
        return query_means(rows.query_errors.symmetric, rows, average)
    return rows.relative_errors[1] / rows.weight
