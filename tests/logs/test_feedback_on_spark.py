"""Logs on a Spark cluster: the same values as in memory, and what is refused there."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from installed import peer

pytestmark = [
    pytest.mark.spark,
    pytest.mark.timeout(600),  # a busy machine starts Java slowly
    pytest.mark.xdist_group("spark"),  # one session for all, see `clusters`
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]


@pytest.fixture(scope="module", autouse=True)
def pyspark() -> Any:
    return peer("pyspark", "'rankmark[spark]'")


def simulated(count: int = 2_000) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "impression": np.repeat(np.arange(count), 3),
            "query": np.repeat([f"q{i % 7}" for i in range(count)], 3),
            "item": [f"i{i}" for _ in range(count) for i in rng.permutation(5)[:3]],
            "position": np.tile([1, 2, 3], count),
            "propensity": np.tile([1 / 5, 1 / 4, 1 / 3], count),
            "click": (rng.random(3 * count) < 0.3).astype(int),
            "country": np.repeat(rng.choice(["DE", "FR"], count), 3),
            "user": np.repeat(rng.integers(0, 300, count), 3),
        }
    )


RUNS = {f"q{q}": {f"i{i}": float((i + q) % 5) for i in range(5)} for q in range(7)}


def test_values_are_those_in_memory_bit_for_bit(spark: Any) -> None:
    log = simulated()
    there = spark.createDataFrame(log.to_arrow()).repartition(3)
    asked: dict[str, Any] = {
        "estimators": ["IPS", "SNRIPS", "IPS(clip=10)"],
        "by": "country",
        "clusters": "user",
    }
    found, here = (
        rm.evaluate_logged(there, {"new": RUNS}, **asked),
        rm.evaluate_logged(log, {"new": RUNS}, **asked),
    )
    key = lambda row: (row.slice, row.policy, row.estimator)  # noqa: E731 - a sort's
    for theirs, ours in zip(sorted(found.rows, key=key), sorted(here.rows, key=key), strict=True):
        assert (theirs.value, theirs.largest_weight) == (ours.value, ours.largest_weight)
        assert theirs.error == pytest.approx(ours.error, rel=1e-9)
        assert theirs.cautions == ours.cautions


def test_what_needs_the_log_in_memory_is_refused(spark: Any) -> None:
    there = spark.createDataFrame(simulated(20).to_arrow())
    with pytest.raises(rm.UsageError, match=r"needs the log in memory; bring it here"):
        rm.evaluate_logged(there, {"new": RUNS}, interval="percentile")
    with pytest.raises(rm.DataError, match="no chance above 0 to 1"):
        rm.evaluate_logged(there.withColumn("propensity", there.propensity * 0), {"new": RUNS})
