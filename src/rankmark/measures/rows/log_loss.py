"""LogLoss."""

from __future__ import annotations

import math
from typing import Annotated, Literal, TypeAlias

from rankmark.kinds.ranges import Between
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure

Clip: TypeAlias = Annotated[float, Between(0, 0.5)]
"""How far probabilities are kept from 0 and 1, whose logarithms are infinite."""
ClipOrPrecision: TypeAlias = Clip | Literal["precision"]
"""The same, or by the precision of the scores' type."""


@row_measure(
    "LogLoss",
    aliases=("log_loss", "binary_logloss", "cross_entropy", "binary_cross_entropy", "BCE"),
    bounds=(0, None),
    labels="binary",
    scores="probability",
    better="less",
)
def log_loss(rows: Rows, *, clip: ClipOrPrecision = 1e-15, unit: Literal["nats", "bits"] = "nats") -> float:
    """Log loss (cross-entropy): the mean surprise at the labels.

        LogLoss = −Σ w · (y · ln p + (1 − y) · ln(1 − p)) / Σ w

    y is 1 for a positive row and else 0, and p the score, put into [clip, 1 − clip] first.

    Args:
        clip: the least and, from 1, the greatest probability. Tools differ, and one certain prediction that
            is wrong costs −ln(clip): RecBole has 1e-15, torchrec 1e-12, and scikit-learn ``precision``, that
            of the column's type (2.2e-16, or 1.2e-7 for float32).
        unit: of the logarithm: ``nats`` (base e), or ``bits`` (base 2, torchrec).

    Range: 0 to −ln(clip); less is better.

    Source: [good1952].

    Example:
        Probabilities given to what happened: 1/2 and 1/4, so (1 + 2) / 2 bits.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0], "score": [0.5, 0.75]}
        >>> rm.evaluate_predictions(table, ["LogLoss(unit=bits)"]).values
        {'LogLoss(unit=bits)': 1.5}

    """
    nats = rows.log_loss(clip) / rows.weight
    return nats / math.log(2) if unit == "bits" else nats
