"""What a result tells of data that look turned round, swapped, or are no probabilities."""

from __future__ import annotations

import math
import random
import warnings
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm

draw = random.Random(1)
QRELS = {f"q{i}": {f"d{j}": draw.choice((0, 0, 1, 2)) for j in range(10)} for i in range(30)}
RUN = {q: {d: grade + draw.gauss(0, 1) for d, grade in of.items()} for q, of in QRELS.items()}
TURNED = {q: {d: -score for d, score in of.items()} for q, of in RUN.items()}
RANKS = {q: {d: rank for rank, d in enumerate(sorted(of, key=lambda d: -of[d]), 1)} for q, of in RUN.items()}


def notes(qrels: Any, run: Any, **given: Any) -> str:
    return "; ".join(rm.evaluate(qrels, run, "nDCG@10", **given).notes)


def test_a_run_as_it_should_be_has_no_notes() -> None:
    assert notes(QRELS, RUN) == ""
    assert notes(QRELS, {"q1": RUN["q1"]}) == ""
    assert notes({"q1": QRELS["q1"]}, {"q1": TURNED["q1"]}) == ""  # one list is no evidence


def test_scores_that_fall_against_the_judgements_are_told() -> None:
    assert "of 30 lists the relevant items stand below the others" in notes(QRELS, TURNED)
    assert "negate distances" in notes(QRELS, TURNED, ties="expected")
    (finding,) = (each for each in rm.check(QRELS, TURNED).findings if each.code == "scores-reversed")
    assert finding.statement in notes(QRELS, TURNED)


def test_scores_that_are_ranks_are_told() -> None:
    assert "the scores of run are 1, 2, 3 …, as ranks are" in notes(QRELS, RANKS)
    from_0 = {q: {d: rank - 1 for d, rank in of.items()} for q, of in RANKS.items()}
    assert "the scores of run are 0, 1, 2 …, as ranks are" in notes(QRELS, from_0)
    long = {"q1": {f"d{rank}": rank for rank in range(1, 10_001)}}
    assert "as ranks are" in notes({"q1": {"d5000": 1}}, long)  # more than are looked at
    few = {"q1": {"d0": 1, "d1": 2}}
    assert notes({"q1": {"d0": 1}}, few) == ""


def test_judgements_and_results_that_are_swapped_are_told() -> None:
    assert "qrels has fractions for grades, and run whole numbers for scores, 3 different ones" in notes(
        RUN, QRELS
    )
    assert "swapped" not in notes(QRELS, QRELS)


def test_infinite_scores_are_no_whole_numbers_and_raise_no_warning() -> None:
    endless = {query: dict.fromkeys(items, math.inf) for query, items in QRELS.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "swapped" not in notes(RUN, endless)


def test_judgements_given_as_results_are_told(tmp_path: Path) -> None:
    assert "are they the judgements once more?" in notes(QRELS, QRELS)
    path = tmp_path / "q.txt"
    path.write_text("".join(f"{q} Q0 {d} {grade}\n" for q, of in QRELS.items() for d, grade in of.items()))
    assert f"run '{path}' has the queries, items and grades of qrels '{path}': are they" in notes(
        str(path), str(path)
    )
    other_item = {**QRELS, "q0": {f"x{d}": grade for d, grade in QRELS["q0"].items()}}
    for run in (other_item, {**QRELS, "q29": RUN["q29"]}, {"q1": QRELS["q1"]}):
        assert "once more" not in notes(QRELS, run)
    assert "once more" not in notes({"q1": {"a": 1}}, {"q1": {"a": 1}})  # few rows can be so by chance


LOGITS = [2.5, -1.0, 0.3, -0.2]


@pytest.mark.parametrize("measure", ["BinaryF", "BinaryAccuracy", "MCC", "BinaryF(threshold=0.5)"])
@pytest.mark.parametrize("scores", [LOGITS, [90, 10, 60, 20]])
def test_decisions_at_one_half_on_what_is_no_probability_are_told(measure: str, scores: Any) -> None:
    result = rm.evaluate_predictions({"label": [1, 0, 1, 0], "score": scores}, measure)
    (note,) = result.notes
    assert f"{result.measures[0]} at the threshold 0.5, with" in note
    assert "outside of 0 to 1, the first in row 0" in note
    assert note in "; ".join(result.account())
    again = rm.evaluate_predictions({"label": [1, 0, 1, 0], "score": scores}, measure)
    assert again.notes == result.notes


def test_decisions_elsewhere_or_on_probabilities_are_not_told() -> None:
    table = {"label": [1, 0, 1, 0], "score": LOGITS}
    for measure in ("BinaryF(threshold=0)", "BinaryF(threshold=max)", "BinaryF(top=0.5)", "AUC"):
        assert rm.evaluate_predictions(table, measure).notes == ()
    probable = {"label": [1, 0, 1, 0], "score": [0.9, 0.1, 0.6, 0.2]}
    assert rm.evaluate_predictions(probable, "BinaryF").notes == ()


def test_an_auc_below_chance_is_told() -> None:
    worst = {"label": [1, 0, 1, 0], "score": [0.1, 0.9, 0.2, 0.8]}
    result = rm.evaluate_predictions(worst, "AUC")
    assert result["AUC"] == 0.0
    assert "AUC is below 1/2, which is chance" in result.notes[0]
    one_class = {"label": [1, 1], "score": [0.1, 0.9]}
    assert rm.evaluate_predictions(one_class, "AUC").notes == ()
    chance = {"label": [1, 0, 1, 0, 1], "score": [0.1, 0.2, 0.9, 0.8, 0.3]}
    assert rm.evaluate_predictions(chance, "AUC").notes == ()


@pytest.mark.parametrize(("others_above", "told"), [(8, False), (9, True)])
def test_the_check_knows_scores_turned_round_by_the_same_rule(others_above: int, told: bool) -> None:
    # Of 10 and 10 rows: AUC is 1/2 less by chance 3 times √(21/1200) = 0.3969, so 0.1 is and 0.2 is not.
    table = {
        "label": [1] * 10 + [0] * 10,
        "score": [0.5] * 10 + [0.9] * others_above + [0.1] * (10 - others_above),
    }
    assert bool(rm.evaluate_predictions(table, "AUC").notes) is told
    assert bool(rm.check_predictions(table)["scores-reversed"]) is told


def test_notes_are_kept_when_a_result_is_saved(tmp_path: Any) -> None:
    result = rm.evaluate_predictions({"label": [1, 0], "score": [2.0, -1.0]}, "BinaryF")
    result.save(tmp_path / "result.zip")
    assert rm.load(tmp_path / "result.zip").notes == result.notes
