"""The evaluation of measures of classes: labels that are classes, and what was predicted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from rankmark.aggregation.apart import Parts
from rankmark.aggregation.cells import OfCells
from rankmark.aggregation.counts import PredictionCounts, RowMeasureCounts
from rankmark.aggregation.intervals import (
    OfRows,
    OfShare,
    Sample,
    Sampling,
    Units,
    interval_of,
    numbered,
    of_queries,
)
from rankmark.api.evaluated import Evaluated
from rankmark.api.prediction_lists import evaluate_class_lists
from rankmark.api.prediction_results import Beside, prediction_result
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, MeasureError
from rankmark.inputs.predictions.looked_at import ClassesLookedAt
from rankmark.inputs.predictions.row_slices import read_row_slices
from rankmark.kinds.classes import SUMS_TO_ONE, Classes, PerClass, improbable
from rankmark.kinds.rows import Undefined
from rankmark.language.conventions.convention import departures
from rankmark.language.conventions.limits import Facts
from rankmark.language.registry import namesakes, pages
from rankmark.rendering.words import counted
from rankmark.results.by_class import ByClass
from rankmark.results.prediction_slices import prediction_slices
from rankmark.results.predictions import Basis, PredictionResult, some

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.aggregation.counts import MeasureCounts
    from rankmark.inputs.predictions.classes import ClassPredictions
    from rankmark.inputs.slicing import Slicing
    from rankmark.kinds.rows import Values
    from rankmark.language.choices import Ties
    from rankmark.language.measure import Measure
    from rankmark.language.plan import Plan
    from rankmark.results.lists import ListResult
    from rankmark.results.prediction_slices import InSlice

    Again: TypeAlias = Callable[[NDArray[np.intp]], float]

__all__ = ["ClassWork", "check_measures", "check_probabilities", "evaluate_classes"]


def evaluate_classes(
    read: ClassPredictions,
    plan: Plan,
    *,
    slicing: Slicing | None = None,
    sampling: Sampling | None = None,
    confidence: float = 0.95,
    ties: Ties | None = None,
    threads: int = 0,
    inputs: Mapping[str, str] = MappingProxyType({}),
) -> PredictionResult:
    """The measures of classes of a table that was read; see `rankmark.evaluate_predictions`.

    Raises:
        MeasureError: a measure that is none of classes, or looks at scores that are not there.
        DataError: scores that are no probabilities, where a measure takes such.

    """
    work = ClassWork(plan, sampling, ties, threads)
    work.check(read)
    result = work.evaluated(read, inputs).result
    if slicing is None:
        return result
    slices = read_row_slices(slicing, read.rest, len(read.labels), read.query, read.name)

    found = prediction_slices(slices, lambda rows: work.sliced(read, rows), confidence, result.values)
    return result.with_slices(found)


@dataclass(frozen=True, slots=True)
class ClassWork:
    """What is to be computed of some rows.

    Attributes:
        plan: the measures, and how they are decided.
        sampling: how intervals are made, if any are.
        ties: the order of equal scores that was asked for, if one was.
        threads: how many threads to use; 0 for all cores.

    """

    plan: Plan
    sampling: Sampling | None
    ties: Ties | None
    threads: int

    def check(self, read: ClassPredictions) -> None:
        """Refuses measures that the table cannot have."""
        check_measures(self.plan.measures, read.name, len(read.names), read.guess)
        check_probabilities(read.scores, read.name, self.plan.measures)

    def sliced(self, read: ClassPredictions, part: NDArray[np.intp]) -> InSlice:
        """All of it of some rows, and how far that is from all others, if intervals are made."""
        own = self.evaluated(read.taken(part))
        if self.sampling is None or len(part) == len(read.labels):
            return own.result, {}
        inside = np.zeros(len(read.labels), dtype=bool)
        inside[part] = True
        others = self._seen(read.taken(np.flatnonzero(~inside))).samples
        parts = Parts(_units(read), inside, self.sampling, first=False)
        return own.result, dict(parts.apart(own.samples, others))

    def _seen(self, read: ClassPredictions) -> _Seen:
        asked, classes = self.plan.measures, read.seen(self.threads)
        of_lists = tuple(measure for measure in asked if measure.page.kind == "list")
        found = {measure: _found(measure, classes) for measure in asked if measure not in of_lists}
        lists = self._lists(read, of_lists) if of_lists else None
        values = {measure: each.value for measure, each in found.items()}
        values |= {} if lists is None else {measure: lists[measure] for measure in lists}
        rows = _units(read) if self.sampling else None
        samples = {} if rows is None else dict(_samples(values, rows, classes, lists))
        return _Seen(classes, found, lists, values, rows, samples)

    def evaluated(
        self, read: ClassPredictions, inputs: Mapping[str, str] = MappingProxyType({})
    ) -> Evaluated:
        """All of it, with what can be drawn again; `inputs` are the hashes of the tables."""
        classes, found, lists, values, rows, samples = self._seen(read)
        counts: dict[str, MeasureCounts | RowMeasureCounts] = {
            str(measure): RowMeasureCounts(undefined=each.undefined) for measure, each in found.items()
        }
        if lists:
            counts |= lists.counts.measures
        intervals = {}
        if self.sampling and rows:
            intervals = {str(m): interval_of(m, each, rows, self.sampling) for m, each in samples.items()}
        result = prediction_result(
            self.plan,
            Basis("", read.weight, len(read.names), self.plan.convention),
            PredictionCounts(classes.count, None, None, counts, read.names, _unlabelled(read)),
            values,
            {} if lists is None else {measure: lists.query_values(measure) for measure in lists},
            {} if lists is None else lists.query_parts,
            None if lists is None else lists.query_table,
            lists=lists,
            by_class=_by_class(read, classes, found),
            beside=Beside(inputs, intervals),
            notes=(*read.notes, *self._departures(read, found)),
        )
        return Evaluated(result, rows, samples)

    def _departures(self, read: ClassPredictions, measures: Iterable[Measure]) -> tuple[str, ...]:
        """What keeps the numbers from being those of the tool whose convention is followed."""
        if self.plan.convention is None:
            return ()
        outside = 0 if read.scores is None else len(improbable(read.scores)[0])
        facts = {each: Facts(improbable=outside, rows=ClassesLookedAt(read, each)) for each in measures}
        return departures(self.plan.convention, facts)

    def _lists(self, read: ClassPredictions, of_lists: tuple[Measure, ...]) -> ListResult:
        assert read.scores is not None, of_lists  # which others were refused
        plan = replace(self.plan, measures=of_lists)
        return evaluate_class_lists(read.scores, read.labels, plan, self.ties, self.threads)


class _Seen(NamedTuple):
    """What some rows come to; and, if intervals are made, their units and what can be drawn again."""

    classes: Classes
    found: Mapping[Measure, PerClass]
    lists: ListResult | None
    values: Mapping[Measure, float]
    rows: Units | None
    samples: Mapping[Measure, Sample]


def _units(read: ClassPredictions) -> Units:
    return Units(len(read.labels), numbered(read.rest, read.query, read.name))


def _samples(
    values: Mapping[Measure, float], rows: Units, classes: Classes, lists: ListResult | None
) -> Iterator[tuple[Measure, Sample]]:
    """Each measure with a finite value as what can be drawn again."""
    for measure, value in values.items():
        if not np.isfinite(value):
            continue
        if lists is not None and measure.page.kind == "list":
            yield measure, of_queries(lists.query_terms(measure), rows)
            continue
        value_of, is_share = _value_of(measure), measure.name in SHARES and not classes.weighted
        if measure.page.scores == "greatest" and measure.cutoff in (None, 1):
            ties = measure.arguments.get("ties", "first")
            yield measure, OfCells(rows, value, value_of, classes, ties, is_share=is_share)
        else:
            yield measure, (OfShare if is_share else OfRows)(rows, value, _again(value_of, classes))


SHARES = ("MulticlassAccuracy", "MulticlassErrorRate")


def _value_of(measure: Measure) -> Callable[[Classes], float]:
    return lambda classes: _found(measure, classes).value


def _again(value_of: Callable[[Classes], float], classes: Classes) -> Again:
    """What computes a measure of some of the rows."""
    return lambda rows: value_of(classes.drawn(rows))


def _found(measure: Measure, classes: Classes) -> PerClass:
    """The measure's value, with those of the classes where it has any."""
    if classes.weight == 0:  # of some of the rows; a table without any is refused
        return PerClass(np.nan, NONE, undefined="no row has any weight")
    try:
        value = measure.compute_classes(classes)
    except Undefined as reason:
        return PerClass(np.nan, NONE, undefined=str(reason))
    return value if isinstance(value, PerClass) else PerClass(value, NONE)


NONE = np.empty(0)
"""The values of the classes of a measure that has none."""


def _by_class(read: ClassPredictions, classes: Classes, found: Mapping[Measure, PerClass]) -> ByClass:
    names = read.names
    ties = next((measure.arguments["ties"] for measure in found if "ties" in measure.arguments), None)
    each = {measure: of for measure, of in found.items() if len(of.values)}
    return ByClass(
        names,
        np.bincount(read.labels, minlength=len(names)),
        None if read.weights is None else classes.support(),
        {measure: of.values for measure, of in each.items()},
        {m: {names[n]: why for n, why in of.without.items()} for m, of in each.items() if of.without},
        classes.cells(ties) if ties else None,
    )


def _unlabelled(read: ClassPredictions) -> int | None:
    """Rows for which a class is predicted that no label is."""
    if read.predicted is None:
        return None
    rows = np.bincount(read.labels, minlength=len(read.names))
    return int(np.count_nonzero(rows[read.predicted] == 0))


def check_measures(asked: Iterable[Measure], where: str, classes: int | None, guess: str | None) -> None:
    """Refuses measures of something else, and those of scores that are not there.

    Args:
        asked: the measures.
        where: what messages call the table.
        classes: how many scores a row has, where it has any.
        guess: the column of predicted classes, if there is one.

    """
    for measure in asked:
        if measure.page.kind == "row":
            others = " or ".join(n for n in namesakes(measure.page) if pages()[n].kind == "class")
            hint = f"; of classes there is {others}" if others else ""
            here = f"has {classes}, one of each class" if guess is None else "has classes"
            raise MeasureError(f"{measure} takes one score in a row, and {where} {here}{hint}")
        of_lists = measure.page.kind == "list"
        looks_further = of_lists or measure.page.scores != "greatest" or (measure.cutoff or 1) > 1
        if guess is not None and looks_further:
            raise MeasureError(
                f"{measure} takes a score of each class, and {where} has but the class that is "
                f"predicted, {guess!r}; leave the measure out, or say the scores with score= instead"
            )


def check_probabilities(scores: Values | None, name: str, asked: Iterable[Measure]) -> None:
    """Refuses scores of classes that are no probabilities, where a measure takes such."""
    measure = next((measure for measure in asked if measure.page.scores == "probability"), None)
    if measure is None or scores is None:
        return
    outside, far = improbable(scores)
    if len(outside):
        raise DataError(
            f"{measure} takes probabilities, and {name} has {counted(len(outside), 'row')} with a score "
            f"outside of 0 to 1, the first row {outside[0]} (from 0): {some(scores[outside[0]])}"
        )
    if len(far):
        sum_ = scores[far[0]].sum()
        raise DataError(
            f"{measure} takes the probabilities of all classes, and in {name} those of "
            f"{counted(len(far), 'row')} do not sum to 1 (by more than {SUMS_TO_ONE}), the first row "
            f"{far[0]} (from 0), where they sum to {sum_:.6g}; give a score for every class, and divide by "
            "their sum"
        )
