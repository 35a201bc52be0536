"""Resamples of queries, or of clusters of them, and how the values given are checked.

Resample r of a seed is the same for every column of values and for any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from rankmark import _native
from rankmark import _numpy as np
from rankmark.errors import ChoiceError, DataError
from rankmark.progress import reading
from rankmark.rendering.words import brief

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Clusters",
    "Floats",
    "as_columns",
    "as_floats",
    "bootstrap_means",
    "check_drawn",
    "check_enough",
    "check_share",
    "cluster_totals",
    "known",
    "signed_counts",
]

Floats: TypeAlias = "NDArray[np.float64]"
Clusters: TypeAlias = "NDArray[Any] | list[Any] | None"
"""One label a row, such as its user; None where each row stands for itself. t takes [rows, 2], too."""

GREATEST_SEED = 2**64 - 1


def bootstrap_means(
    values: ArrayLike,
    *,
    clusters: Clusters = None,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
) -> Floats:
    """Means of resamples of the rows, drawn with replacement, as many as there are.

    Rows that are NaN in a column are not drawn for it. With clusters, whole clusters are drawn, as many as
    there are, and the mean is over all their rows: Σ_c n_c·S_c / Σ_c n_c·m_c for cluster c drawn n_c times,
    with m_c rows of sum S_c.

    Args:
        values: one a row, or [rows, columns]; all columns share the resamples, as far as they have values in
            the same rows.
        clusters: a label a row.
        resamples: how many.
        seed: 0 ≤ seed < 2⁶⁴; the same seed gives the same numbers.
        threads: how many to use; all cores if None.

    Returns:
        float64, [resamples] or [resamples, columns]; NaN for a column without values.

    Source:
        B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7, 1979; for
        clusters A. C. Davison and D. V. Hinkley, "Bootstrap Methods and their Application", 1997, section
        3.8.

    """
    check_drawn(resamples, seed, threads)
    table = as_columns(values)
    means = np.full((resamples, table.shape[1]), np.nan)
    for rows, columns in _alike(table):
        part = table[:, columns] if rows.all() else table[rows][:, columns]
        if clusters is None:
            totals, sizes = part, np.ones((len(part), 0))
        else:
            totals, sizes = cluster_totals(part, np.asarray(clusters)[rows])
        drawn = np.ascontiguousarray(np.column_stack([totals, sizes]))
        sums = resampled_sums(drawn, resamples, seed, threads)
        below = sums[:, len(columns) :] if sizes.size else len(part)
        means[:, columns] = sums[:, : len(columns)] / below
    return means if np.ndim(values) == 2 else means[:, 0]


def resampled_sums(table: Floats, resamples: int, seed: int, threads: int | None) -> Floats:
    """The sums of the columns over resamples of the rows, [resamples, columns]."""
    with reading("drawing resamples", None, None):
        return _native.bootstrap_sums(table, resamples, seed, threads or 0).reshape(resamples, -1)


def _alike(table: Floats) -> Iterator[tuple[NDArray[np.bool_], list[int]]]:
    """Rows with values, and the columns that have them just there."""
    there = ~np.isnan(table)
    groups: dict[bytes, list[int]] = {}
    for column in range(table.shape[1]):
        groups.setdefault(there[:, column].tobytes(), []).append(column)
    for columns in groups.values():
        rows = there[:, columns[0]]
        if rows.any():
            yield rows, columns


def signed_counts(
    values: Floats, low: Floats, high: Floats, *, first: int, end: int, seed: int, threads: int | None
) -> NDArray[np.uint64]:
    """How many sums of each column, when each row has a random sign, are at most `low` or at least `high`.

    Args:
        values: [rows, columns].
        low: a sum a column.
        high: another.
        first: the number of the first draw; draws of a number are alike for any `first`.
        end: the number after the last one.
        seed: of the draws.
        threads: how many to use; all cores if None.

    """
    return _native.signed_counts(np.ascontiguousarray(values), low, high, first, end, seed, threads or 0)


def cluster_totals(table: Floats, clusters: NDArray[Any]) -> tuple[Floats, Floats]:
    """The sums of each cluster's rows, [clusters, columns], and how many rows it has, [clusters, 1].

    Raises:
        ChoiceError: clusters of two kinds, which cannot be drawn or change signs as wholes.

    """
    if clusters.ndim == 2:
        raise ChoiceError("clusters of two kinds can be neither drawn nor swapped as wholes; t takes them")
    _, codes = np.unique(clusters, return_inverse=True)
    sums = [np.bincount(codes, weights=column) for column in table.T]
    return np.column_stack(sums), np.bincount(codes).astype(float)[:, None]


def as_floats(values: ArrayLike) -> Floats:
    """The values as floats: NaN, which stands for none, where an array of NumPy masks them."""
    if type(values) is np.ndarray:
        return np.asarray(values, dtype=np.float64)
    return np.asarray(np.ma.asarray(values, dtype=np.float64).filled(np.nan))


def as_columns(values: ArrayLike) -> Floats:
    """The values as [rows, columns].

    Raises:
        DataError: an infinite value, or more than two dimensions.

    """
    table = as_floats(values)
    if table.ndim not in (1, 2):
        raise DataError(f"the values have {table.ndim} dimensions; give one a query, or [queries, columns]")
    if np.isinf(table).any():
        raise DataError(f"{np.count_nonzero(np.isinf(table))} of the values are infinite: they have no mean")
    return table if table.ndim == 2 else table[:, None]


def known(values: ArrayLike, clusters: Clusters = None) -> tuple[Floats, NDArray[Any] | None]:
    """The values of one column that are not NaN, and their clusters."""
    column = as_columns(values)
    if column.shape[1] != 1:
        raise DataError(f"{column.shape[1]} columns of values where one is wanted")
    there = ~np.isnan(column[:, 0])
    if clusters is None:
        return column[:, 0] if there.all() and column.flags.c_contiguous else column[there, 0], None
    labels = np.asarray(clusters)
    if labels.shape not in ((len(column),), (len(column), 2)):
        raise DataError(f"{len(labels)} clusters for {len(column)} values; give one a value")
    return column[there, 0], labels[there]


MOST_RESAMPLES = 10**7
"""What fits into memory for any number of measures; p-values are known to less than 1e-6 then."""


def check_drawn(resamples: int, seed: int, threads: int | None = None) -> None:
    """Refuses what are no numbers of resamples, seeds or threads."""
    for name, value, least, most in (
        ("resamples", resamples, 1, MOST_RESAMPLES),
        ("seed", seed, 0, GREATEST_SEED),
        ("threads", 1 if threads is None else threads, 1, _native.MOST_THREADS),
    ):
        whole = hasattr(value, "__index__") and not isinstance(value, bool)
        if not whole or not least <= value <= most:
            raise ChoiceError(f"{name}={brief(value)} is not a whole number from {least:,} to {most:,}")


def check_enough(resamples: int, share: float, what: str) -> None:
    """Refuses fewer resamples than have this share, as one of one more than they are."""
    least = math.ceil(1 / share - 1e-9) - 1
    if resamples < least:
        raise ChoiceError(f"resamples={resamples} is too few for {what}; give {least:,} or more")


USUAL = {"alpha": 0.05, "confidence": 0.95, "power": 0.8}
"""The shares that most take."""


def check_share(**shares: float) -> None:
    """Refuses what are no shares above 0 and below 1."""
    for name, value in shares.items():
        if not isinstance(value, int | float) or not 0 < value < 1:
            per_cent = isinstance(value, int | float) and 1 < value < 100
            such = f"did you mean {value / 100:g}?" if per_cent else f"usual is {USUAL[name]}"
            raise ChoiceError(f"{name}={value!r} is not a number above 0 and below 1; {such}")
