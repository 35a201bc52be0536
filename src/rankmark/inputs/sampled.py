"""Judgements of a sample of a pool: from which stratum items were drawn, or with which probability."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import ColumnError, DataError
from rankmark.forking import need_polars_threads
from rankmark.inputs.input import AspectRows, Input
from rankmark.inputs.roles import said_outright

if TYPE_CHECKING:
    import polars as pl

    from rankmark.language.measure import Measure

__all__ = ["by_sample"]

HOW = {
    "stratum": "TREC judgements of five fields, query iter item stratum relevance",
    "probability": "lines of query item relevance method probability",
}
"""How else it is said how items were sampled."""


def by_sample(judgements: Input, measure: Measure) -> Input:
    """The same with the stratum of each row beside it, or its probability as a weight, as aspects are.

    Args:
        judgements: a row an item of the pool; one that was not sampled has a grade below 0.
        measure: what needs to know how items were sampled.

    Raises:
        ColumnError: nothing says it.
        DataError: nulls, or what is no probability.

    """
    role = "stratum" if "strata" in measure.needs else "probability"
    import polars as pl

    column = _column(judgements, role, measure)
    rows = np.arange(judgements.table.num_rows)
    stratum, weight = np.zeros(len(rows), dtype=np.int64), np.ones(len(rows))
    names: Any = [judgements.name]
    if role == "probability":
        weight = _probabilities(column, judgements)
    else:
        names, stratum = np.unique(column.cast(pl.String).to_numpy(), return_inverse=True)
    return replace(
        judgements, aspects=AspectRows(rows, stratum, _grades(judgements), weight, tuple(names), column.name)
    )


def _column(judgements: Input, role: str, measure: Measure) -> pl.Series:
    import polars as pl

    name = judgements.stratum if role == "stratum" else judgements.probability
    if name is None:
        raise ColumnError(
            f"{measure} needs judgements of a sample, with the {role} of each item, and {judgements.name} "
            f"has none: give a column of it, {said_outright(role)}, or {HOW[role]}; items of the pool that "
            "were not sampled have the grade -1"
        )
    need_polars_threads()
    column = pl.DataFrame(judgements.table)[name]
    if nulls := column.null_count():
        raise DataError(
            f"{judgements.name}: the {role} column {name!r} has {nulls:,} null{'s'[: nulls > 1]}, the first "
            f"in row {column.is_null().arg_true()[0]} (from 0)"
        )
    return column


def _grades(judgements: Input) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    import polars as pl

    if judgements.value is None:
        return np.ones(judgements.table.num_rows)
    return pl.DataFrame(judgements.table)[judgements.value].cast(pl.Float64).to_numpy()


def _probabilities(column: pl.Series, judgements: Input) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    import polars as pl

    numbers = column.cast(pl.Float64, strict=False)
    wrong = numbers.is_between(0, 1).fill_null(False).not_()
    if wrong.any():
        row = int(wrong.arg_true()[0])
        raise DataError(
            f"{judgements.name}: the probability {column.name!r} is {column[row]!r} in row {row} (from 0); "
            "it is a number from 0 to 1, 0 for an item that was judged without being sampled"
        )
    return numbers.to_numpy()
