"""The lists of queries with what the measures do not see: items, scores, and what nobody judged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark._native import Table
from rankmark.dataclassing import dataclass
from rankmark.engines import local
from rankmark.forking import need_polars_threads

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from rankmark.inputs import Input
    from rankmark.kinds.lists import JudgedLists
    from rankmark.language.choices import Choices

__all__ = ["Listed", "best_first", "listed", "of_queries", "of_query", "ranked"]


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


def listed(judged: Input, found: Input, choices: Choices) -> Listed:
    """The list of results that are all of one query, as its judgements are, ordered as everywhere."""
    import polars as pl

    lists, _, _ = local.judged_lists(judged, found, choices)
    rows, taken_out = _ranked(judged, found, choices)
    rows = rows.drop("query")
    ideal = (
        best_first(judged, choices)
        .join(rows.select("item", found="rank"), on="item", how="left", maintain_order="left")
        .sort("grade", "found", descending=[True, False], nulls_last=True, maintain_order=True)
        .select(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("rank"), "item", "grade", "found")
    )
    return Listed(lists, rows, ideal, taken_out)


def of_query(table: Input, query: int | str) -> Input:
    """The rows of a query."""
    rows = table.table.rows_of(table.query, query)
    found = replace(table, table=table.table.at(rows))
    if table.aspects is None:
        return found
    kept = np.zeros(table.table.num_rows, dtype=np.bool_)
    kept[rows] = True
    return replace(found, aspects=table.aspects.where(kept))


def of_queries(table: Input, queries: Sequence[int | str]) -> Input:
    """The rows of these queries."""
    import polars as pl

    need_polars_threads()
    frame = _frame(table)
    asked = pl.Series(queries, dtype=frame.schema[table.query])
    kept = frame[table.query].is_in(asked.implode())
    found = _with_rows(table, frame.filter(kept))
    return found if table.aspects is None else replace(found, aspects=table.aspects.where(kept.to_numpy()))


def ranked(judgements: Input, results: Input, choices: Choices) -> pl.DataFrame:
    """The lists of all queries that are judged, in rank order.

    Returns:
        ``query``, and the columns of `Listed.rows`.

    """
    return _ranked(judgements, results, choices)[0]


def best_first(judgements: Input, choices: Choices) -> pl.DataFrame:
    """All judged items of each query, best first: ``query``, ``rank``, ``item``, ``grade``."""
    import polars as pl

    need_polars_threads()
    grades = _items(judgements, choices).rename({"value": "grade"})
    grades = grades.sort("query", "grade", descending=[False, True], maintain_order=True)
    rank = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query")
    return grades.select("query", rank.alias("rank"), "item", "grade")


def _ranked(judgements: Input, results: Input, choices: Choices) -> tuple[pl.DataFrame, int]:
    """The lists in rank order, and how many unjudged items were taken out of them."""
    import polars as pl

    need_polars_threads()
    grades = _items(judgements, choices).rename({"value": "grade"})
    rows = _items(results, choices).join(grades.select("query").unique(), on="query", how="semi")
    rows = rows.join(grades, on=["query", "item"], how="left", maintain_order="left")
    retrieved = rows.height
    if choices.unjudged == "ignore":
        rows = rows.filter(pl.col("grade").is_not_null())
        found = _frame(results)
        own, theirs = [results.query, results.item], ["query", "item"]
        kept = found.join(rows, how="semi", left_on=own, right_on=theirs, maintain_order="left")
        results = _with_rows(results, kept)
    return _in_order(rows, results, choices), retrieved - rows.height


def _frame(table: Input) -> pl.DataFrame:
    """The rows, with categories as the texts that they stand for, to be joined with those of other tables."""
    import polars as pl

    frame = pl.DataFrame(table.table)
    categories = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Categorical | pl.Enum)]
    return frame.with_columns(pl.col(categories).cast(pl.String)) if categories else frame


def _with_rows(table: Input, frame: pl.DataFrame) -> Input:
    return replace(table, table=Table.from_arrow(frame.to_struct()))


def _items(table: Input, choices: Choices) -> pl.DataFrame:
    """Each item of a query once, with its grade or score, by which duplicates are settled."""
    import polars as pl

    if table.value is not None:
        value = pl.col(table.value).cast(pl.Float64)
    elif table.rank is not None:
        value = -pl.col(table.rank).cast(pl.Float64)
    else:
        value = pl.lit(1.0 if table.side == "qrels" else None, pl.Float64)
    frame = _frame(table).select(query=table.query, item=table.item, value=value)
    best = pl.col("value").max() if choices.duplicates == "best" else pl.col("value").first()
    return frame.group_by("query", "item", maintain_order=True).agg(best)


def _in_order(rows: pl.DataFrame, found: Input, choices: Choices) -> pl.DataFrame:
    """The rows in rank order."""
    import polars as pl

    rows = rows[_order(rows, found, choices)] if rows.height else rows
    scored = found.value is not None
    value = pl.col("value").cast(pl.Float32 if choices.scores == "float32" and scored else pl.Float64)
    rank = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query")
    score = pl.col("value") if scored else pl.lit(None, pl.Float64)
    first, last = pl.col("rank").min().over("query", value), pl.col("rank").max().over("query", value)
    tied = pl.when((first < last) & value.is_not_null()).then(pl.format("{}-{}", first, last))
    return rows.with_columns(rank=rank).select("query", "rank", "item", score=score, tied=tied, grade="grade")


def _order(rows: pl.DataFrame, found: Input, choices: Choices) -> NDArray[np.int64]:
    """The numbers of the rows, in rank order, query after query.

    The core ranks judged items alone, so here all are judged, and their grades are the rows' numbers. Where
    grades decide ties, they are numbers that order the items as their own grades do.
    """
    import polars as pl

    if choices.ties not in ("best", "worst"):
        return _core_order(rows, found, choices, np.arange(rows.height))
    order = _core_order(rows, found, replace(choices, ties="item-desc"), np.arange(rows.height))
    place = np.argsort(order)
    # Of items of grade 0 those judged are the better ones.
    grades = rows.select(
        pl.col("grade").fill_null(0.0), judged=pl.col("grade").is_not_null().cast(pl.Float64)
    )
    levels = np.unique(grades.to_numpy(), axis=0, return_inverse=True)[1].ravel()
    within = rows.height - 1 - place if choices.ties == "best" else place
    lots = levels * rows.height + within
    by_lot = np.argsort(lots)
    return by_lot[np.searchsorted(lots[by_lot], _core_order(rows, found, choices, lots))]


def _core_order(
    rows: pl.DataFrame, found: Input, choices: Choices, grades: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The grades in rank order."""
    judged = _with_rows(
        replace(found, side="qrels", query="query", item="item", value="grade", rank=None),
        rows.select("query", "item").with_columns(grade=grades.astype(np.float64)),
    )
    lists, _, _ = local.judged_lists(judged, found, replace(choices, unjudged="nonrelevant"))
    return lists.relevance.astype(np.int64)
