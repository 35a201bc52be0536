"""ExplainedVariance."""

from __future__ import annotations

from rankmark.kinds.rankings import quotient
from rankmark.kinds.regression import Average, is_of_queries, mean_of, query_spreads
from rankmark.kinds.rows import PerQuery, Rows, Undefined
from rankmark.language.registry import row_measure


@row_measure(
    "ExplainedVariance",
    aliases=("explained_variance_score",),
    bounds=(None, 1),
    labels="numbers",
    per_query=is_of_queries,
)
def explained_variance(rows: Rows, *, average: Average = "micro") -> float | PerQuery:
    """Explained variance: how much less the errors of predicted numbers vary than the labels do.

        ExplainedVariance = 1 − Σ w · (e − ē)² / Σ w · (y − ȳ)²      e = s − y

    y is the label and s the score, ē and ȳ are weighted means. Unlike R2 it forgives predictions that are
    all too high by the same number.

    Args:
        average: ``micro`` is of all rows; ``macro`` is the mean of the values of the queries, and
            ``weighted`` counts each query as much as its rows weigh. Queries without a value are left out
            and counted.

    Range: up to 1.
    Every label the same: undefined; scikit-learn says 1 if all errors are the same and else 0.

    Source: [achen1982].

    Example:
        Every prediction is too high by 1: the errors do not vary.

        >>> import rankmark as rm
        >>> table = {"rating": [1, 5], "pred": [2, 6]}
        >>> rm.evaluate_predictions(table, ["ExplainedVariance", "R2"]).values
        {'ExplainedVariance': 1.0, 'R2': 0.75}

    """
    if average != "micro":
        label, _, _, error = query_spreads(rows)
        return mean_of(1 - quotient(error, label), rows, average, "whose labels are all the same")
    if rows.moments.label == 0:
        raise Undefined("every label is the same")
    return 1 - rows.moments.error / rows.moments.label
