"""Labelled scores in memory: read, checked, evaluated, sliced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.aggregation.apart import Parts
from rankmark.aggregation.intervals import Labelled, Sampling, interval_of
from rankmark.aggregation.query_intervals import interval_of_terms
from rankmark.aggregation.rows import RowsOf
from rankmark.api.classes import evaluate_classes
from rankmark.api.evaluated import Evaluated
from rankmark.api.prediction_lists import evaluate_lists
from rankmark.api.prediction_results import Beside, rows_result
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, MeasureError
from rankmark.inputs.attributes import QuerySlices
from rankmark.inputs.predictions.classes import ClassPredictions
from rankmark.inputs.predictions.labelled import Predictions
from rankmark.inputs.predictions.reading import read_predictions
from rankmark.inputs.predictions.row_slices import read_row_slices
from rankmark.inputs.slicing import Slicing, columns_of
from rankmark.kinds.rows import OF_SHAPE
from rankmark.language.measure import Measure, weighing
from rankmark.language.registry import namesakes, pages
from rankmark.results.prediction_slices import prediction_slices
from rankmark.results.predictions import PredictionResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.aggregation.intervals import Sample
    from rankmark.aggregation.settled_rows import SettledRows
    from rankmark.api.prediction_plans import Plans
    from rankmark.kinds.rows import Rows
    from rankmark.language.choices import Ties
    from rankmark.language.plan import Plan
    from rankmark.results.lists import ListResult
    from rankmark.results.prediction_slices import InSlice

__all__ = [
    "Labels",
    "Wanted",
    "Work",
    "binary_rows",
    "check_one_score",
    "digests_of",
    "evaluate_labelled",
]


@dataclass(frozen=True, slots=True)
class Labels:
    """A table of labelled scores, and what is said of it.

    Attributes:
        table: as for `evaluate_predictions`.
        said: the names of the columns, where they are said, by their roles.
        classes: the class of each score.
        positive: the label of positive rows.

    """

    table: Any
    said: Mapping[str, str | Sequence[str] | None]
    classes: Sequence[str | int] | None
    positive: str | float | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted beside values.

    Attributes:
        slicing: what to slice by, if anything.
        sampling: how intervals are made, if any are.
        confidence: the share of them that hold the true value.
        hash_inputs: whether to hash what the table holds.

    """

    slicing: Slicing | None = None
    sampling: Sampling | None = None
    confidence: float = 0.95
    hash_inputs: bool = False


def evaluate_labelled(
    source: Labels, plans: Plans, asked: Iterable[Measure], wanted: Wanted, threads: int | None
) -> PredictionResult:
    """As `evaluate_predictions`, of a table that is read into memory; `asked` are the measures."""
    others = columns_of(wanted.slicing)
    read = read_predictions(
        source.table, source.said, source.positive, source.classes, others, weighing=weighing(asked)
    )
    if isinstance(read, ClassPredictions):
        return evaluate_classes(
            read,
            plans.of_classes,
            slicing=wanted.slicing,
            ties=plans.given["ties"],
            sampling=wanted.sampling,
            confidence=wanted.confidence,
            threads=threads or 0,
            inputs=digests_of(read) if wanted.hash_inputs else {},
        )
    work = Work.of(plans, wanted.sampling, threads)
    check_one_score(read, work.plan.measures)
    rows = RowsOf.of_table(read, threads or 0)
    result = work.result(rows, digests_of(read) if wanted.hash_inputs else {})
    if wanted.slicing is None:
        return result
    slices = slices_of_rows(read, wanted.slicing)
    labelled = None if work.sampling is None else Labelled.of(read)
    found = prediction_slices(
        slices, lambda part: work.sliced(rows, labelled, part), wanted.confidence, result.values
    )
    return result.with_slices(found)


def slices_of_rows(read: Predictions, slicing: Slicing) -> QuerySlices:
    """The slices of rows that were read; see `read_row_slices`."""
    import polars as pl

    frame = pl.DataFrame(read.table)
    return read_row_slices(slicing, frame, frame.height, read.columns.query, read.name)


def digests_of(read: Predictions | ClassPredictions) -> dict[str, str]:
    """A hash of what a table holds, by what it is called."""
    from rankmark.inputs.digest import digest_classes, digest_predictions  # which need polars

    found = digest_classes(read) if isinstance(read, ClassPredictions) else digest_predictions(read)
    return {"predictions": found}


def binary_rows(
    table: Any,
    said: Mapping[str, str | None],
    positive: str | float | None,
    threads: int | None,
    what: str,
    *,
    probabilities: bool,
) -> Rows:
    """The rows of a table, checked for what takes binary labels.

    Args:
        table: as in `evaluate_predictions`.
        said: the names of the columns, where they are said, by their roles.
        positive: the label of positive rows, where it is said.
        threads: how many threads to use.
        what: what takes them, for messages.
        probabilities: whether scores have to be such.

    Raises:
        DataError: a table, a label or a score that it cannot take.

    """
    read = read_predictions(table, said, positive, None)
    if isinstance(read, ClassPredictions):
        raise DataError(f"{what} takes one score in a row, and {read.name} has several, one a class")
    rows = RowsOf.of_table(read, threads or 0)
    rows.check_binary(what)
    if probabilities:
        rows.check_probabilities(what)
    return rows.rows


def check_one_score(read: Predictions, asked: Iterable[Measure]) -> None:
    """Refuses measures of classes where there is one score in a row."""
    for measure in asked:
        if measure.page.kind == "class":
            others = " or ".join(n for n in namesakes(measure.page) if pages()[n].kind == "row")
            hint = f"; of one score there is {others}" if others else ""
            raise MeasureError(
                f"{measure} takes a score of each class, and {read.name} has one in a row: say several "
                f'columns with score=["…", "…"] (on the command line --score …,…), or one of lists{hint}'
            )


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be computed of some rows.

    Attributes:
        plan: the measures, and how they are decided.
        sampling: how intervals are made, if any are.
        ties: the order of equal scores that was asked for, if one was.
        threads: how many threads to use; all cores if None.

    """

    plan: Plan
    sampling: Sampling | None = None
    ties: Ties | None = None
    threads: int | None = None

    @classmethod
    def of(cls, plans: Plans, sampling: Sampling | None, threads: int | None) -> Work:
        """What was asked for, of rows that have one score."""
        return cls(plans.of_rows, sampling, plans.given["ties"], threads)

    def result(self, rows: RowsOf, inputs: Mapping[str, str] = MappingProxyType({})) -> PredictionResult:
        """All of it; `inputs` are the hashes of the tables."""
        return self.evaluated(rows, inputs).result

    def sliced(self, rows: RowsOf, labelled: Labelled | None, part: NDArray[np.intp]) -> InSlice:
        """All of it of some rows, and how far that is from all others, if intervals are made."""
        own = self.evaluated(rows.taken(part))
        if self.sampling is None or labelled is None or len(part) == labelled.count:
            return own.result, {}
        inside = np.zeros(labelled.count, dtype=bool)
        inside[part] = True
        others = self._seen(rows.taken(np.flatnonzero(~inside))).samples
        parts = Parts(labelled, inside, self.sampling, first=True)
        return own.result, dict(parts.apart(own.samples, others))

    def evaluated(self, rows: RowsOf, inputs: Mapping[str, str] = MappingProxyType({})) -> Evaluated:
        """All of it, with what can be drawn again."""
        settled, lists, labelled, drawn = self._seen(rows)
        if self.sampling is None or labelled is None:
            return Evaluated(rows_result(self.plan, rows, settled, lists, Beside(inputs)), None, {})
        ends = {
            str(m): interval_of(m, each, labelled, self.sampling)
            if m.page.kind != "list" or self.sampling.method
            else interval_of_terms(lists.query_terms(m), together=len(drawn), **self.sampling.of_queries)  # type: ignore[union-attr]
            for m, each in drawn.items()
        }
        beside = Beside(inputs, ends)
        return Evaluated(rows_result(self.plan, rows, settled, lists, beside), labelled, drawn)

    def _seen(self, rows: RowsOf) -> _Seen:
        asked, read = self.plan.measures, rows.read
        of_lists = tuple(measure for measure in asked if measure.page.kind == "list")
        rows.rows.shaped = any(measure.page.name in OF_SHAPE for measure in asked)
        settled = {m: rows.settled(m) for m in asked if m.page.kind == "row"}
        lists = (
            evaluate_lists(read, replace(self.plan, measures=of_lists), self.ties, self.threads)
            if of_lists
            else None
        )
        if self.sampling is None:
            return _Seen(settled, lists, None, {})
        values = {m: settled[m].value if m in settled else lists[m] for m in asked}  # type: ignore[index]
        labelled = Labelled.of(read)
        samples = rows.samples(values, labelled, lambda m: lists.query_terms(m))  # type: ignore[union-attr]
        return _Seen(settled, lists, labelled, {m: sample for m, sample in samples if sample})


class _Seen(NamedTuple):
    """What some rows come to; and, if intervals are made, the rows as arrays and what can be drawn again."""

    settled: Mapping[Measure, SettledRows]
    lists: ListResult | None
    labelled: Labelled | None
    samples: Mapping[Measure, Sample]
