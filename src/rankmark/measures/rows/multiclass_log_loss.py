"""MulticlassLogLoss."""

from __future__ import annotations

import math
from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.classes import Classes
from rankmark.language.registry import row_measure
from rankmark.measures.rows.log_loss import Clip


@row_measure(
    "MulticlassLogLoss",
    aliases=(
        "LogLoss",
        "log_loss",
        "multi_logloss",
        "mlogloss",
        "cross_entropy",
        "categorical_cross_entropy",
    ),
    bounds=(0, None),
    labels="classes",
    scores="probability",
    better="less",
)
def multiclass_log_loss(
    classes: Classes, *, clip: Clip = 1e-15, unit: Literal["nats", "bits"] = "nats"
) -> float:
    """Log loss of predicted classes (cross-entropy): the mean surprise at the rows' own classes.

        MulticlassLogLoss = −Σ w · ln p / Σ w

    p is the probability given to the row's own class, put into [clip, 1 − clip] first. The probabilities of a
    row must sum to 1; a difference of up to 0.001, from rounding, is let pass, and not corrected.

    Args:
        clip: the least and, from 1, the greatest probability. scikit-learn takes the precision of the
            column's type (2.2e-16, or 1.2e-7 for float32).
        unit: of the logarithm: ``nats`` (base e), or ``bits`` (base 2).

    Range: 0 to −ln(clip); less is better.

    Source: [good1952].

    Example:
        Probabilities given to what happened: 1/2 and 1/4, so (1 + 2) / 2 bits.

        >>> import rankmark as rm
        >>> table = {"label": [0, 2], "score": [[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]}
        >>> measure = rm.MulticlassLogLoss(unit="bits")
        >>> rm.evaluate_predictions(table, measure, classes=[0, 1, 2])[measure]
        1.5

    """
    nats = classes.mean(-np.log(np.clip(classes.own_scores, clip, 1 - clip)))
    return nats / math.log(2) if unit == "bits" else nats
