"""Sums of which some terms are known and all are predicted: the difference estimator of survey sampling.

In rankmark a term is what an item adds to a measure of its query, such as P@10, by human judgements, and its
prediction that by the judgements of a model.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.errors import DataError
from rankmark.statistics.resampling import Floats

__all__ = ["DifferenceEstimates", "difference_estimates"]


class DifferenceEstimates(NamedTuple):
    """Sums of groups; see `difference_estimates`.

    Attributes:
        groups: their labels, ascending.
        values: the estimate of each.
        errors: its standard error by how the known terms were drawn; NaN where one is known of several.
        known: how many terms are known.

    """

    groups: NDArray[Any]
    values: Floats
    errors: Floats
    known: NDArray[np.intp]


def difference_estimates(
    known: ArrayLike, predicted: ArrayLike, groups: ArrayLike, inclusion: ArrayLike | None = None
) -> DifferenceEstimates:
    """The sum of each group's terms, of which a random sample is known and all are predicted.

        t = Σ f_i + Σ_{i known} (y_i − f_i)/π_i

    f are the predictions, y the known terms, π the chance with which each was drawn. It has the expectation
    Σ y_i however wrong the predictions are, and varies the less the nearer they are. With f = 0 it is the
    Horvitz–Thompson estimate.

    The squared standard error is Σ (1 − π_i)·((y_i − f_i)/π_i)² where each term was drawn by itself; where π
    is None so many of each group were drawn as are known, all alike, and it is N²·(1 − n/N)·s²/n, s the
    standard deviation of the n known differences of N terms.

    Args:
        known: y, one a term; NaN where it is not known.
        predicted: f.
        groups: a label a term, such as its query.
        inclusion: π of the known terms, above 0 and 1 at most; None for a simple random sample of each group.

    Returns:
        NaN for a group of which nothing is known, without `inclusion`.

    Raises:
        DataError: other numbers of terms, a term without a prediction or a group, labels of several kinds,
            such as text and numbers, or chances that are none.

    Source:
        W. G. Cochran, "Sampling Techniques", 1977, sections 2.5, 7.2 and 9A.7; D. G. Horvitz, D. J. Thompson,
        "A generalization of sampling without replacement from a finite universe", JASA 47, 1952.

    Example:
        Two of four items were looked at, and one of the model's three relevant ones is none: 3 + (−1 + 0)·2.

        >>> from rankmark.statistics import difference_estimates
        >>> found = difference_estimates([0, 0, float("nan"), float("nan")], [1, 0, 1, 1], ["q"] * 4)
        >>> found.values.tolist(), round(float(found.errors[0]), 4)
        ([1.0], 1.4142)

    """
    y, f = np.asarray(known, dtype=float), np.asarray(predicted, dtype=float)
    labels = _labels(groups)
    if not y.ndim == 1 or not y.shape == f.shape == labels.shape:
        raise DataError(f"{y.size} known terms, {f.size} predictions, {labels.size} groups: one each a term")
    if not np.isfinite(f).all():
        raise DataError(f"{np.count_nonzero(~np.isfinite(f))} terms have no finite prediction")
    names, group = np.unique(labels, return_inverse=True)
    there = ~np.isnan(y)
    left, of, count = (y - f)[there], group[there], len(names)
    sampled, sizes = np.bincount(of, minlength=count), np.bincount(group, minlength=count)
    if inclusion is None:
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = sampled / sizes
            mean = np.bincount(of, left, count) / sampled
            squares = np.bincount(of, (left - mean[of]) ** 2, count) / (sampled - 1)
            squared = np.asarray(sizes**2 * (1 - chance) * squares / sampled, dtype=float)
        squared[sampled == sizes] = 0.0
        more = np.asarray(sizes * mean, dtype=float)
    else:
        drawn = np.asarray(inclusion, dtype=float)
        if drawn.shape != y.shape or not ((drawn[there] > 0) & (drawn[there] <= 1)).all():
            raise DataError("inclusion is the chance of each known term: above 0 and 1 at most")
        scaled = left / drawn[there]
        more = np.asarray(np.bincount(of, scaled, count), dtype=float)
        squared = np.asarray(np.bincount(of, (1 - drawn[there]) * scaled**2, count), dtype=float)
    return DifferenceEstimates(names, np.bincount(group, f, count) + more, np.sqrt(squared), sampled)


def _labels(groups: ArrayLike) -> NDArray[Any]:
    """The label of each term, all of one kind: as text 1 and "1" would be one group."""
    # Else numbers beside text become text.
    own = np.asarray(groups) if isinstance(groups, np.ndarray) else np.asarray(groups, dtype=object)
    if own.dtype != object:
        missing = np.isnan(own) if own.dtype.kind == "f" else np.zeros(own.shape, dtype=bool)
    else:
        missing = np.array([each is None or each != each for each in own.ravel()], dtype=bool)
    if missing.any():
        raise DataError(f"{np.count_nonzero(missing)} terms have no group: give each a label")
    if own.dtype != object:
        return own
    if len(kinds := sorted({_kind(each) for each in own.ravel()})) > 1:
        raise DataError(f"groups are labels of one kind, and these are {' and '.join(kinds)}")
    return np.asarray(own.tolist())


def _kind(label: object) -> str:
    return (
        "numbers" if isinstance(label, Real) else "text" if isinstance(label, str) else type(label).__name__
    )
