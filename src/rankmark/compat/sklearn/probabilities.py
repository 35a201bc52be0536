"""Scores of probabilities of classes."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark.compat.sklearn.targets import (
    MULTILABEL,
    UndefinedMetricWarning,
    check_same_length,
    check_whole,
    check_word,
    classes_of,
    column,
    kind_of,
    numbers_in,
    weights_of,
)
from rankmark.errors import CallError, DataError, UsageError
from rankmark.rendering.words import brief

__all__ = ["brier_score_loss", "log_loss", "top_k_accuracy_score"]

RENAMED = "deprecated"
USUAL = ({0, 1}, {-1, 1}, {0}, {-1}, {1})
"""Labels of which 1 is the positive one; of others the greater."""


def log_loss(
    y_true: Any,
    y_proba: Any = None,
    *,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
    y_pred: Any = RENAMED,
) -> float:
    """The mean of −log of the probability of each row's class, kept from 0 and 1 by its precision.

    Args:
        y_true: a class a row, or 0 and 1 of the shape [rows, classes].
        y_proba: the probability of the greater of two classes, or of each class, shape [rows, classes].
        normalize: whether to take the mean, and not the sum.
        sample_weight: a weight a row.
        labels: all classes, where y_true may lack some.
        y_pred: the former name of `y_proba`.

    Raises:
        ValueError: what scikit-learn refuses.

    """
    check_word(normalize, "normalize", (True, False))
    if not isinstance(y_pred, str) or y_pred != RENAMED:
        if y_proba is not None:
            raise UsageError("y_pred is the former name of y_proba; give one of them")
        warnings.warn("y_pred is called y_proba since scikit-learn 1.9", FutureWarning, stacklevel=2)
        y_proba = y_pred
    given = _probabilities(y_proba)
    weights = weights_of(sample_weight, len(given))
    which, given = _of_classes(y_true, given, labels)
    least = float(np.finfo(given.dtype).eps)
    clipped = np.clip(given, given.dtype.type(least), given.dtype.type(1) - given.dtype.type(least))
    with np.errstate(invalid="ignore"):
        losses = -np.where(which, np.log(clipped), clipped.dtype.type(0)).sum(axis=1)
    if normalize:
        return float(np.average(losses, weights=weights))
    return float(np.sum(losses) if weights is None else np.dot(losses, weights))


def brier_score_loss(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    scale_by_half: bool | str = "auto",
) -> float:
    """The mean squared difference of probabilities and what was: of two classes half of it, unless said.

    Args:
        y_true: a class a row.
        y_proba: as in `log_loss`.
        sample_weight: a weight a row.
        pos_label: of one column of probabilities the positive label.
        labels: of several columns all classes, where y_true may lack some.
        scale_by_half: whether to halve the sum of squares, which is then at most 1; ``auto``: of two classes.

    Raises:
        ValueError: what scikit-learn refuses.

    """
    check_word(scale_by_half, "scale_by_half", (True, False, "auto"))
    given = _probabilities(y_proba)
    weights = weights_of(sample_weight, len(given))
    if given.ndim == 1 or given.shape[1] == 1:
        which, given = _of_two(y_true, column(given, "y_proba"), pos_label)
    else:
        which, given = _of_classes(y_true, given, labels)
    mean = np.average(((which - given) ** 2).sum(axis=1), weights=weights)
    halved = given.shape[1] < 3 if scale_by_half == "auto" else scale_by_half
    return float(mean * 0.5 if halved else mean)


def top_k_accuracy_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
) -> float:
    """The share of rows whose class is among the k that score highest; of equal scores the later class first.

    Args:
        y_true: a class a row.
        y_score: a score a class, shape [rows, classes]; of two classes a score a row.
        k: how many classes count.
        normalize: whether to take the share, and not the number.
        sample_weight: a weight a row.
        labels: all classes in their order, where y_true may lack some.

    Raises:
        ValueError: what scikit-learn refuses.

    """
    check_whole(k, "k")
    check_word(normalize, "normalize", (True, False))
    truth, scores = column(y_true, "y_true"), numbers_in(y_score, "y_score")
    kind = kind_of(truth)
    if kind == "binary" and labels is not None and len(labels) > 2:
        kind = "multiclass"
    if kind not in ("binary", "multiclass"):
        raise DataError(f"y_true is {kind}; give classes")
    if kind == "binary" and scores.ndim == 2 and scores.shape[1] != 1:
        raise DataError(
            f"y_true has two classes and y_score {scores.shape[1]} columns; say all classes, labels="
        )
    if kind == "multiclass" and scores.ndim != 2:
        raise DataError(f"y_score has the shape {scores.shape}; of several classes it has a column a class")
    check_same_length(len(truth), y_score=scores)
    weights = weights_of(sample_weight, len(truth))
    classes = classes_of(labels, truth, 2 if kind == "binary" else scores.shape[1])
    if k >= len(classes):
        said = f"k={k} is no less than the number of classes, {len(classes)}: every row is right"
        warnings.warn(said, UndefinedMetricWarning, stacklevel=2)
    number = np.searchsorted(classes, truth)
    if kind == "multiclass":
        best = np.argsort(scores, axis=1, kind="stable")[:, ::-1][:, :k]
        right = (best == number[:, np.newaxis]).any(axis=1)
    elif k == 1:
        scores = column(scores, "y_score")
        threshold = 0.5 if scores.min() >= 0 and scores.max() <= 1 else 0
        right = (scores > threshold) == number
    else:
        right = np.ones(len(truth), dtype=np.bool_)
    if normalize:
        return float(np.average(right, weights=weights))
    return float(np.sum(right) if weights is None else np.dot(right, weights))


def _probabilities(y_proba: Any) -> NDArray[Any]:
    """Probabilities in the precision in which they are given."""
    given = numbers_in(y_proba, "y_proba")
    if given.dtype.kind != "f":
        given = given.astype(np.float64)
    if given.max() > 1 or given.min() < 0:
        raise DataError(
            f"y_proba holds {given.max() if given.max() > 1 else given.min()}, which is no probability"
        )
    return given


def _of_two(y_true: Any, given: NDArray[Any], pos_label: Any) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Which of two classes each row is of, and the probabilities of both."""
    truth = column(y_true, "y_true")
    check_same_length(len(truth), y_proba=given)
    if (kind := kind_of(truth)) != "binary":
        raise DataError(f"y_true is {kind}, and one column of probabilities is of two classes")
    if pos_label is None:
        classes = np.unique(truth)
        if classes.dtype.kind in "OUS":
            raise UsageError(f"y_true has the labels {classes.tolist()}: say which is positive, pos_label=")
        pos_label = 1 if {*classes.tolist()} in USUAL else classes[-1]
    positive = truth == pos_label
    return np.stack((~positive, positive), axis=1), np.stack((1 - given, given), axis=1)


def _of_classes(y_true: Any, given: NDArray[Any], labels: Any) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Which class each row is of, and the probabilities of all."""
    truth = np.asarray(y_true)
    if given.ndim == 1:
        given = given[:, np.newaxis]
    if given.shape[1] == 1:
        given = np.concatenate((1 - given, given), axis=1)
    if not np.allclose(sums := given.sum(axis=1), 1, rtol=math.sqrt(np.finfo(given.dtype).eps), atol=0):
        worst = float(sums[np.abs(sums - 1).argmax()])
        said = f"the probabilities of a row add up to {worst:g}, and not to 1"
        warnings.warn(said, UserWarning, stacklevel=3)
    if truth.ndim == 2 and truth.shape[1] > 1 and kind_of(truth) == MULTILABEL:
        check_same_length(len(truth), y_proba=given)
        if truth.shape != given.shape:
            raise DataError(f"y_true has the shape {truth.shape}, and y_proba {given.shape}")
        return truth == 1, given
    truth = column(truth, "y_true")
    check_same_length(len(truth), y_proba=given)
    if labels is None and len(np.unique(truth)) == 1:
        raise UsageError(f"y_true has one class, {brief(truth[0])}: say all classes, labels=")
    named = truth if labels is None else column(labels, "labels")
    classes = np.unique(named)
    if labels is not None and not np.array_equal(classes, named):
        said = f"labels are {brief(named.tolist())}; the columns of y_proba are taken in their order, sorted"
        warnings.warn(said, UserWarning, stacklevel=3)
    if len(classes) < 2:
        raise CallError(f"labels are {brief(classes.tolist())}; there are two classes or more")
    if len(classes) != given.shape[1]:
        raise UsageError(
            f"there are {len(classes)} classes and {given.shape[1]} columns of y_proba; say all classes, "
            "labels="
        )
    if len(unknown := np.setdiff1d(truth, classes)):
        raise DataError(f"y_true holds {brief(unknown[0])}, which is none of the labels")
    return truth[:, np.newaxis] == classes, given
