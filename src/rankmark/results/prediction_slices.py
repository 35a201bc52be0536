"""What measures of predictions come to in slices of the rows: by country, by placement."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from rankmark.aggregation.intervals import of_values, ways_of
from rankmark.dataclassing import dataclass
from rankmark.language.written import tone_of, written
from rankmark.rendering.blocks import toned
from rankmark.rendering.records import Record
from rankmark.rendering.words import chance, counted, rounded
from rankmark.results.sliced import Sliced, corrected_rows, slice_label, slice_members

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rankmark.aggregation.apart import Apart
    from rankmark.aggregation.intervals import PredictionInterval
    from rankmark.inputs.attributes import QuerySlices
    from rankmark.results.predictions import PredictionResult

    InSlice: TypeAlias = tuple[PredictionResult, Mapping[str, Apart]]

__all__ = ["PredictionSlice", "PredictionSlices", "prediction_slices", "without_value"]


@dataclass(frozen=True, slots=True, repr=False)
class PredictionSlice(Record):
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
        difference: if intervals were asked for, the value less that of all other rows; else NaN, as of counts
            and of errors of calibration, of which fewer rows have more.
        difference_low: the lower end of the difference's confidence interval.
        difference_high: the upper end.
        p: the chance of such a difference between slices that are alike: of AUC
            `statistics.unpaired_delong_test`, of others as of slices of lists, by the values of the rows, or
            of queries where there is a column of them, by what each moves the value by of what is no mean;
            and where queries have rows on both sides by the jackknife over these with t. NaN for fewer than
            ten of them in the slice or the rest, three of a mean over queries, or 25 of what is no function
            of sums (KS, AveragePrecision …).
        p_corrected: the same for all slices and measures together (Holm).

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


@dataclass(frozen=True, slots=True, repr=False)
class PredictionSlices(Sliced):
    """Measures of predictions in slices of the rows; ``print(slices)`` shows them.

    Attributes:
        rows: each measure in each slice of each column.
        confidence: the share of the intervals that hold the true value.
        notes: how the intervals were made.
        tests: the tests for which the p-values are corrected; one for an attribute of two slices.
        overall: each measure's value of all rows.

    """

    rows: tuple[PredictionSlice, ...]
    confidence: float
    notes: tuple[str, ...] = ()
    tests: int = 0
    overall: Mapping[str, float] = field(default_factory=dict)

    row: ClassVar[type] = PredictionSlice
    counted: ClassVar[str] = "rows"

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
            "difference": toned(
                rounded(row.difference, f"+.{digits}f"),
                tone_of(row.measure, row.difference, surely=self.surely(row)),
            ),
            "p": chance(row.p_corrected, digits),
        }
        return [shown[name] if name in shown else _cell(getattr(row, name), digits) for name in self.columns]

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
    slices: QuerySlices,
    evaluate: Callable[[NDArray[np.intp]], InSlice],
    confidence: float,
    overall: Mapping[str, float],
) -> PredictionSlices:
    """The slices of a table.

    Args:
        slices: those of its rows.
        evaluate: what evaluates the rows of some numbers; with the difference of each measure from that of
            all other rows, by its name, as far as it is known.
        confidence: of the intervals, if `evaluate` makes them.
        overall: the values of all rows.

    """
    rows: dict[tuple[str, str], list[PredictionSlice]] = {}
    notes, tested = list(slices.notes), _Tested()
    made: dict[tuple[str, str | None], Mapping[str, PredictionInterval]] = {}
    for names in slices.frame:
        for value, inside in slice_members(names):
            result, differences = evaluate(inside)
            tested.add(value, differences)
            for row in _rows(names.name, value, result, differences):
                rows.setdefault((row.by, row.measure), []).append(row)
            if result.intervals:
                made[names.name, value] = result.intervals
    notes += _made(made)
    found, tests = corrected_rows(list(chain.from_iterable(rows.values())))
    return PredictionSlices(found, confidence, (*notes, *tested.lines(tests)), tests, dict(overall))


def _made(slices: Mapping[tuple[str, str | None], Mapping[str, PredictionInterval]]) -> Iterator[str]:
    """How the intervals of slices were made, and what there is to heed in those of each."""
    if not slices:
        return
    yield ways_of(slices.values())
    several = len({by for by, _ in slices}) > 1
    heeded: dict[str, list[str]] = {}
    for (by, value), intervals in slices.items():
        name = f"{by} {slice_label(value)}" if several else slice_label(value)
        for line in of_values(intervals):
            heeded.setdefault(line, []).append(name)
    for line, names in heeded.items():
        yield f"  {_some(names)}: {line}"


class _Tested:
    """By which tests measures of slices were compared with those of all other rows."""

    def __init__(self) -> None:
        self.ways: dict[str, dict[str, None]] = {}
        self.few: dict[str, None] = {}

    def add(self, value: str | None, differences: Mapping[str, Apart]) -> None:
        """Those of one slice."""
        for measure, own in differences.items():
            if not math.isnan(own.p):
                self.ways.setdefault(own.test, {})[measure] = None
            if own.few:
                self.few[slice_label(value)] = None

    def lines(self, tests: int) -> Iterator[str]:
        """How, if there were so many tests, and in which slices not."""
        if tests:
            ways = "; ".join(f"{', '.join(names)} by {WAYS[way]}" for way, names in self.ways.items())
            corrected = f"corrected for {counted(tests, 'test')} (Holm)"
            yield f"difference: from all other rows; p: {ways}; {corrected}"
        if self.few:
            few = counted(len(self.few), "slice")
            yield f"no p in {few} ({_some(list(self.few))}) of some measures: too few on a side tell nothing"


WAYS: Mapping[str, str] = {
    "delong-t": "DeLong's test with t",
    "groups": "Welch's test, or its permutation test where a side is of fewer than 50",
    "jackknife": "the jackknife with t",
}


def _rows(
    by: str, value: str | None, result: PredictionResult, apart: Mapping[str, Apart]
) -> Iterator[PredictionSlice]:
    counts = result.counts
    for measure, found in result.values.items():
        interval = result.intervals.get(measure)
        ends = (interval.low, interval.high) if interval else (math.nan, math.nan)
        why = result.undefined.get(measure)
        row = PredictionSlice(by, value, measure, counts.rows, counts.positive, found, *ends, why)
        if measure in apart:
            own = apart[measure]
            row = replace(
                row,
                difference=own.difference,
                difference_low=own.low,
                difference_high=own.high,
                p=own.p,
            )
        yield row
