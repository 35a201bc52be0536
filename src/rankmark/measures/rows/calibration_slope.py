"""CalibrationSlope."""

from __future__ import annotations

from rankmark.kinds.calibration import recalibrate
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure
from rankmark.measures.rows.log_loss import Clip


@row_measure(
    "CalibrationSlope",
    aliases=("calibration_slope",),
    bounds=(None, None),
    labels="binary",
    scores="probability",
    better="neither",
)
def calibration_slope(rows: Rows, *, clip: Clip = 1e-15) -> float:
    """Calibration slope: whether predictions are too extreme; 1 is calibrated.

        CalibrationSlope = b        of logit(q) = a + b · logit(p), which makes Σ w·ln P(y | q) greatest

    p is the score, q the recalibrated probability of a positive row, and logit(p) = ln(p/(1 − p)). Below 1
    predictions are too extreme, as those of an overfitted model are; above 1 they are too close to one
    another.

    Args:
        clip: the least and, from 1, the greatest probability, as in LogLoss. Here it matters little which it
            is, but much whether there are predictions of 0 or 1.

    Range: all numbers; below 0 the greater scores are those of other rows.
    Rows of one class only, scores that separate the classes (the slope would be infinite), or all equal:
    undefined.

    Source: [cox1958]; [vancalster2019].

    Example:
        Log odds of −ln 9 and ln 9 were predicted; ¼ and ¾ were observed, log odds of −ln 3 and ln 3, half as
        far away.

        >>> import rankmark as rm
        >>> table = {"label": [0, 0, 0, 1, 0, 1, 1, 1], "score": [0.1] * 4 + [0.9] * 4}
        >>> round(rm.evaluate_predictions(table, ["CalibrationSlope"])["CalibrationSlope"], 6)
        0.5

    """
    return recalibrate(rows, clip, "fitted").slope
