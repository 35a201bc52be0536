"""Measures of decisions, of predicted numbers and of classes: by hand, by peers, and what is refused."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

import rankmark as rm
from rankmark.errors import ColumnError, DataError, MeasureError, UsageError

Table = dict[str, Any]


def value(table: Any, measure: str | rm.Measure, **options: Any) -> float:
    return rm.evaluate_predictions(table, measure, **options)[measure]


def undefined(table: Any, measure: str, **options: Any) -> str:
    result = rm.evaluate_predictions(table, measure, **options)
    assert math.isnan(result[measure])
    (why,) = result.undefined.values()
    return why


# --- Decisions: by hand --------------------------------------------------------------------------------

# Positive at the scores 0.9, 0.7 (tied with another) and 0.3.
SIX: Table = {"label": [1, 1, 0, 0, 1, 0], "score": [0.9, 0.7, 0.7, 0.4, 0.3, 0.1]}


def test_a_threshold_finds_what_scores_as_much() -> None:
    result = rm.evaluate_predictions(SIX, [f"{count}(threshold=0.7)" for count in ("TP", "FP", "TN", "FN")])
    assert list(result.values.values()) == [2, 1, 2, 1]
    assert value(SIX, "Confusion(threshold=0.7)") == 3


def test_a_share_of_the_rows_takes_part_of_tied_ones() -> None:
    # A third is two rows: the first, and one of the two at 0.7, of which half is positive.
    expected = {
        "TP(top=0.3333333333333333)": 1.5,
        "BinaryPrecision(top=0.3333333333333333)": 0.75,
        "Gain(top=0.3333333333333333)": 0.5,
        "Lift(top=0.3333333333333333)": 1.5,
    }
    for measure, number in expected.items():
        assert value(SIX, measure) == pytest.approx(number, rel=1e-12), measure


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 3), st.sampled_from([0.5, 1, 2])), min_size=2, max_size=6
    ),
    st.sampled_from([0.25, 0.5, 0.7]),
)
def test_a_share_is_the_mean_over_all_orders_of_tied_rows(
    rows: list[tuple[bool, int, float]], top: float
) -> None:
    # Every order of rows of unit weight: each weight is a number of half units.
    from itertools import permutations

    units = [(y, s) for y, s, w in rows for _ in range(int(2 * w))][:7]
    labels, scores = map(list, zip(*units, strict=True))
    size = round(top * len(units))
    if not 0 < size < len(units):
        return
    found = []
    for order in permutations(range(len(units))):
        best = sorted(order, key=lambda row: -scores[row])[:size]
        found.append(sum(labels[row] for row in best))
    measure = rm.Measure("Confusion", {"count": "tp", "top": size / len(units)})
    table = {"label": labels, "score": scores}
    assert value(table, measure) == pytest.approx(np.mean(found), rel=1e-9, abs=1e-9)


def test_the_best_threshold_is_told() -> None:
    result = rm.evaluate_predictions(SIX, ["F1(threshold=max)", "Kappa(threshold=max)", "AUC"])
    # F1 at .9: 2/4; at .7: 4/6; at .4: 4/7; at .3: 6/8.
    assert result["F1(threshold=max)"] == 0.75
    assert result.thresholds == {"F1(threshold=max)": 0.3, "Kappa(threshold=max)": 0.9}
    assert "F1(threshold=max) is at the threshold 0.3" in " ".join(str(result).split())
    record = json.loads(result.to_json())["measures"]
    assert record["F1(threshold=max)"]["threshold"] == 0.3
    assert record["AUC"]["threshold"] is None
    assert pickle.loads(pickle.dumps(result)).thresholds == result.thresholds


def test_finding_nothing_can_be_best() -> None:
    table = {"label": [0, 0, 1], "score": [0.9, 0.8, 0.7]}
    result = rm.evaluate_predictions(table, "Accuracy(threshold=max)")
    assert result["Accuracy(threshold=max)"] == pytest.approx(2 / 3)
    assert result.thresholds == {"Accuracy(threshold=max)": math.inf}
    assert "at the threshold inf, which finds nothing" in " ".join(str(result).split())
    (record,) = json.loads(result.to_json())["measures"].values()
    assert (record["threshold"], record["threshold_reason"]) == (None, "infinite: nothing is found")


def test_an_infinite_score_is_found_by_no_less_than_itself() -> None:
    table = {"label": [0, 1], "score": [math.inf, 0.5]}
    result = rm.evaluate_predictions(table, "Accuracy(threshold=max)")
    assert result["Accuracy(threshold=max)"] == 0.5
    assert result.thresholds == {"Accuracy(threshold=max)": 0.5}


def test_a_threshold_has_the_precision_of_the_scores() -> None:
    score = np.array([0.7, 0.3], dtype=np.float32)
    assert value({"label": [1, 0], "score": score}, "TP(threshold=0.7)") == 1


@pytest.mark.parametrize(
    ("labels", "measure", "why"),
    [
        ([1, 0], "BinaryPrecision(threshold=9)", "no row is found by the threshold 9"),
        ([0, 0], "BinaryRecall", "no row is positive and no row is found by the threshold 0.5"),
        (
            [1, 1],
            "Specificity(threshold=0)",
            "every row is positive and every row is found by the threshold 0",
        ),
        ([0, 0], "F1(threshold=9)", "no row is positive and no row is found by the threshold 9"),
        ([1, 0], "MCC(threshold=0)", "every row is found by the threshold 0"),
        ([0, 0], "Kappa(threshold=9)", "no row is positive and no row is found by the threshold 9"),
        ([1, 1], "BalancedAccuracy(threshold=0)", "every row is positive and every row is found"),
        ([0, 0], "Lift", "no row is positive"),
        ([0, 0], "MCC(threshold=max)", "no row is positive"),
    ],
)
def test_a_quotient_of_nothing_has_no_value(labels: list[int], measure: str, why: str) -> None:
    assert undefined({"label": labels, "score": [0.4, 0.2]}, measure).startswith(why)


def test_f_is_0_where_only_precision_or_recall_is_defined() -> None:
    assert value({"label": [1, 0], "score": [0.4, 0.2]}, "F1") == 0
    assert value({"label": [0, 0], "score": [0.9, 0.2]}, "F1") == 0


# --- Decisions: by peers -------------------------------------------------------------------------------


def random_table(rows: int, *, weighted: bool, seed: int = 5) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    score = rng.beta(1, 3, rows).round(2)
    table = {
        "user": rng.integers(0, rows // 20, rows),
        "label": (rng.random(rows) < score).astype(np.int8),
        "score": score,
    }
    return table | ({"weight": rng.exponential(size=rows)} if weighted else {})


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("decimals", [2, 16])
def test_a_share_of_many_rows_ends_where_all_thresholds_together_say(decimals: int, weighted: bool) -> None:
    table = random_table(40_000, weighted=weighted)
    table["score"] += (np.random.default_rng(1).random(40_000) / 100).round(decimals)
    weight = table.get("weight", np.ones(40_000))
    scores, place = np.unique(-table["score"], return_inverse=True)
    own, positive = (
        np.bincount(place, weights, len(scores)) for weights in (weight, weight * table["label"])
    )
    found, tp = (np.append(0, np.cumsum(weights)) for weights in (own, positive))
    for top in (1e-9, 0.1, 1 / 3, 0.7, 1 - 1e-16):
        expected = np.interp(top * found[-1], found, tp) / tp[-1]
        assert value(table, f"BinaryRecall(top={top})") == pytest.approx(expected, rel=1e-11)


def test_rows_without_weight_at_the_end_are_no_border() -> None:
    table = {"label": [1, 0, 1, 0], "score": [0.9, 0.5, 0.4, 0.1], "weight": [0.1, 0.2, 0.3, 0.0]}
    assert value(table, f"BinaryRecall(top={1 - 2**-53})") == pytest.approx(1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("threshold", [0.1, 0.35, 0.5])
def test_decisions_agree_with_scikit_learn(threshold: float, weighted: bool) -> None:
    table = random_table(20_000 if threshold == 0.1 else 400, weighted=weighted)
    y, found = table["label"], table["score"] >= threshold
    w = {"sample_weight": table.get("weight")}
    (tn, fp), (fn, tp) = metrics.confusion_matrix(y, found, **w)
    at = f"threshold={threshold}"
    expected = {
        f"BinaryPrecision({at})": metrics.precision_score(y, found, **w),
        f"BinaryRecall({at})": metrics.recall_score(y, found, **w),
        f"Specificity({at})": metrics.recall_score(y, found, pos_label=0, **w),
        f"BinaryF({at})": metrics.f1_score(y, found, **w),
        f"BinaryF(beta=0.5,{at})": metrics.fbeta_score(y, found, beta=0.5, **w),
        f"BinaryAccuracy({at})": metrics.accuracy_score(y, found, **w),
        f"BalancedAccuracy({at})": metrics.balanced_accuracy_score(y, found, **w),
        f"MCC({at})": metrics.matthews_corrcoef(y, found, **w),
        f"Kappa({at})": metrics.cohen_kappa_score(y, found, **w),
        f"Confusion(count=tp,{at})": tp,
        f"Confusion(count=fp,{at})": fp,
        f"Confusion(count=tn,{at})": tn,
        f"Confusion(count=fn,{at})": fn,
    }
    result = rm.evaluate_predictions(table, list(expected))
    for measure, number in expected.items():
        assert result[measure] == pytest.approx(number, rel=1e-12, abs=1e-12), measure


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["BinaryF", "BinaryAccuracy", "BalancedAccuracy", "MCC", "Kappa"])
def test_no_threshold_is_better_than_the_best(name: str, weighted: bool, dtype: Any) -> None:
    table = random_table(300, weighted=weighted)
    table["score"] = table["score"].astype(dtype)
    best = rm.Measure(name, {"threshold": "max"})
    result = rm.evaluate_predictions(table, best)
    (threshold,) = result.thresholds.values()
    each = [rm.Measure(name, {"threshold": float(t)}) for t in np.unique(table["score"])]
    values = {t.parameters.get("threshold", 0.5): number for t, number in
              zip(each, rm.evaluate_predictions(table, each).values.values(), strict=True)}  # fmt: skip
    assert result[best] == np.nanmax(list(values.values()))
    assert values[threshold] == result[best]


def test_gain_and_lift_are_of_the_curve_of_found_rows() -> None:
    table = random_table(1_000, weighted=True)
    order = np.argsort(-table["score"], kind="stable")
    w, y = table["weight"][order], table["label"][order]
    ends = np.flatnonzero(np.append(np.diff(table["score"][order]), 1))  # the last row of each score
    share, gain = np.cumsum(w)[ends] / w.sum(), np.cumsum(w * y)[ends] / (w * y).sum()
    result = rm.evaluate_predictions(
        table, [f"{name}(top={top})" for name in ("Gain", "Lift") for top in (0.05, 0.4)]
    )
    gains = np.interp([0.05, 0.4], np.append(0, share), np.append(0, gain))
    assert list(result.values.values()) == pytest.approx([*gains, *(gains / [0.05, 0.4])], rel=1e-12)


# --- Numbers -------------------------------------------------------------------------------------------


def rated(rows: int, *, weighted: bool, seed: int = 8, away: float = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    rating = rng.integers(1, 6, rows) + away
    table = {"user": rng.integers(0, rows // 10, rows), "rating": rating,
             "pred": (rating + rng.normal(size=rows)).round(1)}  # fmt: skip
    return table | ({"weight": rng.exponential(size=rows)} if weighted else {})


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("rows", "away"), [(60, 0.0), (30_000, 0.0), (500, 1e5)])
def test_numbers_agree_with_scikit_learn_and_scipy(rows: int, away: float, weighted: bool) -> None:
    table = rated(rows, weighted=weighted, away=away)
    y, s, weights = table["rating"], table["pred"], table.get("weight")
    w = {"sample_weight": weights}
    y0, s0 = (x - np.average(x, weights=weights) for x in (y, s))
    expected = {
        "R2": metrics.r2_score(y, s, **w),
        "ExplainedVariance": metrics.explained_variance_score(y, s, **w),
        "MAPE": metrics.mean_absolute_percentage_error(y, s, **w),
        "SMAPE": np.average(2 * np.abs(s - y) / (np.abs(s) + np.abs(y)), weights=weights),
        "Pearson": np.average(y0 * s0, weights=weights)
        / math.sqrt(np.average(y0**2, weights=weights) * np.average(s0**2, weights=weights)),
    }
    if not weighted:
        expected["Pearson"] = stats.pearsonr(y, s).statistic
        expected["Spearman"] = stats.spearmanr(y, s).statistic
        expected["Kendall"] = stats.kendalltau(y, s).statistic
    result = rm.evaluate_predictions(table, list(expected))
    for measure, number in expected.items():
        # Where all is far from 0, the peers lose digits to cancellation.
        assert result[measure] == pytest.approx(number, rel=1e-12 if not away else 1e-9, abs=1e-12), measure


@pytest.mark.parametrize("rows", [200, 50_000])  # by one thread, and by several
@pytest.mark.parametrize("labels", [2, 60, 70, 10_000])  # beyond 64 they are sorted
@pytest.mark.parametrize("scale", [1.0, 0.1])  # 32 bits are enough for whole numbers
def test_rank_correlations_agree_with_scipy(rows: int, labels: int, scale: float) -> None:
    rng = np.random.default_rng(labels)
    y = rng.integers(0, labels, rows)
    s = (y / labels + rng.normal(size=rows)).round(2) * 100 * scale
    s[:2] = [-np.inf, np.inf]
    result = rm.evaluate_predictions({"label": (y - 5) * scale, "score": s}, "Spearman Kendall")
    assert result["Spearman"] == pytest.approx(stats.spearmanr(y, s).statistic, rel=1e-12)
    assert result["Kendall"] == pytest.approx(stats.kendalltau(y, s).statistic, rel=1e-12)
    one = rm.evaluate_predictions({"label": y, "score": s}, "Spearman Kendall", threads=1)
    assert one.values == result.values


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("ids", [pl.Int64, pl.String])
def test_macro_is_the_mean_of_what_each_query_has(ids: Any, grouped: bool, weighted: bool) -> None:
    frame = pl.DataFrame(rated(3_000, weighted=weighted)).with_columns(pl.col("user").cast(ids))
    frame = frame.sort("user") if grouped else frame
    names = ["MSE", "RMSE", "MAE", "MAPE", "SMAPE"]
    result = rm.evaluate_predictions(frame, [f"{name}(average=macro)" for name in names])
    parts = frame.partition_by("user", maintain_order=True)
    each = [rm.evaluate_predictions(part, names) for part in parts]
    assert result.query_ids == [part["user"][0] for part in parts]
    for name in names:
        measure = f"{name}(average=macro)"
        own = [one[name] for one in each]
        assert result.query_values(measure).tolist() == pytest.approx(own, rel=1e-12), name
        assert result[measure] == pytest.approx(np.mean(own), rel=1e-12), name


def test_macro_weighs_queries_alike() -> None:
    table = {"user": [1, 1, 2], "rating": [1, 1, 1], "pred": [2, 2, 4], "weight": [1, 1, 5]}
    assert value(table, "RMSE(average=macro)") == (1 + 3) / 2
    assert value(table, "MSE(average=macro)") == (1 + 9) / 2
    assert value(table, "MSE") == (1 + 1 + 45) / 7


def test_queries_without_a_value_are_left_out_and_counted() -> None:
    table = {"user": [1, 1, 2, 3], "rating": [1, 2, 0, 4], "pred": [2, 2, 4, 4], "weight": [1, 1, 1, 0]}
    result = rm.evaluate_predictions(table, "MAPE(average=macro) MAE(average=macro)")
    assert result.values == {"MAPE(average=macro)": 0.5, "MAE(average=macro)": (0.5 + 4) / 2}
    counts = result.counts.measures["MAPE(average=macro)"]
    assert counts == rm.results.RowMeasureCounts(1, 2, 2, "without a weight or with a label of 0")
    assert "2 queries without a weight or with a label of 0 (2 rows) left out" in " ".join(
        str(result).split()
    )


def test_macro_needs_queries() -> None:
    with pytest.raises(ColumnError, match=r"RMSE\(average=macro\) is a value of each query"):
        value({"rating": [1, 2], "pred": [1, 3]}, "RMSE(average=macro)")


@pytest.mark.parametrize(
    ("table", "measure", "why"),
    [
        ({"rating": [0.1] * 7, "pred": range(7)}, "R2", "every label is the same"),
        ({"rating": [0.1] * 7, "pred": range(7)}, "ExplainedVariance", "every label is the same"),
        ({"rating": [0.1] * 7, "pred": range(7)}, "Pearson", "every label is the same"),
        ({"rating": [0.1] * 7, "pred": range(7)}, "Kendall", "every label is the same"),
        ({"rating": range(7), "pred": [0.1] * 7}, "Pearson", "every score is the same"),
        ({"rating": range(1000), "pred": [0.3] * 1000}, "Pearson", "every score is the same"),
        ({"rating": [0.3] * 1000, "pred": range(1000)}, "R2", "every label is the same"),
        ({"rating": range(7), "pred": [0.1] * 7}, "Spearman", "every score is the same"),
        ({"rating": range(7), "pred": [0.1] * 7}, "Kendall", "every score is the same"),
        ({"rating": [0, 0, 1], "pred": [1, 1, 1]}, "MAPE", "2 labels are 0"),
        ({"rating": [0, 2, 1], "pred": [1, 1, 1]}, "MAPE", "1 label is 0"),
        (
            {"rating": [1, 2], "pred": [1, 2], "weight": [1, 2]},
            "Kendall",
            "it is not defined for rows with weights",
        ),
        ({"rating": [1, 2], "pred": [1.0, math.inf]}, "R2", "there are infinite scores"),
    ],
)
def test_numbers_without_a_value_say_why(table: Table, measure: str, why: str) -> None:
    table = {name: list(column) for name, column in table.items()}
    assert undefined(table, measure) == why


@pytest.mark.parametrize("weights", [[1, 2, 3], [0.1, 0.3, 1e-9]])
def test_equal_labels_are_equal_whatever_they_weigh(weights: list[float]) -> None:
    table = {"rating": [0.1] * 3, "pred": [1, 2, 3], "weight": weights}
    assert undefined(table, "R2") == "every label is the same"


def test_rows_without_weight_do_not_count() -> None:
    table = {"rating": [1, 0, 3], "pred": [2.0, math.inf, 3.0], "weight": [1, 0, 1]}
    assert value(table, "MAPE") == 0.5
    assert value(table, "SMAPE") == pytest.approx(1 / 3)


# --- Classes -------------------------------------------------------------------------------------------


def test_vowpal_wabbit(data_file: Callable[[str], str]) -> None:
    path = data_file("vw_cb/oaa_probabilities.csv")
    measures = ["LogLoss", "Accuracy(ties=first)"]
    result = rm.evaluate_predictions(path, measures, score=["p1", "p2", "p3", "p4"])
    # Vowpal Wabbit's own figures: average multiclass log loss, average loss.
    assert result["LogLoss"] == pytest.approx(1.161130, abs=5e-7)
    assert 1 - result["Accuracy(ties=first)"] == pytest.approx(0.45, abs=1e-12)
    assert result.counts.classes == (1, 2, 3, 4)
    assert "200 rows, 4 classes (1, 2, 3, 4)" in str(result)


def of_classes(rows: int, classes: int, *, weighted: bool, ties: bool = False) -> dict[str, Any]:
    rng = np.random.default_rng(11)
    score = rng.dirichlet(np.ones(classes), rows)
    if ties:
        score = score.round(1)
    label = np.array([rng.choice(classes, p=p / p.sum()) for p in score + 0.01])
    table = {"label": label, "score": score.tolist()}
    return table | ({"weight": rng.exponential(size=rows)} if weighted else {})


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_classes_agree_with_scikit_learn(ties: bool, weighted: bool) -> None:
    table = of_classes(500, 5, weighted=weighted, ties=ties)
    y, s = table["label"], np.array(table["score"])
    guess = s.argmax(axis=1)
    w = {"sample_weight": table.get("weight")}
    clip = np.finfo(np.float64).eps
    expected = {"MulticlassAccuracy(ties=first)": metrics.accuracy_score(y, guess, **w)}
    for average in ("macro", "micro", "weighted"):
        said = f"average={average},ties=first"
        expected |= {
            f"MulticlassPrecision({said})": metrics.precision_score(y, guess, average=average, **w),
            f"MulticlassRecall({said})": metrics.recall_score(y, guess, average=average, **w),
            f"MulticlassF({said})": metrics.f1_score(y, guess, average=average, **w),
            f"MulticlassF(beta=2,{said})": metrics.fbeta_score(y, guess, beta=2, average=average, **w),
        }
    expected["balanced_accuracy(ties=first)"] = metrics.balanced_accuracy_score(y, guess, **w)
    if not ties:
        expected[f"LogLoss(clip={clip})"] = metrics.log_loss(y, s, **w)
        for k in (1, 2, 4):
            expected[f"Accuracy@{k}"] = metrics.top_k_accuracy_score(y, s, k=k, **w)
        for average in ("macro", "weighted"):
            auc = metrics.roc_auc_score(y, s, multi_class="ovr", average=average, **w)
            expected[f"OvR_AUC(average={average})"] = auc
            if not weighted:
                auc = metrics.roc_auc_score(y, s, multi_class="ovo", average=average)
                expected[f"OvO_AUC(average={average})"] = auc
    result = rm.evaluate_predictions(table, list(expected))
    for measure, number in expected.items():
        assert result[measure] == pytest.approx(number, rel=1e-12, abs=1e-12), measure


def test_classes_that_are_never_predicted_or_never_there() -> None:
    # Rows of a and b; a, b and c can be predicted, d is neither: classes a: P 1/1, R 1/2; b: R 0; c: P 0.
    table = {"label": ["a", "a", "b"], "score": [[0.9, 0, 0.1, 0], [0.1, 0, 0.9, 0], [0.1, 0, 0.9, 0]]}
    names = ["a", "b", "c", "d"]
    y, guess = ["a", "a", "b"], ["a", "c", "c"]
    for zero in (0, 1, np.nan):
        said = {0: "zero", 1: "one"}.get(zero, "skip")
        expected = {
            f"MulticlassPrecision(zero_division={said})": metrics.precision_score,
            f"MulticlassRecall(zero_division={said})": metrics.recall_score,
            f"MulticlassF(zero_division={said})": metrics.f1_score,
        }
        result = rm.evaluate_predictions(table, list(expected), classes=names)
        for measure, peer in expected.items():
            assert result[measure] == pytest.approx(peer(y, guess, average="macro", zero_division=zero)), (
                measure
            )
    assert undefined(table, "AUC", classes=names) == "no row is of class c, d"
    assert value(table, "AUC(absent=skip)", classes=names) == (1 * 0.75 + 0.5) / 2


def test_equal_scores_share_a_row_or_the_first_has_it() -> None:
    table = {"label": [0, 1, 2, 1], "score": [[0.4, 0.4, 0.2]] * 3 + [[0.3, 0.4, 0.3]]}
    expected = {
        "Accuracy": (0.5 + 0.5 + 0 + 1) / 4,
        "Accuracy(ties=first)": (1 + 0 + 0 + 1) / 4,
        "Accuracy@2": (1 + 1 + 0 + 1) / 4,
        "Accuracy@3": 1.0,
        "Accuracy@9": 1.0,
        "micro_F1": (0.5 + 0.5 + 0 + 1) / 4,
        # Predicted to be 0: three halves, one of them right; 1: three halves and one, of which 1/2 + 1.
        "Precision": (0.5 / 1.5 + 1.5 / 2.5 + 0) / 3,
    }
    result = rm.evaluate_predictions(table, list(expected))
    for measure, number in expected.items():
        assert result[measure] == pytest.approx(number, rel=1e-15), measure


@pytest.mark.parametrize(
    ("labels", "columns", "options", "expected"),
    [
        (["dog", "cat", "dog"], ["cat", "dog", "eel"], {}, ("cat", "dog", "eel")),
        ([2, 0, 2], ["0", "1", "2"], {}, (0, 1, 2)),
        ([7, 5, 9], ["x", "y", "z"], {}, (5, 7, 9)),
        ([0, 1, 0], ["x", "y", "z"], {}, (0, 1, 2)),
        ([3, 1, 3], ["x", "y", "z"], {}, (1, 2, 3)),
        ([1.0, 3.0, 3.0], ["x", "y", "z"], {}, (1, 2, 3)),
        ([True, False, True], ["x", "y"], {}, (False, True)),
        (["b", "a", "b"], ["x", "y", "z"], {"classes": ["b", "a", "c"]}, ("b", "a", "c")),
        ([1, 2, 1], ["x", "y", "z"], {"classes": [2, 1, 0]}, (2, 1, 0)),
        ([1, 2, 1], ["x", "y", "z"], {"classes": ["2", "1", "0"]}, (2, 1, 0)),
    ],
)
def test_the_classes_are_found(
    labels: list[Any], columns: list[str], options: Table, expected: tuple[Any, ...], tmp_path: Path
) -> None:
    table = {"label": labels} | {name: [1 / (place + 2)] * 3 for place, name in enumerate(columns)}
    right = np.mean([expected[0] == label for label in labels])
    result = rm.evaluate_predictions(table, "Accuracy", score=columns, **options)
    assert result.counts.classes == expected
    assert result["Accuracy"] == pytest.approx(right)
    if not isinstance(labels[0], bool):
        pl.DataFrame(table).write_csv(tmp_path / "t.csv")
        from_text = rm.evaluate_predictions(tmp_path / "t.csv", "Accuracy", score=columns, **options)
        assert (from_text.counts.classes, from_text["Accuracy"]) == (expected, result["Accuracy"])


def test_every_form_of_scores_is_the_same() -> None:
    scores = [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.2, 0.5, 0.3]]
    frame = pl.DataFrame({"label": [0, 1, 2], "score": scores})
    wide = pl.DataFrame({"label": [0, 1, 2]} | dict(zip("abc", np.array(scores).T.tolist(), strict=True)))
    measures = "LogLoss AUC Accuracy F1"
    expected = rm.evaluate_predictions(frame, measures).values
    assert rm.evaluate_predictions(wide, measures, score=["a", "b", "c"]).values == expected
    arrays = frame.with_columns(pl.col("score").cast(pl.Array(pl.Float64, 3)))
    assert rm.evaluate_predictions(arrays, measures).values == expected
    shuffled = wide.select("c", "label", "a", "b")
    assert rm.evaluate_predictions(shuffled, measures, score=["a", "b", "c"]).values == expected


def test_a_name_means_the_measure_of_classes_where_there_are_classes() -> None:
    table = {"label": [0, 1], "score": [[0.9, 0.1], [0.8, 0.2]]}
    result = rm.evaluate_predictions(table, "AUC LogLoss F1 precision recall accuracy")
    assert [str(measure) for measure in result] == [
        f"Multiclass{name}" for name in ("AUC", "LogLoss", "F", "Precision", "Recall", "Accuracy")
    ]
    assert result["AUC"] == result[rm.MulticlassAUC] == 1.0
    again = pickle.loads(pickle.dumps(result))
    assert again["AUC"] == 1.0
    assert again.counts == result.counts
    assert result.signature("LogLoss").startswith(
        "MulticlassLogLoss|clip:1e-15|unit:nats|classes:2|weights:none"
    )
    with pytest.raises(
        MeasureError, match=r"AUC takes one score in a row, .* of classes there is MulticlassAUC"
    ):
        rm.evaluate_predictions(table, rm.AUC)
    one = {"label": [0, 1], "score": [0.1, 0.2]}
    with pytest.raises(MeasureError, match=r"MulticlassF takes a score of each class, .* there is BinaryF"):
        rm.evaluate_predictions(one, "MulticlassF")
    with pytest.raises(MeasureError, match="measure of predictions"):
        rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "MulticlassF")


CLASSES: Table = {"label": [0, 1, 2], "score": [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.2, 0.5, 0.3]]}


@pytest.mark.parametrize(
    ("change", "measure", "options", "error", "message"),
    [
        (
            {"score": [[0.5, 0.3, 0.1]] * 3},
            "LogLoss",
            {},
            DataError,
            r"those of 3 rows do not sum to 1 \(by more than 0.001\), the first row 0 .* sum to 0.9;",
        ),
        (
            {"score": [[0.5, 0.5, 0], [2, -1, 0], [0, 0, 1]]},
            "LogLoss",
            {},
            DataError,
            r"1 row with a score outside of 0 to 1, the first row 1 \(from 0\): 2, -1, 0",
        ),
        ({"score": [[0.5, 0.5, 0], [1, 0], [0, 0, 1]]}, "F1", {}, DataError, "3 in row 0 but 2 in row 1"),
        ({"score": [[0.5, 0.5, 0], [1, 0, None], [0, 0, 1]]}, "F1", {}, DataError, "1 null, the first in"),
        (
            {"score": [[0.5, 0.5], [1.0, math.nan], [0.0, 1.0]]},
            "F1",
            {},
            DataError,
            "1 NaN among the scores .* row 1",
        ),
        ({"score": [["a", "b"]] * 3}, "F1", {}, ColumnError, "lists of String, not numbers"),
        ({"score": [[1.0]] * 3}, "F1", {}, ColumnError, "need two at least"),
        ({"label": [0, 1, None]}, "F1", {}, DataError, "'label' has 1 null, the first in row 2"),
        ({"label": [0.0, 1.5, 2.0]}, "F1", {}, DataError, "1 number that is not whole, the first in row 1"),
        ({"label": [1, 2, 2]}, "F1", {}, DataError, "3 scores, and 2 different labels .* which score"),
        ({"label": [4, 5, 6]}, "F1", {"classes": [4, 5, 7]}, DataError, "1 label of none .* row 2 .*: 6"),
        ({}, "F1", {"classes": [0, 1]}, UsageError, "2 are said, and .* has 3 scores"),
        ({}, "F1", {"classes": "012"}, UsageError, "classes='012' is one text; give a list"),
        ({}, "F1", {"classes": [0, 1, 1]}, UsageError, "1 is said twice"),
        ({}, "F1", {"classes": ["a", "b", "c"]}, DataError, "the classes are 'a', 'b', 'c', and the labels"),
        ({}, "F1", {"positive": 1}, UsageError, "positive=1 is of one score"),
        ({"weight": [1, -1, 0]}, "F1", {}, DataError, "1 weight that cannot be: .* row 1"),
        ({"weight": [0, 0, 0]}, "F1", {}, DataError, "0 in every row"),
        ({}, "F1", {"score": ["score", "score"]}, ColumnError, "score column 'score' is said twice"),
        ({"score": [1, 2, 3]}, "AUC", {"classes": [0, 1, 2]}, UsageError, "has one score in a row"),
        ({}, "Nonsense", {}, MeasureError, "no measure 'Nonsense'"),
        ({}, "RMSE", {}, MeasureError, "RMSE takes one score in a row"),
        ({}, "F1(average=all)", {"classes": [0, 1, 2]}, MeasureError, "average=all is not macro or micro"),
        ({}, "BinaryF(threshold=0.2,top=0.1)", {}, MeasureError, "takes one score in a row"),
    ],
)
def test_classes_refused(change: Table, measure: str, options: Table, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        rm.evaluate_predictions(CLASSES | change, measure, **options)


def test_two_decisions_are_refused() -> None:
    with pytest.raises(MeasureError, match=r"threshold=0.2 and top=0.1 are two decisions"):
        value(SIX, "F1(threshold=0.2,top=0.1)")


def test_sums_that_are_off_by_rounding_are_let_pass() -> None:
    table = CLASSES | {"score": [[0.333, 0.333, 0.333]] * 3}
    assert value(table, "LogLoss") == pytest.approx(-math.log(0.333))


def test_the_best_rows_are_a_share_or_a_number_of_them() -> None:
    """Of six rows the first two are a positive and another, and three are half."""
    table = {"label": [1, 0, 1, 0, 1, 0], "score": [0.9, 0.8, 0.3, 0.7, 0.4, 0.1]}
    result = rm.evaluate_predictions(table, "Precision(top=2) Precision(top=1) Recall(top=2) Lift(top=2)")
    assert list(result.values.values()) == [0.5, 1.0, 1 / 3, 1.0]
    share, number = "FPR(top=0.5)", "FPR(top=3)"
    halves = rm.evaluate_predictions(table, [share, number])
    assert halves[share] == halves[number] == pytest.approx(2 / 3)
    few = rm.evaluate_predictions(table, "Precision(top=7)")
    assert list(few.undefined.values()) == ["there are fewer than 7 rows"]
    with pytest.raises(MeasureError, match=r"top=1\.5 is not none, or a number between 0 and 1, or a whole"):
        rm.evaluate_predictions(table, "Precision(top=1.5)")


def test_a_number_of_best_rows_counts_rows_whatever_they_weigh() -> None:
    """By hand: the first row weighs 8; of the two that tie at the border one is needed, half of each."""
    table = {"label": [1, 0, 1, 0], "score": [0.9, 0.5, 0.5, 0.1], "weight": [8, 3, 1, 0]}
    names = [f"Precision(top={number})" for number in (1, 2, 3, 4, 5)]
    result = rm.evaluate_predictions(table, [*names[:2], "Recall(top=2)", *names[2:]])
    assert list(result.values.values())[:-1] == pytest.approx([1, 8.5 / 10, 8.5 / 9, 9 / 12, 9 / 12])
    assert list(result.undefined.values()) == ["there are fewer than 5 rows"]
    assert value(table, "Precision(top=0.5)") == 1.0  # half of the weight is 6 of the first row's 8


def test_every_rate_of_the_confusion_matrix_is_a_measure() -> None:
    """TP 2, FP 1, TN 3, FN 4, at 0.5; each rate and the one that it adds up to 1 with."""
    table = {"label": [1, 1, 0, 0, 0, 0, 1, 1, 1, 1], "score": [0.9] * 3 + [0.1] * 7}
    rates = {"TPR": 2 / 6, "FNR": 4 / 6, "FPR": 1 / 4, "TNR": 3 / 4}
    rates |= {"PPV": 2 / 3, "FDR": 1 / 3, "NPV": 3 / 7, "FOR": 4 / 7}
    result = rm.evaluate_predictions(table, list(rates))
    assert [result[name] for name in rates] == pytest.approx(list(rates.values()))
    assert rm.FPR.page.better == rm.FNR.page.better == rm.FDR.page.better == rm.FOR.page.better == "less"


def test_a_confusion_matrix_is_a_table(tmp_path: Path) -> None:
    """Of two clicks that score at least 0.5 both are found, and one of two others."""
    table = {"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.5, 0.1]}
    result = rm.evaluate_predictions(table, ["Confusion", "AUC"])
    assert result.confusion.rows() == [("0", 1.0, 1.0), ("1", 0.0, 2.0)]
    assert "label \\ predicted  0  1" in str(result)
    assert json.loads(result.to_json())["confusion"] == [[1.0, 1.0], [0.0, 2.0]]
    words = {"label": ["yes", "no", "yes"], "score": [0.9, 0.8, 0.2]}
    decided = rm.evaluate_predictions(words, "Confusion(threshold=0.85)", positive="yes")
    assert decided.confusion.rows() == [("no", 1.0, 0.0), ("yes", 1.0, 1.0)]
    pl.DataFrame(table).write_parquet(tmp_path / "rows.parquet")
    stream = rm.evaluate_predictions(tmp_path / "rows.parquet", "Confusion", engine="stream")
    assert stream.confusion.equals(result.confusion)
    with pytest.raises(rm.NotEvaluatedError, match="confusion matrix of a decision ask for Confusion"):
        rm.evaluate_predictions(table, "AUC").confusion  # noqa: B018
