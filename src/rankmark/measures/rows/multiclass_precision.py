"""MulticlassPrecision."""

from __future__ import annotations

from rankmark.kinds.classes import AverageOver, Classes, PerClass, Predicted, ZeroDivision, averaged
from rankmark.kinds.decisions import share
from rankmark.language.registry import row_measure


@row_measure(
    "MulticlassPrecision",
    aliases=("Precision", "precision_score"),
    bounds=(0, 1),
    labels="classes",
    scores="greatest",
)
def multiclass_precision(
    classes: Classes,
    *,
    average: AverageOver = "macro",
    zero_division: ZeroDivision = "zero",
    ties: Predicted = "expected",
) -> PerClass:
    """Precision of predicted classes: the share of the rows predicted to be of a class that are of it.

        MulticlassPrecision = mean over classes of TP_c / (TP_c + FP_c)

    The class with the greatest score is predicted. TP_c is the weight of the rows of class c that are
    predicted to be of it, FP_c that of other rows that are.

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
        Two rows are predicted to be a, one of which is; one to be b, and is: (1/2 + 1/1) / 2.

        >>> import rankmark as rm
        >>> table = {"label": ["a", "b", "b"], "a": [0.9, 0.2, 0.6], "b": [0.1, 0.8, 0.4]}
        >>> rm.evaluate_predictions(table, "MulticlassPrecision", score=["a", "b"])["MulticlassPrecision"]
        0.75

    """
    return averaged(classes, lambda c: share(c.tp, c.found), ties, average, zero_division)
