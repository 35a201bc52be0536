"""MulticlassMCC."""

from __future__ import annotations

import math

from rankmark import _native
from rankmark import _numpy as np
from rankmark.kinds.classes import Classes, Predicted
from rankmark.kinds.rows import Undefined
from rankmark.language.registry import row_measure


@row_measure(
    "MulticlassMCC",
    aliases=("MCC", "matthews_corrcoef", "matthews_correlation", "R_K"),
    bounds=(-1, 1),
    labels="classes",
    scores="greatest",
)
def multiclass_correlation(classes: Classes, *, ties: Predicted = "expected") -> float:
    """Matthews correlation coefficient of predicted classes (R_K): how labels and predictions correlate.

        MulticlassMCC = Σ (t_c − p_c f_c) / √(Σ p_c (1 − p_c) · Σ f_c (1 − f_c))

    The class with the greatest score is predicted. The sums are over the classes c. Of the weight of all
    rows, p_c is the share of those of class c, f_c that of those predicted to be, and t_c that of those which
    are both. Of two classes it is the Matthews (phi) coefficient.

    Args:
        ties: where m classes have the same greatest score, ``expected`` takes 1/m of the row for a prediction
            of each; ``first`` predicts the first of them in the order of the classes, as most tools do.

    Range: −1, which takes two classes, to 1; 0 is what chance gives.
    Rows of one class only, or one class alone predicted: undefined; scikit-learn says 0 there.

    Source: [gorodkin2004].

    Example:
        Of the rows 1/2, 1/4 and 1/4 are of each class, 1/2, 1/2 and 0 predicted to be, and 1/2, 1/4 and 0
        both: (3/4 − 1/4 − 1/8) / √(5/8 · 1/2).

        >>> import rankmark as rm
        >>> table = {"label": ["a", "a", "b", "c"], "guess": ["a", "a", "b", "b"]}
        >>> mcc = rm.evaluate_predictions(table, "MulticlassMCC", predicted="guess")["MulticlassMCC"]
        >>> round(mcc, 6)
        0.67082

    """
    confusion = classes.confusion(ties)
    right, own, found = (
        part / classes.weight for part in (confusion.tp, confusion.positive, confusion.found)
    )
    if np.count_nonzero(own) < 2:
        raise Undefined("every row is of one class")
    if np.count_nonzero(found) < 2:
        raise Undefined("one class alone is predicted")
    spread = _native.exact_sum(own * (1 - own)) * _native.exact_sum(found * (1 - found))
    return _native.exact_sum(right - own * found) / math.sqrt(spread)
