"""AUC."""

from __future__ import annotations

from typing import Annotated, Literal

from rankmark import _numpy as np
from rankmark.errors import MeasureError
from rankmark.kinds.ranges import Within
from rankmark.kinds.rows import Rows, Undefined, Values
from rankmark.language.registry import row_measure
from rankmark.statistics.areas import trapezoid

Rate = Annotated[float, Within(0, 1)]


@row_measure(
    "AUC",
    aliases=("ROC_AUC", "AUROC", "roc_auc_score"),
    bounds=(None, 1),
    usual_bounds=(0, 1),
    labels="binary",
)
def area_under_roc_curve(
    rows: Rows,
    *,
    min_fpr: Rate = 0,
    max_fpr: Rate = 1,
    min_tpr: Rate = 0,
    max_tpr: Rate = 1,
    min_precision: Rate = 0,
    max_precision: Rate = 1,
    scale: Literal["mcclish", "share", "area"] = "mcclish",
) -> float:
    """Area under the ROC curve: the share of pairs in which the positive row has the greater score.

        AUC = Σ_{i,j} w_i·w_j·([s_i > s_j] + ½ [s_i = s_j]) / (P · N)

    i runs over the positive rows, whose weights sum up to P, and j over the others, whose weights sum up to
    N. It is the area under the curve of TPR = TP/P over FPR = FP/N, which goes straight from one threshold
    to the next. A partial AUC is the area A of the part of it where, with points (x, y) of that plane,

        min_fpr ≤ x ≤ max_fpr     min_tpr ≤ y ≤ max_tpr     min_precision ≤ y·P/(y·P + x·N) ≤ max_precision

    Points of the same precision are on a line through (0, 0), so that a range of precision is what lies
    between two such lines, and within a range of rates and precision together what lies in all.

    Args:
        min_fpr: the lowest rate of false positives that counts.
        max_fpr: the highest (``max_fpr`` of scikit-learn).
        min_tpr: the lowest rate of true positives that counts; with ``max_fpr`` the two-way partial AUC.
        max_tpr: the highest.
        min_precision: the lowest precision that counts.
        max_precision: the highest.
        scale: of a partial AUC: ``mcclish`` is ½(1 + (A − C)/(B − C)), where B is the greatest area that
            there can be within the ranges and C that of chance: 1/2 is chance and 1 is best; ``share`` is
            A/B; ``area`` is A. Of the whole curve they are the same.

    Range: 0 to 1; 1/2 is what chance gives. A partial AUC on the scale ``mcclish`` can be negative.
    Rows of one class only, ranges that no point is in, or ``mcclish`` where chance reaches all that there is
    (no precision above the share of positive rows counts): undefined.

    Source: [hanley1982]; [mcclish1989]; [flach2003] (lines of the same precision).

    Example:
        Positive rows score 3 and 1, others 2 and 1: of four pairs two are in order, and one is tied.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [3, 2, 1, 1]}
        >>> rm.evaluate_predictions(table, ["AUC", "AUC(max_fpr=0.5,scale=share)"]).values
        {'AUC': 0.625, 'AUC(max_fpr=0.5,scale=share)': 0.5}

    """
    ranges = {
        "FPR": (min_fpr, max_fpr),
        "TPR": (min_tpr, max_tpr),
        "precision": (min_precision, max_precision),
    }
    for what, (low, high) in ranges.items():
        if low >= high:
            raise MeasureError(f"AUC: nothing lies between a {what} of {low:g} and of {high:g}")
    rows.check_both_classes()
    ranked = rows.ranked
    if set(ranges.values()) == {(0, 1)}:
        return ranked.in_order
    region = _Region(ranges["FPR"], ranges["TPR"], ranges["precision"], ranked.positive / ranked.negative)
    area = region.area_under(ranked.curve.fpr, ranked.curve.tpr)
    if scale == "area":
        return area
    most = region.area_under(np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0]))
    if most == 0:
        raise Undefined("no point has rates and a precision within these ranges")
    if scale == "share":
        return area / most
    chance = region.area_under(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    if most - chance <= ROUNDING * most:
        raise Undefined("chance reaches all that lies within these ranges; choose scale=share or scale=area")
    return (1 + (area - chance) / (most - chance)) / 2


ROUNDING = 1e-12
"""Areas that differ by less than this part of them are the same."""


class _Region:
    """A part of the plane of FPR and TPR: above one line of straight pieces, and below another.

    Attributes:
        x: where the pieces begin and end, ascending.
        low: the lower line there.
        high: the upper one, never below it.

    """

    def __init__(
        self, fpr: tuple[float, float], tpr: tuple[float, float], precision: tuple[float, float], odds: float
    ) -> None:
        # Of the precision p are the points y = slope·x.
        slopes = [p / (1 - p) / odds if p < 1 else np.inf for p in precision]
        crossings = [y / slope for slope in slopes for y in tpr if 0 < slope < np.inf]
        self.x = np.unique([*fpr, *(x for x in crossings if fpr[0] < x < fpr[1])])
        self.low = np.maximum(tpr[0], slopes[0] * self.x)
        steep = np.full(len(self.x), tpr[1]) if slopes[1] == np.inf else slopes[1] * self.x
        self.high = np.maximum(np.minimum(tpr[1], steep), self.low)

    def area_under(self, x: Values, y: Values) -> float:
        """The area of the part that is below a curve which does not fall."""
        return self._below(x, y, self.high) - self._below(x, y, self.low)

    def _below(self, x: Values, y: Values, line: Values) -> float:
        """∫ min(y, line) dx from the first to the last of the region's borders."""
        total = 0.0
        for at in range(len(self.x) - 1):
            begin, end = self.x[at : at + 2]
            own_x, own_y = _between(x, y, begin, end)
            cap = line[at] + (own_x - begin) / (end - begin) * (line[at + 1] - line[at])
            total += trapezoid(cap, own_x) + _negative_part(own_x, own_y - cap)
        return total


def _between(x: Values, y: Values, begin: float, end: float) -> tuple[Values, Values]:
    """The part of a curve from one abscissa to another."""
    after, before = int(np.searchsorted(x, begin, "right")), int(np.searchsorted(x, end, "left"))
    heights = [_height(x, y, after, begin), _height(x, y, before, end)]
    between = slice(after, before)
    return (
        np.concatenate([[begin], x[between], [end]]),
        np.concatenate([heights[:1], y[between], heights[1:]]),
    )


def _height(x: Values, y: Values, after: int, at: float) -> float:
    """The height of a curve at an abscissa, on the piece that ends with the point `after`."""
    share = (at - x[after - 1]) / (x[after] - x[after - 1])
    return float(y[after - 1] + share * (y[after] - y[after - 1]))


def _negative_part(x: Values, height: Values) -> float:
    """∫ min(height, 0) dx of a line of straight pieces."""
    below, size = np.minimum(height, 0), np.abs(height)
    ends, sizes = below[1:] + below[:-1], size[1:] + size[:-1]
    # A piece that crosses 0 has a triangle below it.
    share = np.divide(-ends, sizes, out=np.zeros(len(ends)), where=sizes > 0)
    return float(np.sum(np.diff(x) / 2 * ends * share))
