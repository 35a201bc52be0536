"""RIG."""

from __future__ import annotations

from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure
from rankmark.measures.rows.log_loss import ClipOrPrecision
from rankmark.measures.rows.ne import normalised_entropy


@row_measure(
    "RIG",
    aliases=("relative_information_gain", "d2_log_loss_score"),
    bounds=(None, 1),
    labels="binary",
    scores="probability",
)
def relative_information_gain(rows: Rows, *, clip: ClipOrPrecision = 1e-15) -> float:
    """Relative information gain: the share of the labels' entropy that the predictions explain.

        RIG = 1 − NE

    Args:
        clip: as in LogLoss, also ``precision``.

    Range: to 1; 0 is what always predicting the share of positive rows gives.
    Rows of one class only: undefined.

    Source: [graepel2010].

    Example:
        The log loss is 1/2 bit (1 − p and p are √½), and that of predicting 1/2 is 1 bit.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0], "score": [0.5**0.5, 1 - 0.5**0.5]}
        >>> round(rm.evaluate_predictions(table, ["RIG"])["RIG"], 6)
        0.5

    """
    return 1 - normalised_entropy(rows, clip=clip)
