"""Values of queries that no page of a measure computed, as a result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankmark._native import Table
from rankmark.aggregation.counts import Counts, MeasureCounts
from rankmark.aggregation.intervals import explained
from rankmark.aggregation.terms import Terms
from rankmark.errors import UsageError
from rankmark.rendering.words import counted
from rankmark.results.queries import QueryResult

if TYPE_CHECKING:
    import polars as pl

    from rankmark.language.given_measure import DerivedMeasure
    from rankmark.language.measure import Measure
    from rankmark.language.signature import Recipe

__all__ = ["DerivedResult", "GivenResult"]


class GivenResult(QueryResult):
    """The values of one system's queries as they were given: a `Result` of which nothing else is known."""

    __slots__ = ()

    @property
    def counts(self) -> Counts:
        """How many queries have a value of some system, and how many of this."""
        there = {m: int(np.count_nonzero(~np.isnan(self.query_values(m)))) for m in self.measures}
        total, most = len(self.query_ids), max(there.values())
        measures = {str(m): MeasureCounts(count, most - count, None) for m, count in there.items()}
        return Counts(total, most, total - most, 0, measures)

    @property
    def choices(self) -> dict[str, Any]:
        """None are known."""
        return {}

    def choices_of(self, measure: str | Measure) -> dict[str, Any]:
        """None are known."""
        self._find(measure)
        return {}

    def signature(self, measure: str | Measure, *, short: bool = False) -> str:  # noqa: ARG002
        """That the values were given: what decides them is not known here."""
        weights = [] if self._weights is None else [f"weights:{self._weights.name}"]
        return "|".join([*self._find(measure).signature(), *weights, f"rankmark:{self.version}"])

    def evaluation(self, measure: str | Measure) -> Recipe:
        """Refused: what computed the values is not known."""
        raise UsageError(f"the values of {self._find(measure)} were given: what computed them is not known")

    def account(self) -> list[str]:
        """How many queries there are, and how many of them have no value."""
        counts = self.counts
        missing = f", {self._counted(counts.missing)} without a value (left out)"
        first = self._said(self._counted(counts.answered))
        weighed = "" if self._weights is None else f"; {self._weights.line()}"
        lines = [first + missing * bool(counts.missing) + weighed, *self.notes]
        return [*lines, explained(self.intervals)] if self._intervals else lines

    def _counted(self, number: int) -> str:
        return counted(number, *self.unit)

    def _said(self, queries: str) -> str:
        """What the first line says of so many queries."""
        return f"values of {queries} given, not computed here"

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value:.4f}" for name, value in self.values.items())
        return f"<Result {values}; {self._said(self._counted(len(self.query_ids)))}>"

    def _kept(self) -> dict[str, Any]:
        return super()._kept() | {"notes": self._notes, "weights": self._weights}


class DerivedResult(GivenResult):
    """Values that were made here of tables that are no judgements and results, or of another result's values.

    What counts as a query in `query_ids`, `per_query` and `counts` its `unit` says, such as a group of
    queries; intervals, tests and slices are of these.
    """

    __slots__ = ("_unit",)

    def __init__(self, *, unit: tuple[str, str] = ("query", "queries"), **known: Any) -> None:
        super().__init__(**known)
        self._unit = tuple(unit)

    @classmethod
    def of(
        cls,
        values: Mapping[DerivedMeasure, np.ndarray[Any, Any]],
        query_ids: pl.Series,
        *,
        unit: tuple[str, str] = ("query", "queries"),
        notes: Iterable[str] = (),
        inputs: Mapping[str, str] = MappingProxyType({}),
    ) -> Self:
        """The result whose values are the means of these.

        Args:
            values: of each measure the value of each query, NaN where there is none.
            query_ids: the queries.
            unit: what one of them is called, and several.
            notes: what a reader should know.
            inputs: the digests of the tables.

        """
        wholes = {}
        for measure, own in values.items():
            terms = Terms.of(measure, own, None)
            wholes[measure] = terms.at(terms.there).value() if terms.there.any() else math.nan
        ids = Table.from_arrow(query_ids.to_frame("query"))
        return cls(
            values=wholes, per_query_values=values, query_ids=ids, unit=unit, notes=notes, inputs=inputs
        )

    @property
    def unit(self) -> tuple[str, ...]:
        """What one of what is counted is called, and several."""
        return self._unit

    def evaluation(self, measure: str | Measure) -> Recipe:
        """Refused: such a measure has no page, and its signature says all that there is."""
        raise UsageError(f"{self._find(measure)} has no page of its own; its signature says how it was made")

    def _said(self, queries: str) -> str:
        return queries

    def _kept(self) -> dict[str, Any]:
        return super()._kept() | {"unit": self._unit}
