from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankmark as rm
from hooks.boosted import TRAINING, VALIDATION, Rows
from installed import beside, peer

tool_version = beside("lightgbm")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
QUIET = {"verbosity": -1, "num_threads": 1, "num_leaves": 7, "min_data_in_leaf": 5}


def data_set(rows: Rows, labels: Any, **said: Any) -> Any:
    lightgbm = peer("lightgbm", "lightgbm")

    return lightgbm.Dataset(rows.features, labels, free_raw_data=False, **said)


def trained(metric: Any, parameters: dict[str, Any], training: Any, validation: Any, rounds: int = 5) -> Any:
    lightgbm = peer("lightgbm", "lightgbm")

    history: dict[str, Any] = {}
    model = lightgbm.train(
        {**QUIET, "metric": "None", **parameters},
        training,
        rounds,
        valid_sets=[training, validation],
        valid_names=["training", "validation"],
        feval=metric,
        callbacks=[lightgbm.record_evaluation(history)],
    )
    return model, history


def ranking() -> tuple[Any, Any]:
    training = data_set(TRAINING, TRAINING.grades, group=TRAINING.sizes)
    return training, data_set(VALIDATION, VALIDATION.grades, group=VALIDATION.sizes, reference=training)


def test_training_records_the_measures_of_each_round() -> None:
    measures = "nDCG@10, AP, MSE"
    model, history = trained(rm.hooks.lightgbm(measures), {"objective": "lambdarank"}, *ranking())
    for name, rows in (("training", TRAINING), ("validation", VALIDATION)):
        for round_ in range(5):
            scores = model.predict(rows.features, num_iteration=round_ + 1, raw_score=True)
            values = [each[round_] for each in history[name].values()]
            assert values == pytest.approx(rows.evaluated(measures, scores), abs=1e-9)
    assert list(history["training"]) == [
        "nDCG@10-rankmark",
        "AP-rankmark",
        "MSE-rankmark",
    ]


def test_rows_of_two_classes_need_no_groups_and_are_probabilities() -> None:
    training = data_set(TRAINING, TRAINING.clicks)
    validation = data_set(VALIDATION, VALIDATION.clicks, reference=training)
    metric = rm.hooks.lightgbm("AUC, LogLoss")
    model, history = trained(metric, {"objective": "binary"}, training, validation)
    expected = VALIDATION.evaluated("AUC, LogLoss", model.predict(VALIDATION.features), VALIDATION.clicks)
    assert [each[-1] for each in history["validation"].values()] == pytest.approx(expected, abs=1e-9)
    with pytest.raises(rm.DataError, match="nDCG is a value of each group"):
        trained(rm.hooks.lightgbm("nDCG"), {"objective": "binary"}, training, validation)


def test_an_objective_of_ones_own_gives_logits() -> None:
    def objective(scores: Any, rows: Any) -> Any:
        probability = 1 / (1 + np.exp(-scores))
        return probability - rows.get_label(), probability * (1 - probability)

    training = data_set(TRAINING, TRAINING.clicks)
    metric = rm.hooks.lightgbm("LogLoss", logits=True)
    validation = data_set(VALIDATION, VALIDATION.clicks, reference=training)
    model, history = trained(metric, {"objective": objective}, training, validation)
    probability = 1 / (1 + np.exp(-model.predict(VALIDATION.features)))
    expected = VALIDATION.evaluated("LogLoss", probability, VALIDATION.clicks)
    assert history["validation"]["LogLoss-rankmark"][-1:] == pytest.approx(expected, abs=1e-9)


def test_weights_count_as_in_the_ndcg_of_lightgbm() -> None:
    training, _ = ranking()
    weighted = data_set(
        VALIDATION,
        VALIDATION.grades,
        group=VALIDATION.sizes,
        weight=VALIDATION.weights,
        reference=training,
    )
    metric = rm.hooks.lightgbm("nDCG(gain=exp2)@5", ties="input")
    parameters = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [5]}
    model, history = trained(metric, parameters, training, weighted)
    own, ours = history["validation"].values()
    assert ours == pytest.approx(own, abs=1e-6)  # theirs are sums of single precision
    _, history = trained(rm.hooks.lightgbm("nDCG@5", weighted=False), parameters, training, weighted)
    (unweighted,) = VALIDATION.evaluated("nDCG@5", model.predict(VALIDATION.features, raw_score=True))
    assert history["validation"]["nDCG@5-rankmark"][-1] == pytest.approx(unweighted, abs=1e-9)
    with pytest.raises(rm.MeasureError, match="weighted=False"):
        trained(rm.hooks.lightgbm("NumRelRet@5"), parameters, training, weighted)


def test_early_stopping_knows_what_is_better() -> None:
    lightgbm = peer("lightgbm", "lightgbm")

    for name, parameters, data in (
        ("nDCG@5", {"objective": "lambdarank"}, ranking()),
        ("LogLoss", {"objective": "binary"}, (data_set(TRAINING, TRAINING.clicks),) * 2),
    ):
        training, validation = data
        validation = data_set(VALIDATION, VALIDATION.clicks) if name == "LogLoss" else validation
        history: dict[str, Any] = {}
        model = lightgbm.train(
            {**QUIET, "metric": "None", "learning_rate": 0.5, **parameters},
            training,
            200,
            valid_sets=[validation],
            feval=rm.hooks.lightgbm(name),
            callbacks=[lightgbm.early_stopping(5, verbose=False), lightgbm.record_evaluation(history)],
        )
        (values,) = history["valid_0"].values()
        best = np.argmin(values) if name == "LogLoss" else np.argmax(values)
        assert model.best_iteration == best + 1
        assert len(values) == best + 6


def test_cross_validation_has_the_groups_of_each_fold() -> None:
    lightgbm = peer("lightgbm", "lightgbm")

    found = lightgbm.cv(
        {**QUIET, "objective": "lambdarank", "metric": "None"},
        ranking()[0],
        3,
        nfold=4,
        stratified=False,
        feval=rm.hooks.lightgbm("nDCG@5"),
    )
    assert len(found["valid nDCG@5-rankmark-mean"]) == 3


def test_models_hand_over_groups_and_weights() -> None:
    lightgbm = peer("lightgbm", "lightgbm")

    model = lightgbm.LGBMRanker(n_estimators=3, **QUIET)
    model.fit(
        TRAINING.features,
        TRAINING.grades,
        group=TRAINING.sizes,
        eval_set=[(VALIDATION.features, VALIDATION.grades)],
        eval_group=[VALIDATION.sizes],
        eval_metric=rm.hooks.lightgbm("nDCG@10, AP"),
    )
    scores = model.predict(VALIDATION.features)
    values = model.evals_result_["valid_0"]
    assert [values["nDCG@10-rankmark"][-1], values["AP-rankmark"][-1]] == pytest.approx(
        VALIDATION.evaluated("nDCG@10, AP", scores), abs=1e-9
    )
    classifier = lightgbm.LGBMClassifier(n_estimators=3, **QUIET)
    classifier.fit(
        TRAINING.features,
        TRAINING.grades,
        eval_set=[(VALIDATION.features, VALIDATION.grades)],
        eval_metric=rm.hooks.lightgbm("Accuracy, AUC"),
    )
    table = {"label": VALIDATION.grades, "score": classifier.predict_proba(VALIDATION.features)}
    expected = rm.evaluate_predictions(table, "Accuracy, AUC", classes=[0, 1, 2, 3])
    values = classifier.evals_result_["valid_0"]
    assert [values["Accuracy-rankmark"][-1], values["AUC-rankmark"][-1]] == pytest.approx(
        [*expected.values.values()]
    )


def test_metrics_of_lightgbm_stand_beside() -> None:
    parameters = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10]}
    metric = rm.hooks.lightgbm("ndcg@10", like="lightgbm")
    _, history = trained(metric, parameters, *ranking())
    assert {name: len(values) for name, values in history["validation"].items()} == {
        "ndcg@10": 5,
        "ndcg@10-rankmark": 5,
    }


def test_what_is_better_at_neither_end_is_refused() -> None:
    with pytest.raises(rm.MeasureError, match="PCOPC: neither more nor less of it is better, and LightGBM"):
        rm.hooks.lightgbm("PCOPC")
