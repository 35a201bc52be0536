from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from hooks.boosted import TRAINING, Rows, rows
from installed import beside, peer

tool_version = beside("sklearn", "scikit-learn")
ROWS = rows(7, 60)
X, Y, CLICKS, GROUPS = ROWS.features, ROWS.grades, ROWS.clicks, ROWS.groups


@pytest.fixture
def routing() -> Iterator[None]:
    """With metadata routing."""
    with peer("sklearn", "scikit-learn").config_context(enable_metadata_routing=True):
        yield


def sklearn(module: str) -> Any:
    return peer(f"sklearn.{module}", "scikit-learn")


def classifier(data: Rows = TRAINING, labels: Any = None) -> Any:
    model = sklearn("linear_model").LogisticRegression()
    return model.fit(data.features, data.clicks if labels is None else labels)


def regressor() -> Any:
    return sklearn("linear_model").LinearRegression().fit(TRAINING.features, TRAINING.grades)


@pytest.mark.usefixtures("routing")
def test_cross_validation_hands_over_the_groups_of_each_fold() -> None:
    selection = sklearn("model_selection")
    shuffled = np.random.default_rng(1).permutation(len(Y))  # groups need not stand together
    x, y, groups = X[shuffled], Y[shuffled], GROUPS[shuffled]
    found = selection.cross_validate(
        sklearn("linear_model").LinearRegression(),
        x,
        y,
        scoring=rm.hooks.scorer("nDCG@10"),
        cv=selection.GroupKFold(3),
        params={"groups": groups},
        error_score="raise",
    )
    for score, (fitted, held) in zip(
        found["test_score"], selection.GroupKFold(3).split(x, y, groups), strict=True
    ):
        model = sklearn("linear_model").LinearRegression().fit(x[fitted], y[fitted])
        table = {"label": y[held], "score": model.predict(x[held]), "query": groups[held]}
        assert score == pytest.approx(rm.evaluate_predictions(table, "nDCG@10")["nDCG@10"])


@pytest.mark.usefixtures("routing")
def test_several_measures_are_a_dict_in_which_more_is_better() -> None:
    model, scorer = classifier(), rm.hooks.scorer("nDCG@5, GAUC, AUC, LogLoss, MSE")
    scores = scorer(model, X, CLICKS, groups=GROUPS)
    probability = model.predict_proba(X)[:, 1]
    by_score = ROWS.evaluated("nDCG@5, GAUC, AUC", model.decision_function(X), CLICKS)
    (loss,) = ROWS.evaluated("LogLoss", probability, CLICKS)
    (error,) = ROWS.evaluated("MSE", model.predict(X), CLICKS)
    expected = dict(zip(("nDCG@5", "GAUC", "AUC"), by_score, strict=True))
    assert scores == pytest.approx(expected | {"neg_LogLoss": -loss, "neg_MSE": -error})
    assert repr(scorer) == "rankmark.hooks.scorer(nDCG@5, GAUC, AUC, neg_LogLoss, neg_MSE)"
    (alone,) = ROWS.evaluated("LogLoss", probability, CLICKS)
    assert rm.hooks.scorer("LogLoss")(model, X, CLICKS) == -alone


def test_measures_of_rows_need_neither_groups_nor_routing() -> None:
    selection = sklearn("model_selection")
    found = selection.cross_validate(
        sklearn("linear_model").LogisticRegression(), X, CLICKS, scoring=rm.hooks.scorer("AUC, LogLoss"), cv=3
    )
    theirs = selection.cross_validate(
        sklearn("linear_model").LogisticRegression(), X, CLICKS, scoring=["roc_auc", "neg_log_loss"], cv=3
    )
    assert found["test_AUC"] == pytest.approx(theirs["test_roc_auc"])
    assert found["test_neg_LogLoss"] == pytest.approx(theirs["test_neg_log_loss"])


def test_words_and_several_classes_are_understood() -> None:
    words = np.where(CLICKS, "yes", "no")
    model = classifier(ROWS, words)
    assert (
        rm.hooks.scorer("AUC")(model, X, words)
        == ROWS.evaluated("AUC", model.decision_function(X), CLICKS)[0]
    )
    names = np.array(["bad", "fair", "good", "best"])[Y]
    several = classifier(ROWS, names)
    scores = rm.hooks.scorer("Accuracy, LogLoss")(several, X, names)
    log_loss = sklearn("metrics").log_loss(names, several.predict_proba(X))
    assert scores == pytest.approx({"Accuracy": several.score(X, names), "neg_LogLoss": -log_loss})
    hard = sklearn("svm").LinearSVC().fit(X, names)
    assert rm.hooks.scorer("Accuracy")(hard, X, names) == pytest.approx(hard.score(X, names))
    with pytest.raises(rm.DataError, match="7 labels are others, such as worst"):
        rm.hooks.scorer("Accuracy")(several, X[:7], ["worst"] * 7)


@pytest.mark.usefixtures("routing")
def test_models_of_several_classes_have_no_lists() -> None:
    with pytest.raises(rm.MeasureError, match=r"nDCG@5 takes one score in a row, .* take a regressor"):
        rm.hooks.scorer("nDCG@5")(classifier(TRAINING, TRAINING.grades), X, Y, groups=GROUPS)


@pytest.mark.usefixtures("routing")
def test_weights_are_asked_for() -> None:
    model, scorer = regressor(), rm.hooks.scorer("MSE, nDCG@5")
    scorer.set_score_request(sample_weight=True)
    routed = sklearn("utils.metadata_routing").get_routing_for_object(scorer)
    assert routed.score.requests == {"sample_weight": True, "groups": True}
    scores = scorer(model, X, Y, groups=GROUPS, sample_weight=ROWS.weights)
    expected = np.average((model.predict(X) - Y) ** 2, weights=ROWS.weights)
    assert scores["neg_MSE"] == pytest.approx(-expected)
    with pytest.raises(rm.UsageError, match="no 'weights'"):
        scorer.set_score_request(weights=True)


@pytest.mark.usefixtures("routing")
@pytest.mark.process
def test_searches_choose_by_it_in_two_processes() -> None:
    selection = sklearn("model_selection")
    search = selection.GridSearchCV(
        sklearn("linear_model").Ridge(),
        {"alpha": [0.1, 1e6]},
        scoring=rm.hooks.scorer("RR, nDCG@3"),
        refit="nDCG@3",
        cv=selection.GroupKFold(3),
        n_jobs=2,
        error_score="raise",
    )
    search.fit(X, Y, groups=GROUPS)
    assert {"mean_test_nDCG@3", "mean_test_RR"} <= search.cv_results_.keys()
    assert search.best_score_ == search.cv_results_["mean_test_nDCG@3"].max()
    again = sklearn("base").clone(search)
    scorer = pickle.loads(pickle.dumps(again.scoring))
    assert scorer(search, X, Y, groups=GROUPS) == search.scoring(search, X, Y, groups=GROUPS)


def test_without_routing_it_is_said_how_to_enable_it() -> None:
    with pytest.raises(
        rm.UsageError, match=r"sklearn\.set_config\(enable_metadata_routing=True\) before this"
    ):
        rm.hooks.scorer("nDCG@10")
    with pytest.raises(
        rm.MeasureError, match="PCOPC: neither more nor less of it is better, and scikit-learn"
    ):
        rm.hooks.scorer("PCOPC")


@pytest.mark.usefixtures("routing")
def test_without_groups_it_is_said_how_to_give_them() -> None:
    with pytest.raises(rm.DataError, match=r"the scorer was given none: say params=\{'groups': groups\}"):
        rm.hooks.scorer("nDCG@10")(regressor(), X, Y)


@pytest.mark.usefixtures("routing")
def test_groups_and_weights_are_one_a_row() -> None:
    model, given = rm.hooks.scorer("nDCG@10"), {"groups": GROUPS, "sample_weight": np.ones(len(Y))}
    for name, said in (("groups", "groups"), ("sample_weight", "weights")):
        with pytest.raises(rm.DataError, match=f"there are {len(Y) - 1} {said} and {len(Y)} labels"):
            model(regressor(), X, Y, **{**given, name: given[name][1:]})


def test_labels_of_two_classes_have_to_be_known_to_the_model() -> None:
    model = sklearn("linear_model").LogisticRegression().fit(X, Y > 1)
    with pytest.raises(rm.DataError, match=r"fitted on the classes False, True, and .* labels are others"):
        rm.hooks.scorer("AUC")(model, X, np.where(Y > 1, 7, 0))
