"""What is recommended: rankmark by each tool's names, and the tools."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import polars as pl

import rankmark as rm
from benchmarks.contenders import Call, Contender, Means, Measures
from benchmarks.data import TEN, Data, items

MOST_ROWS = 1_000_000

RECTOOLS = (
    "MeanInvUserFreq@10",
    "AvgRecPopularity@10",
    "CatalogCoverage(normalize=True)@10",
)
RECTOOLS_DIVERSITY = ("IntraListDiversity@10",)
REPLAY = ("Coverage@10", "Novelty@10", "Surprisal@10")
REPLAY_CATEGORIES = ("CategoricalDiversity@10",)
RECOMMENDERS = ("novelty", "catalog_coverage", "distributional_coverage")
RECOMMENDERS_DIVERSITY = ("diversity",)


def ours(like: str, measures: Measures, *, before: bool = True) -> Callable[[Data], Call]:
    """rankmark by the names of a tool, from polars frames of lists, items and, if needed, interactions."""

    def prepare(data: Data) -> Call:
        known, train = items(), data.qrels if before else None

        def work() -> Means:
            found = rm.evaluate(None, data.run, measures, items=known, train=train, like=like)
            return {name: found[name] for name in measures}

        return work

    return prepare


def rectools(data: Data) -> Call:
    """RecTools, from pandas frames with ranks."""
    from rectools import metrics

    reco, before = _pandas(data, "user_id", "item_id")
    catalogue = items()["item"].to_list()
    asked = {
        RECTOOLS[0]: metrics.MeanInvUserFreq(TEN),
        RECTOOLS[1]: metrics.AvgRecPopularity(TEN),
        RECTOOLS[2]: metrics.CatalogCoverage(TEN, normalize=True),
    }
    return lambda: metrics.calc_metrics(asked, reco=reco, prev_interactions=before, catalog=catalogue)


def rectools_diversity(data: Data) -> Call:
    """RecTools' diversity, by a feature a category."""
    from rectools import metrics

    reco, _ = _pandas(data, "user_id", "item_id")
    features = items().to_dummies("category").to_pandas().set_index("item")
    metric = metrics.IntraListDiversity(TEN, metrics.PairwiseHammingDistanceCalculator(features))
    return lambda: {RECTOOLS_DIVERSITY[0]: float(metric.calc(reco))}


def replay(frames: str) -> Callable[[Data], Call]:
    """RePlay, from polars or pandas frames."""

    def prepare(data: Data) -> Call:
        from replay import metrics

        lists = data.run.select(query_id="query", item_id="item", rating="score")
        before = data.qrels.select(query_id="query", item_id="item")
        tables = (lists, before) if frames == "polars" else (lists.to_pandas(), before.to_pandas())
        asked = [getattr(metrics, name.partition("@")[0])(TEN) for name in REPLAY]
        return lambda: {key: float(v) for metric in asked for key, v in metric(*tables).items()}

    return prepare


def replay_categories(data: Data) -> Call:
    """RePlay's diversity of categories, from a polars frame that has them beside each item."""
    from replay import metrics

    lists = data.run.join(items(), on="item", how="left", maintain_order="left")
    lists = lists.select(query_id="query", category_id="category", rating="score")
    metric = metrics.CategoricalDiversity(TEN)
    return lambda: {key: float(value) for key, value in metric(lists).items()}


def recommenders(data: Data) -> Call:
    """recommenders, from pandas frames."""
    return _recommenders(data, RECOMMENDERS)


def recommenders_diversity(data: Data) -> Call:
    """recommenders' diversity, by which items the same users had."""
    return _recommenders(data, RECOMMENDERS_DIVERSITY)


def _recommenders(data: Data, measures: Measures) -> Call:
    from recommenders.evaluation import python_evaluation

    reco, before = _pandas(data, "userID", "itemID")
    reco = reco[["userID", "itemID"]]

    def work() -> Means:
        for cached in vars(python_evaluation).values():  # what it keeps of the last call
            if hasattr(cached, "cache_clear"):
                cached.cache_clear()
        with warnings.catch_warnings(action="ignore"):  # of pandas, what will change
            return {name: float(getattr(python_evaluation, name)(before, reco)) for name in measures}

    return work


def _pandas(data: Data, user: str, item: str) -> tuple[Any, Any]:
    rank = (pl.int_range(pl.len()) % TEN + 1).alias("rank")
    lists = data.run.select(pl.col("query").alias(user), pl.col("item").alias(item), rank)
    before = data.qrels.select(pl.col("query").alias(user), pl.col("item").alias(item))
    return lists.to_pandas(), before.to_pandas()


OURS_RECTOOLS = Contender("rankmark", ours("rectools", RECTOOLS))
OURS_RECTOOLS_DIVERSITY = Contender("rankmark", ours("rectools", RECTOOLS_DIVERSITY, before=False))
OURS_REPLAY = Contender("rankmark", ours("replay", REPLAY))
OURS_REPLAY_CATEGORIES = Contender("rankmark", ours("replay", REPLAY_CATEGORIES, before=False))
OURS_RECOMMENDERS = Contender("rankmark", ours("recommenders", RECOMMENDERS))
OURS_RECOMMENDERS_DIVERSITY = Contender("rankmark", ours("recommenders", RECOMMENDERS_DIVERSITY))
THEIR_RECTOOLS = Contender("RecTools", rectools, "rectools")
THEIR_RECTOOLS_DIVERSITY = Contender("RecTools", rectools_diversity, "rectools", MOST_ROWS)
REPLAY_POLARS = Contender("RePlay, polars", replay("polars"), "replay")
REPLAY_PANDAS = Contender("RePlay, pandas", replay("pandas"), "replay")
THEIR_REPLAY_CATEGORIES = Contender("RePlay, polars", replay_categories, "replay")
THEIR_RECOMMENDERS = Contender("recommenders", recommenders, "recommenders")
THEIR_RECOMMENDERS_DIVERSITY = Contender(
    "recommenders", recommenders_diversity, "recommenders", MOST_ROWS // 10
)
