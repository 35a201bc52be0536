"""What scikit-learn's scores are called with, read and refused as there."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark.errors import CallError, DataError, UsageError
from rankmark.rendering.words import brief

__all__ = [
    "UndefinedMetricWarning",
    "averaged",
    "check_same_length",
    "check_whole",
    "check_word",
    "classes_of",
    "column",
    "kind_of",
    "numbers_in",
    "weights_of",
]

MULTILABEL = "multilabel-indicator"


class UndefinedMetricWarning(UserWarning):
    """A score that is not defined of such data, or means nothing."""


def numbers_in(
    values: Any, name: str, *, axes: tuple[int, ...] = (1, 2), sparse: bool = False
) -> NDArray[Any]:
    """The numbers of an array-like, all of them finite.

    Raises:
        DataError: no numbers, none at all, NaN, infinity, or other axes.
        CallError: a sparse matrix where none is taken.

    """
    if hasattr(values, "tocsr"):
        if not sparse:
            raise CallError(f"{name} is a sparse matrix; make it dense: {name}.toarray()")
        values = values.toarray()
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf":
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} is no array of numbers: {error}") from error
    _check_shape(array, name, axes)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        where = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
        raise DataError(f"{name} holds {array[where]} at {where}; give finite numbers")
    return array


def _check_shape(array: NDArray[Any], name: str, axes: tuple[int, ...]) -> None:
    if array.ndim not in axes:
        wanted = " or ".join(map(str, axes))
        raise DataError(f"{name} has {array.ndim} axes; it takes {wanted}")
    if not array.size:
        raise DataError(f"{name} holds nothing: its shape is {array.shape}")


def column(values: Any, name: str) -> NDArray[Any]:
    """A value a row: an array of one axis, or of one column."""
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(f"{name} has the shape {array.shape}; give one value a row")
    if not len(array):
        raise DataError(f"{name} holds nothing")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise DataError(
            f"{name} holds a value that is not finite, in row {np.flatnonzero(~np.isfinite(array))[0]}"
        )
    return array


def kind_of(labels: NDArray[Any]) -> str:
    """What labels are, by scikit-learn's words: ``binary``, ``multiclass``, ``multilabel-indicator`` …."""
    fractions = labels.dtype.kind == "f" and bool((labels != np.trunc(labels)).any())
    several = labels.ndim == 2 and labels.shape[1] > 1
    different = len(np.unique(labels))
    if several and different < 3 and not fractions and labels.dtype.kind in "biuf":
        return MULTILABEL
    if fractions:
        return "continuous-multioutput" if several else "continuous"
    if different > 2 or several:
        return "multiclass-multioutput" if several else "multiclass"
    return "binary"


def weights_of(weights: Any, rows: int) -> NDArray[np.float64] | None:
    """A weight a row, 0 or more; None if none are given."""
    if weights is None:
        return None
    found = column(weights, "sample_weight").astype(np.float64)
    check_same_length(rows, sample_weight=found)
    if (found < 0).any() or not found.any():
        raise DataError("sample_weight holds a weight below 0, or no weight above it")
    return found


def averaged(values: NDArray[Any], weights: NDArray[np.float64] | None) -> float:
    """The mean of values, weighed if weights are given."""
    return float(np.average(values, weights=weights))


def check_same_length(rows: int, **arrays: NDArray[Any]) -> None:
    """Refuses arrays of other lengths."""
    for name, array in arrays.items():
        if len(array) != rows:
            raise DataError(f"{name} has {len(array)} rows, and y_true {rows}")


def check_whole(value: object, name: str) -> None:
    """Refuses what is no whole number of 1 or more."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
        raise CallError(f"{name} is {brief(value)}; it is a whole number of 1 or more")


def check_word(value: object, name: str, words: tuple[object, ...]) -> None:
    """Refuses what is none of the words."""
    if value not in words:
        raise CallError(f"{name} is {brief(value)}; it is one of {', '.join(map(repr, words))}")


def classes_of(labels: Any, found: NDArray[Any], columns: int, *, name: str = "y_score") -> NDArray[Any]:
    """The classes of the columns: `labels`, or those that there are.

    Raises:
        UsageError: other classes than there are columns, or labels in no order.

    """
    if labels is None:
        classes = np.unique(found)
        if len(classes) != columns:
            raise UsageError(
                f"y_true has {len(classes)} classes and {name} {columns} columns; say all classes, labels="
            )
        return classes
    given = column(labels, "labels")
    classes = np.unique(given)
    if len(classes) != len(given) or not np.array_equal(classes, given):
        raise UsageError(f"labels {brief(given.tolist())} are not all different, or not in their order")
    if len(classes) != columns:
        raise UsageError(f"there are {len(classes)} labels and {columns} columns of {name}")
    if len(unknown := np.setdiff1d(found, classes)):
        raise DataError(f"y_true holds {brief(unknown[0])}, which is none of the labels")
    return classes
