"""MulticlassF."""

from __future__ import annotations

from typing import Annotated

from rankmark.kinds.classes import AverageOver, Classes, PerClass, Predicted, ZeroDivision, averaged
from rankmark.kinds.decisions import share
from rankmark.kinds.ranges import Above
from rankmark.language.registry import row_measure


@row_measure(
    "MulticlassF",
    aliases=("F1", "FMeasure", "macro_F1", "f1_score", "fbeta_score"),
    variants={
        "F2": {"beta": 2},
        "micro_F1": {"average": "micro"},
        "weighted_F1": {"average": "weighted"},
    },
    bounds=(0, 1),
    labels="classes",
    scores="greatest",
)
def multiclass_f_measure(
    classes: Classes,
    *,
    beta: Annotated[float, Above(0)] = 1,
    average: AverageOver = "macro",
    zero_division: ZeroDivision = "zero",
    ties: Predicted = "expected",
) -> PerClass:
    """F measure of predicted classes: the weighted harmonic mean of a class's precision and recall.

        MulticlassF_β = mean over classes of (1 + β²) · TP_c / (β² · P_c + TP_c + FP_c)

    The class with the greatest score is predicted. TP_c is the weight of the rows of class c that are
    predicted to be of it, FP_c that of other rows that are, and P_c that of all rows of class c.

    Args:
        beta: β, how many times as much recall weighs as precision; 1 gives F1.
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
        Of a: 2 · 1 / (1 + 2); of b: 2 · 1 / (2 + 1).

        >>> import rankmark as rm
        >>> table = {"label": ["a", "b", "b"], "a": [0.9, 0.2, 0.6], "b": [0.1, 0.8, 0.4]}
        >>> round(rm.evaluate_predictions(table, "macro_F1", score=["a", "b"])["macro_F1"], 6)
        0.666667

    """
    return averaged(
        classes,
        lambda c: share((1 + beta**2) * c.tp, beta**2 * c.positive + c.found),
        ties,
        average,
        zero_division,
    )
