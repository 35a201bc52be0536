"""Arrays of scores that were read, with what is judged in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, UsageError
from rankmark.inputs.arrays.judged_items import CELLS
from rankmark.inputs.arrays.libraries import Masked
from rankmark.inputs.column_checks import several_types

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs.arrays.judged_items import Grades, Sparse
    from rankmark.inputs.arrays.libraries import Scores
    from rankmark.language.choices import Duplicates

__all__ = ["QueryIds", "Scored", "read_query_ids"]

QueryIds = Sequence[int] | Sequence[str] | NDArray[Any]
"""The ids of rows."""


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of items, a row a query.

    Attributes:
        scores: the scores.
        grades: what is judged, of which an item can be judged twice in a row; that decides how it is read.
        excluded: the items of each row that are in no list.
        query_ids: the rows' ids, as a table with a column ``query``.
        notes: what a reader of the result should know of how the judgements were understood.
        columns: the items' ids, also of those that are judged alone; None where those are the numbers.

    """

    scores: Scores
    grades: Callable[[Duplicates], Grades]
    excluded: Sparse | None
    query_ids: _native.Table
    notes: tuple[str, ...] = ()
    columns: pl.Series | None = None

    def others(self, duplicates: Duplicates) -> NDArray[np.int64]:
        """How many items the list of each row has at least that are not relevant."""
        rows, columns = self.scores.shape
        excluded = 0 if self.excluded is None else self.excluded.counts
        grades = self.grades(duplicates)
        found: NDArray[np.int64] = np.full(rows, columns, dtype=np.int64) - excluded
        step = max(1, CELLS // max(1, columns))
        for start in range(0, rows, step):
            block = np.arange(start, min(start + step, rows))
            if isinstance(self.scores, Masked):
                found[block] -= (~self.scores.present(block)).sum(axis=1)
            judged = grades.take(block)
            found[block] -= np.bincount(judged.row, judged.grades > 0, len(block)).astype(np.int64)
        return found


def read_query_ids(queries: QueryIds | None, rows: int) -> _native.Table:
    """The rows' ids as a table of one column."""
    import polars as pl

    values = np.arange(rows) if queries is None else queries
    try:
        column = pl.Series("query", values if isinstance(values, np.ndarray) else list(values))
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise UsageError(f"queries {several_types(values)}") from error
    if len(column) != rows:
        raise UsageError(f"queries has {len(column)} ids and the scores have {rows} rows")
    if not (column.dtype.is_integer() or column.dtype == pl.String):
        raise UsageError(f"queries holds {column.dtype}; ids are integers or strings")
    if column.null_count():
        raise UsageError(f"queries: {column.null_count()} are None; each row needs an id")
    again = column.is_duplicated().arg_true()
    if len(again):
        raise DataError(
            f"queries: {column[int(again[0])]!r} is the id of several rows, such as {again[0]} and "
            f"{again[1]} (from 0)"
        )
    return _native.Table.from_arrow(column.to_frame())
