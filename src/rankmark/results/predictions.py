"""What an evaluation of predictions gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark import _native
from rankmark._native import __version__
from rankmark.aggregation.counts import PredictionCounts, RowMeasureCounts
from rankmark.aggregation.intervals import PredictionInterval, explained
from rankmark.dataclassing import dataclass
from rankmark.errors import NotEvaluatedError
from rankmark.language.measure import Measure
from rankmark.language.parameters import format_value
from rankmark.language.registry import CLASSES_FIRST, ROWS_FIRST, Kind
from rankmark.language.signature import DEFAULTS_OF_ROWS, Recipe
from rankmark.rendering.words import counted, printable
from rankmark.results.base import Result

if TYPE_CHECKING:
    from typing import Self

    import polars as pl

    from rankmark.kinds.rows import Values
    from rankmark.results.by_class import ByClass
    from rankmark.results.lists import ListResult
    from rankmark.results.prediction_slices import PredictionSlices

__all__ = ["Basis", "PredictionResult", "some"]


@dataclass(frozen=True, slots=True)
class Basis:
    """What decides the values of row measures besides their parameters."""

    positive: str
    weights: str | None
    classes: int | None = None
    like: str | None = None

    def evaluation(self, measure: Measure) -> Recipe:
        """As `Result.evaluation`."""
        binary = measure.page.labels == "binary"
        return Recipe(
            measure,
            convention=self.like,
            positive=self.positive if binary else DEFAULTS_OF_ROWS["positive"],
            weights=self.weights,
            classes=self.classes,
        )


class PredictionResult(Result):
    """The values of one table of predictions, with what is needed to trust them: a `Result`.

    `per_query` has the measures that have a value for each query.
    """

    __slots__ = ("_basis", "_by_class", "_counts", "_intervals", "_lists", "_told")

    counted = "counts"

    def __init__(
        self,
        *,
        values: Mapping[Measure, float],
        per_query_values: Mapping[Measure, Values],
        parts: Mapping[Measure, tuple[Values, Values]] = MappingProxyType({}),
        query_ids: _native.Table | None,
        counts: PredictionCounts,
        basis: Basis,
        lists: ListResult | None,
        notes: Iterable[str] = (),
        inputs: Mapping[str, str] = MappingProxyType({}),
        intervals: Mapping[str, PredictionInterval] = MappingProxyType({}),
        slices: PredictionSlices | None = None,
        by_class: ByClass | None = None,
        version: str = __version__,
    ) -> None:
        super().__init__(
            values=values,
            per_query_values=per_query_values,
            parts=parts,
            query_ids=query_ids,
            convention=basis.like,
            inputs=inputs,
            notes=(*notes, *(lists.notes if lists else ())),
            slices=slices,
            version=version,
        )
        self._intervals = dict(intervals)
        self._counts = counts
        self._basis = basis
        self._lists = lists
        self._told = tuple(notes)
        self._by_class = by_class

    def with_notes(self, notes: Iterable[str]) -> Self:
        """The same with more notes."""
        again = copy(self)
        again._notes, again._told = (*self._notes, *notes), (*self._told, *notes)
        return again

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kind of measure of which a name is understood first."""
        return ROWS_FIRST if self._counts.classes is None else CLASSES_FIRST

    @property
    def thresholds(self) -> dict[str, float]:
        """The threshold at which each measure with ``threshold=max`` is greatest, by its name in `values`.

        Rows that score at least as much are found; none if it is infinite.
        """
        counts = self._by_label(self.counts.measures).items()
        return {
            name: each.threshold
            for name, each in counts
            if isinstance(each, RowMeasureCounts) and each.threshold is not None
        }

    @property
    def intervals(self) -> Mapping[str, PredictionInterval]:
        """The confidence interval of each measure, by its name in `values`; empty unless asked for.

        There is none of a measure without a finite value.
        """
        return self._by_label(self._intervals)

    @property
    def undefined(self) -> dict[str, str]:
        """Why measures have no value, by their names in `values`; empty if all have one."""
        counts = self._by_label(self.counts.measures).items()
        return {n: c.undefined for n, c in counts if isinstance(c, RowMeasureCounts) and c.undefined}

    @property
    def counts(self) -> PredictionCounts:
        """How many rows there are, positive ones, queries, and what became of them in each measure."""
        return self._counts

    @property
    def choices(self) -> dict[str, Any]:
        """How ties, duplicates … were decided in measures of lists; empty if none was asked for."""
        return {} if self._lists is None else self._lists.choices

    def choices_of(self, measure: str | Measure) -> dict[str, Any]:
        """The same for one measure; empty for one of rows or classes."""
        found = self._find(measure)
        return {} if self._lists is None or found.page.kind != "list" else self._lists.choices_of(found)

    def query_values(self, measure: str | Measure) -> np.ndarray[Any, Any]:
        """One value a query; NaN where a query has none.

        Raises:
            NotEvaluatedError: the measure was not evaluated, or is none of each query.

        """
        found = self._find(measure)
        if found not in self._per_query:
            raise NotEvaluatedError(f"{found} is one value of all rows, with none for each query")
        return self._per_query[found]

    @property
    def shows_confusion(self) -> bool:
        """As `Result.shows_confusion`."""
        asked = (measure for measure in self.measures if measure.name == "Confusion")
        return self._by_class is not None and any("count" not in measure.parameters for measure in asked)

    @property
    def by_class(self) -> ByClass:
        """What there is of each class.

        Raises:
            NotEvaluatedError: there are no classes, but one score in a row.

        """
        if self._by_class is None:
            raise NotEvaluatedError(
                "there is one score in a row here, and no classes; for the confusion matrix of a decision "
                "ask for Confusion"
            )
        return self._by_class

    @property
    def per_class(self) -> pl.DataFrame:
        """A row a class: ``class``, ``rows``, ``weight`` if rows have any, and a column a measure.

        The measures are those that have a value of each class: that of the decision to predict it, or of its
        scores against all other rows. Null where a class has none: `undefined_classes` says why.

        Raises:
            NotEvaluatedError: there are no classes, but one score in a row.

        """
        return self.by_class.frame

    def class_values(self, measure: str | Measure) -> np.ndarray[Any, Any]:
        """The value of each class, in the order of ``counts.classes``; NaN where it has none.

        Raises:
            NotEvaluatedError: the measure was not evaluated, or has no values of classes.

        """
        found = self._find(measure)
        if found not in self.by_class.values:
            raise NotEvaluatedError(f"{found} is one value of all rows, with none for each class")
        return self.by_class.values[found]

    @property
    def undefined_classes(self) -> dict[str, dict[str | int | bool, str]]:
        """Why classes have no value, by the measures' names in `values` and the classes."""
        return {measure.label: dict(each) for measure, each in self.by_class.undefined.items()}

    @property
    def confusion(self) -> pl.DataFrame:
        """The confusion matrix: a row a label, a column a predicted class, the weight of the rows.

        Where several classes have the greatest score, the row is shared, or the first has it, as in the first
        measure asked for that looks at predicted classes (``ties=``).

        Of one score in a row it is that of a decision, where ``Confusion`` was asked for.

        Raises:
            NotEvaluatedError: no measure looked at which are predicted.

        """
        return self.by_class.confusion

    def evaluation(self, measure: str | Measure) -> Recipe:
        """As `Result.evaluation`."""
        found = self._find(measure)
        if found.page.kind != "list":
            return replace(self._basis.evaluation(found), version=self._version)
        assert self._lists is not None
        recipe = self._lists.evaluation(found)
        if self._basis.classes is not None:
            return replace(recipe, classes=self._basis.classes)
        return replace(recipe, positive=self._basis.positive)

    def account(self) -> list[str]:
        """What happened to the rows: a line, another if there is something to notice, one on intervals."""
        counts = self.counts
        first = f"{counted(counts.rows, 'row')}"
        if counts.positive is not None:
            first += f", {counts.positive:,} positive"
        if self._basis.weights is not None:
            lists = ", but for measures of lists" if self._lists else ""
            first += f", weighed by {printable(self._basis.weights)!r}{lists}"
        if counts.queries is not None:
            first += f", {counted(counts.queries, 'query', 'queries')}"
        if counts.classes is not None:
            first += f", {counted(len(counts.classes), 'class', 'classes')} ({some(counts.classes)})"
        if self.convention:
            first += self._likeness()
        of_lists = self._lists.account()[1:] if self._lists else []
        notes = [
            *self._best(),
            *self._skipped(),
            *self._unlabelled(),
            *self._reasons(),
            *self._told,
            *of_lists,
        ]
        lines = [first, "; ".join(notes)] if notes else [first]
        return [*lines, explained(self.intervals)] if self._intervals else lines

    def _best(self) -> Iterator[str]:
        for name, threshold in self.thresholds.items():
            nothing = ", which finds nothing" if threshold == np.inf else ""
            yield f"{name} is at the threshold {threshold:.6g}{nothing}"

    def _unlabelled(self) -> Iterator[str]:
        if rows := self.counts.unlabelled:
            yield f"{counted(rows, 'row')} predicted to be of a class that no label is"

    def _reasons(self) -> Iterator[str]:
        measures: dict[str, list[str]] = {}
        for measure, why in self.undefined.items():
            measures.setdefault(why, []).append(measure)
        for why, names in measures.items():
            yield f"no value of {', '.join(names)}: {why}"

    def _skipped(self) -> Iterator[str]:
        seen: set[RowMeasureCounts] = set()
        for counts in self.counts.measures.values():
            if isinstance(counts, RowMeasureCounts) and counts.skipped and counts not in seen:
                seen.add(counts)
                queries = counted(counts.skipped, "query", "queries")
                yield f"{queries} {counts.why_skipped} ({counted(counts.skipped_rows or 0, 'row')}) left out"

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value:.4f}" for name, value in self.values.items())
        return f"<PredictionResult {values}; {counted(self.counts.rows, 'row')}>"

    def _kept(self) -> dict[str, Any]:
        return super()._kept() | {
            "counts": self._counts,
            "basis": self._basis,
            "lists": self._lists,
            "notes": self._told,
            "intervals": self._intervals,
            "by_class": self._by_class,
        }


def some(values: Iterable[Any]) -> str:
    """The first few of them."""
    shown = [printable(format_value(value)) for value in values]
    return ", ".join(shown[:6]) + (", …" if len(shown) > 6 else "")
