"""Confusion."""

from __future__ import annotations

from typing import Literal

from rankmark.kinds.decisions import AtThreshold, Top, decided
from rankmark.kinds.rows import Rows
from rankmark.language.registry import row_measure


@row_measure(
    "Confusion",
    aliases=("confusion_matrix",),
    variants={
        "TP": {"count": "tp"},
        "FP": {"count": "fp"},
        "TN": {"count": "tn"},
        "FN": {"count": "fn"},
    },
    bounds=(0, None),
    labels="binary",
    aggregate="sum",
    better="neither",
)
def confusion(
    rows: Rows,
    *,
    count: Literal["found", "tp", "fp", "tn", "fn"] = "found",
    threshold: float = 0.5,
    top: Top = "none",
) -> float | AtThreshold:
    """Confusion matrix of a decision: how many rows it finds, and how many of either class.

        Confusion = tp + fp
        tp = Σ w·y·[found]      fp = Σ w·(1 − y)·[found]      fn = P − tp      tn = N − fp

    y is 1 for a positive row and else 0; the weights of all rows of either class sum up to P and N. The whole
    matrix, a row a label, is ``result.confusion`` of whoever asked for the measure; each of its numbers can
    be asked for as ``TP``, ``FP``, ``TN`` and ``FN``, too.

    Args:
        count: the rows that are ``found``; or ``tp`` and ``fp``, true and false positives, or
            ``tn`` and ``fn``, true and false negatives.
        threshold: the least score that is found, in the precision of the scores' column.
        top: the share of the rows (of their weight), those with the greatest scores, that is found instead,
            such as 0.1, or how many of them, whatever they weigh, such as 10; or ``none``. Of equal scores at
            the border the part that is needed counts, mixed as they are: the expected value over all orders
            of rows that weigh the same.

    Range: from 0.

    Source: [metz1978].

    Example:
        Three rows score at least 0.5; two of them are positive.

        >>> import rankmark as rm
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.5, 0.1]}
        >>> list(rm.evaluate_predictions(table, "TP FP TN FN").values.values())
        [2.0, 1.0, 1.0, 0.0]
        >>> rm.evaluate_predictions(table, "Confusion").confusion.rows()
        [('0', 1.0, 1.0), ('1', 0.0, 2.0)]

    """
    return decided(
        rows,
        lambda c: {"found": c.found, "tp": c.tp, "fp": c.fp, "tn": c.tn, "fn": c.fn}[count],
        threshold,
        top,
    )
