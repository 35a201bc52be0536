"""MulticlassAccuracy."""

from __future__ import annotations

from rankmark import _native
from rankmark import _numpy as np
from rankmark.kinds.classes import Classes, Predicted
from rankmark.language.registry import row_measure


@row_measure(
    "MulticlassAccuracy",
    aliases=("Accuracy", "accuracy_score", "top_k_accuracy", "Acc"),
    bounds=(0, 1),
    labels="classes",
    scores="greatest",
)
def multiclass_accuracy(
    classes: Classes, *, cutoff: int | None = None, ties: Predicted = "expected"
) -> float:
    """Accuracy of predicted classes: the share of rows whose own class has the greatest score.

        MulticlassAccuracy@k = Σ w · [less than k classes score more than the row's own] / Σ w

    The error is 1 − accuracy. With a cutoff, ``MulticlassAccuracy@5``, it is enough to be among the k
    greatest scores (top-k accuracy); without one k = 1.

    Args:
        ties: where several classes have the same score at the border, ``expected`` counts the chance that the
            row's own is among those that are taken, over all their orders; ``first`` takes classes in their
            order, as most tools do (argmax).

    Range: 0 to 1.

    Source: [metz1978].

    Example:
        The first row is right, the second is among its best two, and in the third two classes are equal.

        >>> import rankmark as rm
        >>> table = {"label": [0, 1, 2], "score": [[0.7, 0.2, 0.1], [0.5, 0.4, 0.1], [0.2, 0.4, 0.4]]}
        >>> rm.evaluate_predictions(table, ["MulticlassAccuracy", "MulticlassAccuracy@2"]).values
        {'MulticlassAccuracy': 0.5, 'MulticlassAccuracy@2': 1.0}

    """
    taken = 1 if cutoff is None else cutoff
    if taken == 1:
        return _native.exact_sum(classes.confusion(ties).tp) / classes.weight
    greater, equal, before = classes.ahead
    if ties == "first":
        return classes.mean((greater + before < taken).astype(np.float64))
    return classes.mean(np.clip((taken - greater) / (equal + 1), 0, 1))
