"""MCE."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.calibration import Binning, NumberOfBins, binned
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "MCE",
    aliases=("maximum_calibration_error",),
    bounds=(0, 1),
    labels="binary",
    scores="probability",
    better="less",
)
def maximum_calibration_error(rows: Rows, *, bins: NumberOfBins = 15, binning: Binning = "width") -> float:
    """Maximum calibration error: the bin whose mean prediction is farthest from what was observed.

        MCE = max_b |p_b − r_b|

    b runs over the bins that have rows; p_b is the mean of a bin's scores, weighted, and r_b its share of
    positive weight. One bin with few rows can decide it; `rankmark.curve` shows them all, with intervals.

    Args:
        bins: how many bins.
        binning: as in ECE: bins of equal ``width``, or ``mass``.

    Range: 0 to 1; less is better.

    Source: [naeini2015].

    Example:
        The lower bin has the mean 0.25 and no positive row, the upper 0.75 and one of two.

        >>> import rankmark as rm
        >>> table = {"label": [0, 0, 1, 0], "score": [0.125, 0.375, 0.625, 0.875]}
        >>> rm.evaluate_predictions(table, ["MCE(bins=2)"]).values
        {'MCE(bins=2)': 0.25}

    """
    return float(np.max(np.abs(binned(rows, bins, binning).gap)))
