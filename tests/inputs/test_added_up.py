"""Sums of groups of rows are the same each time, to the last bit."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from rankmark.inputs.added_up import added_up
from rankmark.logs.rewards import _means

random = np.random.default_rng(1)
ROWS = pl.DataFrame(
    {
        "query": random.integers(0, 10, 1000),
        "item": random.integers(0, 2, 1000),
        "value": random.random(1000) * random.choice([1e-3, 1.0, 1e3], 1000),
    }
)


def test_sums_and_means_are_the_same_each_time() -> None:
    value = pl.col("value")
    found = [
        added_up(
            ROWS, ["query", "item"], sums={"sum": value}, means={"mean": value}, others={"rows": pl.len()}
        )
        for _ in range(200)
    ]
    assert all(each.equals(found[0]) for each in found)
    assert (
        found[0]
        .select("query", "item")
        .equals(ROWS.select("query", "item").unique(maintain_order=True, keep="first"))
    )
    for query, item, whole, mean, rows in found[0].iter_rows():
        values = ROWS.filter(query=query, item=item)["value"].to_list()
        assert whole == pytest.approx(math.fsum(values))
        assert mean == pytest.approx(math.fsum(values) / len(values))
        assert rows == len(values)


def test_nulls_count_for_nothing_and_nothing_is_a_mean_of_null() -> None:
    rows = pl.DataFrame({"query": ["b", "b", "a"], "value": [1.5, None, None]})
    value = pl.col("value")
    found = added_up(
        rows, ["query"], sums={"sum": value, "high": value.filter(value > 2)}, means={"mean": value}
    )
    assert found.rows() == [("b", 1.5, 0.0, 1.5), ("a", 0.0, 0.0, None)]


def test_rewards_are_predicted_alike_each_time() -> None:
    rows = ROWS.rename({"query": "slot"})
    found = [_means(rows).sort("slot", "item") for _ in range(200)]
    assert all(each.equals(found[0]) for each in found)
