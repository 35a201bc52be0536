"""BrierReliability."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.calibration import Binning, BinsOrScores, binned
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "BrierReliability",
    aliases=("brier_reliability",),
    bounds=(0, 1),
    labels="binary",
    scores="probability",
    better="less",
)
def brier_reliability(rows: Rows, *, bins: BinsOrScores = "scores", binning: Binning = "width") -> float:
    """Reliability: the part of the Brier score that is due to miscalibration.

        BrierReliability = Σ_g v_g · (p_g − r_g)²

    g runs over groups of rows; v_g is the share of the rows' weight in group g, p_g the mean of its scores,
    weighted, and r_g its share of positive weight. With a group for each score

        Brier = BrierReliability − BrierResolution + BrierUncertainty

    while in bins the scores of a bin differ, by which the two sides differ. Scores that hardly any two rows
    have in common want bins: on its own, each row looks badly calibrated, and perfectly resolved.

    Args:
        bins: ``scores`` makes a group of each score, and a number so many bins.
        binning: of bins, as in ECE: bins of equal ``width``, or ``mass``.

    Range: 0 to 1; less is better.

    Source: [murphy1973].

    Example:
        Of the rows at 1/4 none is positive, of those at 3/4 one half: (1/4)² for each half.

        >>> import rankmark as rm
        >>> table = {"label": [0, 0, 1, 0], "score": [0.25, 0.25, 0.75, 0.75]}
        >>> parts = ["Brier", "BrierReliability", "BrierResolution", "BrierUncertainty"]
        >>> list(rm.evaluate_predictions(table, parts).values.values())
        [0.1875, 0.0625, 0.0625, 0.1875]

    """
    if bins == "scores":
        return rows.ranked.reliability / rows.weight
    found = binned(rows, bins, binning)
    return float(np.sum(found.share * found.gap**2))
