"""Measures of predictions: rankmark, and what is done without it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

import rankmark as rm
from benchmarks.contenders import Call, Contender, Means
from benchmarks.data import Data
from rankmark.language.registry import pages

FEW_ROWS = 100_000  # beyond, a call of scikit-learn a user takes minutes

Compute = Callable[..., float]


def ours(*measures: str) -> Callable[[Data], Call]:
    """rankmark, from a polars frame."""
    return lambda data: lambda: rm.evaluate_predictions(data.run, measures, query="query").values


def every_measure(data: Data) -> Call:
    """rankmark, all measures of binary labels."""
    return ours(*(name for name, page in pages().items() if page.labels == "binary"))(data)


def scikit_learn(name: str, function: str) -> Callable[[Data], Call]:
    """From NumPy arrays that are ready; of float64, since for float32 it computes in float32."""

    def prepare(data: Data) -> Call:
        from sklearn import metrics

        compute: Compute = getattr(metrics, function)
        label, score = data.run["label"].to_numpy(), data.run["score"].cast(pl.Float64).to_numpy()
        return lambda: {name: float(compute(label, score))}

    return prepare


def by_hand(name: str, value: Callable[[pl.LazyFrame], pl.LazyFrame]) -> Callable[[Data], Call]:
    """An expression of polars."""

    def prepare(data: Data) -> Call:
        def work() -> Means:
            return {name: value(data.run.lazy()).collect().item()}

        return work

    return prepare


LABEL, SCORE, RANK = pl.col("label").cast(pl.Float64), pl.col("score").cast(pl.Float64), pl.col("rank")
POSITIVES = LABEL.sum()
PAIRS = POSITIVES * (pl.len() - POSITIVES)
# Mann and Whitney's: what the ranks of the positive rows have over the least that they could be.
AUC = ((RANK * LABEL).sum() - POSITIVES * (POSITIVES + 1) / 2) / PAIRS


def polars_auc(rows: pl.LazyFrame) -> pl.LazyFrame:
    return rows.with_columns(rank=pl.col("score").rank("average")).select(AUC)


def polars_log_loss(rows: pl.LazyFrame) -> pl.LazyFrame:
    p = SCORE.clip(1e-15, 1 - 1e-15)
    return rows.select(-(pl.when(pl.col("label") == 1).then(p).otherwise(1 - p)).log().mean())


def polars_gauc(rows: pl.LazyFrame) -> pl.LazyFrame:
    ranked = rows.with_columns(rank=pl.col("score").rank("average").over("query"))
    users = ranked.group_by("query").agg(auc=AUC, rows=pl.len(), pairs=PAIRS).filter(pl.col("pairs") > 0)
    return users.select((pl.col("auc") * pl.col("rows")).sum() / pl.col("rows").sum())


def pandas_gauc(data: Data) -> Call:
    """A call of scikit-learn for each group of pandas."""
    from sklearn.metrics import roc_auc_score

    frame = data.run.to_pandas()

    def work() -> Means:
        aucs, weights = [], []
        for _, rows in frame.groupby("query"):
            if rows["label"].nunique() == 2:
                aucs.append(roc_auc_score(rows["label"], rows["score"]))
                weights.append(len(rows))
        return {"GAUC": float(np.average(aucs, weights=weights))}

    return work


def column_sum(data: Data) -> Call:
    """Reads the columns once."""

    def work() -> None:
        data.run.select(pl.col("label", "score", "query").sum())

    return work


RANKMARK_AUC = Contender("rankmark, AUC", ours("AUC"))
RANKMARK_LOG_LOSS = Contender("rankmark, LogLoss", ours("LogLoss"))
RANKMARK_GAUC = Contender("rankmark, GAUC", ours("GAUC"))
RANKMARK_ALL = Contender("rankmark, all measures of binary labels", every_measure)
SCIKIT_LEARN_AUC = Contender("scikit-learn, roc_auc_score", scikit_learn("AUC", "roc_auc_score"), "sklearn")
SCIKIT_LEARN_LOG_LOSS = Contender("scikit-learn, log_loss", scikit_learn("LogLoss", "log_loss"), "sklearn")
POLARS_AUC = Contender("polars by hand, AUC", by_hand("AUC", polars_auc), "polars")
POLARS_LOG_LOSS = Contender("polars by hand, log loss", by_hand("LogLoss", polars_log_loss), "polars")
POLARS_GAUC = Contender("polars by hand, GAUC", by_hand("GAUC", polars_gauc), "polars")
PANDAS_GAUC = Contender("pandas groupby, scikit-learn", pandas_gauc, "pandas", most_rows=FEW_ROWS)
COLUMN_SUM = Contender("floor: sum of the columns", column_sum, "polars")
