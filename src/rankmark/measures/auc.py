"""AUC."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from rankmark.errors import MeasureError
from rankmark.measure import row_measure
from rankmark.parameters import Within
from rankmark.rows import Rows, Values

Rate = Annotated[float, Within(0, 1)]


@row_measure(
    "AUC",
    aliases=("ROC_AUC", "AUROC", "roc_auc_score"),
    bounds=(None, 1),
    cite="hanley1982",
    labels="binary",
)
def area_under_roc_curve(
    rows: Rows,
    *,
    min_fpr: Rate = 0,
    max_fpr: Rate = 1,
    min_tpr: Rate = 0,
    max_tpr: Rate = 1,
    scale: Literal["mcclish", "share", "area"] = "mcclish",
) -> float:
    """Area under the ROC curve: the share of pairs in which the positive row has the greater score.

        AUC = Σ_{i,j} w_i·w_j·([s_i > s_j] + ½ [s_i = s_j]) / (P · N)

    i runs over the positive rows, whose weights sum up to P, and j over the others, whose weights sum up to
    N. It is the area under the curve of TPR = TP/P over FPR = FP/N, which goes straight from one threshold
    to the next. A partial AUC is the part of that area within a rectangle:

        A = ∫ (min(max(TPR, min_tpr), max_tpr) − min_tpr) dFPR

    over FPR from `min_fpr` to `max_fpr`.

    Args:
        min_fpr: the lowest rate of false positives that counts.
        max_fpr: the highest (``max_fpr`` of scikit-learn).
        min_tpr: the lowest rate of true positives that counts; with ``max_fpr`` the two-way partial AUC.
        max_tpr: the highest.
        scale: of a partial AUC: ``mcclish`` is ½(1 + (A − C)/(B − C)), where B is the area of the rectangle
            and C the part of it that chance reaches: 1/2 is chance and 1 is best; ``share`` is A/B;
            ``area`` is A. Of the whole curve they are the same.

    Range: 0 to 1; 1/2 is what chance gives. A partial AUC on the scale ``mcclish`` can be negative.
    Rows of one class only: undefined.

    Source: J. Hanley, B. McNeil, "The meaning and use of the area under a receiver operating characteristic
    curve", Radiology 143, 1982; D. McClish, "Analyzing a portion of the ROC curve", Medical Decision Making
    9, 1989.

    Example:
        Positive rows score 3 and 1, others 2 and 1: of four pairs two are in order, and one is tied.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [3, 2, 1, 1]}
        >>> rm.evaluate_predictions(table, ["AUC", "AUC(max_fpr=0.5,scale=share)"]).values
        {'AUC': 0.625, 'AUC(max_fpr=0.5,scale=share)': 0.5}

    """
    if min_fpr >= max_fpr or min_tpr >= max_tpr:
        raise MeasureError(
            f"AUC: nothing lies between the rates {min_fpr:g} and {max_fpr:g} (FPR) "
            f"and {min_tpr:g} and {max_tpr:g} (TPR)"
        )
    rows.check_both_classes()
    ranked = rows.ranked
    if (min_fpr, max_fpr, min_tpr, max_tpr) == (0, 1, 0, 1):
        return ranked.pairs / (ranked.positive * ranked.negative)
    area = _area_within(ranked.curve.fpr, ranked.curve.tpr, (min_fpr, max_fpr), (min_tpr, max_tpr))
    diagonal = np.array([0.0, 1.0])
    chance = _area_within(diagonal, diagonal, (min_fpr, max_fpr), (min_tpr, max_tpr))
    most = (max_fpr - min_fpr) * (max_tpr - min_tpr)
    if scale == "area":
        return area
    return area / most if scale == "share" else (1 + (area - chance) / (most - chance)) / 2


def _area_within(x: Values, y: Values, across: tuple[float, float], up: tuple[float, float]) -> float:
    """The area under a curve that does not fall, within a rectangle."""
    low, high = up
    return _area_below(x, y, across, high) - _area_below(x, y, across, low)


def _area_below(x: Values, y: Values, across: tuple[float, float], cap: float) -> float:
    """∫ min(y, cap) dx."""
    begin, end = across
    reaches = int(np.searchsorted(y, cap))  # the first point that is as high as the cap
    if reaches == 0:
        return cap * (end - begin)
    share = (cap - y[reaches - 1]) / (y[reaches] - y[reaches - 1])
    crossing = float(x[reaches - 1] + share * (x[reaches] - x[reaches - 1]))
    turn = min(max(crossing, begin), end)
    return _integral(x, y, turn) - _integral(x, y, begin) + cap * (end - turn)


def _integral(x: Values, y: Values, end: float) -> float:
    """∫ y dx up to `end`."""
    after = int(np.searchsorted(x, end))  # the first point there or beyond
    if after == 0:
        return 0.0
    share = (end - x[after - 1]) / (x[after] - x[after - 1])
    height = y[after - 1] + share * (y[after] - y[after - 1])
    return float(np.trapezoid(np.append(y[:after], height), np.append(x[:after], end)))
