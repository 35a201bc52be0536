"""A hash of a table's rows, by which to know the same data again.

Two tables have the same hash if they hold the same rows: a row is a query, an item, and a relevance or a
score. Neither the order of the rows counts, nor the file's format, the columns' names or the width of
numbers, since none of these decides a value. Where the order of rows does decide one, under ``ties="input"``
and ``duplicates="first"``, the hash does not know it; but it does in runs that have neither scores nor ranks.

The hash is the sum, modulo 2⁶⁴, of a hash of each row: rows in any order or in parts add up to the same. With
`mix`, the finalizer of SplitMix64, that of a row is::

    mix(mix(mix(mix(query)) ^ mix(item)) ^ mix(value))

and of a judgement for an aspect, beside the best value of the item for any::

    mix(mix(mix(mix(mix(mix(query)) ^ mix(item)) ^ mix(best)) ^ mix(aspect)) ^ mix(value))

An integer id is itself, a text its FNV-1a hash. The value is the relevance (1 where the table has none),
the score, or minus the rank, as the bits of a float64. That of a row of predictions is::

    mix(mix(mix(mix(mix(mix(query)) ^ mix(item)) ^ mix(label)) ^ mix(score)) ^ mix(weight))

A query or an item that there is not is 0, a weight 1; of labels that are words the positive one is 1, the
other 0. Columns that measures weigh queries by follow the weight in the same way. That of a row with a score
of each class, or with the class that is predicted, is::

    mix(mix(mix(label) ^ mix(Σ mix(mix(class) ^ score))) ^ mix(weight))
    mix(mix(mix(label) ^ mix(predicted)) ^ mix(weight))

where labels and classes are ids (false and true are 0 and 1), and the sum, modulo 2⁶⁴, is over all classes:
their order does not count either.

The hash tells data apart that differ by accident; whoever wants two tables to have the same can make them so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

    from rankmark._native import Table
    from rankmark.inputs.input import AspectRows, Input
    from rankmark.inputs.predictions.classes import ClassPredictions
    from rankmark.inputs.predictions.labelled import Predictions

__all__ = ["digest", "digest_classes", "digest_predictions", "whole_numbers"]

Words: TypeAlias = NDArray[np.uint64]
RowNumbers: TypeAlias = NDArray[np.uint32]

ROWS = 1 << 18
"""Rows hashed at once, so that memory stays bounded."""


def digest(table: Input, first_row: int = 0) -> str:
    """The hash of a table's rows, the first of which has this number, as 16 hexadecimal digits."""
    if aspects := table.aspects:
        return _total(len(aspects.row), lambda rows: _aspect_hashes(table, aspects, rows))
    return _total(table.table.num_rows, lambda rows: _hashes(table, rows, first_row))


def digest_predictions(read: Predictions, integers: Collection[str] | None = None) -> str:
    """The same of labelled scores; ids in files without types that are all whole numbers are integers.

    `integers` are the columns in which they are; found out if None.
    """
    integers = whole_numbers(read) if integers is None else integers
    columns = read.columns
    ids = [_typed(read, name, integers) if name else None for name in (columns.query, columns.item)]
    return _total(read.table.num_rows, lambda rows: _prediction_hashes(read, ids, rows))


def digest_classes(read: ClassPredictions) -> str:
    """The same of labels that are classes, with what was predicted."""
    import polars as pl

    names = pl.Series(read.names)
    ids = _mix(_ids(names.cast(pl.Int64) if names.dtype == pl.Boolean else names))
    return _total(len(read.labels), lambda rows: _class_hashes(read, ids, rows))


def whole_numbers(read: Predictions) -> set[str]:
    """The columns of ids, in a table without types, that hold nothing but whole numbers."""
    import polars as pl

    found = set()
    for name in (read.columns.query, read.columns.item) if read.text_ids else ():
        if name is not None:
            ids = pl.DataFrame(read.table)[name].cast(pl.String)
            numbers = ids.cast(pl.Int64, strict=False).cast(pl.String)
            if (numbers == ids).all(ignore_nulls=False):
                found.add(name)
    return found


def _total(count: int, hashes: Callable[[RowNumbers], Words]) -> str:
    """The sum of the hashes of so many rows."""

    def part(start: int) -> int:
        rows = np.arange(start, min(start + ROWS, count), dtype=np.uint32)
        return int(hashes(rows).sum(dtype=np.uint64))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return f"{sum(pool.map(part, range(0, count, ROWS))) % 2**64:016x}"


def _hashes(table: Input, rows: RowNumbers, first_row: int) -> Words:
    hashes = _mix(_mix(_ids(_column(table.table, table.query, rows))))
    hashes = _mix(hashes ^ _mix(_ids(_column(table.table, table.item, rows))))
    return _mix(hashes ^ _mix(_values(table, rows, first_row).view(np.uint64)))


def _aspect_hashes(table: Input, aspects: AspectRows, rows: RowNumbers) -> Words:
    import polars as pl

    hashes = _hashes(table, aspects.row[rows].astype(np.uint32), 0)
    named = _mix(_ids(pl.Series(aspects.names)))[aspects.aspect[rows]]
    return _mix(_mix(hashes ^ named) ^ _mix((aspects.grade[rows] + 0.0).view(np.uint64)))


def _typed(read: Predictions, name: str, integers: Collection[str]) -> pl.Series:
    """The ids of a column, integers if a file without types writes such."""
    import polars as pl

    ids = pl.DataFrame(read.table)[name]
    return ids.cast(pl.Int64) if read.text_ids and name in integers else ids


def _prediction_hashes(read: Predictions, ids: Sequence[pl.Series | None], rows: RowNumbers) -> Words:
    columns = read.columns
    nothing = hashes = np.zeros(len(rows), dtype=np.uint64)
    for known in ids:
        own = nothing if known is None else _ids(known.slice(int(rows[0]), len(rows)))
        hashes = _mix(hashes ^ _mix(own))
    for name in (columns.label, columns.score, columns.weight, *columns.weighing):
        numbers = _numbers(read.table, name, rows) if name else np.ones(len(rows))
        hashes = _mix(hashes ^ _mix(numbers.view(np.uint64)))
    return hashes


def _class_hashes(read: ClassPredictions, ids: Words, rows: RowNumbers) -> Words:
    """Of ids of classes that are mixed."""
    if read.scores is None:
        assert read.predicted is not None
        said = ids[read.predicted[rows]]
    else:
        said = np.zeros(len(rows), dtype=np.uint64)
        for number, of_class in enumerate(ids):
            score = read.scores[rows, number] + 0.0  # both zeros are one number
            said += _mix(of_class ^ score.view(np.uint64))
        said = _mix(said)
    weight = np.ones(len(rows)) if read.weights is None else read.weights[rows] + 0.0
    return _mix(_mix(ids[read.labels[rows]] ^ said) ^ _mix(weight.view(np.uint64)))


def _column(table: Table, name: str, rows: RowNumbers) -> pl.Series:
    import polars as pl

    return pl.DataFrame(table.take(name, rows, name))[name]


def _numbers(table: Table, name: str, rows: RowNumbers) -> NDArray[np.float64]:
    import polars as pl

    numbers: NDArray[np.float64] = _column(table, name, rows).cast(pl.Float64).to_numpy() + 0.0
    return numbers  # both zeros are one number


def _values(table: Input, rows: RowNumbers, first_row: int) -> NDArray[np.float64]:
    name = table.value or table.rank
    if name is None and table.side == "qrels":
        return np.ones(len(rows))
    if name is None:
        return -1.0 - first_row - rows.astype(np.float64)
    values = _numbers(table.table, name, rows)
    signed: NDArray[np.float64] = values if table.value else 0.0 - values
    return signed


def _ids(column: pl.Series) -> Words:
    """The ids as numbers, 0 where there is none."""
    if column.dtype.is_integer():
        return column.fill_null(0).to_numpy().astype(np.uint64)
    return _text_hashes(column)


def _text_hashes(column: pl.Series) -> Words:
    """The FNV-1a hash of each text; of equal ones that follow each other it is computed once."""
    import polars as pl

    runs = column.cast(pl.String).rle().struct
    missing = runs.field("value").is_null().to_numpy()
    texts, repeats = runs.field("value").fill_null(""), runs.field("len").to_numpy()
    lengths = texts.str.len_bytes().to_numpy().astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    content = np.frombuffer(texts.str.join("").item().encode(), dtype=np.uint8)
    hashes = np.full(len(texts), 0xCBF29CE484222325, dtype=np.uint64)
    longer = np.arange(len(texts))
    for place in range(int(lengths.max(initial=0))):
        longer = longer[lengths[longer] > place]
        hashes[longer] = (hashes[longer] ^ content[starts[longer] + place]) * np.uint64(0x100000001B3)
    hashes[missing] = 0
    return np.repeat(hashes, repeats)


def _mix(words: Words) -> Words:
    """The finalizer of SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014)."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
