"""ACE."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.calibration import NumberOfBins, binned
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "ACE",
    aliases=("adaptive_calibration_error",),
    bounds=(0, 1),
    labels="binary",
    scores="probability",
    better="less",
)
def adaptive_calibration_error(rows: Rows, *, bins: NumberOfBins = 15) -> float:
    """Adaptive calibration error: the mean distance of bins of equal mass from what was observed there.

        ACE = (1/B) Σ_b |p_b − r_b|

    b runs over the B bins that have rows; p_b is the mean of a bin's scores, weighted, and r_b its share of
    positive weight. Each bin holds 1/bins of the weight, as far as equal scores allow, which are never split:
    bin m ends with the least score that m/bins of the weight do not exceed. Where there are none, it is
    ECE(binning=mass), in which a bin counts for its weight.

    Args:
        bins: how many bins.

    Range: 0 to 1; less is better.

    Source: [nixon2019]; of several classes it is their mean.

    Example:
        The lower half has the mean 0.25 and no positive row, the upper 0.75 and one of two.

        >>> import rankmark as rm
        >>> table = {"label": [0, 0, 1, 0], "score": [0.125, 0.375, 0.625, 0.875]}
        >>> rm.evaluate_predictions(table, ["ACE(bins=2)"]).values
        {'ACE(bins=2)': 0.25}

    """
    return float(np.mean(np.abs(binned(rows, bins, "mass").gap)))
