"""What queries weigh: numbers from a column, a mapping, a series or an array."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, RankmarkError, UsageError
from rankmark.inputs.attributes import ids_like, read_slices
from rankmark.inputs.places import Places
from rankmark.inputs.slicing import NAME as SLICES
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["Weighting", "WeightsBy"]

WeightsBy: TypeAlias = Any
"""A column, ``{query: weight}``, a series or an array: what `rankmark.inputs.slicing.By` is, but one."""
NAME = "weights"
"""What weights are called that have no name."""


@dataclass(frozen=True, slots=True)
class Weighting:
    """The weights of queries, as they were given.

    Attributes:
        name: the column, or `NAME`.
        of_columns: whether they stood in one.
        frame: a row a query: ``query``, and its weight.
        notes: what a reader should know of how they were found.

    """

    name: str
    of_columns: bool
    frame: pl.DataFrame
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, weights: WeightsBy | Weighting | None, places: Places, query_ids: Sequence[Any] = ()
    ) -> Weighting | None:
        """What was asked for.

        Args:
            weights: a column of one of the places; ``{query: weight}``, or a Series with the queries in its
                index; or values of the rows of the judgements or of arrays, else of the queries.
            places: where columns and rows are.
            query_ids: the queries, where there are no rows.

        Raises:
            UsageError: what are no weights; values that are not as many as rows.
            ColumnError: a column that no table has.
            DataError: a query with several weights, or one that is no number.

        """
        if weights is None or isinstance(weights, Weighting):
            return weights
        several = isinstance(weights, list | tuple) and all(isinstance(each, str) for each in weights)
        if several or callable(weights) or isinstance(weights, bool):
            raise UsageError("weights are one column, {query: weight}, a Series or an array of numbers")
        try:
            frame, notes = read_slices(weights, places, query_ids, "weights")
        except RankmarkError as error:
            raise type(error)(_of_weights(str(error))) from error
        (column,) = (name for name in frame.columns if name != "query")
        of_columns = isinstance(weights, str)
        name = column if of_columns or column != SLICES else NAME
        numbers = _numbers(frame.rename({column: name}), name)
        return cls(name, of_columns, numbers, tuple(map(_of_weights, notes)))

    def values(self, query_ids: Sequence[Any]) -> NDArray[np.float64]:
        """Those of these queries.

        Raises:
            DataError: a query without a weight, or with one below 0 or infinite; or all are 0.

        """
        import polars as pl

        known = dict(ids_like(self.frame, pl.Series(query_ids[:1]).dtype).iter_rows())
        missing = [query for query in query_ids if query not in known]
        of = counted(len(query_ids), "judged query", "judged queries")
        if missing:
            raise DataError(
                f"weights={self.name!r}: {len(missing):,} of {of} have none or NaN, such as {missing[0]!r}: "
                "give every query one, 0 to one that is not to count"
            )
        found = np.array([known[query] for query in query_ids], dtype=np.float64)
        if (wrong := np.flatnonzero(~((found >= 0) & np.isfinite(found)))).size:
            raise DataError(
                f"weights={self.name!r}: {len(wrong):,} of {of} have one below 0 or infinite, such as "
                f"{query_ids[wrong[0]]!r} with {found[wrong[0]]:g}"
            )
        if not found.any():
            raise DataError(f"weights={self.name!r}: those of {of} are all 0; give some query a greater one")
        return found


def _numbers(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    import polars as pl

    values = frame[name]
    if not (values.dtype.is_numeric() or values.dtype in (pl.Boolean, pl.String, pl.Categorical, pl.Null)):
        raise DataError(f"weights={name!r} are {values.dtype}, and not numbers")
    texts = values.cast(pl.String) if values.dtype == pl.Categorical else values
    numbers = texts.cast(pl.Float64, strict=False)
    if (wrong := frame.filter(numbers.is_null())).height:
        raise DataError(
            f"weights={name!r}: no number, but {wrong[name][0]!r}, is that of query {wrong['query'][0]!r} "
            f"({counted(wrong.height, 'such', 'such')})"
        )
    return pl.DataFrame([frame["query"], numbers.fill_nan(None)]).drop_nulls()


def _of_weights(message: str) -> str:
    """What is said of slices, of weights."""
    return re.sub(r"^by\b|\bby(?=\.)", "weights", message).replace("slice", "weight")
