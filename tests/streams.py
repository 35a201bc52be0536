"""Files read in batches, of whatever size, beside the same files in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.engines import partitions, stream

__all__ = ["SMALL", "batches", "same"]

SMALL: dict[str, Any] = {"engine": "stream", "memory": "64MiB"}


def batches(patch: pytest.MonkeyPatch, size: int, partition: int = 1 << 20, *, large: bool = False) -> None:
    """Makes batches of so many bytes, and partitions of so many."""
    patch.setattr(stream, "OWN", 0)
    patch.setattr(stream, "BATCH", max(1, (64 << 20) // size))
    patch.setattr(stream, "PARTITION", max(1, (64 << 20) // partition))
    patch.setattr(stream, "SAMPLED", size)
    patch.setattr(partitions, "HELD", max(1, (64 << 20) // size))
    patch.setattr(stream, "JUDGEMENTS", 1 << 30 if large else 4)


def same(folder: Path, judged: bool, measures: list[str], **options: Any) -> None:
    """What files come to, or what is said of them, is the same in memory and in batches."""
    evaluate: Any = rm.evaluate
    paths = str(folder / "qrels.parquet") if judged else None, str(folder / "run.parquet")
    said: list[Any] = []
    engines: tuple[dict[str, Any], ...] = ({}, SMALL)
    for engine in engines:
        try:
            result: rm.results.ListResult = evaluate(*paths, measures, **options, **engine)
        except rm.DataError as error:
            said.append(str(error))
        else:
            own = [measure for measure in result.query_measures if measure.page.aggregate != "run"]
            queries = [result.query_values(measure).tobytes() for measure in own]
            values = [np.float64(value).tobytes() for value in result.values.values()]
            said.append((values, queries, result.query_ids, result.counts, result.notes, result.inputs))
    assert said[0] == said[1]
