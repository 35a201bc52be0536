"""MulticlassErrorRate."""

from __future__ import annotations

from rankmark.kinds.classes import Classes, Predicted
from rankmark.language.registry import row_measure
from rankmark.measures.rows.multiclass_accuracy import multiclass_accuracy


@row_measure(
    "MulticlassErrorRate",
    aliases=("ErrorRate", "zero_one_loss"),
    bounds=(0, 1),
    labels="classes",
    scores="greatest",
    better="less",
)
def multiclass_error_rate(
    classes: Classes, *, cutoff: int | None = None, ties: Predicted = "expected"
) -> float:
    """Error rate of predicted classes: the share of rows of which another class has the greatest score.

        MulticlassErrorRate@k = 1 − MulticlassAccuracy@k

    Args:
        ties: where several classes have the same score at the border, as in MulticlassAccuracy: ``expected``
            counts the chance that the row's own is among those that are taken, ``first`` takes classes in
            their order, as most tools do (argmax).

    Range: 0 to 1; less is better.

    Source: [metz1978].

    Example:
        The first row is right; the second is wrong, and right among its best two.

        >>> import rankmark as rm
        >>> table = {"label": [0, 1], "score": [[0.75, 0.25], [0.5, 0.25]]}
        >>> rm.evaluate_predictions(table, ["MulticlassErrorRate", "MulticlassErrorRate@2"]).values
        {'MulticlassErrorRate': 0.5, 'MulticlassErrorRate@2': 0.0}

    """
    return 1.0 - multiclass_accuracy(classes, cutoff=cutoff, ties=ties)
