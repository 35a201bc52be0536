"""What nothing can be faster than."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from benchmarks.contenders import Call, Contender
from benchmarks.data import Data, dense_scores


def column_sum(data: Data) -> Call:
    """Every byte of the run's columns read once."""
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


def row_maxima(data: Data) -> Call:
    """Every score read once by NumPy, on one thread."""
    scores = dense_scores(data)

    def work() -> None:
        scores.max(axis=1)

    return work


def read_parquet(data: Data) -> Call:
    """Both files read into frames."""

    def work() -> None:
        for path in data.files:
            pl.read_parquet(path)

    return work


def read_text(data: Data) -> Call:
    """Both files read into frames, as CSV with a blank between the fields."""

    def work() -> None:
        for path in data.files:
            pl.read_csv(path, separator=" ", has_header=False)

    return work


COLUMN_SUM = Contender("floor: column sums", column_sum)
READ_PARQUET = Contender("floor: polars reads the files", read_parquet)
READ_TEXT = Contender("floor: polars reads the files as CSV", read_text)
ROW_MAXIMA = Contender("floor: NumPy's row maxima", row_maxima)
