"""COPC."""

from __future__ import annotations

from rankmark.kinds.rows import Rows, Undefined
from rankmark.language.registry import row_measure


@row_measure(
    "COPC",
    aliases=("observed_over_predicted",),
    bounds=(0, None),
    labels="binary",
    scores="probability",
    better="neither",
)
def observed_over_predicted(rows: Rows) -> float:
    """Observed over predicted clicks: 1 is calibrated on the whole, less is predicted too high.

        COPC = Σ w·y / Σ w·p

    y is 1 for a positive row and else 0, and p the score. Its inverse is PCOPC.

    Range: from 0.
    All predictions 0: undefined.

    Source: [graepel2010].

    Example:
        1 click was observed, and 1.25 were predicted.

        >>> import rankmark as rm
        >>> rm.evaluate_predictions({"label": [1, 0], "score": [0.5, 0.75]}, ["COPC"])["COPC"]
        0.8

    """
    if rows.score == 0:
        raise Undefined("every prediction is 0")
    return rows.positive / rows.score
