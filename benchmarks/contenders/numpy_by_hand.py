"""Dense scores with NumPy, written by hand: the top 100 of each row, and the measures of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders import Call, Contender, Means
from benchmarks.data import TOP, Data, dense_scores, judged_items

Array = NDArray[Any]
ROWS = 100  # at once: argpartition gives eight bytes a score


def argpartition(data: Data) -> Call:
    """`numpy.argpartition`, then the measures from those that it found."""
    scores = dense_scores(data)
    judged, grades = judged_items(data)

    def work() -> Means:
        starts = range(0, len(scores), ROWS)
        parts = [
            _measures(_top(scores[s : s + ROWS]), judged[s : s + ROWS], grades[s : s + ROWS]) for s in starts
        ]
        return {name: float(np.concatenate([part[name] for part in parts]).mean()) for name in parts[0]}

    return work


def _top(scores: Array) -> Array:
    """The best items of each row, best first."""
    top = np.argpartition(scores, -TOP, axis=1)[:, -TOP:]
    order = np.argsort(-np.take_along_axis(scores, top, axis=1), axis=1)
    return np.take_along_axis(top, order, axis=1)


def _measures(top: Array, judged: Array, grades: Array) -> dict[str, Array]:
    """Each measure's value, one a row."""
    grade = ((top[:, :, None] == judged[:, None, :]) * grades[:, None, :]).sum(axis=2)
    hit, relevant = grade > 0, (grades > 0).sum(axis=1)
    rank = np.arange(1, TOP + 1)
    discount = 1 / np.log2(rank[:10] + 1)
    ideal = -np.sort(-grades, axis=1)[:, :10] @ discount
    return {
        "nDCG@10": grade[:, :10] @ discount / ideal,
        "AP": (hit * hit.cumsum(axis=1) / rank).sum(axis=1) / relevant,
        "RR": np.where(hit.any(axis=1), 1 / (hit.argmax(axis=1) + 1), 0),
        "HR@10": hit[:, :10].any(axis=1).astype(float),
        "P@10": hit[:, :10].mean(axis=1),
        "R@10": hit[:, :10].sum(axis=1) / relevant,
    }


ARGPARTITION = Contender("NumPy by hand, argpartition", argpartition)
