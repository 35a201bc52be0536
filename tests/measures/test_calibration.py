"""Measures of calibration: by hand, by peers, on real predictions, and where there is none."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

import rankmark as rm

Table = dict[str, list[Any]]


def value(table: Any, measure: str, **options: Any) -> float:
    return rm.evaluate_predictions(table, measure, **options)[measure]


def random_table(rows: int, *, weighted: bool = False, seed: int = 1) -> dict[str, Any]:
    """Scores that are too extreme and too low."""
    rng = np.random.default_rng(seed)
    score = rng.beta(1, 3, rows)
    odds = 0.7 * np.log(score / (1 - score)) + 0.4
    table = {"label": (rng.random(rows) < 1 / (1 + np.exp(-odds))).astype(np.int8), "score": score}
    return table | ({"weight": rng.exponential(size=rows)} if weighted else {})


# --- Bins ----------------------------------------------------------------------------------------------

# Bins of width 1/4: 0 and 0.25 | 0.375 | none | 0.8 and 1.
FIVE: Table = {"label": [0, 1, 1, 0, 1], "score": [0.0, 0.25, 0.375, 0.8, 1.0]}


def test_borders_belong_to_the_bin_below_and_0_to_the_first() -> None:
    gaps = [abs(0.125 - 0.5), abs(0.375 - 1), abs(0.9 - 0.5)]
    assert value(FIVE, "ECE(bins=4)") == pytest.approx((2 * gaps[0] + gaps[1] + 2 * gaps[2]) / 5, abs=1e-15)
    assert value(FIVE, "MCE(bins=4)") == pytest.approx(0.625, abs=1e-15)
    squares = 2 * gaps[0] ** 2 + gaps[1] ** 2 + 2 * gaps[2] ** 2
    assert value(FIVE, "ECE(bins=4,norm=l2)") == pytest.approx(math.sqrt(squares / 5), abs=1e-15)


def test_a_bin_counts_for_its_weight() -> None:
    table = FIVE | {"weight": [1, 3, 0, 2, 2]}
    low, high = abs(0.75 / 4 - 3 / 4), abs((1.6 + 2) / 4 - 2 / 4)
    assert value(table, "ECE(bins=4)") == pytest.approx((4 * low + 4 * high) / 8, abs=1e-15)


def test_bins_of_equal_mass_never_split_equal_scores() -> None:
    # The first half of eight rows ends within the five at 0.3, which stay together.
    table = {"label": [0, 0, 0, 1, 0, 0, 1, 1], "score": [0.1, 0.2, *[0.3] * 5, 0.9]}
    first, second = abs((0.3 + 5 * 0.3) / 7 - 2 / 7), 0.1
    assert value(table, "ECE(bins=2,binning=mass)") == pytest.approx((7 * first + second) / 8, abs=1e-15)
    assert value(table, "ACE(bins=2)") == pytest.approx((first + second) / 2, abs=1e-15)
    assert value(table, "MCE(bins=2,binning=mass)") == pytest.approx(second, abs=1e-15)
    for order in ([7, 3, 1, 5, 0, 2, 6, 4], [3, 6, 2, 4, 5, 0, 1, 7]):
        moved = {name: [column[i] for i in order] for name, column in table.items()}
        assert value(moved, "ACE(bins=2)") == pytest.approx((first + second) / 2, abs=1e-15)


@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from([0, 0.1, 0.3, 0.5, 0.8, 1]), st.integers(0, 3)),
        min_size=1,
        max_size=30,
    ).filter(lambda rows: any(w for _, _, w in rows)),
    st.integers(1, 9),
)
def test_bins_of_equal_mass_are_what_the_page_says(rows: list[tuple[bool, float, int]], bins: int) -> None:
    total = sum(w for _, _, w in rows)
    scores = sorted({s for _, s, _ in rows})
    up_to = {s: sum(w for _, t, w in rows if t <= s) for s in scores}
    ends = [next(s for s in scores if up_to[s] * bins >= m * total) for m in range(1, bins)] + [scores[-1]]
    expected = []
    for low, high in zip([-1, *ends], ends, strict=False):
        own = [(y, w) for y, s, w in rows if low < s <= high]
        if weight := sum(w for _, w in own):
            expected.append((high, len(own), weight, sum(w for y, w in own if y) / weight))
    label, score, weights = (np.array(column, float) for column in zip(*rows, strict=True))
    table = {"label": label, "score": score, "weight": weights}
    frame = rm.curve(table, "calibration", bins=bins, binning="mass").frame
    assert frame["high", "rows", "weight", "rate"].rows() == expected


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bins_of_equal_mass_of_many_rows_are_those_of_their_sorted_scores(dtype: type) -> None:
    table = random_table(50_000, weighted=True)
    table["score"] = table["score"].astype(dtype)
    order = np.argsort(table["score"], kind="stable")
    label, score, weight = (table[name][order].astype(float) for name in ("label", "score", "weight"))
    up = np.cumsum(weight)
    borders = score[np.searchsorted(up, np.arange(1, 40) / 40 * up[-1])]
    bins = np.searchsorted(borders, score)
    weights = np.bincount(bins, weight)
    gaps = np.bincount(bins, weight * (score - label)) / weights
    measures = ["ACE(bins=40)", "ECE(bins=40,binning=mass)", "BrierReliability(bins=40,binning=mass)"]
    expected = [np.abs(gaps).mean(), weights @ np.abs(gaps) / up[-1], weights @ gaps**2 / up[-1]]
    assert list(rm.evaluate_predictions(table, measures).values.values()) == pytest.approx(
        expected, rel=1e-12
    )


def test_where_all_scores_are_equal_there_is_one_bin() -> None:
    table = {"label": [1, 0, 0], "score": [0.5] * 3}
    for measure in ("ECE", "ACE", "MCE", "ECE(binning=mass,bins=10000)"):
        assert value(table, measure) == pytest.approx(0.5 - 1 / 3, abs=1e-15)


@pytest.mark.parametrize("binning", ["width", "mass"])
@pytest.mark.parametrize("decimals", [2, 16])
def test_bins_agree_with_scikit_learn(binning: str, decimals: int) -> None:
    # Of 3,000 rows, 12 quantiles lie between rows; elsewhere scikit-learn interpolates.
    table = random_table(3000)
    table["score"] = table["score"].round(decimals)
    strategy = {"width": "uniform", "mass": "quantile"}[binning]
    rate, mean = calibration_curve(table["label"], table["score"], n_bins=12, strategy=strategy)
    frame = rm.curve(table, "calibration", bins=12, binning=binning).frame
    assert frame["rate"].to_numpy() == pytest.approx(rate, abs=1e-14)
    assert frame["mean_score"].to_numpy() == pytest.approx(mean, abs=1e-14)
    assert frame["rows"].sum() == 3000


@pytest.mark.slow
def test_the_sweep_ends_where_rates_no_longer_rise() -> None:
    # Two bins: 1/4 and 2/4 positive; four: 0, 1/2, 1, 0.
    table = {"label": [0, 0, 0, 1, 1, 1, 0, 0], "score": [0.1, 0.15, 0.3, 0.35, 0.6, 0.65, 0.8, 0.85]}
    assert value(table, "ECE_sweep") == value(table, "ECE(bins=2,binning=mass)")
    assert value(table, "ECE_sweep") != value(table, "ECE(bins=3,binning=mass)")
    apart = {"label": [0, 0, 1, 1], "score": [0.1, 0.2, 0.8, 0.9]}
    assert value(apart, "ECE_sweep") == pytest.approx(0.15)
    with pytest.raises(rm.MeasureError, match="of bins of equal mass: write"):
        value(table, "ECE(bins=sweep)")


# --- Debiased ------------------------------------------------------------------------------------------


def test_debiased_l2_by_hand() -> None:
    # Rates 1/2 of 4 rows and 3/4 of 4: variances 1/4/3 and 3/16/3.
    table = {"label": [0, 1, 0, 1, 1, 1, 0, 1], "score": [0.1] * 4 + [0.9] * 4}
    squares = (0.4**2 - 1 / 12) / 2 + (0.15**2 - 1 / 16) / 2
    assert value(table, "ECE(bins=2,norm=l2,estimator=debiased)") == pytest.approx(math.sqrt(squares))


def test_debiased_l1_takes_out_what_drawing_says() -> None:
    table = random_table(400)
    frame = rm.curve(table, "calibration").frame
    rate, mean, rows = (frame[name].to_numpy() for name in ("rate", "mean_score", "rows"))
    drawn = np.random.default_rng(5).normal(rate, np.sqrt(rate * (1 - rate) / rows), (200_000, len(rate)))
    average = float((np.abs(drawn - mean) * (rows / 400)).sum(axis=1).mean())
    plugin, debiased = value(table, "ECE"), value(table, "ECE(estimator=debiased)")
    assert debiased == pytest.approx(2 * plugin - average, abs=2e-4)
    assert debiased < plugin


def test_debiased_values_of_calibrated_scores_are_near_0() -> None:
    rng = np.random.default_rng(3)
    score = rng.random(20_000)
    table = {"label": rng.random(20_000) < score, "score": score}
    plain, debiased = (value(table, f"ECE(norm=l2,bins=100{e})") for e in ("", ",estimator=debiased"))
    assert plain > 0.025
    assert debiased < 0.015


def test_weights_that_are_all_alike_change_nothing() -> None:
    table = random_table(500)
    measures = [
        "ECE(norm=l2,estimator=debiased,bins=5)",
        "ECE(estimator=debiased)",
        "ACE",
        "CalibrationSlope",
    ]
    weighted = rm.evaluate_predictions(table | {"weight": [0.1] * 500}, measures)
    assert weighted.values == pytest.approx(rm.evaluate_predictions(table, measures).values, rel=1e-9)


def test_a_bin_with_one_row_has_no_variance() -> None:
    result = rm.evaluate_predictions(FIVE, "ECE(bins=4,norm=l2,estimator=debiased)")
    assert list(result.undefined.values()) == ["1 of 3 bins with only one row"]


def test_real_predictions_have_the_published_values(data_file: Callable[[str], str]) -> None:
    table = pl.read_csv(data_file("calib_cifar/cifar_vgg_class0.csv.gz"))
    known = json.loads(Path(data_file("calib_cifar/reference_values.json")).read_text())
    top = {"label": "correct_top", "score": "conf_top"}
    # Made of 32-bit floats there.
    assert value(table, "ECE", **top) == pytest.approx(known["get_ece num_bins=15"], abs=1e-7)
    ten = value(table, "ECE(bins=10)", **top)
    assert ten == pytest.approx(known["get_ece debias=False num_bins=10"], abs=1e-7)
    debiased = value(table, "ECE(binning=mass,estimator=debiased)", **top)
    # Drawn at random there, 1,000 times.
    assert debiased == pytest.approx(known["get_top_calibration_error p=1"], abs=2e-4)
    of_class = known["binary class0 (plain references by scikit-learn)"]
    names = {"AUC": "auc", "LogLoss": "log_loss", "Brier": "brier", "AveragePrecision": "average_precision"}
    result = rm.evaluate_predictions(table, list(names), label="is_class0", score="p_class0")
    for measure, name in names.items():
        assert result[measure] == pytest.approx(of_class[name], abs=1e-9), measure
    assert value(table, "BrierUncertainty", label="is_class0", score="p_class0") == pytest.approx(0.09)


# --- Recalibration -------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rows", [60, 30_000])
def test_recalibration_agrees_with_statsmodels(rows: int, weighted: bool) -> None:
    table = random_table(rows, weighted=weighted)
    odds = np.log(table["score"] / (1 - table["score"]))
    weights = table.get("weight", np.ones(rows))

    def fitted(columns: Any, **known: Any) -> Any:
        model = sm.GLM(table["label"], columns, family=sm.families.Binomial(), freq_weights=weights, **known)
        return model.fit(tol=1e-14).params

    result = rm.evaluate_predictions(
        table, ["CalibrationIntercept", "CalibrationIntercept(slope=fitted)", "CalibrationSlope"]
    )
    fixed = fitted(np.ones(rows), offset=odds)
    both = fitted(np.column_stack([np.ones(rows), odds]))
    assert list(result.values.values()) == pytest.approx([*fixed, *both], rel=1e-9, abs=1e-10)


RECALIBRATIONS = "CalibrationIntercept CalibrationIntercept(slope=fitted) CalibrationSlope"


@pytest.mark.parametrize("flatter", [1, 30], ids=["", "steep"])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_rows_are_recalibrated_as_a_few_that_weigh_as_much(weighted: bool, flatter: int) -> None:
    # Many rows are taken together where their log odds are alike, unless the slope is steep; a few never are.
    table = random_table(300, weighted=True)
    odds = np.log(table["score"] / (1 - table["score"])) / flatter
    few = table | {"score": 1 / (1 + np.exp(-odds))}
    if not weighted:
        few["weight"] = np.arange(300) % 7 + 1.0
    repeats = 200 if weighted else few["weight"].astype(int) * 20
    many = {name: np.repeat(column, repeats) for name, column in few.items() if weighted or name != "weight"}
    expected = rm.evaluate_predictions(few, RECALIBRATIONS)
    found = rm.evaluate_predictions(many, RECALIBRATIONS)
    assert found.values == pytest.approx(expected.values, rel=1e-11, abs=1e-12)
    slope = expected["CalibrationSlope"]
    assert (slope > 8) == (flatter == 30)


def test_recalibration_of_many_certain_predictions() -> None:
    # Scores of 0 and 1 are at the ends of what the clip allows, and log odds on both sides are opposite.
    certain = {"label": [1, 0, 1, 0] * 10_000, "score": [0.0, 1.0, 1.0, 0.0] * 10_000}
    assert value(certain, "CalibrationIntercept") == pytest.approx(0, abs=1e-12)
    far = {"label": [1, 0] * 10_000, "score": [1e-15] * 20_000}
    assert value(far, "CalibrationIntercept") == pytest.approx(-math.log(1e-15), rel=1e-12)


def test_recalibration_does_not_depend_on_threads() -> None:
    table = random_table(600_000, weighted=True)
    one, two = (rm.evaluate_predictions(table, RECALIBRATIONS, threads=threads) for threads in (1, 2))
    assert one.values == two.values


@pytest.mark.parametrize(
    ("labels", "scores", "why"),
    [
        ([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4], "no positive row scores below any other"),
        ([0, 0, 1, 1], [0.1, 0.2, 0.2, 0.4], "no positive row scores below any other"),
        ([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4], "no positive row scores above any other"),
        ([0, 1, 0, 1], [0.5] * 4, "all scores are equal"),
        ([0, 1, 0, 1], [0.0, 1e-300, 1e-16, 0.0], "all scores are equal"),
        ([1, 1, 1, 1], [0.1, 0.2, 0.3, 0.4], "every row is positive"),
    ],
)
def test_a_slope_that_would_be_infinite_is_undefined(labels: list, scores: list, why: str) -> None:
    result = rm.evaluate_predictions({"label": labels, "score": scores}, "CalibrationSlope")
    assert math.isnan(result["CalibrationSlope"])
    assert why in result.undefined["CalibrationSlope"]


def test_rows_without_weight_do_not_make_classes_overlap() -> None:
    table = {"label": [0, 0, 1, 1, 1], "score": [0.1, 0.2, 0.3, 0.4, 0.05], "weight": [1, 1, 1, 1, 0]}
    assert "infinite" in rm.evaluate_predictions(table, "CalibrationSlope").undefined["CalibrationSlope"]


@pytest.mark.parametrize("spread", [1e-3, 1e-6, 1e-9])
def test_the_slope_of_scores_that_hardly_differ(spread: float) -> None:
    rng = np.random.default_rng(0)
    apart = rng.normal(size=1000)
    table = {"label": rng.random(1000) < 1 / (1 + np.exp(-apart)), "score": 0.01 * (1 + spread * apart)}
    odds = apart - apart.mean()
    model = sm.GLM(table["label"], sm.add_constant(odds), family=sm.families.Binomial()).fit(tol=1e-14)
    # Log odds differ by about spread·apart/0.99, and scores have 16 digits.
    slope = value(table, "CalibrationSlope")
    assert slope == pytest.approx(model.params[1] * 0.99 / spread, rel=max(spread * 2, 1e-6))


def test_the_intercept_of_predictions_far_off() -> None:
    # All odds e^-34 or so, and those observed 1 to 1; and the other way round.
    for score, sign in ((1e-15, 1), (1 - 1e-15, -1)):
        table = {"label": [1, 0] * 5, "score": [score] * 10}
        assert value(table, "CalibrationIntercept") == pytest.approx(-sign * math.log(1e-15), rel=1e-12)
    table = {"label": [1, 0, 1, 0], "score": [0.0, 1.0, 1e-12, 1e-6]}
    assert math.isfinite(value(table, "CalibrationIntercept"))
    mirrored = {"label": [1, 0, 1, 0], "score": [0.0, 1.0, 1.0, 0.0]}
    assert value(mirrored, "CalibrationIntercept") == pytest.approx(0, abs=1e-12)


HOSTILE = st.one_of(
    st.sampled_from([0.0, 1e-300, 1e-15, 1e-9, 0.5, 0.50000001, 1 - 1e-9, 1.0]), st.floats(0, 1)
)


@given(
    st.lists(st.tuples(st.booleans(), HOSTILE, st.sampled_from([0.5, 1, 3, 1e6])), min_size=2, max_size=12)
)
def test_recalibrated_predictions_err_neither_in_sum_nor_along_the_log_odds(rows: list) -> None:
    label, score, weight = (np.array(column) for column in zip(*rows, strict=True))
    result = rm.evaluate_predictions(
        {"label": label, "score": score, "weight": weight},
        "CalibrationIntercept(slope=fitted) CalibrationSlope",
    )
    if result.undefined:
        assert not any("converge" in why or "rounding" in why for why in result.undefined.values())
        return
    intercept, slope = result.values.values()
    with np.errstate(divide="ignore"):
        odds = np.clip(np.log(score / (1 - score)), np.log(1e-15), -np.log(1e-15))
    # What the model leaves unexplained, at an intercept that is known as well as the slope is.
    error = weight * (1 / (1 + np.exp(-np.clip(intercept + slope * odds, -700, 700))) - label)
    known = 1e-9 * (1 + np.abs(intercept) + np.abs(slope * odds)) * weight
    assert abs(error.sum()) <= known.sum() + 1e-12
    assert abs((error * odds).sum()) <= (known * np.abs(odds)).sum() + 1e-12


@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 1), st.sampled_from([0.5, 1, 3])), min_size=2, max_size=20)
)
def test_the_intercept_makes_predictions_add_up(rows: list) -> None:
    label, score, weight = (np.array(column) for column in zip(*rows, strict=True))
    result = rm.evaluate_predictions({"label": label, "score": score, "weight": weight}, "CITL")
    if label.all() or not label.any():
        assert result.undefined
        return
    with np.errstate(divide="ignore"):
        log_odds = np.clip(np.log(score / (1 - score)), np.log(1e-15), -np.log(1e-15))
    odds = np.exp(log_odds) * np.exp(result["CalibrationIntercept"])
    assert (weight * odds / (1 + odds)).sum() == pytest.approx((weight * label).sum(), rel=1e-6)


# --- Brier's parts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_the_parts_of_the_brier_score_add_up(weighted: bool) -> None:
    table = random_table(2000, weighted=weighted)
    table["score"] = table["score"].round(2)
    result = rm.evaluate_predictions(table, "Brier BrierReliability BrierResolution BrierUncertainty")
    whole, reliability, resolution, uncertainty = result.values.values()
    assert whole == pytest.approx(reliability - resolution + uncertainty, abs=1e-14)


def test_parts_of_the_brier_score_in_bins() -> None:
    squares = 2 * (0.125 - 0.5) ** 2 + (0.375 - 1) ** 2 + 2 * (0.9 - 0.5) ** 2
    assert value(FIVE, "BrierReliability(bins=4)") == pytest.approx(squares / 5, abs=1e-15)
    apart = 2 * (0.5 - 0.6) ** 2 + (1 - 0.6) ** 2 + 2 * (0.5 - 0.6) ** 2
    assert value(FIVE, "BrierResolution(bins=4)") == pytest.approx(apart / 5, abs=1e-15)


# --- PCOPC ---------------------------------------------------------------------------------------------


def test_log_pcopc() -> None:
    table = {"label": [1, 1, 0], "score": [0.5, 0.25, 0.25]}
    assert value(table, "PCOPC(scale=log)") == pytest.approx(-math.log(2))
    assert str(*rm.evaluate_predictions(table, "log_PCOPC")) == "PCOPC(scale=log)"
    result = rm.evaluate_predictions({"label": [1, 0], "score": [0.0, 0.0]}, "log_PCOPC PCOPC")
    assert result.undefined == {"log_PCOPC": "every prediction is 0"}
    assert result["PCOPC"] == 0
