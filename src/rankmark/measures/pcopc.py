"""PCOPC."""

from __future__ import annotations

from rankmark.measure import row_measure
from rankmark.rows import Rows


@row_measure(
    "PCOPC",
    aliases=("predicted_over_observed",),
    bounds=(0, None),
    cite="graepel2010",
    labels="binary",
    scores="probability",
    better="neither",
)
def predicted_over_observed(rows: Rows) -> float:
    """Predicted over observed clicks: 1 is calibrated on the whole, more is too high.

        PCOPC = Σ w·p / Σ w·y

    y is 1 for a positive row and else 0, and p the score. torchrec calls it calibration; its inverse is COPC.

    Range: from 0.
    No positive rows: undefined.

    Source: T. Graepel, J. Quiñonero Candela, T. Borchert, R. Herbrich, "Web-scale Bayesian click-through rate
    prediction for sponsored search advertising in Microsoft's Bing search engine", ICML 2010.

    Example:
        1.25 clicks were predicted, and 1 was observed.

        >>> import rankmark as rm
        >>> rm.evaluate_predictions({"label": [1, 0], "score": [0.5, 0.75]}, ["PCOPC"])["PCOPC"]
        1.25

    """
    rows.check_positive()
    return rows.score / rows.positive
