"""Evaluation of Spark DataFrames on their cluster: ``rankmark.spark.evaluate``.

Needs ``pip install 'rankmark[spark]'``, and rankmark where the executors' Python runs. Any session will do,
Spark Connect's too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from rankmark._native import Table
from rankmark.aggregation.finish import finished, refuse_unmatched
from rankmark.aggregation.merged_rows import asked_of
from rankmark.aggregation.query_state import QueryState
from rankmark.aggregation.rows import RowsOf, need_query
from rankmark.aggregation.state import Seen, merged
from rankmark.aggregation.tally import Tally
from rankmark.api.evaluation import (
    NOT_LOOKED_AT,
    departing,
    refuse_without_judgements,
    result_of,
    told_of_lists,
    with_known,
)
from rankmark.api.finishing import Finish
from rankmark.api.prediction_results import rows_result
from rankmark.api.spark_results import SparkResult, brought, places_of, sliceable
from rankmark.calling import clear_functions
from rankmark.engines.spark import Task
from rankmark.engines.spark_driver import (
    RowsOnCluster,
    in_parcels,
    not_merged,
    on_executors,
    spark_errors,
    told,
)
from rankmark.engines.spark_grouped import tally_of_grouped
from rankmark.engines.spark_in_place import tally_in_place
from rankmark.engines.spark_rows import RowTask
from rankmark.errors import (
    ChoiceError,
    ColumnError,
    MeasureError,
    UsageError,
)
from rankmark.inputs.aspects import looked_at
from rankmark.inputs.clusters import ClustersBy
from rankmark.inputs.column_checks import check_ids
from rankmark.inputs.predictions.columns import check_numbers, check_weighing, find_columns
from rankmark.inputs.predictions.labelled import Predictions, positive_number
from rankmark.inputs.roles import Side
from rankmark.inputs.slicing import By
from rankmark.inputs.tables.spark_frames import (
    Frame,
    Types,
    by_query,
    check_frame,
    in_order,
    labelled,
    read_frames,
)
from rankmark.inputs.weights import Weighting, WeightsBy
from rankmark.kinds.row_core import BINARY, NotMergedError, Sum
from rankmark.language.choices import (
    Choices,
    GivenChoices,
    given,
)
from rankmark.language.measure import Measure, no_closed_form, weighing
from rankmark.language.plan import Plan, asked_measures, planned
from rankmark.language.registry import ROWS_FIRST
from rankmark.results.lists import ListResult
from rankmark.results.predictions import PredictionResult
from rankmark.statistics.intervals import IntervalName
from rankmark.statistics.summaries import SUMMARIES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from rankmark.aggregation.observed import Block
    from rankmark.inputs.catalogue import Catalogue
    from rankmark.results.predictions import PredictionResult

__all__ = ["SparkResult", "evaluate", "evaluate_predictions"]


def evaluate(
    qrels: DataFrame | None,
    run: DataFrame,
    measures: str | Measure | Iterable[str | Measure],
    *,
    like: str | None = None,
    columns: Mapping[str, Any] | None = None,
    order: str | None = None,
    grouped: bool = False,
    hash_inputs: bool = False,
    per_query: bool = False,
    by: By = None,
    attributes: Any = None,
    weights: WeightsBy | Weighting = None,
    intervals: bool | IntervalName = False,
    confidence: float = 0.95,
    clusters: ClustersBy = None,
    resamples: int = 10_000,
    items: Any = None,
    train: Any = None,
    **choices: Unpack[GivenChoices],
) -> ListResult | DataFrame:
    """Measures how well a run ranks what the judgements call relevant, as `rankmark.evaluate`, on a cluster.

    Each executor evaluates whole queries; what they come to is added up. Where the rows of queries are next
    to each other, and there are so few judgements that Spark would send them to every executor in a join,
    that is done where the rows are; all others are brought together by query, on the driver if they take no
    more than some MB with the ids of those queries. A query's value is the same, bit for bit, as that of
    `rankmark.evaluate`; a mean is the same to 1e-12, and the same, bit for bit, for every partitioning. The
    rows of one query, and those of a thousandth of all queries, must fit into the memory of an executor's
    Python; nothing that grows with the number of queries comes to the driver but those few judgements and
    MB, unless the values of queries are asked of the result, see `SparkResult`.

    On this machine (``local[…]``) executors use the Python that runs, unless PYSPARK_PYTHON names another.

    Measures of what is recommended look at all lists at once. Where one is asked for, the values of queries
    come to the driver, 8 bytes a measure, with the top of each list, 4 bytes an item, beside what is known of
    items (``spark.driver.maxResultSize`` has to allow that); the ids of these are sent to every executor. All
    values are then those of `rankmark.evaluate` with the judgements in the order of their queries, bit for
    bit.

    Args:
        qrels: the judgements: query, item and, unless all are 1, relevance. A row may also be a query with a
            list of items, here and in `run`. None where there are none, as in `rankmark.evaluate`.
        run: the results of one system: query, item and score (or rank).
        measures: as in `rankmark.evaluate`; so are all arguments that are not described here.
        like: a convention, which decides the choices that are not given.
        columns: the columns to use, where their names do not say it.
        order: the column by which the rows of a query have an order, which a DataFrame itself has not. The
            run needs it for ``ties="input"``, both tables for ``duplicates="first"``.
        grouped: whether the rows of each query are next to each other in the run, as where files are written
            query by query. Then nothing is shuffled for the result, but for the values of queries: judgements
            go to every executor, and to the driver go the ids of the run's queries and the rows of those at
            the ends of partitions. A run of which it is not true is refused. It changes nothing with `order`,
            with ``per_query=True`` and for measures of what is recommended.
        hash_inputs: whether to hash what the tables hold, for `Result.inputs`.
        per_query: whether to give the values of the queries instead of the result.
        by: for `Result.slices`, as in `rankmark.evaluate`, but for values by position: a column or several of
            the attributes, of the judgements or of the run, ``{query: slice}``, a Series or a function. The
            values of all queries then come to the driver.
        attributes: a table of queries, of Spark or as in `rankmark.evaluate`, for `by`, `weights` and
            `clusters`.
        weights: how much each query counts in means, as in `rankmark.evaluate`, but for values by position.
            The values of all queries then come to the driver, as for what follows.
        intervals: whether to give confidence intervals over queries, as in `rankmark.evaluate`.
        confidence: the share of intervals that hold the true value, 0 to 1.
        clusters: what a query belongs to, as in `rankmark.evaluate`.
        resamples: how many, for intervals that draw.
        items: for measures of what is recommended, as in `rankmark.evaluate`, or a DataFrame of Spark, whose
            rows then come to the driver; so is `train`.
        train: the interactions before.
        **choices: those of `rankmark.evaluate`: ``ties``, of which ``input`` needs `order`, ``missing``, ….
            ``candidates`` has to be said: a DataFrame keeps nothing of how it was sampled.

    Returns:
        The result. With ``per_query=True`` a DataFrame with a row a judged query: ``query`` and a column a
        measure, null where the query is left out of the mean. It is computed when Spark is asked for its
        rows, and what is wrong with the tables is then part of Spark's own error; with measures of what is
        recommended it is computed at once.

    Raises:
        UsageError: an unknown measure, parameter or choice; or rankmark is not installed on the executors.
        DataError: a table that cannot be evaluated as it is, or a file of it that cannot be read.

    """
    plan = planned(measures, like, given(choices, GivenChoices, evaluate), items=True)
    asked = {"by": by, "weights": weights, "intervals": intervals or None, "clusters": clusters}
    if per_query and (said := [name for name, value in asked.items() if value is not None]):
        raise UsageError(f"{said[0]} is of a result; leave out per_query, or go on with its rows")
    plan, known = with_known(
        plan, brought(items), brought(train), columns, judged=qrels is not None, aspects=True
    )
    if qrels is None:
        refuse_without_judgements(plan)
    _check_expected(plan)
    _check_sent(plan)
    for measure in plan.measures:
        if measure.page.aggregate == "run" and per_query:
            raise MeasureError(f"{measure} is one value of the whole run, with none for each query")
        if measure.mean in SUMMARIES and not per_query and known is None:
            raise MeasureError(
                f"{measure} is of all values of queries, which stay on the cluster; take it of those that "
                "per_query=True gives, or of a result of tables that are here"
            )
    ordered = _ordered(plan, order)
    with spark_errors():
        judgements, results = read_frames(qrels, run, columns, looked_at(plan.groups()))
        slicing = sliceable(by)
        places = places_of((qrels, run), attributes, columns, by=slicing, weights=weights, clusters=clusters)
        finish = Finish.asked(
            plan,
            places,
            by=slicing,
            weights=weights,
            intervals=intervals,
            confidence=confidence,
            clusters=clusters,
            resamples=resamples,
        )
        names = None if judgements is None else judgements.names
        task = Task(plan, names, results.names, hash_inputs, parts=not per_query)
        gathered = functools.cache(functools.partial(_gathered, task, judgements, results, order, ordered))
        text = plan.text_items or results.types.kind(results.item) == "string"
        if known is not None:
            tally, block = _with_items(*gathered(), known, integer=not text)
            result = _result(plan, tally, block, judgements, ListResult, text=text)
            if per_query:
                return run.sparkSession.createDataFrame(result.per_query.to_arrow())
            return finish.of(result)
        assert judgements is not None  # or there is nothing to measure
        schema = _per_query_schema(judgements, task.columns)

        def values() -> DataFrame:
            told_how, rows = gathered()
            return on_executors(rows, told_how.per_query, schema)

        if per_query:
            return values().withColumnsRenamed(_labels_of(plan.measures))
        found = None
        if not ordered:
            in_place = tally_of_grouped if grouped else tally_in_place
            found = in_place(task, judgements, results, text_items=plan.text_items)
        tally = found or _of_gathered(*gathered())
    tally.check()
    of = functools.partial(SparkResult, values)
    return finish.of(_result(plan, tally, tally, judgements, of, text=text))


def _gathered(
    task: Task, qrels: Frame | None, run: Frame, order: str | None, ordered: Sequence[Side]
) -> tuple[Task, DataFrame]:
    """All rows, those of a query together in a partition, and what the executors are told to make of them."""
    text_items = task.plan.text_items
    if order is not None and ordered:
        return task, in_order(qrels, run, order=order, ordered=ordered, text_items=text_items)
    rows, parcels = in_parcels(qrels, run, text_items=text_items)
    return replace(task, parcels=parcels), rows


def _of_gathered(task: Task, rows: DataFrame) -> Tally:
    """What all queries add up to."""
    return merged(Tally(), map(Tally.from_json, told(rows, task.tallies)))


def _with_items(task: Task, rows: DataFrame, known: Catalogue, *, integer: bool) -> tuple[Tally, Block]:
    """What the queries add up to, and all of them with the tops of their lists."""
    from rankmark.inputs.catalogue import Numbered

    groups = task.plan.groups()
    state = QueryState.empty(groups, Numbered(known, integer=integer))
    sent = replace(task, items=(known.bare(integer=integer), integer))
    tally = merged(Tally(), map(Tally.from_json, told(rows, sent.states, state)))
    tally.check()
    state.hits.append(tally.hits)
    state.order.append(tally.order)
    block = state.whole("query", tally.unjudged.count)
    refuse_unmatched(groups, tally.judged, tally.missing, tally.unjudged, tally.words())
    return tally, block


def _result(
    plan: Plan,
    tally: Tally,
    seen: Seen,
    judgements: Frame | None,
    of: Callable[..., ListResult],
    *,
    text: bool,
) -> ListResult:
    """The result of queries that add up to a tally."""
    made = finished(plan, seen, tally.words())
    notes: tuple[str, ...] = ()
    if judgements is None:
        made = made.of_the_run()
    else:
        unseen = () if plan.choices.candidates == "all" else (NOT_LOOKED_AT,)
        notes = (*judgements.notes, *made.notes, *unseen)
    extents = tally.extents.get("qrels"), tally.extents.get("run")
    return result_of(
        plan,
        made,
        item_ids="text" if text else "integer",
        inputs={side: f"{digest:016x}" for side, digest in tally.digests.items()},
        notes=(*notes, *told_of_lists(made), *departing(plan, made, lambda: extents)),
        of=of,
    )


def evaluate_predictions(
    table: DataFrame,
    measures: str | Measure | Iterable[str | Measure],
    *,
    label: str | None = None,
    score: str | None = None,
    query: str | None = None,
    weight: str | None = None,
    positive: float | None = None,
    per_query: bool = False,
) -> PredictionResult | DataFrame:
    """Measures how good predictions are, as `rankmark.evaluate_predictions`, on a cluster.

    Sums (LogLoss, Brier, RMSE, PCOPC …) need one pass over the rows. Measures of each query (GAUC) bring the
    rows of a query together. AUC sorts the rows by score, as Spark sorts, and counts the pairs within each
    range of scores and between ranges: it is exact. All are the same as here to 1e-12. Rows with the same
    score, and those of one query, must fit into an executor's memory.

    Args:
        table: the labelled scores; labels are numbers or booleans.
        measures: measures of predictions, but for those that look at more than sums and pairs of the rows.
        label: the column of what happened; here and below as in `rankmark.evaluate_predictions`.
        score: the column of predictions.
        query: the column of the query, user or session; only some measures need it.
        weight: the column of the rows' weights.
        positive: the label of positive rows, where it is not 1 or true.
        per_query: whether to give the values of the queries instead of the result.

    Returns:
        The result; values of queries are not among it. With ``per_query=True`` a DataFrame with a row a
        query: ``query`` and a column a measure, null where a query has no value. It is computed when Spark is
        asked for its rows.

    Raises:
        UsageError: an unknown measure or parameter, or one that is not computed here.
        DataError: a table, a label or a score that a measure cannot take.

    """
    asked = asked_measures(measures, ROWS_FIRST)
    of_queries = tuple(measure for measure in asked if measure.per_query)
    sums = _asked_sums(asked)
    with spark_errors():
        check_frame(table, "predictions")
        said = {"label": label, "score": score, "query": query, "weight": weight}
        read = _predictions(table, said, positive, weighing(asked))
        for measure in of_queries:
            need_query(read, measure)
        rows = labelled(table, read.columns, Types(table))
        task = RowTask(read.columns, 1.0 if read.positive is None else read.positive, of_queries, sums)
        if per_query:
            return _per_query_predictions(rows, task, asked)
        found = RowsOf.of_seen(RowsOnCluster(read, rows, task))
        found.check_weights()
        settled = {measure: found.settled(measure) for measure in asked}
    return rows_result(Plan(asked, Choices()), found, settled)


def _predictions(
    table: DataFrame, said: Mapping[str, str | None], positive: float | None, named: Mapping[str, str]
) -> Predictions:
    """The columns' roles, and no rows."""
    import polars as pl

    columns = find_columns(table.columns, said, "predictions", named)
    types = Types(table)
    if types.kind(columns.label) == "string":
        raise ColumnError(
            f"predictions: the label column {columns.label!r} is string; make it a number, such as "
            f"(F.col({columns.label!r}) == 'yes').cast('int')"
        )
    for role in ("label", "score", "weight"):
        check_numbers(types, getattr(columns, role), role, "predictions")
    check_weighing(types, columns, "predictions")
    if columns.query is not None:
        check_ids(types, columns.query, "query", "predictions")
    read = Predictions(Table.from_arrow(pl.DataFrame()), "predictions", columns, False, None, None)
    return replace(read, positive=positive_number(positive, read))


def _asked_sums(measures: Iterable[Measure]) -> tuple[Sum, ...]:
    """The sums that measures look at; refuses, before any row is read, what a cluster does not compute."""
    sums: dict[Sum, None] = {}
    for measure in measures:
        if measure.page.kind == "list":
            raise MeasureError(
                f"{measure} is a measure of lists, which rankmark.spark.evaluate computes; the table can be "
                "both its judgements and its results"
            )
        if not measure.per_query:
            try:
                asked = asked_of(measure)
            except NotMergedError:
                raise not_merged(measure) from None
            if asked.later:
                raise not_merged(measure)
            sums |= dict.fromkeys(asked.sums)
    return tuple(sums or [BINARY])


def _labels_of(asked: Iterable[Measure]) -> dict[str, str]:
    """What columns of measures are renamed to: as they were asked for."""
    return {str(measure): measure.label for measure in asked if measure.asked}


def _per_query_predictions(rows: DataFrame, task: RowTask, asked: Iterable[Measure]) -> DataFrame:
    for measure in asked:
        if not measure.per_query:
            raise MeasureError(f"{measure} is one value of all rows, with none for each query")
    types = dict(rows.dtypes)
    schema = ", ".join("`{}` double".format(str(measure).replace("`", "``")) for measure in task.measures)
    values = on_executors(by_query(rows), task.per_query, f"query {types['query']}, {schema}")
    return values.withColumnsRenamed(_labels_of(asked))


def _check_sent(plan: Plan) -> None:
    """Refuses users' own measures that no executor could import."""
    for measure in plan.measures:
        origin = measure.page.origin
        if origin and (origin.module == "__main__" or "<" in origin.reference):
            raise MeasureError(
                f"{measure} is {origin.reference}, which executors cannot import: define it at the top of a "
                "module that they have (SparkContext.addPyFile sends one)"
            )


def _check_expected(plan: Plan) -> None:
    """Refuses what the executors would refuse, before they start."""
    for choices, group in plan.groups():
        for measure in group:
            if choices.ties == "expected" and not measure.expected:
                raise no_closed_form(str(measure))


def _ordered(plan: Plan, order: str | None) -> tuple[Side, ...]:
    """The tables in which the order of rows matters."""
    chosen = plan.chosen
    if any(choices.duplicates == "first" for choices in chosen):
        needed: tuple[Side, ...] = ("qrels", "run")
        why = 'duplicates="first"'
    elif any(choices.ties == "input" for choices in chosen):
        needed, why = ("run",), 'ties="input"'
    else:
        return ()
    if order is None:
        raise ChoiceError(
            f"{why} depends on the order of rows, which a Spark DataFrame does not have; "
            'say which column holds it, order="…", or choose otherwise'
        )
    return needed


def _per_query_schema(qrels: Frame, columns: Iterable[str]) -> Any:
    from pyspark.sql import types as T  # noqa: N812 - what all users of Spark call it

    integer = qrels.types.kind(qrels.roles.query) == "integer"
    query = T.StructField("query", T.LongType() if integer else T.StringType())
    return T.StructType([query, *(T.StructField(name, T.DoubleType()) for name in columns)])


clear_functions(globals())
