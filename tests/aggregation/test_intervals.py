"""Intervals of measures of predictions, slices and comparisons: by hand, by a slow twin, by simulation."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rankmark as rm
from rankmark import statistics
from rankmark.errors import ChoiceError, ColumnError, DataError, MeasureError, UsageError
from rankmark.statistics.independent import group_difference
from rankmark.statistics.intervals import made_interval


def clicks(rows: int = 600, queries: int = 60, seed: int = 0) -> dict[str, Any]:
    """Predictions that are too high by a tenth, of users who differ."""
    random = np.random.default_rng(seed)
    user = random.integers(0, queries, rows)
    logit = random.normal(size=queries)[user] * 0.7 + random.normal(size=rows) - 1
    p = 1 / (1 + np.exp(-logit))
    return {
        "user_id": user,
        "click": random.random(rows) < p,
        "score": np.clip(1.1 * p, 0, 0.98),
        "other": np.clip(p + 0.1 * random.normal(size=rows), 0, 1),
        "country": [("de", "fr", None)[i] for i in random.integers(0, 3, rows)],
    }


def without_users(rows: int = 600, seed: int = 0) -> dict[str, Any]:
    return {name: column for name, column in clicks(rows, 60, seed).items() if name != "user_id"}


# --- Intervals of results ------------------------------------------------------------------------------

SUMS = ["LogLoss", "RMSE", "MSE", "MAE", "Brier", "NE", "RIG", "PCOPC", "COPC"]


def test_auc_has_delongs_interval_of_rows_or_of_queries() -> None:
    table = clicks()
    found = rm.evaluate_predictions(table, "AUC", intervals=True).intervals["AUC"]
    own = statistics.delong_interval(table["click"], table["score"], clusters=table["user_id"])
    assert (found.low, found.high) == pytest.approx(tuple(own), rel=1e-12)
    assert (found.method, found.unit, found.units, found.resamples) == ("delong-logit", "queries", 60, None)
    rows = rm.evaluate_predictions(without_users(), "AUC", intervals=True).intervals["AUC"]
    own = statistics.delong_interval(table["click"], table["score"])
    assert (rows.low, rows.high) == pytest.approx(tuple(own), rel=1e-12)
    assert (rows.unit, rows.units) == ("rows", 600)


@pytest.mark.slow
@pytest.mark.parametrize("measure", [*SUMS, "LogLoss(unit=bits)", "GAUC", "GAUC(weight=uniform)", "nDCG@5"])
def test_the_delta_method_and_the_bootstrap_agree(measure: str) -> None:
    table = clicks(3000, 300)
    ends = {
        method: rm.evaluate_predictions(table, measure, intervals=method).intervals[measure]  # type: ignore[arg-type]
        for method in ("delta", "bca", "percentile")
    }
    reach = (ends["delta"].high - ends["delta"].low) / 2
    for method in ("bca", "percentile"):
        assert ends[method].low == pytest.approx(ends["delta"].low, abs=0.25 * reach)
        assert ends[method].high == pytest.approx(ends["delta"].high, abs=0.25 * reach)
        assert ends[method].resamples == 10_000


def test_the_delta_method_of_pcopc_is_that_of_a_ratio() -> None:
    table = without_users()
    predicted, clicked = table["score"], table["click"].astype(float)
    ratio = predicted.sum() / clicked.sum()
    moved = (predicted - ratio * clicked) / clicked.sum()
    error = math.sqrt(600 / 599 * (moved**2).sum())
    found = rm.evaluate_predictions(table, "PCOPC", intervals="delta").intervals["PCOPC"]
    reach = stats.t.ppf(0.975, 599) * error
    assert (found.low, found.high) == pytest.approx((ratio - reach, ratio + reach), rel=1e-7)


def test_sums_are_resampled_as_rows_are() -> None:
    # The same resamples by hand: the mean of squares over those drawn.
    table = without_users(50)
    squares = (table["score"] - table["click"]) ** 2
    means = statistics.bootstrap_means(squares, resamples=500, seed=3)
    low, high = statistics.percentile_interval(means)
    found = rm.evaluate_predictions(table, "Brier", intervals="percentile", resamples=500, seed=3)
    interval = found.intervals["Brier"]
    assert (interval.low, interval.high) == pytest.approx((low, high), rel=1e-12)


def test_a_measure_computed_again_agrees_with_delong() -> None:
    table = clicks(1500, 150)
    delong = rm.evaluate_predictions(table, "AUC", intervals=True).intervals["AUC"]
    again = rm.evaluate_predictions(table, "AUC", intervals="bca", resamples=400).intervals["AUC"]
    reach = (delong.high - delong.low) / 2
    assert (again.low, again.high) == pytest.approx((delong.low, delong.high), abs=0.35 * reach)
    assert (again.method, again.resamples) == ("bca", 400)


def test_many_rows_are_drawn_in_groups() -> None:
    random = np.random.default_rng(0)
    p = random.random(25_000)
    table = {"label": random.random(25_000) < p, "score": p}
    delta, bca = (
        rm.evaluate_predictions(table, "PCOPC", intervals=method).intervals["PCOPC"]  # type: ignore[arg-type]
        for method in ("delta", "bca")
    )
    reach = (delta.high - delta.low) / 2
    assert (bca.low, bca.high) == pytest.approx((delta.low, delta.high), abs=0.1 * reach)
    assert bca.units == 25_000


@pytest.mark.slow
def test_the_bootstrap_covers_the_truth() -> None:
    random = np.random.default_rng(0)
    hits = 0
    for seed in range(200):
        p = random.random(150)
        table = {"label": random.random(150) < p, "score": p}
        found = rm.evaluate_predictions(table, "PCOPC", intervals=True, resamples=500, seed=seed)
        hits += found.intervals["PCOPC"].low <= 1 <= found.intervals["PCOPC"].high
    assert 0.9 <= hits / 200 <= 0.99


def test_intervals_are_shown_saved_and_the_same_again() -> None:
    asked = ["AUC", "LogLoss", "KS"]
    result = rm.evaluate_predictions(clicks(200, 20), asked, intervals=True, threads=1)
    again = rm.evaluate_predictions(clicks(200, 20), asked, intervals=True, threads=2)
    assert result.intervals == again.intervals
    assert pickle.loads(pickle.dumps(result)).intervals == result.intervals
    header, _, first, *_ = str(result).splitlines()
    assert header.split() == ["measure", "value", "low", "high"]
    assert first.split()[2] == f"{result.intervals['AUC'].low:.4f}"
    assert "95% intervals over 20 queries: AUC by DeLong" in " ".join(str(result).split())
    assert "KS by the bootstrap (BCa), 1,000 resamples" in " ".join(str(result).split())
    record = json.loads(result.to_json())["measures"]["LogLoss"]["interval"]
    assert record == result.intervals["LogLoss"]._asdict()
    assert rm.evaluate_predictions(clicks(200, 20), asked).intervals == {}
    assert (
        "interval"
        not in json.loads(rm.evaluate_predictions(clicks(200, 20), asked).to_json())["measures"]["AUC"]
    )


def test_a_measure_without_a_value_has_no_interval() -> None:
    table = {"label": [1, 1], "score": [0.2, 0.4]}
    result = rm.evaluate_predictions(table, ["AUC", "LogLoss"], intervals=True)
    assert list(result.intervals) == ["LogLoss"]
    one = rm.evaluate_predictions({"label": [1], "score": [0.5]}, "LogLoss", intervals=True)
    assert math.isnan(one.intervals["LogLoss"].low)
    assert one.intervals["LogLoss"].note == "there is but one of the rows"
    assert json.loads(one.to_json())["measures"]["LogLoss"]["interval"]["low"] is None


def test_infinite_scores_have_an_auc_with_an_interval_and_no_mean_square() -> None:
    table = {"label": [1, 0, 1, 0], "score": [math.inf, 0.4, 0.3, -math.inf]}
    result = rm.evaluate_predictions(table, ["AUC", "MSE"], intervals=True)
    assert list(result.intervals) == ["AUC"]
    again = rm.evaluate_predictions(table, "AUC", intervals="bca", resamples=50)
    assert again.intervals["AUC"].undefined > 0


def test_resamples_without_a_value_are_counted() -> None:
    table = {"label": [1, 1, 0, 0, 0], "score": [0.4, 0.9, 0.6, 0.1, 0.2]}
    interval = rm.evaluate_predictions(table, "PCOPC", intervals="bca", resamples=1000).intervals["PCOPC"]
    # No positive row is drawn in (3/5)⁵ of them.
    assert interval.undefined == pytest.approx(1000 * 0.6**5, abs=40)
    assert 0 < interval.low < interval.high


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"intervals": "delong"}, MeasureError, "is of AUC, not of KS"),
        ({"intervals": "delta"}, MeasureError, "functions of sums, not of KS"),
        (
            {"intervals": "wald"},
            ChoiceError,
            "intervals='wald' is not one of delong-logit, delong, wilson",
        ),
        ({"intervals": True, "confidence": 95}, ChoiceError, "confidence=95"),
        ({"intervals": True, "resamples": 0}, ChoiceError, "resamples=0"),
        ({"by": "contry"}, ColumnError, "no column 'contry' to slice by; did you mean 'country'"),
    ],
)
def test_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rm.evaluate_predictions(clicks(60, 6), "KS", **options)


def test_queries_that_are_null_cannot_be_drawn() -> None:
    table = {"user_id": ["a", None], "label": [1, 0], "score": [0.5, 0.5]}
    with pytest.raises(DataError, match="'user_id' has 1 null, and intervals draw queries"):
        rm.evaluate_predictions(table, "LogLoss", intervals=True)


def test_the_usual_intervals_are_those_of_each_measure() -> None:
    table = clicks()
    measures = ["AUC", "Accuracy", "F1", "LogLoss", "PCOPC", "GAUC", "nDCG@5", "KS", "ECE"]
    by_rows = rm.evaluate_predictions(without_users(), measures[:5], intervals=True).intervals
    assert [each.method for each in by_rows.values()] == [
        *("delong-logit", "wilson", "jackknife", "jackknife", "jackknife")
    ]
    by_user = rm.evaluate_predictions(table, measures, intervals=True, resamples=200).intervals
    assert [each.method for each in by_user.values()] == [
        *("delong-logit", "jackknife", "jackknife", "jackknife", "jackknife", "jackknife", "t", "bca", "gaps")
    ]


def test_a_mean_over_queries_has_the_interval_that_lists_have() -> None:
    table = clicks()
    result = rm.evaluate_predictions(table, "nDCG@5", intervals=True)
    own = statistics.auto_interval(result.query_values("nDCG@5"))
    found = result.intervals["nDCG@5"]
    assert (found.low, found.high, found.method) == (own.low, own.high, own.method)


def test_of_a_share_of_rows_a_note_says_where_few_are_right_or_wrong() -> None:
    few, small = (
        "fewer than 10 values are others than the most frequent one",
        "there are fewer than 10 values",
    )
    for rows, right, note in (
        (9, 5, small),
        (25, 16, few),
        (25, 15, ""),
        (200, 191, few),
        (200, 190, ""),
        (20, 20, few),
    ):
        label = np.arange(rows) % 2
        score = np.where(np.arange(rows) < right, label, 1 - label)
        found = rm.evaluate_predictions({"label": label, "score": score}, "Accuracy", intervals=True)
        assert found.intervals["Accuracy"].method == "wilson"
        assert found.intervals["Accuracy"].note.removesuffix(", or clusters of them") == note


def test_accuracy_of_all_rows_has_wilsons_interval() -> None:
    # Wilson, 20 of 20: 20/(20 + z²).
    low = 20 / (20 + stats.norm.ppf(0.975) ** 2)
    table = {"label": [1] * 10 + [0] * 10, "score": [0.9] * 10 + [0.1] * 10}
    found = rm.evaluate_predictions(table, ["Accuracy", "Recall"], intervals=True).intervals
    assert (found["Accuracy"].low, found["Accuracy"].high) == pytest.approx((low, 1))
    assert found["Recall"].low == pytest.approx(10 / (10 + stats.norm.ppf(0.975) ** 2))
    classes = {"label": list("ab") * 10, "guess": list("ab") * 10}
    of_classes = rm.evaluate_predictions(classes, "Accuracy", predicted="guess", intervals=True)
    assert of_classes.intervals["Accuracy"].low == pytest.approx(low)


def test_a_mean_over_users_has_the_interval_of_lists() -> None:
    asked = "GAUC(weight=uniform)"
    result = rm.evaluate_predictions(clicks(), asked, intervals=True)
    own = result.per_query[asked].drop_nulls().to_numpy()
    made = made_interval(
        "auto", own, confidence=0.95, draws={"resamples": 10_000, "seed": 0, "threads": None}
    )
    found = result.intervals[asked]
    assert (found.low, found.high, found.method) == (pytest.approx(made.low), pytest.approx(made.high), "t")
    systems = rm.compare_predictions(clicks(), {"a": "score", "b": "other"}, asked, baseline="a").results
    assert systems["a"].intervals[asked] == found


def test_users_who_are_all_right_have_the_bound_of_so_many() -> None:
    table = {"label": [1, 0] * 12, "score": [0.9, 0.1] * 12, "user_id": np.repeat(range(12), 2)}
    result = rm.evaluate_predictions(table, ["Accuracy", "GAUC", "LogLoss"], intervals=True)
    found = result.intervals["Accuracy"]
    assert (found.low, found.high, found.method) == (pytest.approx(0.025 ** (1 / 12)), 1, "exact")
    # Users who weigh the same have a plain mean: Wilson's of ones, as of lists.
    found, least = result.intervals["GAUC"], 12 / (12 + stats.norm.ppf(0.975) ** 2)
    assert (found.low, found.high, found.method) == (pytest.approx(least), 1, "wilson")
    assert math.isnan(result.intervals["LogLoss"].low)
    assert result.intervals["LogLoss"].note == "the queries do not vary, or are too few"
    assert "none of LogLoss: the queries do not vary" in " ".join(result.account()[-1].split())


def test_no_interval_is_a_point_without_a_word() -> None:
    table = {"label": [1] * 15 + [0] * 15, "score": [0.9] * 15 + [0.1] * 15}
    result = rm.evaluate_predictions(table, ["AUC", "KS"], intervals=True)
    assert result.intervals["AUC"].low == pytest.approx(0.025 ** (1 / 15))
    assert "15 pairs that share no row" in result.intervals["AUC"].note
    assert math.isnan(result.intervals["KS"].low)
    assert "none of KS: the rows do not vary" in " ".join(str(result).split())
    assert result.intervals["KS"].note.startswith("the rows do not vary")
    plain = rm.evaluate_predictions(table, "AUC", intervals="delong").intervals["AUC"]
    assert (plain.low, plain.high, plain.note[:20]) == (1, 1, "the rows do not vary")


def test_an_auc_that_few_rows_decide_says_so() -> None:
    label = [1] * 40 + [0] * 40
    one_wrong = {"label": label, "score": [*range(100, 139), 50, *range(40)]}
    found = rm.evaluate_predictions(one_wrong, "AUC", intervals=True).intervals["AUC"]
    assert "40 pairs that share no row" in found.note
    one_wrong["score"][39] = 20
    found = rm.evaluate_predictions(one_wrong, "AUC", intervals=True).intervals["AUC"]
    assert found.note.startswith("few of them make up most of its spread")
    assert rm.evaluate_predictions(without_users(), "AUC", intervals=True).intervals["AUC"].note == ""


def test_plain_delong_and_the_jackknife_are_asked_for_by_name() -> None:
    table = without_users()
    own = statistics.delong_interval(table["click"], table["score"], method="delong")
    found = rm.evaluate_predictions(table, "AUC", intervals="delong").intervals["AUC"]
    assert (found.low, found.high, found.method) == (*own, "delong")
    with pytest.raises(MeasureError, match='intervals="wilson" is of means of zeros and ones over rows'):
        rm.evaluate_predictions(table, "LogLoss", intervals="wilson")
    with pytest.raises(MeasureError, match='intervals="jackknife" is of functions of sums, not of KS'):
        rm.evaluate_predictions(table, "KS", intervals="jackknife")


# --- Slices --------------------------------------------------------------------------------------------


def test_a_slice_is_what_its_rows_alone_come_to() -> None:
    frame = pl.DataFrame(clicks())
    asked = ["AUC", "GAUC", "LogLoss", "nDCG@5"]
    result = rm.evaluate_predictions(frame, asked, by="country", intervals=True, resamples=200)
    assert isinstance(result.slices, rm.results.PredictionSlices)
    assert list(dict.fromkeys(row.slice for row in result.slices.rows)) == ["de", "fr", None]
    for value in ("de", "fr", None):
        part = frame.filter(pl.col("country").eq_missing(pl.lit(value, pl.String)))
        alone = rm.evaluate_predictions(part, asked, intervals=True, resamples=200)
        for row in result.slices[value]:
            ends = alone.intervals[row.measure]
            assert (row.value, row.low, row.high) == (alone[row.measure], ends.low, ends.high)
            assert (row.rows, row.positive) == (part.height, alone.counts.positive)
    assert result["AUC"] == rm.evaluate_predictions(frame, "AUC")["AUC"]


def test_a_slice_of_one_class_says_why_it_has_no_value() -> None:
    table = {"label": [2, 1, 1], "score": [0.9, 0.1, 0.2], "site": ["b", "b", "a"]}
    slices = rm.evaluate_predictions(table, ["AUC", "LogLoss"], positive=2, by="site").slices
    assert slices is not None
    auc, loss = slices["a"]
    assert (auc.undefined, auc.rows, auc.positive) == ("no row is positive", 1, 0)
    assert math.isnan(auc.value)
    assert loss.value == pytest.approx(-math.log(0.8))
    assert slices.frame["value"].to_list()[0] is None


def test_slices_are_shown_and_saved() -> None:
    result = rm.evaluate_predictions(clicks(), ["AUC", "PCOPC"], by=["country", "user_id"], intervals=True)
    text = str(result)
    assert "measure  country" in text
    assert "measure  user_id" in text
    assert "(none)" in text
    records = json.loads(result.to_json())["slices"]
    assert records[0]["by"] == "country"
    assert len(records) == 2 * (3 + 60)
    again = pickle.loads(pickle.dumps(result))
    assert str(again.slices) == str(result.slices)
    header = result.to_csv().splitlines()[0]
    assert header.startswith("by,slice,measure,rows,positive,value,low,high,undefined,difference,")


def test_slices_tell_whether_their_auc_is_that_of_other_rows() -> None:
    table = without_users()
    label, score = table["click"], np.where(np.array(table["country"]) == "de", 0.5, table["score"])
    found = rm.evaluate_predictions(table | {"score": score}, "AUC LogLoss", by="country", intervals=True)
    assert found.slices is not None
    inside = np.array(table["country"]) == "de"
    own = statistics.unpaired_delong_test((label[inside], score[inside]), (label[~inside], score[~inside]))
    auc, loss = found.slices["de"]
    assert (auc.difference, auc.p) == pytest.approx((own.difference, own.p))
    assert (auc.difference_low, auc.difference_high) == pytest.approx(own.interval)
    losses = -np.where(label, np.log(score), np.log1p(-score))
    assert loss.difference == pytest.approx(losses[inside].mean() - losses[~inside].mean())
    (_, french), of = found.slices["fr"], np.array(table["country"]) == "fr"
    welch = stats.ttest_ind(losses[of], losses[~of], equal_var=False)
    assert french.p == pytest.approx(welch.pvalue, rel=0.01)
    rows = found.slices.rows
    corrected = statistics.corrected([row.p for row in rows], "holm")
    assert [row.p_corrected for row in rows] == pytest.approx(list(corrected), nan_ok=True)
    assert auc.p_corrected < 0.01
    assert "corrected for 5 tests (Holm)" in " ".join(str(found).split())
    without = rm.evaluate_predictions(table, "AUC", by="country").slices
    assert without is not None
    assert "difference" not in str(without)


def rates(users: int, seed: int = 0) -> dict[str, Any]:
    """Users with a few rows each, of whom half are in a slice; users and rows are in no order."""
    rng = np.random.default_rng(seed)
    user = rng.permutation(np.repeat(rng.permutation(users), rng.integers(2, 9, users)))
    score = rng.random(len(user))
    return {"user_id": user, "label": (rng.random(len(user)) < score).astype(int), "score": score}


def test_slices_of_users_are_apart_as_means_of_lists_are() -> None:
    table = rates(40)
    inside = table["user_id"] < 15
    slices = rm.evaluate_predictions(
        table, ["nDCG@3", "GAUC(weight=uniform)", "Accuracy"], by=inside, intervals=True
    ).slices
    assert slices is not None
    for measure, row in zip(["nDCG@3", "GAUC(weight=uniform)"], slices[True][:2], strict=True):
        result = rm.evaluate_predictions(table, measure)
        own = result.per_query.drop_nulls()
        values, part = own[measure].to_numpy(), own["query"].to_numpy() < 15
        expected = group_difference(values[part], values[~part])
        assert (row.difference, row.p) == pytest.approx((expected.mean, expected.p))
    assert [row.p for row in slices[True]] == pytest.approx([row.p for row in slices[False]])


@pytest.mark.parametrize("measure", ["Accuracy", "GAUC", "nDCG@3", "KS"])
def test_users_on_both_sides_of_a_slice_are_left_out_of_both(measure: str) -> None:
    table = rates(40)
    inside = np.random.default_rng(1).random(len(table["label"])) < 0.6
    slices = rm.evaluate_predictions(table, measure, by=inside, intervals=True, resamples=50).slices
    assert slices is not None

    def difference(kept: Any) -> float:
        values = [
            rm.evaluate_predictions({name: each[of & kept] for name, each in table.items()}, measure)[measure]
            for of in (inside, ~inside)
        ]
        return values[0] - values[1]

    whole = difference(table["user_id"] >= 0)
    left_out = np.array([whole - difference(table["user_id"] != user) for user in range(40)])
    error = np.sqrt(39 / 40 * left_out @ left_out)
    (row,) = slices[True]
    assert row.difference == pytest.approx(whole)
    reach = (row.difference_high - row.difference) / error
    assert stats.t.ppf(0.975, 39) * 0.95 < reach < stats.t.ppf(0.975, 12) * 1.05


def test_few_units_of_a_slice_have_no_p_and_errors_of_calibration_and_counts_have_none() -> None:
    table = without_users()
    by = np.where(np.arange(600) < 9, "few", "many")
    asked = ["LogLoss", "ECE", "Confusion"]
    found = rm.evaluate_predictions(table, asked, by=by, intervals=True)
    assert found.slices is not None
    assert all(math.isnan(row.p) for row in found.slices.rows)
    assert not math.isnan(found.slices["few"][0].difference)
    assert "no p in 2 slices (few, many)" in " ".join(str(found).split())


def test_slices_of_classes_are_apart_from_other_rows() -> None:
    rng = np.random.default_rng(0)
    label = rng.integers(0, 3, 400)
    table = {"label": label, "predicted": np.where(rng.random(400) < 0.7, label, 0)}
    by = rng.integers(0, 2, 400)
    asked = ["Accuracy", "F1(average=macro)"]
    slices = rm.evaluate_predictions(table, asked, predicted="predicted", by=by, intervals=True).slices
    assert slices is not None
    right = (label == table["predicted"]).astype(float)
    own = stats.ttest_ind(right[by == 0], right[by == 1], equal_var=False)
    assert slices[0][0].p == pytest.approx(own.pvalue, rel=0.02)
    assert all(not math.isnan(row.p) for row in slices.rows)


def test_users_with_rows_in_several_slices_are_counted_once() -> None:
    table = clicks()
    slices = rm.evaluate_predictions(table, "AUC", by="country", intervals=True).slices
    assert slices is not None
    (row,) = slices["de"]
    inside = np.array(table["country"]) == "de"
    rows = table["click"], table["score"]
    ours, others = (
        statistics.delong_test(*rows, np.zeros(600), weights=of, clusters=table["user_id"])
        for of in (inside, ~inside)
    )
    assert row.difference == pytest.approx(ours.first - others.first)
    # The same users are on both sides, so that the error is not that of independent ones.
    error = (row.difference_high - row.difference) / stats.norm.ppf(0.975)
    assert 0.7 < error / math.hypot(ours.error, others.error) < 1.4


def test_a_slice_of_few_users_in_order_is_not_known_to_be_better() -> None:
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(56), 4)
    label = np.tile([0, 1], 112)
    few = user < 6
    table = {
        "label": label,
        "score": label * np.where(few, 9, 1.5) + rng.normal(size=224),
        "query": user,
        "few": few,
    }
    slices = rm.evaluate_predictions(table, "AUC", query="query", by="few", intervals=True).slices
    assert slices is not None
    (row,) = slices["true"]
    assert (row.value, row.difference_low < 0, row.p > 0.5) == (1, True, True)


# --- Comparisons ---------------------------------------------------------------------------------------

SYSTEMS = {"a": "score", "b": "other"}


def test_systems_are_compared_on_the_same_rows() -> None:
    table = clicks()
    compared = rm.compare_predictions(
        table,
        SYSTEMS,
        ["AUC", "LogLoss", "GAUC", "KS", "nDCG@5"],
        baseline="a",
        resamples=300,
    )
    auc = compared.pair("AUC", "b")
    own = statistics.delong_test(table["click"], table["other"], table["score"], clusters=table["user_id"])
    assert (auc.low, auc.high) == pytest.approx(own.interval, rel=1e-9)
    (asked,) = rm.compare_predictions(table, SYSTEMS, "AUC", baseline="a", test="delong-t").pairs
    assert asked.p == pytest.approx(own.p, rel=1e-9)
    (plain,) = rm.compare_predictions(
        table, SYSTEMS, "AUC", baseline="a", test="delong", interval="delong"
    ).pairs
    own = statistics.delong_test(
        table["click"], table["other"], table["score"], clusters=table["user_id"], method="delong"
    )
    assert (plain.p, plain.low, plain.high) == pytest.approx((own.p, *own.interval), rel=1e-9)
    assert plain.method == "delong"
    for measure in compared.measures:
        pair = compared.pair(measure, "b")
        values = [rm.evaluate_predictions(table, measure, score=SYSTEMS[name])[measure] for name in "ab"]
        assert (pair.baseline_value, pair.value) == tuple(values)
        assert pair.low <= pair.difference <= pair.high
    ps = statistics.corrected([pair.p for pair in compared.pairs], "holm")
    assert [pair.corrected for pair in compared.pairs] == pytest.approx(list(ps))


def test_a_paired_interval_is_that_of_the_differences_of_the_rows() -> None:
    table = without_users(80)
    own = (table["other"] - table["click"]) ** 2 - (table["score"] - table["click"]) ** 2
    means = statistics.bootstrap_means(own, resamples=400, seed=1)
    low, high = statistics.percentile_interval(means)
    (pair,) = rm.compare_predictions(
        table,
        SYSTEMS,
        "Brier",
        baseline="a",
        resamples=400,
        seed=1,
        test="bootstrap",
        interval="percentile",
    ).pairs
    assert (pair.difference, pair.low, pair.high) == pytest.approx((own.mean(), low, high), abs=1e-12)
    assert pair.p == pytest.approx(statistics.bootstrap_shift_test(own, resamples=400, seed=1), abs=0.01)


@pytest.mark.parametrize("measure", ["AUC", "LogLoss", "GAUC", "KS"])
def test_a_system_does_not_differ_from_itself(measure: str) -> None:
    table = clicks(200, 20) | {"same": clicks(200, 20)["score"]}
    compared = rm.compare_predictions(table, {"a": "score", "b": "same"}, measure, resamples=100)
    (pair,) = compared.pairs
    assert (pair.difference, pair.low, pair.high, pair.p, pair.significant) == (0, 0, 0, 1, False)


def test_comparisons_are_shown() -> None:
    compared = rm.compare_predictions(clicks(), SYSTEMS, ["AUC", "log_loss"], like="sklearn")
    for name in ("table", "markdown", "latex", "csv", "json"):
        assert "AUC" in compared.format(name)
    assert "\\\ntests: AUC" in compared.format("markdown")  # lines of their own
    with pytest.raises(ChoiceError, match=r"format='jsn' is not one of .*; did you mean 'json'"):
        compared.format("jsn")
    record = json.loads(compared.format("json"))
    assert record["pairs"][0]["measure"] == "AUC"
    assert record["systems"]["a"]["counts"]["rows"] == len(clicks()["click"])
    assert record["systems"]["a"]["measures"]["AUC"] == {
        "value": compared.results["a"]["AUC"],
        "low": compared.results["a"].intervals["AUC"].low,
        "high": compared.results["a"].intervals["AUC"].high,
        "signature": compared.results["a"].signature("AUC"),
        "undefined": None,
    }
    assert "as in scikit-learn-1.9.1" in str(compared)
    assert compared.table["system"].to_list() == ["b", "b"]


def test_comparisons_show_p_values_with_and_without_correction() -> None:
    compared = rm.compare_predictions(clicks(60, 6), SYSTEMS, ["AUC", "Brier"], resamples=50)
    header, _, *rows = str(compared).split("\n\n")[1].splitlines()
    assert header.split()[:4] == ["measure", "system", "against", "difference"]
    assert header.rstrip(" -").endswith("p  p (holm)")
    for row, pair in zip(rows, compared.pairs, strict=True):
        p, corrected = row.removesuffix("*").split()[-2:]
        assert (p, corrected) == (f"{pair.p:.4f}", f"{pair.corrected:.4f}")


def test_comparisons_tell_what_there_is_to_notice_in_the_results() -> None:
    table = {"label": [1, 0, 1, 0, 1, 1], "user_id": list("aabbcc"), "score": [3, 2, 1, 2, 1, 2]}
    table["other"] = [0, 1, 2, 3, 4, 5]
    compared = rm.compare_predictions(table, SYSTEMS, ["GAUC", "F1(threshold=max)"], resamples=20)
    notes = compared.account()
    assert "a: F1(threshold=max) is at the threshold 1; 1 query of one class (2 rows) left out" in notes
    compared = rm.compare_predictions({**table, "label": [1] * 6}, SYSTEMS, "AUC")
    assert "no value of AUC: every row is positive" in compared.account()


def test_comparisons_refuse() -> None:
    table = clicks(60, 6)
    with pytest.raises(UsageError, match="1 system to compare"):
        rm.compare_predictions(table, {"a": "score"}, "AUC")
    with pytest.raises(ColumnError, match="no column 'othr' for scores; did you mean 'other'"):
        rm.compare_predictions(table, {"a": "score", "b": "othr"}, "AUC")
    with pytest.raises(
        ChoiceError, match="interval='t' is not one of delong-t, delong, delta, bca, percentile"
    ):
        rm.compare_predictions(table, SYSTEMS, "AUC", interval="t")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="was not compared with"):
        rm.compare_predictions(table, SYSTEMS, "LogLoss", resamples=50).pair("LogLoss", "a", "b")


def test_ratios_and_geometric_means_of_lists_of_classes_have_intervals() -> None:
    scores = np.random.default_rng(1).random((60, 4))
    labels = np.arange(60) % 4
    users = np.arange(60) // 3
    table = {"label": labels.tolist(), "score": scores.tolist()}
    hits = scores.argmax(axis=1) == labels
    for own, groups in ((table, np.arange(60)), (table | {"user": users.tolist()}, users)):
        found = rm.evaluate_predictions(own, ["HitRatio@1", "AP(mean=geometric)"], intervals="delta")
        # A ratio of sums over units: √(n/(n − 1) · Σ (a − R·b)²) / Σ b (Cochran 1977, equation 6.13).
        units = len(set(groups))
        moved = np.bincount(groups, hits - hits.mean())
        error = np.sqrt(units / (units - 1) * moved @ moved) / 60
        interval = found.intervals["HitRatio@1"]
        reach = stats.t.ppf(0.975, units - 1) * error
        assert (interval.low, interval.high) == pytest.approx((hits.mean() - reach, hits.mean() + reach))
        assert (interval.unit, interval.units) == ("queries", units)
        geometric = found.intervals["AP(mean=geometric)"]
        assert geometric.low < found["AP(mean=geometric)"] < geometric.high


def test_what_is_to_be_heeded_in_a_slice_names_it() -> None:
    rng = np.random.default_rng(0)
    table = {"p": rng.uniform(0, 1, 400), "where": ["de", "fr"] * 200}
    table["label"] = (rng.uniform(0, 1, 400) < table["p"]).astype(int)
    shown = str(rm.evaluate_predictions(table, ["ECE", "AUC"], by="where", intervals=True).slices)
    assert shown.count("low, high: 95% intervals") == 1
    assert "  de: ECE of calibrated scores would be" in shown
    assert "  fr: ECE of calibrated scores would be" in shown
