"""NE."""

from __future__ import annotations

from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure
from rankmark.measures.rows.log_loss import ClipOrPrecision


@row_measure(
    "NE",
    aliases=("normalised_entropy", "normalized_entropy"),
    bounds=(0, None),
    labels="binary",
    scores="probability",
    better="less",
)
def normalised_entropy(rows: Rows, *, clip: ClipOrPrecision = 1e-15) -> float:
    """Normalised entropy: the log loss, over that of always predicting the share of positive rows.

        NE = LogLoss / −(r · ln r + (1 − r) · ln(1 − r))        r = Σ w·y / Σ w

    Below 1 the predictions tell more than that share alone. The unit of the logarithm cancels out.

    Args:
        clip: as in LogLoss, also ``precision``.

    Range: from 0; less is better.
    Rows of one class only, whose entropy is 0: undefined.

    Source: [he2014].

    Example:
        The log loss is 1.5 bits, and that of predicting 1/2 is 1 bit.

        >>> import rankmark as rm
        >>> rm.evaluate_predictions({"label": [1, 0], "score": [0.5, 0.75]}, ["NE"])["NE"]
        1.5

    """
    return rows.log_loss(clip) / rows.weight / rows.entropy
