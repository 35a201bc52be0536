"""Recall of approximate nearest neighbours, where true neighbours can be equally far."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.errors import ChoiceError, DataError
from rankmark.statistics.resampling import Floats, as_floats

__all__ = ["neighbor_recall", "neighbor_recall_by_distance"]


def neighbor_recall(
    found: ArrayLike,
    true: ArrayLike,
    k: int,
    *,
    distances: ArrayLike | None = None,
    tolerance: float = 1e-6,
) -> Floats:
    """The share of k found items that are true neighbours, by their ids; those tied with the k-th are true.

    With T the first k true neighbours, and those after them whose distance differs by less than the
    tolerance from that of the k-th, recall@k = |first k found ∩ T| / k.

    Args:
        found: [queries, k or more] ids, nearest first; −1 stands for none.
        true: [queries, k or more] ids of the exact neighbours, nearest first.
        k: how many.
        distances: [queries, as many as `true`] of these; None where ties are not looked for.
        tolerance: of distances that are alike.

    Returns:
        One value a query.

    Raises:
        DataError: fewer than k neighbours, an id twice in a row, or distances that do not fit.
        ChoiceError: a k that is no whole number from 1.

    Source:
        H. V. Simhadri et al., "Results of the NeurIPS'21 challenge on billion-scale approximate nearest
        neighbor search", 2022.

    Example:
        >>> from rankmark.statistics import neighbor_recall
        >>> neighbor_recall([[7, 9]], [[7, 8, 9]], 2).tolist()
        [0.5]
        >>> neighbor_recall([[7, 9]], [[7, 8, 9]], 2, distances=[[0.1, 0.4, 0.4]]).tolist()
        [1.0]

    """
    ids, truth = _ids(found, "found"), _ids(true, "true")
    _check_k(k, {"true": truth.shape[1]})
    if len(ids) != len(truth):
        raise DataError(f"found has {len(ids):,} queries, and true {len(truth):,}")
    size = np.full(len(truth), k)
    if distances is not None:
        far = _rows(distances, "distances")
        if far.shape != truth.shape:
            raise DataError(f"distances are {list(far.shape)}, and true {list(truth.shape)}; give one each")
        # Only those in a row after the k-th are tied with it: distances ascend, or descend.
        alike = np.abs(far[:, k:] - far[:, k - 1 : k]) < tolerance
        size = k + np.cumprod(alike, axis=1).sum(axis=1)
    rows = zip(ids[:, :k], truth, size.tolist(), strict=True)
    hits = [len(set(own.tolist()) & set(near[:last].tolist()) - {NONE}) for own, near, last in rows]
    return np.array(hits, dtype=np.float64) / k


def neighbor_recall_by_distance(
    found: ArrayLike,
    true: ArrayLike,
    k: int,
    *,
    ids: ArrayLike | None = None,
    epsilon: float = 1e-3,
) -> Floats:
    """The share of k found items that are no farther than the k-th true neighbour, and epsilon.

    recall@k = |{i ≤ k: dᵢ ≤ d*ₖ + ε}| / k, which needs no ids and takes ties for what they are. An item that
    is found twice would count twice: give ids, and that is refused.

    Args:
        found: [queries, k or more] distances of the items found, in order; NaN or infinity stands for none.
        true: [queries, k or more] distances of the exact neighbours, nearest first.
        k: how many.
        ids: [queries, as many as `found`] of the items found.
        epsilon: what rounding may make of a distance.

    Returns:
        One value a query.

    Raises:
        DataError: fewer than k true neighbours, true distances that do not ascend, an id twice in a row.
        ChoiceError: a k that is no whole number from 1.

    Source:
        M. Aumüller, E. Bernhardsson and A. Faithfull, "ANN-Benchmarks: a benchmarking tool for approximate
        nearest neighbor algorithms", Information Systems 87, 2020.

    Example:
        >>> from rankmark.statistics import neighbor_recall_by_distance
        >>> neighbor_recall_by_distance([[0.1, 0.4005], [0.1, 0.5]], [[0.1, 0.4], [0.1, 0.4]], 2).tolist()
        [1.0, 0.5]

    """
    far, near = _rows(found, "found"), _rows(true, "true")
    _check_k(k, {"true": near.shape[1]})
    if len(far) != len(near):
        raise DataError(f"found has {len(far):,} queries, and true {len(near):,}")
    if len(falling := np.flatnonzero((np.diff(near, axis=1) < 0).any(axis=1))):
        raise DataError(
            f"the true distances of {len(falling):,} queries do not ascend, the first in row {falling[0]} "
            "(from 0); give the nearest first, and similarities as their negatives"
        )
    if ids is not None:
        named = _ids(ids, "ids")
        if named.shape != far.shape:
            raise DataError(f"ids are {list(named.shape)}, and found {list(far.shape)}; give one each")
    return np.asarray((far[:, :k] <= near[:, k - 1 : k] + epsilon).sum(axis=1) / k)


NONE = -1
"""The id of no item."""


def _check_k(k: int, known: dict[str, int]) -> None:
    if isinstance(k, bool) or not hasattr(k, "__index__") or k < 1:
        raise ChoiceError(f"k={k!r} is not a whole number from 1")
    for name, count in known.items():
        if count < k:
            raise DataError(f"{name} has {count} neighbours of each query, and {k} are asked for")


def _rows(values: ArrayLike, name: str) -> Floats:
    found = as_floats(values)
    if found.ndim != 2:
        raise DataError(f"{name} has {found.ndim} dimensions; give [queries, neighbours]")
    return found


def _ids(values: ArrayLike, name: str) -> NDArray[Any]:
    """Ids of each row, none of them twice."""
    found = np.asarray(values)
    if found.ndim != 2 or found.dtype.kind not in "iuU":
        raise DataError(f"{name} is none of [queries, neighbours] of whole numbers or texts")
    ordered = np.sort(found, axis=1)
    same = ordered[:, 1:] == ordered[:, :-1]
    if found.dtype.kind == "i":
        same &= ordered[:, 1:] != NONE
    if len(rows := np.flatnonzero(same.any(axis=1))):
        row = int(rows[0])
        twice = ordered[row, 1:][same[row]][0]
        raise DataError(
            f"{name} has an id twice in {len(rows):,} rows, the first {twice!s} in row {row} (from 0); "
            "a neighbour is found once"
        )
    return found
