"""Rows a second and peak memory of the stream engine, beside those of everything in memory (Linux).

`python -m benchmarks.stream [--rows N] [--local N] [--memory 2GiB]` generates a run of N rows in pieces, by
query and again scattered, evaluates each in a process of its own, and removes it. Lists have 100 rows, and
there are a tenth as many judgements: int32 ids, float32 scores, Parquet files of 10 million rows.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

LIST_LENGTH, JUDGED, SPREAD, PIECE = 100, 10, 20_000, 10_000_000
MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100", "HR@10"]
EVALUATE = """
import json, re, sys, time
import rankmark as rm
folder, engine, memory, measures = sys.argv[1:]
import polars
start = time.perf_counter()
files = [folder + "/qrels*.parquet", folder + "/run*.parquet"]
result = rm.evaluate(*files, measures, engine=engine, memory=memory)
seconds = time.perf_counter() - start
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(json.dumps({"seconds": seconds, "peak": 1024 * int(peak[1]), "values": result.values}))
"""

Order = Callable[[NDArray[np.int64], int], NDArray[np.int64]]
"""Which row of the grouped run stands in which row of the file."""


def grouped(rows: NDArray[np.int64], _: int) -> NDArray[np.int64]:
    """Query after query."""
    return rows


def scattered(rows: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """No two rows of a query near each other: a permutation that needs no memory."""
    step = int(count * 0.6180339887) | 1
    while np.gcd(step, count) != 1:
        step += 2
    return (rows * step + 1) % count


def generate(folder: Path, count: int, order: Order) -> None:
    """Writes judgements and results, piece by piece."""
    queries = count // LIST_LENGTH
    for piece, start in enumerate(range(0, queries, PIECE // JUDGED)):
        ids = np.arange(start, min(queries, start + PIECE // JUDGED))
        _judgements(ids).write_parquet(folder / f"qrels{piece:03}.parquet", compression="lz4")
    for piece, start in enumerate(range(0, count, PIECE)):
        rows = order(np.arange(start, min(count, start + PIECE)), count)
        _results(rows).write_parquet(folder / f"run{piece:03}.parquet", compression="lz4")


def _results(rows: NDArray[np.int64]) -> pl.DataFrame:
    query, place = rows // LIST_LENGTH, rows % LIST_LENGTH
    score = LIST_LENGTH - place + 0.9 * (_mixed(rows + 1) % 1000) / 1000
    columns = {"query": query.astype(np.int32), "item": _item(query, place)}
    return pl.DataFrame({**columns, "score": score.astype(np.float32)})


def _judgements(queries: NDArray[np.int64]) -> pl.DataFrame:
    """Of each query some that are in its list, one of 20 places each, and as many that are not."""
    step = LIST_LENGTH // (JUDGED // 2)
    query = np.repeat(queries, JUDGED)
    number = np.tile(np.arange(JUDGED), len(queries))
    place = number * step + (_mixed(query * JUDGED + number) % step).astype(np.int64)
    relevance = (_mixed(query * JUDGED + number + 7) % 4).astype(np.int8)
    columns = {"query": query.astype(np.int32), "item": _item(query, place), "relevance": relevance}
    return pl.DataFrame(columns)


def _item(query: NDArray[np.int64], place: NDArray[np.int64]) -> NDArray[np.int32]:
    """The item at a place of a query's list, or beyond its end; all of a list differ."""
    drawn = _mixed(query * 4 * LIST_LENGTH + place) % SPREAD
    return (place * SPREAD + drawn.astype(np.int64)).astype(np.int32)


def _mixed(numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Random bits of each number, always the same."""
    words = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return words ^ (words >> np.uint64(32))


def measure(folder: Path, engine: str, memory: str) -> dict[str, Any]:
    """One evaluation in a process of its own: seconds, bytes at the peak, and each measure's value."""
    command = [sys.executable, "-c", EVALUATE, str(folder), engine, memory, " ".join(MEASURES)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    record: dict[str, Any] = json.loads(done.stdout)
    return record


def check_agreement(known: dict[str, float], values: dict[str, float]) -> None:
    """Ends the benchmark unless the same rows have the same means."""
    for name, value in values.items():
        if not math.isclose(value, known[name], rel_tol=1e-12):
            raise SystemExit(f"{name} is {known[name]!r} and {value!r} of the same rows")


def main() -> None:
    parser = argparse.ArgumentParser(description="Times the stream engine.")
    parser.add_argument("--rows", type=int, default=200_000_000)
    parser.add_argument("--local", type=int, default=20_000_000, help="rows evaluated in memory")
    parser.add_argument("--memory", default="2GiB")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--folder", help="where to put the data for as long as it is needed")
    asked = parser.parse_args()
    rates: dict[str, float] = {}
    known: dict[int, dict[str, float]] = {}
    runs = [(grouped, "local", asked.local), (grouped, "stream", asked.rows)]
    runs += [(scattered, "local", asked.local), (scattered, "stream", asked.rows)]
    for order, engine, rows in runs:
        with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
            generate(Path(folder), rows, order)
            rounds = [measure(Path(folder), engine, asked.memory) for _ in range(asked.rounds)]
        for each in rounds:
            check_agreement(known.setdefault(rows, each["values"]), each["values"])
        best = min(rounds, key=lambda each: each["seconds"])
        rate = rates[f"{order.__name__} {engine}"] = rows / best["seconds"]
        of_memory = rate / rates["grouped local"]
        peak = max(each["peak"] for each in rounds) / 2**30
        print(
            f"{order.__name__:<10}{engine:<8}{rows:>13,} rows {best['seconds']:8.2f} s {rate / 1e6:7.2f} M/s"
            f" {of_memory:6.0%} of grouped in memory {peak:6.2f} GiB at the peak",
            flush=True,
        )


if __name__ == "__main__":
    main()
