"""Measures of classes: values of each, classes that are predicted without scores, intervals and slices."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import rankmark as rm
from rankmark.cli import main
from rankmark.errors import ColumnError, DataError, MeasureError, NotEvaluatedError, UsageError

Table = dict[str, Any]
Run = Callable[..., tuple[int, str, str]]

# cat: predicted 3 times, 2 of them right; dog: 2 of 3 found; eel is no label, bird is never predicted.
PETS: Table = {
    "label": ["cat", "dog", "dog", "bird", "cat", "dog"],
    "guess": ["cat", "cat", "dog", "eel", "cat", "dog"],
    "weight": [1.0, 2.0, 1.0, 1.0, 1.0, 3.0],
    "site": ["x", "x", "y", "y", "y", None],
}


def drawn(rows: int, classes: int, seed: int = 5) -> Table:
    """Random labels, scores that know something of them, without ties, and weights."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, classes, rows)
    score = rng.dirichlet(np.ones(classes), rows)
    score[np.arange(rows), label] += 0.3
    score /= score.sum(axis=1, keepdims=True)
    return {"label": label, "score": score.tolist(), "weight": rng.exponential(size=rows)}


# --- Values of each class ------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_values_of_each_class_are_those_of_scikit_learn(weighted: bool) -> None:
    table = drawn(400, 4)
    y, scores, w = table["label"], np.array(table["score"]), table["weight"] if weighted else None
    guess = scores.argmax(axis=1)
    options: Any = {} if weighted else {"weight": ""}
    result = rm.evaluate_predictions(table, "Precision Recall F1 AUC", **options)
    precision, recall, f1, support = metrics.precision_recall_fscore_support(y, guess, sample_weight=w)
    assert result.class_values("Precision") == pytest.approx(precision, rel=1e-12)
    assert result.class_values("Recall") == pytest.approx(recall, rel=1e-12)
    assert result.class_values("F1") == pytest.approx(f1, rel=1e-12)
    auc = metrics.roc_auc_score(y, scores, multi_class="ovr", average=None, sample_weight=w)
    assert result.class_values("AUC") == pytest.approx(auc, rel=1e-12)
    frame = result.per_class
    assert frame["class"].to_list() == [0, 1, 2, 3]
    assert frame["rows"].to_list() == np.bincount(y).tolist()
    assert ("weight" in frame.columns) == weighted
    assert frame["weight" if weighted else "rows"].to_numpy() == pytest.approx(support)
    assert result["F1"] == pytest.approx(frame["F1"].mean(), rel=1e-15)
    confusion = metrics.confusion_matrix(y, guess, sample_weight=w)
    assert result.confusion.columns == ["label", "0", "1", "2", "3"]
    assert result.confusion.drop("label").to_numpy() == pytest.approx(confusion, rel=1e-12)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("zero", ["zero", "one", "skip"])
def test_the_average_does_not_change_the_values_of_the_classes(average: str, zero: str) -> None:
    measure = f"Precision(average={average},zero_division={zero})"
    result = rm.evaluate_predictions(PETS, measure, predicted="guess", weight="")
    assert result.class_values(measure).tolist() == pytest.approx([np.nan, 2 / 3, 1, 0], nan_ok=True)
    mean = {"zero": (0 + 2 / 3 + 1 + 0) / 4, "one": (1 + 2 / 3 + 1 + 0) / 4, "skip": (2 / 3 + 1 + 0) / 3}
    weighted = {"zero": (0 + 4 / 3 + 3) / 6, "one": (1 + 4 / 3 + 3) / 6, "skip": (4 / 3 + 3) / 5}
    expected = {"macro": mean[zero], "micro": 4 / 6, "weighted": weighted[zero]}
    assert result[measure] == pytest.approx(expected[average], rel=1e-15)


def test_a_class_without_a_value_says_why() -> None:
    names = ["bird", "cat", "dog", "eel", "fox"]
    result = rm.evaluate_predictions(PETS, "Precision Recall F1", predicted="guess", classes=names)
    assert result.undefined_classes == {
        "Precision": {
            "bird": "it is never predicted",
            "fox": "no row is of it and it is never predicted",
        },
        "Recall": {
            "eel": "no row is of it",
            "fox": "no row is of it and it is never predicted",
        },
        "F1": {"fox": "no row is of it and it is never predicted"},
    }
    assert result.per_class["Precision"].is_null().to_list() == [True, False, False, False, True]
    text = " ".join(result.format(per_class=True).split())
    assert "no Recall of eel: no row is of it" in text
    assert "no Precision, Recall, F1 of fox: no row is of it and" in text


def test_classes_have_an_auc_where_another_has_no_rows() -> None:
    table = {"label": ["a", "b", "a"], "score": [[0.6, 0.4, 0.0], [0.2, 0.7, 0.1], [0.1, 0.8, 0.1]]}
    result = rm.evaluate_predictions(table, "OvR_AUC OvO_AUC", classes=["a", "b", "c"])
    assert np.isnan(result["OvR_AUC"])
    assert result.undefined["OvR_AUC"] == "no row is of class c"
    # The scores of a: .6, .1 against .2; of b: .7 against .4, .8.
    assert result.class_values("OvR_AUC").tolist() == pytest.approx([0.5, 0.5, np.nan], nan_ok=True)
    assert result.undefined_classes == {"OvR_AUC": {"c": "no row is of it"}}
    with pytest.raises(NotEvaluatedError, match="is one value of all rows, with none for each class"):
        result.class_values("OvO_AUC")


def test_without_classes_there_is_nothing_by_class() -> None:
    result = rm.evaluate_predictions({"label": [1, 0], "score": [0.7, 0.4]}, "AUC")
    with pytest.raises(NotEvaluatedError, match="one score in a row here, and no classes"):
        _ = result.per_class
    with pytest.raises(NotEvaluatedError, match="one score in a row here, and no classes"):
        result.format(confusion=True)
    lists = rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP")
    with pytest.raises(NotEvaluatedError, match="lists here, and no classes"):
        lists.format(per_class=True)


def test_equal_scores_share_a_row_of_the_confusion_matrix_unless_the_first_has_it() -> None:
    table = {"label": ["a", "b"], "score": [[0.5, 0.5], [0.4, 0.6]]}
    shared = rm.evaluate_predictions(table, "F1")
    assert shared.confusion.rows() == [("a", 0.5, 0.5), ("b", 0.0, 1.0)]
    assert rm.evaluate_predictions(table, "F1(ties=first)").confusion.rows() == [
        ("a", 1.0, 0.0),
        ("b", 0.0, 1.0),
    ]


def test_there_is_no_confusion_matrix_unless_a_measure_predicts_classes() -> None:
    result = rm.evaluate_predictions(drawn(20, 3), "LogLoss AUC")
    with pytest.raises(NotEvaluatedError, match="no measure here looks at which classes are predicted"):
        _ = result.confusion
    assert result.per_class.columns == ["class", "rows", "weight", "AUC"]


def test_a_class_can_be_called_as_the_first_column() -> None:
    table = {"y": ["label", "b"], "guess": ["b", "b"]}
    result = rm.evaluate_predictions(table, "F1", label="y", predicted="guess")
    assert result.confusion.columns == ["label_", "b", "label"]


def test_results_with_classes_are_pickled_whole() -> None:
    result = rm.evaluate_predictions(PETS, "F1 Precision", predicted="guess")
    again = pickle.loads(pickle.dumps(result))
    assert again.per_class.equals(result.per_class)
    assert again.confusion.equals(result.confusion)
    assert again.undefined_classes == result.undefined_classes


# --- Classes that are predicted without scores ---------------------------------------------------------


def numbers_or_words(kind: str) -> list[Any]:
    return {"numbers": [3, 5, 8, 9], "words": ["a", "b", "c", "d"], "booleans": [False, True]}[kind]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["numbers", "words", "booleans"])
def test_predicted_classes_agree_with_scikit_learn(kind: str, weighted: bool) -> None:
    rng = np.random.default_rng(3)
    names = np.array(numbers_or_words(kind))
    y = rng.integers(0, len(names), 300)
    guess = np.where(rng.random(300) < 0.5, y, rng.integers(0, len(names), 300))
    w = rng.exponential(size=300) if weighted else None
    table: Table = {"label": names[y], "guess": names[guess]} | ({"weight": w} if weighted else {})
    said: Any = {"sample_weight": w}
    expected = {
        "MulticlassAccuracy": metrics.accuracy_score(y, guess, **said),
        "macro_F1": metrics.f1_score(y, guess, average="macro", **said),
        "weighted_F1": metrics.f1_score(y, guess, average="weighted", **said),
        "MulticlassPrecision": metrics.precision_score(y, guess, average="macro", **said),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, guess, **said),
        "MulticlassKappa": metrics.cohen_kappa_score(y, guess, **said),
        "MulticlassKappa(cost=linear)": metrics.cohen_kappa_score(y, guess, weights="linear", **said),
        "QWK": metrics.cohen_kappa_score(y, guess, weights="quadratic", **said),
        "MulticlassMCC": metrics.matthews_corrcoef(y, guess, **said),
    }
    result = rm.evaluate_predictions(table, list(expected), predicted="guess")
    for measure, number in expected.items():
        assert result[measure] == pytest.approx(number, rel=1e-12, abs=1e-12), measure
    assert result.counts.classes == tuple(names.tolist())
    assert result.counts.unlabelled == 0


def test_names_of_scikit_learn() -> None:
    table = drawn(300, 4)
    y, scores = table["label"], np.round(table["score"], 1)
    table["score"] = scores.tolist()
    table["weight"] = np.ones(300)
    guess = scores.argmax(axis=1)
    expected = {
        "accuracy_score": metrics.accuracy_score(y, guess),
        "balanced_accuracy_score": metrics.balanced_accuracy_score(y, guess),
        "f1_score(average=macro)": metrics.f1_score(y, guess, average="macro"),
        "fbeta_score(beta=0.5,average=weighted)": metrics.fbeta_score(y, guess, beta=0.5, average="weighted"),
        "precision_score(average=weighted)": metrics.precision_score(y, guess, average="weighted"),
        "recall_score(average=micro)": metrics.recall_score(y, guess, average="micro"),
        "cohen_kappa_score": metrics.cohen_kappa_score(y, guess),
        "cohen_kappa_score(weights=quadratic)": metrics.cohen_kappa_score(y, guess, weights="quadratic"),
        "matthews_corrcoef": metrics.matthews_corrcoef(y, guess),
    }
    assert rm.evaluate_predictions(table, list(expected), like="sklearn").values == pytest.approx(
        expected,
        rel=1e-12,
    )
    table |= drawn(300, 4)
    of_scores = {
        "roc_auc_score(multi_class=ovr)": {"multi_class": "ovr"},
        "roc_auc_score(multi_class=ovr,average=weighted)": {"multi_class": "ovr", "average": "weighted"},
        "roc_auc_score(multi_class=ovo)": {"multi_class": "ovo"},
    }
    result = rm.evaluate_predictions(table, [*of_scores, "log_loss"], like="sklearn", weight="")
    for name, said in of_scores.items():
        auc = metrics.roc_auc_score(y, table["score"], **said)
        assert result[name] == pytest.approx(auc, rel=1e-12), name
    assert result["log_loss"] == pytest.approx(metrics.log_loss(y, table["score"]), rel=1e-12)
    assert result.convention == "scikit-learn-1.9.1"
    assert "as in scikit-learn-1.9.1" in str(result)


def test_a_name_here_is_the_tools_variant_of_it() -> None:
    result = rm.evaluate_predictions(PETS, "F1", predicted="guess", like="sklearn")
    assert list(map(str, result)) == ["MulticlassF(ties=first)"]
    with pytest.raises(MeasureError, match=r"lightgbm has no MulticlassF; it has no measures of classes"):
        rm.evaluate_predictions(PETS, "F1", predicted="guess", like="lightgbm")


LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1)


@given(rows=LABELS)
def test_a_predicted_class_is_a_score_of_one(rows: list[tuple[int, int, int]]) -> None:
    label, guess, weight = map(list, zip(*rows, strict=True))
    weight[0] += 1
    names = [0, 1, 2, 3]
    measures = "Accuracy F1 Precision micro_F1 balanced_accuracy Kappa QWK MCC"
    certain = np.eye(4)[guess].tolist()
    table = {"label": label, "weight": weight}
    scored = rm.evaluate_predictions({**table, "score": certain}, measures, classes=names)
    hard = rm.evaluate_predictions({**table, "guess": guess}, measures, predicted="guess", classes=names)
    assert hard.values == pytest.approx(scored.values, nan_ok=True)
    assert hard.undefined == scored.undefined
    assert hard.confusion.equals(scored.confusion)


@given(rows=LABELS)
def test_a_weight_is_so_many_rows(rows: list[tuple[int, int, int]]) -> None:
    label, guess, weight = map(list, zip(*rows, strict=True))
    weight[0] += 1
    measures = "Accuracy F1 Kappa QWK MCC"
    weighted = rm.evaluate_predictions(
        {"label": label, "guess": guess, "weight": weight},
        measures,
        predicted="guess",
        classes=[0, 1, 2, 3],
    )
    repeated = {name: np.repeat(column, weight) for name, column in (("label", label), ("guess", guess))}
    plain = rm.evaluate_predictions(repeated, measures, predicted="guess", classes=[0, 1, 2, 3])
    assert weighted.values == pytest.approx(plain.values, nan_ok=True)


def test_of_two_classes_kappa_and_mcc_are_those_of_a_decision() -> None:
    rng = np.random.default_rng(0)
    label, score = rng.integers(0, 2, 99), rng.random(99)
    binary = rm.evaluate_predictions({"label": label, "score": score}, "Kappa MCC")
    table = {"label": label, "guess": (score >= 0.5).astype(int)}
    result = rm.evaluate_predictions(table, "Kappa MCC", predicted="guess")
    assert list(result.values.values()) == pytest.approx(list(binary.values.values()), rel=1e-12)
    assert list(map(str, result)) == ["MulticlassKappa", "MulticlassMCC"]


@pytest.mark.parametrize(
    ("label", "guess", "measure", "why"),
    [
        ("aa", "ab", "MCC", "every row is of one class"),
        ("ab", "bb", "MCC", "one class alone is predicted"),
        ("aa", "aa", "Kappa", "every row is of one class, and predicted to be"),
    ],
)
def test_agreement_beyond_chance_needs_two_classes(label: str, guess: str, measure: str, why: str) -> None:
    result = rm.evaluate_predictions(
        {"label": list(label), "guess": list(guess)}, measure, predicted="guess", classes=["a", "b"]
    )
    assert np.isnan(result[measure])
    assert list(result.undefined.values()) == [why]


def test_a_predicted_class_that_no_label_is_counts() -> None:
    result = rm.evaluate_predictions(PETS, "F1 Accuracy", predicted="guess", weight="")
    assert result.counts.classes == ("bird", "cat", "dog", "eel")
    assert result["F1"] == pytest.approx((0 + 4 / 5 + 4 / 5 + 0) / 4)
    assert result["Accuracy"] == 4 / 6
    assert result.counts.unlabelled == 1
    assert "1 row predicted to be of a class that no label is" in str(result)


def test_a_signature_is_evaluated_again() -> None:
    result = rm.evaluate_predictions(PETS, "QWK", predicted="guess")
    signature = result.signature("QWK")
    assert signature.startswith("MulticlassKappa|cost:quadratic|ties:expected|classes:4|weights:weight|")
    again = rm.from_signature(signature).evaluate_predictions(PETS, predicted="guess")
    assert list(again.values.values()) == list(result.values.values())


@pytest.mark.parametrize(
    ("labels", "guesses", "expected"),
    [
        ([1, 2, 10], [2.0, 2.0, 10.0], (1, 2, 10)),
        (["1", "2", "10"], ["2", "2", "x"], ("1", "10", "2", "x")),
        ([True, False, True], [True, True, True], (False, True)),
    ],
)
def test_predicted_classes_are_read_as_labels_are(
    labels: list[Any], guesses: list[Any], expected: tuple[Any, ...], tmp_path: Path
) -> None:
    table = {"label": labels, "guess": guesses}
    result = rm.evaluate_predictions(table, "F1", predicted="guess")
    assert result.counts.classes == expected
    pl.DataFrame(table).write_csv(tmp_path / "t.csv")
    from_text = rm.evaluate_predictions(tmp_path / "t.csv", "F1", predicted="guess")
    assert from_text["F1"] == result["F1"]
    pl.DataFrame(table).write_parquet(tmp_path / "t.parquet")
    assert rm.evaluate_predictions(tmp_path / "t.parquet", "F1", predicted="guess")["F1"] == result["F1"]


@pytest.mark.parametrize(
    ("change", "measure", "options", "error", "message"),
    [
        (
            {},
            "AUC",
            {},
            MeasureError,
            "MulticlassAUC takes a score of each class, .* has but the class .*'guess'",
        ),
        ({}, "LogLoss", {}, MeasureError, "MulticlassLogLoss takes a score of each class"),
        ({}, "Accuracy@2", {}, MeasureError, "MulticlassAccuracy@2 takes a score of each class"),
        ({}, "BinaryF", {}, MeasureError, "BinaryF takes one score in a row, .* has classes; .* MulticlassF"),
        ({"guess": ["cat", None] * 3}, "F1", {}, DataError, "'guess' has 3 nulls, the first in row 1"),
        ({"label": [None, "cat"] * 3}, "F1", {}, DataError, "'label' has 3 nulls, the first in row 0"),
        ({"guess": [1, 2] * 3}, "F1", {}, DataError, "labels in 'label' are words, .* in 'guess' numbers"),
        ({"guess": [["a"]] * 6}, "F1", {}, ColumnError, r"'guess' is List\(String\), and classes are words"),
        ({"label": [1e300, 2] * 3, "guess": [1] * 6}, "F1", {}, DataError, "3 numbers of more than 64 bits"),
        ({"guess": [1.5, 2] * 3}, "F1", {}, DataError, "3 numbers that are not whole, the first in row 0"),
        ({}, "F1", {"classes": ["cat", "dog"]}, DataError, "1 label of none .* row 3 .*: 'bird'"),
        ({}, "F1", {"classes": ["cat", "dog", "bird"]}, DataError, "1 predicted class of none .*: 'eel'"),
        (
            {},
            "F1",
            {"positive": "cat"},
            UsageError,
            "positive='cat' is of one score in a row, .* has classes",
        ),
        ({}, "F1", {"score": "weight"}, UsageError, "score and predicted are both said"),
        ({}, "F1", {"predicted": "gues"}, ColumnError, "no column 'gues' for the predicted class; did you"),
        ({}, "F1", {"predicted": "label", "label": "label"}, ColumnError, "both label and predicted class"),
        ({}, "F1", {"engine": "stream"}, UsageError, "stream"),
    ],
)
def test_predicted_classes_refused(
    change: Table, measure: str, options: Table, error: type, message: str
) -> None:
    with pytest.raises(error, match=message):
        rm.evaluate_predictions(PETS | change, measure, **({"predicted": "guess"} | options))


def test_messages_count_rows_and_show_the_first_classes() -> None:
    labels = [f"c{number:04}" for number in range(2000)]
    table = {"label": labels, "a": [0.5] * 2000, "b": [0.5] * 2000}
    with pytest.raises(DataError, match=r"2 scores, and 2,000 different labels .*'c0009', …\), do not say"):
        rm.evaluate_predictions(table, "Accuracy", score=["a", "b"])
    with pytest.raises(DataError, match="has 1,998 labels of none of the classes 'c0000', 'c0001', the fi"):
        rm.evaluate_predictions(table, "Accuracy", score=["a", "b"], classes=labels[:2])
    table["a"][3] = float("nan")
    with pytest.raises(
        DataError, match=r"has 1 NaN among the scores of classes, the first in row 3 \(from 0"
    ):
        rm.evaluate_predictions(table, "Accuracy", score=["a", "b"])


def test_words_for_scores_may_be_predicted_classes() -> None:
    with pytest.raises(ColumnError, match=r"or, if it holds predicted classes, say predicted=\"guess\""):
        rm.evaluate_predictions(PETS, "F1", score="guess")


# --- The hash of the input -----------------------------------------------------------------------------


def hashed(table: Any, **said: Any) -> str:
    result = rm.evaluate_predictions(table, "Accuracy", hash_inputs=True, **said)
    return result.inputs["predictions"]


def test_the_hash_is_of_the_rows_alone(tmp_path: Path) -> None:
    table = drawn(300, 3)
    frame = pl.DataFrame(table)
    expected = hashed(frame)
    assert hashed(frame.sample(fraction=1, shuffle=True, seed=1)) == expected
    wide = frame.select("label", "weight", *(pl.col("score").list.get(n).alias("cab"[n]) for n in range(3)))
    assert hashed(wide, score=["c", "a", "b"]) == expected
    assert hashed(wide, score=["a", "b", "c"], classes=[1, 2, 0]) == expected
    assert hashed(wide, score=["a", "b", "c"]) != expected
    for name, write in (("t.csv", wide.write_csv), ("t.parquet", wide.write_parquet)):
        write(tmp_path / name)
        assert hashed(tmp_path / name, score=["c", "a", "b"]) == expected
    halves = tmp_path / "halves"
    halves.mkdir()
    wide[:100].write_parquet(halves / "1.parquet")
    wide[100:].write_parquet(halves / "0.parquet")
    assert hashed(str(halves / "*.parquet"), score=["c", "a", "b"]) == expected
    assert hashed(frame.with_columns(pl.col("label").cast(pl.Int8))) == expected


def test_the_hash_of_many_rows_is_the_sum_of_those_of_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from rankmark.inputs import digest

    table = drawn(300, 3)
    expected = hashed(table)
    monkeypatch.setattr(digest, "ROWS", 7)
    assert hashed(table) == expected


@pytest.mark.parametrize("column", ["label", "score", "weight"])
def test_another_row_gives_another_hash(column: str) -> None:
    table = drawn(20, 3)
    changed = list(table[column])
    changed[0], changed[1] = changed[1], changed[0]
    if changed[0] == changed[1]:
        changed[0] = (changed[0] + 1) % 3
    assert hashed(table) != hashed({**table, column: changed})


def test_rows_that_are_refused_are_not_hashed_first() -> None:
    for column in ("label", "score"):
        table = {"label": [1, 0, 1], "score": [0.5, 0.2, 0.1]} | {column: [None, 1, 0]}
        with pytest.raises(DataError, match=f"the {column} column '{column}' has 1 null"):
            rm.evaluate_predictions(table, "AUC", hash_inputs=True)


def test_the_hash_of_predicted_classes(tmp_path: Path) -> None:
    expected = hashed(PETS, predicted="guess")
    frame = pl.DataFrame(PETS)
    assert hashed(frame.reverse().rename({"guess": "other"}), predicted="other") == expected
    frame.write_csv(tmp_path / "t.csv")
    assert hashed(tmp_path / "t.csv", predicted="guess") == expected
    assert hashed(frame, predicted="guess", weight="") != expected
    assert hashed({**PETS, "guess": PETS["guess"][::-1]}, predicted="guess") != expected
    # That no class is left out, or said besides, changes no row.
    names = ["fox", "eel", "dog", "cat", "bird"]
    assert hashed(frame, predicted="guess", classes=names) == expected


# --- Intervals and slices ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("measure", ["F1", "Accuracy", "Accuracy@2", "Kappa", "LogLoss", "AUC"])
def test_intervals_are_of_rows_drawn_again(measure: str, weighted: bool) -> None:
    table = drawn(60, 3)
    options: Any = {} if weighted else {"weight": ""}
    result = rm.evaluate_predictions(
        table, measure, intervals="percentile", resamples=99, confidence=0.8, seed=4, **options
    )
    (interval,) = result.intervals.values()
    random = np.random.default_rng(4)
    frame = pl.DataFrame(table)
    values = [
        rm.evaluate_predictions(frame[random.integers(60, size=60)], measure, classes=[0, 1, 2], **options)[
            measure
        ]
        for _ in range(99)
    ]
    assert (interval.low, interval.high) == pytest.approx(np.quantile(values, [0.1, 0.9]), rel=1e-12)
    assert (interval.unit, interval.units, interval.resamples) == ("rows", 60, 99)


def test_intervals_draw_queries_where_there_are_any() -> None:
    table = {**PETS, "user": ["a", "a", "b", "b", "c", "c"]}
    result = rm.evaluate_predictions(
        table, "F1 Accuracy", predicted="guess", intervals=True, resamples=50, query="user"
    )
    interval = result.intervals["F1"]
    assert (interval.method, interval.unit, interval.units) == ("bca", "queries", 3)
    assert interval.low <= result["F1"] <= interval.high
    with pytest.raises(DataError, match="the query column 'site' has 1 null"):
        rm.evaluate_predictions(table, "F1", predicted="guess", intervals=True, query="site")
    with pytest.raises(MeasureError, match="is of AUC, not of MulticlassF"):
        rm.evaluate_predictions(table, "F1", predicted="guess", intervals="delong")
    with pytest.raises(MeasureError, match="is of functions of sums, not of MulticlassF"):
        rm.evaluate_predictions(table, "F1", predicted="guess", intervals="delta")


def test_slices_are_of_their_own_rows() -> None:
    result = rm.evaluate_predictions(PETS, "F1 Kappa", predicted="guess", weight="", by="site")
    assert result.slices is not None
    frame = pl.DataFrame(PETS)
    for site in ("x", "y", None):
        own = frame.filter(pl.col("site").eq_missing(site))
        expected = rm.evaluate_predictions(
            own, "F1 Kappa", predicted="guess", weight="", classes=["bird", "cat", "dog", "eel"]
        )
        found = {row.measure: row.value for row in result.slices[site]}
        assert found == pytest.approx(expected.values, nan_ok=True)
        assert {row.rows for row in result.slices[site]} == {len(own)}
    scored = rm.evaluate_predictions({**drawn(50, 3), "site": list("ab") * 25}, "AUC", by="site")
    assert scored.slices is not None
    assert [row.rows for row in scored.slices.rows] == [25, 25]


def test_rows_without_weight_have_no_value_in_a_slice_or_a_resample() -> None:
    table = {**PETS, "weight": [0, 0, 1, 0, 0, 3]}
    result = rm.evaluate_predictions(
        table, "Accuracy F1", predicted="guess", by="site", intervals=True, resamples=50
    )
    assert result["Accuracy"] == 1.0
    assert result.slices is not None
    assert {row.undefined for row in result.slices["x"]} == {"no row has any weight"}


# --- The command line ----------------------------------------------------------------------------------


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command line beside a file of predicted classes: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(PETS).drop("weight").write_csv("pets.csv")

    def call(*args: str) -> tuple[int, str, str]:
        code = main(["predictions", "pets.csv", *args])
        return code, *capfd.readouterr()

    return call


def test_the_command_line_shows_classes(run: Run) -> None:
    code, out, err = run("--predicted", "guess", "-m", "Recall", "--per-class", "--confusion")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "class  rows  Recall",
        "-----  ----  ------",
        "bird      1  0.0000",
        "cat       2  1.0000",
        "dog       3  0.6667",
        "eel       0",
        "",
        "label \\ predicted  bird  cat  dog  eel",
        "-----------------  ----  ---  ---  ---",
        "bird                  0    0    0    1",
        "cat                   0    2    0    0",
        "dog                   0    1    2    0",
        "eel                   0    0    0    0",
        "",
        "measure   value",
        "-------  ------",
        "Recall   0.4167",
        "",
        "6 rows, 4 classes (bird, cat, dog, eel)",
        "  1 row predicted to be of a class that no label is",
        "  no Recall of eel: no row is of it",
    ]
    _, out, _ = run("--predicted", "guess")
    assert [line.split()[0] for line in out.splitlines()[2:4]] == ["MulticlassAccuracy", "MulticlassF"]


def test_the_command_line_writes_classes(run: Run) -> None:
    _, out, _ = run("--predicted", "guess", "-m", "Recall", "--per-class", "--format", "csv")
    assert out == "class,rows,Recall\nbird,1,0.0\ncat,2,1.0\ndog,3,0.6666666666666666\neel,0,\n"
    _, out, _ = run("--predicted", "guess", "-m", "Recall", "--per-class", "--confusion", "--format", "json")
    record = json.loads(out)
    assert record["classes"][3] == {
        "class": "eel",
        "rows": 0,
        "values": {"Recall": None},
        "undefined": {"Recall": "no row is of it"},
    }
    assert record["confusion"] == [[0, 0, 0, 1], [0, 2, 0, 0], [0, 1, 2, 0], [0, 0, 0, 0]]
    assert record["counts"]["unlabelled"] == 1
    assert record["inputs"] == {"predictions": hashed(PETS, predicted="guess", weight="")}
    _, out, _ = run("--predicted", "guess", "-m", "Recall", "--confusion", "--format", "markdown")
    assert r"| label \\ predicted | bird | cat | dog | eel |" in out


def test_a_class_cannot_steer_a_terminal() -> None:
    table = {"label": ["\x1b[31m", "b"], "guess": ["b", "b"]}
    result = rm.evaluate_predictions(table, "Precision", predicted="guess")
    for name in ("table", "markdown", "latex"):
        assert "\x1b" not in result.format(name, per_class=True, confusion=True), name


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--per-class", "--confusion", "--format", "csv"], 2, "CSV is one table"),
        (["-m", "AUC"], 2, "MulticlassAUC takes a score of each class"),
        (["--per-class", "--format", "trec"], 2, "--format trec has no place for --per-class"),
        (["--system", "a=guess"], 2, "scores and predicted are both said"),
    ],
)
def test_the_command_line_refuses(run: Run, arguments: list[str], code: int, message: str) -> None:
    found, out, err = run("--predicted", "guess", *arguments)
    assert (found, out) == (code, "")
    assert message in err


def test_the_command_line_has_no_classes_where_there_is_one_score(run: Run) -> None:
    pl.DataFrame({"label": [1, 0], "score": [0.7, 0.2]}).write_csv("pets.csv")
    found, out, err = run("-m", "AUC", "--per-class")
    assert (found, out) == (2, "")
    assert "--per-class is of classes, and pets.csv has one score in a row" in err


def test_the_classes_of_a_row_are_a_list_of_which_its_own_is_relevant() -> None:
    """As scikit-learn's ndcg_score has it, which takes the mean over the orders of equal scores, too."""
    draw = np.random.default_rng(0)
    y, scores = draw.integers(0, 5, 50), draw.random((50, 5)).round(1)
    table = {"label": y, "score": scores.tolist(), "by": (y > 2).astype(int)}
    own = np.eye(5)[y]
    result = rm.evaluate_predictions(table, ["nDCG@3", "nDCG", "F1"], by="by", intervals=True)
    assert result["nDCG@3"] == pytest.approx(metrics.ndcg_score(own, scores, k=3), rel=1e-12)
    assert result["nDCG"] == pytest.approx(metrics.ndcg_score(own, scores), rel=1e-12)
    assert "|ties:expected|" in result.signature("nDCG")
    assert result.intervals["nDCG@3"].low < result["nDCG@3"] < result.intervals["nDCG@3"].high
    assert len(result.query_values("nDCG@3")) == 50
    assert result.slices is not None
    distinct = draw.random((50, 5))
    table = {"label": y, "score": distinct.tolist()}
    result = rm.evaluate_predictions(table, ["RR", "R@3", "Accuracy@3"])
    assert result["RR"] == pytest.approx(metrics.label_ranking_average_precision_score(own, distinct))
    assert result["R@3"] == result["Accuracy@3"] == metrics.top_k_accuracy_score(y, distinct, k=3)
    evaluator = rm.PredictionEvaluator(["RR"])
    evaluator.update({"label": y, "score": distinct.tolist()})
    assert evaluator.result()["RR"] == pytest.approx(result["RR"], rel=1e-15)


def test_lists_of_classes_need_a_score_of_each() -> None:
    with pytest.raises(MeasureError, match="nDCG@3 takes a score of each class"):
        rm.evaluate_predictions(PETS, "nDCG@3", predicted="guess")


# --- Which score is of which class -----------------------------------------------------------------------

OF_EACH: Table = {"label": [1, 0, 1, 0], "p1": [0.9, 0.3, 0.5, 0.1], "p2": [0.2, 0.6, 0.4, 0.9]}


def test_scores_taken_for_classes_by_their_order_are_told() -> None:
    result = rm.evaluate_predictions(OF_EACH, "Accuracy", score=["p1", "p2"])
    (note,) = result.notes
    assert note.startswith("scores taken for those of classes by their order: 'p1' of 0, 'p2' of 1 (")
    assert "compared by compare_predictions, or --system" in note
    assert note in result.to_json()


@pytest.mark.parametrize(
    ("names", "classes"), [(["p_0", "p_1"], None), (["0", "1"], None), (["p1", "p2"], [0, 1])]
)
def test_nothing_is_told_of_scores_whose_classes_are_said(
    names: list[str], classes: list[int] | None
) -> None:
    table = dict(zip(["label", *names], OF_EACH.values(), strict=True))
    assert rm.evaluate_predictions(table, "Accuracy", score=names, classes=classes).notes == ()
