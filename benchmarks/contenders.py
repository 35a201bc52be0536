"""What is timed: a function each that gets its inputs ready and returns the call that does the work.

All of them compute the means of the same six measures, so that what they return can be compared.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import rankmark as rm
from benchmarks.data import Data

CUTOFF = 10
MEASURES = ("nDCG@10", "AP", "RR", "HR@10", "P@10", "R@10")
TREC_NAMES = ("ndcg_cut_10", "map", "recip_rank", "success_10", "P_10", "recall_10")

Means = Mapping[str, float]
Call = Callable[[], Means | None]
"""The work; None if it has no measures to compare."""


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to do a case's work."""

    name: str
    prepare: Callable[[Data], Call]
    needs: str = "rankmark"
    """The package without which it cannot run."""
    most_rows: int | None = None
    """Beyond this it takes minutes and says nothing new."""

    def unable(self, rows: int) -> str | None:
        """Why it cannot run here, or None."""
        if importlib.util.find_spec(self.needs) is None:
            return f"{self.needs} is not installed: pip install -e '.[bench]'"
        if self.most_rows is not None and rows > self.most_rows:
            return f"only up to {self.most_rows:,} results"
        return None


def rankmark(data: Data) -> Call:
    """From polars frames."""
    return lambda: rm.evaluate(data.qrels, data.run, MEASURES).values


def rankmark_dicts(data: Data) -> Call:
    """From dicts of dicts that are ready."""
    qrels, run = _nested(data.qrels, "relevance"), _nested(data.run, "score")
    return lambda: rm.evaluate(qrels, run, MEASURES).values


def polars(data: Data) -> Call:
    """Written by hand for exactly these six measures."""

    def work() -> Means:
        # The engine that polars picks by itself ("auto") took up to twice as long.
        return _pipeline(data.qrels.lazy(), data.run.lazy()).collect(engine="in-memory").row(0, named=True)

    return work


def _pipeline(qrels: pl.LazyFrame, run: pl.LazyFrame) -> pl.LazyFrame:
    # Of several ways to rank (over(), sorting within group_by, streaming) this was the fastest.
    ordered = run.sort("query", "score", "item", descending=[False, True, True]).with_row_index("row")
    starts = ordered.group_by("query").agg(start=pl.col("row").min())
    judged = (
        ordered.join(qrels, on=["query", "item"])
        .join(starts, on="query")
        .with_columns(rank=(pl.col("row") - pl.col("start")).cast(pl.Int64) + 1)
    )
    per_query = _ideal(qrels).join(_found(judged), on="query", how="left")
    dcg, idcg, relevant, hits = (pl.col(name) for name in ("dcg", "idcg", "relevant", "hits"))
    values = (
        dcg / idcg,
        pl.col("precisions") / relevant,
        pl.col("rr"),
        (hits > 0).cast(pl.Float64),
        hits / CUTOFF,
        hits / relevant,
    )
    return per_query.select(
        value.fill_nan(0).fill_null(0).mean().alias(name)
        for name, value in zip(MEASURES, values, strict=True)
    )


def _ideal(qrels: pl.LazyFrame) -> pl.LazyFrame:
    relevance, rank = pl.col("relevance"), pl.col("rank")
    return (
        qrels.with_columns(rank=relevance.rank("ordinal", descending=True).over("query"))
        .group_by("query")
        .agg(relevant=(relevance >= 1).sum(), idcg=_dcg(relevance, rank))
    )


def _found(judged: pl.LazyFrame) -> pl.LazyFrame:
    relevance, rank = pl.col("relevance"), pl.col("rank")
    hit = relevance >= 1
    return (
        judged.sort("query", "rank")
        .group_by("query")
        .agg(
            dcg=_dcg(relevance, rank),
            precisions=(hit.cum_sum() / rank).filter(hit).sum(),
            rr=1 / rank.filter(hit).min(),
            hits=(hit & (rank <= CUTOFF)).sum(),
        )
    )


def _dcg(relevance: pl.Expr, rank: pl.Expr) -> pl.Expr:
    return (relevance.clip(0) / (rank + 1).log(2)).filter(rank <= CUTOFF).sum()


def pytrec_eval(data: Data) -> Call:
    """From dicts of dicts that are ready."""
    qrels, run = _nested(data.qrels, "relevance"), _nested(data.run, "score")
    return lambda: _trec_means(qrels, run)


def pytrec_eval_from_frames(data: Data) -> Call:
    """With the building of its dicts from the frames."""
    return lambda: _trec_means(_nested(data.qrels, "relevance"), _nested(data.run, "score"))


Nested = dict[str, dict[str, Any]]


def _nested(table: pl.DataFrame, value: str) -> Nested:
    nested: Nested = {}
    columns = (table["query"].cast(pl.String), table["item"].cast(pl.String), table[value])
    for query, item, number in zip(*(column.to_list() for column in columns), strict=True):
        nested.setdefault(query, {})[item] = number
    return nested


def _trec_means(qrels: Nested, run: Nested) -> Means:
    import pytrec_eval

    results = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_NAMES)).evaluate(run)
    return {
        ours: sum(values[theirs] for values in results.values()) / len(qrels)
        for ours, theirs in zip(MEASURES, TREC_NAMES, strict=True)
    }


def column_sum(data: Data) -> Call:
    """The floor: reading every byte of the run's columns once."""
    arrays = [_numbers(column) for column in data.run.get_columns()]

    def work() -> None:
        for array in arrays:
            array.sum()

    return work


def _numbers(column: pl.Series) -> np.ndarray[Any, Any]:
    """The column as an array; of text its bytes, one after the other, eight to a number."""
    if column.dtype != pl.String:
        return column.to_numpy()
    text = column.str.join()[0].encode()
    return np.frombuffer(text[: len(text) // 8 * 8], dtype=np.int64)


def python(_data: Data) -> Call:
    """The floor: an interpreter that does nothing."""
    return _python("pass")


def import_numpy(_data: Data) -> Call:
    """What every package with arrays pays."""
    return _python("import numpy")


def import_rankmark(_data: Data) -> Call:
    """What a program that uses rankmark pays."""
    return _python("import rankmark")


def command_help(_data: Data) -> Call:
    """`rankmark --help`."""
    return _process(_command(), "--help")


def command_eval(data: Data) -> Call:
    """`rankmark eval` on TREC files."""
    qrels, run = data.folder / "small.qrels", data.folder / "small.run"
    rows = data.qrels.select("query", pl.lit(0).alias("iteration"), "item", "relevance")
    rows.write_csv(qrels, separator=" ", include_header=False)
    rows = data.run.select(
        "query", pl.lit("Q0").alias("q0"), "item", pl.lit(1).alias("rank"), "score", pl.lit("b").alias("tag")
    )
    rows.write_csv(run, separator=" ", include_header=False)
    options = [option for measure in MEASURES for option in ("-m", measure)]
    return _process(_command(), "eval", str(qrels), str(run), *options)


def _command() -> str:
    return str(Path(sysconfig.get_path("scripts")) / "rankmark")


def _python(code: str) -> Call:
    return _process(sys.executable, "-c", code)


def _process(*command: str) -> Call:
    def work() -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    return work


RANKMARK = Contender("rankmark", rankmark)
RANKMARK_DICTS = Contender("rankmark, ready dicts", rankmark_dicts)
POLARS = Contender("polars by hand", polars)
PYTREC_EVAL = Contender("pytrec_eval, ready dicts", pytrec_eval, "pytrec_eval", 1_000_000)
PYTREC_EVAL_FRAMES = Contender("pytrec_eval, from frames", pytrec_eval_from_frames, "pytrec_eval", 1_000_000)
COLUMN_SUM = Contender("floor: column sums", column_sum)
STARTS = (
    Contender("import rankmark", import_rankmark),
    Contender("rankmark --help", command_help),
    Contender("rankmark eval", command_eval),
    Contender("floor: python", python),
    Contender("floor: import numpy", import_numpy),
)
