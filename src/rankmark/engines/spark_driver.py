"""What the driver of a Spark cluster does: it asks the executors, and says in our words what went wrong."""

from __future__ import annotations

import functools
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankmark import errors
from rankmark._native import __version__
from rankmark.aggregation.refusals import raise_faults
from rankmark.aggregation.row_tally import QueryTally, Range, RowTally, told_sums
from rankmark.aggregation.state import merged
from rankmark.engines.spark import TOLD, from_batches
from rankmark.engines.spark_parcels import MOST_OF_A_BATCH, Parcels, columns_of, said_types
from rankmark.errors import FileMissingError, FormatError, MeasureError, UsageError
from rankmark.inputs.column_checks import no_rows
from rankmark.inputs.predictions.columns import WEIGHING
from rankmark.inputs.tables.spark_frames import as_they_are, by_query, by_score
from rankmark.progress import reading

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from rankmark.aggregation.query_state import QueryState
    from rankmark.engines.spark_rows import RowTask
    from rankmark.inputs.predictions.labelled import Predictions
    from rankmark.inputs.tables.spark_frames import Frame
    from rankmark.kinds.row_core import Sum
    from rankmark.language.measure import Measure

__all__ = [
    "RowsOnCluster",
    "Told",
    "collected",
    "heard",
    "in_few_rows",
    "in_parcels",
    "kept",
    "not_merged",
    "on_executors",
    "spark_errors",
    "told",
    "told_beside",
]


Told = tuple[dict[str, Any], bytes | None]
"""What a partition tells, and what it sends beside it."""


def on_executors(rows: DataFrame, work: Callable[..., Any], schema: Any) -> DataFrame:
    """What the executors make of the partitions, when Spark is asked for it."""
    with _own_python(rows.sparkSession):
        return rows.mapInArrow(work, schema)


def in_few_rows(rows: DataFrame, work: Callable[..., Any], schema: str) -> DataFrame:
    """The same where that is a few rows of each partition.

    `mapInArrow` makes another row of each one, with a single column, before it writes it, which takes Spark
    a quarter of its time. Batches as they are collected are written without; what is made of these comes back
    by pickle. Rows that were shuffled are left to Spark, which would shuffle them as soon as it has to say
    what their batches are, and so are those that somebody observes, who would wait in vain.
    """
    there = getattr(rows, "_jdf", None)  # which Spark Connect does not have
    if there is None or _is_shuffled_or_observed(there.queryExecution().executedPlan()):
        return on_executors(rows, work, schema)
    from pyspark.core.rdd import RDD
    from pyspark.serializers import NoOpSerializer
    from pyspark.sql.pandas.types import to_arrow_schema

    session = rows.sparkSession
    with _set(session, LARGE_TYPES, "false"):
        sent = there.toArrowBatchRdd().toJavaRDD()
    read = functools.partial(from_batches, work, to_arrow_schema(rows.schema))
    with _own_python(session):
        made = RDD(sent, session.sparkContext, NoOpSerializer()).mapPartitions(read)
        return session.createDataFrame(made, schema, verifySchema=False)


def _is_shuffled_or_observed(plan: Any) -> bool:
    return bool(plan.nodeName() == "AdaptiveSparkPlan" or "CollectMetrics" in plan.toString())


@contextmanager
def kept(rows: DataFrame, work: Callable[..., Any], schema: str) -> Iterator[DataFrame]:
    """The same, which the executors make once, however often Spark is asked for it in the block."""
    with _batches_by_rows(rows.sparkSession):
        sent = in_few_rows(rows, work, schema).persist()
        try:
            yield sent
        finally:
            sent.unpersist()


def collected(rows: DataFrame) -> Any:
    """The rows of a DataFrame, here, as a table of Arrow."""
    with _batches_by_rows(rows.sparkSession):
        return rows.toArrow()


@contextmanager
def _own_python(session: Any) -> Iterator[None]:
    """Has executors on this machine use the Python that runs, unless it is said which one they are to use.

    Spark takes the first on the path, which is another one where an environment is not activated.
    """
    context = getattr(session, "sparkContext", None)  # which Spark Connect does not have
    if context is None or "PYSPARK_PYTHON" in os.environ or not context.master.startswith("local"):
        yield
        return
    usual = context.pythonExec
    context.pythonExec = session.conf.get("spark.pyspark.python", None) or sys.executable
    try:
        yield
    finally:
        context.pythonExec = usual


BATCH_BYTES, ANY_BYTES = "spark.sql.execution.arrow.maxBytesPerBatch", str(2**31 - 1)
BATCH_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"
LARGE_TYPES = "spark.sql.execution.arrow.useLargeVarTypes"


@contextmanager
def _batches_by_rows(session: Any) -> Iterator[None]:
    """Has Spark end Arrow batches by their rows alone while a job runs, and not by their bytes, too.

    These it adds up anew for each row (in 4.3), which takes it longer than writing the row. Without them
    batches have no more rows than Spark's own default, whatever a session says.
    """
    said = int(session.conf.get(BATCH_ROWS, "0"))  # of which 0 and less mean any number
    rows = min(said, MOST_OF_A_BATCH) if said > 0 else MOST_OF_A_BATCH
    with _set(session, BATCH_BYTES, ANY_BYTES), _set(session, BATCH_ROWS, str(rows)):
        yield


@contextmanager
def _set(session: Any, name: str, value: str) -> Iterator[None]:
    """A setting of a session, for a while."""
    usual = session.conf.get(name, None)  # None also where Spark has a default, which is nobody's setting
    session.conf.set(name, value)
    try:
        yield
    finally:
        if usual is None:
            session.conf.unset(name)
        else:
            session.conf.set(name, usual)


def in_parcels(qrels: Frame | None, run: Frame, *, text_items: bool) -> tuple[DataFrame, Parcels]:
    """All rows, those of a query together in a partition, and what they are in: see there."""
    names = None if qrels is None else qrels.names
    results = as_they_are(run, text_items=text_items)
    judgements = None if qrels is None else as_they_are(qrels, text_items=text_items)
    parcels = Parcels(columns_of(results if judgements is None else judgements), names, run.names)
    sent = on_executors(results, parcels.results, parcels.schema)
    if judgements is not None:
        sent = on_executors(judgements, parcels.judgements, parcels.schema).union(sent)
    return sent.repartition("part").sortWithinPartitions("part"), parcels


def told(rows: DataFrame, work: Callable[..., Any], state: QueryState | None = None) -> list[str]:
    """What the executors make of the partitions; raises the error that one met.

    The queries that they send beside it are added to a state, if one is given.
    """
    import polars as pl

    heard = told_beside(rows, work)
    if state is not None:
        for each, beside in heard:
            if beside is not None:
                state.parts.append(state.take(pl.read_ipc_stream(beside), each["items"]))
    return [each["tally"] for each, _ in heard]


def told_beside(rows: DataFrame, work: Callable[..., Any]) -> list[Told]:
    """The same with all that is told, and what is beside it."""
    with _batches_by_rows(rows.sparkSession):
        return heard(in_few_rows(rows, work, said_types(TOLD)))


def heard(sent: DataFrame) -> list[Told]:
    """What executors tell in the rows of a DataFrame."""
    with reading("evaluating on the cluster", None, None):
        rows = sent.collect()
    news = [json.loads(row.told) for row in rows]
    for each in news:
        if each["version"] != __version__:
            raise UsageError(
                f"rankmark is {__version__} here and {each['version']} on the executors; install the same "
                "there"
            )
        if "error" in each:
            raise getattr(errors, each["error"])(each["message"])
    return [(each, row.state and bytes(row.state)) for each, row in zip(news, rows, strict=True)]


@contextmanager
def spark_errors() -> Iterator[None]:
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


class RowsOnCluster:
    """The rows of a DataFrame, of which only what they come to is here: `SeenRows`."""

    query_ids = None

    def __init__(self, read: Predictions, frame: DataFrame, task: RowTask) -> None:
        self.read = read
        self._frame, self._task = frame, task
        self._numbers = frame.drop("query", *(WEIGHING + name for name in read.columns.weighing))
        self.tally = _all_rows(told(self._numbers, task.sums))
        if not self.tally.rows:
            raise no_rows("predictions")

    @property
    def queries(self) -> int | None:
        """As `SeenRows`."""
        for each in self._of_queries.values():
            return each.averaged + each.skipped
        return None

    def sums(self, asked: Sum) -> tuple[float, ...]:
        """Sums over all rows."""
        return told_sums(self.tally)(asked)

    def ranges(self) -> list[Range]:
        """As `SeenRows`."""
        return _all_rows(told(by_score(self._numbers), self._task.ranges)).ranges

    def of_queries(self, measure: Measure) -> QueryTally:
        """As `SeenRows`."""
        return self._of_queries[str(measure)]

    def shown_improbable(self) -> str:
        """As `SeenRows`."""
        return f"such as {self.tally.shown_improbable}"

    def not_merged(self, measure: Measure) -> MeasureError:
        """As `SeenRows`."""
        return not_merged(measure)

    @functools.cached_property
    def _of_queries(self) -> dict[str, QueryTally]:
        if not self._task.measures:
            return {}
        return _all_rows(told(by_query(self._frame), self._task.queries)).queries


def _all_rows(told: Iterable[str]) -> RowTally:
    """The tally of all rows."""
    whole = merged(RowTally(), map(RowTally.from_json, told))
    raise_faults(whole.faults)
    return whole


def not_merged(measure: Measure) -> MeasureError:
    """The error for a measure that a cluster does not compute."""
    return MeasureError(
        f"{measure} looks at more than sums and pairs of the rows, which is not done on Spark; "
        "rankmark.evaluate_predictions computes it of a table that fits into memory"
    )
