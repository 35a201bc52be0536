"""Measures of what is recommended of files read in batches are those of the same files in memory."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark as rm
from rankmark.engines import stream
from strategies import at_most
from streams import SMALL, batches, same

OF_TRAIN = ["NotInTrain@3", "Novelty", "APLT@2", "Popularity(of=median)"]
OF_RUN = ["AggregateDiversity@2", "ExposureEntropy@3", "Personalisation", "ExposureSimpson"]
OF_ITEMS = [
    "CatalogueCoverage@2",
    "ExposureGini",
    "IntraListDiversity@4",
    "CategoryEntropy",
    "Miscalibration@3",
]
OF_JUDGEMENTS = ["Serendipity@4", "Serendipity(gain=exp2,max_grade=2)", "nDCG@3"]
ITEMS = pl.DataFrame({"item": range(10), "category": list("xxyzzyxyzz")})


def written(folder: Path, judged: list[Any], returned: list[Any], cast: Any = pl.Int64) -> None:
    names = {"query": pl.Int32, "item": pl.Int64, "relevance": pl.Float64}
    ids = pl.col("query", "item").cast(cast)
    pl.DataFrame(judged, schema=names, orient="row").with_columns(ids).write_parquet(folder / "qrels.parquet")
    run = pl.DataFrame(returned, schema=names, orient="row").rename({"relevance": "score"})
    run.with_columns(ids).write_parquet(folder / "run.parquet")


rows = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9), st.integers(-1, 3)), min_size=1, max_size=60)


@pytest.mark.slow
@settings(max_examples=at_most(40), deadline=None)
@given(
    judged=rows,
    returned=rows,
    had=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 12)), min_size=1, max_size=20),
    closed=st.sampled_from([None, 5, 10]),
    duplicates=st.sampled_from(["first", "best"]),
    with_qrels=st.booleans(),
    text=st.booleans(),
    bytes_a_batch=st.integers(24, 400),
    partition=st.integers(100, 2000),
    large=st.booleans(),
)
def test_any_cut_into_batches_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, judged: Any, returned: Any, had: Any, closed: Any,
    duplicates: Any, with_qrels: Any, text: Any, bytes_a_batch: Any, partition: Any, large: Any,
) -> None:  # fmt: skip
    folder = tmp_path_factory.mktemp("cuts")
    written(folder, judged, returned, pl.String if text else pl.Int64)
    train = pl.DataFrame(had, schema=["query", "item"], orient="row")
    measures = [*OF_TRAIN, *OF_RUN, *(OF_ITEMS if closed else []), *(OF_JUDGEMENTS if with_qrels else [])]
    known = {"train": train, **({"items": ITEMS.head(closed)} if closed else {})}
    with pytest.MonkeyPatch.context() as patch:
        batches(patch, bytes_a_batch, partition, large=large)
        same(folder, with_qrels, measures, duplicates=duplicates, **known)
    shutil.rmtree(folder)


@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("judged", [True, False])
@pytest.mark.parametrize("size", [300, 1500, 6000])
def test_batches_of_any_size_give_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grouped: bool, judged: bool, size: int
) -> None:
    batches(monkeypatch, size, 4 * size)
    draw = np.random.default_rng(1)
    returned = [(u, int(i), draw.integers(0, 5)) for u in range(60) for i in draw.permutation(40)[:9]]
    if not grouped:
        returned = [returned[place] for place in draw.permutation(len(returned))]
    grades = [(u, int(i), draw.integers(0, 3)) for u in range(5, 70) for i in draw.permutation(50)[:4]]
    written(tmp_path, grades, returned)
    train = [(int(u), int(i)) for u, i in draw.integers(0, 45, (300, 2))]
    measures = [*OF_TRAIN, *OF_RUN, *(OF_JUDGEMENTS if judged else [])]
    same(tmp_path, judged, measures, train=train, hash_inputs=True)


def test_an_item_that_cannot_be_recommended_is_named_as_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches(monkeypatch, 100)
    written(tmp_path, [(0, 1, 1)], [(u, u + i, -i) for u in range(30) for i in range(3)])
    same(tmp_path, False, ["CatalogueCoverage@2"], items=ITEMS)
    with pytest.raises(
        rm.DataError, match=r"41 of the 60 items .* 21 items, the first 10 at rank 2 of query 9 "
    ):
        rm.evaluate(None, str(tmp_path / "run.parquet"), "CatalogueCoverage@2", items=ITEMS, **SMALL)


def test_the_engine_is_chosen_by_the_size_of_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, [(0, 1, 1)], [(u, i, -i) for u in range(30) for i in range(3)])
    seen: list[Any] = []
    observe = stream.observe_sources
    monkeypatch.setattr(stream, "observe_sources", lambda *a, **o: (seen.append(a), observe(*a, **o))[1])
    monkeypatch.setattr("rankmark.engines.selection.LEAST", 0)
    monkeypatch.setattr("rankmark.inputs.memory.free_memory", lambda: 1)
    found = rm.evaluate(None, str(tmp_path / "run.parquet"), "AggregateDiversity@2")
    assert (found["AggregateDiversity@2"], len(seen)) == (2, 1)
    assert found.counts.judged == 0
