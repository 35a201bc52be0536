"""MLflow: results in its runs, and measures in its evaluations.

Needs ``pip install mlflow``, version 3 or newer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from inspect import Parameter, Signature
from numbers import Number
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from rankmark.api.evaluation import evaluate
from rankmark.api.predictions import evaluate_predictions
from rankmark.errors import DataError, UsageError
from rankmark.hooks.documents import grades, ranked
from rankmark.hooks.records import about, check_loggable, numbers, write_files
from rankmark.language.names import as_measure
from rankmark.rendering.numbers import named
from rankmark.tools import tool

if TYPE_CHECKING:
    from rankmark.language.measure import Measure

__all__ = ["log", "make_metric", "scorer"]

T = TypeVar("T")

AT_ONCE = 100
"""Tags in a request, of which MLflow takes no more; of metrics it takes 1,000."""
EXPECTED = "expected_retrieved_context"
"""What MLflow calls the documents that should have been found."""


def log(result: Any, *, prefix: str = "", step: int | None = None, files: bool | None = None) -> None:
    """Logs a result, a comparison or a gate to the active run of MLflow; without one, one is started.

    - metrics: its numbers by plain names, such as ``ndcg_at_10``, see `Result.to_dict`;
    - tags: ``rankmark.signature.ndcg_at_10`` and those of other measures, ``rankmark.version``, of a gate
      ``rankmark.verdict``, and ``rankmark.inputs.qrels`` and the like, if inputs were hashed;
    - artifacts, in a folder ``rankmark``: ``report.html``, ``result.json``, ``result.rankmark``, which
      `rankmark.load` opens, and ``per_query.parquet``, if there are values of queries.

    Args:
        result: what rankmark returned.
        prefix: what the names of metrics, tags and the folder begin with, such as ``valid/``.
        step: that of the metrics, such as an epoch.
        files: whether to log artifacts; if None, where there is no step.

    Raises:
        UsageError: what is logged has no numbers.
        ToolMissingError: MLflow is not installed.

    Example:
        >>> import rankmark as rm
        >>> result = rm.evaluate("qrels.txt", "bm25.run", "nDCG@10", intervals=True)  # doctest: +SKIP
        >>> with mlflow.start_run():  # doctest: +SKIP
        ...     rm.hooks.mlflow.log(result)

    """
    check_loggable(result)
    mlflow = tool("mlflow", "mlflow")
    for metrics in _parts(numbers(result, prefix)):
        mlflow.log_metrics(metrics, step=step)
    for tags in _parts(dict(_flat(f"{prefix}rankmark", about(result)))):
        mlflow.set_tags(tags)
    if files if files is not None else step is None:
        with TemporaryDirectory() as folder:
            write_files(result, Path(folder))
            mlflow.log_artifacts(folder, f"{prefix}rankmark")


def make_metric(
    measure: str | Measure, *, query: str | None = None, weight: str | None = None, **options: Any
) -> Any:
    """A measure as a metric of ``mlflow.models.evaluate``, for its ``extra_metrics``.

    Where predictions are numbers, rows are labelled scores, as for `rankmark.evaluate_predictions`, and the
    metric is one number, ``gauc``. Where they are lists, a row is a query, with the ids that were retrieved,
    the best first, or ``{id: score}``, and as its target the relevant ids or ``{id: grade}``, as for
    `rankmark.evaluate`: the metric is ``ndcg_at_10/mean``, and a column has the value of each row.

    Args:
        measure: which, by its name or as it is.
        query: of labelled scores, the column of the data that has their query, user or session.
        weight: the column of their weights.
        **options: as for either, such as ``no_relevant="skip"``.

    Raises:
        UsageError: a column's name is none that MLflow can pass on.
        ToolMissingError: MLflow is not installed.

    Example:
        >>> mlflow.models.evaluate(  # doctest: +SKIP
        ...     data=clicks, targets="click", predictions="p", model_type="classifier",
        ...     extra_metrics=[rm.hooks.mlflow.make_metric("GAUC", query="user")],
        ... )

    """
    mlflow = tool("mlflow.models", "mlflow")
    asked = as_measure(measure)
    columns = {role: name for role, name in (("query", query), ("weight", weight)) if name is not None}
    for name in columns.values():
        if not name.isidentifier():
            raise UsageError(f"MLflow passes on no column {name!r}, which is no name in Python: rename it")

    def value(predictions: Any, targets: Any, *others: Any) -> Any:
        if len(predictions) and not isinstance(predictions.iloc[0], Number):
            return _of_lists(asked, predictions, targets, options)
        given = dict(zip(columns, others, strict=True))
        table = {"label": targets, "score": predictions, **given}
        table = {role: column.to_numpy() for role, column in table.items()}
        roles: dict[str, Any] = {role: role for role in table}
        return evaluate_predictions(table, measure, **roles, **options)[measure]

    parameters = ["predictions", "targets", *columns.values()]
    value.__signature__ = Signature(  # type: ignore[attr-defined] # by which MLflow finds the columns
        [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in parameters]
    )
    return mlflow.make_metric(
        eval_fn=value, greater_is_better=asked.better != "less", name=_plain(asked), long_name=str(asked)
    )


def scorer(
    measure: str | Measure, *, expected: str = EXPECTED, name: str | None = None, **options: Any
) -> Any:
    """A measure as a scorer of ``mlflow.genai.evaluate``: each row is a query.

    What was retrieved is what the trace's last span of a retriever gave, or else the row's outputs: ids or
    documents, the best first, or ``{id: score}``. What should have been is one of its expectations: ids,
    documents with or without a ``relevance``, or ``{id: grade}``. Documents are known by their ``doc_uri`` or
    ``id``. The signature is in the metadata of each value; a row whose value is left out has none.

    Args:
        measure: which, by its name or as it is.
        expected: which of the expectations.
        name: what MLflow calls it; the measure's plain name if None.
        **options: as for `rankmark.evaluate`.

    Raises:
        ToolMissingError: MLflow is not installed.

    Example:
        >>> mlflow.genai.evaluate(data, scorers=[rm.hooks.mlflow.scorer("nDCG@10")])  # doctest: +SKIP

    """
    scorers, entities = tool("mlflow.genai.scorers", "mlflow"), tool("mlflow.entities", "mlflow")
    asked = as_measure(measure)

    def value(outputs: Any, expectations: Any, trace: Any) -> Any:
        if expected not in (expectations or {}):
            raise DataError(f"a row has no expectation {expected!r}, which says what is relevant")
        result = evaluate(
            {"row": grades(expectations[expected])},
            {"row": ranked(_retrieved(outputs, trace))},
            asked,
            **options,
        )
        if math.isnan(result[asked]):
            return []
        return entities.Feedback(value=result[asked], metadata={"signature": result.signature(asked)})

    return scorers.scorer(value, name=name or _plain(asked), aggregations=["mean"])


def _of_lists(measure: Measure, found: Any, expected: Any, options: Mapping[str, Any]) -> Any:
    """The value of each row, and of all."""
    metrics = tool("mlflow.metrics", "mlflow")
    qrels = {row: grades(each) for row, each in enumerate(expected)}
    run = {row: ranked(each) for row, each in enumerate(found)}
    result = evaluate(qrels, run, measure, **options)
    values = dict(zip(result.query_ids, result.query_values(measure).tolist(), strict=True))
    averaged = measure.page.aggregate == "mean" and measure.mean == "arithmetic"
    return metrics.MetricValue(
        scores=[values.get(row, math.nan) for row in run],
        aggregate_results={"mean" if averaged else "value": result[measure]},
    )


def _retrieved(outputs: Any, trace: Any) -> Any:
    spans = trace.search_spans(span_type="RETRIEVER") if trace is not None else []
    return spans[-1].outputs if spans else outputs


def _plain(measure: Measure) -> str:
    (name,) = named([(measure.label,)], "plain")
    return name


def _flat(name: str, facts: Any) -> Iterator[tuple[str, str]]:
    """Texts in mappings by one name each, with points between the names on the way there."""
    if not isinstance(facts, Mapping):
        yield name, facts
    else:
        for own, each in facts.items():
            yield from _flat(f"{name}.{own}", each)


def _parts(items: Mapping[str, T]) -> Iterator[dict[str, T]]:
    """The items, no more of them at once than MLflow takes."""
    pairs = list(items.items())
    for start in range(0, len(pairs), AT_ONCE):
        yield dict(pairs[start : start + AT_ONCE])
