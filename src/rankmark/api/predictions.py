"""The front door for predictions: one table of labelled scores in, values of measures out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rankmark.aggregation.intervals import IntervalMethod
from rankmark.aggregation.rows import RowsOf
from rankmark.api.labelled import Labels, Wanted, evaluate_labelled
from rankmark.api.prediction_plans import Plans, are_classes_said, sampling_of
from rankmark.api.prediction_results import Beside, rows_result
from rankmark.dataclassing import dataclass
from rankmark.engines.selection import OF_ROWS, Engine, selected
from rankmark.errors import MeasureError, UsageError
from rankmark.inputs.predictions.groups import GROUPS, in_groups
from rankmark.inputs.predictions.row_slices import sliced_by
from rankmark.inputs.slicing import By
from rankmark.language.choices import Choices, Duplicates, NoRelevant, ShortLists, Ties
from rankmark.language.measure import Measure
from rankmark.language.plan import Plan, check_threads
from rankmark.results.predictions import PredictionResult

__all__ = ["evaluate_predictions"]


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
    group: Any = None,
    positive: str | float | None = None,
    ties: Ties | None = None,
    seed: int = 0,
    no_relevant: NoRelevant | None = None,
    duplicates: Duplicates | None = None,
    short_lists: ShortLists | None = None,
    like: str | None = None,
    by: By = None,
    attributes: Any = None,
    intervals: bool | IntervalMethod = False,
    confidence: float = 0.95,
    resamples: int | None = None,
    threads: int | None = None,
    engine: Engine | None = None,
    memory: int | str | None = None,
    hash_inputs: bool = False,
) -> PredictionResult:
    """Measures how good predictions are, of one table in which each row has a label and a score.

    `table` is a path (CSV, TSV, JSON, Parquet, Arrow; also gzip or zstd; also a glob), a table of polars,
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
        group: instead of a column of queries, how many rows each query has, where those of a query stand
            together, as LightGBM and XGBoost take it: ``[3, 5, 2]``, a list, an array or a series. The ids of
            the queries are their numbers from 0.
        positive: the label of positive rows, where it is not 1 or true.
        ties: the order of equal scores for measures of lists: ``item-desc`` if there is an item, else
            ``expected``, the mean over all orders.
        seed: of ``ties="random"``, and of resamples.
        no_relevant: for measures of lists, what a query without relevant items is: 0 if None.
        duplicates: for measures of lists, what the same item twice in one query is: refused if None.
        short_lists: for measures of lists, what a query with fewer rows than the cutoff is: ``keep``, one
            like others, or ``skip``, left out and counted.
        like: a convention, such as ``"sklearn"``: the measures are that tool's, by its names or by the names
            here, and it decides the choices that are not given; see `conventions`.
        by: what to slice the rows by, for `Result.slices`: each measure of the rows of each slice, with its
            interval if intervals are asked for. One column or several (each for itself), of `attributes` or
            else of the table; ``{query: slice}``, a pandas Series with the queries in its index, or a
            function of a query, where there is a column of queries; or a series or an array of a value a row.
            A pandas Series whose index is that of the table, or only numbers rows, has a value a row, too.
        attributes: a path or table with a column of queries, for `by`.
        intervals: whether to give confidence intervals, for `PredictionResult.intervals`. True takes the
            usual one of each: DeLong's on the logit scale for AUC; Wilson's for shares of rows (Accuracy,
            Recall …); for means over queries what `evaluate` takes; for other functions of sums over rows,
            and means that weigh queries (LogLoss, PCOPC, F, GAUC …), the jackknife with t; for others (KS,
            AveragePrecision …) the bootstrap (BCa). ``delong-logit``, ``delong``, ``wilson``, ``jackknife``,
            ``delta``, ``bca`` or ``percentile`` is that for all. What is taken for independent are queries
            where there is a column of them, else rows.
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
    plans = Plans(
        measures,
        like,
        {
            "ties": ties,
            "seed": seed or None,
            "no_relevant": no_relevant,
            "duplicates": duplicates,
            "short_lists": short_lists,
        },
    )
    of_classes = are_classes_said(score, predicted, classes)
    sampling = sampling_of(intervals, confidence, resamples, seed, threads)
    slicing = sliced_by(by, table, attributes, query)
    asked = plans.understood(classes=of_classes)
    check_threads(threads)
    said = {"label": label, "score": score, "query": query, "item": item, "weight": weight}
    said["predicted"] = predicted
    source = Labels(table, said, classes, positive)
    if group is not None:
        source = Labels(in_groups(table, group, query), said | {"query": GROUPS}, classes, positive)
    if selected(engine, memory, {"predictions": table}, OF_ROWS) == "stream":
        wants = {"like": like, "by": slicing is not None, "intervals": intervals, "predicted": predicted}
        needs_whole = [name for name, value in wants.items() if value] + ["group"] * (group is not None)
        resources = Resources(threads, engine, memory)
        result = _streamed(source, asked, needs_whole, resources, hash_inputs=hash_inputs)
        if result is not None:
            return result
    wanted = Wanted(slicing, sampling, confidence, hash_inputs)
    return evaluate_labelled(source, plans, asked, wanted, threads)


@dataclass(frozen=True, slots=True)
class Resources:
    """What an evaluation may use; see `evaluate_predictions`."""

    threads: int | None
    engine: Engine | None
    memory: int | str | None


def _streamed(
    source: Labels,
    asked: tuple[Measure, ...],
    needs_whole: Sequence[str],
    resources: Resources,
    *,
    hash_inputs: bool,
) -> PredictionResult | None:
    """The table evaluated in batches; None where that cannot be done and was not asked for."""
    if needs_whole and resources.engine == "stream":
        raise UsageError(
            f'{needs_whole[0]} needs the whole table, which engine="stream" never has; choose "local"'
        )
    if needs_whole:
        return None
    try:
        return _in_batches(source, asked, resources, hash_inputs=hash_inputs)
    except MeasureError:
        if resources.engine == "stream":
            raise
        return None


def _in_batches(
    source: Labels, asked: tuple[Measure, ...], resources: Resources, *, hash_inputs: bool
) -> PredictionResult:
    from rankmark.engines import row_stream  # which needs polars
    from rankmark.stopping import cleaned_up

    with cleaned_up():
        seen = row_stream.observe(
            source.table,
            asked,
            source.said,
            source.classes,
            source.positive,
            threads=resources.threads,
            memory=resources.memory,
        )
        rows = RowsOf.of_seen(seen)
        rows.check_weights()
        settled = {measure: rows.settled(measure) for measure in asked}
        inputs = {"predictions": seen.digest()} if hash_inputs else {}
    return rows_result(Plan(asked, Choices()), rows, settled, beside=Beside(inputs))
