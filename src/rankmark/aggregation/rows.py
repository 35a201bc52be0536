"""Labelled scores that are here or that an engine has seen: checked, and made values of measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rankmark import _native
from rankmark.aggregation.counts import RowMeasureCounts
from rankmark.aggregation.intervals import Labelled, Sample, samples
from rankmark.aggregation.merged_rows import merged_rows
from rankmark.aggregation.oddities import OF_LOGITS
from rankmark.aggregation.row_tally import Range, RowTally, told_sums
from rankmark.aggregation.settled_rows import OfQueries, QueryValues, SettledRows
from rankmark.aggregation.terms import Terms
from rankmark.dataclassing import dataclass
from rankmark.errors import ColumnError, DataError, MeasureError
from rankmark.forking import need_polars_threads
from rankmark.inputs.predictions.labelled import Predictions
from rankmark.kinds.decisions import AtThreshold
from rankmark.kinds.row_core import ByQuery, InMemory, NotMergedError, Sum
from rankmark.kinds.rows import PerQuery, Rows, Undefined
from rankmark.language.measure import Measure
from rankmark.language.parameters import format_value
from rankmark.language.registry import namesakes, pages
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.aggregation.state import SeenRows

__all__ = ["RowsOf", "Tallied", "core_of", "in_memory", "need_query"]

PRECISIONS: Mapping[str, float] = {"Float16": 2.0**-10, "Float32": 2.0**-23}
"""The machine epsilon of the types that have another than 64-bit numbers."""


@dataclass(frozen=True, slots=True)
class Tallied:
    """Rows that were summed up, where all measures are sums: `SeenRows` of nothing but a tally."""

    read: Predictions
    tally: RowTally
    queries: None = None
    query_ids: None = None

    def sums(self, asked: Sum) -> tuple[float, ...]:
        """As `SeenRows`."""
        return told_sums(self.tally)(asked)

    def ranges(self) -> list[Range]:
        """As `SeenRows`."""
        return self.tally.ranges

    def of_queries(self, measure: Measure) -> OfQueries:
        """As `SeenRows`."""
        return self.tally.queries[str(measure)]

    def shown_improbable(self) -> str:
        """As `SeenRows`."""
        return f"such as {self.tally.shown_improbable}"

    def not_merged(self, measure: Measure) -> MeasureError:
        """As `SeenRows`."""
        return MeasureError(f"{measure} looks at more than sums of the rows")


@dataclass(frozen=True, slots=True)
class Content:
    """What is checked of rows.

    Attributes:
        count: how many there are.
        labels: different labels.
        improbable: scores outside of 0 to 1.
        shown_improbable: shows one of these.

    """

    count: int
    labels: Sequence[float]
    improbable: int
    shown_improbable: Callable[[], str]


class RowsOf:
    """Labelled scores, checked for what each measure asks of them.

    Attributes:
        read: what the columns are.
        rows: the rows as measures see them.
        content: what is checked of them.
        binary: whether a measure took the labels for binary ones.

    """

    def __init__(
        self, read: Predictions, rows: Rows, content: Content, seen: SeenRows | None, threads: int = 0
    ) -> None:
        self.read, self.rows, self.content = read, rows, content
        self.binary = self.checked = False
        self._seen = seen
        self._threads = threads

    @classmethod
    def of_table(cls, read: Predictions, threads: int) -> RowsOf:
        """The rows of a table in memory."""
        columns = read.columns
        core = in_memory(read, threads)
        count, positives, labels, improbable, first = core.native.content()
        precision = PRECISIONS.get(read.table.dtype(columns.score), 2.0**-52)
        rows = Rows(core, count, columns.query, precision, positives)
        return cls(
            read, rows, Content(count, labels, improbable, partial(_shown, read, first)), None, threads
        )

    @classmethod
    def of_seen(cls, seen: SeenRows) -> RowsOf:
        """Rows of which an engine has what they come to."""
        tally = seen.tally
        rows = merged_rows(tally.rows, seen.sums, seen.ranges)
        content = Content(tally.rows, tally.labels, tally.improbable, seen.shown_improbable)
        return cls(seen.read, rows, content, seen)

    def taken(self, rows: NDArray[np.intp]) -> RowsOf:
        """The rows of these numbers, each as often as it is there; measures were checked against all."""
        import polars as pl

        need_polars_threads()
        table = _native.Table.from_arrow(pl.DataFrame(self.read.table)[rows].to_struct())
        taken = RowsOf.of_table(replace(self.read, table=table), self._threads)
        taken.binary, taken.checked = self.binary, True
        return taken

    def samples(
        self,
        values: Mapping[Measure, float],
        labelled: Labelled,
        query_terms: Callable[[Measure], Terms],
    ) -> Iterator[tuple[Measure, Sample | None]]:
        """Each measure as what can be drawn again; see `rankmark.aggregation.intervals.samples`."""

        def evaluate(measure: Measure, rows: NDArray[np.intp]) -> float:
            return self.taken(rows).settled(measure).value

        return samples(values, labelled, self.rows, evaluate, query_terms)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self.content.count

    @property
    def positive(self) -> str:
        """The label of positive rows, as the table has it."""
        if self.read.words:
            return self.read.words[1]
        return format_value(1.0 if self.read.positive is None else self.read.positive)

    @property
    def other(self) -> str:
        """The label of other rows; of numbers, where there is none, what it is not."""
        if self.read.words:
            return self.read.words[0]
        labels = (format_value(float(label)) for label in self.content.labels)
        return next((label for label in labels if label != self.positive), f"not {self.positive}")

    @property
    def query_ids(self) -> _native.Table | None:
        """The queries in the order of their values, as far as these are here; there is a column of them."""
        if self._seen is not None:
            return self._seen.query_ids
        assert self.read.columns.query is not None
        return self.read.table.take(self.read.columns.query, self.rows.of_queries.first_rows, "query")

    @property
    def seen_whole(self) -> bool:
        """Whether all rows are here."""
        return self._seen is None

    @property
    def queries(self) -> int | None:
        """How many queries an engine saw; None in memory, or if no measure looks at them."""
        return None if self._seen is None else self._seen.queries

    def settled(self, measure: Measure) -> SettledRows:
        """The measure's value."""
        if not self.checked:
            self.check(measure)
        try:
            return self._settled(measure)
        except NotMergedError:
            assert self._seen is not None, measure
            raise self._seen.not_merged(measure) from None

    def _settled(self, measure: Measure) -> SettledRows:
        if measure.per_query and self._seen is not None:
            return self._seen.of_queries(measure).settled()
        try:
            value = measure.compute_rows(self.rows)
        except Undefined as reason:
            return SettledRows(np.nan, RowMeasureCounts(undefined=str(reason)))
        if isinstance(value, PerQuery):
            return QueryValues(value, self.rows.of_queries.rows).settled()
        if isinstance(value, AtThreshold):
            return SettledRows(value.value, RowMeasureCounts(threshold=value.threshold))
        return SettledRows(value, RowMeasureCounts())

    def check(self, measure: Measure) -> None:
        """Refuses a measure that cannot take these labels and scores, or weighs by what are no weights."""
        self.check_columns(measure)
        for column in measure.columns if self._seen is None else ():
            core_of(self.read, column, self._threads).content()

    def check_columns(self, measure: Measure) -> None:
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

    def check_weights(self) -> None:
        """Refuses weights that are all 0; the core does so itself where it has all rows."""
        weight = self.read.columns.weight
        if weight is not None and not self.rows.weight:
            raise DataError(f"{self.read.name}: the weight column {weight!r} is 0 in every row")

    def check_probabilities(self, measure: Measure | str) -> None:
        """Refuses scores outside of 0 to 1."""
        content = self.content
        if content.improbable:
            raise DataError(
                f"{measure} takes probabilities, and {self._where('score')} has "
                f"{counted(content.improbable, 'score')} outside of 0 to 1, {content.shown_improbable()}; "
                f"divide percentages by 100, and {OF_LOGITS}"
            )

    def check_binary(self, measure: Measure | str) -> None:
        """Refuses labels that are not of two classes, or do not say which is the positive one."""
        known, every = self.read.positive, self.content.labels
        labels = set(every)
        usual = labels <= {0.0, 1.0} or labels <= {-1.0, 1.0}
        # One label alone may be that of either class.
        said = (known in labels and len(labels) <= 2) or (usual and known in (0.0, 1.0, -1.0))
        if usual if known is None else said:
            self.binary = True
            return
        shown = ", ".join(map(format_value, every[:5])) + (", …" if len(every) > 5 else "")
        if known is not None:
            why = f"which {'are more than two' if len(every) > 2 else 'lack it'}"
            raise DataError(
                f"{measure} with positive={format_value(known)}: {self._where('label')} holds {shown}, {why}"
            )
        hint = "; say which of the two is the positive one with positive=" if len(every) == 2 else ""
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
            f'which it is with query="…" (on the command line --query …), or with group=[…] how many rows '
            f"each has{_of_all_rows(measure)}"
        )
    return read.columns.query


def _of_all_rows(measure: Measure) -> str:
    """What of all rows together is like a measure of the first items of lists."""
    deciding = (pages()[name] for name in namesakes(measure.page) if measure.cutoff is not None)
    names = [f"{page.name}(top={measure.cutoff})" for page in deciding if "top" in page.parameters]
    return f"; of the best rows of all there is {' or '.join(names)}" if names else ""


def in_memory(read: Predictions, threads: int) -> InMemory:
    """The rows of a table in the core, with their weights."""
    columns = read.columns

    def by_query(query: str) -> ByQuery:
        return ByQuery.of(read.table, query, columns.label, columns.score, columns.weight)

    return InMemory(core_of(read, columns.weight, threads), by_query)


def core_of(read: Predictions, weight: str | None, threads: int) -> _native.LabelledRows:
    """The rows of a table in the core, with the weights of this column."""
    columns, positive = read.columns, read.positive
    return _native.LabelledRows(
        read.table,
        read.name,
        columns.label,
        columns.score,
        weight,
        positive=1.0 if positive is None else positive,
        threads=threads,
    )


def _shown(read: Predictions, first: int) -> str:
    """A score outside of 0 to 1, which is in this row."""
    import polars as pl

    column = read.columns.score
    taken = read.table.take(column, np.array([first], dtype=np.uint32), column)
    (shown,) = pl.DataFrame(taken).to_series().to_list()
    return f"the first in row {first} (from 0): {shown}"
