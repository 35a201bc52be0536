"""BrierResolution."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.calibration import Binning, BinsOrScores, binned
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "BrierResolution",
    aliases=("brier_resolution",),
    bounds=(0, 0.25),
    labels="binary",
    scores="probability",
)
def brier_resolution(rows: Rows, *, bins: BinsOrScores = "scores", binning: Binning = "width") -> float:
    """Resolution: the part of the Brier score that telling rows apart takes away.

        BrierResolution = Σ_g v_g · (r_g − r)²

    g runs over groups of rows; v_g is the share of the rows' weight in group g, r_g its share of positive
    weight, and r that of all rows. The other parts are BrierReliability and BrierUncertainty.

    Args:
        bins: ``scores`` makes a group of each score, and a number so many bins; see BrierReliability.
        binning: of bins, as in ECE: bins of equal ``width``, or ``mass``.

    Range: 0 to BrierUncertainty.

    Source: [murphy1973].

    Example:
        Of the rows at 1/4 none is positive, of those at 3/4 one half, and of all 1/4.

        >>> import rankmark as rm
        >>> table = {"label": [0, 0, 1, 0], "score": [0.25, 0.25, 0.75, 0.75]}
        >>> rm.evaluate_predictions(table, ["BrierResolution"])["BrierResolution"]
        0.0625

    """
    if bins == "scores":
        return rows.ranked.resolution / rows.weight
    found = binned(rows, bins, binning)
    return float(np.sum(found.share * (found.rate - rows.base_rate) ** 2))
