"""MAPE."""

from __future__ import annotations

from rankmark.kinds.regression import Average, is_of_queries, query_means
from rankmark.kinds.rows import PerQuery, Rows, Undefined
from rankmark.language.registry import row_measure


@row_measure(
    "MAPE",
    aliases=("mean_absolute_percentage_error",),
    bounds=(0, None),
    labels="numbers",
    per_query=is_of_queries,
    better="less",
)
def mean_absolute_percentage_error(rows: Rows, *, average: Average = "micro") -> float | PerQuery:
    """Mean absolute percentage error of predicted numbers, as a fraction: 0.1 is 10 %.

        MAPE = (Σ w · |s − y| / |y|) / Σ w

    y is the label and s the score.

    Args:
        average: ``micro`` sums over all rows; ``macro`` is the mean of the values of the queries, and
            ``weighted`` counts each query as much as its rows weigh.

    Range: from 0; less is better.
    A label is 0: undefined; scikit-learn divides by 2.2e-16 there.

    Source: [demyttenaere2016].

    Example:
        Errors of 1 on 2, and of 1 on 4: (1/2 + 1/4) / 2.

        >>> import rankmark as rm
        >>> rm.evaluate_predictions({"rating": [2, 4], "pred": [3, 3]}, ["MAPE"])["MAPE"]
        0.375

    """
    if average != "micro":
        return query_means(rows.query_errors.relative, rows, average, "without a weight or with a label of 0")
    error, _, zeros = rows.relative_errors
    if zeros:
        raise Undefined(f"{zeros:,.0f} label{'s are' if zeros > 1 else ' is'} 0")
    return error / rows.weight
