"""Scores of rows over all thresholds: the area under the ROC curve, and average precision."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankmark.compat.sklearn.targets import (
    MULTILABEL,
    UndefinedMetricWarning,
    averaged,
    check_same_length,
    check_word,
    classes_of,
    column,
    kind_of,
    numbers_in,
    weights_of,
)
from rankmark.errors import CallError, DataError, NotHereError, UsageError
from rankmark.language.measure import Measure
from rankmark.rendering.words import brief

__all__ = ["average_precision_score", "roc_auc_score"]

AVERAGES = ("micro", "macro", "samples", "weighted", None)

Weights: TypeAlias = "NDArray[np.float64] | None"
Score: TypeAlias = "Callable[[NDArray[np.bool_], NDArray[Any], Weights], float]"
"""Which rows are positive, their scores and weights → a value."""


def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    sample_weight: Any = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Any = None,
) -> Any:
    """The area under the ROC curve: of two classes, of several, or of several labels a row.

    Args:
        y_true: two labels, of which the greater is positive; several classes; or 0 and 1 of the shape
            [rows, labels].
        y_score: a score a row; shape [rows, classes], where they add up to 1, or [rows, labels].
        average: ``macro``, ``weighted`` (by positive rows), ``micro`` (all labels as one), ``samples`` (a
            value a row), or None for a value a class.
        sample_weight: a weight a row.
        max_fpr: the false positive rate up to which the area is taken, standardised (McClish 1989).
        multi_class: of several classes ``ovr`` (each against the rest) or ``ovo`` (each against each).
        labels: all classes in their order, where y_true may lack some.

    Returns:
        A float; with ``average=None`` an array. NaN, with an `UndefinedMetricWarning`, where one class is
        there.

    Raises:
        ValueError: what scikit-learn refuses.

    """
    check_word(average, "average", AVERAGES)
    check_word(multi_class, "multi_class", ("raise", "ovr", "ovo"))
    if max_fpr is not None and (isinstance(max_fpr, bool | str) or not 0 < max_fpr <= 1):
        raise CallError(f"max_fpr is {brief(max_fpr)}; it is above 0 and at most 1")
    truth, scores = _labels(y_true), numbers_in(y_score, "y_score")
    kind = kind_of(truth)
    if kind == "multiclass" or (kind == "binary" and scores.ndim == 2 and scores.shape[1] > 2):
        if max_fpr not in (None, 1):
            raise UsageError(f"max_fpr={max_fpr} is of two classes, or of labels; y_true has several classes")
        if multi_class == "raise":
            raise UsageError("y_true has several classes: say multi_class='ovr' or 'ovo'")
        return _of_classes(truth, scores, labels, multi_class, average, sample_weight)

    def score(positive: NDArray[np.bool_], each: NDArray[Any], weights: Weights) -> float:
        return _auc(positive, each, weights, max_fpr)

    if kind == "binary":
        return _of_rows(
            score, column(truth, "y_true") == np.unique(truth)[-1], scores, sample_weight, two=truth
        )
    return _of_labels(score, truth, scores, average, sample_weight)


def average_precision_score(
    y_true: Any, y_score: Any, *, average: str | None = "macro", pos_label: Any = 1, sample_weight: Any = None
) -> Any:
    """Average precision: precision at each threshold, by how much recall rises there; no interpolation.

    Args:
        y_true: two labels; several classes; or 0 and 1, shape [rows, labels].
        y_score: a score a row, or of the shape [rows, classes or labels].
        average: as in `roc_auc_score`.
        pos_label: the positive label of two.
        sample_weight: a weight a row.

    Returns:
        A float; with ``average=None`` an array. 0, with a `UserWarning`, where nothing is positive.

    Raises:
        ValueError: what scikit-learn refuses.

    """
    check_word(average, "average", AVERAGES)
    truth = _labels(y_true)
    kind = kind_of(truth)
    if kind != "binary" and pos_label != 1:
        raise UsageError(f"pos_label={pos_label!r} is of two labels; y_true is {kind}")
    if kind == "binary":
        present = np.unique(truth)
        if len(present) == 2 and pos_label not in present.tolist():
            raise UsageError(f"pos_label={pos_label!r} is no label; y_true has {present.tolist()}")
        positive = column(truth, "y_true") == pos_label
        return _of_rows(_average_precision, positive, numbers_in(y_score, "y_score"), sample_weight)
    scores = numbers_in(y_score, "y_score")
    if kind == "multiclass":
        truth = (column(truth, "y_true")[:, np.newaxis] == np.unique(truth)).astype(np.int64)
        if scores.shape != truth.shape:
            raise DataError(f"y_score has the shape {scores.shape}; of these classes it is {truth.shape}")
    return _of_labels(_average_precision, truth, scores, average, sample_weight)


def _labels(y_true: Any) -> NDArray[Any]:
    """Labels as they are: numbers or texts."""
    truth = np.asarray(y_true)
    return column(truth, "y_true") if truth.dtype.kind in "OUS" else numbers_in(truth, "y_true")


def _of_rows(
    score: Score, positive: NDArray[np.bool_], scores: NDArray[Any], sample_weight: Any, *, two: Any = None
) -> float:
    """A value of rows of two labels."""
    scores = column(scores, "y_score")
    check_same_length(len(positive), y_score=scores)
    weights = weights_of(sample_weight, len(scores))
    if two is not None and len(np.unique(two)) == 1:
        positive = np.zeros(len(positive), dtype=np.bool_)
    return score(positive, scores, weights)


def _of_labels(
    score: Score, truth: NDArray[Any], scores: NDArray[Any], average: str | None, sample_weight: Any
) -> Any:
    """A value of the labels of rows, averaged."""
    if (kind := kind_of(truth)) != MULTILABEL:
        raise DataError(f"y_true is {kind}; give two labels, classes, or 0 and 1 of the shape [rows, labels]")
    if scores.shape != truth.shape:
        raise DataError(
            f"y_score has the shape {scores.shape}, and y_true {truth.shape}; they are to be alike"
        )
    positive, weights = truth == 1, weights_of(sample_weight, len(scores))
    if average == "micro":
        each = None if weights is None else np.repeat(weights, truth.shape[1])
        return score(positive.ravel(), scores.ravel(), each)
    if average == "samples":
        return _mean([score(*row, None) for row in zip(positive, scores, strict=True)], weights)
    if average == "weighted":
        by = positive.sum(axis=0) if weights is None else (positive * weights[:, np.newaxis]).sum(axis=0)
        if not by.any():
            return 0
        return _mean([score(*row, weights) for row in zip(positive.T, scores.T, strict=True)], by)
    values = [score(*row, weights) for row in zip(positive.T, scores.T, strict=True)]
    return np.array(values) if average is None else _mean(values, None)


def _mean(values: list[float], weights: Any) -> float:
    """The mean; what weighs nothing does not make it NaN."""
    found = np.array(values)
    if weights is not None:
        found[weights == 0] = 0
    return averaged(found, weights)


def _of_classes(
    truth: NDArray[Any], scores: NDArray[Any], labels: Any, multi_class: str, average: Any, sample_weight: Any
) -> Any:
    """The area of several classes."""
    if scores.ndim != 2:
        raise DataError(f"y_score has the shape {scores.shape}; of several classes it has a column a class")
    truth = column(truth, "y_true")
    check_same_length(len(truth), y_score=scores)
    if not np.allclose(1, scores.sum(axis=1)):
        raise DataError("y_score: the scores of a row do not add up to 1; of several classes they do")
    averages = ("macro", "weighted", None) if multi_class == "ovo" else ("micro", "macro", "weighted", None)
    if average not in averages:
        raise UsageError(f"average={average!r} is not of several classes with multi_class={multi_class!r}")
    if average is None and multi_class == "ovo":
        raise NotHereError("average=None has no value with multi_class='ovo'; take 'ovr'")
    classes = classes_of(labels, truth, scores.shape[1])
    if multi_class == "ovr":
        indicator = (truth[:, np.newaxis] == classes).astype(np.int64)
        return _of_labels(_auc, indicator, scores, average, sample_weight)
    if sample_weight is not None:
        raise UsageError("sample_weight is not taken with multi_class='ovo'")
    values, shares = [], []
    # Of classes without rows there are no pairs.
    for one, other in combinations(np.flatnonzero(np.isin(classes, truth)).tolist(), 2):
        is_one, is_other = truth == classes[one], truth == classes[other]
        either = is_one | is_other
        areas = _auc(is_one[either], scores[either, one]), _auc(is_other[either], scores[either, other])
        values.append(sum(areas) / 2)
        shares.append(np.average(either))
    return averaged(np.array(values), np.array(shares) if average == "weighted" else None)


def _auc(
    positive: NDArray[np.bool_], scores: NDArray[Any], weights: Weights = None, max_fpr: float | None = None
) -> float:
    positive, scores, weights = _weighing(positive, scores, weights)
    if positive.all() or not positive.any():
        said = "one class is present in y_true, of which the area under the ROC curve is not defined"
        warnings.warn(said, UndefinedMetricWarning, stacklevel=4)
        return math.nan
    parameters = {} if max_fpr in (None, 1) else {"max_fpr": float(max_fpr)}
    return _measured(Measure("AUC", parameters), positive, scores, weights)


def _average_precision(positive: NDArray[np.bool_], scores: NDArray[Any], weights: Weights = None) -> float:
    positive, scores, weights = _weighing(positive, scores, weights)
    if not positive.any():
        said = "no row of y_true is positive: average precision is 0"
        warnings.warn(said, UserWarning, stacklevel=4)
        return 0.0
    if positive.all():
        return 1.0
    return _measured(Measure("AveragePrecision"), positive, scores, weights)


def _weighing(
    positive: NDArray[np.bool_], scores: NDArray[Any], weights: Weights
) -> tuple[NDArray[np.bool_], NDArray[Any], Weights]:
    """The rows that weigh something."""
    if weights is None or weights.all():
        return positive, scores, weights
    kept = weights != 0
    return positive[kept], scores[kept], weights[kept]


def _measured(measure: Measure, positive: NDArray[np.bool_], scores: NDArray[Any], weights: Weights) -> float:
    if scores.dtype.kind != "f":
        scores = scores.astype(np.float64)
    return float(measure(positive, scores, **({} if weights is None else {"weights": weights})))
