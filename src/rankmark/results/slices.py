"""What a result comes to in slices of the queries: by country, by device, head and tail.

All of it is computed from the values of the queries, whatever the measure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rankmark.aggregation.query_intervals import made_of_terms
from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, NotEvaluatedError
from rankmark.inputs.attributes import aligned, read_attributes, read_slices
from rankmark.language.written import differing, written
from rankmark.rendering.records import Record
from rankmark.rendering.words import chance, counted, listed, rounded
from rankmark.results.disparity import FEWEST as FEWEST_APART
from rankmark.results.disparity import MOST, Disparity, Inequality, disparity_of, inequality_of
from rankmark.results.sliced import Sliced, corrected_rows, slice_label, slice_members
from rankmark.statistics.independent import FEW, FEWEST, MeanDifference, group_difference
from rankmark.statistics.intervals import CAUTIONS, INTERVALS, Interval, bounds_of_difference

if TYPE_CHECKING:
    from rankmark.inputs.attributes import QuerySlices
    from rankmark.inputs.places import Places
    from rankmark.inputs.slicing import By
    from rankmark.language.measure import Measure
    from rankmark.results.base import Result
    from rankmark.results.disparity import Member

__all__ = [
    "Slice",
    "Slices",
    "slices_by",
    "slices_of",
]

CONFIDENCE = 0.95
DRAWS: Mapping[str, int | None] = {"resamples": 10_000, "seed": 0, "threads": None}
"""Of intervals that draw."""
NO_DIFFERENCE = MeanDifference(math.nan, math.nan, math.nan, math.nan)
"""Between the sums of two groups of queries, which are of different sizes."""


@dataclass(frozen=True, slots=True, repr=False)
class Slice(Record):
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
        difference: the value less that of all other queries; NaN for sums over queries, and for measures of
            the whole run, which are others for more queries.
        difference_low: the lower end of the difference's confidence interval; this and what follows is NaN
            where the slice or all other queries are fewer than three.
        difference_high: the upper end.
        p: the chance of such a difference between slices that are alike (Welch's t among that of all
            divisions into slices of these sizes, see `statistics.studentised_permutation`; Welch's t test
            where both have 50 queries or more).
        p_corrected: the same for all slices and measures together (Holm).
        method: by which of `rankmark.statistics.INTERVALS` the interval of the value was made.
        caution: which of `rankmark.statistics.CAUTIONS` speaks against it; empty if none.

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
    method: str = ""
    caution: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Slices(Sliced):
    """The measures of a result in slices of its queries; ``print(slices)`` shows them.

    Attributes:
        rows: each measure in each slice of each attribute.
        tests: the tests for which the p-values are corrected; one for an attribute of two slices.
        confidence: the share of the intervals that hold the true value.
        notes: what a reader should know.
        overall: each measure's value of all queries.
        disparities: how far the slices by each attribute are apart on each measure.
        inequalities: how unequal the queries' values of each measure are.

    """

    rows: tuple[Slice, ...]
    tests: int
    confidence: float
    notes: tuple[str, ...] = ()
    overall: Mapping[str, float] = field(default_factory=dict)
    disparities: tuple[Disparity, ...] = ()
    inequalities: tuple[Inequality, ...] = ()

    row: ClassVar[type] = Slice
    counted: ClassVar[str] = "queries"

    @property
    def columns(self) -> tuple[str, ...]:
        """As `Sliced.columns`."""
        return "queries", "value", "low", "high", "difference", "p"

    def cells(self, row: Slice, digits: int) -> list[str]:
        """As `Sliced.cells`."""
        ends = [rounded(value, f".{digits}f") for value in (row.low, row.high)]
        value = written(row.measure, row.value, digits)
        difference = differing(row.measure, row.difference, digits, surely=self.surely(row))
        return [f"{row.averaged:,}", value, *ends, difference, chance(row.p_corrected, digits)]

    def disparity(self, measure: str | Measure, by: str | None = None) -> Disparity:
        """How far the slices are apart on a measure: the worst, the best, their difference and ratio.

        Args:
            measure: which.
            by: the attribute, where the slices are by several.

        Raises:
            NotEvaluatedError: there is none: of fewer than two slices of ten queries or more, of more slices
                than 200, and of measures that are no means over queries.

        Example:
            >>> import rankmark as rm
            >>> qrels = {q: {"a": 1} for q in range(40)}
            >>> run = {q: ["a", "x"] if q % 4 else ["x", "a"] for q in range(40)}
            >>> result = rm.evaluate(qrels, run, "RR", by={q: "old" if q % 2 else "young" for q in range(40)})
            >>> found = result.slices.disparity("RR")
            >>> found.worst, found.worst_value, found.best, found.best_value, found.ratio
            ('young', 0.75, 'old', 1.0, 0.75)

        """
        names = {str(measure), getattr(measure, "label", None)}
        found = [each for each in self.disparities if each.measure in names and by in (None, each.by)]
        if len(found) > 1:
            raise ChoiceError(f"there are slices by {listed([each.by for each in found])}: say which, by=…")
        if not found:
            known = [f"{each.measure} by {each.by}" for each in self.disparities]
            which = f"{measure} by {by}" if by else str(measure)
            raise NotEvaluatedError(
                f"no disparity of {which}: there is {f'that of {listed(known)}' if known else 'none'}; 2 to "
                f"{MOST} slices of {FEWEST_APART} queries or more are compared, on means over queries"
            )
        return found[0]

    def _record(self) -> dict[str, Any]:
        return Sliced._record(self) | {
            "disparities": [asdict(each) for each in self.disparities],
            "inequalities": [asdict(each) for each in self.inequalities],
        }

    def between(self, by: str, digits: int) -> Iterator[list[str]]:
        """As `Sliced.between`."""
        for each in self.disparities:
            if each.by == by:
                ends = [
                    f"{slice_label(name)} {written(each.measure, value, digits)}"
                    for name, value in ((each.worst, each.worst_value), (each.best, each.best_value))
                ]
                figures = (each.difference, each.low, each.high, each.ratio, each.ratio_low, each.ratio_high)
                numbers = [rounded(value, f".{digits}f") for value in (*figures, each.by_chance)]
                yield [each.measure, *ends, *numbers, chance(each.p, digits)]

    def explained(self) -> Iterator[str]:
        """As `Sliced.explained`."""
        test = (
            f"; p: Welch's t of it among that of random slices of as many queries (of {FEW} and more "
            f"Welch's t test), corrected for {counted(self.tests, 'test')} (Holm)"
        )
        methods = dict.fromkeys(row.method for row in self.rows if row.method)
        ways = ", ".join(INTERVALS[method].title for method in methods)
        yield (
            f"low, high: the {100 * self.confidence:g}% interval ({ways}); difference: from the value of the "
            f"other queries{test if self.tests else ''}"
        )
        if untested := sum(math.isnan(row.p) and not math.isnan(row.difference) for row in self.rows):
            yield (
                f"no p of {counted(untested, 'difference')}: too few queries on one side ({FEWEST} are "
                "needed)"
            )
        for caution, why in CAUTIONS.items():
            if doubtful := sum(row.caution == caution for row in self.rows):
                intervals = counted(len(self.rows), "interval")
                yield f"{doubtful} of {intervals} may cover more or less often: {why}"
        if self.disparities:
            share = f"{100 * self.confidence:g}%"
            yield (
                f"between slices of {FEWEST_APART} queries or more: low, high: the {share} interval of all "
                "pairs together, which allows for the worst and best being picked; ratio: the lower value by "
                "the higher; by chance: the mean difference where all are alike; p: of one as large there"
            )
        for each in self.inequalities:
            if each.queries >= FEWEST_APART and not math.isnan(each.gini):
                yield each.said
        yield from self.notes


def slices_by(result: Result, by: By, places: Places, confidence: float = CONFIDENCE) -> Slices:
    """The slices of a result by what was asked for, found in these places; see `rankmark.evaluate`."""
    ids = result.query_ids
    return _sliced(result, ids, read_slices(by, places, ids), confidence)


def slices_of(
    result: Result, attributes: Any, by: Sequence[str] = (), *, confidence: float = CONFIDENCE
) -> Slices:
    """The slices of a result by attributes of its queries; see `Result.by`."""
    if not 0 < confidence < 1:
        raise ChoiceError(f"confidence={confidence!r} is not a number between 0 and 1")
    if not result.query_measures and result.counted != "queries":
        raise NotEvaluatedError(
            f"{', '.join(result.values)}: one value of all rows, with none for each query to be sliced; "
            "slices of rows are asked for with by="
        )
    ids = result.query_ids
    return _sliced(result, ids, read_attributes(attributes, by, None, ids), confidence)


def _sliced(result: Result, ids: Sequence[Any], found: QuerySlices, confidence: float) -> Slices:
    # Of each attribute its slices, and the numbers of the queries in each.
    members = {by.name: list(slice_members(by)) for by in aligned(found.frame, ids)}
    rows = [row for by, own in members.items() for row in _rows(result, by, own, confidence)]
    apart = [
        disparity_of(result.query_terms(measure), by, own, confidence)
        for by, own in members.items()
        for measure in result.query_measures
    ]
    unequal = tuple(
        inequality_of(measure, result.query_values(measure), confidence) for measure in result.query_measures
    )
    there = tuple(each for each in apart if each is not None)
    notes = (*found.notes, *_grown(result, members.values()))
    return Slices(*corrected_rows(rows), confidence, notes, dict(result.values), there, unequal)


def _grown(result: Result, members: Iterable[Sequence[Member]]) -> Iterator[str]:
    """Which measures slices of different sizes cannot be compared by."""
    growing = [measure.label for measure in result.measures if measure.page.grows]
    if growing and any(len({len(rows) for _, rows in own}) > 1 for own in members):
        yield (
            f"{listed(growing)}: greater for more queries, whatever these are like; slices of different "
            "sizes do not compare"
        )


def _rows(result: Result, by: str, members: Sequence[Member], confidence: float) -> Iterator[Slice]:
    """Every measure in every slice of one attribute."""
    for measure in result.measures:
        if measure.page.aggregate == "run":
            yield from _of_run(result, measure, by, members, confidence)
            continue
        terms = result.query_terms(measure)
        there = terms.there
        for value, rows in members:
            inside = np.zeros(len(there), dtype=bool)
            inside[rows] = True
            own, others = terms.at(inside & there), terms.at(~inside & there)
            together = len(members) * len(result.measures)
            made = made_of_terms(
                own, None, method="auto", confidence=confidence, draws=DRAWS, together=together
            )
            difference = NO_DIFFERENCE
            if measure.page.aggregate != "sum" and not terms.summary:
                found = group_difference(own.linear(), others.linear(), confidence=confidence)
                ends = Interval(found.low, found.high).within(bounds_of_difference(own.bounds, others.bounds))
                difference = found._replace(**ends._asdict())
            sizes = len(rows), len(own.above)
            yield Slice(
                by,
                value,
                measure.label,
                *sizes,
                own.value(),
                *made.ends,
                *difference,
                math.nan,
                made.method,
                made.caution,
            )


def _of_run(
    result: Result,
    measure: Measure,
    by: str,
    members: Sequence[Member],
    confidence: float,
) -> Iterator[Slice]:
    """A measure of the whole run in every slice, of whose queries alone it then is.

    Slices of different sizes have no difference: more users cover more items.
    """
    ids = result.query_ids
    for value, rows in members:
        own = result.run_terms(measure, [ids[row] for row in rows.tolist()])
        made = made_of_terms(own, None, method="auto", confidence=confidence, draws=DRAWS)
        yield Slice(
            by,
            value,
            measure.label,
            len(rows),
            len(rows),
            own.value(),
            *made.ends,
            *NO_DIFFERENCE,
            math.nan,
            made.method,
            made.caution,
        )
