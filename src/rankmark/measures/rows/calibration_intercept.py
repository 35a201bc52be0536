"""CalibrationIntercept."""

from __future__ import annotations

from rankmark.kinds.calibration import Slope, recalibrate
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure
from rankmark.measures.rows.log_loss import Clip


@row_measure(
    "CalibrationIntercept",
    aliases=("calibration_in_the_large", "CITL"),
    bounds=(None, None),
    labels="binary",
    scores="probability",
    better="neither",
)
def calibration_intercept(rows: Rows, *, slope: Slope = "fixed", clip: Clip = 1e-15) -> float:
    """Calibration intercept: by how much all log odds are too low; 0 is calibrated on the whole.

        CalibrationIntercept = a        of logit(q) = a + b · logit(p), which makes Σ w·ln P(y | q) greatest

    p is the score, q the recalibrated probability of a positive row, and logit(p) = ln(p/(1 − p)). Above 0
    predictions are too low, below it too high.

    Args:
        slope: ``fixed`` keeps b = 1 (calibration in the large); ``fitted`` makes b the CalibrationSlope.
        clip: the least and, from 1, the greatest probability, as in LogLoss.

    Range: all numbers.
    Rows of one class only: undefined; with a fitted slope, also what leaves that undefined.

    Source: [cox1958]; [vancalster2019].

    Example:
        All odds are 1, and those observed 3 to 1: ln 3.

        >>> import rankmark as rm
        >>> table = {"label": [1, 1, 1, 0], "score": [0.5, 0.5, 0.5, 0.5]}
        >>> round(rm.evaluate_predictions(table, ["CalibrationIntercept"])["CalibrationIntercept"], 6)
        1.098612

    """
    return recalibrate(rows, clip, slope).intercept
