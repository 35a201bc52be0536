"""Evaluation of Spark DataFrames on their cluster: ``rankmark.spark.evaluate``.

Needs ``pip install 'rankmark[spark]'``, and rankmark where the executors' Python runs. Any session will do,
Spark Connect's too.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from rankmark import errors
from rankmark._native import Table, __version__
from rankmark.aggregation.counts import PredictionCounts, RowMeasureCounts
from rankmark.aggregation.row_tally import (
    BINARY,
    NotMergedError,
    QueryTally,
    Range,
    RowTally,
    Sum,
    asked_of,
    merged_rows,
    told_sums,
)
from rankmark.aggregation.rows import RowsOf, Settled, mean_of_queries, need_query
from rankmark.aggregation.tally import Tally, merged, total
from rankmark.engines.spark import Task
from rankmark.engines.spark_rows import RowTask
from rankmark.errors import (
    ChoiceError,
    ColumnError,
    FileMissingError,
    FormatError,
    MeasureError,
    UsageError,
)
from rankmark.inputs.column_checks import check_ids, no_rows
from rankmark.inputs.predictions.columns import WEIGHING, check_numbers, check_weighing, find_columns
from rankmark.inputs.predictions.labelled import Predictions, positive_number
from rankmark.inputs.roles import Side
from rankmark.inputs.tables.spark_frames import (
    Frame,
    Types,
    by_query,
    by_score,
    check_frame,
    labelled,
    partitioned,
    read_frames,
)
from rankmark.language.choices import GivenChoices, given
from rankmark.language.measure import Measure, no_closed_form, weighing
from rankmark.language.plan import Plan, asked_measures, planned
from rankmark.language.registry import ROWS_FIRST
from rankmark.results.lists import Result
from rankmark.results.predictions import Basis, PredictionResult

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from pyspark.sql import DataFrame

__all__ = ["SparkResult", "evaluate", "evaluate_predictions"]


def evaluate(
    qrels: DataFrame,
    run: DataFrame,
    measures: str | Measure | Iterable[str | Measure],
    *,
    like: str | None = None,
    columns: Mapping[str, Any] | None = None,
    order: str | None = None,
    hash_inputs: bool = False,
    per_query: bool = False,
    **choices: Unpack[GivenChoices],
) -> Result | DataFrame:
    """Measures how well a run ranks what the judgements call relevant, as `rankmark.evaluate`, on a cluster.

    Rows are brought together by query, and each executor evaluates whole queries; what they come to is added
    up. A query's value is the same, bit for bit, as that of `rankmark.evaluate`; a mean is the same to 1e-12,
    and the same, bit for bit, for every partitioning. The rows of one query must fit into an executor's
    memory; nothing that grows with the number of queries comes to the driver, unless the values of queries
    are asked of the result, see `SparkResult`.

    Args:
        qrels: the judgements: query, item and, unless all are 1, relevance. A row may also be a query with a
            list of items, here and in `run`.
        run: the results of one system: query, item and score (or rank).
        measures: as in `rankmark.evaluate`; so are all arguments that are not described here.
        like: a convention, which decides the choices that are not given.
        columns: the columns to use, where their names do not say it.
        order: the column by which the rows of a query have an order, which a DataFrame itself has not. The
            run needs it for ``ties="input"``, both tables for ``duplicates="first"``.
        hash_inputs: whether to hash what the tables hold, for `Result.inputs`.
        per_query: whether to give the values of the queries instead of the result.
        **choices: those of `rankmark.evaluate`: ``ties``, of which ``input`` needs `order`, ``missing``, ….

    Returns:
        The result. With ``per_query=True`` a DataFrame with a row a judged query: ``query`` and a column a
        measure, null where the query is left out of the mean. It is computed when Spark is asked for its
        rows, and what is wrong with the tables is then part of Spark's own error.

    Raises:
        UsageError: an unknown measure, parameter or choice; or rankmark is not installed on the executors.
        DataError: a table that cannot be evaluated as it is, or a file of it that cannot be read.

    """
    plan = planned(measures, like, given(choices, GivenChoices, evaluate))
    _check_expected(plan)
    ordered = _ordered(plan, order)
    with _spark_errors():
        judgements, results = read_frames(qrels, run, columns)
        task = Task(plan, judgements.names, results.names, hash_inputs)
        rows = partitioned(judgements, results, order=order, ordered=ordered, text_items=plan.text_items)
        values = rows.mapInArrow(task.per_query, _per_query_schema(judgements, plan))
        if per_query:
            return values
        tally = merged(map(Tally.from_json, _told(rows, task.tallies)))
    tally.refuse_whole()
    tally.refuse(plan.groups())
    return SparkResult(
        values,
        values={measure: tally.measures[str(measure)].value(measure) for measure in plan.measures},
        choices=plan.choices,
        own_choices=plan.own,
        counts=tally.counts(plan.measures),
        item_ids="text" if plan.text_items or results.types.kind(results.item) == "string" else "integer",
        convention=plan.convention,
        inputs={side: f"{digest:016x}" for side, digest in tally.digests.items()},
        notes=[*judgements.notes, *tally.match_notes()],
    )


class SparkResult(Result):
    """A result whose per-query values are on the cluster, and come here when first asked for.

    That is another job, which brings them all, and reads the tables anew. They are ordered by query, since
    rows come from a cluster in no order.
    """

    __slots__ = ("_rows", "_told", "_whole")

    def __init__(self, rows: DataFrame, **told: Any) -> None:
        super().__init__(per_query_values={}, query_ids=None, **told)
        self._rows = rows
        self._told = told
        self._whole: Result | None = None

    @property
    def per_query(self) -> pl.DataFrame:
        """A row a query: ``query`` and a column a measure; null where a query is left out of the mean."""
        return self._here().per_query

    @property
    def query_measures(self) -> tuple[Measure, ...]:
        """The measures that have a value for each query."""
        return self.measures

    @property
    def query_ids(self) -> list[int] | list[str]:
        """The judged queries, in the order of the per-query values."""
        return self._here().query_ids

    @property
    def query_table(self) -> Table:
        """The same as a table with a column ``query``."""
        return self._here().query_table

    def query_values(self, measure: str | Measure) -> np.ndarray[Any, Any]:
        """One value a judged query; NaN where a query is left out of the mean."""
        return self._here().query_values(measure)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._here().__reduce__()

    def _here(self) -> Result:
        """The same with the values of all queries."""
        import polars as pl

        if self._whole is None:
            with _spark_errors():
                rows = pl.DataFrame(self._rows.toArrow()).sort("query")
            values = {m: rows[str(m)].fill_null(math.nan).to_numpy(writable=True) for m in self.measures}
            query_ids = Table.from_arrow(rows.select("query"))
            self._whole = Result(per_query_values=values, query_ids=query_ids, **self._told)
        return self._whole


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
        **choices: those of `rankmark.evaluate`: ``ties``, of which ``input`` needs `order`, ``missing``, ….

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
    with _spark_errors():
        check_frame(table, "predictions")
        said = {"label": label, "score": score, "query": query, "weight": weight}
        read = _predictions(table, said, positive, weighing(asked))
        for measure in of_queries:
            need_query(read, measure)
        rows = labelled(table, read.columns, Types(table))
        task = RowTask(read.columns, 1.0 if read.positive is None else read.positive, of_queries, sums)
        if per_query:
            return _per_query_predictions(rows, task, asked)
        found = _RowsOnCluster(read, rows, task)
        settled = {measure: found.settled(measure) for measure in asked}
    return PredictionResult(
        values={measure: each.value for measure, each in settled.items()},
        per_query_values={},
        query_ids=None,
        counts=PredictionCounts(
            rows=found.count,
            positive=found.rows.positives if found.binary else None,
            queries=found.queries,
            measures={str(measure): each.counts for measure, each in settled.items()},
        ),
        basis=Basis(found.positive, read.columns.weight or "none"),
        lists=None,
    )


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
                raise _not_merged(measure) from None
            if asked.later:
                raise _not_merged(measure)
            sums |= dict.fromkeys(asked.sums)
    return tuple(sums or [BINARY])


def _not_merged(measure: Measure) -> MeasureError:
    return MeasureError(
        f"{measure} looks at more than sums and pairs of the rows, which is not done on Spark; "
        "rankmark.evaluate_predictions computes it of a table that fits into memory"
    )


class _RowsOnCluster(RowsOf):
    """The rows of a DataFrame, of which only what they come to is here."""

    def __init__(self, read: Predictions, frame: DataFrame, task: RowTask) -> None:
        self._numbers = frame.drop("query", *(WEIGHING + name for name in read.columns.weighing))
        tally = _all_rows(_told(self._numbers, task.sums))
        if not tally.rows:
            raise no_rows("predictions")
        self.read = read
        self.count, self.labels, self.no_probability = tally.rows, tally.labels, tally.improbable
        self.binary = self.checked = False
        self.rows = merged_rows(tally.rows, told_sums(tally), self._ranges)
        self._improbable = tally.shown_improbable
        self._frame, self._task = frame, task
        self.check_weights()

    @property
    def queries(self) -> int | None:
        """Number of queries; None if no measure looks at them."""
        for each in self._of_queries.values():
            return each.averaged + each.skipped
        return None

    def settled(self, measure: Measure) -> Settled:
        """The measure's value."""
        if not measure.per_query:
            try:
                return super().settled(measure)
            except NotMergedError:
                raise _not_merged(measure) from None
        self.check(measure)
        found = self._of_queries[str(measure)]
        counts = RowMeasureCounts(found.averaged, found.skipped, found.skipped_rows, found.why_skipped)
        return mean_of_queries(counts, total(found.weights), total(found.values))

    def shown_no_probability(self) -> str:
        """A score outside of 0 to 1."""
        return f"such as {self._improbable}"

    @functools.cached_property
    def _of_queries(self) -> dict[str, QueryTally]:
        if not self._task.measures:
            return {}
        return _all_rows(_told(by_query(self._frame), self._task.queries)).queries

    def _ranges(self) -> list[Range]:
        return _all_rows(_told(by_score(self._numbers), self._task.ranges)).ranges


def _all_rows(told: Iterable[str]) -> RowTally:
    """The tally of all rows."""
    whole = RowTally()
    for each in told:
        whole.add(RowTally.from_json(each))
    for _, fault in sorted(whole.faults.items()):
        raise fault.error()
    return whole


def _per_query_predictions(rows: DataFrame, task: RowTask, asked: Iterable[Measure]) -> DataFrame:
    for measure in asked:
        if not measure.per_query:
            raise MeasureError(f"{measure} is one value of all rows, with none for each query")
    types = dict(rows.dtypes)
    schema = ", ".join("`{}` double".format(str(measure).replace("`", "``")) for measure in task.measures)
    return by_query(rows).mapInArrow(task.per_query, f"query {types['query']}, {schema}")


def _check_expected(plan: Plan) -> None:
    """Refuses what the executors would refuse, before they start."""
    for choices, group in plan.groups():
        for measure in group:
            if choices.ties == "expected" and not measure.expected:
                raise no_closed_form(str(measure))


def _ordered(plan: Plan, order: str | None) -> tuple[Side, ...]:
    """The tables in which the order of rows matters."""
    chosen = [choices for choices, _ in plan.groups()]
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


def _per_query_schema(qrels: Frame, plan: Plan) -> Any:
    from pyspark.sql import types as T  # noqa: N812 - what all users of Spark call it

    integer = qrels.types.kind(qrels.roles.query) == "integer"
    query = T.StructField("query", T.LongType() if integer else T.StringType())
    return T.StructType([query, *(T.StructField(str(m), T.DoubleType()) for m in plan.measures)])


def _told(rows: DataFrame, work: Callable[..., Any]) -> list[str]:
    """What the executors make of the partitions; raises the error that one met."""
    heard = [json.loads(row.told) for row in rows.mapInArrow(work, "told string").collect()]
    for each in heard:
        if each["version"] != __version__:
            raise UsageError(
                f"rankmark is {__version__} here and {each['version']} on the executors; install the same "
                "there"
            )
        if "error" in each:
            raise getattr(errors, each["error"])(each["message"])
    return [each["tally"] for each in heard]


@contextmanager
def _spark_errors() -> Iterator[None]:
    """Says in rankmark's words what Spark says of a user's mistake in a page of Java."""
    try:
        yield
    except errors.RankmarkError:
        raise
    except Exception as error:
        known = _known_error(str(error))
        if known is None:
            raise
        raise known from None


def _known_error(said: str) -> errors.RankmarkError | None:
    if found := re.search(
        r"\[FAILED_READ_FILE[^\]]*\] Encountered error while reading file (\S+?)\.?\s", said
    ):
        return FormatError(f"{found[1]}: Spark cannot read the file; it is damaged, or not of its format")
    if found := re.search(r"\[PATH_NOT_FOUND\] Path does not exist: (\S+?)\.?\s", said):
        return FileMissingError(f"there is no file {found[1]!r}")
    if re.search(r"No module named '(rankmark|pyarrow|polars|numpy)\b", said):
        return UsageError(
            "the executors' Python lacks rankmark or what it needs: install rankmark[spark] there, or say "
            "which Python has it (PYSPARK_PYTHON, spark.pyspark.python)"
        )
    return None
