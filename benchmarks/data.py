"""The generated tables that are timed; the same ones each time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

LIST_LENGTH = 100
JUDGED = 10  # a query; every second one is retrieved
SPREAD = 20_000  # item ids are drawn from blocks of this size, one block a place: no duplicates in a list


@dataclass(frozen=True, slots=True)
class Data:
    """Judgements and results."""

    qrels: pl.DataFrame
    run: pl.DataFrame
    folder: Path
    """Where contenders put the files they need."""

    def save(self) -> int:
        """Writes the tables as they lie in memory, for `load`; how many bytes that is."""
        for path, table in zip(_saved(self.folder), (self.qrels, self.run), strict=True):
            table.write_ipc(path, record_batch_size=table.height)
        return sum(path.stat().st_size for path in _saved(self.folder))

    @classmethod
    def load(cls, folder: Path) -> Data:
        """Maps saved tables into memory and touches every page, so that later allocations stand out."""
        from pyarrow import ipc, memory_map  # type: ignore[import-untyped]

        qrels, run = (
            pl.DataFrame(ipc.open_file(memory_map(str(path))).read_all()) for path in _saved(folder)
        )
        for table in (qrels, run):
            table.select(pl.all().max())
        return cls(qrels, run, folder)


def _saved(folder: Path) -> tuple[Path, Path]:
    return folder / "qrels.arrow", folder / "run.arrow"


def grouped(rows: int, folder: Path) -> Data:
    """Lists of 100 results, query after query and best first; integer ids, float32 scores, no ties."""
    return _lists(max(1, rows // LIST_LENGTH), LIST_LENGTH, folder)


def shuffled(rows: int, folder: Path) -> Data:
    """The rows of `grouped` in random order."""
    data = grouped(rows, folder)
    return Data(data.qrels, data.run.sample(fraction=1, shuffle=True, seed=1), folder)


def strings(rows: int, folder: Path) -> Data:
    """`grouped` with ids such as "q123" and "d456789"."""
    data = grouped(rows, folder)
    text = [pl.format("q{}", "query").alias("query"), pl.format("d{}", "item").alias("item")]
    return Data(data.qrels.with_columns(text), data.run.with_columns(text), folder)


def small(_rows: int, folder: Path) -> Data:
    """One query with ten results."""
    return _lists(1, 10, folder)


def few(_rows: int, folder: Path) -> Data:
    """What fits a small TREC file: 50 queries with 100 results, ids as text."""
    return strings(50 * LIST_LENGTH, folder)


def _lists(queries: int, length: int, folder: Path) -> Data:
    rng = np.random.default_rng(0)
    items = np.arange(length) * SPREAD + rng.integers(0, SPREAD, (queries, length))
    items = rng.permuted(items, axis=1)
    # One score a unit interval, best first: random and without ties, which peers break by other rules.
    scores = np.arange(length, 0, -1) + 0.9 * rng.random((queries, length))
    half = JUDGED // 2
    places = rng.permuted(np.tile(np.arange(length), (queries, 1)), axis=1)[:, :half]
    missed = (length + np.arange(JUDGED - half)) * SPREAD + rng.integers(0, SPREAD, (queries, JUDGED - half))
    judged = np.concatenate([np.take_along_axis(items, places, axis=1), missed], axis=1)
    query_ids = np.arange(queries)
    qrels = {
        "query": np.repeat(query_ids, JUDGED),
        "item": judged.ravel(),
        "relevance": rng.integers(0, 4, judged.size),
    }
    run = {
        "query": np.repeat(query_ids, length),
        "item": items.ravel(),
        "score": scores.ravel().astype(np.float32),
    }
    return Data(pl.DataFrame(qrels), pl.DataFrame(run), folder)
