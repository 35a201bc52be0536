"""Scores of lists: a row is a list, a column an item."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark.api.arrays import evaluate_arrays
from rankmark.compat.sklearn.targets import (
    MULTILABEL,
    averaged,
    check_same_length,
    check_whole,
    check_word,
    kind_of,
    numbers_in,
    weights_of,
)
from rankmark.errors import CallError, DataError
from rankmark.kinds.lists import Values
from rankmark.language.choices import Ties
from rankmark.language.measure import Measure
from rankmark.rendering.words import brief

__all__ = [
    "coverage_error",
    "dcg_score",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "ndcg_score",
]

GRADED = (MULTILABEL, "continuous-multioutput", "multiclass-multioutput")


def ndcg_score(
    y_true: Any, y_score: Any, *, k: int | None = None, sample_weight: Any = None, ignore_ties: bool = False
) -> float:
    """Normalised DCG with linear gains, equal scores averaged over their orders; a mean over rows.

    Args:
        y_true: grades of 0 and above, shape [rows, items].
        y_score: scores of the same shape.
        k: where lists end; None for all items.
        sample_weight: a weight a row.
        ignore_ties: whether equal scores are taken in some order, which is faster there, and not here.

    Raises:
        ValueError: what scikit-learn refuses.

    """
    grades, scores = _graded(y_true, y_score, k, ignore_ties)
    if grades.min() < 0:
        raise DataError(f"y_true holds {grades.min()}: grades of ndcg_score are 0 and above")
    values = _values("nDCG", grades, scores, k=k, ignore_ties=ignore_ties)
    return averaged(values, weights_of(sample_weight, len(grades)))


def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """DCG with linear gains, also negative ones; see `ndcg_score`.

    Args:
        y_true: grades, shape [rows, items].
        y_score: as there.
        k: as there.
        log_base: base of the logarithm by which gains are discounted.
        sample_weight: as there.
        ignore_ties: as there.

    Raises:
        ValueError: what scikit-learn refuses.

    """
    if not isinstance(log_base, int | float | np.number) or isinstance(log_base, bool) or not log_base > 0:
        raise CallError(f"log_base is {brief(log_base)}; it is a number above 0")
    grades, scores = _graded(y_true, y_score, k, ignore_ties)
    gain: dict[str, Any] = {"gain": float} if grades.min() < 0 else {}
    values = _values("DCG", grades, scores, k=k, ignore_ties=ignore_ties, **gain)
    if log_base != 2:
        values = values * np.log2(log_base)
    return averaged(values, weights_of(sample_weight, len(grades)))


def label_ranking_average_precision_score(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """For each relevant item the share of relevant ones among those that score as high; a mean of means.

    A row in which all items are relevant, or none, counts 1.

    Args:
        y_true: 0 and 1, shape [rows, items]; also a sparse matrix.
        y_score: scores of the same shape.
        sample_weight: a weight a row.

    Raises:
        ValueError: what scikit-learn refuses.

    """
    relevant, scores = _labelled(y_true, y_score, also_one_column=True)
    order = np.argsort(-scores, axis=1, kind="stable")
    sorted_scores = np.take_along_axis(scores, order, axis=1)
    hit = np.take_along_axis(relevant, order, axis=1)
    items = scores.shape[1]
    last = np.full(scores.shape, items - 1)
    last[:, :-1] = np.where(sorted_scores[:, 1:] != sorted_scores[:, :-1], np.arange(items - 1), items - 1)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    precision = np.take_along_axis(np.cumsum(hit, axis=1), last, axis=1) / (last + 1)
    count = hit.sum(axis=1)
    with np.errstate(invalid="ignore"):
        values = (precision * hit).sum(axis=1) / count
    values[(count == 0) | (count == items)] = 1.0
    return averaged(values, weights_of(sample_weight, len(scores)))


def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """The share of pairs of a relevant and another item in the wrong order or with equal scores.

    A row in which all items are relevant, or none, counts 0.

    Args:
        y_true: 0 and 1, shape [rows, items]; also a sparse matrix.
        y_score: scores of the same shape.
        sample_weight: a weight a row.

    Raises:
        ValueError: what scikit-learn refuses.

    """
    relevant, scores = _labelled(y_true, y_score)
    values = _measured(Measure("RankingLoss"), relevant, scores, "worst")
    return averaged(values, weights_of(sample_weight, len(scores)))


def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """How far down a list one has to go to see all relevant items, ties to their end; a mean over rows.

    A row without relevant items counts 0.

    Args:
        y_true: 0 and 1, shape [rows, items].
        y_score: scores of the same shape.
        sample_weight: a weight a row.

    Raises:
        ValueError: what scikit-learn refuses.

    """
    if hasattr(y_true, "tocsr"):
        raise CallError("y_true is a sparse matrix; make it dense: y_true.toarray()")
    relevant, scores = _labelled(y_true, y_score)
    last = np.where(relevant, scores, np.inf).min(axis=1)
    return averaged((scores >= last[:, np.newaxis]).sum(axis=1), weights_of(sample_weight, len(scores)))


def _graded(y_true: Any, y_score: Any, k: object, ignore_ties: object) -> tuple[NDArray[Any], NDArray[Any]]:
    """Grades and scores of lists of two items or more."""
    if k is not None:
        check_whole(k, "k")
    check_word(ignore_ties, "ignore_ties", (True, False))
    grades, scores = numbers_in(y_true, "y_true"), numbers_in(y_score, "y_score")
    check_same_length(len(grades), y_score=scores)
    if (kind := kind_of(grades)) not in GRADED:
        raise DataError(
            f"y_true is {kind}, and lists are {', '.join(GRADED)}: give an array of a row a list and a "
            "column an item, of two items or more"
        )
    _check_shapes(grades, scores)
    return grades, scores


def _labelled(
    y_true: Any, y_score: Any, *, also_one_column: bool = False
) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Which items are relevant, and the scores."""
    labels, scores = numbers_in(y_true, "y_true", sparse=True), numbers_in(y_score, "y_score")
    check_same_length(len(labels), y_score=scores)
    kind = kind_of(labels)
    if kind != MULTILABEL and not (also_one_column and kind == "binary" and labels.ndim == 2):
        raise DataError(f"y_true is {kind}; give 0 and 1, a row a list and a column an item")
    _check_shapes(labels, scores)
    return labels != 0, scores


def _check_shapes(labels: NDArray[Any], scores: NDArray[Any]) -> None:
    if labels.shape != scores.shape:
        raise DataError(
            f"y_true has the shape {labels.shape}, and y_score {scores.shape}; they are to be alike"
        )


def _values(
    name: str,
    grades: NDArray[Any],
    scores: NDArray[Any],
    *,
    k: int | None,
    ignore_ties: bool,
    **parameters: Any,
) -> Values:
    """A cumulated gain of each row."""
    cutoff = None if k is None else int(k)
    if ignore_ties:
        order = np.argsort(scores)[:, ::-1]
        places = np.broadcast_to(np.arange(scores.shape[1], 0, -1, dtype=np.float64), scores.shape)
        scores = np.empty(scores.shape)
        np.put_along_axis(scores, order, places, axis=1)
    return _measured(Measure(name, parameters, cutoff), grades, scores, "expected")


def _measured(measure: Measure, grades: NDArray[Any], scores: NDArray[Any], ties: Ties) -> Values:
    """The measure of each row; 0 where nothing is relevant."""
    if scores.dtype not in (np.float32, np.float64):
        scores = scores.astype(np.float64)
    result = evaluate_arrays(scores, grades.astype(np.float64), measure, ties=ties)
    return result.query_values(measure)
