"""PCOPC."""

from __future__ import annotations

import math
from typing import Literal

from rankmark.kinds.rows import Rows, Undefined
from rankmark.language.registry import row_measure


@row_measure(
    "PCOPC",
    aliases=("predicted_over_observed",),
    variants={"log_PCOPC": {"scale": "log"}},
    bounds=(None, None),
    labels="binary",
    scores="probability",
    better="neither",
)
def predicted_over_observed(rows: Rows, *, scale: Literal["ratio", "log"] = "ratio") -> float:
    """Predicted over observed clicks: 1 is calibrated on the whole, more is too high.

        PCOPC = Σ w·p / Σ w·y

    y is 1 for a positive row and else 0, and p the score. torchrec calls it calibration; its inverse is COPC.

    Args:
        scale: ``ratio`` is the formula, ``log`` its natural logarithm: 0 is calibrated, and twice too many is
            as far from that as half as many.

    Range: from 0; of the logarithm all numbers.
    No positive rows: undefined; of the logarithm also all predictions 0.

    Source: [graepel2010].

    Example:
        1.25 clicks were predicted, and 1 was observed.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0], "score": [0.5, 0.75]}
        >>> rm.evaluate_predictions(table, ["PCOPC"])["PCOPC"]
        1.25
        >>> round(rm.evaluate_predictions(table, ["PCOPC(scale=log)"])["PCOPC(scale=log)"], 6)
        0.223144

    """
    rows.check_positive()
    if scale == "ratio":
        return rows.score / rows.positive
    if rows.score == 0:
        raise Undefined("every prediction is 0")
    return math.log(rows.score / rows.positive)
