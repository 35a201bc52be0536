"""Correlations and errors of each query, averaged: the same as SciPy and scikit-learn give, user by user."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn import metrics

import rankmark as rm

RNG = np.random.default_rng(3)
ROWS = pl.DataFrame(
    {
        "user": RNG.integers(0, 60, 400).astype(str),
        "rating": RNG.integers(1, 6, 400),
        "score": RNG.normal(3, 1, 400).round(1),
    }
)
THEIRS: dict[str, Callable[..., Any]] = {
    "Pearson": lambda y, s: stats.pearsonr(y, s)[0],
    "Spearman": lambda y, s: stats.spearmanr(y, s)[0],
    "Kendall": lambda y, s: stats.kendalltau(y, s)[0],
    "R2": metrics.r2_score,
    "ExplainedVariance": metrics.explained_variance_score,
    "MSE": metrics.mean_squared_error,
    "RMSE": metrics.root_mean_squared_error,
    "MAE": metrics.mean_absolute_error,
}
EVERY = [f"{name}(average={average})" for name in THEIRS for average in ("macro", "weighted")]


def value_of_a_user(name: str, rows: pl.DataFrame) -> float:
    """NaN where the ratings, or what is correlated with them, do not vary."""
    y, s = rows["rating"].to_numpy(), rows["score"].to_numpy()
    errors = name in ("MSE", "RMSE", "MAE")
    varies = len(set(y)) > 1 and (name in ("R2", "ExplainedVariance") or len(set(s)) > 1)
    return float(THEIRS[name](y, s)) if errors or varies else np.nan


@pytest.mark.parametrize("name", THEIRS)
def test_values_of_users_are_averaged_alike_or_by_their_rows(name: str) -> None:
    macro, weighted = f"{name}(average=macro)", f"{name}(average=weighted)"
    result = rm.evaluate_predictions(ROWS, [macro, weighted], query="user")
    users = [rows for _, rows in ROWS.group_by("user", maintain_order=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = np.array([value_of_a_user(name, rows) for rows in users])
    assert result.query_values(macro) == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)
    there = ~np.isnan(expected)
    sizes = np.array([rows.height for rows in users])[there]
    assert result[macro] == pytest.approx(expected[there].mean(), rel=1e-10)
    assert result[weighted] == pytest.approx(np.average(expected[there], weights=sizes), rel=1e-10)
    counts = result.counts.measures[macro]
    assert isinstance(counts, rm.results.RowMeasureCounts)
    assert counts.skipped == np.count_nonzero(~there)


def test_files_in_batches_and_parts_give_the_same(tmp_path: Path) -> None:
    ROWS.write_parquet(tmp_path / "rows.parquet")
    whole = rm.evaluate_predictions(ROWS, EVERY, query="user")
    stream = rm.evaluate_predictions(tmp_path / "rows.parquet", EVERY, query="user", engine="stream")
    assert stream.values == whole.values
    evaluator = rm.PredictionEvaluator(EVERY, query="user")
    evaluator.update(ROWS[250:])
    evaluator.update(ROWS[:250])
    assert evaluator.result().values == whole.values


def test_coefficients_of_ranks_have_no_value_where_rows_have_weights() -> None:
    rows = ROWS.with_columns(weight=pl.lit(2.0))
    result = rm.evaluate_predictions(rows, ["Kendall(average=macro)", "Pearson(average=macro)"], query="user")
    assert list(result.undefined) == ["Kendall(average=macro)"]
    assert "of rows with weights" in result.undefined["Kendall(average=macro)"]
    plain = rm.evaluate_predictions(ROWS, "Pearson(average=macro)", query="user")
    assert result["Pearson(average=macro)"] == pytest.approx(plain["Pearson(average=macro)"], rel=1e-12)


def test_a_user_with_an_infinite_score_is_left_out() -> None:
    rows = {"user": [1, 1, 1, 2, 2], "rating": [1, 2, 3, 1, 2], "score": [1.0, 3.0, 2.0, np.inf, 1.0]}
    result = rm.evaluate_predictions(rows, ["Pearson(average=macro)"], query="user")
    assert result["Pearson(average=macro)"] == pytest.approx(0.5)
