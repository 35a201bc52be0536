"""A hash of a table's rows, by which to know the same data again.

Two tables have the same hash if they hold the same rows: a row is a query, an item, and a relevance or a
score. Neither the order of the rows counts, nor the file's format, the columns' names or the width of
numbers, since none of these decides a value. Where the order of rows does decide one, under ``ties="input"``
and ``duplicates="first"``, the hash does not know it; but it does in runs that have neither scores nor ranks.

The hash is the sum, modulo 2⁶⁴, of a hash of each row: rows in any order or in parts add up to the same. With
`mix`, the finalizer of SplitMix64, that of a row is::

    mix(mix(mix(mix(query)) ^ mix(item)) ^ mix(value))

An integer id is itself, a text its FNV-1a hash. The value is the relevance (1 where the table has none),
the score, or minus the rank, as the bits of a float64. The hash tells data apart that differ by accident;
whoever wants two tables to have the same can make them so.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs.roles import Input

__all__ = ["digest"]

Words: TypeAlias = NDArray[np.uint64]

ROWS = 1 << 18
"""Rows hashed at once, so that memory stays bounded."""


def digest(table: Input, first_row: int = 0) -> str:
    """The hash of a table's rows, the first of which has this number, as 16 hexadecimal digits."""
    starts = range(0, table.table.num_rows, ROWS)
    with ThreadPoolExecutor() as pool:
        parts = pool.map(lambda start: _sum(table, start, first_row), starts)
        return f"{sum(parts) % 2**64:016x}"


def _sum(table: Input, start: int, first_row: int) -> int:
    """The sum of the hashes of the rows from `start` on."""
    rows = np.arange(start, min(start + ROWS, table.table.num_rows), dtype=np.uint32)
    hashes = _mix(_mix(_ids(_column(table, table.query, rows))))
    hashes = _mix(hashes ^ _mix(_ids(_column(table, table.item, rows))))
    hashes = _mix(hashes ^ _mix(_values(table, rows, first_row).view(np.uint64)))
    return int(hashes.sum(dtype=np.uint64))


def _column(table: Input, name: str, rows: NDArray[np.uint32]) -> pl.Series:
    import polars as pl

    return pl.DataFrame(table.table.take(name, rows, name))[name]


def _values(table: Input, rows: NDArray[np.uint32], first_row: int) -> NDArray[np.float64]:
    import polars as pl

    name = table.value or table.rank
    if name is None and table.side == "qrels":
        return np.ones(len(rows))
    if name is None:
        return -1.0 - first_row - rows.astype(np.float64)
    values = _column(table, name, rows).cast(pl.Float64).to_numpy() + 0.0  # both zeros are one number
    signed: NDArray[np.float64] = values if table.value else 0.0 - values
    return signed


def _ids(column: pl.Series) -> Words:
    if column.dtype.is_integer():
        return column.to_numpy().astype(np.uint64)
    return _text_hashes(column)


def _text_hashes(column: pl.Series) -> Words:
    """The FNV-1a hash of each text; of equal ones that follow each other it is computed once."""
    import polars as pl

    runs = column.cast(pl.String).rle().struct
    texts, repeats = runs.field("value"), runs.field("len").to_numpy()
    lengths = texts.str.len_bytes().to_numpy().astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    content = np.frombuffer(texts.str.join("").item().encode(), dtype=np.uint8)
    hashes = np.full(len(texts), 0xCBF29CE484222325, dtype=np.uint64)
    longer = np.arange(len(texts))
    for place in range(int(lengths.max(initial=0))):
        longer = longer[lengths[longer] > place]
        hashes[longer] = (hashes[longer] ^ content[starts[longer] + place]) * np.uint64(0x100000001B3)
    return np.repeat(hashes, repeats)


def _mix(words: Words) -> Words:
    """The finalizer of SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014)."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
