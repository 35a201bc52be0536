"""AP and nDCG estimated from samples of a pool, of which all is known: how far they are off on average.

Forty queries have a pool of 200 or 1,000 items, one in eight of them relevant with grades of 1 and 2, and two
systems have lists of three quarters of it. The first 5% of an order that systems are like are judged, of the
next 15% a half and of the others a share, drawn anew in every repetition: so many of each stratum, or each by
itself with that probability.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.random import Generator

import rankmark as rm
from benchmarks.coverage.logged import Biases
from benchmarks.coverage.shares import generators

QUERIES = 40
CASES = ((200, 0.5), (200, 0.2), (1000, 0.2), (1000, 0.05))
"""How many items a query has in the pool, and which share of the lowest stratum is judged."""
SYSTEMS = {"good": 1.5, "poor": 0.6}
"""How far relevant items score above others, in standard deviations."""
WAYS = {
    "AP, not judged is not relevant": ("drawn", "AP"),
    "infAP": ("drawn", "infAP"),
    "xinfAP": ("drawn", "xinfAP"),
    "statAP": ("each", "statAP"),
    "statAP(itself=weighted)": ("each", "statAP(itself=weighted)"),
    "infNDCG": ("drawn", "infNDCG"),
}


class World(NamedTuple):
    """The pool, a row an item of a query, and the lists of both systems."""

    pool: pl.DataFrame
    runs: dict[str, rm.Input]


@cache
def world(items: int) -> World:
    """The same for all repetitions."""
    rng = np.random.default_rng(7)
    query = np.repeat(np.arange(QUERIES), items)
    item = np.tile(np.arange(items), QUERIES)
    grade = np.where(rng.random(len(query)) < 0.125, rng.integers(1, 3, len(query)), 0)
    common = (grade > 0) + rng.normal(size=len(query))
    frame = pl.DataFrame({"query": query, "item": item, "grade": grade, "common": common})
    rank = frame.select(pl.col("common").rank("ordinal", descending=True).over("query")).to_series()
    below = [(rank > share * items).cast(pl.Int64) for share in (0.05, 0.2)]
    frame = frame.with_columns(stratum=below[0] + below[1])
    runs = {}
    for name, skill in SYSTEMS.items():
        score = skill * (grade > 0) + rng.normal(size=len(query))
        ranked = frame.select("query", "item").with_columns(score=pl.Series(score))
        kept = ranked.sort("query", "score", descending=[False, True]).group_by("query").head(3 * items // 4)
        runs[name] = rm.read_run(kept)
    return World(frame.drop("common"), runs)


def sampled(rng: Generator, items: int, share: float, way: str) -> pl.DataFrame:
    """Judgements of a sample: of those that were not drawn the grade is -1."""
    pool = world(items).pool
    chances = np.array([1.0, 0.5, share])[pool["stratum"].to_numpy()]
    lot = rng.random(pool.height)
    if way == "each":
        taken = lot < chances
    else:
        order = pool.select(pl.Series("lot", lot)).with_columns(pool["query"], pool["stratum"])
        place = order.select(pl.col("lot").rank("ordinal").over("query", "stratum")).to_series().to_numpy()
        size = order.select(pl.len().over("query", "stratum")).to_series().to_numpy()
        taken = place <= np.round(chances * size)
    grade = np.where(taken, pool["grade"].to_numpy(), -1)
    return pool.select("query", "item", "stratum").with_columns(
        relevance=pl.Series(grade), inclusion_probability=pl.Series(chances)
    )


def tables(repetitions: int) -> Iterator[Biases]:
    """How far estimates are off on average, in per cent of the truth."""
    rows: dict[str, dict[str, str]] = {}
    for items, share in CASES:
        here = world(items)
        whole = here.pool.select("query", "item", relevance="grade")
        truth = {name: rm.evaluate(whole, run, ["AP", "nDCG"]) for name, run in here.runs.items()}
        errors: dict[str, dict[str, list[float]]] = {name: {way: [] for way in WAYS} for name in SYSTEMS}
        for _, rng in generators(repetitions, items, round(100 * share)):
            for sampling in ("drawn", "each"):
                judged = rm.read_qrels(sampled(rng, items, share, sampling))
                own = {way: name for way, (how, name) in WAYS.items() if how == sampling}
                for system, run in here.runs.items():
                    found = rm.evaluate(judged, run, list(own.values()))
                    for way, name in own.items():
                        true = truth[system]["nDCG" if "NDCG" in name else "AP"]
                        errors[system][way].append(100 * (found[name] / true - 1))
        for system, each in errors.items():
            rows[f"{system}, {items:,} items, {100 * share:g}% of the lowest stratum"] = {
                way: f"{np.mean(own):+.1f} ± {np.std(own, ddof=1) / math.sqrt(len(own)):.1f}"
                for way, own in each.items()
            }
    yield Biases("AP and nDCG of samples: bias in per cent of the truth", rows)
