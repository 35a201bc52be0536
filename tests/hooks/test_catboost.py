from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from hooks.boosted import TRAINING, VALIDATION, Rows
from installed import beside, peer

tool_version = beside("catboost")
QUIET = {"verbose": False, "allow_writing_files": False, "thread_count": 1, "depth": 3, "metric_period": 1}


def pool(rows: Rows, labels: Any, **said: Any) -> Any:
    catboost = peer("catboost", "catboost")

    return catboost.Pool(rows.features, labels, **said)


def ranking(metric: Any, iterations: int = 4, **said: Any) -> Any:
    catboost = peer("catboost", "catboost")

    model = catboost.CatBoostRanker(
        loss_function="YetiRank", iterations=iterations, eval_metric=metric, **QUIET, **said
    )
    training, validation = (pool(rows, rows.grades, group_id=rows.groups) for rows in (TRAINING, VALIDATION))
    model.fit(training, eval_set=validation)
    return model


GROUPS = [TRAINING.groups, VALIDATION.groups]


def test_training_records_the_measure_of_each_round() -> None:
    model = ranking(rm.hooks.catboost("nDCG@10", group_id=GROUPS))
    history = model.get_evals_result()
    for name, rows in (("learn", TRAINING), ("validation", VALIDATION)):
        for round_ in range(4):
            scores = model.predict(rows.features, ntree_end=round_ + 1)
            expected = rows.evaluated("nDCG@10", scores)
            assert history[name]["nDCG@10-rankmark"][round_ : round_ + 1] == pytest.approx(expected, abs=1e-9)


def test_metrics_of_catboost_stand_beside() -> None:
    catboost = peer("catboost", "catboost")

    metric = rm.hooks.catboost("AUC")
    model = catboost.CatBoostClassifier(iterations=4, eval_metric=metric, custom_metric=["AUC"], **QUIET)
    model.fit(pool(TRAINING, TRAINING.clicks), eval_set=pool(VALIDATION, VALIDATION.clicks))
    history = model.get_evals_result()["validation"]
    assert {name: len(values) for name, values in history.items()} == {
        "Logloss": 4,
        "AUC": 4,
        "AUC-rankmark": 4,
    }


def test_the_best_round_is_kept() -> None:
    model = ranking(rm.hooks.catboost("nDCG@5", group_id=GROUPS), 60, learning_rate=0.8, od_wait=10)
    values = model.get_evals_result()["validation"]["nDCG@5-rankmark"]
    assert model.get_best_iteration() == np.argmax(values)
    assert len(values) < 60


def test_logits_are_made_probabilities() -> None:
    catboost = peer("catboost", "catboost")

    model = catboost.CatBoostClassifier(
        iterations=4, eval_metric=rm.hooks.catboost("LogLoss"), use_best_model=False, **QUIET
    )
    training, validation = (pool(r, r.clicks, weight=r.weights) for r in (TRAINING, VALIDATION))
    model.fit(training, eval_set=validation)
    table = {
        "label": VALIDATION.clicks,
        "score": model.predict_proba(VALIDATION.features)[:, 1],
        "weight": VALIDATION.weights,
    }
    history = model.get_evals_result()["validation"]
    assert history["LogLoss-rankmark"][-1] == pytest.approx(
        rm.evaluate_predictions(table, "LogLoss")["LogLoss"]
    )
    assert rm.hooks.catboost("LogLoss").is_max_optimal() is False
    several = catboost.CatBoostClassifier(
        iterations=4, eval_metric=rm.hooks.catboost("MulticlassAccuracy"), use_best_model=False, **QUIET
    )
    several.fit(pool(TRAINING, TRAINING.grades), eval_set=pool(VALIDATION, VALIDATION.grades))
    share = np.mean(several.predict(VALIDATION.features)[:, 0] == VALIDATION.grades)
    assert several.get_evals_result()["validation"]["MulticlassAccuracy-rankmark"][-1] == pytest.approx(share)


def test_data_sets_are_told_apart_by_their_rows_or_labels() -> None:
    groups, labels = [[1, 1, 2, 2], [1, 1, 1, 2]], [[1, 0, 0, 1], [0, 1, 0, 1]]
    with pytest.raises(rm.UsageError, match=r"two data sets have 4 rows .* say labels="):
        rm.hooks.catboost("AP", group_id=groups)
    metric = rm.hooks.catboost("AP", group_id=groups, labels=labels)
    scores = [0.4, 0.3, 0.2, 0.1]
    for each, own in zip(groups, labels, strict=True):
        table = {"label": own, "score": scores, "query": each}
        expected = rm.evaluate_predictions(table, "AP")["AP"]
        assert metric.evaluate([scores], np.array(own, dtype=np.float32), None) == (expected, 1.0)
    with pytest.raises(rm.DataError, match="a data set of 2 rows, and group_id is of 4, 4"):
        metric.evaluate([[0.1, 0.2]], [1, 0], None)
    with pytest.raises(rm.DataError, match="GAUC is a value of each group"):
        rm.hooks.catboost("GAUC").evaluate([[0.1, 0.2]], [1, 0], None)


@pytest.mark.parametrize(("measures", "said"), [("AP, RR", "takes one measure"), ("PCOPC", "neither more")])
def test_what_catboost_cannot_take_is_refused(measures: str, said: str) -> None:
    with pytest.raises(rm.UsageError, match=said):
        rm.hooks.catboost(measures)


def test_metrics_can_be_copied_and_sent() -> None:
    metric = rm.hooks.catboost("nDCG@10", group_id=GROUPS)
    for again in (deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert type(again).__name__ == "nDCG@10-rankmark"
        arguments = [VALIDATION.features[:, 0]], VALIDATION.grades, None
        assert again.evaluate(*arguments) == metric.evaluate(*arguments)
