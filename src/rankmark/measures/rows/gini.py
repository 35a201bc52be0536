"""Gini."""

from __future__ import annotations

from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure
from rankmark.measures.rows.auc import area_under_roc_curve


@row_measure(
    "Gini",
    aliases=("gini_coefficient", "accuracy_ratio"),
    bounds=(-1, 1),
    labels="binary",
)
def gini(rows: Rows) -> float:
    """Gini coefficient of a prediction (accuracy ratio), of which 0 is chance.

        Gini = 2 · AUC − 1

    Range: −1 to 1.
    Rows of one class only: undefined.

    Source: [engelmann2003].

    Example:
        Of four pairs three are in order: 2 · 3/4 − 1.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.7, 0.6]}
        >>> rm.evaluate_predictions(table, ["Gini"])["Gini"]
        0.5

    """
    return 2 * area_under_roc_curve(rows) - 1
