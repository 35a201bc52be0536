"""What stands beside the core: what is made of the same tables besides evaluating, or of a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

import rankmark as rm
from benchmarks.contenders import SIX, Call, Contender
from benchmarks.data import Data

NOISE = 10
"""How far, as a standard deviation, scores of other systems are from those of the run, in ranks."""
SYSTEMS = 20
SLICES = 7
MOST_PAIRS = 1_000_000
"""Results of a system in a comparison of many: 10,000 queries, for each pair draws random signs of them."""


def evaluating(**given: Any) -> Callable[[Data], Call]:
    """Evaluating with something more."""

    def prepare(data: Data) -> Call:
        return lambda: rm.evaluate(data.qrels, data.run, SIX, **given).values

    return prepare


def of_result(make: Callable[[rm.results.ListResult], Any]) -> Callable[[Data], Call]:
    """What is made of a result that is there."""

    def prepare(data: Data) -> Call:
        result = rm.evaluate(data.qrels, data.run, SIX)
        return _nothing(lambda: make(result))

    return prepare


def sliced(data: Data) -> Call:
    """Evaluating by slices of queries."""
    queries = data.run["query"].unique(maintain_order=True)
    slices = pl.DataFrame({"query": queries, "part": np.arange(len(queries)) % SLICES})
    return lambda: rm.evaluate(data.qrels, data.run, SIX, by="part", attributes=slices).values


def check(data: Data) -> Call:
    """Everything odd in both tables."""
    return _nothing(lambda: rm.check(data.qrels, data.run))


def agree(data: Data) -> Call:
    """Another order of the same items."""
    other = _other(data.run, 1)
    return _nothing(lambda: rm.agree(data.run, other))


def explain(data: Data) -> Call:
    """The arithmetic of one query."""
    query = data.run["query"][0]
    return _nothing(lambda: rm.explain(data.qrels, data.run, "nDCG@10", query=query))


def explain_from_files(data: Data) -> Call:
    """The same from files."""
    query = data.run["query"][0]
    return _nothing(lambda: rm.explain(*data.files, "nDCG@10", query=query))


def compare(systems: int, **given: Any) -> Callable[[Data], Call]:
    """So many systems, from their results."""

    def prepare(data: Data) -> Call:
        runs = {f"system {number}": _other(data.run, number) for number in range(systems)}
        results = {name: rm.evaluate(data.qrels, run, SIX[:3]) for name, run in runs.items()}
        return _nothing(lambda: rm.compare_results(results, **given))

    return prepare


def _other(run: pl.DataFrame, seed: int) -> pl.DataFrame:
    noise = np.random.default_rng(seed).normal(0, NOISE, run.height)
    return run.with_columns(score=pl.col("score") + pl.Series(noise).cast(pl.Float32))


def _nothing(call: Callable[[], Any]) -> Call:
    def work() -> None:
        call()

    return work


TIES = Contender("bounds of ties", evaluating(bounds=True))
UNJUDGED = Contender("bounds of unjudged items", evaluating(bounds="unjudged"))
INTERVALS = Contender("intervals by t", evaluating(intervals="t"))
SLICED = Contender("slices", sliced)
CHECK = Contender("check", check)
AGREE = Contender("agree", agree)
EXPLAIN = Contender("explain", explain)
EXPLAIN_FILES = Contender("explain", explain_from_files)
PER_QUERY = Contender("per_query", of_result(lambda result: result.per_query))
PRINTED = Contender("printed", of_result(str))
JSON = Contender("JSON", of_result(lambda result: result.format("json")))
JSON_QUERIES = Contender("JSON per query", of_result(lambda result: result.format("json", per_query=True)))
COMPARE_T = Contender("compare 2 systems by t", compare(2, test="t", interval="t"))
COMPARE = Contender("compare 2 systems", compare(2))
COMPARE_MANY_T = Contender(
    f"compare {SYSTEMS} systems by t", compare(SYSTEMS, test="t", interval="t"), most_rows=MOST_PAIRS
)
COMPARE_MANY = Contender(f"compare {SYSTEMS} systems", compare(SYSTEMS), most_rows=MOST_PAIRS)
