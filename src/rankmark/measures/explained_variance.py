"""ExplainedVariance."""

from __future__ import annotations

from rankmark.kinds.rows import Rows, Undefined
from rankmark.language.registry import row_measure


@row_measure(
    "ExplainedVariance",
    aliases=("explained_variance_score",),
    bounds=(None, 1),
    labels="numbers",
)
def explained_variance(rows: Rows) -> float:
    """Explained variance: how much less the errors of predicted numbers vary than the labels do.

        ExplainedVariance = 1 − Σ w · (e − ē)² / Σ w · (y − ȳ)²      e = s − y

    y is the label and s the score, ē and ȳ are weighted means. Unlike R2 it forgives predictions that are
    all too high by the same number.

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
    if rows.moments.label == 0:
        raise Undefined("every label is the same")
    return 1 - rows.moments.error / rows.moments.label
