"""Batches of training loops, added up: of lists query by query, of predictions row by row."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rankmark.aggregation.terms import Terms
from rankmark.api.evaluator import Evaluator, Repeated
from rankmark.api.prediction_evaluator import PredictionEvaluator
from rankmark.api.prediction_plans import Plans
from rankmark.errors import ChoiceError, DataError, UsageError
from rankmark.hooks.prepared import probabilities_of, saying_logits, sees_probabilities, together
from rankmark.hooks.telling import Told
from rankmark.inputs.arrays.judged_items import is_sparse
from rankmark.inputs.arrays.libraries import is_array, is_torch, to_numpy
from rankmark.language.choices import GivenChoices, given
from rankmark.language.measure import Measure
from rankmark.results.base import Result

__all__ = ["Batches", "Negative", "Part"]


Negative: TypeAlias = Literal["error", "padding", "grade"]
"""What a label below 0 is."""

OF_PREDICTIONS = SimpleNamespace(
    __annotations__={
        name: each.annotation
        for name, each in inspect.signature(PredictionEvaluator).parameters.items()
        if name not in ("measures", "like", "repeated")
    }
)
"""The options of measures of predictions."""


class Part(Protocol):
    """What some batches come to: an `Evaluator` or a `PredictionEvaluator`."""

    @property
    def repeated(self) -> Repeated | None:
        """What a query in two parts is."""

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

    An `Evaluator` adds them up if all measures are of lists, else a `PredictionEvaluator`. Where both kinds
    stand side by side, lists and rows are of the same queries, each of them whole in one batch.

    Attributes:
        measures: the measures, as they were understood.
        of_lists: whether any of them is of lists.
        of_rows: whether any of them is of rows.

    """

    def __init__(
        self,
        measures: str | Measure | Iterable[str | Measure],
        like: str | None,
        repeated: Repeated | None,
        negative: Negative,
        logits: bool,
        options: Mapping[str, Any],
        door: Callable[..., Any],
    ) -> None:
        plans = Plans(measures, like, {})
        self.measures = plans.understood(classes=False)
        self._asked, self._like = plans.measures, like
        kinds = {measure.page.kind == "list" for measure in self.measures}
        self.of_lists, self.of_rows = True in kinds, False in kinds
        if negative not in get_args(Negative):
            raise ChoiceError(f"negative={negative!r} is not one of {', '.join(get_args(Negative))}")
        if repeated == "apart" and not self.of_lists:
            raise UsageError('repeated="apart" is of queries of lists, and no measure is of lists')
        if logits:
            _check_seen(self.measures)
        self._repeated, self._negative, self._logits = repeated, negative, logits
        self._options = dict(options)
        self._told = Told()
        given(options, OF_PREDICTIONS if self.of_rows else GivenChoices, door)
        self._new(repeated)  # which refuses what cannot be asked for

    def _new(self, repeated: Repeated | None) -> Part:
        options: dict[str, Any] = {"like": self._like, **self._options}
        if not self.of_rows:
            return Evaluator(self._asked, repeated=repeated, **options)  # type: ignore[arg-type]
        if repeated == "apart" or (repeated == "error" and not self.of_lists):
            repeated = None
        return PredictionEvaluator(self._asked, repeated=repeated, **options)

    def part(self, scores: Any, labels: Any, queries: Any = None, **more: Any) -> Part:
        """What a batch comes to.

        Args:
            scores: of shape [queries, items], of all items or of candidates; or one a row.
            labels: of the same shape, or what else `Evaluator.update_arrays` takes.
            queries: the query of each row.
            **more: for lists ``lengths`` and ``mask``, and where all measures are of lists ``exclude`` and
                ``items``, as in `Evaluator.update_arrays`; for predictions ``weights``.

        Raises:
            UsageError: arrays that do not fit together, or rows of lists without their queries.
            DataError: what cannot be evaluated as it is.

        """
        more = {name: value for name, value in more.items() if value is not None}
        _check_taken(more, *self._taken)
        if is_array(scores) and is_array(labels):
            if self.of_lists:
                self._told.swapped(labels, scores)
            more = self._without_padding(scores, labels, more)
        axes = len(getattr(scores, "shape", ()))
        if self.of_lists and queries is None:
            if axes == 1:
                of_lists = next(each for each in self.measures if each.page.kind == "list")
                raise UsageError(
                    f"the scores have one axis, and {of_lists} is of lists: give the query of each row as "
                    "indexes, or scores of shape [queries, items]"
                )
            if self._repeated == "first":
                raise UsageError('repeated="first" knows queries by their ids: give indexes, one a row')
        queries = None if queries is None else _array(queries)
        if self.of_rows:
            return self._of_predictions(scores, labels, queries, more)
        if queries is None:
            made = self._new("apart")
            made.update_arrays(scores, labels, **more)
            return made
        made = self._new(self._repeated)
        if queries.ndim == axes:
            made.update(*_tables(scores, labels, queries, more))
        else:
            made.update_arrays(scores, labels, queries=queries, **more)
        return made

    @property
    def _taken(self) -> tuple[set[str], str]:
        """What batches can have besides, and what the measures are that do not look at anything else."""
        if not self.of_rows:
            return {"exclude", "items", "lengths", "mask"}, "measures of lists"
        if not self.of_lists:
            return {"weights"}, "measures of predictions"
        return {"weights", "lengths", "mask"}, "measures of predictions beside those of lists"

    def _without_padding(self, scores: Any, labels: Any, more: dict[str, Any]) -> dict[str, Any]:
        """What a batch has besides, with a mask that has no labels below 0 if these are padding.

        Raises:
            DataError: there are some, and nothing says what they are.

        """
        if is_sparse(labels) or tuple(labels.shape) != tuple(scores.shape):
            return more
        below = labels < 0
        if self._negative == "grade" or not bool(below.any()):
            return more
        if self._negative == "padding":
            present = _present(scores.shape, more.pop("lengths", None), more.pop("mask", None))
            return {**more, "mask": present & ~to_numpy(below)}
        if not self.of_lists:
            return more
        least = _here(labels).min()
        raise DataError(
            f"{int(below.sum())} labels are below 0, the least is {least:g}: they are of no item with "
            'negative="padding", and grades of items that are not relevant with negative="grade"; say which'
        )

    def _of_predictions(self, scores: Any, labels: Any, queries: Any, more: dict[str, Any]) -> Part:
        """What rows come to; of scores of shape [queries, items] those of all items that are there."""
        matrix = self.of_lists and len(scores.shape) == 2
        masked = {name: more.pop(name) for name in ("lengths", "mask") if name in more}
        sizes = None
        if matrix or masked:
            labels, scores = _here(labels), _here(scores)
            if labels.shape != scores.shape:
                raise UsageError(f"the labels have the shape {labels.shape} and the scores {scores.shape}")
            present = _present(scores.shape, **masked)
            if matrix:
                present = present & (scores > -np.inf)
                counts = present.sum(axis=1)
                sizes = counts if queries is None else None
                queries = None if queries is None else np.repeat(queries, counts)
            elif queries is not None:
                queries = queries[present]
            labels, scores = labels[present], scores[present]
            if "weights" in more:
                more["weights"] = np.asarray(_here(more["weights"]))[present]
        if self._repeated == "apart" and queries is not None:
            order, sizes = together(queries)
            labels, scores, queries = _here(labels)[order], _here(scores)[order], None
            more = {name: _here(values)[order] for name, values in more.items()}
        if self._logits:
            scores = probabilities_of(_here(scores))
        made = self._new("apart" if sizes is not None else self._repeated)
        with saying_logits():
            made.update_arrays(labels, scores, queries=queries, group=sizes, **more)
        return made

    def value_of(self, part: Part) -> Mapping[str, float]:
        """The values of a part; what keeps them from being those of a convention's tool is warned of."""
        with saying_logits():
            result = part.result()
        self._told.departures(result)
        return result.values

    def terms_of(self, part: Part) -> dict[str, Terms]:
        """What each query of a part of lists adds to the value of each measure, without those that count not.

        Raises:
            NotEvaluatedError: this cannot be told of a measure.

        """
        result = part.result()
        self._told.departures(result)
        found = {name: result.query_terms(name) for name in result.values}
        return {name: terms.at(terms.there) for name, terms in found.items()}

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
                if workers and part.repeated == "error":
                    whole = self._new("first")
                    whole.merge(part)
            else:
                whole.merge(part)
        return whole

    def read(self, saved: bytes) -> Part:
        """What `to_bytes` of a part gave."""
        return PredictionEvaluator.from_bytes(saved) if self.of_rows else Evaluator.from_bytes(saved)


def _here(values: Any) -> NDArray[Any]:
    return to_numpy(values.detach() if is_torch(values) else values)


def _present(shape: tuple[int, ...], lengths: Any = None, mask: Any = None) -> NDArray[np.bool_]:
    """Which scores are of candidates, where rows say how many they have, or which.

    Raises:
        UsageError: both are said, or they do not fit the scores.

    """
    if lengths is not None and mask is not None:
        raise UsageError("give lengths or a mask, not both")
    if lengths is not None:
        present = np.arange(shape[-1]) < _array(lengths)[:, None]
    else:
        present = np.ones(shape, np.bool_) if mask is None else _array(mask).astype(np.bool_)
    if present.shape != tuple(shape):
        what = "lengths" if mask is None else "mask"
        raise UsageError(f"{what} says of scores of shape {present.shape}, and they have {tuple(shape)}")
    return present


def _check_seen(measures: Iterable[Measure]) -> None:
    """Refuses logits of which some measures would see probabilities and others not: one of both is kept."""
    for measure in measures:
        if measure.page.kind != "class" and not sees_probabilities(measure):
            raise UsageError(
                f"logits=True makes probabilities of scores, and {measure} sees scores as they are: ask for "
                "it in a metric of its own, without logits"
            )


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


def _array(values: Any) -> NDArray[Any]:
    return np.asarray(to_numpy(values) if hasattr(values, "shape") else values)


def _flat(values: Any, name: str) -> NDArray[Any]:
    array = _array(values).ravel()
    if array.dtype.kind not in "biufU":
        raise UsageError(f"{name} holds {array.dtype}, not numbers")
    return array.astype(np.float32) if array.dtype == np.float16 else array
