"""What a result comes to in slices of the queries: by country, by device, head and tail.

All of it is computed from the values of the queries, whatever the measure.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rankmark.errors import ChoiceError, DataError, UsageError
from rankmark.inputs.attributes import ids_like, read_attributes, read_columns
from rankmark.rendering.words import chance, counted, rounded
from rankmark.results.sliced import Sliced, in_order
from rankmark.statistics.corrections import corrected
from rankmark.statistics.independent import MeanDifference, welch
from rankmark.statistics.intervals import t_interval

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.inputs.roles import ColumnNames
    from rankmark.results.base import Result

__all__ = [
    "Slice",
    "Slices",
    "read_slices",
    "slice_members",
    "slices_by",
    "slices_of",
]

CONFIDENCE = 0.95
NO_DIFFERENCE = MeanDifference(math.nan, math.nan, math.nan, math.nan)
"""Between the sums of two groups of queries, which are of different sizes."""


@dataclass(frozen=True, slots=True)
class Slice:
    """One measure in one slice; NaN where there are too few queries.

    Attributes:
        by: the attribute.
        slice: its value; None for the queries that have none.
        measure: the measure's name.
        queries: judged queries in the slice.
        averaged: those of them that count.
        value: the measure's value of these queries alone.
        low: the lower end of its confidence interval.
        high: the upper end.
        difference: the value less that of all other queries; NaN for sums over queries.
        difference_low: the lower end of the difference's confidence interval.
        difference_high: the upper end.
        p: the chance of such a difference between slices that are alike (Welch's t test).
        p_corrected: the same for all slices and measures together (Holm).

    """

    by: str
    slice: str | None
    measure: str
    queries: int
    averaged: int
    value: float
    low: float
    high: float
    difference: float
    difference_low: float
    difference_high: float
    p: float
    p_corrected: float


@dataclass(frozen=True, slots=True)
class Slices(Sliced):
    """The measures of a result in slices of its queries; ``print(slices)`` shows them.

    Attributes:
        rows: each measure in each slice of each attribute.
        tests: the tests for which the p-values are corrected; one for an attribute of two slices.
        confidence: the share of the intervals that hold the true value.
        notes: what a reader should know.

    """

    rows: tuple[Slice, ...]
    tests: int
    confidence: float
    notes: tuple[str, ...] = ()

    row: ClassVar[type] = Slice

    @property
    def columns(self) -> tuple[str, ...]:
        """As `Sliced.columns`."""
        return "queries", "value", "low", "high", "difference", "p"

    def cells(self, row: Slice, digits: int) -> list[str]:
        """As `Sliced.cells`."""
        values = [rounded(value, f".{digits}f") for value in (row.value, row.low, row.high)]
        difference = rounded(row.difference, f"+.{digits}f")
        return [f"{row.averaged:,}", *values, difference, chance(row.p_corrected, digits)]

    def explained(self) -> Iterator[str]:
        """As `Sliced.explained`."""
        yield (
            f"low, high: the {100 * self.confidence:g}% t interval; difference: from the value of the other "
            f"queries; p: Welch's t test of it, corrected for {counted(self.tests, 'test')} (Holm)"
        )
        yield from self.notes


def slices_by(
    result: Result,
    by: str | Sequence[str] | Mapping[Any, Any] | None,
    qrels: Any,
    run: Any,
    attributes: Any = None,
    columns: ColumnNames | None = None,
) -> Slices:
    """The slices of a result by columns of the tables it is of, or of attributes; see `rankmark.evaluate`."""
    return _sliced(result, read_slices(by, qrels, run, attributes, columns), CONFIDENCE)


def read_slices(
    by: str | Sequence[str] | Mapping[Any, Any] | None,
    qrels: Any,
    run: Any,
    attributes: Any = None,
    columns: ColumnNames | None = None,
) -> pl.DataFrame:
    """A row a query that is in a slice: ``query``, and a column an attribute."""
    if isinstance(by, Mapping):
        return read_attributes(by, ())
    if by is None:
        raise UsageError('attributes without by: say which of their columns to slice by, by="country"')
    return read_columns(_names(by), qrels, run, attributes, columns)


def slices_of(
    result: Result, attributes: Any, by: str | Sequence[str] = (), *, confidence: float = CONFIDENCE
) -> Slices:
    """The slices of a result by attributes of its queries; see `Result.by`."""
    if not 0 < confidence < 1:
        raise ChoiceError(f"confidence={confidence!r} is not a number between 0 and 1")
    return _sliced(result, read_attributes(attributes, _names(by)), confidence)


def _names(by: str | Sequence[str]) -> list[str]:
    return [by] if isinstance(by, str) else list(by)


def _sliced(result: Result, attributes: pl.DataFrame, confidence: float) -> Slices:
    members = list(slice_members(result.query_ids, attributes))
    rows = [
        row
        for by in dict.fromkeys(by for by, _, _ in members)
        for row in _rows(result, by, {value: own for name, value, own in members if name == by}, confidence)
    ]
    return Slices(*_corrected(rows), confidence)


def slice_members(
    query_ids: Sequence[Any], attributes: pl.DataFrame
) -> Iterator[tuple[str, str | None, NDArray[np.bool_]]]:
    """Of each attribute each value, in order, and which of the queries have it.

    Raises:
        DataError: no query has a value of any attribute.

    """
    import polars as pl

    queries = pl.DataFrame({"query": query_ids})
    if not queries.schema["query"].is_integer():
        queries = queries.with_columns(pl.col("query").cast(pl.String))
    alike = ids_like(attributes, queries.schema["query"])
    found = queries.join(alike, on="query", how="left", maintain_order="left")
    names = [name for name in attributes.columns if name != "query"]
    if all(found[name].null_count() == found.height for name in names):
        there = f", those with one such as {attributes['query'][0]!r}" if attributes.height else ""
        raise DataError(
            f"none of the {found.height:,} judged queries has a value of {' or '.join(map(repr, names))}; "
            f"they are such as {found['query'][0]!r}{there}"
        )
    for name in names:
        for value in in_order(found[name].unique().to_list()):
            yield name, value, _members(found[name], value)


def _corrected(rows: Sequence[Slice]) -> tuple[tuple[Slice, ...], int]:
    """The rows with p-values corrected for all of them, and the number of tests."""
    slices = Counter(by for by, _ in {(row.by, row.slice) for row in rows})
    # One of two slices differs from the other as the other does from it: that is one test.
    tests = [(row.by, row.measure, row.slice if slices[row.by] > 2 else None) for row in rows]
    alone = dict(zip(tests, (row.p for row in rows), strict=True))
    together = dict(zip(alone, corrected(list(alone.values())).tolist(), strict=True))
    found = (replace(row, p_corrected=together[test]) for row, test in zip(rows, tests, strict=True))
    return tuple(found), sum(not math.isnan(p) for p in together.values())


def _rows(
    result: Result, by: str, members: Mapping[str | None, NDArray[np.bool_]], confidence: float
) -> Iterator[Slice]:
    """Every measure in every slice of one attribute."""
    for measure in result.measures:
        terms = result.query_terms(measure)
        for value, inside in members.items():
            own, others = terms.at(inside & terms.there), terms.at(~inside & terms.there)
            low, high = t_interval(own.linear(), confidence=confidence)
            difference = NO_DIFFERENCE
            if measure.page.aggregate != "sum":
                difference = welch(own.linear(), others.linear(), confidence=confidence)
            sizes = int(inside.sum()), len(own.above)
            yield Slice(by, value, str(measure), *sizes, own.value(), low, high, *difference, math.nan)


def _members(values: pl.Series, value: str | None) -> NDArray[np.bool_]:
    """Which queries are in a slice."""
    return (values.is_null() if value is None else values.eq_missing(value)).to_numpy()
