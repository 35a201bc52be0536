"""How many queries and rows stand behind values."""

from __future__ import annotations

from collections.abc import Mapping

from rankmark.dataclassing import dataclass
from rankmark.rendering.records import Record

__all__ = ["Counts", "MeasureCounts", "PredictionCounts", "RowMeasureCounts"]


@dataclass(frozen=True, slots=True, repr=False)
class MeasureCounts(Record):
    """How many queries did what to one measure.

    Attributes:
        averaged: queries in the mean.
        no_relevant: queries in which nothing is relevant to this measure.
        tied: queries that another order of equal scores could change: those in which items with the same
            score and different grades reach inside the cutoff, an unjudged item being of grade 0, unless
            the measure does not look at their order. It comes for free and is never too low; `Bounds.tied`
            counts those that do change. None for a measure that tells unjudged items from those judged 0,
            unless unjudged items are taken out of the lists.
        short: queries whose lists have fewer items than the cutoff, and that are left out for it.

    """

    averaged: int
    no_relevant: int
    tied: int | None
    short: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Counts(Record):
    """How many queries stand behind the values.

    Attributes:
        judged: queries with judgements.
        answered: judged queries with results; where nothing is judged, all of the run.
        missing: judged queries without results.
        unjudged: queries with results but no judgements.
        measures: the counts of each measure, by its canonical name.

    """

    judged: int
    answered: int
    missing: int
    unjudged: int
    measures: Mapping[str, MeasureCounts]

    @property
    def left_out(self) -> int:
        """Queries of the run that count for nothing, since others are judged."""
        return self.unjudged if self.judged else 0


@dataclass(frozen=True, slots=True, repr=False)
class RowMeasureCounts(Record):
    """What became of the rows in one measure of predictions.

    Attributes:
        averaged: queries in the mean; None for a measure that is no mean over queries.
        skipped: queries left out of it, because they have no value.
        skipped_rows: rows of these.
        why_skipped: what these are, such as ``of one class``.
        undefined: why there is no value; None where there is one.
        threshold: where a measure is greatest over all thresholds, the one where it is: rows that score at
            least as much are found, none if it is infinite; None for other measures.

    """

    averaged: int | None = None
    skipped: int | None = None
    skipped_rows: int | None = None
    why_skipped: str | None = None
    undefined: str | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class PredictionCounts(Record):
    """How many rows stand behind the values.

    Attributes:
        rows: rows of the table.
        positive: positive rows; None if no measure of binary labels was asked for.
        queries: queries; None if no measure looks at them.
        measures: the counts of each measure, by its canonical name.
        classes: the classes, in the order of their scores; None where there is one score in a row.
        unlabelled: rows for which a class is predicted that no label is; None where there are scores.

    """

    rows: int
    positive: int | None
    queries: int | None
    measures: Mapping[str, MeasureCounts | RowMeasureCounts]
    classes: tuple[str | int | bool, ...] | None = None
    unlabelled: int | None = None
