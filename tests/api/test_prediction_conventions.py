"""Measures of predictions as other tools compute them."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn import metrics

import rankmark as rm
from rankmark.errors import ChoiceError, MeasureError

# A row of each class is certain and wrong.
CERTAIN = {"label": [1, 0, 1, 0], "score": [0.0, 1.0, 0.5, 0.25]}
# User a: AUC 1 (2 rows, 1 click); b: 1/2 (3 rows, 2 clicks); c: one class; d: all scores equal (2 rows).
USERS: dict[str, list[Any]] = {
    "user_id": [*"aa", *"bbb", *"c", *"dd"],
    "label": [1, 0, 1, 0, 1, 0, 1, 0],
    "score": [0.9, 0.2, 0.5, 0.4, 0.1, 0.3, 0.6, 0.6],
}
NUMBERS = ("mean_absolute_percentage_error", "MeanAbsolutePercentageError", "mape", "MAPE")
"""What has no value of labels of 0."""
PETS: dict[str, list[Any]] = {
    "label": ["cat", "dog", "eel", "cat"],
    "cat": [0.7, 0.2, 0.5, 0.4],
    "dog": [0.2, 0.7, 0.25, 0.4],
    "eel": [0.1, 0.1, 0.25, 0.2],
}


def value(table: Any, measure: str, like: str, **options: Any) -> float:
    return rm.evaluate_predictions(table, measure, like=like, **options)[measure]


NAMES = [(record, name) for record in rm.conventions().values() for name in record.predictions]
OF_CLASSES = [(record, name) for record in rm.conventions().values() for name in record.classes]


@pytest.mark.parametrize(("record", "name"), NAMES, ids=[f"{r.name}:{name}" for r, name in NAMES])
def test_every_name_is_understood_and_read_back(record: rm.results.Convention, name: str) -> None:
    asked = re.sub(r"\{[xb]\}", "0.5", name)
    table = {**USERS, "label": [2 - label for label in USERS["label"]]} if name in NUMBERS else USERS
    result = rm.evaluate_predictions(table, [asked], like=record.name)
    (measure,) = result.measures
    assert measure.page.kind == "row"
    assert result[asked] == result[measure] == result[str(measure)]
    assert result.convention == record.label
    assert f"like:{record.label}" in result.signature(asked).split("|")
    assert f"like:{record.label}" in result.signature(asked, short=True).split("|")
    assert any(said in result.account()[0] for said in (f"as in {record.label}", "but see below"))
    assert re.sub(r"\{([xb])\}", r"<\1>", name) in record.page


@pytest.mark.parametrize(("record", "name"), OF_CLASSES, ids=[f"{r.name}:{name}" for r, name in OF_CLASSES])
def test_every_name_of_classes_is_understood_and_read_back(record: rm.results.Convention, name: str) -> None:
    asked = re.sub(r"\{[bk]\}", "2", name)
    result = rm.evaluate_predictions(PETS, [asked], like=record.name, score=["cat", "dog", "eel"])
    (measure,) = result.measures
    assert measure.page.kind == "class"
    assert result[asked] == result[measure] == result[str(measure)]
    assert result.convention == record.label
    assert f"like:{record.label}" in result.signature(asked).split("|")
    assert re.sub(r"\{([bk])\}", r"<\1>", name) in record.page


def test_a_name_that_both_kinds_have_is_looked_for_where_it_is_asked() -> None:
    fuxictr = rm.conventions()["fuxictr"]
    assert str(fuxictr.measure("avgAUC")) == "ListAUC"
    assert rm.evaluate_predictions(USERS, "avgAUC", like="fuxictr").values == {
        "avgAUC": (1 + 1 / 2 + 1 / 2) / 3
    }
    with pytest.raises(MeasureError, match="is a measure of predictions"):
        rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "gAUC", like="fuxictr")


# --- scikit-learn itself -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_scikit_learn_clips_by_the_precision_of_the_column(dtype: type) -> None:
    table = pl.DataFrame({"label": CERTAIN["label"], "score": np.array(CERTAIN["score"], dtype=dtype)})
    found = rm.evaluate_predictions(table, ["log_loss", "d2_log_loss_score"], like="sklearn")
    score = table["score"].to_numpy()
    # It adds up in the type's precision.
    near = pytest.approx(metrics.log_loss(table["label"], score), rel=8 * float(np.finfo(dtype).eps))
    assert found["log_loss"] == near
    assert found["d2_log_loss_score"] == pytest.approx(
        metrics.d2_log_loss_score(table["label"], score), rel=32 * float(np.finfo(dtype).eps)
    )


def test_the_costs_of_a_certain_mistake() -> None:
    # definitions: 36.0, 15.9 and 6.9 nats.
    for dtype, cost in ((pl.Float64, 36.0), (pl.Float32, 15.9), (pl.Float16, 6.9)):
        table = pl.DataFrame({"label": [1], "score": [0.0]}).with_columns(pl.col("score").cast(dtype))
        assert value(table, "log_loss", "sklearn") == pytest.approx(cost, abs=0.05)


def test_scikit_learn() -> None:
    random = np.random.default_rng(0)
    label = random.random(500) < 0.3
    score = np.round(np.clip(label * 0.2 + random.random(500) * 0.8, 0, 1), 2)  # with ties
    table = {"label": label, "score": score}
    theirs = {
        "roc_auc_score": metrics.roc_auc_score(label, score),
        "roc_auc_score(max_fpr=0.3)": metrics.roc_auc_score(label, score, max_fpr=0.3),
        "average_precision_score": metrics.average_precision_score(label, score),
        "log_loss": metrics.log_loss(label, score),
        "d2_log_loss_score": metrics.d2_log_loss_score(label, score),
        "brier_score_loss": metrics.brier_score_loss(label, score),
        "mean_squared_error": metrics.mean_squared_error(label, score),
        "root_mean_squared_error": metrics.root_mean_squared_error(label, score),
        "mean_absolute_error": metrics.mean_absolute_error(label, score),
    }
    found = rm.evaluate_predictions(table, list(theirs), like="sklearn")
    assert {name: found[name] for name in theirs} == pytest.approx(theirs, rel=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert math.isnan(metrics.roc_auc_score([1, 1], [0.1, 0.2]))
    assert math.isnan(value({"label": [1, 1], "score": [0.1, 0.2]}, "roc_auc_score", "sklearn"))


# --- By hand, a line of the definitions each -----------------------------------------------------------


@pytest.mark.parametrize(
    ("like", "name", "clip", "unit"),
    [
        ("recbole", "LogLoss", 1e-15, 1),
        ("recommenders", "logloss", 1e-11, 1),
        ("torchrec", "logloss", 1e-12, math.log(2)),
        ("lightgbm", "binary_logloss", 1e-15, 1),
        ("fuxictr", "logloss", 2.0**-52, 1),
    ],
)
def test_clips_and_units_of_log_loss(like: str, name: str, clip: float, unit: float) -> None:
    # 1 - clip is rounded: its logarithm is not quite that of the clip.
    nats = -math.log(clip) - math.log1p(-(1 - clip)) - math.log(0.5) - math.log(0.75)
    assert value(CERTAIN, name, like) == pytest.approx(nats / 4 / unit, rel=1e-12)


def test_normalised_entropy_of_torchrec() -> None:
    # Of two rows of each class the entropy is a bit, so that it is the log loss in bits.
    assert value(CERTAIN, "ne", "torchrec") == pytest.approx(value(CERTAIN, "logloss", "torchrec"), rel=1e-12)


def test_calibration_of_torchrec_is_predicted_over_observed() -> None:
    assert value({**USERS, "weight": [2, 1, 1, 1, 1, 1, 1, 1]}, "calibration", "torchrec") == pytest.approx(
        (2 * 0.9 + 0.2 + 0.5 + 0.4 + 0.1 + 0.3 + 0.6 + 0.6) / 5, rel=1e-15
    )


@pytest.mark.parametrize(
    ("like", "name", "weights"),
    [
        ("fuxictr", "gAUC", (2, 3, 2)),  # impressions
        ("fuxictr", "avgAUC", (1, 1, 1)),
        ("recbole", "GAUC", (1, 2, 1)),  # clicks
        ("recommenders", "group_auc", (1, 1, 1)),
        ("torchrec", "gauc", (1, 1, 1)),
    ],
)
def test_weights_of_users(like: str, name: str, weights: tuple[int, int, int]) -> None:
    expected = float(np.average([1, 0.5, 0.5], weights=weights))
    found = rm.evaluate_predictions(USERS, name, like=like)
    assert found[name] == pytest.approx(expected, rel=1e-15)
    assert found.counts.measures[str(found.measures[0])].skipped == 1  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("like", "name"), [("sklearn", "roc_auc_score"), ("recbole", "AUC"), ("fuxictr", "AUC")]
)
def test_ties_count_half(like: str, name: str) -> None:
    assert value({"label": [1, 0], "score": [0.5, 0.5]}, name, like) == 0.5


@pytest.mark.parametrize(
    ("like", "name"), [("recommenders", "rmse"), ("recbole", "RMSE"), ("sklearn", "root_mean_squared_error")]
)
def test_root_mean_squared_error_is_of_all_rows(like: str, name: str) -> None:
    table = {"user_id": ["a", "a", "b"], "rating": [4, 2, 5], "score": [3, 2, 3]}
    assert value(table, name, like, label="rating") == pytest.approx(math.sqrt((1 + 0 + 4) / 3), rel=1e-15)


def test_lightgbm(data_file: Callable[[str], str]) -> None:
    table = {
        "label": np.loadtxt(data_file("lightgbm_binary/binary.test"), usecols=0),
        "score": np.loadtxt(data_file("lightgbm_binary/lightgbm470_pred.binary.test.txt")),
        "weight": np.loadtxt(data_file("lightgbm_binary/binary.test.weight")),
    }
    found = rm.evaluate_predictions(table, ["auc", "binary_logloss", "average_precision"], like="lightgbm")
    # LightGBM's own figures.
    expected = [0.8280753282380331, 0.5060754360587895, 0.8523181497421877]
    assert list(found.values.values()) == pytest.approx(expected, abs=6e-11)


@pytest.mark.parametrize(
    ("like", "what"),
    [
        ("torchrec", "where scores are equal"),
        ("torchrec", "which it has as 0.5"),
        ("torchrec", "takes for padding"),
        ("elliot", "one item too many"),
        ("elliot", "RMSE, MSE and MAE"),
        ("recommenders", "four digits"),
        ("torchmetrics", "RetrievalAUROC"),
    ],
)
def test_what_cannot_be_had_is_said(like: str, what: str) -> None:
    assert what in " ".join(rm.conventions()[like].page.split())


# --- Names here, lists, and what is refused ------------------------------------------------------------


def test_a_measures_name_here_is_the_tools_variant_of_it() -> None:
    found = rm.evaluate_predictions(CERTAIN, ["LogLoss", "NE"], like="torchrec")
    assert list(map(str, found.measures)) == ["LogLoss(clip=1e-12,unit=bits)", "NE(clip=1e-12)"]
    assert found["LogLoss"] == value(CERTAIN, "logloss", "torchrec")
    again = rm.evaluate_predictions(CERTAIN, "LogLoss(clip=0.1)", like="torchrec")
    assert list(map(str, again.measures)) == ["LogLoss(clip=0.1,unit=bits)"]


def test_measures_of_lists_take_the_tools_choices() -> None:
    table = {"user_id": ["a", "a", "b"], "label": [1, 0, 0], "score": [0.5, 0.5, 0.1]}
    assert rm.evaluate_predictions(table, "ndcg@10", like="lightgbm").values == {"ndcg@10": 1.0}
    own = rm.evaluate_predictions(table, "ndcg@10", like="lightgbm", no_relevant="zero", ties="worst")
    assert own["ndcg@10"] == pytest.approx(1 / math.log2(3) / 2)
    assert own.choices["no_relevant"] == "zero"
    assert "like:lightgbm-4.7.0" in own.signature("ndcg@10")


@pytest.mark.parametrize(
    ("measure", "like", "error", "message"),
    [
        ("AUC", "torchrek", ChoiceError, "did you mean 'torchrec'"),
        ("KS", "torchrec", MeasureError, "torchrec has no KS; its measures of predictions are ne, logloss"),
        ("AUC", "trec_eval", MeasureError, "trec_eval has no AUC; it has no measures of predictions"),
        ("nDCG@5", "torchrec", MeasureError, "torchrec has no nDCG@5; it has no measures of lists"),
    ],
)
def test_refused(measure: str, like: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rm.evaluate_predictions(USERS, measure, like=like)
