"""The list of one query with what the measures do not see: its items, their scores, and those unjudged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark._native import Table
from rankmark.engines import local
from rankmark.forking import need_polars_threads

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.inputs import Input
    from rankmark.kinds.lists import JudgedLists
    from rankmark.language.choices import Choices

__all__ = ["Listed", "listed"]


@dataclass(frozen=True, slots=True)
class Listed:
    """One query's list.

    Attributes:
        lists: what the measures see of it.
        rows: the list in rank order: ``rank``, ``item``, ``score`` (null where the rows say the order),
            ``tied`` (the ranks of the items with the same score, ``2-4``; null for one alone) and ``grade``
            (null if unjudged).
        ideal: all judged items, best first: ``rank``, ``item``, ``grade``, and ``found``, the rank in the
            list (null if it is not there).
        taken_out: how many unjudged items were taken out of the list.

    """

    lists: JudgedLists
    rows: pl.DataFrame
    ideal: pl.DataFrame
    taken_out: int


def listed(judgements: Input, results: Input, query: int | str, choices: Choices) -> Listed:
    """The list that the results have for the query, ordered as everywhere."""
    import polars as pl

    need_polars_threads()
    judged, found = _of_query(judgements, query), _of_query(results, query)
    lists, _, _ = local.judged_lists(judged, found, choices)
    grades = _items(judged, choices).rename({"value": "grade"})
    rows = _items(found, choices).join(grades, on="item", how="left", maintain_order="left")
    retrieved = rows.height
    if choices.unjudged == "ignore":
        rows = rows.filter(pl.col("grade").is_not_null())
        found = _with_rows(
            found, pl.DataFrame(found.table).filter(pl.col(found.item).is_in(rows["item"].implode()))
        )
    rows = _ranked(rows, found, query, choices)
    ideal = (
        grades.join(rows.select("item", found="rank"), on="item", how="left", maintain_order="left")
        .sort("grade", "found", descending=[True, False], nulls_last=True, maintain_order=True)
        .with_row_index("rank", 1)
        .select(pl.col("rank").cast(pl.Int64), "item", "grade", "found")
    )
    return Listed(lists, rows, ideal, retrieved - rows.height)


def _of_query(table: Input, query: int | str) -> Input:
    import polars as pl

    return _with_rows(table, pl.DataFrame(table.table).filter(pl.col(table.query) == query))


def _with_rows(table: Input, frame: pl.DataFrame) -> Input:
    return replace(table, table=Table.from_arrow(frame.to_struct()))


def _items(table: Input, choices: Choices) -> pl.DataFrame:
    """Each item once, with its grade or score, by which duplicates are settled."""
    import polars as pl

    if table.value is not None:
        value = pl.col(table.value).cast(pl.Float64)
    elif table.rank is not None:
        value = -pl.col(table.rank).cast(pl.Float64)
    else:
        value = pl.lit(1.0 if table.side == "qrels" else None, pl.Float64)
    frame = pl.DataFrame(table.table).select(item=table.item, value=value)
    best = pl.col("value").max() if choices.duplicates == "best" else pl.col("value").first()
    return frame.group_by("item", maintain_order=True).agg(best)


def _ranked(rows: pl.DataFrame, found: Input, query: int | str, choices: Choices) -> pl.DataFrame:
    """The rows in rank order."""
    import polars as pl

    rows = rows[_order(rows, found, query, choices)] if rows.height else rows
    scored = found.value is not None
    value = pl.col("value").cast(pl.Float32 if choices.scores == "float32" and scored else pl.Float64)
    rank = pl.int_range(1, pl.len() + 1, dtype=pl.Int64)
    first, last = rank.min().over(value), rank.max().over(value)
    tied = pl.when((first < last) & value.is_not_null()).then(pl.format("{}-{}", first, last))
    score = pl.col("value") if scored else pl.lit(None, pl.Float64)
    return rows.select(rank=rank, item="item", score=score, tied=tied, grade="grade")


def _order(rows: pl.DataFrame, found: Input, query: int | str, choices: Choices) -> NDArray[np.int64]:
    """The numbers of the rows, in rank order.

    The core ranks judged items alone, so here all are judged, and their grades are the rows' numbers. Where
    grades decide ties, they are numbers that order the items as their own grades do.
    """
    import polars as pl

    if choices.ties not in ("best", "worst"):
        return _core_order(rows, found, query, choices, np.arange(rows.height))
    order = _core_order(rows, found, query, replace(choices, ties="item-desc"), np.arange(rows.height))
    place = np.argsort(order)
    # Of items of grade 0 those judged are the better ones.
    grades = rows.select(
        pl.col("grade").fill_null(0.0), judged=pl.col("grade").is_not_null().cast(pl.Float64)
    )
    levels = np.unique(grades.to_numpy(), axis=0, return_inverse=True)[1].ravel()
    within = rows.height - 1 - place if choices.ties == "best" else place
    lots = levels * rows.height + within
    by_lot = np.argsort(lots)
    return by_lot[np.searchsorted(lots[by_lot], _core_order(rows, found, query, choices, lots))]


def _core_order(
    rows: pl.DataFrame, found: Input, query: int | str, choices: Choices, grades: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The grades in rank order."""
    import polars as pl

    of_query = pl.DataFrame(found.table)[found.query].head(1)
    frame = pl.DataFrame({"query": of_query.extend_constant(query, rows.height - 1), "item": rows["item"]})
    judged = _with_rows(
        replace(found, side="qrels", query="query", item="item", value="grade", rank=None),
        frame.with_columns(grade=grades.astype(np.float64)),
    )
    lists, _, _ = local.judged_lists(judged, found, replace(choices, unjudged="nonrelevant"))
    return lists.relevance.astype(np.int64)
