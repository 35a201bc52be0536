"""Recall of approximate nearest neighbours as a result, with intervals over queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankmark.errors import DataError
from rankmark.language.given_measure import DerivedMeasure
from rankmark.results.given import DerivedResult
from rankmark.statistics.neighbors import neighbor_recall, neighbor_recall_by_distance

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankmark.statistics.resampling import Floats

__all__ = ["evaluate_neighbors", "evaluate_neighbors_by_distance"]


def evaluate_neighbors(
    found: ArrayLike,
    true: ArrayLike,
    k: int,
    *,
    distances: ArrayLike | None = None,
    tolerance: float = 1e-6,
    query_ids: Sequence[Any] | None = None,
) -> DerivedResult:
    """Recall of approximate nearest neighbours, as a result that can have intervals, tests and slices.

    The formula is with `statistics.neighbor_recall`.

    Args:
        found: [queries, k or more] ids, nearest first; −1 stands for none.
        true: [queries, k or more] ids of the exact neighbours, nearest first.
        k: how many.
        distances: [queries, as many as `true`] of these; None where ties are not looked for.
        tolerance: of distances that are alike.
        query_ids: what the rows are called; their numbers from 0 if None.

    Raises:
        DataError: no queries, fewer than k neighbours, an id twice in a row, distances or query ids that do
            not fit.
        ChoiceError: a k that is no whole number from 1.

    Source:
        H. V. Simhadri et al., "Results of the NeurIPS'21 challenge on billion-scale approximate nearest
        neighbor search", 2022.

    Example:
        >>> import rankmark as rm
        >>> found, true = [[7, 9], [1, 2], [4, 3]], [[7, 8], [2, 1], [4, 3]]
        >>> result = rm.evaluate_neighbors(found, true, 2)
        >>> round(result["neighbor_recall@2"], 4)
        0.8333

    """
    values = neighbor_recall(found, true, k, distances=distances, tolerance=tolerance)
    told = "ties:none" if distances is None else f"ties:{tolerance:g}"
    return _result(f"neighbor_recall@{k}", (told,), values, query_ids)


def evaluate_neighbors_by_distance(
    found: ArrayLike,
    true: ArrayLike,
    k: int,
    *,
    ids: ArrayLike | None = None,
    epsilon: float = 1e-3,
    query_ids: Sequence[Any] | None = None,
) -> DerivedResult:
    """Recall of approximate nearest neighbours by how far they are, as ANN-Benchmarks counts it: a result.

    The formula is with `statistics.neighbor_recall_by_distance`.

    Args:
        found: [queries, k or more] distances of the items found, in order; NaN or infinity stands for none.
        true: [queries, k or more] distances of the exact neighbours, nearest first.
        k: how many.
        ids: [queries, as many as `found`] of the items found, so that one that is found twice is refused.
        epsilon: what rounding may make of a distance.
        query_ids: what the rows are called; their numbers from 0 if None.

    Raises:
        DataError: no queries, fewer than k true neighbours, true distances that do not ascend, an id twice in
            a row, query ids that do not fit.
        ChoiceError: a k that is no whole number from 1.

    Source:
        M. Aumüller, E. Bernhardsson and A. Faithfull, "ANN-Benchmarks: a benchmarking tool for approximate
        nearest neighbor algorithms", Information Systems 87, 2020.

    Example:
        >>> import rankmark as rm
        >>> found, true = [[0.1, 0.4005], [0.1, 0.5]], [[0.1, 0.4], [0.1, 0.4]]
        >>> result = rm.evaluate_neighbors_by_distance(found, true, 2, ids=[[7, 9], [1, 2]])
        >>> result["neighbor_recall_by_distance@2"]
        0.75

    """
    values = neighbor_recall_by_distance(found, true, k, ids=ids, epsilon=epsilon)
    told = (f"epsilon:{epsilon:g}", "ids:none" if ids is None else "ids:given")
    return _result(f"neighbor_recall_by_distance@{k}", told, values, query_ids)


def _result(
    name: str, told: tuple[str, ...], values: Floats, query_ids: Sequence[Any] | None
) -> DerivedResult:
    """The recall of each query as a result, whose signature says how it was had."""
    import polars as pl

    if not len(values):
        raise DataError("there are no queries")
    ids = pl.Series("query", range(len(values)) if query_ids is None else query_ids)
    if len(ids) != len(values):
        raise DataError(f"there are {len(ids):,} query_ids, and {len(values):,} rows of neighbours")
    if ids.n_unique() < len(ids):
        raise DataError(f"query_ids has {ids.filter(ids.is_duplicated())[0]!r} twice; give each query once")
    return DerivedResult.of({DerivedMeasure(name, told, "more", (0.0, 1.0)): values}, ids)
