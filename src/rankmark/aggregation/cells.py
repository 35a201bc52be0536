"""Measures of predicted classes as functions of the cells of a confusion matrix, to which rows belong."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from rankmark.aggregation.intervals import STEP, OfShare, Sample, Sampling, Units, cleared, slopes_of
from rankmark.kinds.classes import Classes, Predicted
from rankmark.statistics.resampling import Floats

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OfCells"]

MOST_CELLS = 1_000
"""Cells up to which the derivatives by all of them are quicker than the jackknife."""


class OfCells(OfShare):
    """A value that is a function of a confusion matrix.

    Attributes:
        classes: the rows.
        ties: which of several greatest scores is predicted.
        value_of: the measure, of rows.
        is_share: whether it is the share of all rows that are right or wrong.

    """

    def __init__(
        self,
        units: Units,
        value: float,
        value_of: Callable[[Classes], float],
        classes: Classes,
        ties: Predicted,
        *,
        is_share: bool,
    ) -> None:
        super().__init__(units, value, lambda rows: value_of(classes.drawn(rows)))
        self.classes, self.ties, self.value_of, self.is_share = classes, ties, value_of, is_share
        self._row, self._code, self._weight = classes.row_cells(ties)

    @property
    def zeros_and_ones(self) -> Floats | None:
        """As `Sample.zeros_and_ones`."""
        return super().zeros_and_ones if self.is_share else None

    @property
    def swaps(self) -> bool:
        """As `Sample.swaps`."""
        return True

    def moves(self, sampling: Sampling) -> Floats:
        """As `Sample.moves`, by the derivatives where there are not too many cells."""
        codes, at = np.unique(self._code, return_inverse=True)
        if len(codes) > MOST_CELLS:
            return super().moves(sampling)
        slopes = self._slopes(codes, _sums(at, self._weight, len(codes)))
        own = self._by_unit(slopes[at] * self._weight)
        return np.asarray(own - own.mean())

    def differences(self, other: Sample, sampling: Sampling) -> Floats:
        """As `Sample.differences`, as for functions of sums."""
        assert isinstance(other, OfCells)
        codes, at = np.unique(np.concatenate([self._code, other._code]), return_inverse=True)
        if len(codes) > MOST_CELLS:
            return super().differences(other, sampling)
        weights = np.concatenate([self._weight, other._weight])
        slopes = self._slopes(codes, _sums(at, weights, len(codes)) / 2)
        parts = np.split(slopes[at] * weights, [len(self._code)])
        one, another = self._by_unit(parts[0]), other._by_unit(parts[1])
        magnitudes = self._by_unit(np.abs(parts[0])) + other._by_unit(np.abs(parts[1]))
        return self.units * cleared(one - another, magnitudes)

    def _slopes(self, codes: NDArray[np.intp], sums: Floats) -> Floats:
        """The derivatives by the weight of each cell."""
        label, predicted = np.divmod(codes, len(self.classes.names))

        def value_of(weights: Floats) -> float:
            cells = Classes(self.classes.names, label, predicted=predicted, weights=weights)
            return self.value_of(cells)

        # Of a cell with few rows a greater share, for the value's digits are those of all rows.
        return slopes_of(value_of, sums, np.minimum(STEP * sums.sum(), sums / 2))

    def _by_unit(self, parts: Floats) -> Floats:
        """The sum of what parts of rows add, in each unit."""
        each = _sums(self._row, parts, self.rows.count)
        return np.asarray(self.rows.by_unit(each[:, None])[:, 0])


def _sums(places: NDArray[np.intp], parts: Floats, count: int) -> Floats:
    return np.asarray(np.bincount(places, parts, count), dtype=np.float64)
