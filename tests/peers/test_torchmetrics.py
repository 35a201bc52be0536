"""Measures of predictions beside torchmetrics, which adds up in 32 bits."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from installed import peer

NEAR = 2e-6
CLASSES = 4


def computed(module: str, name: str, scores: Any, labels: Any, **given: Any) -> float:
    """The metric of that name, with what its constructor is given."""
    metrics = peer(f"torchmetrics.{module}", "torchmetrics")
    torch = peer("torch", "torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on its memory
        metric = getattr(metrics, name)(**given)
        return float(metric(torch.tensor(np.asarray(scores)), torch.tensor(np.asarray(labels))))


def written(name: str, given: dict[str, Any]) -> str:
    """The name as the convention writes it."""
    shown = ",".join(f"{key}={value}" for key, value in given.items())
    return f"{name}({shown})" if shown else name


def clicks(*, coarse: bool) -> dict[str, Any]:
    """Labels and probabilities; coarse ones have ties, and some are exactly 1/2."""
    rng = np.random.default_rng(0)
    label = (rng.random(500) < 0.3).astype(int)
    score = np.clip(label * 0.2 + rng.random(500) * 0.8, 0, 1)
    return {"label": label, "score": np.round(score * 16) / 16 if coarse else score}


@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("BinaryAUROC", {}),
        ("BinaryAUROC", {"max_fpr": 0.3}),
        ("BinaryAveragePrecision", {}),
        ("BinaryAccuracy", {}),
        ("BinaryAccuracy", {"threshold": 0.25}),
        ("BinaryPrecision", {}),
        ("BinaryPrecision", {"threshold": 0.625}),
        ("BinaryRecall", {}),
        ("BinarySpecificity", {}),
        ("BinaryF1Score", {}),
        ("BinaryF1Score", {"threshold": 0.25}),
        ("BinaryFBetaScore", {"beta": 2.0}),
        ("BinaryCohenKappa", {}),
        ("BinaryMatthewsCorrCoef", {}),
    ],
)
def test_binary(name: str, given: dict[str, Any], coarse: bool) -> None:
    table = clicks(coarse=coarse)
    expected = computed("classification", name, table["score"], table["label"], **given)
    asked = written(name, given)
    assert rm.evaluate_predictions(table, asked, like="torchmetrics")[asked] == pytest.approx(
        expected, rel=NEAR
    )


@pytest.mark.parametrize("given", [{}, {"norm": "l2"}, {"norm": "max"}])
def test_calibration_where_no_score_is_at_the_border_of_a_bin(given: dict[str, Any]) -> None:
    table = clicks(coarse=False)
    expected = computed("classification", "BinaryCalibrationError", table["score"], table["label"], **given)
    asked = written("BinaryCalibrationError", given)
    found = rm.evaluate_predictions(table, asked, like="torchmetrics")
    assert found[asked] == pytest.approx(expected, rel=NEAR)


@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("MeanSquaredError", {}),
        ("MeanSquaredError", {"squared": False}),
        ("MeanAbsoluteError", {}),
        ("MeanAbsolutePercentageError", {}),
        ("SymmetricMeanAbsolutePercentageError", {}),
        ("R2Score", {}),
        ("ExplainedVariance", {}),
        ("PearsonCorrCoef", {}),
        ("SpearmanCorrCoef", {}),
        ("KendallRankCorrCoef", {}),
    ],
)
def test_numbers(name: str, given: dict[str, Any], coarse: bool) -> None:
    rng = np.random.default_rng(1)
    label = np.abs(rng.normal(3, 1, 400)) + 1
    score = label * 0.5 + rng.normal(1, 0.7, 400)
    if coarse:
        label, score = np.round(label), np.round(score)
    expected = computed("regression", name, score, label, **given)
    asked = written(name, given)
    found = rm.evaluate_predictions({"label": label, "score": score}, asked, like="torchmetrics")
    assert found[asked] == pytest.approx(expected, rel=NEAR)


def pets(*, coarse: bool) -> tuple[np.ndarray, np.ndarray]:
    """Classes and probabilities of each, coarse ones with ties."""
    rng = np.random.default_rng(2)
    label = rng.integers(0, CLASSES, 500)
    score = rng.dirichlet(np.ones(CLASSES), 500)
    score[np.arange(500), label] += 0.2
    score /= score.sum(axis=1, keepdims=True)
    return label, np.round(score, 1) if coarse else score


OF_CLASSES: list[tuple[str, dict[str, Any]]] = [
    (name, given)
    for name in ("MulticlassAccuracy", "MulticlassPrecision", "MulticlassRecall", "MulticlassF1Score")
    for given in ({}, {"average": "micro"}, {"average": "weighted"})
]
OF_CLASSES += [
    ("MulticlassFBetaScore", {"beta": 2.0}),
    ("MulticlassFBetaScore", {"beta": 0.5, "average": "weighted"}),
    ("MulticlassCohenKappa", {}),
    ("MulticlassCohenKappa", {"weights": "linear"}),
    ("MulticlassCohenKappa", {"weights": "quadratic"}),
    ("MulticlassMatthewsCorrCoef", {}),
]
OF_SCORES: list[tuple[str, dict[str, Any]]] = [
    ("MulticlassAUROC", {}),
    ("MulticlassAUROC", {"average": "weighted"}),
]


@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize(("name", "given"), [*OF_CLASSES, *OF_SCORES])
def test_classes(name: str, given: dict[str, Any], coarse: bool) -> None:
    label, score = pets(coarse=coarse)
    expected = computed("classification", name, score, label, num_classes=CLASSES, **given)
    asked = written(name, given)
    table = {"label": label, "score": score.tolist()}
    assert rm.evaluate_predictions(table, asked, like="torchmetrics")[asked] == pytest.approx(
        expected, rel=NEAR
    )


def test_the_best_classes() -> None:
    label, score = pets(coarse=False)
    given = {"average": "micro", "top_k": 2}
    expected = computed("classification", "MulticlassAccuracy", score, label, num_classes=CLASSES, **given)
    asked = written("MulticlassAccuracy", given)
    found = rm.evaluate_predictions({"label": label, "score": score.tolist()}, asked, like="torchmetrics")
    assert found[asked] == pytest.approx(expected, rel=NEAR)


@pytest.mark.parametrize(("name", "given"), OF_CLASSES)
def test_predicted_classes_of_which_one_is_no_label_and_one_is_nowhere(
    name: str, given: dict[str, Any]
) -> None:
    rng = np.random.default_rng(3)
    label, guess = rng.integers(0, 3, 200), rng.integers(0, 4, 200)
    expected = computed("classification", name, guess, label, num_classes=5, **given)
    asked = written(name, given)
    found = rm.evaluate_predictions(
        {"label": label, "guess": guess},
        asked,
        like="torchmetrics",
        predicted="guess",
        classes=list(range(5)),
    )
    # Of values near 0 it has few digits.
    assert found[asked] == pytest.approx(expected, rel=NEAR, abs=1e-7)


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("MulticlassPrecision", "Precision"),
        ("MulticlassRecall", "Recall"),
        ("MulticlassF1Score", "F1"),
        ("MulticlassAUROC", "AUC"),
    ],
)
def test_the_value_of_each_class(name: str, measure: str) -> None:
    metrics = peer("torchmetrics.classification", "torchmetrics")
    torch = peer("torch", "torch")
    label, score = pets(coarse=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on its memory
        theirs = getattr(metrics, name)(CLASSES, average=None)(torch.tensor(score), torch.tensor(label))
    found = rm.evaluate_predictions({"label": label, "score": score.tolist()}, measure)
    assert found.class_values(measure).tolist() == pytest.approx(theirs.tolist(), rel=NEAR)


# --- Lists ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lists() -> dict[str, np.ndarray]:
    """Rows of 80 queries of 1 to 12 items, some without a relevant one, with scores above 0 and no ties."""
    rng = np.random.default_rng(4)
    query = np.repeat(np.arange(80), rng.integers(1, 13, 80))
    score = (rng.permutation(len(query)) + 1) / (len(query) + 1)
    return {"query": query, "score": score, "relevance": rng.integers(0, 4, len(query))}


CUT = ["MAP", "MRR", "Precision", "Recall", "HitRate", "NormalizedDCG", "FallOut"]
OF_LISTS: list[tuple[str, dict[str, Any]]] = [
    *((f"Retrieval{name}", {"top_k": k} if k else {}) for name in CUT for k in (None, 1, 3, 20)),
    *(("RetrievalPrecision", {"adaptive_k": True, "top_k": k}) for k in (1, 3, 20)),
    ("RetrievalRPrecision", {}),
]


@pytest.mark.parametrize(("name", "given"), OF_LISTS)
def test_lists(lists: dict[str, np.ndarray], name: str, given: dict[str, Any]) -> None:
    metrics = peer("torchmetrics.retrieval", "torchmetrics")
    torch = peer("torch", "torch")
    graded = name == "RetrievalNormalizedDCG"
    grades = lists["relevance"] if graded else (lists["relevance"] > 2).astype(int)
    theirs = getattr(metrics, name)(**given)(
        *(torch.tensor(each) for each in (lists["score"], grades, lists["query"]))
    )
    items = np.arange(len(grades))
    qrels = {"query": lists["query"], "item": items, "relevance": grades}
    run = {"query": lists["query"], "item": items, "score": lists["score"]}
    others = {key: value for key, value in given.items() if key != "top_k"}
    asked = written(name, others) + (f"@{given['top_k']}" if "top_k" in given else "")
    found = rm.evaluate(pl.DataFrame(qrels), pl.DataFrame(run), asked, like="torchmetrics")
    assert found[asked] == pytest.approx(float(theirs), rel=NEAR)
