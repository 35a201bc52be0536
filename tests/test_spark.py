"""The Spark engine beside the local one: on a cluster of two executors, and by hand on partitions of all kinds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from peers import peer
from rankmark.engines import spark as engine
from rankmark.engines.tally import Tally, merged
from rankmark.evaluation import planned

pytestmark = [
    pytest.mark.spark,
    pytest.mark.xdist_group("spark"),  # one session for all
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


def need_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and Path(home, "bin", "java").exists())):
        reason = "NOT COMPARED on Spark, which needs Java 17 or newer: make spark"
        warnings.warn(reason, pytest.PytestWarning, stacklevel=1)
        pytest.skip(reason)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A session on a cluster of two executors, each a process of its own."""
    sql = peer("pyspark.sql", "'rankmark[spark]'")
    need_java()
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "768m",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "spark.pyspark.python": sys.executable,
        # More than there are large queries, so that some partitions are empty; not joined to fewer.
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.task.maxFailures": "1",
        "spark.ui.enabled": "false",
    }
    builder = sql.SparkSession.builder.master("local-cluster[2,1,768]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    application = session.sparkContext.applicationId
    yield session
    session.stop()
    shutil.rmtree(Path(sys.modules["pyspark"].__file__).parent / "work" / application, ignore_errors=True)


def frames(spark: Any, *of: pl.DataFrame) -> list[Any]:
    """As Spark's, in several partitions, in no order."""
    return [spark.createDataFrame(frame.to_arrow()).repartition(3) for frame in of]


def assert_same(there: rm.Result, here: rm.Result) -> None:
    assert there.per_query.equals(here.per_query.sort("query"))
    assert there.values == pytest.approx(here.values, rel=1e-12, abs=0, nan_ok=True)
    assert there.counts == here.counts
    assert there.inputs == here.inputs
    assert there.notes == here.notes
    for measure in here:
        assert there.signature(measure) == here.signature(measure)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "choices"),
    [
        (False, {"hash_inputs": True}),
        (True, {"ties": "random", "seed": 3, "missing": "skip", "no_relevant": "skip", "scores": "float32"}),
        (False, {"like": "ranx", "unjudged": "ignore"}),
    ],
    ids=["standard", "text", "convention"],
)
def test_spark_gives_the_values_of_the_local_engine(spark, text, choices):
    qrels, run = tables(text=text)
    measures = ["ndcg@10", "map", "mrr", "precision@5"] if "like" in choices else MEASURES
    here = rm.evaluate(qrels, run, measures, **choices)
    assert_same(rm.spark.evaluate(*frames(spark, qrels, run), measures, **choices), here)


@pytest.mark.slow
def test_a_column_says_the_order_of_rows(spark):
    qrels, run = tables(40)
    run = pl.concat([run, run.with_columns(pl.col("score") + 1)])  # every item twice
    choices = {"ties": "input", "duplicates": "first"}
    here = rm.evaluate(qrels, run, MEASURES, **choices)
    there = frames(spark, qrels.with_row_index("row"), run.with_row_index("row"))
    assert_same(rm.spark.evaluate(*there, MEASURES, order="row", **choices), here)


@pytest.mark.slow
def test_per_query_is_a_spark_table_of_the_judged_queries(spark):
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
def test_a_row_can_be_a_list(spark):
    qrels, run = tables(40)
    ranked = run.sort("score", descending=True, maintain_order=True).group_by("query", maintain_order=True)
    lists = ranked.agg("item", "score")
    here = rm.evaluate(qrels, lists, ["AP", "P@5"])
    assert_same(rm.spark.evaluate(*frames(spark, qrels, lists), ["AP", "P@5"]), here)
    ranks = lists.drop("score")
    here = rm.evaluate(qrels, ranks, ["AP", "P@5"])
    assert_same(rm.spark.evaluate(*frames(spark, qrels, ranks), ["AP", "P@5"]), here)
    with pytest.raises(rm.DataError, match="1 queries have several lists|have several lists"):
        rm.spark.evaluate(*frames(spark, qrels, pl.concat([ranks, ranks.head(1)])), ["AP"])


@pytest.mark.slow
def test_the_rows_are_evaluated_by_the_executors(spark):
    from pyspark.sql import functions

    def process(batches):
        import pyarrow as pa

        for _ in batches:
            yield pa.RecordBatch.from_pydict({"parent": [os.getppid()]})

    rows = spark.range(4).repartition(4, functions.col("id")).mapInArrow(process, "parent long").collect()
    assert os.getpid() not in {row.parent for row in rows}


@pytest.mark.slow
def test_spark_refuses_what_cannot_be_evaluated(spark, tmp_path):
    qrels, run = tables(10)
    good_qrels, good_run = frames(spark, qrels, run)

    def refused(message, kind=rm.DataError, qrels=good_qrels, run=good_run, **choices):
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


CONNECT = """
import sys
import polars as pl
from pyspark.sql import SparkSession
import rankmark as rm
spark = SparkSession.builder.remote("local[1]").config("spark.sql.shuffle.partitions", "2").getOrCreate()
qrels, run = (pl.read_parquet(path) for path in sys.argv[1:])
here = rm.evaluate(qrels, run, ["nDCG@10", "AP"])
there = rm.spark.evaluate(*(spark.createDataFrame(f.to_arrow()) for f in (qrels, run)), ["nDCG@10", "AP"])
assert type(spark).__module__.startswith("pyspark.sql.connect")
assert there.values == here.values and there.counts == here.counts
assert there.per_query.equals(here.per_query.sort("query"))
try:
    rm.spark.evaluate(spark.read.schema("query long, item long").parquet("/nowhere"), None, ["AP"])
except rm.UsageError as error:
    print("same:", error)
"""


@pytest.mark.slow
def test_a_session_of_spark_connect_will_do(tmp_path):
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
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CONNECT, *paths],
        capture_output=True, text=True, env=environment, timeout=110, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert "same: run is of type NoneType" in done.stdout
