"""R2."""

from __future__ import annotations

from rankmark.kinds.rankings import quotient
from rankmark.kinds.regression import Average, is_of_queries, mean_of, query_spreads
from rankmark.kinds.rows import PerQuery, Rows, Undefined
from rankmark.language.registry import row_measure


@row_measure(
    "R2",
    aliases=("r2_score", "R_squared", "coefficient_of_determination"),
    bounds=(None, 1),
    labels="numbers",
    per_query=is_of_queries,
)
def coefficient_of_determination(rows: Rows, *, average: Average = "micro") -> float | PerQuery:
    """R²: how much less predicted numbers err than their mean, said every time, would.

        R2 = 1 − Σ w · (s − y)² / Σ w · (y − ȳ)²      ȳ = Σ w·y / Σ w

    y is the label and s the score.

    Args:
        average: ``micro`` is of all rows; ``macro`` is the mean of the values of the queries, and
            ``weighted`` counts each query as much as its rows weigh. Queries without a value are left out
            and counted.

    Range: up to 1; 0 is what the mean of the labels gives, and below it errs more than that.
    Every label the same: undefined; scikit-learn says 1 if all scores are right and else 0.

    Source: [wright1921].

    Example:
        Squared errors 1 and 0, and of the mean 4 and 4: 1 − 1/8.

        >>> import rankmark as rm
        >>> rm.evaluate_predictions({"rating": [1, 5], "pred": [2, 5]}, ["R2"])["R2"]
        0.875

    """
    if average != "micro":
        without = quotient(rows.query_errors.squared, query_spreads(rows)[0])
        return mean_of(1 - without, rows, average, "whose labels are all the same")
    if rows.moments.label == 0:
        raise Undefined("every label is the same")
    return 1 - rows.squared_error / rows.moments.label
