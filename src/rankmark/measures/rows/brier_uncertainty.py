"""BrierUncertainty."""

from __future__ import annotations

from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "BrierUncertainty",
    aliases=("brier_uncertainty",),
    bounds=(0, 0.25),
    labels="binary",
    scores="probability",
    better="neither",
)
def brier_uncertainty(rows: Rows) -> float:
    """Uncertainty: the part of the Brier score that no prediction decides.

        BrierUncertainty = r · (1 − r)        r = Σ w·y / Σ w

    It is the Brier score of always predicting the share r of positive rows. The other parts are
    BrierReliability and BrierResolution.

    Range: 0 to 1/4.

    Source: [murphy1973].

    Example:
        One of four rows is positive: 1/4 · 3/4.

        >>> import rankmark as rm
        >>> table = {"label": [0, 0, 1, 0], "score": [0.25, 0.25, 0.75, 0.75]}
        >>> rm.evaluate_predictions(table, ["BrierUncertainty"])["BrierUncertainty"]
        0.1875

    """
    return rows.base_rate * (1 - rows.base_rate)
