"""Measures as a metric of Keras."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark.aggregation.terms import Terms
from rankmark.errors import DataError, UsageError
from rankmark.hooks.batches import Batches, Negative, Part
from rankmark.inputs.arrays.libraries import is_array, to_numpy
from rankmark.language.measure import Measure
from rankmark.results.base import Result
from rankmark.results.saved import measure_text
from rankmark.tools import base, tool

__all__ = ["KerasMetric"]

Metric: Any = base("keras", "Metric", "keras")


class KerasMetric(Metric):  # type: ignore[misc]
    """Measures as a metric of Keras: in ``model.compile(metrics=[…])`` and in loops of one's own.

    Labels and scores of measures of lists have the shape [queries, items], every row being a query of its
    own. What is not in the mask of ``{"labels": …, "mask": …}`` is of no item, nor are labels below 0 with
    ``negative="padding"``, which they always are in keras-rs. Measures of predictions (AUC, LogLoss …) take a
    label and a score a row; beside measures of lists their rows are those of the lists. The values of each
    query are kept, and for measures of predictions what `PredictionEvaluator` keeps.

    ``result()`` is a number for one measure, for several a dict of them, which Keras logs one by one, as
    ``nDCG@10`` and ``val_nDCG@10``. Keras asks for it after each batch, and it is that of all batches: of
    lists what the latest one adds is put to it, but measures that rank all rows, such as AUC, sort them anew
    each time, which takes as long as training does from some 100,000 rows an epoch. Then an own loop, or
    ``full_result()`` after ``model.predict``, asks once.

    The values are read where the batch is, so that nothing may be compiled: on torch nothing is by default,
    on TensorFlow and JAX ``model.compile(run_eagerly=True)`` sees to it.

    Args:
        measures: as in `rankmark.evaluate` or `rankmark.evaluate_predictions`, and so is `like`.
        like: a convention.
        negative: what a label below 0 is: an ``error`` where measures are of lists; ``padding``, of no item
            or row; or a ``grade`` of an item that is not relevant.
        logits: whether scores are logits, of which measures of probabilities, and those with a threshold, see
            1/(1 + exp(−logit)), or softmax of several classes. Others are asked for in a metric of their own.
        name: what the metric is called; the measure, if there is one alone and nothing is said.
        dtype: what every metric of Keras has.
        **options: the choices of `Evaluator` or the arguments of `PredictionEvaluator`.

    Raises:
        UsageError: an unknown measure, parameter or choice.

    """

    def __init__(
        self,
        measures: str | Measure | Iterable[str | Measure],
        *,
        like: str | None = None,
        negative: Negative = "error",
        logits: bool = False,
        name: str | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        batches = Batches(measures, like, "error", negative, logits, options, type(self))
        alone = batches.measures[0].label if len(batches.measures) == 1 else "rankmark"
        super().__init__(name=name or alone, dtype=dtype)
        self._batches, self._like, self._options = (
            batches,
            like,
            {"negative": negative, "logits": logits, **options},
        )
        self._held: Part | None = None
        self._latest: Part | None = None
        self._values: Mapping[str, float] | None = None
        self._terms: dict[str, Terms] = {}

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Adds a batch; what is refused changes nothing.

        Args:
            y_true: grades or labels, or a dict of ``labels`` and ``mask``.
            y_pred: scores.
            sample_weight: for measures of predictions, the weight of each row; those of lists take none.

        Raises:
            UsageError: arrays that do not fit together, weights of lists, or a model that is compiled.
            DataError: what cannot be evaluated as it is.

        """
        if self._batches.of_lists:
            if sample_weight is not None:
                raise UsageError(
                    f"{self.name}: measures of lists take no sample_weight: give the metric as metrics=, not "
                    "as weighted_metrics="
                )
            part = self._batches.part(**_lists(y_true, y_pred))
        else:
            weights = None if sample_weight is None else _rows(sample_weight)
            part = self._batches.part(_rows(y_pred), _rows(y_true), weights=weights)
        if self._held is None:
            self._held = part
        else:
            self._held.merge(part)
        self._latest = part if self._values is not None else None
        self._values = None

    def result(self) -> Any:
        """The values of all batches, a number or a dict of them.

        Raises:
            DataError: there was no batch, or what a choice refuses.

        """
        if self._values is None:
            self._values = self._found()
        ops = tool("keras", "keras").ops
        tensors = {name: ops.convert_to_tensor(value, self.dtype) for name, value in self._values.items()}
        return tensors if len(tensors) > 1 else next(iter(tensors.values()))

    def _found(self) -> Mapping[str, float]:
        """The values; lists take a look at the latest batch alone if they were asked for before it."""
        if self._batches.of_rows:
            return self._batches.value_of(self._whole())
        new = self._batches.terms_of(self._whole() if self._latest is None else self._latest)
        if self._latest is not None:
            new = {name: self._terms[name].joined(terms) for name, terms in new.items()}
        self._terms = new
        return {name: terms.value() for name, terms in new.items()}

    def full_result(self, **options: Any) -> Result:
        """The result of all batches, with each query's values and notes.

        Args:
            **options: those of `Evaluator.result` or `PredictionEvaluator.result`, such as ``intervals``.

        Raises:
            DataError: there was no batch, or what a choice refuses.

        """
        return self._whole().result(**options)

    def _whole(self) -> Part:
        if self._held is None:
            raise DataError("there was no batch yet; give y_true and y_pred by update_state")
        return self._held

    def reset_state(self) -> None:
        """Forgets all batches."""
        self._held = self._latest = self._values = None
        self._terms = {}

    def get_config(self) -> dict[str, Any]:
        """The arguments that make it again, without its batches."""
        measures = [measure_text(measure) for measure in self._batches.measures]
        return {**super().get_config(), "measures": measures, "like": self._like, **self._options}


def _lists(labels: Any, scores: Any) -> dict[str, NDArray[Any] | None]:
    """Scores and grades of lists, and which of them are of items."""
    among = None
    if isinstance(labels, Mapping):
        if "labels" not in labels or not {*labels} <= {"labels", "mask"}:
            keys = ", ".join(map(repr, labels))
            raise UsageError(f"y_true is a dict of {keys}; it needs 'labels', and may have 'mask'")
        among, labels = labels.get("mask"), labels["labels"]
    grades, found = _numbers(labels), _numbers(scores)
    if grades.shape != found.shape or grades.ndim not in (1, 2):
        raise UsageError(
            f"y_true has the shape {grades.shape} and y_pred {found.shape}; measures of lists need both of "
            "the shape [queries, items]"
        )
    mask = None if among is None else np.atleast_2d(_numbers(among).astype(np.bool_))
    return {"scores": np.atleast_2d(found), "labels": np.atleast_2d(grades), "mask": mask}


def _rows(values: Any) -> NDArray[Any]:
    """A column of one axis, or one that has a second of length 1."""
    array = _numbers(values)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _numbers(values: Any) -> NDArray[Any]:
    try:
        array = to_numpy(values) if is_array(values) else np.asarray(values)
    except Exception as error:  # each backend has its own for values that are not there yet
        raise UsageError(
            "the values of the batch cannot be read, as is so where a model is compiled: "
            f"model.compile(…, run_eagerly=True, jit_compile=False) ({type(error).__name__}: {error})"
        ) from error
    if array.dtype.kind not in "biuf":
        raise UsageError(f"y_true and y_pred need numbers, and one of them holds {array.dtype}")
    return array
