from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankmark as rm
from hooks.boosted import TRAINING, VALIDATION, Rows
from installed import beside, peer

tool_version = beside("xgboost", "xgboost", "xgboost-cpu")
QUIET = {"nthread": 1, "max_depth": 3, "disable_default_eval_metric": True}


def matrix(rows: Rows, labels: Any = None, **said: Any) -> Any:
    xgboost = peer("xgboost", "xgboost")

    return xgboost.DMatrix(rows.features, rows.grades if labels is None else labels, **said)


def trained(
    metric: Any, parameters: dict[str, Any], rounds: int = 4, *, labels: str = "", **said: Any
) -> Any:
    xgboost = peer("xgboost", "xgboost")

    ranking = parameters["objective"].startswith("rank") and labels != "clicks"
    matrices = [
        matrix(rows, qid=rows.groups) if ranking else matrix(rows, rows.clicks, qid=rows.groups)
        for rows in (TRAINING, VALIDATION)
    ]
    history: dict[str, Any] = {}
    model = xgboost.train(
        {**QUIET, **parameters},
        matrices[0],
        rounds,
        evals=[(matrices[0], "training"), (matrices[1], "validation")],
        custom_metric=metric,
        evals_result=history,
        verbose_eval=False,
        **said,
    )
    return model, history["validation"]


def test_training_records_the_measures_of_each_round() -> None:
    metric = rm.hooks.xgboost("nDCG@10, AP, MSE")
    model, history = trained(metric, {"objective": "rank:ndcg"})
    assert list(history) == metric.names == ["ndcg@10-rankmark", "prefer-more-AP-rankmark", "MSE-rankmark"]
    for round_ in range(4):
        scores = model.predict(matrix(VALIDATION), iteration_range=(0, round_ + 1))
        expected = VALIDATION.evaluated("nDCG@10, AP, MSE", scores)
        # XGBoost prints what it records with so many digits.
        assert [each[round_] for each in history.values()] == pytest.approx(expected, abs=1e-5)


def test_rows_of_two_classes_are_probabilities() -> None:
    model, history = trained(rm.hooks.xgboost("GAUC, LogLoss"), {"objective": "binary:logistic"})
    expected = VALIDATION.evaluated("GAUC, LogLoss", model.predict(matrix(VALIDATION)), VALIDATION.clicks)
    assert [each[-1] for each in history.values()] == pytest.approx(expected, abs=1e-5)


def test_an_objective_of_ones_own_gives_logits() -> None:
    def objective(scores: Any, rows: Any) -> Any:
        probability = 1 / (1 + np.exp(-scores))
        return probability - rows.get_label(), probability * (1 - probability)

    metric = rm.hooks.xgboost("LogLoss", logits=True)
    model, history = trained(metric, {"objective": "binary:logistic"}, obj=objective)
    probability = 1 / (1 + np.exp(-model.predict(matrix(VALIDATION), output_margin=True)))
    expected = VALIDATION.evaluated("LogLoss", probability, VALIDATION.clicks)
    assert history["LogLoss-rankmark"][-1:] == pytest.approx(expected, abs=1e-5)


def test_early_stopping_is_told_what_is_better() -> None:
    ndcg, ours = rm.hooks.xgboost("nDCG@5"), rm.hooks.xgboost("RR")
    ranking = {"objective": "rank:ndcg", "learning_rate": 0.7}
    for metric, said in (
        (ndcg, {"early_stopping_rounds": 5}),
        (ours, {"early_stopping_rounds": 5, "maximize": ours.maximize}),
        (ours, {"callbacks": [ours.early_stopping(5)]}),
    ):
        model, history = trained(metric, ranking, 200, **said)
        assert model.best_iteration == np.argmax(history[metric.names[0]])
    loss = rm.hooks.xgboost("LogLoss")
    logistic = {"objective": "binary:logistic", "learning_rate": 0.7}
    model, history = trained(loss, logistic, 200, callbacks=[loss.early_stopping(5)])
    assert model.best_iteration == np.argmin(history["LogLoss-rankmark"])
    assert (ndcg.maximize, ours.maximize, loss.maximize) == (True, True, False)
    with pytest.raises(rm.MeasureError, match="neither more nor less"):
        rm.hooks.xgboost("PCOPC").early_stopping(5)


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("GAUC", {}),
        ("AveragePrecision", {}),
        ("R@3", {}),
        ("ndcg@3", {"like": "xgboost"}),
        ("LogLoss", {}),
        ("logloss", {"like": "xgboost"}),
    ],
)
def test_early_stopping_by_name_alone_knows_what_is_better(measure: str, said: dict[str, Any]) -> None:
    metric = rm.hooks.xgboost(measure, **said)
    parameters = {"objective": "binary:logistic", "learning_rate": 0.7}
    model, history = trained(metric, parameters, 200, early_stopping_rounds=5)
    (values,) = history.values()
    assert model.best_iteration == (np.argmax if metric.maximize else np.argmin)(values)


def test_less_is_better_of_what_begins_as_if_more_were() -> None:
    assert rm.hooks.xgboost("mape", like="xgboost").names == ["MAPE-rankmark"]


def test_metrics_of_xgboost_stand_beside() -> None:
    parameters = {
        "objective": "rank:ndcg",
        "disable_default_eval_metric": False,
        "eval_metric": ["ndcg@10", "auc"],
    }
    _, history = trained(rm.hooks.xgboost("nDCG@10, AUC"), parameters, labels="clicks")
    assert {name: len(values) for name, values in history.items()} == {
        "ndcg@10": 4,
        "auc": 4,
        "ndcg@10-rankmark": 4,
        "auc-rankmark": 4,
    }


def test_weights_are_of_rows_or_of_groups() -> None:
    xgboost = peer("xgboost", "xgboost")

    of_groups = np.linspace(1, 2, len(VALIDATION.sizes))
    weighted = matrix(VALIDATION, qid=VALIDATION.groups, weight=of_groups)
    model = xgboost.train({**QUIET, "objective": "rank:ndcg"}, matrix(TRAINING, qid=TRAINING.groups), 2)
    scores = model.predict(weighted)
    (_, value), (_, mse) = rm.hooks.xgboost("nDCG@5, MSE")(scores, weighted)
    table = {"label": VALIDATION.grades, "score": scores, "query": VALIDATION.groups}
    each = rm.evaluate_predictions(table, "nDCG@5").per_query["nDCG@5"].to_numpy()
    assert value == pytest.approx(np.average(each, weights=of_groups))
    error = (scores - VALIDATION.grades) ** 2
    assert mse == pytest.approx(np.average(error, weights=np.repeat(of_groups, VALIDATION.sizes)))


def test_models_hand_over_what_they_have() -> None:
    xgboost = peer("xgboost", "xgboost")

    classifier = xgboost.XGBClassifier(n_estimators=3, n_jobs=1, eval_metric=rm.hooks.xgboost("AUC"))
    classifier.fit(
        TRAINING.features,
        TRAINING.clicks,
        eval_set=[(VALIDATION.features, VALIDATION.clicks)],
        sample_weight_eval_set=[VALIDATION.weights],
        verbose=False,
    )
    table = {
        "label": VALIDATION.clicks,
        "score": classifier.predict_proba(VALIDATION.features)[:, 1],
        "weight": VALIDATION.weights,
    }
    values = classifier.evals_result()["validation_0"]["auc-rankmark"]
    assert values[-1] == pytest.approx(rm.evaluate_predictions(table, "AUC")["AUC"], abs=1e-5)

    ranker = xgboost.XGBRanker(n_estimators=3, n_jobs=1, eval_metric=rm.hooks.xgboost("nDCG@5"))
    ranker.fit(
        TRAINING.features,
        TRAINING.grades,
        qid=TRAINING.groups,
        eval_set=[(VALIDATION.features, VALIDATION.grades)],
        eval_qid=[VALIDATION.groups],
        verbose=False,
    )
    scores = ranker.predict(VALIDATION.features)
    table = {"label": VALIDATION.grades, "score": scores, "query": VALIDATION.groups}
    each = rm.evaluate_predictions(table, "nDCG@5").per_query["nDCG@5"].to_numpy()
    by_rows = np.average(each, weights=VALIDATION.sizes)  # which is how it takes the mean over groups
    assert ranker.evals_result()["validation_0"]["ndcg@5-rankmark"][-1] == pytest.approx(by_rows, abs=1e-5)


def test_models_take_one_measure_of_what_they_hand_over() -> None:
    with pytest.raises(rm.UsageError, match="models take one measure, and here are 2"):
        rm.hooks.xgboost("AUC, LogLoss")([1, 0], [0.5, 0.4])
    with pytest.raises(rm.DataError, match="GAUC is a value of each group"):
        rm.hooks.xgboost("GAUC")([1, 0], [0.5, 0.4])


def test_names_hold_nothing_that_xgboost_separates_by() -> None:
    metric = rm.hooks.xgboost("nDCG(gain={1:3, 2:9})@5")
    assert metric.names == ["ndcg(gain={1=3,2=9})@5-rankmark"]
    trained(rm.hooks.xgboost("nDCG(gain={1:3,2:9,3:10})@5"), {"objective": "rank:ndcg"})


def test_predicted_classes_have_no_scores_of_classes() -> None:
    rows = matrix(VALIDATION)
    with pytest.raises(rm.DataError, match="take the objective multi:softprob"):
        rm.hooks.xgboost("Accuracy")(VALIDATION.grades.astype(float), rows)
