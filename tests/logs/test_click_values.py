"""Measures of runs by clicks, whose intervals fit the model again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rankmark as rm
from logs.simulated import Shop, log_of
from rankmark.logs.clicking import drawn_clusters

EXAMINED = np.array([1.0, 0.6, 0.4])


def drawn(queries: int, lists: int) -> tuple[pl.DataFrame, dict[int, list[int]]]:
    """A log, and a run."""
    rng = np.random.default_rng(5)
    shop = Shop.of(rng, queries, 4)
    query, item = shop.lists(rng, lists, 3)
    query[:queries] = np.arange(queries)
    log = log_of(query, item, rng.random(item.shape) < EXAMINED * shop.rates[query[:, None], item])
    return log, {number: np.argsort(-rates).tolist() for number, rates in enumerate(shop.rates)}


@pytest.mark.parametrize("how", [{}, {"estimator": "ratio", "clip": 0.5}], ids=["ips", "ratio"])
def test_the_model_is_fitted_again_to_each_resample_of_queries(how: dict[str, Any]) -> None:
    log, run = drawn(30, 600)
    found = rm.evaluate_clicks(log, run, ["DCG@3", "nDCG@3"], resamples=4, seed=2, **how)
    fitted = rm.click_model(log, held_out=0, resamples=0)
    known = rm.evaluate(rm.qrels_from_clicks(log, fitted, **how), run, ["DCG@3", "nDCG@3"])
    assert found.values == known.values
    order = log["query"].unique(maintain_order=True).to_list()
    labels = pl.Series(order)
    means = []
    for counts in drawn_clusters(np.arange(len(labels)), 4, 2):
        copies = {
            f"{query} {copy}": query for query, n in zip(order, counts, strict=True) for copy in range(int(n))
        }
        part = pl.concat(
            log.filter(pl.col("query") == query).with_columns(
                query=pl.lit(name), impression=pl.format("{} {}", pl.lit(name), "impression")
            )
            for name, query in copies.items()
        )
        model = rm.click_model(part, held_out=0, resamples=0)
        own = {name: list(map(str, run[query])) for name, query in copies.items()}
        qrels = rm.qrels_from_clicks(part.with_columns(pl.col("item").cast(str)), model, **how)
        means.append(rm.evaluate(qrels, own, "DCG@3")["DCG@3"])
    reach = stats.t.ppf(0.975, 29) * np.std(means, ddof=1) * math.sqrt(30 / 29)
    low, high, *_ = found.intervals["DCG@3"]
    assert (low, high) == pytest.approx((found["DCG@3"] - reach, found["DCG@3"] + reach), rel=1e-6)


def test_intervals_that_hold_the_error_of_propensities_are_wider() -> None:
    log, run = drawn(150, 450)
    found = rm.evaluate_clicks(log, run, "DCG@3", resamples=40)
    low, high, *_ = found.intervals["DCG@3"]
    known = rm.statistics.t_interval(found.query_values("DCG@3"))
    assert high - low > 1.2 * (known.high - known.low)
    assert "estimated again in 40 resamples of queries" in " ".join(str(found).split())
    assert rm.evaluate_clicks(log, run, "DCG@3", resamples=40).intervals == found.intervals


def test_models_that_go_down_lists_are_fitted_again_too() -> None:
    log, run = drawn(30, 300)
    found = rm.evaluate_clicks(log, run, "DCG@3", "dbn", method="simplified", resamples=10)
    low, high, *_ = found.intervals["DCG@3"]
    assert low < found["DCG@3"] < high


def test_few_queries_are_said_and_what_is_none_is_refused() -> None:
    log, run = drawn(4, 200)
    found = rm.evaluate_clicks(log, run, "DCG@3", resamples=5)
    assert found.intervals["DCG@3"].note == "4 queries, fewer than 25: it can be too short"
    with pytest.raises(rm.MeasureError, match="is no mean over queries"):
        rm.evaluate_clicks(log, run, "AP(mean=geometric)")
    with pytest.raises(rm.ChoiceError, match="estimator='dr'"):
        rm.evaluate_clicks(log, run, "DCG@3", estimator="dr")  # type: ignore[arg-type]
    with pytest.raises(rm.ChoiceError, match="resamples=0"):
        rm.evaluate_clicks(log, run, "DCG@3", resamples=0)
    with pytest.raises(rm.UsageError, match="several runs by their paths are for"):
        rm.evaluate_clicks(log, {"a": "a.run", "b": "b.run"}, "DCG@3")
