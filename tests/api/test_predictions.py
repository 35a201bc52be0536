"""Measures of predictions: by hand, by peers, by a slow twin, and what is refused."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp
from sklearn import metrics

import rankmark as rm
from rankmark.errors import ColumnError, DataError, MeasureError, UsageError
from rankmark.language.registry import pages
from rankmark.results.predictions import PredictionResult

Table = dict[str, list[Any]]


def value(table: Any, measure: str, **options: Any) -> float:
    return rm.evaluate_predictions(table, measure, **options)[measure]


# --- By hand -------------------------------------------------------------------------------------------

# Scores by rank: 1 2 2 4 5 6, positive at 1, one of the two tied, and 5.
SIX: Table = {"label": [1, 1, 0, 0, 1, 0], "score": [0.9, 0.7, 0.7, 0.4, 0.3, 0.1]}


def test_auc_is_the_rank_sum_of_mann_and_whitney() -> None:
    # Ranks from the lowest score: positives have 6, 4.5 and 2; U = 12.5 - 3*4/2 = 6.5 of 3*3 pairs.
    assert value(SIX, "AUC") == 6.5 / 9
    assert value(SIX, "Gini") == pytest.approx(2 * 6.5 / 9 - 1, abs=1e-15)


def test_weights_weigh_pairs() -> None:
    table = {"label": [1, 0, 1], "score": [3, 2, 1], "weight": [2, 5, 3]}
    assert value(table, "AUC") == (2 * 5) / (5 * 5)


@pytest.mark.parametrize("scale", [1e-170, 1e160])
@pytest.mark.parametrize("measure", ["AUC", "Gini", "GAUC", "AUC(average=macro)"])
def test_weights_whose_products_no_number_holds_are_refused(scale: float, measure: str) -> None:
    table: dict[str, Any] = {
        "user": [1] * 4,
        "label": [1, 0, 1, 0],
        "score": [0.3, 0.2, 0.1, 0.4],
        "weight": [scale] * 4,
    }
    if "average" in measure:
        table["score"] = [[p, 1 - p] for p in table["score"]]
        table["label"] = ["b", "a", "b", "a"]
    with pytest.raises(rm.DataError, match="whose product no number holds; multiply all weights"):
        rm.evaluate_predictions(table, measure, weight="weight")


def test_average_precision_finds_equal_scores_together() -> None:
    # Thresholds .9: P 1/1; .7: 2/3; .3: 3/5.
    assert value(SIX, "AveragePrecision") == pytest.approx((1 + 2 / 3 + 3 / 5) / 3, abs=1e-15)


def test_pr_auc_goes_straight_from_threshold_to_threshold() -> None:
    # Precision before .3, at .4, is 2/4.
    expected = ((1 + 1) / 2 + (1 + 2 / 3) / 2 + (2 / 4 + 3 / 5) / 2) / 3
    assert value(SIX, "PRAUC") == pytest.approx(expected, abs=1e-15)


def test_ks_is_the_greatest_gap_in_either_direction() -> None:
    assert value(SIX, "KS") == pytest.approx(1 / 3, abs=1e-15)
    assert value({"label": [0, 0, 1], "score": [3, 2, 1]}, "KS") == 1.0


def test_partial_auc_of_each_side() -> None:
    # Curve (FPR, TPR): (0, 0) (0, 1/3) (1/3, 2/3) (2/3, 2/3) (2/3, 1) (1, 1).
    to_half = (1 / 3) * (1 / 3 + 2 / 3) / 2 + (1 / 2 - 1 / 3) * 2 / 3
    assert value(SIX, "AUC(max_fpr=0.5,scale=area)") == pytest.approx(to_half, abs=1e-15)
    assert value(SIX, "AUC(max_fpr=0.5,scale=share)") == pytest.approx(2 * to_half, abs=1e-15)
    mcclish = (1 + (to_half - 1 / 8) / (1 / 2 - 1 / 8)) / 2
    assert value(SIX, "AUC(max_fpr=0.5)") == pytest.approx(mcclish, abs=1e-15)
    # Above TPR 2/3 the area is the rectangle right of FPR 2/3.
    upper = value(SIX, f"AUC(min_tpr={2 / 3},scale=area)")
    assert upper == pytest.approx(1 / 3 * 1 / 3, abs=1e-15)
    assert value(SIX, f"AUC(max_tpr={2 / 3},scale=area)") == pytest.approx(6.5 / 9 - upper, abs=1e-15)


def test_partial_auc_of_a_range_of_precision() -> None:
    # As many positive rows as others, so that a precision of at least 1/2 is TPR >= FPR: of the squares of
    # side 1/3 there are halves of three and a whole one below the curve and above the diagonal, less the
    # triangle that the curve leaves out, (0, 1/3) (0, 2/3) (1/3, 2/3).
    assert value(SIX, "AUC(min_precision=0.5,scale=area)") == pytest.approx(2.5 / 9 - 0.5 / 9, abs=1e-15)
    assert value(SIX, "AUC(min_precision=0.5,scale=share)") == pytest.approx((2 / 9) / (1 / 2), abs=1e-15)
    # Chance reaches nothing there: (1 + A/B) / 2.
    assert value(SIX, "AUC(min_precision=0.5)") == pytest.approx((1 + 4 / 9) / 2, abs=1e-15)
    below = value(SIX, "AUC(max_precision=0.5,scale=area)")
    assert below == pytest.approx(6.5 / 9 - 2 / 9, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        ("AUC(max_precision=0.5)", "chance reaches all that lies within"),
        ("AUC(min_tpr=0.9,max_fpr=0.1,max_precision=0.2)", "no point has rates and a precision"),
    ],
)
def test_partial_auc_that_nothing_can_be_measured_by(measure: str, why: str) -> None:
    result = rm.evaluate_predictions(SIX, measure)
    assert math.isnan(result[measure])
    assert why in next(iter(result.undefined.values()))


def clipped(corners: list[tuple[float, float]], a: float, b: float, c: float) -> list[tuple[float, float]]:
    """The part of a polygon where a·x + b·y >= c."""
    kept: list[tuple[float, float]] = []
    for one, two in zip(corners, corners[1:] + corners[:1], strict=True):
        here, there = (a * x + b * y - c for x, y in (one, two))
        if here >= 0:
            kept.append(one)
        if here * there < 0:
            share = here / (here - there)
            kept.append((one[0] + share * (two[0] - one[0]), one[1] + share * (two[1] - one[1])))
    return kept


def size(corners: list[tuple[float, float]]) -> float:
    around = zip(corners, corners[1:] + corners[:1], strict=True)
    return abs(sum(x * y2 - x2 * y for (x, y), (x2, y2) in around)) / 2


Share = st.floats(0, 1).map(lambda share: round(share, 3))


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=12),
    *[st.tuples(Share, Share).map(sorted).filter(lambda ends: ends[0] < ends[1])] * 3,
)
def test_a_partial_auc_is_the_clipped_polygon_below_the_curve(
    rows: list[tuple[bool, int]], fpr: list[float], tpr: list[float], precision: list[float]
) -> None:
    label, score = (np.array(column) for column in zip(*rows, strict=True))
    if len(set(label)) == 1:
        return
    x, y, _ = metrics.roc_curve(label, score, drop_intermediate=False)
    corners = [*zip(x.tolist(), y.tolist(), strict=True), (1.0, 0.0)]
    positive, negative = label.sum(), (~label).sum()
    low, high = precision
    for a, b, c in [
        (1, 0, fpr[0]),
        (-1, 0, -fpr[1]),
        (0, 1, tpr[0]),
        (0, -1, -tpr[1]),
        (-negative * low, positive * (1 - low), 0),
        (negative * high, -positive * (1 - high), 0),
    ]:
        corners = clipped(corners, a, b, c)
    ranges = {"fpr": fpr, "tpr": tpr, "precision": precision}
    written = ",".join(f"min_{name}={low},max_{name}={high}" for name, (low, high) in ranges.items())
    found = value({"label": label, "score": score}, f"AUC({written},scale=area)")
    assert found == pytest.approx(size(corners), abs=1e-12)


USERS: Table = {
    "user": ["a", "a", "a", "b", "b", "c", "c", "b"],
    "click": [1, 0, 0, 1, 0, 0, 0, 1],
    "score": [0.5, 0.6, 0.1, 0.3, 0.2, 0.9, 0.8, 0.2],
}


@pytest.mark.parametrize(
    ("weight", "expected"),
    # a: 1/2 of 3 rows, 1 click; b: (1 + 1/2)/2 of 3 rows, 2 clicks; c: no click.
    [
        ("impressions", (3 * 0.5 + 3 * 0.75) / 6),
        ("clicks", (1 * 0.5 + 2 * 0.75) / 3),
        ("uniform", (0.5 + 0.75) / 2),
    ],
)
def test_gauc_under_each_weight(weight: str, expected: float) -> None:
    result = rm.evaluate_predictions(USERS, f"GAUC(weight={weight})")
    assert list(result.values.values()) == [pytest.approx(expected, abs=1e-15)]
    (counts,) = result.counts.measures.values()
    assert counts == rm.results.RowMeasureCounts(2, skipped=1, skipped_rows=2, why_skipped="of one class")
    assert "1 query of one class (2 rows) left out" in str(result)


SPENT: Table = USERS | {"spend": [4, 1, 1, 2, 0, 7, 7, 1], "w": [1, 2, 1, 1, 1, 1, 1, 1]}


@pytest.mark.parametrize(
    ("measure", "weight", "expected"),
    # Sums of a: 6, or 7 with row weights; of b: 3. Means of a: 2, or 7/4; of b: 1. AUC of a with row weights:
    # one of the pairs' weights 2 + 1 is in order.
    [
        ("GAUC(weight=spend)", "", (6 * 0.5 + 3 * 0.75) / 9),
        ("GAUC(weight=spend,of_rows=mean)", "", (2 * 0.5 + 1 * 0.75) / 3),
        ("GAUC(weight=spend)", "w", (7 / 3 + 3 * 0.75) / 10),
        ("GAUC(weight=spend,of_rows=mean)", "w", (7 / 4 / 3 + 0.75) / (7 / 4 + 1)),
    ],
)
def test_gauc_weighted_by_a_column(measure: str, weight: str, expected: float) -> None:
    assert value(SPENT, measure, weight=weight) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("name", ["ad spend", "a,b", "(", "it's", 'a "b"', "x|y%7C:", "ä", "2"])
def test_a_column_of_any_name_can_weigh_queries(name: str) -> None:
    measure = rm.Measure("GAUC", {"weight": name})
    result = rm.evaluate_predictions(USERS | {name: SPENT["spend"]}, f"AUC, {measure}")
    assert result[measure] == value(SPENT, "GAUC(weight=spend)")
    assert list(result.values) == ["AUC", str(measure)]


def test_slices_intervals_and_systems_weigh_by_a_column() -> None:
    table = SPENT | {"day": ["x"] * 3 + ["y"] * 5, "other": [0.1] * 8}
    options: dict[str, Any] = {"by": "day", "intervals": True, "resamples": 200}
    result = rm.evaluate_predictions(table, "GAUC(weight=spend)", **options)
    assert [result.slices[day][0].value for day in "xy"] == [0.5, 0.75]
    interval = result.intervals["GAUC(weight=spend)"]
    # Two users with a value: by t with one degree of freedom they bound hardly anything, and a note says so.
    assert 0 < interval.low < result["GAUC(weight=spend)"] < interval.high < 1
    assert "there are few of them" in interval.note
    ones = {**table, "spend": [1] * 8}
    rows = rm.evaluate_predictions(ones, "GAUC(weight=spend), GAUC(weight=impressions)", **options).intervals
    assert rows["GAUC(weight=spend)"] == rows["GAUC(weight=impressions)"] != interval
    systems = {"a": "score", "b": "other"}
    compared = rm.compare_predictions(table, systems, "GAUC(weight=spend)", resamples=200)
    assert compared.results["a"].values == result.values


def test_hashes_know_the_column_that_queries_weigh() -> None:
    plain = rm.evaluate_predictions(SPENT, "GAUC", hash_inputs=True).inputs
    weighed = rm.evaluate_predictions(SPENT, "GAUC(weight=spend)", hash_inputs=True).inputs
    other = rm.evaluate_predictions(SPENT | {"spend": [1] * 8}, "GAUC(weight=spend)", hash_inputs=True).inputs
    assert len({*plain.values(), *weighed.values(), *other.values()}) == 3


def test_numbers_of_several_types_are_numbers_and_texts_are_not() -> None:
    assert value({"label": [1, 0.0, True], "score": [1, 0.5, 0]}, "AUC") == 0.5
    with pytest.raises(DataError, match=r"'user' holds values of several types: 1 of str .* row 0\), 1"):
        rm.evaluate_predictions({"label": [1, 0], "score": [1, 0], "user": ["a", 3]}, "AUC")


def test_log_loss_clip_and_unit() -> None:
    table = {"label": [1, 0], "score": [0.0, 0.5]}
    assert value(table, "LogLoss") == pytest.approx((-math.log(1e-15) + math.log(2)) / 2, rel=1e-14)
    assert value(table, "LogLoss(clip=0.25,unit=bits)") == pytest.approx((2 + 1) / 2, rel=1e-14)


def test_calibration_in_the_large_and_errors() -> None:
    table = {"label": [1, 0, 0], "score": [0.5, 0.25, 0.5], "weight": [2, 1, 1]}
    result = rm.evaluate_predictions(table, "PCOPC COPC Brier MSE MAE RMSE")
    squares = 2 * 0.25 + 0.0625 + 0.25
    assert result.values == {
        "PCOPC": 1.75 / 2,
        "COPC": pytest.approx(2 / 1.75),
        "Brier": squares / 4,
        "MSE": squares / 4,
        "MAE": 1.75 / 4,
        "RMSE": pytest.approx(math.sqrt(squares / 4)),
    }


# --- By peers ------------------------------------------------------------------------------------------


def random_table(rows: int, seed: int, *, weighted: bool, dtype: Any, digits: int = 2) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    score = rng.beta(1, 3, rows).round(digits).astype(dtype)
    columns = {
        "user": rng.integers(0, max(1, rows // 400), rows),
        "label": (rng.random(rows) < score).astype(np.int8),
        "score": score,
    }
    return pl.DataFrame(columns | ({"weight": rng.exponential(size=rows)} if weighted else {}))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("rows", "digits"), [(300, 1), (3_000, 2), (50_000, 12)])
def test_agrees_with_scikit_learn(rows: int, digits: int, weighted: bool, dtype: Any) -> None:
    table = random_table(rows, rows, weighted=weighted, dtype=dtype, digits=digits)
    y, s = table["label"].to_numpy(), table["score"].to_numpy().astype(np.float64)
    w = {"sample_weight": table["weight"].to_numpy() if weighted else None}
    precision, recall, _ = metrics.precision_recall_curve(y, s, **w)
    clip = np.finfo(np.float64).eps
    expected = {
        "AUC": metrics.roc_auc_score(y, s, **w),
        "AveragePrecision": metrics.average_precision_score(y, s, **w),
        "PRAUC": metrics.auc(recall, precision),
        f"LogLoss(clip={clip})": metrics.log_loss(y, s, **w),
        f"RIG(clip={clip})": metrics.d2_log_loss_score(y, s, **w),
        "Brier": metrics.brier_score_loss(y, s, **w),
        "MSE": metrics.mean_squared_error(y, s, **w),
        "RMSE": metrics.root_mean_squared_error(y, s, **w),
        "MAE": metrics.mean_absolute_error(y, s, **w),
    }
    for most in (0.01, 0.3, 0.9):
        expected[f"AUC(max_fpr={most})"] = metrics.roc_auc_score(y, s, max_fpr=most, **w)
    if not weighted:
        expected["KS"] = ks_2samp(s[y == 1], s[y == 0]).statistic
    result = rm.evaluate_predictions(table, list(expected))
    for measure, number in expected.items():
        assert result[measure] == pytest.approx(number, rel=1e-12, abs=1e-12), measure


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_gauc_is_a_mean_of_scikit_learns(grouped: bool, weighted: bool) -> None:
    table = random_table(80_000, 5, weighted=weighted, dtype=np.float32)
    table = table.sort("user") if grouped else table
    w = table["weight"] if weighted else pl.repeat(1.0, table.height, eager=True)
    aucs, weights = [], []
    for rows in table.with_columns(w=w).partition_by("user", maintain_order=True):
        if rows["label"].n_unique() == 2:
            aucs.append(metrics.roc_auc_score(rows["label"], rows["score"], sample_weight=rows["w"]))
            weights.append(rows["w"].sum())
    result = rm.evaluate_predictions(table, "GAUC", query="user")
    assert result["GAUC"] == pytest.approx(np.average(aucs, weights=weights), rel=1e-12)
    assert result.per_query["GAUC"].drop_nulls().to_list() == pytest.approx(aucs, rel=1e-12)
    assert result.query_ids == table["user"].unique(maintain_order=True).to_list()


@pytest.mark.parametrize("weighted", [False, True])
def test_lightgbm_binary(data_file: Callable[[str], str], weighted: bool) -> None:
    score = np.loadtxt(data_file("lightgbm_binary/lightgbm470_pred.binary.test.txt"))
    label = np.loadtxt(data_file("lightgbm_binary/binary.test"), usecols=0)
    table = {"label": label, "score": score}
    if weighted:
        table["weight"] = np.loadtxt(data_file("lightgbm_binary/binary.test.weight"))
    result = rm.evaluate_predictions(table, ["AUC", "LogLoss", "AveragePrecision"])
    # LightGBM's own figures weighted, scikit-learn's unweighted; both to ten digits.
    expected = [0.8280753282, 0.5060754361, 0.8523181497]
    expected = expected if weighted else [0.8279798762, 0.5061753161, 0.8522003480]
    assert list(result.values.values()) == pytest.approx(expected, abs=6e-11)


# --- A twin --------------------------------------------------------------------------------------------


def twin(rows: list[tuple[float, float, float]]) -> dict[str, float]:
    """Pair by pair and threshold by threshold, of rows (positive, score, weight)."""
    positive = math.fsum(w for y, _, w in rows if y)
    negative = math.fsum(w for y, _, w in rows if not y)
    pairs = math.fsum(
        a * b * (1.0 if s > t else 0.5 if s == t else 0.0)
        for y, s, a in rows
        if y
        for z, t, b in rows
        if not z
    )
    steps, gap, before = 0.0, 0.0, 0.0
    for threshold in sorted({s for _, s, _ in rows}, reverse=True):
        tp = math.fsum(w for y, s, w in rows if y and s >= threshold)
        fp = math.fsum(w for y, s, w in rows if not y and s >= threshold)
        steps += (tp - before) * (tp / (tp + fp))
        gap = max(gap, abs(tp / positive - fp / negative))
        before = tp
    return {"AUC": pairs / (positive * negative), "AveragePrecision": steps / positive, "KS": gap}


SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 0.5, math.inf, -math.inf, 5e-324, -5e-324, 1e300, -1e300]),
    st.floats(allow_nan=False),
)
ROWS = st.lists(st.tuples(st.booleans(), SCORES, st.sampled_from([0.5, 1.0, 3.0])), min_size=2, max_size=40)


@given(ROWS, st.booleans())
def test_the_twin_agrees_on_hostile_scores(rows: list[tuple[bool, float, float]], weighted: bool) -> None:
    rows = rows if weighted else [(y, s, 1.0) for y, s, _ in rows]
    labels, scores, weights = map(list, zip(*rows, strict=True))
    table = {"label": labels, "score": scores} | ({"weight": weights} if weighted else {})
    result = rm.evaluate_predictions(table, ["AUC", "AveragePrecision", "KS"])
    if len(set(labels)) == 2:
        assert result.values == pytest.approx(twin(rows), rel=1e-12, abs=1e-12)
    else:
        assert math.isnan(result["AUC"])
    queries = table | {"query": [7] * len(rows)}
    assert rm.evaluate_predictions(queries, "GAUC")["GAUC"] == pytest.approx(
        result["AUC"], rel=1e-12, abs=1e-15, nan_ok=True
    )


# --- What does not matter ------------------------------------------------------------------------------

ALL_ROW_MEASURES = [name for name, page in pages().items() if page.kind == "row"]


@pytest.mark.parametrize("weighted", [False, True])
def test_neither_threads_nor_the_order_of_rows_matter(weighted: bool) -> None:
    table = random_table(70_000, 3, weighted=weighted, dtype=np.float32, digits=5)
    one = rm.evaluate_predictions(table, ALL_ROW_MEASURES, query="user", threads=1)
    known = {name: number for name, number in one.values.items() if name not in one.undefined}
    assert set(one.undefined) == {"MAPE"} | ({"Kendall", "Spearman"} if weighted else set())
    for threads in (2, 3, 7):
        again = rm.evaluate_predictions(table, ALL_ROW_MEASURES, query="user", threads=threads)
        assert {name: again[name] for name in known} == known
    shuffled = table.sample(fraction=1, shuffle=True, seed=4)
    result = rm.evaluate_predictions(shuffled, ALL_ROW_MEASURES, query="user")
    assert {name: result[name] for name in known} == pytest.approx(known, rel=1e-13, abs=1e-15)
    pieces = pl.concat([table[:11], table[11:40_000], table[40_000:]], rechunk=False)
    parted = rm.evaluate_predictions(pieces, ALL_ROW_MEASURES, query="user")
    assert {name: parted[name] for name in known} == known


@pytest.mark.parametrize(
    ("labels", "options"),
    [
        ([1, -1, 1, -1], {}),
        ([True, False, True, False], {}),
        ([1.0, 0.0, 1.0, 0.0], {}),
        (["good", "bad", "good", "bad"], {"positive": "good"}),
        ([2, 5, 2, 5], {"positive": 2}),
        ([0, 1, 0, 1], {"positive": 0}),
    ],
)
def test_labels_of_every_kind(labels: list[Any], options: dict[str, Any]) -> None:
    result = rm.evaluate_predictions({"label": labels, "score": [0.9, 0.8, 0.7, 0.6]}, "AUC Brier", **options)
    assert result["AUC"] == 0.75
    assert result["Brier"] == pytest.approx((0.01 + 0.64 + 0.09 + 0.36) / 4)
    assert result.counts.positive == 2


def test_every_kind_of_table(tmp_path: Path) -> None:
    frame = pl.DataFrame({"q": ["a", "a", "b"], "label": [1, 0, 1], "score": [0.9, 0.8, 0.7]})
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_csv(tmp_path / "t.csv")
    frame.write_ndjson(tmp_path / "t.jsonl")
    words = frame.with_columns(pl.col("label").replace_strict({1: "yes", 0: "no"}))
    words.write_csv(tmp_path / "words.csv")
    paths = [tmp_path / f"t.{end}" for end in ("parquet", "csv", "jsonl")]
    for table in (frame, pd.DataFrame(frame.to_dict()), frame.to_arrow(), frame.lazy(), *paths):
        assert value(table, "AUC") == 0.5
        assert value(table, "GAUC", query="q") == 1.0
    assert value(tmp_path / "words.csv", "AUC", positive="yes") == 0.5


# --- Lists in the same call ----------------------------------------------------------------------------


def test_lists_and_rows_in_one_call() -> None:
    table = {"user": list("aabb"), "label": [0, 1, 3, 0], "score": [0.9, 0.8, 0.7, 0.6]}
    result = rm.evaluate_predictions(table, ["nDCG@10", "MAE"])
    lists = rm.evaluate(
        {"a": {"1": 0, "2": 1}, "b": {"3": 3, "4": 0}},
        {"a": {"1": 0.9, "2": 0.8}, "b": {"3": 0.7, "4": 0.6}},
        "nDCG@10",
        ties="expected",
    )
    assert result["nDCG@10"] == lists["nDCG@10"]
    assert result["MAE"] == pytest.approx((0.9 + 0.2 + 2.3 + 0.6) / 4)
    assert result.per_query.columns == ["query", "nDCG@10"]
    assert "ties:expected" in result.signature("nDCG@10")


def test_what_became_of_lists_is_told_with_the_rows() -> None:
    told = " ".join(str(rm.evaluate_predictions(USERS, "GAUC RR")).split())
    assert "1 query of one class (2 rows) left out; nothing relevant in 1 query (counted as 0)" in told
    assert "equal scores could change 1 query (ties: expected)" in told


def test_equal_scores_without_items_are_never_ordered_by_row() -> None:
    table = {"user": [1, 1], "label": [0, 1], "score": [0.5, 0.5]}
    assert value(table, "RR") == 0.75
    with pytest.raises(MeasureError, match=r"ERR.*has no closed form.*without a column of items"):
        rm.evaluate_predictions(table, "ERR(max_grade=1)")
    with pytest.raises(rm.ChoiceError, match="no column of items"):
        rm.evaluate_predictions(table, "RR", ties="item-desc")
    with_items = table | {"item": ["x", "y"]}
    assert value(with_items, "RR") == 1.0
    assert "ties:item-desc" in rm.evaluate_predictions(with_items, "RR").signature("RR")


def test_a_name_means_the_measure_of_the_door_it_is_asked_at() -> None:
    table = {"user": [1, 1], "label": [0, 1], "score": [0.5, 0.4]}
    assert str(*rm.evaluate_predictions(table, "roc_auc")) == "AUC"
    assert str(*rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "roc_auc")) == "ListAUC"
    assert str(*rm.evaluate_predictions(table, "ListAUC")) == "ListAUC"
    with pytest.raises(MeasureError, match=r"AUC is a measure of predictions.*of lists there is ListAUC"):
        rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "auc")


def test_canonical_names_read_back_at_either_door() -> None:
    from rankmark.language.names import parse
    from rankmark.language.registry import LISTS_FIRST, ROWS_FIRST

    for name in pages():
        for kinds in (LISTS_FIRST, ROWS_FIRST):
            assert parse(name, kinds).name == name


# --- Undefined -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("label", "why"), [(1, "every row is positive"), (0, "no row is positive")])
def test_one_class_is_undefined_with_the_reason(label: int, why: str) -> None:
    table = {"user": [1, 1], "label": [label] * 2, "score": [0.5, 0.4]}
    result = rm.evaluate_predictions(table, "AUC Gini KS NE RIG GAUC")
    assert all(math.isnan(number) for number in result.values.values())
    assert result.undefined == dict.fromkeys(["AUC", "Gini", "KS", "NE", "RIG"], why) | {
        "GAUC": "every query is of one class"
    }
    assert f"no value of AUC, Gini, KS, NE, RIG: {why}" in " ".join(str(result).split())
    record = json.loads(result.to_json())["measures"]["AUC"]
    assert (record["value"], record["undefined"]) == (None, why)


def test_without_positive_rows_there_is_no_precision_and_no_calibration() -> None:
    result = rm.evaluate_predictions(
        {"label": [0, 0], "score": [0.5, 0.0]}, "AveragePrecision PRAUC PCOPC COPC"
    )
    assert list(result.undefined) == ["AveragePrecision", "PRAUC", "PCOPC"]
    assert result["COPC"] == 0


# --- Refused -------------------------------------------------------------------------------------------

GOOD: Table = {"label": [1, 0, 1], "score": [0.5, 0.25, 1.0]}


@pytest.mark.parametrize(
    ("change", "measure", "options", "error", "message"),
    [
        ({"label": [0, 1, 2]}, "AUC", {}, DataError, "AUC takes binary labels .* holds 0, 1, 2$"),
        ({"label": [3, 3, 5]}, "AUC", {}, DataError, "holds 3, 5; say which of the two is the positive"),
        ({"label": [3, 4, 5]}, "AUC", {"positive": 5}, DataError, "holds 3, 4, 5, which are more than two"),
        ({"label": [3, 4, 4]}, "AUC", {"positive": 5}, DataError, "holds 3, 4, which lack it"),
        ({"label": ["a", "b", "c"]}, "AUC", {}, DataError, r"3 different words \('a', 'b', 'c'\)"),
        ({"label": ["a", "b", "b"]}, "AUC", {}, DataError, r"words \('a', 'b'\); say which is the positive"),
        ({"label": ["yes", "no", "no"]}, "AUC", {"positive": "Yes"}, DataError, "did you mean 'yes'"),
        (
            {"label": ["a", "b", "b"]},
            "RMSE",
            {"positive": "a"},
            DataError,
            "RMSE takes labels that are numbers",
        ),
        ({"score": [0.5, 1.5, -1.0]}, "LogLoss", {}, DataError, r"2 scores outside .* row 1 \(from 0\): 1.5"),
        ({"score": [0.5, math.nan, math.nan]}, "AUC", {}, DataError, r"2 NaN values, the first in row 1"),
        ({"score": [0.5, None, 1.0]}, "AUC", {}, DataError, r"1 null, the first in row 1"),
        ({"label": [0.0, 1.0, math.nan]}, "RMSE", {}, DataError, r"label .* 1 NaN or infinite .* row 2"),
        ({"weight": [1, 0, -1]}, "AUC", {}, DataError, "is NaN, infinite or negative, in row 2 "),
        ({"weight": [0, 0, 0]}, "AUC", {}, DataError, "0 in every row"),
        ({"score": ["a", "b", "c"]}, "AUC", {}, ColumnError, "'score' is .*, not numbers"),
        ({}, "GAUC", {}, ColumnError, "GAUC is a value of each query, and predictions has no column"),
        ({}, "nDCG@10", {}, ColumnError, "nDCG@10 is a value of each query"),
        ({}, "AUC", {"label": "clik"}, ColumnError, "no column 'clik' for the label; its columns"),
        ({}, "AUC", {"label": "score"}, ColumnError, "no column known as the score|cannot be both"),
        ({"click": [1, 0, 1]}, "AUC", {}, ColumnError, "2 columns that can be the label: 'label', 'click'"),
        ({}, "AUC(max_fpr=0)", {}, MeasureError, "nothing lies between"),
        ({}, "AUC(min_precision=1)", {}, MeasureError, "nothing lies between a precision of 1 and of 1"),
        (
            {},
            "GAUC(weight=spent)",
            {},
            ColumnError,
            "no column 'spent' for GAUC.* whose weight is impressions",
        ),
        ({}, "GAUC(weight=label)", {}, ColumnError, "is the label of the rows, .* it is weight=clicks"),
        ({"w": list("abc")}, "GAUC(weight=w)", {}, ColumnError, "'w', by which queries .*, not numbers"),
        ({}, "GAUC(weight=3)", {}, MeasureError, "weight=3 is not impressions .* or the name of a column"),
        ({"q": ["a"] * 3}, "GAUC(of_rows=mean)", {"query": "q"}, MeasureError, "of_rows=mean is of a column"),
        (
            {"q": ["a"] * 3, "w": [1, 0, -1]},
            "GAUC(weight=w)",
            {"query": "q"},
            DataError,
            "'w' has 1 value that is .* negative, in row 2 .* remove that row",
        ),
        ({}, "LogLoss(clip=0.7)", {}, MeasureError, "clip=0.7 is not a number between"),
        ({}, "AUC@10", {}, MeasureError, "AUC takes no cutoff"),
        ({}, "AUC", {"positive": "no"}, DataError, r"positive='no', but .* \(column 'label'\) are numbers"),
        ({"label": [True, False, True]}, "AUC", {"positive": "no"}, DataError, "are true and false"),
        ({}, "AUC", {"label": 0}, UsageError, "label=0: a column is called by its name, a text$"),
        ({}, "AUC", {"label": ["label", "score"]}, UsageError, r"label=\['label', 'score'\]: a column is"),
        ({}, "AUC", {"score": 1}, UsageError, "score=1: .* and several of scores by a list"),
        ({}, "AUC", {"score": ["score", 1]}, UsageError, "a column is called by its name"),
    ],
)
def test_refused(change: Table, measure: str, options: dict[str, Any], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        rm.evaluate_predictions(GOOD | change, measure, **options)


def test_a_list_of_grades_has_no_positive_label() -> None:
    table = {"click": [1, 0], "score": [1, 2], "user": [1, 1]}
    with pytest.raises(
        rm.ChoiceError, match=r"nDCG@5 takes .* for grades, and positive=0 makes none of them"
    ):
        rm.evaluate_predictions(table, "AUC nDCG@5", positive=0)


def test_what_is_no_measure_no_column_and_no_option() -> None:
    table = {"click": [1, 0], "score": [1, 2], "other": [2, 1]}
    with pytest.raises(MeasureError, match="measures=3 is neither a measure nor several"):
        rm.evaluate_predictions(table, 3)  # type: ignore[arg-type]
    with pytest.raises(rm.UsageError, match="by=3 is neither a column"):
        rm.evaluate_predictions(table, "AUC", by=3)
    with pytest.raises(
        TypeError, match=r"compare_predictions\(\) got an unexpected keyword argument 'engine'"
    ):
        rm.compare_predictions(table, {"a": "score", "b": "other"}, "AUC", engine="local")


def test_the_account_says_what_weighs_the_rows() -> None:
    table = {"click": [1, 0], "p": [1, 0], "user": [1, 1], "weight": [1, 2]}
    assert "2 rows, 1 positive, weighed by 'weight'\n" in str(rm.evaluate_predictions(table, "AUC")) + "\n"
    both = rm.evaluate_predictions(table, "AUC nDCG@5")
    assert "weighed by 'weight', but for measures of lists" in str(both)


def test_no_table_and_no_rows() -> None:
    with pytest.raises(rm.UsageError, match="predictions is of type int"):
        rm.evaluate_predictions(3, "AUC")
    with pytest.raises(DataError, match="has no rows"):
        rm.evaluate_predictions({"label": [], "score": []}, "AUC")
    with pytest.raises(DataError, match="columns of the same length"):
        rm.evaluate_predictions({"label": [1, 0], "score": [1, 2, 3]}, "AUC")


def test_scores_that_are_no_probabilities_are_fine_for_ranking() -> None:
    assert value({"label": [1, 0], "score": [7, -3]}, "AUC") == 1.0


def test_an_empty_name_is_no_column() -> None:
    table = GOOD | {"weight": [1, 2, 3]}
    assert value(table, "PCOPC", weight="") == value(GOOD, "PCOPC") != value(table, "PCOPC")
    with pytest.raises(ColumnError, match="no column known as the label"):
        rm.evaluate_predictions(GOOD, "AUC", label="")


# --- The result ----------------------------------------------------------------------------------------


def test_signatures_say_what_decides() -> None:
    table = {"label": ["y", "n"], "score": [0.5, 0.4], "weight": [1, 2]}
    result = rm.evaluate_predictions(table, ["LogLoss", "AUC"], positive="y")
    version = rm.__version__  # type: ignore[attr-defined]
    assert result.signature("LogLoss") == (
        f"LogLoss|clip:1e-15|unit:nats|positive:y|weights:weight|rankmark:{version}"
    )
    assert result.signature("AUC", short=True) == f"AUC|positive:y|weights:weight|rankmark:{version}"


@pytest.mark.parametrize("measures", ["AUC", "AUC GAUC RR"])
def test_results_are_pickled_and_shown(measures: str) -> None:
    result = rm.evaluate_predictions(USERS, measures)
    again = pickle.loads(pickle.dumps(result))
    assert isinstance(again, PredictionResult)
    assert again.values == result.values
    assert again.to_json(per_query=True) == result.to_json(per_query=True)
    assert str(again) == str(result)
    assert "8 rows, 3 positive" in str(result)
    for name in ("markdown", "latex", "csv", "trec"):
        assert "AUC" in result.format(name)
    assert "AUC" in result._repr_html_()
    with pytest.raises(rm.NotEvaluatedError, match="AUC is one value of all rows"):
        result.query_values("AUC")


def test_a_measure_of_all_rows_has_no_values_of_queries() -> None:
    """Once polars 2.1 was handed a column without a type, and refused it."""
    for table in (
        {"label": [1, 0], "score": [0.2, 0.1]},
        {"label": [1, 0], "score": [[0.2, 0.8], [0.9, 0.1]]},
    ):
        result = rm.evaluate_predictions(table, ["AUC"])
        assert result.per_query.schema == {"query": pl.String}
        assert result.per_query.is_empty()
        assert result.query_ids == []
        with pytest.raises(rm.NotEvaluatedError, match="with none for each query to be sliced"):
            result.by({"a": "x"})


@pytest.mark.parametrize("measure", ["RMSE", "MSE", "MAE", "R2", "Pearson"])
def test_infinite_and_huge_scores_in_slices(measure: str) -> None:
    """Once writing them as JSON was a bare ValueError, and squaring huge ones an OverflowError."""
    for scores in ([math.inf, 0.0, 1.0, -math.inf], [1e308, -1e308, 1e308, 1.0]):
        table = {"label": [1, 0, 1, 0], "score": scores, "group": ["a", "a", "b", "b"]}
        result = rm.evaluate_predictions(table, measure, by="group")
        assert "Infinity" not in result.to_json()
        assert json.loads(result.to_json())
        assert str(result)
