"""Curves: by hand, as scikit-learn has them, thinned, in every format and refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn import metrics

import rankmark as rm
from rankmark.api.curves import CURVES, CurveTable
from rankmark.cli import main

SIX = {"label": [1, 1, 0, 0, 1, 0], "score": [0.9, 0.7, 0.7, 0.4, 0.3, 0.1]}
INF = math.inf


def random_table(rows: int, *, weighted: bool = False, decimals: int = 16) -> dict[str, Any]:
    rng = np.random.default_rng(rows)
    score = rng.beta(1, 3, rows).round(decimals)
    table = {"label": (rng.random(rows) < score).astype(np.int8), "score": score}
    return table | ({"weight": rng.exponential(size=rows)} if weighted else {})


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        ("ROC", {"fpr": [0, 0, 1 / 3, 2 / 3, 2 / 3, 1], "tpr": [0, 1 / 3, 2 / 3, 2 / 3, 1, 1]}),
        ("PR", {"recall": [0, 1 / 3, 2 / 3, 2 / 3, 1, 1], "precision": [1, 1, 2 / 3, 2 / 4, 3 / 5, 3 / 6]}),
        ("DET", {"fpr": [0, 0, 1 / 3, 2 / 3, 2 / 3, 1], "fnr": [1, 2 / 3, 1 / 3, 1 / 3, 0, 0]}),
        ("gain", {"share": [0, 1 / 6, 3 / 6, 4 / 6, 5 / 6, 1], "gain": [0, 1 / 3, 2 / 3, 2 / 3, 1, 1]}),
        ("lift", {"share": [1 / 6, 3 / 6, 4 / 6, 5 / 6, 1], "lift": [2, 4 / 3, 1, 6 / 5, 1]}),
    ],
)
def test_curves_by_hand(kind: Any, columns: dict[str, list[float]]) -> None:
    found = rm.curve(SIX, kind, points=None)
    first = [] if kind == "lift" else [INF]
    assert found.frame["threshold"].to_list() == [*first, 0.9, 0.7, 0.4, 0.3, 0.1]
    assert found.frame.columns == ["threshold", *columns]
    for name, values in columns.items():
        assert found.frame[name].to_list() == pytest.approx(values, abs=1e-15)
    assert found.area == pytest.approx(area(found), abs=1e-15)


def area(found: CurveTable) -> float:
    """As the table's definition has it: of PR in steps, of lift from a share of 0 on."""
    x, y = (found.frame[name].to_numpy() for name in found.frame.columns[1:])
    if found.kind == "PR":
        return float((np.diff(x) * y[1:]).sum())
    return float(np.trapezoid(y, x) + (x[0] * y[0] if found.kind == "lift" else 0))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("decimals", [1, 16])
def test_exact_curves_are_scikit_learns(weighted: bool, decimals: int) -> None:
    table = random_table(5000, weighted=weighted, decimals=decimals)
    y, s, w = table["label"], table["score"], {"sample_weight": table.get("weight")}
    frames = {kind: rm.curve(table, kind, points=None).frame for kind in ("ROC", "PR", "DET")}
    fpr, tpr, thresholds = metrics.roc_curve(y, s, drop_intermediate=False, **w)
    assert_columns(frames["ROC"], thresholds, fpr, tpr)
    precision, recall, thresholds = metrics.precision_recall_curve(y, s, **w)
    assert_columns(frames["PR"], [INF, *thresholds[::-1]], recall[::-1], precision[::-1])
    fpr, fnr, thresholds = metrics.det_curve(y, s, **w)
    # Without the points at which nothing changes any more at either end.
    here = frames["DET"].filter(pl.col("threshold").is_in(thresholds.tolist()))
    assert_columns(here, *(column[::-1] for column in (thresholds, fpr, fnr)))


def assert_columns(frame: pl.DataFrame, *expected: Any) -> None:
    for column, values in zip(frame.get_columns(), expected, strict=True):
        assert column.to_numpy() == pytest.approx(np.asarray(values), rel=1e-12, abs=1e-13), column.name


def test_areas_are_those_of_measures() -> None:
    table = random_table(3000, decimals=3)
    result = rm.evaluate_predictions(table, "AUC AveragePrecision")
    assert rm.curve(table, "ROC").area == pytest.approx(result["AUC"], abs=1e-14)
    assert rm.curve(table, "DET").area == pytest.approx(1 - result["AUC"], abs=1e-14)
    assert rm.curve(table, "PR").area == pytest.approx(result["AveragePrecision"], abs=1e-14)


def test_precision_and_recall_of_equal_scores_are_one_step() -> None:
    found = rm.curve({"label": [1, 0, 0, 0], "score": [0.5] * 4}, "PR")
    assert found.frame.rows() == [(INF, 0, 1), (0.5, 1, 0.25)]
    assert found.area == 0.25
    assert "area 0.250000 (in steps: AveragePrecision)" in str(found)


def test_thinning_keeps_both_ends_of_broad_steps() -> None:
    table = random_table(30_000)
    table["score"][table["score"] < 0.2] = 0.2  # half of the rows, the last step of recall
    found = rm.curve(table, "PR", points=10)
    whole = rm.curve(table, "PR", points=None).frame
    thin = found.frame["recall"].to_numpy()
    for last, first in zip(thin[1:], thin, strict=False):
        between = whole.filter((pl.col("recall") > first) & (pl.col("recall") < last)).height
        assert last - first <= 0.1 or not between
    assert found.frame[-2:].equals(whole[-2:])


def test_lift_of_equal_scores_has_the_area_of_random_ones() -> None:
    assert rm.curve({"label": [1, 0, 0, 0], "score": [0.5] * 4}, "lift").area == 1


def test_the_greatest_distance_of_equal_scores_is_at_a_threshold_that_there_is() -> None:
    found = rm.curve({"label": [1, 0], "score": [0.5, 0.5]}, "KS")
    assert (found.greatest, found.greatest_at) == (0, 0.5)


def test_bins_that_nearly_all_rows_share_say_what_tells_more() -> None:
    rare = {"label": [1] + [0] * 99, "score": np.linspace(0.0001, 0.001, 100)}
    assert "One bin has 100% of the rows: bins of equal mass" in str(rm.curve(rare, "calibration"))
    assert "One bin" not in str(rm.curve(rare, "calibration", binning="mass"))
    assert "One bin" not in str(rm.curve(SIX, "calibration"))


def test_tables_say_that_rows_are_weighted() -> None:
    weighed = SIX | {"weight": [1, 2, 3, 4, 5, 6]}
    for kind in (*CURVES, "KS", "scores", "calibration"):
        assert "6 rows, 3 positive, weighted" in str(rm.curve(weighed, kind))  # type: ignore[arg-type] # all are kinds
        assert "weighted" not in str(rm.curve(SIX, kind))  # type: ignore[arg-type] # all are kinds


# --- Thinned -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CURVES)
@pytest.mark.parametrize("weighted", [False, True])
def test_thinning_keeps_the_area_and_the_points(kind: Any, weighted: bool) -> None:
    table = random_table(60_000, weighted=weighted)
    whole, thin = rm.curve(table, kind, points=None), rm.curve(table, kind, points=600)
    assert thin.thresholds == whole.thresholds == len(whole)
    x, y = (thin.frame[name].to_numpy() for name in thin.frame.columns[1:])
    across, upright = (whole.frame[name].to_numpy() for name in whole.frame.columns[1:])
    straight = np.trapezoid(upright, across)
    assert np.trapezoid(y, x) - straight == pytest.approx(thin.area_change, abs=1e-14)
    assert abs(thin.area_change) <= 1e-6
    assert 600 <= len(thin) <= 2200
    assert thin.area == whole.area
    assert thin.frame.join(whole.frame, on=thin.frame.columns).height == len(thin)
    assert thin.frame[0].equals(whole.frame[0])
    assert thin.frame[-1].equals(whole.frame[-1])
    # No point is far from the curve.
    every, exact = (whole.frame[name].to_numpy() for name in whole.frame.columns[1:])
    if kind in ("ROC", "gain", "DET"):
        assert np.abs(np.interp(every, x, y) - exact).max() < 0.01


def test_points_on_straight_lines_go_first_and_change_nothing() -> None:
    # Ten positives, then ten others, then ten of each in turn at equal scores.
    label = [1] * 10 + [0] * 10 + [1, 0] * 10
    score = [40 - i for i in range(20)] + [10 - i // 2 for i in range(20)]
    thin = rm.curve({"label": label, "score": score}, "ROC", points=4)
    assert thin.frame["tpr"].to_list() == [0, 0.5, 0.5, 1]
    assert thin.frame["fpr"].to_list() == [0, 0, 0.5, 1]
    assert (thin.thresholds, thin.area_change) == (31, 0)


def test_more_points_are_kept_where_the_area_takes_them() -> None:
    table = random_table(20_000)
    thin = rm.curve(table, "ROC", points=2)
    assert 2 < len(thin) < 20_000
    assert abs(thin.area_change) <= 1e-6


def test_exact_curves_have_every_threshold() -> None:
    table = random_table(5000)
    exact = rm.curve(table, "ROC", points=None)
    assert len(exact) == len(set(table["score"].tolist())) + 1
    assert exact.area_change == 0
    assert len(rm.curve(table, "ROC", points=10**6)) < len(exact)


ROWS = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0, 0.25, 0.5, 0.75, 1]), st.sampled_from([0, 0.1, 1, 3])),
    min_size=2,
    max_size=60,
)


@given(ROWS, st.sampled_from(list(CURVES)), st.integers(2, 5))
def test_thin_curves_of_hostile_rows_keep_the_area(rows: list, kind: Any, points: int) -> None:
    label, score, weight = (np.array(column, float) for column in zip(*rows, strict=True))
    table = {"label": label, "score": score, "weight": weight}
    counted = {y for y, _, w in rows if w}
    if not counted or True not in counted or (kind in ("ROC", "DET") and False not in counted):
        with pytest.raises(rm.DataError, match=r"row is positive|0 in every row"):
            rm.curve(table, kind, points=points)
        return
    thin = rm.curve(table, kind, points=points)
    x, y = (thin.frame[name].to_numpy() for name in thin.frame.columns[1:])
    assert np.isfinite(x).all()
    assert np.isfinite(y).all()
    assert abs(thin.area_change) <= 1e-6
    assert thin.area == rm.curve(table, kind, points=None).area


# --- Calibration ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", [None, 0.5])
def test_intervals_of_rates_are_wilsons(confidence: float | None) -> None:
    table = random_table(300)
    frame = rm.curve(table, "calibration", bins=5, confidence=confidence).frame
    for rows, rate, low, high in frame["rows", "rate", "rate_low", "rate_high"].iter_rows():
        test = binomtest(round(rate * rows), rows)
        interval = test.proportion_ci(confidence or 0.95, method="wilson")
        assert (low, high) == (pytest.approx(interval.low), pytest.approx(interval.high))


def test_bins_tell_their_borders() -> None:
    frame = rm.curve(SIX, "calibration", bins=4).frame
    assert frame["low", "high", "rows"].rows() == [(0, 0.25, 1), (0.25, 0.5, 2), (0.5, 0.75, 2), (0.75, 1, 1)]
    assert frame["rate_low"][0] == 0
    frame = rm.curve(SIX, "calibration", bins=2, binning="mass").frame
    assert frame["low", "high", "rows"].rows() == [(0.1, 0.4, 3), (0.4, 0.9, 3)]


def test_weighted_intervals_are_of_as_many_rows_as_tell_as_much() -> None:
    table = {"label": [1, 0, 1, 1], "score": [0.5] * 4, "weight": [2, 2, 2, 0]}
    frame = rm.curve(table, "calibration").frame
    interval = binomtest(2, 3).proportion_ci(method="wilson")
    assert frame["rate_low"].to_list() == [pytest.approx(interval.low)]
    assert frame["weight"].to_list() == [6]


# --- Bands, greatest values and scores -----------------------------------------------------------------


@pytest.mark.parametrize(("kind", "rate"), [("ROC", "tpr"), ("PR", "precision"), ("DET", "fnr")])
def test_a_band_is_asked_for_and_goes_with_the_points_that_are_kept(kind: Any, rate: str) -> None:
    table = random_table(3000)
    assert len(rm.curve(table, kind).frame.columns) == 3
    whole, thin = (rm.curve(table, kind, confidence=0.9, points=points) for points in (None, 300))
    assert whole.frame.columns[2:] == [rate, f"{rate}_low", f"{rate}_high"]
    low, value, high = (whole.frame[name].to_numpy() for name in (f"{rate}_low", rate, f"{rate}_high"))
    assert (low[1:] <= value[1:] + 1e-12).all()
    assert (value[1:] <= high[1:] + 1e-12).all()
    assert thin.frame.join(whole.frame, on=whole.frame.columns).height == len(thin)
    assert (whole.confidence, rm.curve(table, kind).confidence) == (0.9, None)


def test_ks_and_f1_by_hand() -> None:
    ks = rm.curve(SIX, "KS", points=None)
    assert ks.frame.columns == ["threshold", "fpr", "tpr", "distance"]
    assert ks.frame["distance"].to_list() == pytest.approx([0, 1 / 3, 1 / 3, 0, 1 / 3, 0])
    assert (ks.greatest, ks.greatest_at) == (pytest.approx(1 / 3), 0.9)
    f1 = rm.curve(SIX, "F1", points=None)
    assert f1.frame.columns == ["threshold", "precision", "recall", "f1"]
    assert f1.frame["f1"].to_list() == pytest.approx([0, 2 / 4, 4 / 6, 4 / 7, 6 / 8, 6 / 9])
    assert (f1.greatest, f1.greatest_at) == (pytest.approx(0.75), 0.3)
    assert "6 of 6 points, the greatest 0.750000 at the threshold 0.3" in str(f1)
    assert json.loads(f1.to_json())["greatest"] == f1.greatest


@pytest.mark.parametrize("weighted", [False, True])
def test_the_greatest_are_those_of_measures_and_thinning_keeps_them(weighted: bool) -> None:
    table = random_table(20_000, weighted=weighted)
    result = rm.evaluate_predictions(table, "KS F1(threshold=max)")
    for kind, measure in (("KS", "KS"), ("F1", "F1(threshold=max)")):
        thin, whole = (rm.curve(table, kind, points=points) for points in (200, None))
        assert len(thin) <= 210 < len(whole) == thin.thresholds
        assert thin.greatest == pytest.approx(result[measure], abs=1e-12)
        assert (thin.greatest, thin.greatest_at) == (whole.greatest, whole.greatest_at)
        assert thin.frame.join(whole.frame, on=whole.frame.columns).height == len(thin)
        assert thin.frame.filter(pl.col("threshold") == thin.greatest_at).height == 1
    assert thin.greatest_at == pytest.approx(result.thresholds["F1(threshold=max)"])


def test_scores_in_bins_by_hand() -> None:
    found = rm.curve(SIX, "scores", bins=2)
    assert found.frame.columns == ["low", "high", "rows", "positive", "negative"]
    assert found.frame.rows() == [(0.1, 0.5, 3, 1, 2), (0.5, 0.9, 3, 2, 1)]
    weighed = rm.curve(SIX | {"weight": [1, 2, 3, 4, 5, 6]}, "scores", bins=2, binning="mass")
    assert weighed.frame.rows() == [(0.1, 0.3, 2, 5, 6), (0.3, 0.9, 4, 3, 7)]
    assert "scores: 6 rows, 3 positive, 2 bins" in str(found)


def test_scores_that_are_all_the_same_are_one_bin() -> None:
    found = rm.curve({"label": [1, 0, 0], "score": [5, 5, 5]}, "scores")
    assert found.frame.rows() == [(5, 5, 3, 1, 2)]


# --- Formats and the command line ----------------------------------------------------------------------


def test_every_format(tmp_path: Path) -> None:
    found = rm.curve(SIX, "ROC")
    lines = found.to_csv().splitlines()
    assert lines[:2] == ["threshold,fpr,tpr", "inf,0.0,0.0"]
    record = json.loads(found.to_json())
    assert record["columns"]["threshold"][0] is None
    assert (record["curve"], record["area"], record["positive"]) == ("ROC", found.area, 3)
    assert "|    0.9000 |      0 | 0.3333 |" in found.to_markdown()
    assert r"\toprule" in found.format("latex")
    assert "area 0.722222" in found.format()
    assert "area 0.722222" in str(found)
    assert "ROC" in repr(found)
    assert "<table" in found._repr_html_()
    found.write(tmp_path / "roc.csv")
    assert (tmp_path / "roc.csv").read_text() == found.to_csv()
    with pytest.raises(rm.UsageError, match="format=trec shows measures"):
        found.format("trec")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "t.csv")
    pl.DataFrame(SIX).write_csv(path)
    assert main(["curve", path, "roc", "-o", str(tmp_path / "roc.csv")]) == 0
    assert (tmp_path / "roc.csv").read_text() == rm.curve(SIX, "ROC").to_csv()
    assert main(["curve", path, "calibration", "--bins", "4", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["columns"]["rows"] == [1, 2, 2, 1]
    assert main(["curve", path, "PR", "--exact"]) == 0
    assert "6 of 6 points" in capsys.readouterr().out
    assert main(["curve", path, "RCO"]) == 2
    assert (
        "'RCO' is not one of calibration, scores, ROC, PR, DET, gain, lift, KS, F1; did you mean"
        in capsys.readouterr().err
    )
    assert main(["curve", path, "ROC", "--points", "5", "--exact"]) == 2
    assert "--exact keeps every threshold" in capsys.readouterr().err
    assert main(["curve", path, "ROC", "-o", path]) == 2
    assert "would overwrite the input" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("table", "kind", "options", "error", "message"),
    [
        (SIX, "roc2", {}, rm.ChoiceError, "did you mean 'ROC'"),
        (SIX, "PCOPC", {}, rm.ChoiceError, "PCOPC is a picture of the curve calibration"),
        (SIX, "reliability", {}, rm.ChoiceError, "reliability is a picture of the curve calibration"),
        (SIX, 3, {}, rm.ChoiceError, "curve 3 is not one of"),
        (SIX, "ROC", {"bins": 4}, rm.ChoiceError, "bins=4 is for calibration"),
        (SIX, "ROC", {"points": 9.5}, rm.ChoiceError, "points=9.5 is not a whole number from 2"),
        (SIX, "calibration", {"confidence": "x"}, rm.ChoiceError, "confidence='x' is not a number between"),
        (SIX, "ROC", {"points": 1}, rm.ChoiceError, "points=1 is not a whole number from 2"),
        (SIX, "calibration", {"bins": 0}, rm.ChoiceError, "bins=0 is not a whole number from 1"),
        (SIX, "calibration", {"binning": "size"}, rm.ChoiceError, "binning='size'"),
        (
            SIX,
            "gain",
            {"confidence": 0.9},
            rm.ChoiceError,
            "confidence=0.9 is for calibration, ROC, PR",
        ),
        (SIX | {"weight": range(6)}, "ROC", {"confidence": 0.9}, rm.DataError, "rows that count alike"),
        (SIX | {"score": [INF, 0, 1, 2, 3, 4]}, "scores", {}, rm.DataError, "there are infinite scores"),
        (SIX | {"label": [1] * 6}, "KS", {}, rm.DataError, "no KS curve: every row is positive"),
        (SIX, "calibration", {"confidence": 95}, rm.ChoiceError, "confidence=95 is not a number between"),
        (SIX | {"label": [1] * 6}, "DET", {}, rm.DataError, "no DET curve: every row is positive"),
        (SIX | {"label": [0] * 6}, "lift", {}, rm.DataError, "no lift curve: no row is positive"),
        (SIX | {"label": range(6)}, "ROC", {}, rm.DataError, "the ROC curve takes binary labels"),
        (SIX | {"score": range(6)}, "calibration", {}, rm.DataError, "the calibration curve takes probab"),
    ],
)
def test_refused(table: Any, kind: Any, options: dict[str, Any], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        rm.curve(table, kind, **options)
