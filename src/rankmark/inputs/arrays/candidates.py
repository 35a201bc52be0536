"""Lists of candidates: scores of some items a row, the others being padding."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.errors import DataError, UsageError
from rankmark.inputs.arrays.judged_items import (
    Sparse,
    is_dense,
    lists_like_grades,
    read_excluded,
    read_grades,
    read_relevance,
)
from rankmark.inputs.arrays.libraries import Array, Masked, Matrix, Scores, as_matrix, to_numpy
from rankmark.inputs.input import Input
from rankmark.inputs.roles import Side
from rankmark.kinds.lists import Values
from rankmark.language.choices import Duplicates

__all__ = ["read_candidates", "tables_of_candidates"]


def read_candidates(matrix: Matrix, lengths: Array | None, mask: Array | None) -> Masked | None:
    """The scores with what is padding taken out."""
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
    scores: Matrix,
    candidates: Masked | None,
    items: Array,
    query_ids: _native.Table,
    relevance: Any,
    exclude: Any,
    duplicates: Duplicates,
) -> tuple[Input, Input]:
    """Lists of candidates as judgements and results; the arguments are as in `rankmark.evaluate_arrays`."""
    lists = _Lists(candidates or scores, _item_numbers(items, scores.shape), query_ids)
    return lists.judgements(relevance, candidates, duplicates), lists.results(exclude)


def _item_numbers(items: Array, shape: tuple[int, int]) -> NDArray[np.int64]:
    numbers = to_numpy(as_matrix(items, "items"))
    if numbers.shape != shape or numbers.dtype.kind not in "iu":
        raise UsageError(
            f"items holds {numbers.dtype} of shape {numbers.shape}; it needs the number of each candidate, "
            f"integers of the shape of the scores, {shape}"
        )
    return numbers.astype(np.int64)


class _Lists:
    """The candidates of each row: few, and each row has others, so that they become tables."""

    def __init__(self, scores: Scores, items: NDArray[np.int64], query_ids: _native.Table) -> None:
        self._scores = to_numpy(scores.block(np.arange(scores.shape[0])))
        self._items, self._query_ids = items, query_ids
        rows, columns = np.nonzero(self._scores != self._scores)  # NaN alone is not itself
        if len(rows):
            raise DataError(
                f"scores: {len(rows)} NaN, the first in row {rows[0]}, column {columns[0]} (from 0); replace "
                "them, with -inf where there is no candidate"
            )

    def results(self, exclude: Any) -> Input:
        """The candidates that are in the lists."""
        listed = self._scores > -np.inf
        excluded = read_excluded(exclude, (len(listed), None))
        if excluded is not None:
            listed &= ~self._among(excluded)
        row, _ = np.nonzero(listed)
        return self._table("run", row, self._items[listed], self._scores[listed].astype(np.float64))

    def judgements(self, relevance: Any, candidates: Masked | None, duplicates: Duplicates) -> Input:
        """The judged items: by their numbers, or those of dense grades the candidates."""
        if is_dense(relevance):
            grades = read_relevance(relevance, self._items.shape, duplicates, candidates)
            judged = grades.take(np.arange(len(self._items)))
            items = self._items[judged.row, judged.items]
        else:
            judged = read_grades(relevance, (len(self._items), None), duplicates)
            items = judged.items
        if not len(items):
            raise DataError(f"relevance: nothing is judged in any of the {len(self._items)} rows")
        notes = lists_like_grades(relevance, self._items.shape[1])
        return self._table("qrels", judged.row, items, judged.grades, notes)

    def _among(self, excluded: Sparse) -> NDArray[np.bool_]:
        """Which candidates are excluded."""
        known = np.unique(np.concatenate((excluded.items, self._items.ravel())))
        keys = np.searchsorted(known, self._items) + len(known) * np.arange(len(self._items))[:, None]
        return np.isin(keys, np.searchsorted(known, excluded.items) + len(known) * excluded.row)

    def _table(
        self,
        side: Side,
        row: NDArray[np.intp],
        items: NDArray[np.int64],
        values: Values,
        notes: tuple[str, ...] = (),
    ) -> Input:
        import polars as pl

        name, value = ("relevance", "relevance") if side == "qrels" else ("scores", "score")
        ids = pl.DataFrame(self._query_ids.take("query", row.astype(np.uint32), "query"))
        table = ids.with_columns(pl.Series("item", items), pl.Series(value, values))
        return Input(_native.Table.from_arrow(table), side, name, "query", "item", value, None, False, notes)
