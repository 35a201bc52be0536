"""Pipelines of polars, written by hand for exactly the measures asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import polars as pl

from benchmarks.contenders import MANY, PARTS, SIX, Call, Contender, Means, Measures, split
from benchmarks.data import Data

Rank = Callable[[pl.LazyFrame, pl.LazyFrame], pl.LazyFrame]
"""From judgements and results to the judged results with their ranks."""


def from_frames(data: Data, rank: Rank, measures: Measures = SIX) -> Call:
    """From polars frames."""
    return lambda: _means(data.qrels.lazy(), data.run.lazy(), rank, measures)


def from_parquet(data: Data, rank: Rank) -> Call:
    """From paths."""
    qrels, run = data.files
    return lambda: _means(pl.scan_parquet(qrels), pl.scan_parquet(run), rank, SIX)


def sorting(qrels: pl.LazyFrame, run: pl.LazyFrame) -> pl.LazyFrame:
    """Sorts everything; a rank is the distance to where the query starts."""
    ordered = run.sort("query", "score", "item", descending=[False, True, True]).with_row_index("row")
    starts = ordered.group_by("query").agg(start=pl.col("row").min())
    rank = (pl.col("row") - pl.col("start")).cast(pl.Int64) + 1
    return ordered.join(qrels, on=["query", "item"]).join(starts, on="query").with_columns(rank=rank)


def windows(qrels: pl.LazyFrame, run: pl.LazyFrame) -> pl.LazyFrame:
    """Ranks over each query: what comes to mind first."""
    rank = pl.col("score").rank("ordinal", descending=True).over("query").cast(pl.Int64)
    return run.with_columns(rank=rank).join(qrels, on=["query", "item"])


# The faster one for each; "auto", which polars picks by itself, was slower than either.
ENGINES: dict[Rank, Literal["in-memory", "streaming"]] = {sorting: "in-memory", windows: "streaming"}

RELEVANCE, RANK = pl.col("relevance"), pl.col("rank")
HIT = RELEVANCE >= 1


def _means(qrels: pl.LazyFrame, run: pl.LazyFrame, rank: Rank, measures: Measures) -> Means:
    cuts = [split(measure) for measure in measures]
    per_query = _ideal(qrels, cuts).join(_found(rank(qrels, run), cuts), on="query", how="left")
    means = per_query.select(
        _value(name, cutoff).fill_nan(0).fill_null(0).mean().alias(measure)
        for measure, (name, cutoff) in zip(measures, cuts, strict=True)
    )
    return means.collect(engine=ENGINES[rank]).row(0, named=True)


Cut = tuple[str, int | None]


def _ideal(qrels: pl.LazyFrame, cuts: list[Cut]) -> pl.LazyFrame:
    """Of every query what the measures divide by."""
    parts = {f"idcg@{cutoff}": _dcg(cutoff) for name, cutoff in cuts if name == "nDCG"}
    ranked = qrels.with_columns(rank=RELEVANCE.rank("ordinal", descending=True).over("query"))
    return ranked.group_by("query").agg(relevant=HIT.sum(), **parts)


def _found(judged: pl.LazyFrame, cuts: list[Cut]) -> pl.LazyFrame:
    """Of every query what the measures count."""
    parts = {f"{PARTS[name]}@{cutoff}": FOUND[PARTS[name]](cutoff) for name, cutoff in cuts}
    return judged.sort("query", "rank").group_by("query").agg(**parts)


def _value(name: str, cutoff: int | None) -> pl.Expr:
    part, relevant = pl.col(f"{PARTS[name]}@{cutoff}"), pl.col("relevant")
    match name:
        case "nDCG":
            return part / pl.col(f"idcg@{cutoff}")
        case "AP" | "R":
            return part / relevant
        case "HR":
            return (part > 0).cast(pl.Float64)
        case "P":
            return part / cutoff
        case "F":
            return 2 * part / (relevant + cutoff)
        case _:
            return part


def _within(cutoff: int | None) -> pl.Expr:
    return pl.lit(True) if cutoff is None else cutoff >= RANK


def _dcg(cutoff: int | None) -> pl.Expr:
    return (RELEVANCE.clip(0) / (RANK + 1).log(2)).filter(_within(cutoff)).sum()


def _precisions(cutoff: int | None) -> pl.Expr:
    return (HIT.cum_sum() / RANK).filter(HIT & _within(cutoff)).sum()


def _first(cutoff: int | None) -> pl.Expr:
    return 1 / RANK.filter(HIT & _within(cutoff)).min()


def _hits(cutoff: int | None) -> pl.Expr:
    return (HIT & _within(cutoff)).sum()


FOUND = {"dcg": _dcg, "precisions": _precisions, "first": _first, "hits": _hits}

SORTING = Contender("polars by hand, sorting", lambda data: from_frames(data, sorting))
WINDOWS = Contender("polars by hand, windows", lambda data: from_frames(data, windows))
MANY_SORTING = Contender(SORTING.name, lambda data: from_frames(data, sorting, MANY))
MANY_WINDOWS = Contender(WINDOWS.name, lambda data: from_frames(data, windows, MANY))
PARQUET_SORTING = Contender(SORTING.name, lambda data: from_parquet(data, sorting))
PARQUET_WINDOWS = Contender(WINDOWS.name, lambda data: from_parquet(data, windows))
