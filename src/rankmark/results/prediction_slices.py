"""What measures of predictions come to in slices of the rows: by country, by placement."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from rankmark.aggregation.intervals import explained
from rankmark.rendering.words import counted, rounded
from rankmark.results.sliced import Sliced, slice_label, slice_members

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rankmark.inputs.attributes import QuerySlices
    from rankmark.results.predictions import PredictionResult

__all__ = ["PredictionSlice", "PredictionSlices", "prediction_slices", "without_value"]


@dataclass(frozen=True, slots=True)
class PredictionSlice:
    """One measure in one slice of the rows; NaN where there is no value, or no interval was asked for.

    Attributes:
        by: the column.
        slice: its value; None for the rows that have none.
        measure: the measure's name.
        rows: rows in the slice.
        positive: positive ones; None if no measure of binary labels was asked for.
        value: the measure's value, of these rows alone.
        low: the lower end of its confidence interval.
        high: the upper end.
        undefined: why there is no value; None where there is one.

    """

    by: str
    slice: str | None
    measure: str
    rows: int
    positive: int | None
    value: float
    low: float
    high: float
    undefined: str | None


@dataclass(frozen=True, slots=True)
class PredictionSlices(Sliced):
    """Measures of predictions in slices of the rows; ``print(slices)`` shows them.

    Attributes:
        rows: each measure in each slice of each column.
        confidence: the share of the intervals that hold the true value.
        notes: how the intervals were made.

    """

    rows: tuple[PredictionSlice, ...]
    confidence: float
    notes: tuple[str, ...] = ()

    row: ClassVar[type] = PredictionSlice

    @property
    def columns(self) -> tuple[str, ...]:
        """As `Sliced.columns`: without positive rows and intervals where there are none."""
        positive = ["positive"] if any(row.positive is not None for row in self.rows) else []
        ends = ["low", "high"] if any(not math.isnan(row.low) for row in self.rows) else []
        return ("rows", *positive, "value", *ends)

    def cells(self, row: PredictionSlice, digits: int) -> list[str]:
        """As `Sliced.cells`."""
        values = (getattr(row, name) for name in self.columns)
        return [_cell(value, digits) for value in values]

    def explained(self) -> Iterator[str]:
        """As `Sliced.explained`."""
        yield from self.notes
        yield from without_value((row.measure, row.undefined, row.slice) for row in self.rows)


def without_value(found: Iterable[tuple[str, str | None, str | None]]) -> Iterator[str]:
    """In which slices measures have no value and why, of a measure, a reason (or None) and a slice each."""
    slices: dict[tuple[str, str], list[str]] = {}
    for measure, why, name in found:
        if why is not None:
            slices.setdefault((measure, why), []).append(slice_label(name))
    for (measure, why), names in slices.items():
        yield f"no value of {measure} in {counted(len(names), 'slice')} ({_some(names)}): {why}"


def _cell(value: float | None, digits: int) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else rounded(value, f".{digits}f")


def _some(names: Sequence[str]) -> str:
    """The first few of them."""
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")


def prediction_slices(
    slices: QuerySlices, evaluate: Callable[[NDArray[np.intp]], PredictionResult], confidence: float
) -> PredictionSlices:
    """The slices of a table.

    Args:
        slices: those of its rows.
        evaluate: what evaluates the rows of some numbers.
        confidence: of the intervals, if `evaluate` makes them.

    """
    rows: dict[tuple[str, str], list[PredictionSlice]] = {}
    notes = dict.fromkeys(slices.notes)
    for names in slices.frame:
        for value, inside in slice_members(names):
            result = evaluate(inside)
            for row in _rows(names.name, value, result):
                rows.setdefault((row.by, row.measure), []).append(row)
            if result.intervals:
                notes[explained(result.intervals, counted=False)] = None
    return PredictionSlices(tuple(chain.from_iterable(rows.values())), confidence, tuple(notes))


def _rows(by: str, value: str | None, result: PredictionResult) -> Iterator[PredictionSlice]:
    counts = result.counts
    for measure, found in result.values.items():
        interval = result.intervals.get(measure)
        ends = (interval.low, interval.high) if interval else (math.nan, math.nan)
        why = result.undefined.get(measure)
        yield PredictionSlice(by, value, measure, counts.rows, counts.positive, found, *ends, why)
