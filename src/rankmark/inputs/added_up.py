"""Sums and means of groups of rows that are the same each time, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["added_up"]


def added_up(
    rows: pl.DataFrame,
    keys: Sequence[str],
    *,
    sums: Mapping[str, pl.Expr] | None = None,
    means: Mapping[str, pl.Expr] | None = None,
    others: Mapping[str, pl.Expr] | None = None,
) -> pl.DataFrame:
    """A row a group, as they came, with sums and means of numbers in the order of the rows.

    Polars itself adds up the numbers of a group in the order in which its threads come to them, which is
    another each time; their order in lists is that of the rows.

    Args:
        rows: the rows.
        keys: the columns that are the same in a group.
        sums: what is added up, under the names that the sums have.
        means: likewise, for their means; null for a group with nothing but nulls.
        others: what else is told of a group, which no order decides.

    """
    import polars as pl

    sums, means = sums or {}, means or {}
    found = rows.group_by(keys, maintain_order=True).agg(**sums, **means, **(others or {}))
    return found.with_columns(
        *(pl.col(name).list.sum() for name in sums), *(pl.col(name).list.mean() for name in means)
    )
