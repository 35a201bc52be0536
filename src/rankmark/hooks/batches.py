"""Batches of training loops, added up: of lists query by query, of predictions row by row."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rankmark.api.evaluator import Evaluator, Repeated
from rankmark.api.prediction_evaluator import PredictionEvaluator
from rankmark.api.prediction_plans import Plans
from rankmark.errors import UsageError
from rankmark.hooks.telling import Told
from rankmark.inputs.arrays.libraries import is_array, is_torch, to_numpy
from rankmark.language.choices import GivenChoices, given
from rankmark.language.measure import Measure
from rankmark.results.base import Result

__all__ = ["Batches", "Part"]


OF_PREDICTIONS = SimpleNamespace(
    __annotations__={
        name: each.annotation
        for name, each in inspect.signature(PredictionEvaluator).parameters.items()
        if name not in ("measures", "like")
    }
)
"""The options of measures of predictions."""


class Part(Protocol):
    """What some batches come to: an `Evaluator` or a `PredictionEvaluator`."""

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Adds tables."""

    def update_arrays(self, *args: Any, **kwargs: Any) -> None:
        """Adds arrays."""

    def merge(self, other: Any, /) -> None:
        """Takes in another one."""

    def result(self, *args: Any, **kwargs: Any) -> Result:
        """What it comes to."""

    def to_bytes(self) -> bytes:
        """It as bytes."""


class Batches:
    """What batches of a loop come to.

    An `Evaluator` adds them up if all measures are of lists, else a `PredictionEvaluator`.

    Attributes:
        measures: the measures, as they were understood.
        of_lists: whether all of them are of lists.

    """

    def __init__(
        self,
        measures: str | Measure | Iterable[str | Measure],
        like: str | None,
        repeated: Repeated,
        options: Mapping[str, Any],
        door: Callable[..., Any],
    ) -> None:
        plans = Plans(measures, like, {})
        self.measures = plans.understood(classes=False)
        self._asked, self._like = plans.measures, like
        self._repeated: Repeated = repeated
        self._options = dict(options)
        self.of_lists = all(measure.page.kind == "list" for measure in self.measures)
        self._told = Told()
        given(options, GivenChoices if self.of_lists else OF_PREDICTIONS, door)
        self._new(repeated)  # which refuses what cannot be asked for

    def _new(self, repeated: Repeated) -> Part:
        if self.of_lists:
            return Evaluator(self._asked, like=self._like, repeated=repeated, **self._options)
        return PredictionEvaluator(self._asked, like=self._like, **self._options)

    def part(self, scores: Any, labels: Any, queries: Any = None, **more: Any) -> Part:
        """What a batch comes to.

        Args:
            scores: of shape [queries, items], of all items or of candidates; or one a row.
            labels: of the same shape, or what else `Evaluator.update_arrays` takes.
            queries: the query of each row.
            **more: for lists ``exclude``, ``items``, ``lengths`` and ``mask``, as in
                `Evaluator.update_arrays`; for predictions ``weights``.

        Raises:
            UsageError: arrays that do not fit together, or rows of lists without their queries.
            DataError: what cannot be evaluated as it is.

        """
        more = {name: value for name, value in more.items() if value is not None}
        if not self.of_lists:
            _check_taken(more, {"weights"}, "measures of predictions")
            made = self._new("error")
            made.update_arrays(labels, scores, queries=queries, **more)
            return made
        _check_taken(more, {"exclude", "items", "lengths", "mask"}, "measures of lists")
        if is_array(scores) and is_array(labels):
            self._told.swapped(_here(labels), _here(scores))
        axes = len(getattr(scores, "shape", ()))
        if queries is None:
            if axes == 1:
                raise UsageError(
                    f"the scores have one axis, and {self.measures[0]} is of lists: give the query of each "
                    "row as indexes, or scores of shape [queries, items]"
                )
            if self._repeated == "first":
                raise UsageError('repeated="first" knows queries by their ids: give indexes, one a row')
            made = self._new("apart")
            made.update_arrays(scores, labels, **more)
            return made
        made = self._new(self._repeated)
        queries = np.asarray(to_numpy(queries) if hasattr(queries, "shape") else queries)
        if queries.ndim == axes:
            made.update(*_tables(scores, labels, queries, more))
        else:
            made.update_arrays(scores, labels, queries=queries, **more)
        return made

    def value_of(self, part: Part) -> Mapping[str, float]:
        """The values of a part; what keeps them from being those of a convention's tool is warned of."""
        result = part.result()
        self._told.departures(result)
        return result.values

    def joined(self, parts: Iterable[Part], *, workers: bool = False) -> Part | None:
        """All parts as one, the first of which takes in the others; None if there is none.

        Args:
            parts: the parts.
            workers: whether each is another worker's, so that what several have was repeated by a sampler.

        """
        whole: Part | None = None
        for part in parts:
            if whole is None:
                whole = part
                if workers and isinstance(part, Evaluator) and part.repeated == "error":
                    whole = self._new("first")
                    whole.merge(part)
            else:
                whole.merge(part)
        return whole

    def read(self, saved: bytes) -> Part:
        """What `to_bytes` of a part gave."""
        return Evaluator.from_bytes(saved) if self.of_lists else PredictionEvaluator.from_bytes(saved)


def _here(values: Any) -> NDArray[Any]:
    return to_numpy(values.detach() if is_torch(values) else values)


def _check_taken(given: Mapping[str, Any], taken: set[str], what: str) -> None:
    for name in given:
        if name not in taken:
            raise UsageError(f"{what} do not look at {name}: take it out")


def _tables(scores: Any, labels: Any, queries: NDArray[Any], more: Mapping[str, Any]) -> tuple[Any, Any]:
    """Rows of one item each as judgements and results; NaN is not judged."""
    import polars as pl

    _check_taken(more, {"items", "mask"}, "rows with their queries")
    columns = {
        "query": queries.ravel(),
        "score": _flat(scores, "scores"),
        "relevance": _flat(labels, "labels"),
        **{name: _flat(values, name) for name, values in more.items()},
    }
    rows = {name: len(values) for name, values in columns.items()}
    if len(set(rows.values())) > 1:
        raise UsageError(
            "the arrays have different numbers of rows: "
            + ", ".join(f"{count} of the {name}" for name, count in rows.items())
        )
    present = columns.pop("mask", None)
    table = pl.DataFrame(columns)
    if present is not None:
        table = table.filter(present.astype(np.bool_))
    if "items" in columns:
        table = table.rename({"items": "item"})
    else:  # numbers of a query's rows, which do not depend on the batch
        table = table.with_columns(item=pl.int_range(pl.len()).over("query"))
    judged = table.filter(pl.col("relevance").cast(pl.Float64).is_not_nan())
    return judged.select("query", "item", "relevance"), table.select("query", "item", "score")


def _flat(values: Any, name: str) -> NDArray[Any]:
    array = np.asarray(to_numpy(values) if hasattr(values, "shape") else values).ravel()
    if array.dtype.kind not in "biufU":
        raise UsageError(f"{name} holds {array.dtype}, not numbers")
    return array.astype(np.float32) if array.dtype == np.float16 else array
