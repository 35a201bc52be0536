"""A metric of Keras that gives what rankmark gives, in loops and in `fit`."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from installed import beside, peer

os.environ.setdefault("KERAS_BACKEND", "torch")
tool_version = beside("keras")


@pytest.fixture(scope="module")
def keras() -> Any:
    return peer("keras", "keras")


def lists(seed: int = 0, rows: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Grades of which each row has one above 0, and scores without ties."""
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, 4, (rows, 12)).astype(np.float32)
    grades[:, 0] = 2
    return grades, rng.permutation(rows * 12).reshape(rows, 12).astype(np.float32) / 500


def test_batches_give_what_arrays_give(keras: Any) -> None:
    grades, scores = lists()
    metric = rm.hooks.KerasMetric("nDCG@5, RR", dtype="float64")
    for start in (0, 16, 32):
        part = slice(start, start + 16)
        metric.update_state(
            keras.ops.convert_to_tensor(grades[part]), keras.ops.convert_to_tensor(scores[part])
        )
    expected = rm.evaluate_arrays(scores, grades, "nDCG@5, RR")
    assert {name: float(value) for name, value in metric.result().items()} == pytest.approx(expected.values)
    assert metric.full_result(intervals=True).intervals["RR"].low < expected["RR"]
    again = rm.hooks.KerasMetric.from_config(metric.get_config())
    assert float(again(grades, scores)["RR"]) == pytest.approx(expected["RR"])
    metric.reset_state()
    with pytest.raises(rm.DataError, match="there was no batch yet"):
        metric.result()


def test_what_is_of_no_item_is_in_no_list() -> None:
    grades, scores = lists()
    mask = np.random.default_rng(1).random(grades.shape) < 0.6
    mask[:, :2] = True
    expected = rm.evaluate_arrays(scores, grades, "nDCG@5", mask=mask)["nDCG@5"]
    metric = rm.hooks.KerasMetric("nDCG@5", dtype="float64")
    assert metric.name == "nDCG@5"
    assert float(metric({"labels": grades, "mask": mask}, scores)) == pytest.approx(expected)
    with pytest.raises(rm.DataError, match=r"labels are below 0, the least is -1: .* say which"):
        metric.update_state(np.where(mask, grades, -1), scores)
    padded = rm.hooks.KerasMetric("nDCG@5", negative="padding", dtype="float64")
    assert float(padded(np.where(mask, grades, -1), scores)) == pytest.approx(expected)
    assert type(padded).from_config(padded.get_config())._batches._negative == "padding"
    graded = rm.hooks.KerasMetric("nDCG@5", negative="grade", dtype="float64")
    below = np.where(mask, grades, -1)
    assert float(graded(below, scores)) == pytest.approx(
        rm.evaluate_arrays(scores, below, "nDCG@5")["nDCG@5"]
    )


def test_rows_stand_beside_lists() -> None:
    grades, scores = lists()
    clicks, mask = (grades > 1).astype(np.float32), np.random.default_rng(1).random(grades.shape) < 0.6
    metric = rm.hooks.KerasMetric("nDCG@5, AUC", negative="padding", dtype="float64")
    for part in (slice(0, 16), slice(16, None)):
        metric.update_state(np.where(mask, clicks, -1)[part], scores[part])
    values = {name: float(value) for name, value in metric.result().items()}
    row, _ = np.nonzero(mask)
    table = {"label": clicks[mask], "score": scores[mask], "query": row}
    assert values == pytest.approx(rm.evaluate_predictions(table, "nDCG@5, AUC").values, rel=1e-12)
    assert values["nDCG@5"] == pytest.approx(
        rm.evaluate_arrays(scores, clicks, "nDCG@5", mask=mask)["nDCG@5"]
    )


@pytest.mark.parametrize(("name", "asked"), [("NDCG", "nDCG(gain=exp2)@5"), ("MeanReciprocalRank", "RR@5")])
def test_metrics_of_keras_rs_give_the_same(name: str, asked: str) -> None:
    theirs = getattr(peer("keras_rs", "keras-rs").metrics, name)(k=5, shuffle_ties=False)
    grades, scores = lists(2)
    grades = grades if name == "NDCG" else (grades > 1).astype(np.float32)
    ours = rm.hooks.KerasMetric(asked)
    for start in (0, 20):
        part = slice(start, start + 20)
        theirs.update_state(grades[part], scores[part])
        ours.update_state(grades[part], scores[part])
    assert float(ours.result()) == pytest.approx(float(theirs.result()), rel=1e-5)


@pytest.mark.filterwarnings("ignore::DeprecationWarning:keras")  # of its own
def test_fit_logs_every_measure(keras: Any) -> None:
    grades, _ = lists(3)
    inputs = np.concatenate([grades, np.random.default_rng(4).random(grades.shape)], axis=1).astype(
        np.float32
    )
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.layers.Dense(12)])
    model.compile(
        optimizer=keras.optimizers.Adam(0.05), loss="mse", metrics=[rm.hooks.KerasMetric("nDCG@5, RR")]
    )
    stop = keras.callbacks.EarlyStopping("val_nDCG@5", mode="max", patience=2)
    seen = model.fit(
        inputs, grades, validation_data=(inputs, grades), epochs=3, batch_size=16, verbose=0, callbacks=[stop]
    )
    assert {"nDCG@5", "RR", "val_nDCG@5", "val_RR"} <= seen.history.keys()
    expected = rm.evaluate_arrays(model.predict(inputs, verbose=0), grades, "nDCG@5, RR")
    assert seen.history["val_nDCG@5"][-1] == pytest.approx(expected["nDCG@5"], rel=1e-6)
    assert seen.history["val_nDCG@5"][-1] > seen.history["val_nDCG@5"][0]


def test_predictions_are_weighted_rows(keras: Any) -> None:
    rng = np.random.default_rng(5)
    label, score, weight = rng.integers(0, 2, 60), rng.random(60).astype(np.float32), rng.integers(1, 5, 60)
    metric = rm.hooks.KerasMetric("AUC, LogLoss")
    for start in (0, 30):
        part = slice(start, start + 30)
        column = keras.ops.convert_to_tensor(score[part, None])
        metric.update_state(label[part, None], column, sample_weight=weight[part])
    table = {"label": label, "score": score, "weight": weight}
    expected = rm.evaluate_predictions(table, "AUC, LogLoss", weight="weight").values
    assert {name: float(value) for name, value in metric.result().items()} == pytest.approx(
        expected, rel=1e-6
    )


class Compiled:
    """As a tracer of JAX: it has a shape, and no values yet."""

    shape, dtype = (40, 12), "float32"

    def __getitem__(self, _: object) -> None:
        raise NotImplementedError

    def __array__(self, *_: object, **__: object) -> None:
        raise TypeError("this is traced")


def test_what_does_not_fit_is_refused() -> None:
    grades, scores = lists()
    metric = rm.hooks.KerasMetric("AP")
    with pytest.raises(rm.UsageError, match="AP: measures of lists take no sample_weight"):
        metric.update_state(grades, scores, sample_weight=grades)
    with pytest.raises(rm.UsageError, match=r"y_true has the shape \(40, 11\) and y_pred \(40, 12\)"):
        metric.update_state(grades[:, 1:], scores)
    with pytest.raises(rm.UsageError, match="y_true is a dict of 'y'; it needs 'labels'"):
        metric.update_state({"y": grades}, scores)
    with pytest.raises(rm.UsageError, match="need numbers, and one of them holds object"):
        metric.update_state(grades, object())
    with pytest.raises(
        rm.UsageError, match=r"as is so where a model is compiled: model.compile\(…, run_eagerly"
    ):
        metric.update_state(grades, Compiled())
    with pytest.raises(rm.MeasureError, match="no measure 'NDGC'"):
        rm.hooks.KerasMetric("NDGC")


@pytest.mark.parametrize(
    "measures", ["nDCG@5, RR", "AP(mean=geometric)", "RR(mean=median)", "nDCG@5, HitRatio@1"]
)
def test_asked_after_each_batch_it_is_what_all_batches_give(
    measures: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = rm.hooks.KerasMetric(measures, dtype="float64")
    asked: list[Any] = []
    terms_of = metric._batches.terms_of
    monkeypatch.setattr(metric._batches, "terms_of", lambda part: asked.append(part) or terms_of(part))
    for seed in range(5):
        grades, scores = lists(seed, rows=6)
        grades[seed] = 0
        metric.update_state(grades, scores)
        found = metric.result()
        values = found.values() if isinstance(found, dict) else [found]
        expected = metric.full_result().values.values()
        assert [float(each) for each in values] == pytest.approx(list(expected), rel=1e-15)
    # After the first each is looked at alone, so that an epoch takes no longer than its batches.
    assert asked[0] is metric._whole()
    assert not any(part is metric._whole() for part in asked[1:])
    for seed in range(2):  # two batches at once are looked at with all others
        metric.update_state(*lists(seed))
    metric.result()
    assert asked[-1] is metric._whole()
