"""What the tests of boosting hooks train on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import rankmark as rm


class Rows(NamedTuple):
    """Rows of groups, with grades 0 to 3 and clicks."""

    features: NDArray[np.float64]
    grades: NDArray[np.int64]
    clicks: NDArray[np.int64]
    groups: NDArray[np.int64]
    sizes: NDArray[np.int64]
    weights: NDArray[np.float64]

    def evaluated(self, measures: str, scores: Any, labels: Any = None, **said: Any) -> list[float]:
        """What rankmark makes of predictions for the grades, or other labels."""
        labels = self.grades if labels is None else labels
        table = {"label": labels, "score": scores, "query": self.groups}
        return [*rm.evaluate_predictions(table, measures, **said).values.values()]


def rows(seed: int, groups: int = 40) -> Rows:
    """Rows of so many groups."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 20, groups)
    features = rng.normal(size=(sizes.sum(), 4))
    noisy = features[:, 0] + rng.normal(size=len(features))
    grades = np.digitize(noisy, [0, 1, 2])
    firsts = np.cumsum(sizes) - sizes
    grades[firsts] = np.maximum(grades[firsts], 1)  # something is relevant in each
    of_groups = np.repeat(np.arange(groups), sizes)
    return Rows(features, grades, (grades > 0).astype(int), of_groups, sizes, rng.uniform(1, 3, len(grades)))


TRAINING, VALIDATION = rows(1), rows(2, 30)
