"""The front door for predictions: one table of labelled scores in, values of measures out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from rankmark import _native
from rankmark.aggregation.counts import MeasureCounts, PredictionCounts, RowMeasureCounts
from rankmark.aggregation.intervals import (
    IntervalMethod,
    Labelled,
    PredictionInterval,
    Sample,
    Sampling,
    interval_of,
)
from rankmark.aggregation.rows import RowsOf, Settled
from rankmark.api.classes import evaluate_classes
from rankmark.api.prediction_lists import evaluate_lists
from rankmark.engines.selection import is_streamed
from rankmark.errors import DataError, MeasureError, UsageError
from rankmark.inputs.predictions.classes import ClassPredictions
from rankmark.inputs.predictions.labelled import Predictions
from rankmark.inputs.predictions.reading import read_predictions
from rankmark.inputs.predictions.systems import SystemScores, read_systems
from rankmark.kinds.rows import Rows
from rankmark.language.choices import Duplicates, Engine, NoRelevant, Ties
from rankmark.language.measure import Measure, weighing
from rankmark.language.plan import Plan, check_threads, planned, separate
from rankmark.language.registry import CLASSES_FIRST, ROWS_FIRST, namesakes, pages
from rankmark.results.lists import Result
from rankmark.results.prediction_slices import prediction_slices
from rankmark.results.predictions import Basis, PredictionResult

__all__ = [
    "Evaluated",
    "Work",
    "are_classes_said",
    "binary_rows",
    "check_one_score",
    "evaluate_predictions",
    "evaluate_systems",
    "slicing_columns",
    "understood",
    "work_of",
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
    measures = list(separate(measures))
    of_classes = are_classes_said(score, predicted, classes)
    sampling = None
    if intervals:
        method = None if intervals is True else intervals
        sampling = Sampling(method, confidence, resamples, seed, threads or 0)
    slicing = slicing_columns(by)
    given = {"ties": ties, "seed": seed or None, "no_relevant": no_relevant, "duplicates": duplicates}
    asked = understood(measures, like, given, of_classes=of_classes)
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
        return evaluate_classes(
            read,
            planned(measures, like, given, CLASSES_FIRST),
            by=slicing,
            sampling=sampling,
            confidence=confidence,
            threads=threads or 0,
            inputs=_digests(read) if hash_inputs else {},
        )
    work = work_of(measures, like, given, sampling, threads)
    check_one_score(read, work.plan.measures)
    rows = RowsOf(read, threads or 0)
    result = work.result(rows, _digests(read) if hash_inputs else {})
    if not slicing:
        return result
    import polars as pl

    frame = pl.DataFrame(read.table)
    slices = prediction_slices(frame, slicing, lambda part: work.result(rows.taken(part)), confidence)
    return result.with_slices(slices)


def are_classes_said(score: object, predicted: str | None, classes: object) -> bool:
    """Whether what is said of a table's columns says that its labels are classes.

    Raises:
        UsageError: both the scores and the predicted class are said.

    """
    if predicted and score:
        raise UsageError("score and predicted are both said: say the scores, or the class that is predicted")
    return classes is not None or bool(predicted) or not isinstance(score, str | None)


def slicing_columns(by: object) -> list[str]:
    """The columns to slice by.

    Raises:
        UsageError: what is no name of a column, nor several.

    """
    columns = [by] if isinstance(by, str) else [] if by is None else by
    if isinstance(columns, Iterable) and all(isinstance(column, str) for column in columns):
        return list(columns)
    raise UsageError(f"by={by!r} is neither a column, called by its name, nor several")


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


def understood(
    measures: str | Measure | Iterable[str | Measure],
    like: str | None,
    given: Mapping[str, Any],
    *,
    of_classes: bool,
) -> tuple[Measure, ...]:
    """The measures, those of classes first or last; what is none is refused before a table is read."""
    first, other = (CLASSES_FIRST, ROWS_FIRST) if of_classes else (ROWS_FIRST, CLASSES_FIRST)
    try:
        return planned(measures, like, given, first).measures
    except MeasureError as error:
        try:
            return planned(measures, like, given, other).measures
        except MeasureError:
            raise error from None


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
            queries=query_ids.num_rows if query_ids else None,
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
    work = work_of(measures, like, given, sampling, threads)
    said = {"label": label, "query": query, "item": item, "weight": weight}
    read = read_systems(systems, said, positive, weighing(work.plan.measures))
    for own in read.predictions.values():
        check_one_score(own, work.plan.measures)
    evaluated = {name: work.evaluated(RowsOf(own, threads or 0)) for name, own in read.predictions.items()}
    return evaluated, read.notes


def work_of(
    measures: str | Measure | Iterable[str | Measure],
    like: str | None,
    given: Mapping[str, Any],
    sampling: Sampling | None,
    threads: int | None,
) -> Work:
    """What is to be computed of rows that have one score; see `evaluate_predictions`."""
    check_threads(threads)
    return Work(planned(measures, like, given, ROWS_FIRST), sampling, given["ties"], threads)


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
class Work:
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
        lists = (
            evaluate_lists(read, replace(self.plan, measures=of_lists), self.ties, self.threads)
            if of_lists
            else None
        )
        values = {m: settled[m].value if m in settled else lists[m] for m in asked}  # type: ignore[index]
        if self.sampling is None:
            return Evaluated(_result(self.plan, rows, settled, lists, values, {}, inputs), None, {})
        labelled = Labelled.of(read)
        drawn = {m: sample for m, sample in rows.samples(values, labelled, lists) if sample}
        ends = {str(m): interval_of(m, each, labelled, self.sampling) for m, each in drawn.items()}
        return Evaluated(_result(self.plan, rows, settled, lists, values, ends, inputs), labelled, drawn)
