"""The front door for predictions: one table of labelled scores in, values of measures out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark import _native
from rankmark.choices import Choices, Duplicates, Engine, NoRelevant, Ties
from rankmark.decisions import AtThreshold
from rankmark.engines.choice import is_streamed
from rankmark.errors import (
    ChoiceError,
    ColumnError,
    DataError,
    MeasureError,
    NotEvaluatedError,
    UsageError,
)
from rankmark.evaluation import Plan, check_threads, evaluate_tables, planned
from rankmark.formats import counted, printable
from rankmark.inputs.classes import ClassPredictions
from rankmark.inputs.predictions import Predictions, read_predictions
from rankmark.inputs.roles import Input
from rankmark.inputs.systems import SystemScores, read_systems
from rankmark.measure import (
    CLASSES_FIRST,
    ROWS_FIRST,
    Kind,
    Measure,
    namesakes,
    no_closed_form,
    pages,
    weighing,
)
from rankmark.parameters import format_value
from rankmark.predictions.intervals import (
    IntervalMethod,
    Labelled,
    PredictionInterval,
    Sample,
    Sampling,
    explained,
    interval_of,
    samples,
)
from rankmark.predictions.slices import PredictionSlices, prediction_slices
from rankmark.result import Counts, MeasureCounts, Result
from rankmark.rows import PerQuery, Rows, Undefined
from rankmark.signature import Evaluation

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.predictions.by_class import ByClass
    from rankmark.rows import Values

__all__ = [
    "Basis",
    "Evaluated",
    "PredictionCounts",
    "PredictionResult",
    "RowMeasureCounts",
    "RowsOf",
    "Settled",
    "binary_rows",
    "evaluate_predictions",
    "evaluate_systems",
    "mean_of_queries",
    "mean_over",
    "need_query",
    "some",
]


def evaluate_predictions(
    table: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    label: str | None = None,
    score: str | Sequence[str] | None = None,
    predicted: str | None = None,
    classes: Sequence[str | int] | None = None,
    query: str | None = None,
    item: str | None = None,
    weight: str | None = None,
    positive: str | float | None = None,
    ties: Ties | None = None,
    seed: int = 0,
    no_relevant: NoRelevant | None = None,
    duplicates: Duplicates | None = None,
    like: str | None = None,
    by: str | Sequence[str] | None = None,
    intervals: bool | IntervalMethod = False,
    confidence: float = 0.95,
    resamples: int | None = None,
    threads: int | None = None,
    engine: Engine | None = None,
    memory: int | str | None = None,
    hash_inputs: bool = False,
) -> PredictionResult:
    """Measures how good predictions are, of one table in which each row has a label and a score.

    `table` is a path (CSV, TSV, JSON lines, Parquet; also gzip or zstd; also a glob), a table of polars,
    pandas, pyarrow, DuckDB or whatever else speaks the Arrow PyCapsule interface, or a dict of columns. It is
    never changed. Columns are found by the usual names or said outright.

    Measures of predictions see all rows (AUC, LogLoss, RMSE …) or those of each query (GAUC). Measures of
    lists (nDCG@10 …) can be asked for, too, where there is a query: the rows of a query are its list by
    falling score, and their labels the judgements. A name that both kinds have means the one of predictions.

    Measures of classes (MulticlassAccuracy, MulticlassF …) see labels that are classes and a score of each
    class in every row: several columns of scores, or one that holds lists of the same length. Many of them
    need no more than the class that is predicted, in a column of its own. There ``"Accuracy"``, ``"LogLoss"``
    and ``"AUC"`` mean the measures of classes.

    Args:
        table: the labelled scores.
        measures: names such as ``"AUC"``, or measures such as ``rm.LogLoss(unit="bits")``: one or several;
            also several names in one text, ``"AUC, GAUC"``.
        label: the column of what happened. Measures of binary labels take 0 and 1, −1 and 1, true and false,
            or any two with `positive`; others take numbers, and measures of lists grades.
        score: the column of predictions. Measures of probabilities take 0 to 1, others any number. For
            measures of classes a list of columns, one a class, or one column of lists.
        predicted: instead of scores, the column of the class that is predicted in each row: words, whole
            numbers or booleans, as the labels. It can be one that no label is.
        classes: the class of each score, in their order, where labels do not say it: those that have the
            columns' names; or else, where there are as many as scores, ascending; or numbers from 0 or 1.
            With `predicted`, all the classes, where not each of them is a label or predicted.
        query: the column of the query, user or session; only some measures need it.
        item: the column of the item; only measures of lists look at it, to order equal scores.
        weight: the column of the rows' weights; not for measures of lists. ``""`` is none, whatever the
            columns are called.
        positive: the label of positive rows, where it is not 1 or true.
        ties: the order of equal scores for measures of lists: ``item-desc`` if there is an item, else
            ``expected``, the mean over all orders.
        seed: of ``ties="random"``, and of resamples.
        no_relevant: for measures of lists, what a query without relevant items is: 0 if None.
        duplicates: for measures of lists, what the same item twice in one query is: refused if None.
        like: a convention, such as ``"sklearn"``: the measures are that tool's, by its names or by the names
            here, and it decides the choices that are not given; see `conventions`.
        by: a column, or several, by whose values the rows are sliced, for `Result.slices`: each measure of
            the rows of each value, with its interval if intervals are asked for.
        intervals: whether to give confidence intervals, for `PredictionResult.intervals`. True takes DeLong's
            for AUC, and for others the bootstrap (BCa); or one of ``delong``, ``delta``, ``bca`` and
            ``percentile`` for all. Queries are drawn where there is a column of them, else rows.
        confidence: the share of intervals that hold the true value, 0 to 1.
        resamples: how many the bootstrap draws. If None, 10,000; but for measures that are neither means over
            queries nor functions of sums over rows (KS, AveragePrecision …), and are computed again for each,
            as many as come to 20 million rows, at least 200 and at most 1,000.
        threads: how many threads to use; all cores if None.
        engine: ``local`` reads the table into memory, ``stream`` reads files (Parquet, CSV, TSV) in batches
            and computes measures that are sums over rows (LogLoss, Brier, RMSE, PCOPC …), AUC, exactly, and
            measures of each query (GAUC); it refuses others. If None, ``stream`` for files larger than half
            the free memory, where it computes all that is asked for.
        memory: about how much of it ``stream`` may use: bytes, or a text such as ``"2GiB"``, which is what
            None means.
        hash_inputs: whether to hash what the table holds, for `Result.inputs`; takes longer than evaluating.

    Returns:
        The values, those of each query where a measure has them, and the account of the rows. A measure
        to which the data give no value, such as the AUC of rows of one class, is NaN, and
        `PredictionResult.undefined` says why. `PredictionResult.thresholds` has the thresholds that
        ``threshold=max`` found.

    Raises:
        UsageError: an unknown measure, parameter or choice, or a file that is not there.
        DataError: a table, a label or a score that a measure cannot take.

    Example:
        >>> import rankmark as rm
        >>> table = {"click": [1, 0, 1, 0], "p": [0.9, 0.8, 0.7, 0.1], "user_id": ["a", "a", "b", "b"]}
        >>> result = rm.evaluate_predictions(table, ["AUC", "GAUC", "nDCG@10"])
        >>> result["AUC"], result["GAUC"], result["nDCG@10"]
        (0.75, 1.0, 1.0)

    """
    measures = measures if isinstance(measures, str | Measure) else list(measures)
    of_classes = classes is not None or bool(predicted) or not isinstance(score, str | None)
    if predicted and score:
        raise UsageError("score and predicted are both said: say the scores, or the class that is predicted")
    sampling = None
    if intervals:
        method = None if intervals is True else intervals
        sampling = Sampling(method, confidence, resamples, seed, threads or 0)
    slicing = [by] if isinstance(by, str) else list(by or ())
    given = {"ties": ties, "seed": seed or None, "no_relevant": no_relevant, "duplicates": duplicates}
    doors = (CLASSES_FIRST, ROWS_FIRST) if of_classes else (ROWS_FIRST, CLASSES_FIRST)
    asked = _understood(measures, like, given, doors)
    check_threads(threads)
    said = {"label": label, "score": score, "query": query, "item": item, "weight": weight}
    said["predicted"] = predicted
    if is_streamed(engine, memory, {"predictions": table}):
        wants = {"like": like, "by": slicing, "intervals": intervals, "predicted": predicted}
        result = _streamed(table, asked, said, classes, positive, engine, wants, threads, memory, hash_inputs)
        if result is not None:
            return result
    read = read_predictions(table, said, positive, classes, slicing, weighing=weighing(asked))
    if isinstance(read, ClassPredictions):
        from rankmark.predictions.classes import evaluate_classes  # made of what is here

        return evaluate_classes(
            read,
            planned(measures, like, given, CLASSES_FIRST),
            by=slicing,
            sampling=sampling,
            confidence=confidence,
            threads=threads or 0,
            inputs=_digests(read) if hash_inputs else {},
        )
    work = _work(measures, like, given, sampling, threads)
    _check_one_score(read, work.plan.measures)
    rows = RowsOf(read, threads or 0)
    result = work.result(rows, _digests(read) if hash_inputs else {})
    if not slicing:
        return result
    import polars as pl

    frame = pl.DataFrame(read.table)
    slices = prediction_slices(frame, slicing, lambda part: work.result(rows.taken(part)), confidence)
    return result.with_slices(slices)


def _streamed(
    table: Any,
    asked: tuple[Measure, ...],
    said: Mapping[str, Any],
    classes: Sequence[Any] | None,
    positive: str | float | None,
    engine: Engine | None,
    wants: Mapping[str, object],
    threads: int | None,
    memory: int | str | None,
    hash_inputs: bool,
) -> PredictionResult | None:
    """The table evaluated in batches; None where that cannot be done and was not asked for."""
    from rankmark.engines import row_stream

    whole = [name for name, value in wants.items() if value]
    if whole and engine == "stream":
        raise UsageError(f'{whole[0]} needs the whole table, which engine="stream" never has; choose "local"')
    if whole:
        return None
    try:
        return row_stream.evaluate(
            table, asked, said, classes, positive, threads=threads, memory=memory, hash_inputs=hash_inputs
        )
    except MeasureError:
        if engine == "stream":
            raise
        return None


def _digests(read: Predictions | ClassPredictions) -> dict[str, str]:
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
    rows = RowsOf(read, threads or 0)
    rows.check_binary(what)
    if probabilities:
        rows.check_probabilities(what)
    return rows.rows


def _understood(
    measures: str | Measure | Iterable[str | Measure],
    like: str | None,
    given: Mapping[str, Any],
    doors: tuple[tuple[Kind, ...], tuple[Kind, ...]],
) -> tuple[Measure, ...]:
    """The measures at the first door, or at the other; what is none is refused before a table is read."""
    try:
        return planned(measures, like, given, doors[0]).measures
    except MeasureError as error:
        try:
            return planned(measures, like, given, doors[1]).measures
        except MeasureError:
            raise error from None


@dataclass(frozen=True, slots=True)
class RowMeasureCounts:
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


@dataclass(frozen=True, slots=True)
class PredictionCounts:
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


@dataclass(frozen=True, slots=True)
class Basis:
    """What decides the values of row measures besides their parameters."""

    positive: str
    weights: str
    classes: int | None = None
    like: str | None = None

    def signature(self, measure: Measure, *, short: bool) -> str:
        """As `Result.signature`."""
        weights = None if self.weights == "none" else self.weights
        return Evaluation(
            measure,
            convention=self.like,
            positive=self.positive,
            weights=weights,
            classes=self.classes,
        ).signature(short=short)


class PredictionResult(Result):
    """The values of one table of predictions, with what is needed to trust them.

    As `Result`; `per_query` has the measures that have a value for each query.
    """

    __slots__ = ("_basis", "_by_class", "_intervals", "_lists", "_rows")

    counted = "counts"

    def __init__(
        self,
        *,
        values: Mapping[Measure, float],
        per_query_values: Mapping[Measure, Values],
        query_ids: _native.Table | None,
        counts: PredictionCounts,
        basis: Basis,
        lists: Result | None,
        inputs: Mapping[str, str] = MappingProxyType({}),
        intervals: Mapping[str, PredictionInterval] = MappingProxyType({}),
        slices: PredictionSlices | None = None,
        by_class: ByClass | None = None,
    ) -> None:
        super().__init__(
            values=values,
            per_query_values=per_query_values,
            query_ids=query_ids,
            choices=Choices(),
            counts=Counts(0, 0, 0, 0, {}),
            inputs=inputs,
            convention=basis.like,
            notes=lists.notes if lists else (),
            slices=slices,
        )
        self._intervals = dict(intervals)
        self._rows = counts
        self._basis = basis
        self._lists = lists
        self._by_class = by_class

    @property
    def kinds(self) -> tuple[Kind, ...]:  # type: ignore[override]
        """The kind of measure of which a name is understood first."""
        return ROWS_FIRST if self._rows.classes is None else CLASSES_FIRST

    @property
    def thresholds(self) -> dict[str, float]:
        """The threshold at which each measure with ``threshold=max`` is greatest, by its canonical name.

        Rows that score at least as much are found; none if it is infinite.
        """
        counts = self.counts.measures.items()
        return {
            name: each.threshold
            for name, each in counts
            if isinstance(each, RowMeasureCounts) and each.threshold is not None
        }

    @property
    def intervals(self) -> Mapping[str, PredictionInterval]:
        """The confidence interval of each measure, by its canonical name; empty unless asked for.

        There is none of a measure without a finite value, and none of a measure of lists that is no mean of
        the queries' values.
        """
        return MappingProxyType(self._intervals)

    @property
    def undefined(self) -> dict[str, str]:
        """Why measures have no value, by their canonical names; empty if all have one."""
        counts = self.counts.measures.items()
        return {n: c.undefined for n, c in counts if isinstance(c, RowMeasureCounts) and c.undefined}

    @property
    def counts(self) -> PredictionCounts:  # type: ignore[override]
        """How many rows there are, positive ones, queries, and what became of them in each measure."""
        return self._rows

    @property
    def choices(self) -> dict[str, Any]:
        """How ties, duplicates … were decided in measures of lists; empty if none was asked for."""
        return {} if self._lists is None else self._lists.choices

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
    def by_class(self) -> ByClass:
        """What there is of each class.

        Raises:
            NotEvaluatedError: there are no classes, but one score in a row.

        """
        if self._by_class is None:
            raise NotEvaluatedError("there is one score in a row here, and no classes")
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
        """Why classes have no value, by the measures' canonical names and the classes."""
        return {str(measure): dict(each) for measure, each in self.by_class.undefined.items()}

    @property
    def confusion(self) -> pl.DataFrame:
        """The confusion matrix: a row a label, a column a predicted class, the weight of the rows.

        Where several classes have the greatest score, the row is shared, or the first has it, as in the first
        measure asked for that looks at predicted classes (``ties=``).

        Raises:
            NotEvaluatedError: there are no classes, but one score in a row; or no measure looked at which
                are predicted.

        """
        return self.by_class.confusion

    def signature(self, measure: str | Measure, *, short: bool = False) -> str:
        """Everything that decides the value of `measure`, on one line, to be quoted beside it.

        With ``short=True`` what is not the standard, and the version.
        """
        found = self._find(measure)
        if found.page.kind != "list":
            return self._basis.signature(found, short=short)
        assert self._lists is not None
        return self._lists.signature(found, short=short)

    def account(self) -> list[str]:
        """What happened to the rows: a line, another if there is something to notice, one on intervals."""
        counts = self.counts
        first = f"{counted(counts.rows, 'row')}"
        if counts.positive is not None:
            first += f", {counts.positive:,} positive"
        if counts.queries is not None:
            first += f", {counted(counts.queries, 'query', 'queries')}"
        if counts.classes is not None:
            first += f", {counted(len(counts.classes), 'class', 'classes')} ({some(counts.classes)})"
        if self.convention:
            first += f", as in {self.convention}"
        of_lists = self._lists.account()[1:] if self._lists else []
        notes = [*self._best(), *self._skipped(), *self._unlabelled(), *self._reasons(), *of_lists]
        lines = [first, "; ".join(notes)] if notes else [first]
        return [*lines, explained(self._intervals)] if self._intervals else lines

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

    def __reduce__(self) -> tuple[Any, ...]:
        import polars as pl

        saved = {
            "values": self._values,
            "per_query_values": self._per_query,
            "counts": self._rows,
            "basis": self._basis,
            "lists": self._lists,
            "inputs": self._inputs,
            "intervals": self._intervals,
            "slices": self._slices,
            "by_class": self._by_class,
        }
        ids = None if self._query_ids is None else pl.DataFrame(self._query_ids)
        return _restored, (ids, saved)


def _restored(query_ids: pl.DataFrame | None, saved: Mapping[str, Any]) -> PredictionResult:
    """A result that was pickled or copied."""
    ids = None if query_ids is None else _native.Table.from_arrow(query_ids)
    return PredictionResult(query_ids=ids, **saved)


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
        core = self._core(columns.weight)
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
        """Each measure as what can be drawn again; see `rankmark.predictions.intervals.samples`."""

        def evaluate(measure: Measure, rows: NDArray[np.intp]) -> float:
            return self.taken(rows).settled(measure).value

        def query_values(measure: Measure) -> Values:
            assert lists is not None
            return lists.query_values(measure)

        return samples(values, labelled, self.rows, evaluate, query_values)

    def _core(self, weight: str | None) -> _native.LabelledRows:
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
            self._core(column).content()

    def check_probabilities(self, measure: Measure | str) -> None:
        """Refuses scores outside of 0 to 1."""
        if self.no_probability:
            raise DataError(
                f"{measure} takes probabilities, and {self._where('score')} has "
                f"{counted(self.no_probability, 'score')} outside of 0 to 1, {self.shown_no_probability()}"
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


def _evaluate_lists(read: Predictions, plan: Plan, work: _Work) -> Result:
    """The measures of lists, of a table that is both judgements and results."""
    query = need_query(read, plan.measures[0])
    table, item = read.table, read.columns.item
    if item is None:
        plan = _without_items(plan, work.ties)
        table, item = _numbered(read)
    columns = read.columns
    judgements = Input(table, "qrels", read.name, query, item, columns.label, None, read.text_ids)
    results = Input(table, "run", read.name, query, item, columns.score, None, read.text_ids)
    return evaluate_tables(judgements, results, plan, threads=work.threads)


def _without_items(plan: Plan, ties: Ties | None) -> Plan:
    """The plan where there are no items: what nothing decides is the mean over all orders of ties."""
    if plan.convention is None:
        _check_without_items(plan.measures, ties)
        return replace(plan, choices=replace(plan.choices, ties=ties or "expected"))
    for measure in plan.measures:
        _check_without_items([measure], plan.own.get(measure, plan.choices).ties)
    return plan


def _check_without_items(asked: Iterable[Measure], ties: Ties | None) -> None:
    """Refuses what only ids of items could decide."""
    if ties not in (None, "expected", "best", "worst", "input"):
        raise ChoiceError(
            f'ties="{ties}" orders equal scores by their items, and there is no column of items: say which '
            'it is with item="…", or choose expected, best, worst or input'
        )
    for measure in asked:
        if ties in (None, "expected") and not measure.expected:
            raise MeasureError(
                f"{no_closed_form(str(measure))}; without a column of items (item=…), which could order "
                "them, that mean is what is computed"
            )


def _numbered(read: Predictions) -> tuple[_native.Table, str]:
    """The table with a column that numbers its rows, and that column's name."""
    import polars as pl

    name = "row"
    while name in read.table.names:
        name += "_"
    return _native.Table.from_arrow(pl.DataFrame(read.table).with_row_index(name).to_struct()), name


def _result(
    plan: Plan,
    rows: RowsOf,
    settled: Mapping[Measure, Settled],
    lists: Result | None,
    values: Mapping[Measure, float],
    intervals: Mapping[str, PredictionInterval],
    inputs: Mapping[str, str],
) -> PredictionResult:
    asked, read = plan.measures, rows.read
    own = {m: each.per_query for m, each in settled.items() if each.per_query is not None}
    of_lists = {m: lists.query_values(m) for m in lists} if lists else {}
    per_query = {m: each for m in asked if (each := own.get(m, of_lists.get(m))) is not None}
    query_ids = _query_ids(read, rows, lists) if per_query else None
    counts: dict[str, MeasureCounts | RowMeasureCounts] = {str(m): s.counts for m, s in settled.items()}
    if lists:
        counts |= lists.counts.measures
    return PredictionResult(
        basis=Basis(rows.positive, read.columns.weight or "none", like=plan.convention),
        lists=lists,
        inputs=inputs,
        values=values,
        per_query_values=per_query,
        query_ids=query_ids,
        counts=PredictionCounts(
            rows=rows.count,
            positive=rows.rows.positives if rows.binary else None,
            queries=len(query_ids.column_values("query")) if query_ids else None,
            measures={str(m): counts[str(m)] for m in asked},
        ),
        intervals=intervals,
    )


def _query_ids(read: Predictions, rows: RowsOf, lists: Result | None) -> _native.Table:
    """The queries, in the order of their first rows, as either kind of measure has them."""
    if lists:
        return lists.query_table
    assert read.columns.query is not None
    return read.table.take(read.columns.query, rows.rows.of_queries.first_rows, "query")


def _check_one_score(read: Predictions, asked: Iterable[Measure]) -> None:
    """Refuses measures of classes where there is one score in a row."""
    for measure in asked:
        if measure.page.kind == "class":
            others = " or ".join(n for n in namesakes(measure.page) if pages()[n].kind == "row")
            hint = f"; of one score there is {others}" if others else ""
            raise MeasureError(
                f"{measure} takes a score of each class, and {read.name} has one in a row: say several "
                f'columns with score=["…", "…"] (on the command line --score …,…), or one of lists{hint}'
            )


def some(values: Iterable[Any]) -> str:
    """The first few of them."""
    shown = [printable(format_value(value)) for value in values]
    return ", ".join(shown[:6]) + (", …" if len(shown) > 6 else "")


def evaluate_systems(
    systems: Mapping[str, SystemScores],
    measures: str | Measure | Iterable[str | Measure],
    sampling: Sampling,
    *,
    label: str | None = None,
    query: str | None = None,
    item: str | None = None,
    weight: str | None = None,
    positive: str | float | None = None,
    ties: Ties | None = None,
    no_relevant: NoRelevant | None = None,
    duplicates: Duplicates | None = None,
    like: str | None = None,
    threads: int | None = None,
) -> tuple[dict[str, Evaluated], tuple[str, ...]]:
    """Evaluates the scores of several systems, each with what of it can be drawn again.

    Args:
        systems: each system's table and column of scores.
        measures: as for `evaluate_predictions`, as are all others but this:
        sampling: how intervals are made.
        label: see there.
        query: see there.
        item: see there.
        weight: see there.
        positive: see there.
        ties: see there.
        no_relevant: see there.
        duplicates: see there.
        like: see there.
        threads: see there.

    Returns:
        Each system's values, and what a reader should know of how the tables were brought together.

    """
    given = {
        "ties": ties,
        "seed": sampling.seed or None,
        "no_relevant": no_relevant,
        "duplicates": duplicates,
    }
    work = _work(measures, like, given, sampling, threads)
    said = {"label": label, "query": query, "item": item, "weight": weight}
    read = read_systems(systems, said, positive, weighing(work.plan.measures))
    for own in read.predictions.values():
        _check_one_score(own, work.plan.measures)
    evaluated = {name: work.evaluated(RowsOf(own, threads or 0)) for name, own in read.predictions.items()}
    return evaluated, read.notes


def _work(
    measures: str | Measure | Iterable[str | Measure],
    like: str | None,
    given: Mapping[str, Any],
    sampling: Sampling | None,
    threads: int | None,
) -> _Work:
    check_threads(threads)
    return _Work(planned(measures, like, given, ROWS_FIRST), sampling, given["ties"], threads)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A result, and what of it can be drawn again.

    Attributes:
        result: the values.
        labelled: the rows as arrays; None where no intervals are asked for, as is the next.
        samples: each measure that can be resampled.

    """

    result: PredictionResult
    labelled: Labelled | None
    samples: Mapping[Measure, Sample]


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be computed of some rows."""

    plan: Plan
    sampling: Sampling | None
    ties: Ties | None
    threads: int | None

    def result(self, rows: RowsOf, inputs: Mapping[str, str] = MappingProxyType({})) -> PredictionResult:
        """All of it; `inputs` are the hashes of the tables."""
        return self.evaluated(rows, inputs).result

    def evaluated(self, rows: RowsOf, inputs: Mapping[str, str] = MappingProxyType({})) -> Evaluated:
        """All of it, with what can be drawn again."""
        asked, read = self.plan.measures, rows.read
        of_lists = tuple(measure for measure in asked if measure.page.kind == "list")
        settled = {m: rows.settled(m) for m in asked if m.page.kind == "row"}
        lists = _evaluate_lists(read, replace(self.plan, measures=of_lists), self) if of_lists else None
        values = {m: settled[m].value if m in settled else lists[m] for m in asked}  # type: ignore[index]
        if self.sampling is None:
            return Evaluated(_result(self.plan, rows, settled, lists, values, {}, inputs), None, {})
        labelled = Labelled.of(read)
        drawn = {m: sample for m, sample in rows.samples(values, labelled, lists) if sample}
        ends = {str(m): interval_of(m, each, labelled, self.sampling) for m, each in drawn.items()}
        return Evaluated(_result(self.plan, rows, settled, lists, values, ends, inputs), labelled, drawn)
