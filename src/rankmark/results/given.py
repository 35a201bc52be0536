"""Values of queries that another program computed, as a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.aggregation.counts import Counts, MeasureCounts
from rankmark.errors import UsageError
from rankmark.rendering.words import counted
from rankmark.results.base import Result

if TYPE_CHECKING:
    from rankmark.language.measure import Measure
    from rankmark.language.signature import Recipe

__all__ = ["GivenResult"]


class GivenResult(Result):
    """The values of one system's queries as they were given: a `Result` of which nothing else is known."""

    __slots__ = ()

    counted = "queries"

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
        missing = f", {counted(counts.missing, 'query', 'queries')} without a value (left out)"
        first = f"values of {counted(counts.answered, 'query', 'queries')} given, not computed here"
        weighed = "" if self._weights is None else f"; {self._weights.line()}"
        return [first + missing * bool(counts.missing) + weighed, *self.notes]

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value:.4f}" for name, value in self.values.items())
        return f"<Result {values}; given values of {len(self.query_ids)} queries>"

    def _kept(self) -> dict[str, Any]:
        return super()._kept() | {"notes": self._notes, "weights": self._weights}
