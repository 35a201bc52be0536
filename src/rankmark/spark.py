"""Evaluation of Spark DataFrames on their cluster: ``rankmark.spark.evaluate``.

Needs ``pip install 'rankmark[spark]'``, and rankmark where the executors' Python runs. Any session will do,
Spark Connect's too.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankmark import errors
from rankmark._native import Table
from rankmark.choices import (
    Duplicates,
    Missing,
    NoRelevant,
    Scores,
    Ties,
    Unjudged,
    UnjudgedQueries,
)
from rankmark.engines.spark import Task
from rankmark.engines.tally import Tally, merged
from rankmark.errors import ChoiceError, FileMissingError, FormatError, UsageError
from rankmark.evaluation import Plan, planned
from rankmark.inputs.frames import Frame, partitioned, read_frames
from rankmark.inputs.roles import Side
from rankmark.measure import Measure, no_closed_form
from rankmark.result import Result
from rankmark.signature import version

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from pyspark.sql import DataFrame

__all__ = ["SparkResult", "evaluate"]


def evaluate(
    qrels: DataFrame,
    run: DataFrame,
    measures: str | Measure | Iterable[str | Measure],
    *,
    like: str | None = None,
    ties: Ties | None = None,
    seed: int | None = None,
    missing: Missing | None = None,
    unjudged_queries: UnjudgedQueries | None = None,
    no_relevant: NoRelevant | None = None,
    duplicates: Duplicates | None = None,
    unjudged: Unjudged | None = None,
    scores: Scores | None = None,
    columns: Mapping[str, Any] | None = None,
    order: str | None = None,
    hash_inputs: bool = False,
    per_query: bool = False,
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
        ties: the order of equal scores; ``input`` needs `order`.
        seed: of ``ties="random"``.
        missing: what a judged query without results is.
        unjudged_queries: what results for a query without judgements are.
        no_relevant: what a query without relevant items is.
        duplicates: what the same item twice in one list, or judged twice, is; ``first`` needs `order`.
        unjudged: what unjudged items are.
        scores: the precision in which scores are compared.
        columns: the columns to use, where their names do not say it.
        order: the column by which the rows of a query have an order, which a DataFrame itself has not. The
            run needs it for ``ties="input"``, both tables for ``duplicates="first"``.
        hash_inputs: whether to hash what the tables hold, for `Result.inputs`.
        per_query: whether to give the values of the queries instead of the result.

    Returns:
        The result. With ``per_query=True`` a DataFrame with a row a judged query: ``query`` and a column a
        measure, null where the query is left out of the mean. It is computed when Spark is asked for its
        rows, and what is wrong with the tables is then part of Spark's own error.

    Raises:
        UsageError: an unknown measure, parameter or choice; or rankmark is not installed on the executors.
        DataError: a table that cannot be evaluated as it is, or a file of it that cannot be read.

    """
    given = {
        "ties": ties,
        "seed": seed,
        "missing": missing,
        "unjudged_queries": unjudged_queries,
        "no_relevant": no_relevant,
        "duplicates": duplicates,
        "unjudged": unjudged,
        "scores": scores,
    }
    plan = planned(measures, like, {name: value for name, value in given.items() if value is not None})
    _check_expected(plan)
    ordered = _ordered(plan, order)
    with _spark_errors():
        judgements, results = read_frames(qrels, run, columns)
        task = Task(plan, judgements.names, results.names, hash_inputs)
        rows = partitioned(judgements, results, order=order, ordered=ordered, text_items=plan.text_items)
        values = rows.mapInArrow(task.per_query, _per_query_schema(judgements, plan))
        if per_query:
            return values
        told = [row.told for row in rows.mapInArrow(task.tallies, "told string").collect()]
    tally = merged(map(_tally, told))
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


def _tally(told: str) -> Tally:
    """The tally that an executor tells of, or its error."""
    heard = json.loads(told)
    if heard["version"] != version():
        raise UsageError(
            f"rankmark is {version()} here and {heard['version']} on the executors; install the same there"
        )
    if "error" in heard:
        raise getattr(errors, heard["error"])(heard["message"])
    return Tally.from_json(heard["tally"])


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
