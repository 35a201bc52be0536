"""What measures of what is recommended take beside nDCG@10 alone, alternating in one process.

`python -m benchmarks.recommended [--rows N] [--users N] [--repeat N]` evaluates lists of results that are
sorted by user, the same with ids that are texts, and the same scattered; and intra-list diversity of vectors
of 128 numbers at rank 20 of 100,000 users. Items and interactions have been read by `rm.catalogue`; each time
is the least of several.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

import rankmark as rm

ITEMS, JUDGED, HAD = 100_000, 5, 20
ALONE = ("nDCG@10",)
TOGETHER = {
    "coverage": (*ALONE, "Coverage@10"),
    "novelty": (*ALONE, "Novelty@10"),
    "both": (*ALONE, "Coverage@10", "Novelty@10"),
    "not in train": (*ALONE, "NotInTrain@10"),
}
DEPTH, DIMENSIONS, LISTS = 20, 128, 100_000


def tables(rows: int, users: int) -> dict[str, pl.DataFrame]:
    """Judgements, results, interactions and items, with integer ids."""
    draw = np.random.default_rng(0)
    length = rows // users
    item = _distinct(draw, users, length)
    user = np.arange(users)
    judged = item[:, draw.choice(length, min(JUDGED, length), replace=False)]
    return {
        "run": _table(user, item).with_columns(score=draw.random(item.size)),
        "qrels": _table(user, judged).with_columns(relevance=draw.integers(0, 3, judged.size)),
        "train": _table(user, draw.integers(0, ITEMS, (users, HAD))),
        "items": pl.DataFrame({"item": np.arange(ITEMS)}),
    }


def _distinct(draw: np.random.Generator, lists: int, length: int) -> Any:
    """Items of lists, in each of them different ones."""
    first, step = draw.integers(0, ITEMS, (lists, 1)), draw.integers(1, ITEMS // length, (lists, 1))
    return (first + step * np.arange(length)) % ITEMS


def _table(user: Any, item: Any) -> pl.DataFrame:
    return pl.DataFrame({"query": np.repeat(user, item.shape[1]), "item": item.ravel()})


def as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """The same with ids that are texts."""
    ids = [name for name in ("query", "item") if name in frame.columns]
    return frame.with_columns(pl.format(f"{name}{{}}", pl.col(name)).alias(name) for name in ids)


def ratios(frames: dict[str, pl.DataFrame], repeat: int, *, closed: bool) -> dict[str, float]:
    """The seconds of the measure alone, and how many times as long it takes with others."""
    known = rm.catalogue(frames["items"] if closed else None, train=frames["train"])
    qrels, run = rm.read_qrels(frames["qrels"]), rm.read_run(frames["run"])
    asked = {name: list(each) for name, each in TOGETHER.items() if closed or "Coverage@10" not in each}
    calls: dict[str, Callable[[], Any]] = {"alone": lambda: rm.evaluate(qrels, run, list(ALONE))}
    for name, each in asked.items():
        calls[name] = lambda each=each: rm.evaluate(qrels, run, each, items=known)
    seconds = {name: float("inf") for name in calls}
    for _ in range(repeat):
        for name, call in calls.items():
            seconds[name] = min(seconds[name], timed(call))
    return {name: each / (seconds["alone"] if name != "alone" else 1) for name, each in seconds.items()}


def timed(call: Callable[[], Any]) -> float:
    """How many seconds a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def of_vectors(lists: int, repeat: int) -> float:
    """The seconds that intra-list diversity of vectors takes."""
    draw = np.random.default_rng(1)
    vectors = pl.Series("vector", draw.standard_normal((ITEMS, DIMENSIONS)))
    known = rm.catalogue(pl.DataFrame({"item": np.arange(ITEMS)}).with_columns(vectors))
    run = _table(np.arange(lists), _distinct(draw, lists, DEPTH))
    read = rm.read_run(run.with_columns(score=draw.random(run.height)))
    measure = f"ILD(by=vector)@{DEPTH}"
    return min(timed(lambda: rm.evaluate(None, read, measure, items=known)) for _ in range(repeat))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recommended", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--lists", type=int, default=LISTS)
    parser.add_argument("--repeat", type=int, default=5)
    asked = parser.parse_args(arguments)
    frames = tables(asked.rows, asked.users)
    texts = {name: as_text(frame) for name, frame in frames.items()}
    shuffled = frames | {"run": frames["run"].sample(fraction=1, shuffle=True, seed=1)}
    for title, each, closed in (
        ("integers", frames, True),
        ("integers, no catalogue", frames, False),
        ("texts", texts, True),
        ("texts, no catalogue", texts, False),
        ("scattered", shuffled, True),
    ):
        found = ratios(each, asked.repeat, closed=closed)
        alone = found.pop("alone")
        told = "  ".join(f"{name} {ratio:.2f}" for name, ratio in found.items())
        print(f"{title:24}{alone:7.3f} s  {told}")
    print(f"{'vectors':24}{of_vectors(asked.lists, asked.repeat):7.3f} s")


if __name__ == "__main__":
    main()
