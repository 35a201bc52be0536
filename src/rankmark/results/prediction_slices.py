"""What measures of predictions come to in slices of the rows: by country, by placement."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from rankmark.aggregation.intervals import explained
from rankmark.language.written import written
from rankmark.rendering.words import chance, counted, rounded
from rankmark.results.sliced import Sliced, corrected_rows, slice_label, slice_members

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rankmark.inputs.attributes import QuerySlices
    from rankmark.results.predictions import PredictionResult
    from rankmark.statistics.delong import AUCDifference

    Apart: TypeAlias = Callable[[NDArray[np.intp]], Mapping[str, AUCDifference]]

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
        difference: of AUC, if intervals were asked for, the value less that of all other rows; else NaN.
        difference_low: the lower end of the difference's confidence interval.
        difference_high: the upper end.
        p: the chance of such a difference between slices that are alike (`statistics.unpaired_delong_test`,
            by queries where there is a column of them, which may have rows on both sides).
        p_corrected: the same for all slices together (Holm).

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
    difference: float = math.nan
    difference_low: float = math.nan
    difference_high: float = math.nan
    p: float = math.nan
    p_corrected: float = math.nan


@dataclass(frozen=True, slots=True)
class PredictionSlices(Sliced):
    """Measures of predictions in slices of the rows; ``print(slices)`` shows them.

    Attributes:
        rows: each measure in each slice of each column.
        confidence: the share of the intervals that hold the true value.
        notes: how the intervals were made.
        tests: the tests for which the p-values are corrected; one for an attribute of two slices.

    """

    rows: tuple[PredictionSlice, ...]
    confidence: float
    notes: tuple[str, ...] = ()
    tests: int = 0

    row: ClassVar[type] = PredictionSlice

    @property
    def columns(self) -> tuple[str, ...]:
        """As `Sliced.columns`: without positive rows and intervals where there are none."""
        positive = ["positive"] if any(row.positive is not None for row in self.rows) else []
        ends = ["low", "high"] if any(not math.isnan(row.low) for row in self.rows) else []
        apart = ["difference", "p"] if any(not math.isnan(row.p) for row in self.rows) else []
        return ("rows", *positive, "value", *ends, *apart)

    def cells(self, row: PredictionSlice, digits: int) -> list[str]:
        """As `Sliced.cells`."""
        shown = {
            "value": written(row.measure, row.value, digits),
            "difference": rounded(row.difference, f"+.{digits}f"),
            "p": chance(row.p_corrected, digits),
        }
        return [shown[name] if name in shown else _cell(getattr(row, name), digits) for name in self.columns]

    def explained(self) -> Iterator[str]:
        """As `Sliced.explained`."""
        yield from self.notes
        if tests := self.tests:
            yield (
                "difference: of AUC from that of all other rows; p: DeLong's test of it with t, "
                f"corrected for {counted(tests, 'test')} (Holm)"
            )
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
    slices: QuerySlices,
    evaluate: Callable[[NDArray[np.intp]], PredictionResult],
    confidence: float,
    apart: Apart | None = None,
) -> PredictionSlices:
    """The slices of a table.

    Args:
        slices: those of its rows.
        evaluate: what evaluates the rows of some numbers.
        confidence: of the intervals, if `evaluate` makes them.
        apart: the difference of some rows' AUC from that of all others, by the measure's name, if wanted.

    """
    rows: dict[tuple[str, str], list[PredictionSlice]] = {}
    notes = dict.fromkeys(slices.notes)
    for names in slices.frame:
        for value, inside in slice_members(names):
            result = evaluate(inside)
            differences = {} if apart is None else apart(inside)
            for row in _rows(names.name, value, result, differences):
                rows.setdefault((row.by, row.measure), []).append(row)
            if result.intervals:
                notes[explained(result.intervals, counted=False)] = None
    found, tests = corrected_rows(list(chain.from_iterable(rows.values())))
    return PredictionSlices(found, confidence, tuple(notes), tests)


def _rows(
    by: str, value: str | None, result: PredictionResult, apart: Mapping[str, AUCDifference]
) -> Iterator[PredictionSlice]:
    counts = result.counts
    for measure, found in result.values.items():
        interval = result.intervals.get(measure)
        ends = (interval.low, interval.high) if interval else (math.nan, math.nan)
        why = result.undefined.get(measure)
        row = PredictionSlice(by, value, measure, counts.rows, counts.positive, found, *ends, why)
        if measure in apart:
            own = apart[measure]
            low, high = own.interval
            row = replace(row, difference=own.difference, difference_low=low, difference_high=high, p=own.p)
        yield row
