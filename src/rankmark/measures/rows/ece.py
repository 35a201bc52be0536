"""ECE."""

from __future__ import annotations

import math
from typing import Literal

from rankmark import _numpy as np
from rankmark.errors import MeasureError
from rankmark.kinds.calibration import Binning, Bins, NumberOfBins, binned, sweep
from rankmark.kinds.rows import Rows, Undefined, Values
from rankmark.language.registry import row_measure


@row_measure(
    "ECE",
    aliases=("expected_calibration_error", "calibration_error"),
    variants={"RMSCE": {"norm": "l2"}, "ECE_sweep": {"bins": "sweep", "binning": "mass"}},
    bounds=(None, 1),
    labels="binary",
    scores="probability",
    better="less",
)
def expected_calibration_error(
    rows: Rows,
    *,
    bins: Literal["sweep"] | NumberOfBins = 15,
    binning: Binning = "width",
    norm: Literal["l1", "l2"] = "l1",
    estimator: Literal["plugin", "debiased"] = "plugin",
) -> float:
    """Expected calibration error: how far mean predictions of bins are from what was observed there.

        ECE = Σ_b v_b · |p_b − r_b|                 norm=l1
        ECE = √( Σ_b v_b · (p_b − r_b)² )           norm=l2

    b runs over the bins that have rows; v_b is the share of the rows' weight in bin b, p_b the mean of its
    scores, weighted, and r_b its share of positive weight. For the confidence calibration of a classifier,
    give the probability of the class that it predicts as the score, and whether that is right as the label.

    Args:
        bins: how many bins, 10,000 at the most; ``sweep`` is the number, counted up from 1, at which observed
            rates last rise from bin to bin, of bins of equal mass.
        binning: ``width`` has bins of equal width, (0, 1/bins], (1/bins, 2/bins] … up to 1, the first with 0;
            ``mass`` bins that each hold 1/bins of the weight, as far as equal scores allow, which are never
            split: bin m ends with the least score that m/bins of the weight do not exceed.
        norm: ``l1`` adds up sizes, ``l2`` squares, and takes the root (RMSCE).
        estimator: ``plugin`` is the formula, which is too high where bins have few rows: chance alone moves
            r_b away from p_b. ``debiased`` takes out what chance is expected to add. With l2, from each
            square r_b·(1 − r_b)/(n_b − 1), and the sum is 0 at least; n_b = (Σ w)²/Σ w² is the number of rows
            if all weigh the same. With l1, it is 2 · ECE less the mean of ECE over r_b that are normally
            distributed, with their variances r_b·(1 − r_b)/n_b.

    Range: 0 to 1; less is better. With l1, debiased values can be a little below 0.
    Debiased l2 of a bin with one row only: undefined.

    Source: [naeini2015]; the debiased estimators [kumar2019] (of l1 the mean that is drawn at random there);
    bins of equal mass and their sweep [roelofs2022].

    Example:
        Of two bins the lower has the mean 0.25 and no positive row, the upper 0.75 and both rows positive:
        1/2 · 0.25 + 1/2 · 0.25.

        >>> import rankmark as rm
        >>> table = {"label": [0, 0, 1, 1], "score": [0.125, 0.375, 0.625, 0.875]}
        >>> rm.evaluate_predictions(table, ["ECE(bins=2)", "ECE(bins=2,norm=l2)"]).values
        {'ECE(bins=2)': 0.25, 'ECE(bins=2,norm=l2)': 0.25}

    """
    if bins == "sweep":
        if binning != "mass":
            raise MeasureError("ECE(bins=sweep) is of bins of equal mass: write ECE(bins=sweep,binning=mass)")
        bins = sweep(rows)
    found = binned(rows, bins, binning)
    if norm == "l1":
        error = float(np.sum(found.share * np.abs(found.gap)))
        return error if estimator == "plugin" else 2 * error - float(np.sum(found.share * _mean_size(found)))
    squares = found.gap**2
    if estimator == "debiased":
        squares = squares - _variance(found, _degrees(found))
    return float(np.sqrt(max(np.sum(found.share * squares), 0.0)))


def _variance(found: Bins, numbers: Values) -> Values:
    variances: Values = found.rate * (1 - found.rate) / numbers
    return variances


def _degrees(found: Bins) -> Values:
    """How many rows each bin has beyond the first."""
    single = int(np.count_nonzero(found.rows == 1))
    if single:
        raise Undefined(f"{single} of {len(found.rows)} bins with only one row")
    return found.effective - 1


def _mean_size(found: Bins) -> Values:
    """The mean of |x| for x that are normally distributed around each bin's gap."""
    size, deviation = np.abs(found.gap), np.sqrt(_variance(found, found.effective))
    sure = deviation == 0
    away = np.divide(size, deviation, out=np.full(len(size), np.inf), where=~sure)
    within = np.array([math.erf(each) for each in away / math.sqrt(2)])
    means: Values = size * within + deviation * math.sqrt(2 / math.pi) * np.exp(-(away**2) / 2)
    return means
