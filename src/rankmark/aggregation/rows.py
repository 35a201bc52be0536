"""What measures of rows come to in a table, which is checked for what each of them takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark import _native
from rankmark.aggregation.counts import RowMeasureCounts
from rankmark.aggregation.intervals import Labelled, Sample, samples
from rankmark.errors import ColumnError, DataError
from rankmark.inputs.predictions.labelled import Predictions
from rankmark.kinds.decisions import AtThreshold
from rankmark.kinds.rows import PerQuery, Rows, Undefined
from rankmark.language.measure import Measure
from rankmark.language.parameters import format_value
from rankmark.rendering.formats import counted
from rankmark.results.lists import Result

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.kinds.rows import Values

__all__ = ["RowsOf", "Settled", "mean_of_queries", "mean_over", "need_query"]


@dataclass(frozen=True, slots=True)
class Settled:
    """What a row measure comes to."""

    value: float
    counts: RowMeasureCounts
    per_query: Values | None = None


PRECISIONS: Mapping[str, float] = {"Float16": 2.0**-10, "Float32": 2.0**-23}
"""The machine epsilon of the types that have another than 64-bit numbers."""


def mean_over(each: PerQuery, rows: Values) -> Settled:
    """The weighted mean over the queries that have a value; `rows` is how many each has."""
    there = ~np.isnan(each.values)
    averaged = int(np.count_nonzero(there))
    counts = RowMeasureCounts(averaged, len(there) - averaged, int(rows[~there].sum()), each.skipped)
    weights = each.weights[there]
    sums = _native.exact_sum(weights), _native.exact_sum(weights * each.values[there])
    return mean_of_queries(counts, *sums, each.values)


def mean_of_queries(
    counts: RowMeasureCounts, weights: float, values: float, per_query: Values | None = None
) -> Settled:
    """The weighted mean over the queries that have a value, of two sums: Σ v and Σ v·value."""
    if weights == 0:
        why = "no query has any weight" if counts.averaged else f"every query is {counts.why_skipped}"
        return Settled(np.nan, replace(counts, undefined=why), per_query)
    return Settled(values / weights, counts, per_query)


def _undefined(reason: Undefined) -> Settled:
    return Settled(np.nan, RowMeasureCounts(undefined=str(reason)))


class RowsOf:
    """The rows of a table, checked for what each measure asks of them."""

    def __init__(self, read: Predictions, threads: int) -> None:
        self.read = read
        self.threads = threads
        columns = read.columns
        core = self.core_of(columns.weight)
        self.count, positives, self.labels, self.no_probability, self.first_no_probability = core.content()
        precision = PRECISIONS.get(read.table.dtype(columns.score), 2.0**-52)
        self.rows = Rows(core, self.count, columns.query, precision, positives)
        self.binary = False
        self.checked = False

    def taken(self, rows: NDArray[np.intp]) -> RowsOf:
        """The rows of these numbers, each as often as it is there; measures were checked against all."""
        import polars as pl

        table = _native.Table.from_arrow(pl.DataFrame(self.read.table)[rows].to_struct())
        taken = RowsOf(replace(self.read, table=table), self.threads)
        taken.binary, taken.checked = self.binary, True
        return taken

    def samples(
        self, values: Mapping[Measure, float], labelled: Labelled, lists: Result | None
    ) -> Iterator[tuple[Measure, Sample | None]]:
        """Each measure as what can be drawn again; see `rankmark.aggregation.intervals.samples`."""

        def evaluate(measure: Measure, rows: NDArray[np.intp]) -> float:
            return self.taken(rows).settled(measure).value

        def query_values(measure: Measure) -> Values:
            assert lists is not None
            return lists.query_values(measure)

        return samples(values, labelled, self.rows, evaluate, query_values)

    def core_of(self, weight: str | None) -> _native.LabelledRows:
        """The rows in the core with the weights of this column."""
        columns, positive = self.read.columns, self.read.positive
        return _native.LabelledRows(
            self.read.table,
            self.read.name,
            columns.label,
            columns.score,
            weight,
            positive=1.0 if positive is None else positive,
            threads=self.threads,
        )

    @property
    def positive(self) -> str:
        """The label of positive rows, as the table has it."""
        if self.read.words:
            return self.read.words[1]
        return format_value(1.0 if self.read.positive is None else self.read.positive)

    def settled(self, measure: Measure) -> Settled:
        """The measure's value."""
        if not self.checked:
            self.check(measure)
            self._check_weighing(measure)
        try:
            value = measure.compute_rows(self.rows)
        except Undefined as reason:
            return _undefined(reason)
        if isinstance(value, PerQuery):
            return mean_over(value, self.rows.of_queries.rows)
        if isinstance(value, AtThreshold):
            return Settled(value.value, RowMeasureCounts(threshold=value.threshold))
        return Settled(value, RowMeasureCounts())

    def check(self, measure: Measure) -> None:
        """Refuses a measure that cannot take these labels and scores."""
        page = measure.page
        if page.labels == "binary":
            self.check_binary(measure)
        elif self.read.words:
            raise DataError(
                f"{measure} takes labels that are numbers, and {self._where('label')} holds words, such as "
                f"{self.read.words[1]!r}"
            )
        if page.scores == "probability":
            self.check_probabilities(measure)
        if measure.per_query:
            need_query(self.read, measure)

    def _check_weighing(self, measure: Measure) -> None:
        """Refuses columns that the measure names and that are no weights."""
        for column in measure.columns:
            self.core_of(column).content()

    def check_weights(self) -> None:
        """Refuses weights that are all 0; the core does so itself where it has all rows."""
        weight = self.read.columns.weight
        if weight is not None and not self.rows.weight:
            raise DataError(f"{self.read.name}: the weight column {weight!r} is 0 in every row")

    def check_probabilities(self, measure: Measure | str) -> None:
        """Refuses scores outside of 0 to 1."""
        if self.no_probability:
            raise DataError(
                f"{measure} takes probabilities, and {self._where('score')} has "
                f"{counted(self.no_probability, 'score')} outside of 0 to 1, {self.shown_no_probability()}; "
                "divide percentages by 100, and make probabilities of logits by 1/(1 + exp(−logit))"
            )

    def shown_no_probability(self) -> str:
        """A score outside of 0 to 1."""
        column = self.read.columns.score
        row = np.array([self.first_no_probability], dtype=np.uint32)
        (shown,) = _column(self.read.table.take(column, row, column))
        return f"the first in row {self.first_no_probability} (from 0): {shown}"

    def check_binary(self, measure: Measure | str) -> None:
        """Refuses labels that are not of two classes, or do not say which is the positive one."""
        known, labels = self.read.positive, set(self.labels)
        usual = labels <= {0.0, 1.0} or labels <= {-1.0, 1.0}
        # One label alone may be that of either class.
        said = (known in labels and len(labels) <= 2) or (usual and known in (0.0, 1.0, -1.0))
        if usual if known is None else said:
            self.binary = True
            return
        shown = ", ".join(map(format_value, self.labels[:5])) + (", …" if len(self.labels) > 5 else "")
        if known is not None:
            why = f"which {'are more than two' if len(self.labels) > 2 else 'lack it'}"
            raise DataError(
                f"{measure} with positive={format_value(known)}: {self._where('label')} holds {shown}, {why}"
            )
        hint = "; say which of the two is the positive one with positive=" if len(self.labels) == 2 else ""
        raise DataError(
            f"{measure} takes binary labels (0 and 1, −1 and 1, true and false), and {self._where('label')} "
            f"holds {shown}{hint}"
        )

    def _where(self, role: str) -> str:
        return f"{self.read.name}, the {role} column {getattr(self.read.columns, role)!r},"


def need_query(read: Predictions, measure: Measure) -> str:
    """The column of queries.

    Raises:
        ColumnError: there is none.

    """
    if read.columns.query is None:
        raise ColumnError(
            f"{measure} is a value of each query, and {read.name} has no column known as the query; say "
            'which it is with query="…" (on the command line --query …)'
        )
    return read.columns.query


def _column(table: _native.Table) -> list[Any]:
    import polars as pl

    return pl.DataFrame(table).to_series().to_list()
