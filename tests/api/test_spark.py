"""The Spark engine beside the local one: on a cluster of two executors, and on partitions made by hand."""

from __future__ import annotations

import itertools
import json
import math
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import rankmark as rm
from clusters import QUICK_START
from installed import need_java, peer
from processes import python
from rankmark.aggregation.finish import finished
from rankmark.aggregation.merged_rows import merged_rows
from rankmark.aggregation.query_state import QueryState
from rankmark.aggregation.row_tally import RowTally, told_sums
from rankmark.aggregation.state import merged
from rankmark.aggregation.tally import Tally
from rankmark.engines import local
from rankmark.engines import spark as engine
from rankmark.engines import spark_driver as driver
from rankmark.engines import spark_in_place as in_place_engine
from rankmark.engines import spark_parcels as parcels
from rankmark.engines.spark_grouped import GroupedTask
from rankmark.engines.spark_in_place import TaskInPlace
from rankmark.engines.spark_judgements import Judgements
from rankmark.engines.spark_parcels import said_types
from rankmark.engines.spark_rest import Rest
from rankmark.engines.spark_rows import RowTask
from rankmark.inputs import read_inputs
from rankmark.inputs.catalogue import Numbered
from rankmark.inputs.predictions.columns import PredictionColumns
from rankmark.inputs.tables.spark_frames import PARTS, FrameNames
from rankmark.kinds.row_core import BINARY
from rankmark.kinds.rows import Undefined
from rankmark.language.plan import planned

pytestmark = [
    pytest.mark.spark,
    pytest.mark.timeout(600),  # a busy machine starts Java slowly
    pytest.mark.xdist_group("spark"),  # one session for all, see `clusters`
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

MEASURES = [
    *("nDCG@10", "nDCG(gain=exp2)@5", "AP", "AP(mean=geometric)", "RR", "R@20", "P@5", "ERR@10", "Bpref"),
    *("NumRelRet", "NumQ", "MPR", "Judged@10"),
]


def tables(queries: int = 300, *, seed: int = 1, text: bool = False) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Many ties, one list of a third of all rows, queries only judged and only answered, nothing relevant."""
    draw = np.random.default_rng(seed)

    def rows(first: int, count: int, value: str, values: np.ndarray[Any, Any]) -> pl.DataFrame:
        query = np.where(draw.random(count) < 0.3, 17, draw.integers(first, first + queries, count))
        frame = pl.DataFrame({"query": query, "item": draw.integers(0, 900, count), value: values})
        frame = frame.unique(["query", "item"], keep="first", maintain_order=True)
        return frame.with_columns(pl.col("query", "item").cast(pl.String)) if text else frame

    qrels = rows(0, 12 * queries, "relevance", draw.choice((-1, 0, 0, 0, 1, 2, 3), 12 * queries))
    run = rows(20, 30 * queries, "score", draw.integers(0, 40, 30 * queries) / 7)
    return qrels, run


@pytest.fixture(scope="module", autouse=True)
def pyspark() -> Any:
    return peer("pyspark", "'rankmark[spark]'")


def frames(spark: Any, *of: pl.DataFrame) -> list[Any]:
    """As Spark's, in several partitions."""
    return [spark.createDataFrame(frame.to_arrow()).repartition(3) for frame in of]


def in_order_of_queries(spark: Any, qrels: pl.DataFrame, run: pl.DataFrame) -> tuple[Any, Any]:
    """As Spark's, the results query by query; partitions end anywhere."""
    (judged,) = frames(spark, qrels)
    return judged, spark.createDataFrame(run.sort("query", maintain_order=True).to_arrow())


def assert_same(there: rm.results.ListResult, here: rm.results.ListResult) -> None:
    assert there.per_query.equals(here.per_query.sort("query"))
    assert there.values == pytest.approx(here.values, rel=1e-12, abs=0, nan_ok=True)
    assert there.counts == here.counts
    assert there.inputs == here.inputs
    assert there.notes == here.notes
    for measure in here:
        assert there.signature(measure) == here.signature(measure)


ODD = pl.col("query") % 2 == 1


def batches(qrels: pl.DataFrame, run: pl.DataFrame, rows: int) -> list[list[Any]]:
    """Three partitions, as Spark would make them of these tables: batches of so many rows."""
    parts = [
        frame.select(
            pl.col("query").hash().cast(pl.Int64, wrap_numerical=True).alias("key"),
            pl.lit(value == "relevance").alias("judged"),
            "query",
            "item",
            pl.col(value).cast(pl.Float64).alias("value"),
            *(name for name in ("aspect", "aspect_weight") if name in frame.columns),
        )
        for frame, value in ((qrels, "relevance"), (run, "score"))
    ]
    whole = (
        pl.concat(parts, how="diagonal").sort("key", maintain_order=True).with_columns(part=pl.col("key") % 3)
    )
    return [
        part.to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches(max_chunksize=rows)
        for part in whole.partition_by("part", include_key=False)
    ]


def task(measures: list[str], **choices: Any) -> engine.Task:
    return engine.Task(
        planned(measures, None, choices, items=True),
        FrameNames("qrels", "query", "i{}em", "relevance"),
        FrameNames("run", "query", "item", "score"),
    )


def tally(job: engine.Task, partitions: list[list[Any]]) -> Tally:
    told = [json.loads(batch["told"][0].as_py()) for part in partitions for batch in job.tallies(part)]
    return merged(Tally(), (Tally.from_json(each["tally"]) for each in told))


@given(rows=st.integers(1, 400), block=st.integers(1, 2000), seed=st.integers(0, 5), data=st.data())
def test_no_partitioning_changes_a_value(rows: Any, block: Any, seed: Any, data: st.DataObject) -> None:
    qrels, run = tables(20, seed=seed)
    here = rm.evaluate(qrels, run, MEASURES, missing="skip")
    job = task(MEASURES, missing="skip")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parcels, "BLOCK_ROWS", block)
        partitions = data.draw(st.permutations(batches(qrels, run, rows)))
        whole = tally(job, [*partitions, []])
        per_query = [pl.DataFrame(batch) for part in partitions for batch in job.per_query(part)]
    assert pl.concat(per_query).sort("query").equals(here.per_query.sort("query"))
    made = finished(job.plan, whole, whole.words())
    assert made.counts == here.counts
    # Exact sums, which the order of queries does not change.
    once = tally(job, [[batch for part in batches(qrels, run, rows) for batch in part]])
    assert made == finished(job.plan, once, once.words())
    values = {str(measure): value for measure, value in made.values.items()}
    assert values == pytest.approx(here.values, rel=1e-12, abs=0)


def as_types(kind: str, frame: pl.DataFrame) -> pl.DataFrame:
    """Ids and numbers that need few bytes, or many, or many in some places, and texts."""
    ids, value = pl.col("query", "item"), pl.col("score" if "score" in frame.columns else "relevance")
    some = pl.col("item") % 7 == 0
    return {
        "narrow": frame.with_columns(ids.cast(pl.Int32), value.cast(pl.Float32)),
        "mixed": frame.with_columns(pl.col("item") + pl.when(some).then(1 << 40).otherwise(0)),
        "wide": frame.with_columns(ids * (1 << 33) - (1 << 60), value / 3),
        "text": frame.with_columns((pl.lit("é") + ids.cast(pl.String)).name.keep()),
    }[kind]


def part_of_texts(frame: pl.DataFrame) -> pl.Series:
    """The part that each query is of, as Spark's hash would say."""
    return (frame["query"].hash() % PARTS).cast(pl.Int16)


def sent(job: engine.Task, side: str, frame: pl.DataFrame, rows: int) -> list[Any]:
    """The parcels of two partitions, read in batches of so many rows."""
    assert job.parcels is not None
    value = "relevance" if side == "qrels" else "score"
    own = frame.rename({value: "value"})
    if own["query"].dtype == pl.String:
        own = own.with_columns(part=part_of_texts(own))
    send = job.parcels.judgements if side == "qrels" else job.parcels.results
    half = own.height // 2
    whole = [part.to_arrow(compat_level=pl.CompatLevel.oldest()) for part in (own[:half], own[half:])]
    return [each for part in whole for each in send(part.to_batches(max_chunksize=rows))]


def in_partitions(parts: list[Any], rows: int) -> list[list[Any]]:
    """Parcels in three partitions, as Spark would make them, in batches of so many."""
    import pyarrow as pa

    whole = pl.DataFrame(pa.Table.from_batches(parts)).sort("part")
    split = [whole.filter(pl.col("part") % 3 == number) for number in range(3)]
    return [
        each.to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches(max_chunksize=rows) for each in split
    ]


@given(
    rows=st.integers(1, 400),
    block=st.integers(1, 2000),
    seed=st.integers(0, 5),
    parcel=st.sampled_from([1, 7, 1 << 14]),
    kind=st.sampled_from(["narrow", "mixed", "wide", "text"]),
)
def test_no_parcels_change_a_value(rows: int, block: int, seed: int, parcel: int, kind: str) -> None:
    qrels, run = (as_types(kind, frame) for frame in tables(20, seed=seed))
    here = rm.evaluate(qrels, run, MEASURES, missing="skip", hash_inputs=True)
    ids = "string" if kind == "text" else "integer"
    job = task(MEASURES, missing="skip")
    columns = (("query", ids), ("item", ids), ("value", "number"))
    job = replace(job, parcels=parcels.Parcels(columns, job.qrels, job.run), hash_inputs=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parcels, "BLOCK_ROWS", block)
        patch.setattr(parcels, "PARCEL_ROWS", parcel)
        partitions = in_partitions(sent(job, "qrels", qrels, rows) + sent(job, "run", run, rows), rows)
        whole = tally(job, [*partitions, []])
        per_query = [pl.DataFrame(batch) for part in partitions for batch in job.per_query(part)]
    assert pl.concat(per_query).sort("query").equals(here.per_query.sort("query"))
    made = finished(job.plan, whole, whole.words())
    assert made.counts == here.counts
    assert {side: f"{digest:016x}" for side, digest in whole.digests.items()} == here.inputs
    values = {str(measure): value for measure, value in made.values.items()}
    assert values == pytest.approx(here.values, rel=1e-12, abs=0)


def grouped(
    kind: str, qrels: pl.DataFrame, run: pl.DataFrame, cuts: list[int], rows: int, **choices: Any
) -> Tally:
    """The tally of a run that is in partitions cut there, read in batches of so many rows."""
    job = replace(task(MEASURES, missing="skip", **choices), hash_inputs=True)
    ids = "string" if kind == "text" else "integer"
    columns = (("query", ids), ("item", ids), ("value", "number"))
    oldest = pl.CompatLevel.oldest()
    judgements = qrels.rename({"relevance": "value"}).to_arrow(compat_level=oldest)
    if kind == "text":
        judgements = judgements.append_column("part", part_of_texts(qrels).to_arrow())
    of_all = GroupedTask(job, Judgements.of(columns, judgements))
    places = [0, *sorted(cuts), run.height]
    sent = run.rename({"score": "value"})
    partitions = [
        sent[start:end].to_arrow(compat_level=oldest).to_batches(max_chunksize=rows)
        for start, end in itertools.pairwise(places)
    ]
    there: Any = _Partitions(partitions)
    return of_all.whole(driver.told_beside(there, of_all.tallies))


@given(
    rows=st.integers(1, 400),
    block=st.integers(1, 2000),
    seed=st.integers(0, 5),
    cuts=st.lists(st.integers(0, 500), max_size=5),
    kind=st.sampled_from(["narrow", "mixed", "wide", "text"]),
)
def test_no_partitioning_of_a_grouped_run_changes_a_value(
    rows: int, block: int, seed: int, cuts: list[int], kind: str
) -> None:
    qrels, run = (as_types(kind, frame) for frame in tables(20, seed=seed))
    run = run.sort("query", maintain_order=True)
    here = rm.evaluate(qrels, run, MEASURES, missing="skip", hash_inputs=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parcels, "BLOCK_ROWS", block)
        whole = grouped(kind, qrels, run, [min(cut, run.height) for cut in cuts], rows)
    once = grouped(kind, qrels, run, [], run.height)
    plan = planned(MEASURES, None, {"missing": "skip"})
    made = finished(plan, whole, whole.words())
    assert made == finished(plan, once, once.words())
    assert made.counts == here.counts
    assert {side: f"{digest:016x}" for side, digest in whole.digests.items()} == here.inputs
    values = {str(measure): value for measure, value in made.values.items()}
    assert values == pytest.approx(here.values, rel=1e-12, abs=0)


def test_a_run_that_is_not_grouped_is_refused() -> None:
    qrels, run = tables(50)
    said = r"rows of \d+ quer(y|ies), such as \d+, are not next to each other"
    with pytest.raises(rm.DataError, match=said):
        grouped("wide", qrels, run, [], 100)
    run = run.sort("query", maintain_order=True)
    apart = pl.concat([run, run.filter(pl.col("query") == 30).with_columns(item=pl.col("item") + 1000)])
    with pytest.raises(rm.DataError, match="rows of 1 query, such as 30, are"):
        grouped("wide", qrels, apart, [run.height], 100)


def test_what_is_wrong_in_a_grouped_run_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parcels, "BLOCK_ROWS", 50)
    qrels, run = tables(20)
    run = run.sort("query", maintain_order=True)
    wrong = run.with_columns(score=pl.when(ODD).then(math.nan).otherwise("score"))
    with pytest.raises(rm.DataError, match=f"the score column 'score' has {run.filter(ODD).height} NaN"):
        grouped("wide", qrels, wrong, [100, 200], 20).check()
    twice = pl.concat([run, run.filter(pl.col("query") == 17)]).sort("query", maintain_order=True)
    with pytest.raises(rm.DataError, match="an item that was returned before for the same query"):
        grouped("wide", qrels, twice, [100, 200], 20).check()
    with pytest.raises(rm.DataError, match="an item that was judged before for the same query"):
        grouped("wide", pl.concat([qrels, qrels[:3]]), run, [100, 200], 20).check()


def of_same_queries(seed: int = 1) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Half of the queries of each table are in the other one, too; the results query by query."""
    qrels, run = tables(20, seed=seed)
    return qrels, run.with_columns(pl.col("query") - 10).sort("query", maintain_order=True)


def in_place(
    kind: str, qrels: pl.DataFrame, run: pl.DataFrame, cuts: list[int], rows: int, **choices: Any
) -> tuple[Tally | None, int]:
    """The tally of a run in partitions cut there, read in batches of so many rows; how many queries are sent.

    No tally where a query was evaluated and has rows elsewhere.
    """
    job = replace(task(MEASURES, missing="skip", **choices), hash_inputs=True)
    ids = "string" if kind == "text" else "integer"
    columns = (("query", ids), ("item", ids), ("value", "number"))
    judgements, results = qrels.rename({"relevance": "value"}), run.rename({"score": "value"})
    if kind == "text":
        judgements, results = (
            frame.with_columns(part=part_of_texts(frame)) for frame in (judgements, results)
        )
    oldest = pl.CompatLevel.oldest()
    all_judged = Judgements.of(columns, judgements.to_arrow(compat_level=oldest))
    everywhere: Any = SimpleNamespace(value=all_judged)
    of_all = TaskInPlace(job, parcels.Parcels(columns, job.qrels, job.run), everywhere)
    places = [0, *sorted(cuts), run.height]
    partitions = [
        results[start:end].to_arrow(compat_level=oldest).to_batches(max_chunksize=rows)
        for start, end in itertools.pairwise(places)
    ]
    there: Any = _Partitions(partitions, rows)
    sent = there.mapInArrow(of_all.sent, said_types(of_all.types))
    rest = Rest.of((row.state for row in sent.where("told IS NOT NULL").collect()), columns)
    parts = in_partitions(sent.where("part IS NOT NULL").batches, rows)
    opened = [each.results for part in parts for each in of_all.parcels.opened(part)]
    queries = sum(len(each["query"].unique()) for each in [rest.results, *opened])
    return of_all.tally(there, all_judged), queries


@given(
    rows=st.integers(1, 400),
    block=st.integers(1, 2000),
    seed=st.integers(0, 5),
    cuts=st.lists(st.integers(0, 500), max_size=5),
    kind=st.sampled_from(["narrow", "mixed", "wide", "text"]),
    shuffled=st.sampled_from([0, 10, 20]),
    room=st.sampled_from([0, 1000, 5000, 1 << 24]),
)
def test_no_partitioning_in_place_changes_a_value(
    rows: int, block: int, seed: int, cuts: list[int], kind: str, shuffled: int, room: int
) -> None:
    qrels, run = (as_types(kind, frame) for frame in of_same_queries(seed))
    is_mixed = run["query"].rle_id() < shuffled
    mixed = run.filter(is_mixed).sample(fraction=1, shuffle=True, seed=seed)
    run = pl.concat([mixed, run.filter(~is_mixed)])
    here = rm.evaluate(qrels, run, MEASURES, missing="skip", hash_inputs=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parcels, "BLOCK_ROWS", block)
        patch.setattr(in_place_engine, "ROOM", room)
        whole, _ = in_place(kind, qrels, run, [min(cut, run.height) for cut in cuts], rows)
    if whole is None:  # by chance rows that are mixed looked as if they were not
        assert shuffled
        return
    once, _ = in_place(kind, qrels, run, [], run.height)
    plan = planned(MEASURES, None, {"missing": "skip"})
    made = finished(plan, whole, whole.words())
    assert once is not None
    assert made == finished(plan, once, once.words())
    assert made.counts == here.counts
    assert {side: f"{digest:016x}" for side, digest in whole.digests.items()} == here.inputs
    values = {str(measure): value for measure, value in made.values.items()}
    assert values == pytest.approx(here.values, rel=1e-12, abs=0)


@pytest.mark.parametrize("room", [0, 1 << 24])
def test_of_rows_that_stand_by_query_few_are_sent(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_place_engine, "ROOM", room)
    qrels, run = tables(300)
    grouped_run = run.sort("query", maintain_order=True)
    monkeypatch.setattr(parcels, "BLOCK_ROWS", 5000)
    whole, queries = in_place("wide", qrels, grouped_run, [4000], 1000)
    assert whole is not None
    assert queries < 9
    assert whole.run_rows == run.height
    mixed, queries = in_place("wide", qrels, run, [4000], 1000)
    assert mixed is not None
    assert queries == run["query"].n_unique()
    plan = planned(MEASURES, None, {"missing": "skip"})
    assert finished(plan, mixed, mixed.words()) == finished(plan, whole, whole.words())


def test_the_later_a_partition_the_less_comes_here_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_place_engine, "partition", itertools.count().__next__)
    monkeypatch.setattr(in_place_engine, "ROOM", 4000)
    qrels, run = tables(20)
    rows = run.rename({"score": "value"})[:50].to_arrow()  # of 24 bytes each
    columns = (("query", "integer"), ("item", "integer"), ("value", "number"))
    job = task(["AP"])
    here: Any = SimpleNamespace(value=Judgements.of(columns, qrels.rename({"relevance": "value"}).to_arrow()))
    of_all = TaskInPlace(job, parcels.Parcels(columns, job.qrels, job.run), here)
    told = [list(of_all.sent(rows.to_batches()))[-1] for _ in range(5)]
    assert [batch["state"].is_valid().to_pylist() for batch in told] == [[True]] * 3 + [[False]] * 2


@pytest.mark.parametrize("room", [0, 1 << 24])
def test_a_query_that_was_evaluated_and_has_rows_elsewhere_is_seen(
    room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_place_engine, "ROOM", room)
    qrels, run = tables(50)
    run = run.sort("query", maintain_order=True)
    row, again = run.filter(pl.col("query") == 30).head(1), run.filter(pl.col("query").is_between(25, 35))
    for elsewhere in (row, again):
        more = elsewhere.with_columns(item=pl.col("item") + 1000)
        assert in_place("wide", qrels, pl.concat([run, more]), [run.height], 100)[0] is None


@pytest.mark.parametrize("room", [0, 1 << 24])
def test_what_is_wrong_in_place_is_refused(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_place_engine, "ROOM", room)
    monkeypatch.setattr(parcels, "BLOCK_ROWS", 200)
    qrels, run = of_same_queries()
    wrong = run.with_columns(score=pl.when(ODD).then(math.nan).otherwise("score"))
    twice = pl.concat([run, run.filter(pl.col("query") == 15)]).sort("query", maintain_order=True)
    for judged, returned, words in (
        (qrels, wrong, f"the score column 'score' has {run.filter(ODD).height} NaN"),
        (qrels, twice, "an item that was returned before for the same query"),
        (pl.concat([qrels, qrels[:3]]), run, "rows have an item that was judged before for the same query"),
    ):
        whole, _ = in_place("wide", judged, returned, [100, 200], 20)
        assert whole is not None
        with pytest.raises(rm.DataError, match=words):
            whole.check()


def test_what_is_wrong_is_told_instead_of_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parcels, "BLOCK_ROWS", 50)
    qrels, run = tables(20)
    run = run.with_columns(score=pl.when(ODD).then(math.nan).otherwise("score"))
    wrong = run.filter(ODD).height
    job = task(["AP"])
    columns = (("query", "integer"), ("item", "integer"), ("value", "number"))
    job = replace(job, parcels=parcels.Parcels(columns, job.qrels, job.run))
    partitions = in_partitions(sent(job, "qrels", qrels, 20) + sent(job, "run", run, 20), 20)
    whole = tally(job, partitions)
    assert whole.run_rows == run.height
    with pytest.raises(
        rm.DataError, match=f"run: the score column 'score' has {wrong} NaN, for example in q"
    ):
        refused(job, whole)
    with pytest.raises(rm.DataError, match=r"has \d+ NaN"):
        [each for part in partitions for each in job.per_query(part)]


def test_extents_and_the_order_of_lists_add_up() -> None:
    qrels, run = tables(50)
    names = task(["nDCG@10"])
    job = engine.Task(planned("ndcg@10", "lightgbm", {"ties": "expected"}), names.qrels, names.run)
    halves = [[f.filter((f["query"] > 25) == upper) for f in (qrels, run)] for upper in (False, True)]
    whole = tally(job, [[each for part in batches(*half, 30) for each in part] for half in halves])
    for side, values in (("qrels", qrels["relevance"]), ("run", run["score"])):
        fraction = bool((values.cast(pl.Float64) % 1 != 0).any())
        own = side == "run" and bool((run["query"] == run["item"]).any())
        assert whole.extents[side] == (values.min(), values.max(), fraction, own)
    assert whole.order == local.observe(*read_inputs(qrels, run, None), job.plan.groups(), None).order
    assert tally(names, batches(qrels, run, 30)).extents == {}


def test_a_block_ends_where_a_query_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parcels, "BLOCK_ROWS", 100)
    qrels, run = tables(50)
    for part in batches(qrels, run, 30):
        blocks = list(parcels.blocks(part))
        queries = [set(block["query"].to_pylist()) for block in blocks]
        assert len(blocks) > 3
        assert sum(map(len, queries)) == len(set().union(*queries))
        assert sum(block.num_rows for block in blocks) == sum(batch.num_rows for batch in part)


@pytest.mark.parametrize(
    ("side", "change", "choices", "message"),
    [
        (
            *("run", pl.when(ODD).then(math.nan).otherwise("score").alias("score"), {}),
            r"run: the score column 'score' has \d\d\d NaN, for example in query \d+; remove or replace",
        ),
        (
            *("qrels", (pl.col("relevance") / 0).alias("relevance"), {}),
            r"qrels: the relevance column 'relevance' has \d\d\d NaN or infinite, for example in query 0",
        ),
        (
            *("qrels", pl.when(ODD).then("item").alias("item"), {}),
            r"qrels: the item column 'i{}em' has \d+ nulls, for example in query 0; remove those rows",
        ),
        (
            *("run", (pl.col("item") // 2).alias("item"), {}),
            r"run: \d+ rows have an item that was returned before for the same query, for example in",
        ),
        (
            *("run", "score", {"unjudged_queries": "error"}),
            r"run: results for 20 queries \(20, 21, 22, …\) without judgements",
        ),
        (
            *("run", "score", {"missing": "error"}),
            r"run has no results for 19 queries \(0, 1, 2, …\) with judgements",
        ),
        (
            *("qrels", pl.lit(0).alias("relevance"), {"no_relevant": "error"}),
            r"AP: nothing is relevant in 20 q",
        ),
    ],
    ids=["nan", "infinite", "null", "duplicates", "unjudged", "missing", "no relevant"],
)
def test_what_is_wrong_is_counted_over_all_partitions(
    monkeypatch: pytest.MonkeyPatch, side: Any, change: Any, choices: Any, message: Any
) -> None:
    monkeypatch.setattr(parcels, "BLOCK_ROWS", 50)
    both = dict(zip(("qrels", "run"), tables(20), strict=True))
    both[side] = both[side].with_columns(change)
    job = task(["AP"], **choices)
    whole = tally(job, batches(both["qrels"], both["run"], 20))
    with pytest.raises(rm.DataError, match=message):
        refused(job, whole)


def refused(job: engine.Task, whole: Tally) -> None:
    whole.check()
    finished(job.plan, whole, whole.words())


def test_an_executor_tells_an_error_instead_of_raising_it() -> None:
    job = task(["AP"], ties="expected")
    job = engine.Task(planned(["ERR(max_grade=3)@10"], None, {"ties": "expected"}), job.qrels, job.run)
    [told] = job.tallies(batches(*tables(5), 50)[0])
    assert json.loads(told["told"][0].as_py())["error"] == "MeasureError"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "choices"),
    [
        (False, {"hash_inputs": True}),
        (True, {"ties": "random", "seed": 3, "missing": "skip", "no_relevant": "skip", "scores": "float32"}),
        (False, {"like": "ranx", "ties": "item-asc", "unjudged": "ignore"}),
    ],
    ids=["standard", "text", "convention"],
)
def test_spark_gives_the_values_of_the_local_engine(
    spark: Any, text: Any, choices: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    qrels, run = tables(text=text)
    measures = ["ndcg@10", "map", "mrr", "precision@5"] if "like" in choices else MEASURES
    here = rm.evaluate(qrels, run, measures, **choices)
    there = rm.spark.evaluate(*frames(spark, qrels, run), measures, **choices)
    assert_same(there, here)
    monkeypatch.setattr(in_place_engine, "are_few", lambda _: False)
    sent = rm.spark.evaluate(*frames(spark, qrels, run), measures, **choices)
    monkeypatch.undo()
    together = rm.spark.evaluate(*in_order_of_queries(spark, qrels, run), measures, **choices)
    for other in (sent, together):
        assert (other.values, other.counts) == (there.values, there.counts)
        assert (other.inputs, other.notes) == (there.inputs, there.notes)
    assert [n for n in there.notes if "not as in" in n] == [n for n in here.notes if "not as in" in n]
    said_so = rm.spark.evaluate(*in_order_of_queries(spark, qrels, run), measures, grouped=True, **choices)
    assert (said_so.values, said_so.counts) == (there.values, there.counts)
    assert (said_so.inputs, said_so.notes) == (there.inputs, there.notes)


@pytest.mark.slow
def test_queries_with_rows_in_several_partitions_are_brought_together(spark: Any) -> None:
    qrels, run = tables(40)
    run = run.sort("query", maintain_order=True)
    odd = pl.col("item") % 2 == 1
    judged, *halves = frames(spark, qrels, run.filter(odd), run.filter(~odd))
    halves = [half.coalesce(1).sortWithinPartitions("query") for half in halves]
    measures = ["nDCG@10", "AP"]
    assert_same(
        rm.spark.evaluate(judged, halves[0].union(halves[1]), measures), rm.evaluate(qrels, run, measures)
    )
    (unknown,) = frames(spark, qrels.with_columns(relevance=pl.when(odd).then("relevance")))
    with pytest.raises(rm.DataError, match=r"qrels: the relevance column 'relevance' has \d+ nulls"):
        rm.spark.evaluate(unknown, halves[0], measures)


@pytest.mark.slow
def test_ratios_are_compared_and_slices_made_as_by_the_local_engine(spark: Any) -> None:
    qrels, run = tables(60)
    # In the order in which the values come from a cluster, so that nothing differs by a sum's rounding.
    qrels = qrels.sort("query").with_columns(letter=pl.format("of {}", pl.col("query") % 4))
    run = run.with_columns(part=pl.col("query") % 3)
    other = run.with_columns(pl.col("score") * -1)
    measures = ["HitRatio@5", "MeanRank", "MPR(items=900)", "AP"]
    judged, *returned = frames(spark, qrels, run, other)
    here = [rm.evaluate(qrels, each, measures, by=["letter", "part"]) for each in (run, other)]
    there: list[Any] = [rm.spark.evaluate(judged, each, measures, by=["letter", "part"]) for each in returned]
    for one, same in zip(there, here, strict=True):
        assert one.slices.frame.equals(same.slices.frame)  # type: ignore[union-attr]
    compared, expected = (
        rm.compare_results({"one": each[0], "other": each[1]}, resamples=99) for each in (there, here)
    )
    assert compared.table.equals(expected.table)
    assert rm.gate(None, there[1], there[0], "HitRatio@5", max_drop="99%").measures
    with pytest.raises(rm.UsageError, match="rows on a cluster have no order"):
        rm.spark.evaluate(judged, returned[0], ["AP"], by=np.arange(5))
    with pytest.raises(rm.ColumnError, match="by='letters': no table has such a column; did you mean"):
        rm.spark.evaluate(judged, returned[0], ["AP"], by="letters")


@pytest.mark.slow
def test_weights_clusters_and_intervals_are_those_of_the_local_engine(spark: Any) -> None:
    qrels, run = tables(60)
    qrels = qrels.sort("query").with_columns(traffic=1 + pl.col("query") % 7, user=pl.col("query") // 5)
    judged, returned = frames(spark, qrels, run)
    weights = {query: 1 + query % 7 for query in qrels["query"].unique().to_list()}
    users = pl.DataFrame({"query": list(weights), "w": [0.5 * w for w in weights.values()]})
    measures = ["nDCG@10", "AP"]
    for how in (
        {"weights": "traffic", "intervals": True, "clusters": "user", "by": "user"},
        {"weights": weights, "intervals": "bca", "resamples": 500, "seed": 3, "confidence": 0.9},
        {"weights": "w", "attributes": users},
    ):
        here = rm.evaluate(qrels, run, measures, **how)  # type: ignore[arg-type]
        there: Any = rm.spark.evaluate(judged, returned, measures, **how)  # type: ignore[arg-type]
        assert there.values == here.values
        assert there.intervals == here.intervals
        assert there.weights == here.weights
        assert there.signature("AP") == here.signature("AP")
        assert str(there.slices) == str(here.slices)
    there = rm.spark.evaluate(judged, returned, measures, attributes=frames(spark, users)[0], weights="w")
    assert there.values == here.values
    refused: list[tuple[dict[str, Any], str]] = [
        ({"weights": np.arange(5)}, "weights has 5 values, and a cluster has no rows with an order"),
        ({"weights": "trafic"}, "weights='trafic': no table has such a column; did you mean 'traffic'"),
        ({"weights": {**weights, 17: -1}}, "1 of [0-9]+ judged queries have one below 0"),
        ({"clusters": "user"}, "clusters are for intervals"),
        ({"weights": weights, "per_query": True}, "weights is of a result; leave out per_query"),
    ]
    for wrong, words in refused:
        with pytest.raises(rm.errors.RankmarkError, match=words):
            rm.spark.evaluate(judged, returned, measures, **wrong)


def test_of_ratios_both_sums_are_told_of_each_query() -> None:
    qrels, run = tables(20)
    here = rm.evaluate(qrels, run, ["HitRatio@5", "AP"])
    job = task(["HitRatio@5", "AP"])
    job = engine.Task(job.plan, job.qrels, job.run, parts=True)
    rows = [pl.DataFrame(batch) for part in batches(qrels, run, 50) for batch in job.per_query(part)]
    found, ids = pl.concat(rows), pl.DataFrame({"query": here.query_ids})
    assert found.columns == ["query", "HitRatio@5", "AP", "HitRatio@5 above", "HitRatio@5 below"]
    found = ids.join(found, on="query", how="left", maintain_order="left")
    above, below = here.query_parts[here.measures[0]]
    assert found["HitRatio@5 above"].to_list() == above.tolist()
    assert found["HitRatio@5 below"].to_list() == below.tolist()


@pytest.mark.slow
def test_a_column_says_the_order_of_rows(spark: Any) -> None:
    qrels, run = tables(40)
    run = pl.concat([run, run.with_columns(pl.col("score") + 1)])  # every item twice
    choices = {"ties": "input", "duplicates": "first"}
    here = rm.evaluate(qrels, run, MEASURES, **choices)
    there = frames(spark, *(f.with_columns(row=pl.int_range(f.height)) for f in (qrels, run)))
    assert_same(rm.spark.evaluate(*there, MEASURES, order="row", **choices), here)


@pytest.mark.slow
def test_per_query_is_a_spark_table_of_the_judged_queries(spark: Any) -> None:
    qrels, run = tables(40)
    columns = {"query": "who", "run.score": "how much"}
    qrels, run = (frame.rename({"query": "who"}) for frame in (qrels, run))
    run = run.rename({"score": "how much"})
    here = rm.evaluate(qrels, run, ["AP", "P@5"], columns=columns, missing="skip")
    there = rm.spark.evaluate(
        *frames(spark, qrels, run), ["AP", "P@5"], columns=columns, missing="skip", per_query=True
    )
    assert there.columns == ["query", "AP", "P@5"]
    assert pl.DataFrame(there.toArrow()).sort("query").equals(here.per_query.sort("query"))


@pytest.mark.slow
def test_a_row_can_be_a_list(spark: Any) -> None:
    qrels, run = tables(40)
    ranked = run.sort("score", descending=True, maintain_order=True).group_by("query", maintain_order=True)
    lists = ranked.agg("item", "score")
    here = rm.evaluate(qrels, lists, ["AP", "P@5"])
    assert_same(rm.spark.evaluate(*frames(spark, qrels, lists), ["AP", "P@5"]), here)
    assert_same(rm.spark.evaluate(*frames(spark, qrels, lists), ["AP", "P@5"], grouped=True), here)
    ranks = lists.drop("score")
    here = rm.evaluate(qrels, ranks, ["AP", "P@5"])
    assert_same(rm.spark.evaluate(*frames(spark, qrels, ranks), ["AP", "P@5"]), here)
    with pytest.raises(rm.DataError, match="run: 1 query has several lists, and no scores"):
        rm.spark.evaluate(*frames(spark, qrels, pl.concat([ranks, ranks.head(1)])), ["AP"])


@pytest.mark.slow
def test_the_rows_are_evaluated_by_the_executors(spark: Any) -> None:
    from pyspark.sql import functions

    def process(batches: Any) -> Iterator[Any]:
        import pyarrow as pa

        for _ in batches:
            yield pa.RecordBatch.from_pydict({"parent": [os.getppid()]})

    rows = spark.range(4).repartition(4, functions.col("id"))
    found = driver.on_executors(rows, process, "parent long").collect()
    assert os.getpid() not in {row.parent for row in found}


@pytest.mark.slow
def test_rows_that_are_not_shuffled_are_read_as_batches_that_are_collected(spark: Any) -> None:
    from pyspark.sql import Observation, functions

    def work(batches: Any) -> Iterator[Any]:
        ids = sorted(each for batch in batches for each in batch["id"].to_pylist())
        return engine.told(lambda: ",".join(ids))

    def plan(rows: Any) -> str:
        sent = driver.in_few_rows(rows, work, said_types(engine.TOLD))
        return str(sent._jdf.queryExecution().executedPlan())

    there = spark.range(4).selectExpr("CAST(id AS string) AS id")
    shuffled = there.repartition(1)
    assert ("MapInArrow" in plan(there), "MapInArrow" in plan(shuffled)) == (False, True)
    assert "MapInArrow" in plan(there.observe(Observation(), functions.count("id").alias("rows")))
    with driver._set(spark, driver.LARGE_TYPES, "true"):
        assert sorted(",".join(driver.told(there, work)).split(",")) == ["0", "1", "2", "3"]
        assert driver.told(shuffled, work) == ["0,1,2,3"]


class _Session:
    """What is looked at of a session: where it is, which Python it has, and how it is configured."""

    def __init__(self, master: str, **conf: str) -> None:
        self.sparkContext = SimpleNamespace(master=master, pythonExec="python3")
        self.conf = conf

    def python(self) -> str:
        """The Python of executors that are given work, while nothing else has another one."""
        found = []

        def map_in_arrow(*_: Any) -> None:
            found.append(self.sparkContext.pythonExec)

        rows: Any = SimpleNamespace(sparkSession=self, mapInArrow=map_in_arrow)
        driver.on_executors(rows, print, "told string")
        assert self.sparkContext.pythonExec == "python3"
        return str(found[0])


def test_executors_of_this_machine_use_the_python_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    assert _Session("local[2]").python() == sys.executable
    assert _Session("local-cluster[2,1,768]").python() == sys.executable
    assert _Session("local[2]", **{"spark.pyspark.python": "python3.11"}).python() == "python3.11"
    assert _Session("yarn").python() == "python3"
    monkeypatch.setenv("PYSPARK_PYTHON", "python3")
    assert _Session("local[2]").python() == "python3"


class _Conf(dict[str, str]):
    """The configuration of a session, where somebody has set it."""

    set = dict.__setitem__
    unset = dict.__delitem__


@pytest.mark.parametrize(
    ("said", "rows"),
    [
        ({}, "10000"),
        ({driver.BATCH_BYTES: "64b", driver.BATCH_ROWS: "100"}, "100"),
        ({driver.BATCH_ROWS: "100000"}, "10000"),
        ({driver.BATCH_ROWS: "-1"}, "10000"),
    ],
)
def test_batches_end_by_their_rows_while_a_job_runs(said: dict[str, str], rows: str) -> None:
    conf = _Conf(said)
    seen: dict[str, str] = {}

    def work(_: Any) -> Iterator[Any]:
        seen.update(conf)
        return engine.told(lambda: "{}")

    partitions: Any = _Partitions([[]])
    partitions.sparkSession = SimpleNamespace(conf=conf)
    assert driver.told(partitions, work) == ["{}"]
    assert (seen, conf) == ({driver.BATCH_BYTES: driver.ANY_BYTES, driver.BATCH_ROWS: rows}, said)


@pytest.mark.slow
def test_spark_refuses_what_cannot_be_evaluated(spark: Any, tmp_path: Path) -> None:
    qrels, run = tables(10)
    good_qrels, good_run = frames(spark, qrels, run)

    def refused(
        message: Any, kind: Any = rm.DataError, qrels: Any = good_qrels, run: Any = good_run, **choices: Any
    ) -> None:
        with pytest.raises(kind, match=message):
            rm.spark.evaluate(qrels, run, ["AP"], **choices)

    refused("run has no column for a score or a rank", rm.ColumnError, run=good_run.drop("score"))
    refused("the score column 'score' is string, not numbers", rm.ColumnError,
            run=good_run.withColumn("score", good_run.score.cast("string")))  # fmt: skip
    refused(r"the query column 'query' is decimal\(10,0\); ids are", rm.ColumnError,
            run=good_run.withColumn("query", good_run["query"].cast("decimal(10,0)")))  # fmt: skip
    refused("the item ids are strings in qrels .column 'item'. but integers in run", rm.IdTypeError,
            qrels=good_qrels.withColumn("item", good_qrels["item"].cast("string")))  # fmt: skip
    refused("run is of type DataFrame, not a Spark DataFrame", rm.UsageError, run=run)
    refused("run has no rows", run=good_run.limit(0))
    refused('ties="input" depends on the order of rows.*order="…"', rm.ChoiceError, ties="input")
    refused("run has no column 'rwo'.*order='rwo'", rm.ColumnError, ties="input", order="rwo")

    path = tmp_path / "run.parquet"
    good_run.write.parquet(str(path))
    for part in [*path.glob("*.parquet")]:
        part.write_bytes(part.read_bytes()[:200])
    damaged = spark.read.schema("query long, item long, score double").parquet(str(path))
    refused(r"part-.*parquet: Spark cannot read the file; it is damaged", rm.FormatError, run=damaged)


OF_ITEMS = ["Novelty@5", "NotInTrain@3", "Serendipity@4", "AggregateDiversity@2", "ExposureEntropy@3"]
"""Of every query and of the whole run, with interactions before and with judgements."""
IN_CATALOGUE = ["CatalogueCoverage@3", "ExposureGini@5", "ILD@4"]


def known(*, text: bool, closed: bool) -> dict[str, Any]:
    """Interactions before; and the items, if these are all that there can be, in no order."""
    draw = np.random.default_rng(9)
    ids = pl.String if text else pl.Int64
    train = pl.DataFrame({"query": draw.integers(0, 60, 900), "item": draw.integers(0, 900, 900)}).cast(ids)
    if not closed:
        return {"train": train}
    items = pl.DataFrame({"item": draw.permutation(900)}).cast(ids)
    return {"train": train, "items": items.with_columns(category=pl.Series(draw.choice(list("xyz"), 900)))}


def assert_exactly(there: rm.results.ListResult, here: rm.results.ListResult) -> None:
    assert list(there.values.items()) == list(here.values.items())
    assert there.per_query.equals(here.per_query)
    assert there.counts == here.counts
    assert there.notes == here.notes
    assert there.inputs == here.inputs


class _Partitions:
    """What the driver looks at of a DataFrame, of partitions that are here, in batches of so many rows."""

    def __init__(self, parts: list[list[Any]], rows: int = 1000) -> None:
        self.parts, self.rows = parts, rows
        self.sparkSession = SimpleNamespace(conf=_Conf(), createDataFrame=self._of)

    @property
    def batches(self) -> list[Any]:
        return [batch for part in self.parts for batch in part]

    def mapInArrow(self, work: Any, schema: str) -> _Partitions:  # noqa: N802
        made = self._like([list(work(part)) for part in self.parts])
        names = [said.split()[0] for said in schema.split(", ")]
        assert all(batch.schema.names == names for batch in made.batches)
        return made

    def persist(self) -> _Partitions:
        return self

    def unpersist(self) -> None:
        self.parts = []

    def where(self, said: str) -> _Partitions:
        name = said.removesuffix(" IS NOT NULL")
        return self._like([[batch.filter(batch[name].is_valid()) for batch in part] for part in self.parts])

    def drop(self, *names: str) -> _Partitions:
        return self._like([[batch.drop_columns(names) for batch in part] for part in self.parts])

    def union(self, other: _Partitions) -> _Partitions:
        return self._like([*self.parts, *other.parts])

    def repartition(self, name: str) -> _Partitions:
        assert name == "part"
        return self._like(in_partitions(self.batches, self.rows))

    def sortWithinPartitions(self, name: str) -> _Partitions:  # noqa: N802
        assert name == "part"  # as `in_partitions` sorts them
        return self

    def collect(self) -> list[Any]:
        return [SimpleNamespace(**row) for batch in self.batches for row in batch.to_pylist()]

    def _like(self, parts: list[list[Any]]) -> _Partitions:
        made = _Partitions(parts, self.rows)
        made.sparkSession = self.sparkSession
        return made

    def _of(self, table: Any) -> _Partitions:
        return self._like([table.to_batches()])


@pytest.mark.parametrize(("text", "closed"), [(False, True), (True, False)])
def test_no_partitioning_changes_what_is_recommended(
    monkeypatch: pytest.MonkeyPatch, text: bool, closed: bool
) -> None:
    qrels, run = (frame.sort("query", maintain_order=True) for frame in tables(60, text=text))
    told = known(text=text, closed=closed)
    measures = ["nDCG@10", *OF_ITEMS, *(IN_CATALOGUE if closed else [])]
    here = rm.evaluate(qrels, run, measures, missing="skip", **told)
    catalogue = rm.catalogue(told.get("items"), train=told["train"])
    job = task(measures, missing="skip")
    job = replace(job, items=(catalogue.bare(integer=not text), not text))
    for rows, order in ((7, 1), (100, -1)):
        monkeypatch.setattr(parcels, "BLOCK_ROWS", 10 * rows)
        state = QueryState.empty(job.plan.groups(), Numbered(catalogue, integer=not text))
        sent: Any = _Partitions([*batches(qrels, run, rows)[::order], []])
        whole = merged(Tally(), map(Tally.from_json, driver.told(sent, job.states, state)))
        state.hits.append(whole.hits)
        state.order.append(whole.order)
        made = finished(job.plan, state.whole("query", whole.unjudged.count), whole.words())
        assert list(made.values.values()) == list(here.values.values())
        assert made.counts == here.counts
        for measure, values in made.per_query.items():
            assert np.array_equal(values.array, here.query_values(measure), equal_nan=True)


@pytest.mark.slow
@pytest.mark.parametrize(("text", "closed"), [(False, True), (True, False)])
def test_spark_sees_what_is_recommended_as_the_local_engine(spark: Any, text: bool, closed: bool) -> None:
    qrels, run = (frame.sort("query", maintain_order=True) for frame in tables(60, text=text))
    told = known(text=text, closed=closed)
    of_items = [*OF_ITEMS, *(IN_CATALOGUE if closed else [])]
    judged, returned = frames(spark, qrels, run)
    given = {**told, "train": frames(spark, told["train"])[0]} if closed else told
    here = rm.evaluate(qrels, run, ["AP", *of_items], hash_inputs=True, **told)
    there = rm.spark.evaluate(judged, returned, ["AP", *of_items], hash_inputs=True, **given)
    assert isinstance(there, rm.results.ListResult)
    assert_exactly(there, here)
    alone = [measure for measure in of_items if not measure.startswith("Serendipity")]
    unjudged: Any = rm.spark.evaluate(None, returned, alone, intervals=True, **given)
    assert_exactly(unjudged, rm.evaluate(None, run, alone, intervals=True, **told))
    rows: Any = rm.spark.evaluate(judged, returned, ["Novelty@5", "AP"], per_query=True, **given)
    expected = here.per_query.select("query", "Novelty@5", "AP")
    assert pl.DataFrame(rows.toArrow()).sort("query").equals(expected)


@pytest.mark.slow
def test_spark_refuses_what_cannot_be_recommended_as_the_local_engine(spark: Any) -> None:
    qrels, run = (frame.sort("query", maintain_order=True) for frame in tables(10))
    judged, returned = frames(spark, qrels, run)
    for wrong, words in (
        ({"measures": "Coverage@3", "items": range(30)}, r"run: .* are not among the 30 of items"),
        (
            {"measures": "Coverage@3", "items": range(900), "missing": "error"},
            r"run has no results for \d+ q",
        ),
        ({"measures": "Novelty@3"}, r"Novelty@3 needs the interactions before: give train="),
    ):
        told = []
        for evaluate, of in ((rm.evaluate, (qrels, run)), (rm.spark.evaluate, (judged, returned))):
            with pytest.raises(rm.errors.RankmarkError, match=words) as raised:
                evaluate(*of, **wrong)  # type: ignore[operator]
            told.append(str(raised.value))
        assert told[0] == told[1]
    with pytest.raises(rm.ColumnError, match=r"alpha_nDCG@3 needs judgements of aspects"):
        rm.spark.evaluate(judged, returned, "alpha-nDCG@3")
    with pytest.raises(rm.UsageError, match=r"without judgements there is no 'AP'"):
        rm.spark.evaluate(None, returned, ["AP"])
    with pytest.raises(rm.UsageError, match=r"Coverage@3 is one value of the whole run"):
        rm.spark.evaluate(judged, returned, "Coverage@3", items=range(900), per_query=True)


OF_ASPECTS = ["alpha_nDCG@5", "ERR_IA@3", "nNRBP", "SubtopicRecall@5", "IA", "DSharp_nDCG@5"]


def of_aspects() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Some of which are called by words, which weigh."""
    qrels, run = (frame.sort("query", maintain_order=True) for frame in tables(60))
    weights = pl.col("aspect").replace_strict({"10": 0.1, "9": 1 / 3, "b": 0.7, "a": 0.2})
    each = qrels.with_columns(
        aspect=pl.Series([["10", "b"], ["9"], ["a", "9", "10"]] * qrels.height)[: qrels.height]
    )
    return each.explode("aspect").with_columns(aspect_weight=weights), run


def test_no_partitioning_changes_a_value_of_aspects(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, run = of_aspects()
    columns = {"aspect_weight": "aspect_weight"}
    here = rm.evaluate(qrels, run, [*OF_ASPECTS, "nDCG@5"], columns=columns, missing="skip")
    job = task([*OF_ASPECTS, "nDCG@5"], missing="skip")
    names = replace(job.qrels, aspect="aspect", aspect_weight="aspect_weight")  # type: ignore[type-var]
    job = replace(job, qrels=names)
    made = []
    for rows, order in ((7, 1), (100, -1)):
        monkeypatch.setattr(parcels, "BLOCK_ROWS", 10 * rows)
        partitions = [*batches(qrels, run, rows)[::order], []]
        whole = tally(job, partitions)
        made.append(finished(job.plan, whole, whole.words()))
        per_query = [pl.DataFrame(batch) for part in partitions for batch in job.per_query(part)]
        assert pl.concat(per_query).sort("query").equals(here.per_query)
    assert made[0] == made[1]
    assert made[0].counts == here.counts
    assert list(made[0].values.values()) == pytest.approx([*here.values.values()], rel=1e-12)


@pytest.mark.slow
def test_spark_computes_measures_of_aspects_as_the_local_engine(spark: Any) -> None:
    qrels, run = of_aspects()
    judged, returned = frames(spark, qrels, run)
    asked: dict[str, Any] = {"columns": {"aspect_weight": "aspect_weight"}, "hash_inputs": True}
    there: Any = rm.spark.evaluate(judged, returned, [*OF_ASPECTS, "AP"], **asked)
    assert_same(there, rm.evaluate(qrels, run, [*OF_ASPECTS, "AP"], **asked))
    with_items: Any = rm.spark.evaluate(judged, returned, [*OF_ASPECTS, "Coverage@3"], items=range(900))
    assert_exactly(with_items, rm.evaluate(qrels, run, [*OF_ASPECTS, "Coverage@3"], items=range(900)))
    alone: Any = rm.spark.evaluate(judged, returned, "AP", columns={"aspect": "aspect"})
    assert_same(alone, rm.evaluate(qrels, run, "AP", columns={"aspect": "aspect"}))
    for change, columns, said in (
        (pl.col("aspect").shift(1), {}, r"the aspect column 'aspect' has 1 null"),
        (-pl.col("aspect_weight"), asked["columns"], r"_weight' has [\d,]+ numbers that are no weights"),
    ):
        (wrong,) = frames(spark, qrels.with_columns(change))
        with pytest.raises(rm.DataError, match=said):
            rm.spark.evaluate(wrong, returned, "NRBP", columns=columns)
    with pytest.raises(rm.DataError, match="an item that was judged before"):
        rm.spark.evaluate(judged.union(judged), returned, "NRBP")


OF_ROWS = [
    *("AUC", "Gini", "GAUC", "GAUC(weight=clicks)", "LogLoss", "LogLoss(clip=0.01,unit=bits)", "Brier"),
    *("RMSE", "MAE", "PCOPC", "NE", "GAUC(weight='ad spend',of_rows=mean)"),
]


def predictions(rows: int, seed: int = 2) -> pl.DataFrame:
    """Scores with many ties, some queries of one class, weights that are fractions and sometimes 0."""
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "user_id": draw.integers(0, rows // 5 + 1, rows),
            "click": draw.random(rows) < 0.4,
            "p": draw.integers(0, 30, rows) / 29,
            "weight": np.append(1, draw.integers(0, 5, rows - 1)) / 3,
            "ad spend": draw.integers(0, 9, rows) / 7,
        }
    )


@given(rows=st.integers(1, 200), block=st.integers(1, 100), seed=st.integers(0, 9), data=st.data())
def test_no_partitioning_changes_an_auc(rows: Any, block: Any, seed: Any, data: st.DataObject) -> None:
    table = predictions(rows, seed)
    here = rm.evaluate_predictions(table, ["AUC"])
    names = PredictionColumns("click", "p", weight="weight")
    task = RowTask(names, 1.0, (), (BINARY,))
    table = table.select(
        pl.col("click").cast(pl.Float64).alias("label"), pl.col("p").alias("score"), "weight"
    )
    table = table.with_columns(key=pl.col("score")).sort("key")
    border = data.draw(st.floats(0, 1))
    parts = [table.filter(pl.col("key") <= border), table.filter(pl.col("key") > border)]
    whole = RowTally()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parcels, "BLOCK_ROWS", block)
        for part in data.draw(st.permutations(parts)):
            batches = part.to_arrow().to_batches(max_chunksize=7)
            for work in (task.ranges, task.sums):
                for batch in work(batches):
                    told = json.loads(batch["told"][0].as_py())["tally"]
                    whole.add(RowTally.from_json(told))
    [auc], value = here.measures, math.nan
    with suppress(Undefined):
        value = auc.compute_rows(merged_rows(whole.rows, told_sums(whole), lambda: whole.ranges))
    assert value == pytest.approx(here["AUC"], rel=1e-12, nan_ok=True)


@pytest.mark.slow
@pytest.mark.parametrize("weight", [None, "weight"])
def test_spark_gives_the_values_of_predictions(spark: Any, weight: Any) -> None:
    table = predictions(4000)
    table = table if weight else table.drop("weight")
    here = rm.evaluate_predictions(table, OF_ROWS)
    [frame] = frames(spark, table)
    there = rm.spark.evaluate_predictions(frame, OF_ROWS)
    assert there.values == pytest.approx(here.values, rel=1e-12, abs=0)
    assert there.counts == here.counts
    assert [there.signature(m) for m in here] == [here.signature(m) for m in here]
    per_query = rm.spark.evaluate_predictions(frame, ["GAUC"], per_query=True)
    expected = here.per_query.select("query", "GAUC").sort("query")
    assert_frame_equal(pl.DataFrame(per_query.toArrow()).sort("query"), expected, rel_tol=1e-12, abs_tol=0)


@pytest.mark.slow
def test_spark_refuses_predictions_that_cannot_be_evaluated(spark: Any) -> None:
    [good] = frames(spark, predictions(100))

    def refused(
        message: Any, measures: Any, frame: Any = good, kind: Any = rm.DataError, **said: Any
    ) -> None:
        with pytest.raises(kind, match=message):
            rm.spark.evaluate_predictions(frame, measures, **said)

    refused("KS looks at more than sums and pairs of the rows", ["KS"], kind=rm.MeasureError)
    refused("nDCG@10 is a measure of lists, which rankmark.spark.evaluate", ["nDCG@10"], kind=rm.MeasureError)
    refused("AUC is one value of all rows", ["AUC"], kind=rm.MeasureError, per_query=True)
    refused("predictions has no column known as the score", ["AUC"], good.drop("p"), rm.ColumnError)
    refused("GAUC is a value of each query, and predictions has no", ["GAUC"], good.drop("user_id"))
    refused("has 100 scores outside of 0 to 1, such as 2", ["Brier"], good.withColumn("p", good.p + 2))
    refused("the label column 'click' is string; make it a number", ["AUC"],
            good.withColumn("click", good.click.cast("string")), rm.ColumnError)  # fmt: skip
    refused("the weight column 'weight' is 0 in every row", ["AUC"], good.withColumn("weight", good.p * 0))
    refused("the weight column 'weight' has 100 values that are NaN, infinite or negative", ["AUC"],
            good.withColumn("weight", good.p - 2))  # fmt: skip
    refused("the weight column 'ad spend' has .* negative", ["GAUC(weight='ad spend')"],
            good.withColumn("ad spend", good["ad spend"] - 1))  # fmt: skip
    refused("no column 'spend' for GAUC.weight=spend.", ["GAUC(weight=spend)"], kind=rm.ColumnError)
    refused("predictions has no rows", ["AUC"], good.limit(0))


CONNECT = """
import sys
import polars as pl
from pyspark.sql import SparkSession
import rankmark as rm
spark = (
    SparkSession.builder.remote("local[1]")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.driver.extraJavaOptions", sys.argv[1])
    .getOrCreate()
)
qrels, run = (pl.read_parquet(path) for path in sys.argv[2:])
here = rm.evaluate(qrels, run, ["nDCG@10", "AP"])
frames = [spark.createDataFrame(f.to_arrow()) for f in (qrels, run)]
there = rm.spark.evaluate(*frames, ["nDCG@10", "AP"])
assert type(spark).__module__.startswith("pyspark.sql.connect")
assert there.values == here.values and there.counts == here.counts
assert there.per_query.equals(here.per_query.sort("query"))
known = {"measures": "NotInTrain@5", "train": frames[0]}
there = rm.spark.evaluate(None, frames[1], per_query=True, **known).toPandas()
here = rm.evaluate(None, run.sort("query"), **{**known, "train": qrels})
assert there["NotInTrain@5"].to_list() == here.query_values("NotInTrain@5").tolist()
try:
    missing = spark.read.schema("query long, item long").parquet("/nowhere")
    rm.spark.evaluate(missing, missing, ["AP"])
except rm.UsageError as error:
    print("same:", error)
"""


@pytest.mark.slow
def test_a_session_of_spark_connect_will_do(tmp_path: Path) -> None:
    peer("pyspark.sql.connect.session", "'pyspark[connect]'")
    need_java()
    paths = [str(tmp_path / name) for name in ("qrels.parquet", "run.parquet")]
    for frame, path in zip(tables(40), paths, strict=True):
        frame.write_parquet(path)
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    out = python(
        CONNECT, QUICK_START, *paths, flags=["-W", "ignore"], patience=500, env=environment, cwd=tmp_path
    )
    assert "same: there is no file 'file:/nowhere'" in out
