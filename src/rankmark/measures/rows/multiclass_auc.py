"""MulticlassAUC."""

from __future__ import annotations

from itertools import combinations
from typing import Literal

from rankmark import _native
from rankmark import _numpy as np
from rankmark.kinds.classes import Classes, PerClass
from rankmark.kinds.rows import Undefined, Values
from rankmark.language.registry import row_measure


@row_measure(
    "MulticlassAUC",
    aliases=("AUC", "ROC_AUC", "AUROC", "roc_auc_score"),
    variants={"OvR_AUC": {"versus": "rest"}, "OvO_AUC": {"versus": "each"}},
    bounds=(0, 1),
    labels="classes",
)
def multiclass_auc(
    classes: Classes,
    *,
    versus: Literal["rest", "each"] = "rest",
    average: Literal["macro", "weighted"] = "macro",
    absent: Literal["undefined", "skip"] = "undefined",
) -> float | PerClass:
    """AUC of several classes: the mean of that of each class against the rest, or of each pair of classes.

        MulticlassAUC = mean over classes of A_c, or over pairs of classes of A_cd
        rest: A_c = AUC of the scores of c, the rows of c against all others
        each: A_cd = ½ (AUC of the scores of c + AUC of the scores of d), the rows of c against those of d

    The AUC is the share of pairs in which the row of the class has the greater score, ties counted half.

    Args:
        versus: ``rest`` (one against the rest, ``ovr`` in scikit-learn), or ``each`` (one against one,
            ``ovo``), which how many rows a class has does not change.
        average: ``macro`` is the mean over classes or pairs; ``weighted`` weighs each by its rows.
        absent: what a class without rows makes of the measure: ``undefined``, or the mean of the others
            (``skip``).

    Range: 0 to 1; 1/2 is what chance gives.
    Rows of one class only: undefined.

    Source: [hand2001].

    Example:
        The scores of a and b are in order; those of c in one of two pairs half: (1 + 1 + 1/4) / 3.

        >>> import rankmark as rm
        >>> table = {"label": list("abc"), "a": [0.6, 0.2, 0.1], "b": [0.1, 0.6, 0.5], "c": [0.3, 0.2, 0.2]}
        >>> round(rm.evaluate_predictions(table, "OvR_AUC", score=["a", "b", "c"])["OvR_AUC"], 6)
        0.75

    """
    support = classes.support()
    if np.count_nonzero(support) < 2:
        raise Undefined("every row is of one class")
    missing = np.flatnonzero(support == 0).tolist()
    names = ", ".join(str(classes.names[number]) for number in missing)
    why = f"no row is of class {names}" if missing and absent == "undefined" else None
    if versus == "rest":
        values = np.array([classes.auc(one) for one in range(len(support))])
        without = dict.fromkeys(missing, "no row is of it")
        return PerClass(np.nan if why else _mean(values, support, average), values, without, why)
    if why:
        raise Undefined(why)
    pairs = list(combinations(np.flatnonzero(support).tolist(), 2))
    of_pairs = np.array([(classes.auc(a, b) + classes.auc(b, a)) / 2 for a, b in pairs])
    return _mean(of_pairs, np.array([support[a] + support[b] for a, b in pairs]), average)


def _mean(values: Values, rows: Values, average: Literal["macro", "weighted"]) -> float:
    there = ~np.isnan(values)
    weights = rows[there] if average == "weighted" else np.ones(np.count_nonzero(there))
    return _native.exact_sum(weights * values[there]) / _native.exact_sum(weights)
