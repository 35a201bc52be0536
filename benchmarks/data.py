"""The generated tables that are timed; the same ones each time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

LIST_LENGTH, DEEP_LENGTH = 100, 10_000
SPREAD = 20_000  # item ids are drawn from blocks of this size, one block a place: no duplicates in a list
PIECE = 1_000_000  # results that are generated at once, which bounds the memory it takes


@dataclass(frozen=True, slots=True)
class Data:
    """Judgements and results."""

    qrels: pl.DataFrame
    run: pl.DataFrame
    folder: Path
    """Where contenders find the files they need."""
    suffix: str | None = None
    """Of the files that hold the tables, if there are such files."""

    @property
    def files(self) -> tuple[Path, Path]:
        """Judgements and results, where contenders read them from files."""
        assert self.suffix is not None
        return self.folder / f"qrels{self.suffix}", self.folder / f"run{self.suffix}"

    @property
    def size(self) -> int:
        """Bytes of the files, or else of the tables in memory."""
        if self.suffix is not None:
            return sum(path.stat().st_size for path in self.files)
        return int(self.qrels.estimated_size() + self.run.estimated_size())

    def save(self) -> None:
        """Writes the tables as they lie in memory, for `load`."""
        for path, table in zip(_saved(self.folder), (self.qrels, self.run), strict=True):
            table.write_ipc(path, record_batch_size=table.height)

    def load(self, folder: Path) -> Data:
        """The tables saved in a folder, by data of the same kind.

        They are mapped into memory and every page is touched, so that later allocations stand out.
        """
        from pyarrow import ipc, memory_map  # type: ignore[import-untyped]

        qrels, run = (
            pl.DataFrame(ipc.open_file(memory_map(str(path))).read_all()) for path in _saved(folder)
        )
        for table in (qrels, run):
            table.select(pl.all().max())
        return replace(self, qrels=qrels, run=run, folder=folder)


Generate = Callable[[int, Path], Data]
"""Makes about so many results, and puts what files there are into the folder."""


def _saved(folder: Path) -> tuple[Path, Path]:
    return folder / "qrels.arrow", folder / "run.arrow"


def grouped(rows: int, folder: Path) -> Data:
    """Lists of 100 results, query after query and best first; integer ids, float32 scores, no ties."""
    return _lists(rows, LIST_LENGTH, folder)


def tenth(rows: int, folder: Path) -> Data:
    """`grouped`, with a tenth of the rows."""
    return grouped(rows // 10, folder)


def hundredth(rows: int, folder: Path) -> Data:
    """`grouped`, with a hundredth of the rows."""
    return grouped(rows // 100, folder)


def shuffled(rows: int, folder: Path) -> Data:
    """The rows of `grouped` in random order."""
    data = grouped(rows, folder)
    return replace(data, run=data.run.sample(fraction=1, shuffle=True, seed=1))


def strings(rows: int, folder: Path) -> Data:
    """`grouped` with ids such as "q123" and "d456789"."""
    data = grouped(rows, folder)
    text = [pl.format("q{}", "query").alias("query"), pl.format("d{}", "item").alias("item")]
    return replace(data, qrels=data.qrels.with_columns(text), run=data.run.with_columns(text))


def deep(rows: int, folder: Path) -> Data:
    """`grouped` with lists of 10,000, as many judgements a result."""
    return _lists(rows, DEEP_LENGTH, folder)


def complete(rows: int, folder: Path) -> Data:
    """Every row of lists of 100 judged, and not in order of score, as in learning to rank."""
    return _lists(rows, LIST_LENGTH, folder, _labelled)


def small(rows: int, folder: Path) -> Data:
    """One query."""
    return _lists(rows, rows, folder)


JUDGED, TOP, TEN = 10, 100, 10


def dense(rows: int, folder: Path) -> Data:
    """Scores of all items, without ties: `dense_scores`; 10 items judged a query, half of them near the top.

    The results are the scores row after row, so their table has no ids.
    """
    items = min(DENSE_ITEMS, rows // 10)
    queries, rng = rows // items, np.random.default_rng(0)
    scores = np.empty((queries, items), dtype=np.float32)
    judged = np.empty((queries, JUDGED), dtype=np.int64)
    for row, chosen in zip(scores, judged, strict=True):
        order = rng.permutation(items)  # best first
        row[order] = np.arange(items, 0, -1)
        near = rng.choice(2 * TOP, JUDGED // 2, replace=False)
        far = 2 * TOP + rng.choice(items - 2 * TOP, JUDGED // 2, replace=False)
        chosen[:] = order[np.concatenate((near, far))]
    query, item = np.repeat(np.arange(queries), JUDGED), judged.ravel()
    qrels = pl.DataFrame({"query": query, "item": item, "relevance": rng.integers(1, 4, len(item))})
    return Data(qrels, pl.DataFrame({"score": scores.ravel()}), folder)


DENSE_ITEMS = 100_000


def dense_scores(data: Data) -> NDArray[np.float32]:
    """The scores of `dense`, shape [queries, items]."""
    return data.run["score"].to_numpy().reshape(-1, min(DENSE_ITEMS, data.run.height // 10))


def judged_items(data: Data) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The judged items of each query of `dense` and their grades, shape [queries, 10]."""
    item, grade = (data.qrels[name].to_numpy().reshape(-1, JUDGED) for name in ("item", "relevance"))
    return item, grade


def parquet(rows: int, folder: Path) -> Data:
    """`grouped` in Parquet files."""
    return _in_parquet(grouped(rows, folder))


def parquet_strings(rows: int, folder: Path) -> Data:
    """`strings` in Parquet files."""
    return _in_parquet(strings(rows, folder))


def _in_parquet(tables: Data) -> Data:
    data = replace(tables, suffix=".parquet")
    for path, table in zip(data.files, (data.qrels, data.run), strict=True):
        table.write_parquet(path)
    return data


def trec(rows: int, folder: Path) -> Data:
    """`strings` in TREC text."""
    data = replace(strings(rows, folder), suffix=".txt")
    qrels = data.qrels.select("query", pl.lit(0).alias("iteration"), "item", "relevance")
    tag = pl.lit("b").alias("tag")
    run = data.run.select("query", pl.lit("Q0").alias("q0"), "item", pl.lit(1).alias("rank"), "score", tag)
    for path, table in zip(data.files, (qrels, run), strict=True):
        table.write_csv(path, separator=" ", include_header=False)
    return data


def predictions(rows: int, folder: Path) -> Data:
    """Labelled float32 probabilities, as the run, of users with 100 rows that stand together; few ties."""
    rng = np.random.default_rng(0)
    score = rng.beta(1, 9, rows).astype(np.float32)
    label = (rng.random(rows) < score).astype(np.uint8)
    user = np.arange(rows) // LIST_LENGTH
    run = pl.DataFrame({"query": user, "label": label, "score": score})
    return Data(run.clear(), run, folder)


SHELVES = 20 * 2 ** np.arange(TEN)
"""How many items each of ten shelves has, of which everybody has one: the first ones are popular."""
CATEGORIES = 20


def recommended(rows: int, folder: Path) -> Data:
    """Lists of 10 for users who had 10 items before, the judgements; nobody is recommended what they had."""
    users = np.arange(max(1, rows // TEN))
    rng, parity = np.random.default_rng(0), users[:, None] % 2
    had, new = (_shelved(rng, len(users), of) for of in (parity, 1 - parity))
    scores = _scores(rng, len(users), TEN)
    return Data(_table(users, had), _table(users, new, score=scores), folder)


def partly_known(rows: int, folder: Path) -> Data:
    """`recommended`, of which one item in ten was had before."""
    data = recommended(rows, folder)
    first = pl.int_range(pl.len()) % TEN == 0
    had = data.qrels.select(had="item")
    item = pl.when(first).then("had").otherwise("item").alias("item")
    run = data.run.hstack(had).select("query", item, "score")
    return replace(data, run=run)


def items() -> pl.DataFrame:
    """The items of `recommended` with a category each."""
    item = np.arange(SHELVES.sum())
    return pl.DataFrame({"item": item, "category": item % CATEGORIES})


def _shelved(rng: Generator, users: int, parity: NDArray[np.int64]) -> NDArray[np.int64]:
    """An item of each shelf, in no order, even or odd as said of each user."""
    places = 2 * rng.integers(0, SHELVES // 2, (users, TEN)) + parity
    return rng.permuted(np.cumsum(SHELVES) - SHELVES + places, axis=1)


Tables = tuple[pl.DataFrame, pl.DataFrame]
Lists = Callable[[Generator, NDArray[np.int64], int], Tables]
"""Makes judgements and results for some queries, in lists of one length."""


def _judged(rng: Generator, query_ids: NDArray[np.int64], length: int) -> Tables:
    """Lists best first; a tenth as many items judged as retrieved, half of them retrieved."""
    queries, judged = len(query_ids), max(10, length // 10)
    items = _items(rng, queries, length)
    places = rng.permuted(np.tile(np.arange(length), (queries, 1)), axis=1)[:, : judged // 2]
    missed = length * SPREAD + _items(rng, queries, judged - judged // 2)
    known = np.concatenate([np.take_along_axis(items, places, axis=1), missed], axis=1)
    return (
        _table(query_ids, known, relevance=rng.integers(0, 4, known.shape)),
        _table(query_ids, items, score=_scores(rng, queries, length)),
    )


def _labelled(rng: Generator, query_ids: NDArray[np.int64], length: int) -> Tables:
    """Lists in no order, with a label for every row."""
    items = _items(rng, len(query_ids), length)
    return (
        _table(query_ids, items, relevance=rng.integers(0, 5, items.shape)),
        _table(query_ids, items, score=rng.permuted(_scores(rng, *items.shape), axis=1)),
    )


def _lists(rows: int, length: int, folder: Path, lists: Lists = _judged) -> Data:
    queries, step = max(1, rows // length), max(1, PIECE // length)
    rng = np.random.default_rng(0)
    pieces = [
        lists(rng, np.arange(start, min(start + step, queries)), length) for start in range(0, queries, step)
    ]
    qrels, run = (pl.concat(tables, rechunk=True) for tables in zip(*pieces, strict=True))
    return Data(qrels, run, folder)


def _table(query_ids: NDArray[np.int64], items: NDArray[np.int64], **values: NDArray[Any]) -> pl.DataFrame:
    columns = {"query": np.repeat(query_ids, items.shape[1]), "item": items.ravel()}
    return pl.DataFrame(columns | {name: matrix.ravel() for name, matrix in values.items()})


def _items(rng: Generator, queries: int, length: int) -> NDArray[np.int64]:
    """Different ids in each row, in no order."""
    return rng.permuted(np.arange(length) * SPREAD + rng.integers(0, SPREAD, (queries, length)), axis=1)


def _scores(rng: Generator, queries: int, length: int) -> NDArray[np.float32]:
    """One score a unit interval, best first: random and without ties, which peers break by other rules."""
    return (np.arange(length, 0, -1) + 0.9 * rng.random((queries, length))).astype(np.float32)
