"""R2."""

from __future__ import annotations

from rankmark.kinds.rows import Rows, Undefined
from rankmark.language.registry import row_measure


@row_measure(
    "R2",
    aliases=("r2_score", "R_squared", "coefficient_of_determination"),
    bounds=(None, 1),
    labels="numbers",
)
def coefficient_of_determination(rows: Rows) -> float:
    """R²: how much less predicted numbers err than their mean, said every time, would.

        R2 = 1 − Σ w · (s − y)² / Σ w · (y − ȳ)²      ȳ = Σ w·y / Σ w

    y is the label and s the score.

    Range: up to 1; 0 is what the mean of the labels gives, and below it errs more than that.
    Every label the same: undefined; scikit-learn says 1 if all scores are right and else 0.

    Source: [wright1921].

    Example:
        Squared errors 1 and 0, and of the mean 4 and 4: 1 − 1/8.

        >>> import rankmark as rm
        >>> rm.evaluate_predictions({"rating": [1, 5], "pred": [2, 5]}, ["R2"])["R2"]
        0.875

    """
    if rows.moments.label == 0:
        raise Undefined("every label is the same")
    return 1 - rows.squared_error / rows.moments.label
