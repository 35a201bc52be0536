"""Classifiers compared: by the classes they predict, or by scores of each class."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark import statistics
from rankmark.cli import main

NAMES = np.array(["bird", "cat", "dog"])


def pets(rows: int = 60, users: int = 12) -> pl.DataFrame:
    """Labels, the classes that two systems predict, and their scores of each class."""
    rng = np.random.default_rng(rows)
    label = rng.integers(0, 3, rows)
    columns: dict[str, Any] = {
        "label": NAMES[label],
        "user": [f"u{row % users}" for row in range(rows)],
        "item": range(rows),
        "country": ["de" if row % 2 else "fr" for row in range(rows)],
    }
    for system, skill in (("old", 0.5), ("new", 1.5)):
        logits = rng.normal(0, 1, (rows, 3))
        logits[np.arange(rows), label] += skill
        scores = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        columns[system] = NAMES[scores.argmax(axis=1)]
        columns |= {f"{system}_{name}": scores[:, place] for place, name in enumerate(NAMES)}
    return pl.DataFrame(columns)


PETS = pets()
GUESSES = {"old": "old", "new": "new"}
SCORES = {name: [f"{name}_{each}" for each in NAMES] for name in GUESSES}


def compared(measures: Any, table: Any = PETS, **how: Any) -> rm.results.PredictionComparison:
    options: dict[str, Any] = {"baseline": "old", "resamples": 50, "query": ""}
    if "scores" not in how:
        options["predicted"] = GUESSES
    scores = how.pop("scores", None)
    return rm.compare_predictions(table, scores, measures, **options | how)


def right(system: str) -> Any:
    return (PETS[system] == PETS["label"]).to_numpy()


@pytest.mark.parametrize("measure", ["Accuracy", "ErrorRate"])
def test_accuracy_of_predicted_classes_is_tested_by_mcnemar(measure: str) -> None:
    (pair,) = compared(measure, test="mcnemar").pairs
    found = statistics.mcnemar_test(right("new"), right("old"))
    assert (pair.p, pair.test, pair.units) == (pytest.approx(found.p, rel=1e-12), "mcnemar", 60)
    (exact,) = compared(measure).pairs
    expected = statistics.mcnemar_test(right("new"), right("old"), method="exact").p
    assert exact.p == pytest.approx(expected, rel=1e-9)
    side = "greater" if measure == "Accuracy" else "less"
    (greater,) = compared(measure, test="mcnemar", alternative=side).pairs
    assert greater.p == statistics.mcnemar_test(right("new"), right("old"), alternative="greater").p


def test_mcnemar_is_refused_of_what_is_not_right_or_wrong() -> None:
    with pytest.raises(rm.MeasureError, match='test="mcnemar" is of Accuracy over rows, not of MulticlassF'):
        compared("F1", test="mcnemar")
    with pytest.raises(rm.MeasureError, match="not of MulticlassAccuracy over queries"):
        compared("Accuracy", test="mcnemar", query="user")
    weighted = PETS.with_columns(weight=pl.int_range(1, pl.len() + 1))
    with pytest.raises(rm.MeasureError, match="rows that all count alike, right or wrong"):
        compared("Accuracy", weighted, test="mcnemar", weight="weight")


@pytest.mark.parametrize("query", ["", "user"])
def test_values_are_those_of_each_system_and_intervals_hold_the_difference(query: str) -> None:
    measures = ["Accuracy", "F1", "MCC", "Kappa", "BalancedAccuracy", "MulticlassPrecision"]
    for result, how in (
        (compared(measures, query=query), [{"predicted": name} for name in ("old", "new")]),
        (
            compared(
                [*measures, "LogLoss", "AUC", "nDCG@2"], query=query, scores=SCORES, classes=list(NAMES)
            ),
            [{"score": SCORES[name], "classes": list(NAMES)} for name in ("old", "new")],
        ),
    ):
        old, new = (rm.evaluate_predictions(PETS, result.measures, query=query, **own) for own in how)
        for pair in result.pairs:
            assert (pair.baseline_value, pair.value) == (old[pair.measure], new[pair.measure])
            assert pair.low < pair.difference < pair.high
            assert pair.unit == ("queries" if query else "rows")
            assert pair.units == (12 if query else 60)


def test_a_function_of_the_confusion_matrix_moves_as_its_jackknife_does() -> None:
    table = pets(400)
    for measure in ("F1", "MCC", "Kappa"):
        (pair,) = compared(measure, table, test="t").pairs
        jack = []
        for name in ("new", "old"):
            without = [
                rm.evaluate_predictions(table[rows], measure, predicted=name)[measure]
                for rows in _without(40)
            ]
            jack.append(np.array(without))
        moves = 39 / 40 * (jack[0] - jack[1] - (jack[0] - jack[1]).mean())
        error = np.sqrt(40 / 39 * (moves**2).sum())
        assert (pair.high - pair.low) / 2 == pytest.approx(1.966 * error, rel=0.3)


def _without(groups: int) -> list[Any]:
    rows = np.arange(400)
    return [rows[rows % groups != group] for group in range(groups)]


def test_a_system_does_not_differ_from_itself() -> None:
    same = PETS.with_columns(new="old")
    for pair in compared(["Accuracy", "F1", "MCC"], same).pairs:
        # Tango's interval, that of Accuracy, has a width where no row differs.
        reach = statistics.tango_interval(np.zeros(pair.units)).high if pair.method == "tango" else 0
        assert (pair.difference, pair.p, pair.low, pair.high) == pytest.approx((0, 1, -reach, reach))


def test_tables_of_each_system_are_matched_by_query_and_item() -> None:
    tables = {
        name: PETS.select("label", "user", "item", "country", guess=name).sample(
            fraction=1, shuffle=True, seed=seed
        )
        for seed, name in enumerate(("old", "new"))
    }
    whole = compared(["Accuracy", "F1"], query="user", by="country")
    apart = rm.compare_predictions(
        tables, None, ["Accuracy", "F1"], predicted="guess", baseline="old", resamples=50, by="country"
    )
    assert apart.notes == ("rows matched by query ('user') and item ('item')",)
    for one, other in zip(whole.pairs, apart.pairs, strict=True):
        assert (one.value, one.difference, one.p) == pytest.approx((other.value, other.difference, other.p))
    assert apart.slices is not None
    assert whole.slices is not None
    assert apart.slices.frame["difference"].to_list() == pytest.approx(
        whole.slices.frame["difference"].to_list()
    )


def test_labels_that_tables_do_not_agree_on_are_refused() -> None:
    old = PETS.select("label", "user", "item", guess="old")
    new = PETS.select("label", "user", "item", guess="new").with_columns(
        label=pl.when(pl.col("item") == 7).then(pl.lit("fish")).otherwise("label")
    )
    with pytest.raises(rm.DataError, match=r"the labels of 'old' and 'new' differ in 1 of 60 rows .*'fish'"):
        rm.compare_predictions({"old": old, "new": new}, None, "Accuracy", predicted="guess")


def test_classes_and_scores_in_another_order_are_the_same() -> None:
    tables = {
        name: PETS.select("label", "item", "user", **{each: f"{name}_{each}" for each in NAMES})
        for name in ("old", "new")
    }
    scores = {"old": list(NAMES), "new": list(NAMES[::-1])}
    expected = compared(["F1", "AUC"], scores=SCORES, classes=list(NAMES)).table
    found = compared(["F1", "AUC"], tables, scores=scores).table
    for name in ("value", "baseline_value", "p", "low"):
        assert found[name].to_list() == pytest.approx(expected[name].to_list(), rel=1e-9)
    tables["new"] = tables["new"].with_columns(fish=0.0)
    with pytest.raises(rm.DataError, match="give each a score of every class"):
        compared("F1", tables, scores=scores | {"new": [*NAMES, "fish"]})


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(rm.UsageError, match="scores and predicted are both said"):
        compared("Accuracy", scores=GUESSES, predicted=GUESSES)
    with pytest.raises(rm.UsageError, match=r"predicted='old': one table needs the column of each system"):
        compared("Accuracy", predicted="old")
    with pytest.raises(rm.UsageError, match="positive='cat' is of one score in a row"):
        compared("Accuracy", positive="cat")
    with pytest.raises(rm.UsageError, match="a gate decides of one score in a row"):
        rm.gate_predictions(PETS, SCORES, "Accuracy", baseline="old", max_drop=0.1)  # type: ignore[arg-type]
    with pytest.raises(rm.MeasureError, match="BinaryAccuracy takes one score in a row"):
        compared("BinaryAccuracy")


def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    PETS.write_csv("pets.csv")
    PETS.select("label", "user", "item", guess="old").write_csv("a.csv")
    PETS.select("label", "user", "item", guess="new").reverse().write_csv("b.csv")
    accuracy = f"{right('old').mean():.4f}  {right('new').mean():.4f}"
    for line in (
        "pets.csv --predicted old=old --predicted new=new --test mcnemar --query=",
        "old=a.csv new=b.csv --predicted guess",
        "a.csv b.csv --predicted a=guess --predicted b=guess",
        f"pets.csv --classes {','.join(NAMES)} --system old={','.join(SCORES['old'])} --system new="
        + ",".join(SCORES["new"]),
    ):
        assert main(["predictions", *line.split(), "-m", "Accuracy", "--resamples", "50"]) == 0
        assert accuracy in capfd.readouterr().out
    assert main(["predictions", "pets.csv", "--predicted", "old=old", "--predicted", "new"]) == 2
    assert "each is NAME=COLUMN" in capfd.readouterr().err
