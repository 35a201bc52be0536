"""Lists of candidates: scores of some items a row, the others being padding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, UsageError
from rankmark.inputs.arrays.judged_items import (
    Sparse,
    is_dense,
    is_sparse,
    lists_like_grades,
    read_excluded,
    read_grades,
    read_relevance,
    read_stored,
)
from rankmark.inputs.arrays.libraries import Array, Masked, Matrix, RowNumbers, Scores, as_matrix, to_numpy
from rankmark.inputs.catalogue import refuse_catalogue
from rankmark.inputs.input import Input
from rankmark.inputs.roles import Side
from rankmark.kinds.lists import Values
from rankmark.language.choices import Duplicates

__all__ = ["Listed", "Stored", "read_candidates", "read_scores", "tables_of_candidates"]


@dataclass(frozen=True, slots=True)
class Stored:
    """The scores of a sparse matrix: those that are stored.

    Attributes:
        shape: of the matrix.
        scores: those that are stored, zeros too, as the grades of their columns.

    """

    shape: tuple[int, int]
    scores: Sparse


class Listed:
    """Which columns are candidates, by lists of them: a mask that is made of the rows asked for alone."""

    def __init__(self, items: Sparse, columns: int) -> None:
        self._items, self._columns = items, columns

    def __getitem__(self, rows: RowNumbers) -> NDArray[np.bool_]:
        own = self._items.take(np.asarray(rows))
        present = np.zeros((len(own.counts), self._columns), dtype=np.bool_)
        present[own.row, own.items] = True
        return present


def read_scores(scores: Array) -> Matrix | Stored:
    """Scores of all items in a dense array, or of some in a sparse matrix.

    Raises:
        UsageError: it is neither.

    """
    if not is_sparse(scores) or len(scores.shape) != 2:
        return Matrix(as_matrix(scores, "scores"))
    return Stored(scores.shape, read_stored(scores, "scores"))


def read_candidates(
    matrix: Matrix | Stored, lengths: Array | None, mask: Array | None, items: Array | None
) -> Masked | None:
    """The scores with what is padding taken out."""
    refuse_catalogue(items)
    if isinstance(matrix, Stored):
        for name, given in (("items", items), ("lengths", lengths), ("mask", mask)):
            if given is not None:
                raise UsageError(
                    f"{name} is said of dense scores; of a sparse matrix the columns are the items, and what "
                    "is stored is in the lists"
                )
        return None
    if lengths is not None and mask is not None:
        raise UsageError("give lengths or a mask, not both")
    if lengths is not None:
        return Masked(matrix, _lengths(lengths, matrix.shape))
    if mask is None:
        return None
    present = to_numpy(as_matrix(mask, "mask"))
    if present.shape != matrix.shape or present.dtype != np.bool_:
        raise UsageError(
            f"mask holds {present.dtype} of shape {present.shape}; it needs booleans of the shape of the "
            f"scores, {matrix.shape}"
        )
    return Masked(matrix, present)


def _lengths(lengths: Array, shape: tuple[int, int]) -> NDArray[np.int64]:
    numbers = to_numpy(lengths) if hasattr(lengths, "shape") else np.array(lengths)
    if numbers.shape != shape[:1] or numbers.dtype.kind not in "iu":
        raise UsageError(
            f"lengths holds {numbers.dtype} of shape {numbers.shape}; it needs a whole number for each of "
            f"the {shape[0]} rows"
        )
    wrong = np.flatnonzero((numbers < 0) | (numbers > shape[1]))
    if len(wrong):
        raise DataError(
            f"lengths: {len(wrong)} are not from 0 to {shape[1]}, the first is {numbers[wrong[0]]} in row "
            f"{wrong[0]} (from 0)"
        )
    return numbers.astype(np.int64)


def tables_of_candidates(
    scores: Matrix | Stored,
    candidates: Masked | None,
    items: Array | None,
    query_ids: _native.Table,
    relevance: Any,
    exclude: Any,
    duplicates: Duplicates,
) -> tuple[Input, Input]:
    """Lists of candidates as judgements and results; the arguments are as in `rankmark.evaluate_arrays`.

    The candidates are few, and each row has others, so that they become tables.
    """
    if isinstance(scores, Stored):
        listed = scores.scores
        _refuse_nan(listed.grades, lambda place: (listed.row[place], listed.items[place]))
        judged = read_relevance(relevance, scores.shape, duplicates, None).take(np.arange(scores.shape[0]))
        columns: int | None = scores.shape[1]
    else:
        numbers = _item_numbers(items, scores.shape)
        listed = _of_block(candidates or scores, numbers)
        judged = _judged(relevance, numbers, candidates, duplicates)
        columns = None  # the numbers of items can be any
    if not len(judged.items):
        raise DataError(f"relevance: nothing is judged in any of the {scores.shape[0]} rows")
    there = listed.grades > -np.inf
    excluded = read_excluded(exclude, (scores.shape[0], columns))
    if excluded is not None:
        there &= ~_among(listed, excluded)
    notes = lists_like_grades(relevance, scores.shape[1])
    return _table("qrels", judged, query_ids, notes), _table("run", listed.where(there), query_ids)


def _item_numbers(items: Array, shape: tuple[int, int]) -> NDArray[np.int64]:
    numbers = to_numpy(as_matrix(items, "items"))
    if numbers.shape != shape or numbers.dtype.kind not in "iu":
        raise UsageError(
            f"items holds {numbers.dtype} of shape {numbers.shape}; it needs the number of each candidate, "
            f"integers of the shape of the scores, {shape}"
        )
    return numbers.astype(np.int64)


def _of_block(scores: Scores, items: NDArray[np.int64]) -> Sparse:
    """The scores of all candidates, each with its item."""
    block = to_numpy(scores.block(np.arange(scores.shape[0])))
    rows, columns = scores.shape
    values = block.astype(np.float64).ravel()
    _refuse_nan(values, lambda place: divmod(place, columns))
    return Sparse(np.arange(rows + 1) * columns, items.ravel(), values)


def _refuse_nan(scores: Values, cell: Callable[[int], tuple[int, int]]) -> None:
    """Refuses scores that are NaN; `cell` says in which row and column one stands."""
    wrong = np.flatnonzero(np.isnan(scores))
    if len(wrong):
        row, column = cell(int(wrong[0]))
        raise DataError(
            f"scores: {len(wrong)} NaN, the first in row {row}, column {column} (from 0); "
            "replace them, with -inf where there is no candidate"
        )


def _judged(
    relevance: Any, items: NDArray[np.int64], candidates: Masked | None, duplicates: Duplicates
) -> Sparse:
    """The judged items: by their numbers, or those of dense grades the candidates."""
    if not is_dense(relevance):
        return read_grades(relevance, (len(items), None), duplicates)
    judged = read_relevance(relevance, items.shape, duplicates, candidates).take(np.arange(len(items)))
    return replace(judged, items=items[judged.row, judged.items])


def _among(listed: Sparse, excluded: Sparse) -> NDArray[np.bool_]:
    """Which of the listed items are excluded."""
    known = np.unique(np.concatenate((excluded.items, listed.items)))
    inside, outside = (
        np.searchsorted(known, each.items) + len(known) * each.row for each in (listed, excluded)
    )
    return np.isin(inside, outside)


def _table(side: Side, items: Sparse, query_ids: _native.Table, notes: tuple[str, ...] = ()) -> Input:
    import polars as pl

    name, value = ("relevance", "relevance") if side == "qrels" else ("scores", "score")
    ids = pl.DataFrame(query_ids.take("query", items.row.astype(np.uint32), "query"))
    table = ids.with_columns(pl.Series("item", items.items), pl.Series(value, items.grades))
    return Input(_native.Table.from_arrow(table), side, name, "query", "item", value, None, False, notes)
