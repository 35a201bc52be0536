"""The judged, or the excluded, items of each row: from sparse matrices, lists of items and dense grades."""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Sequence, Sized
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, UsageError
from rankmark.inputs.arrays.libraries import (
    Array,
    Masked,
    RowNumbers,
    as_matrix,
    is_array,
    take_rows,
    to_numpy,
)
from rankmark.kinds.lists import Values
from rankmark.language.choices import Duplicates
from rankmark.rendering.words import counted

__all__ = [
    "DenseGrades",
    "Grades",
    "Sparse",
    "is_dense",
    "is_sparse",
    "lists_like_grades",
    "read_excluded",
    "read_grades",
    "read_listed",
    "read_relevance",
    "read_stored",
]


@dataclass(frozen=True, slots=True)
class Sparse:
    """Items of some rows, flat, each with a grade.

    Attributes:
        offsets: those of row ``r`` are ``offsets[r]:offsets[r + 1]``, int64.
        items: their columns, ascending and distinct in a row, int64.
        grades: their grades, float64.

    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int64]
    grades: Values

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of items, one a row."""
        return np.diff(self.offsets)

    @property
    def row(self) -> NDArray[np.intp]:
        """The row of each item."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def take(self, rows: RowNumbers) -> Sparse:
        """The items of some rows."""
        counts = self.counts[rows]
        offsets = np.concatenate(([0], np.cumsum(counts)))
        at = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], counts)
        return Sparse(offsets, self.items[at], self.grades[at])

    def where(self, kept: NDArray[np.bool_]) -> Sparse:
        """Only the items that are `kept`."""
        counts = np.bincount(self.row[kept], minlength=len(self.counts))
        offsets = np.concatenate(([0], np.cumsum(counts)))
        return Sparse(offsets, self.items[kept], self.grades[kept])


class Grades(Protocol):
    """The judgements of all queries."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of judged items, one a row."""

    def take(self, rows: RowNumbers) -> Sparse:
        """The judged items of some rows."""


class DenseGrades:
    """A grade for each item of each row; NaN for one that is not judged."""

    def __init__(self, array: Array, candidates: Masked | None) -> None:
        self._array, self._candidates = array, candidates
        floats = "float" in str(array.dtype)
        rows, columns = array.shape
        step = max(1, CELLS // max(1, columns))
        starts = range(0, rows, step) if floats or candidates else ()
        counts = [self._judged(np.arange(start, min(start + step, rows)))[1].sum(axis=1) for start in starts]
        self.counts = np.concatenate(counts) if counts else np.full(rows, columns)

    def take(self, rows: RowNumbers) -> Sparse:
        """The judged items of some rows.

        Raises:
            DataError: an infinite grade.

        """
        grades, judged = self._judged(rows)
        row, items = np.nonzero(judged)
        taken = Sparse(
            np.concatenate(([0], np.cumsum(judged.sum(axis=1)))), items.astype(np.int64), grades[judged]
        )
        infinite = np.flatnonzero(np.isinf(taken.grades))
        if len(infinite):
            first = int(infinite[0])
            raise DataError(
                f"relevance: {len(infinite)} infinite, the first in row {rows[row[first]]}, column "
                f"{items[first]} (from 0); use finite grades, and NaN where nothing is judged"
            )
        return taken

    def _judged(self, rows: RowNumbers) -> tuple[Values, NDArray[np.bool_]]:
        grades = to_numpy(take_rows(self._array, rows)).astype(np.float64)
        judged = ~np.isnan(grades)
        return grades, judged if self._candidates is None else judged & self._candidates.present(rows)


Shape: TypeAlias = tuple[int, int | None]
"""Number of rows and of columns; None for any."""

GRADES = "not grades, of which an array (np.array) has one a column"
"""What lists are not."""

CELLS = 1 << 22
"""Cells of dense arrays that are looked at together."""


def read_relevance(
    source: Any, shape: tuple[int, int], duplicates: Duplicates, candidates: Masked | None
) -> Grades:
    """The judgements of rows and columns of this shape."""
    if not is_dense(source):
        return read_grades(source, shape, duplicates)
    dense = as_matrix(source, "relevance")
    if tuple(dense.shape) != shape:
        raise UsageError(f"relevance has the shape {tuple(dense.shape)} and the scores {shape}")
    return DenseGrades(dense, candidates)


def read_grades(source: Any, shape: Shape, duplicates: Duplicates) -> Sparse:
    """The judgements of a sparse matrix or of lists of items."""
    items = _items_of_rows(source, shape, "relevance")
    _check_finite(items)
    hint = f"; lists hold the numbers of relevant columns, {GRADES}" if _is_list(source) else ""
    return _distinct(items, "relevance", duplicates, hint)


def lists_like_grades(source: Any, columns: int) -> tuple[str, ...]:
    """What to say of lists that name every one of so many columns, as a grade for each would."""
    if columns < 2 or not _is_list(source) or not len(source):
        return ()
    if any(not isinstance(items, Sized) or len(items) != columns for items in source):
        return ()
    first = reprlib.repr([int(item) for item in source[0]])
    return (
        f"relevance: lists such as {first} are the numbers of relevant columns, here of all, and {GRADES}",
    )


def read_excluded(source: Any, shape: Shape) -> Sparse | None:
    """The items of each row that are in no list."""
    return None if source is None else read_listed(source, shape, "exclude")


def read_listed(source: Any, shape: Shape, name: str) -> Sparse:
    """The items of each row, each once."""
    return _distinct(_items_of_rows(source, shape, name), name, "first")


def read_stored(source: Any, name: str) -> Sparse:
    """What a sparse matrix stores, in the order of the columns; what is stored twice is there twice."""
    items = _from_sparse(source, source.shape, name)
    row = items.row
    outside = np.flatnonzero((items.items < 0) | (items.items >= source.shape[1]))
    if len(outside):
        raise UsageError(
            f"{name} is no valid {source.format.upper()} matrix: it stores column {items.items[outside[0]]} "
            f"in row {row[outside[0]]} and has {source.shape[1]}; check_format() of SciPy says more"
        )
    if _ascends(row, items.items):
        return items
    order = np.lexsort((items.items, row))
    return Sparse(items.offsets, items.items[order], items.grades[order])


def is_dense(source: Any) -> bool:
    """Whether judgements are a dense array."""
    return is_array(source) and not is_sparse(source) and str(source.dtype) != "object"


def is_sparse(source: object) -> bool:
    """Whether it is a sparse matrix of SciPy."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and sparse.issparse(source)


def _items_of_rows(source: Any, shape: Shape, name: str) -> Sparse:
    if is_sparse(source):
        items = _from_sparse(source, shape, name)
    elif _is_list(source):
        items = _from_lists(source, shape, name)
    else:
        also = "" if name in ("exclude", "candidates") else ", or a dense array like the scores"
        raise UsageError(
            f"{name} is of type {type(source).__name__}; give a sparse matrix of SciPy or a list with the "
            f"items of each row{also}"
        )
    if shape[1] is None:
        return items
    outside = np.flatnonzero((items.items < 0) | (items.items >= shape[1]))
    if len(outside):
        first = outside[0]
        raise DataError(
            f"{name}: {len(outside)} of the items are none of the {shape[1]} columns of the scores, the "
            f"first is {items.items[first]} in row {items.row[first]} (from 0)"
        )
    return items


def _is_list(source: Any) -> bool:
    """Whether it has something a row: a sequence of Python, or an array of objects."""
    if is_array(source):
        return str(source.dtype) == "object" and len(source.shape) == 1
    return isinstance(source, Sequence) and not isinstance(source, str | bytes)


def _from_sparse(source: Any, shape: Shape, name: str) -> Sparse:
    if source.shape != (shape[0], source.shape[1] if shape[1] is None else shape[1]):
        raise UsageError(f"{name} has the shape {source.shape} and the scores {shape}")
    try:
        offsets, items, grades = _compressed(source, shape[0])
    except (IndexError, ValueError) as error:
        raise UsageError(
            f"{name} is no valid {source.format.upper()} matrix: {error}; check_format() of SciPy says more"
        ) from error
    if grades.dtype.kind not in "biuf":
        raise UsageError(f"{name} holds {grades.dtype}, not real numbers")
    return Sparse(offsets.astype(np.int64), items.astype(np.int64), grades.astype(np.float64))


def _compressed(source: Any, rows: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The offsets of the rows, and the items and grades of all of them.

    Raises:
        IndexError: SciPy cannot make anything of it.
        ValueError: nor can anybody.

    """
    if source.format != "csr":
        # Not through CSR, for which SciPy would add up what is judged twice.
        coo = source.tocoo()
        if len(coo.row) and not 0 <= coo.row.min() <= coo.row.max() < rows:
            raise ValueError(f"a row is none of the {rows} that there are")
        order = np.argsort(coo.row, kind="stable")
        offsets = np.concatenate(([0], np.cumsum(np.bincount(coo.row, minlength=rows))))
        return offsets, coo.col[order], coo.data[order]
    offsets, items, grades = source.indptr, source.indices, source.data
    if offsets.shape != (rows + 1,) or offsets[0] != 0 or (np.diff(offsets) < 0).any():
        raise ValueError(f"indptr needs {rows + 1} numbers that begin with 0 and do not descend")
    last = int(offsets[-1])
    if last > min(len(items), len(grades)):
        raise ValueError(f"indptr ends at {last}, with {len(items)} indices and {len(grades)} data")
    return offsets, items[:last], grades[:last]


def _from_lists(source: Sequence[Any], shape: Shape, name: str) -> Sparse:
    if len(source) != shape[0]:
        flat = len(source) > 0 and all(isinstance(item, int | np.integer) for item in source)
        hint = "; each row has a list of its own, as in [[0, 1], [2]]" if flat else ""
        raise UsageError(
            f"{name} has the items of {counted(len(source), 'row')} and the scores have "
            f"{counted(shape[0], 'row')}{hint}"
        )
    lists = [_item_list(items, row, name) for row, items in enumerate(source)]
    offsets = np.concatenate(([0], np.cumsum([len(items) for items in lists], dtype=np.int64)))
    items = np.concatenate(lists) if lists else np.zeros(0, dtype=np.int64)
    return Sparse(offsets, items, np.ones(len(items)))


def _item_list(items: Any, row: int, name: str) -> NDArray[np.int64]:
    try:
        array = to_numpy(items) if is_array(items) else np.array(list(items))
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name}, row {row} (from 0): {items!r} is no list of items") from error
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise UsageError(
            f"{name}, row {row} (from 0): the items are numbers of columns, and this is "
            f"{array.dtype} of shape {array.shape}{'' if name == 'exclude' else '; they are ' + GRADES}"
        )
    return array.astype(np.int64)


def _check_finite(items: Sparse) -> None:
    wrong = np.flatnonzero(~np.isfinite(items.grades))
    if len(wrong):
        first = wrong[0]
        raise DataError(
            f"relevance: {len(wrong)} NaN or infinite, the first of item {items.items[first]} in row "
            f"{items.row[first]} (from 0); remove or replace those grades"
        )


def _distinct(items: Sparse, name: str, duplicates: Duplicates, hint: str = "") -> Sparse:
    """The items in ascending order, each once in a row."""
    row = items.row
    if _ascends(row, items.items):
        return items
    best = duplicates == "best"
    order = np.lexsort((-items.grades, items.items, row) if best else (items.items, row))
    in_order = Sparse(items.offsets, items.items[order], items.grades[order])
    again = np.zeros(len(row), dtype=np.bool_)
    again[1:] = (np.diff(in_order.items) == 0) & (np.diff(row) == 0)
    if not again.any():
        return in_order
    if duplicates == "error":
        first = int(np.flatnonzero(again)[0])
        raise DataError(
            f"{name}: {np.count_nonzero(again)} judged again in the same row; the first is item "
            f'{in_order.items[first]} in row {row[first]} (from 0); remove them or choose duplicates="first" '
            f'or "best"{hint}'
        )
    return in_order.where(~again)


def _ascends(row: NDArray[np.intp], items: NDArray[np.int64]) -> bool:
    return bool(((np.diff(items) > 0) | (np.diff(row) > 0)).all())
