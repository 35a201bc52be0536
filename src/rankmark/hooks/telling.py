"""What hooks warn of, because the numbers that tools take have no notes beside them."""

from __future__ import annotations

import warnings
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark.dataclassing import dataclass
from rankmark.inputs.arrays.libraries import is_array, to_numpy
from rankmark.language.conventions.convention import UNLIKE
from rankmark.results.base import Result

__all__ = ["Told"]

FEW = 10
"""So many different whole numbers are grades rather than scores."""


@dataclass(slots=True)
class Told:
    """Warnings of one metric, each of which comes once."""

    _said: set[str] = field(default_factory=set)

    def departures(self, result: Result) -> None:
        """Warns of what in the data keeps a number from being that of the tool whose name it has."""
        for note in result.notes:
            if note.startswith(UNLIKE):
                self._warn(note)

    def swapped(self, labels: Any, scores: Any) -> None:
        """Warns where labels look like scores, most of them fractions, and scores like labels.

        Scores travel from where they are only if the labels look so.
        """
        grades = _finite(labels)
        if not len(grades) or 2 * np.count_nonzero(grades % 1) < len(grades):
            return
        found = _finite(scores)
        if (found % 1).any():
            return
        different = len(np.unique(found))
        if 1 < different <= FEW:
            self._warn(
                f"the labels have fractions for grades, and the scores are whole numbers, {different} "
                "different ones: are the two swapped?"
            )

    def _warn(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            warnings.warn(text, UserWarning, stacklevel=4)


def _finite(values: Any) -> NDArray[np.float64]:
    numbers: NDArray[Any] = to_numpy(values) if is_array(values) else np.asarray(values)
    if numbers.dtype.kind not in "biuf":
        return np.empty(0)
    exact: NDArray[np.float64] = numbers.astype(np.float64)
    return exact[np.isfinite(exact)]
