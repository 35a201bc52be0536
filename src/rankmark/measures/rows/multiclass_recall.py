"""MulticlassRecall."""

from __future__ import annotations

from rankmark.kinds.classes import AverageOver, Classes, PerClass, Predicted, ZeroDivision, averaged
from rankmark.kinds.decisions import share
from rankmark.language.registry import row_measure


@row_measure(
    "MulticlassRecall",
    aliases=("Recall", "recall_score"),
    variants={
        "BalancedAccuracy": {"zero_division": "skip"},
        "balanced_accuracy_score": {"zero_division": "skip"},
        "macro_recall": {},
    },
    bounds=(0, 1),
    labels="classes",
    scores="greatest",
)
def multiclass_recall(
    classes: Classes,
    *,
    average: AverageOver = "macro",
    zero_division: ZeroDivision = "zero",
    ties: Predicted = "expected",
) -> PerClass:
    """Recall of predicted classes: the share of the rows of a class that are predicted to be of it.

        MulticlassRecall = mean over classes of TP_c / P_c

    The class with the greatest score is predicted. TP_c is the weight of the rows of class c that are
    predicted to be of it, P_c that of all rows of class c. With ``zero_division=skip`` the mean is over the
    classes that have rows: balanced accuracy.

    Args:
        average: of the classes: ``macro`` is their mean; ``weighted`` weighs each by its rows; ``micro``
            puts in the sums of TP, FP and FN over all classes, which gives the accuracy. As in scikit-learn a
            class that is neither a label nor predicted does not count.
        zero_division: what the value of a class is where it is 0/0: ``zero`` or ``one``, or ``skip`` to leave
            the class out of the mean.
        ties: where m classes have the same greatest score, ``expected`` takes 1/m of the row for a prediction
            of each; ``first`` predicts the first of them in the order of the classes, as most tools do.

    Range: 0 to 1.

    Source: [sokolova2009].

    Example:
        The row of a is found, and one of the two of b: (1/1 + 1/2) / 2.

        >>> import rankmark as rm
        >>> table = {"label": ["a", "b", "b"], "a": [0.9, 0.2, 0.6], "b": [0.1, 0.8, 0.4]}
        >>> rm.evaluate_predictions(table, "MulticlassRecall", score=["a", "b"])["MulticlassRecall"]
        0.75

    """
    return averaged(classes, lambda c: share(c.tp, c.positive), ties, average, zero_division)
