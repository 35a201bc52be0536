"""What is odd in a table of predictions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark import statistics
from rankmark.checks.finding import CODES_OF_PREDICTIONS
from rankmark.cli import main

RNG = np.random.default_rng(5)
LABELS = (RNG.random(200) < 0.4).astype(float)
FOUND = np.clip(0.25 * LABELS + 0.3 + RNG.normal(0, 0.1, 200), 0, 1)
# The probabilities of what was found: the ratio of both normal densities, times 0.4 / 0.6.
SCORES = 1 / (1 + 1.5 * np.exp(-25 * (FOUND - 0.425)))
FINE: dict[str, Any] = {
    "label": LABELS,
    "score": SCORES,
    "user": [f"u{i % 8}" for i in range(200)],
    "item": list(range(200)),
}


def codes(table: Any, **columns: Any) -> dict[str, str]:
    return {each.code: each.severity for each in rm.check_predictions(table, **columns).findings}


def changed(name: str, place: int, value: Any) -> dict[str, Any]:
    column = list(FINE[name])
    column[place] = value
    return {**FINE, name: column}


def test_nothing_is_odd() -> None:
    report = rm.check_predictions(FINE)
    assert (report.findings, bool(report)) == ((), True)
    assert report.no_sign_of == tuple(CODES_OF_PREDICTIONS)
    assert str(report).startswith("predictions: 200 results of 8 queries and 200 items")
    assert "200 rows of 8 queries" in str(rm.check_predictions({**FINE, "item": np.arange(200) / 7}, item=""))


@pytest.mark.parametrize(
    ("table", "code", "severity"),
    [
        (changed("label", 3, None), "null", "serious"),
        (changed("score", 3, float("nan")), "nan", "serious"),
        ({**FINE, "weight": [-1.0, *[1.0] * 199]}, "weights", "serious"),
        ({**FINE, "label": [1.0] * 200}, "one-class", "serious"),
        (changed("label", 3, 2.0), "labels", "worth knowing"),
        (changed("score", 3, float("inf")), "infinite", "worth knowing"),
        ({**FINE, "score": 100 * SCORES}, "not-probabilities", "serious"),
        ({**FINE, "label": SCORES, "score": LABELS}, "labels", "serious"),
        ({**FINE, "score": [0.4] * 200}, "constant-scores", "serious"),
        ({**FINE, "score": 1 - SCORES}, "scores-reversed", "serious"),
        ({**FINE, "label": SCORES > 0.4}, "too-good", "serious"),
        ({**FINE, "score": SCORES / 2}, "miscalibrated", "worth knowing"),
        ({**FINE, "score": FOUND}, "uncalibrated", "serious"),
        ({**FINE, "user": [f"u{label:g}" for label in LABELS]}, "one-class-queries", "serious"),
        (changed("item", 8, 0), "duplicate-rows", "worth knowing"),
    ],
)
def test_what_is_odd_is_found(table: Any, code: str, severity: str) -> None:
    assert codes(table)[code] == severity


def test_every_code_is_found_somewhere() -> None:
    parameters = test_what_is_odd_is_found.pytestmark[0].args[1]
    assert {code for _, code, _ in parameters} == set(CODES_OF_PREDICTIONS)


def test_what_is_said() -> None:
    (finding,) = rm.check_predictions({"label": LABELS, "score": -SCORES})["scores-reversed"]
    auc = rm.evaluate_predictions({"label": LABELS, "score": -SCORES}, "AUC")["AUC"]
    assert finding.statement == f"positive rows score lower than others: AUC is {auc:.4f}"
    assert finding.effects[0].otherwise["-score"] == pytest.approx(1 - auc)
    (half,) = rm.check_predictions({**FINE, "score": SCORES / 2})["miscalibrated"]
    pcopc = rm.evaluate_predictions({**FINE, "score": SCORES / 2}, "PCOPC")["PCOPC"]
    assert f"{pcopc:.4g} times" in half.statement
    one = changed("user", 3, "alone")
    (alone,) = rm.check_predictions(one)["one-class-queries"]
    assert alone.statement == "1 of 9 queries have rows of one label alone"
    assert alone.note == "GAUC leaves them out, with 1 of 200 rows"


def test_calibration_is_off_where_it_is_by_more_than_a_twentieth_and_than_chance() -> None:
    """Of a share r of clicks among n rows the standard error is √(r(1 − r)/n), 0.0049 or 0.049 here."""

    def found(rows: int, score: float) -> bool:
        table = {"label": ([1] * 2 + [0] * 3) * (rows // 5), "score": [score, score + 1e-9] * (rows // 2)}
        return "miscalibrated" in codes(table)

    assert [found(10_000, score) for score in (0.325, 0.385, 0.415, 0.476)] == [True, False, False, True]
    assert [found(100, score) for score in (0.2, 0.325, 0.476, 0.6)] == [True, False, False, True]
    weighted = {"label": [1, 1, 0, 0, 0] * 20, "score": [0.2, 0.3, 0.2, 0.3] * 25}
    assert "miscalibrated" in codes(weighted)
    assert "miscalibrated" not in codes({**weighted, "weight": [1] * 99 + [100]})


def test_scores_are_calibrated_but_for_chance() -> None:
    rng = np.random.default_rng(0)
    logit = rng.normal(-1, 1.2, 2000)
    score = 1 / (1 + np.exp(-logit))
    label = rng.random(2000) < score
    assert "uncalibrated" not in codes({"label": label, "score": score})
    extreme = 1 / (1 + np.exp(-1.4 * logit))
    (found,) = rm.check_predictions({"label": label, "score": extreme})["uncalibrated"]
    ece = rm.evaluate_predictions({"label": label, "score": extreme}, "ECE")["ECE"]
    z, _ = statistics.spiegelhalter_test(label, extreme)
    assert found.severity == "worth knowing"
    assert found.statement.startswith(f"ECE is {ece:.4f}, and of calibrated scores would be 0.0")
    assert found.statement.endswith(f"Spiegelhalter's z is {z:.3g} (p < 0.0001)")
    by_user = {"label": label, "score": extreme, "user": np.arange(2000) % 50}
    (of_users,) = rm.check_predictions(by_user)["uncalibrated"]
    assert "as great over queries)" in of_users.statement
    assert "Spiegelhalter" not in of_users.statement


def test_swapped_columns_are_named() -> None:
    (swapped,) = rm.check_predictions({"label": SCORES, "score": LABELS})["labels"]
    assert "scores only 0 and 1" in swapped.statement
    assert "look swapped" in swapped.note


def test_the_positive_label_can_be_said() -> None:
    words = {"label": ["no" if label else "yes" for label in LABELS], "score": SCORES}
    assert "scores-reversed" in codes(words, positive="yes")
    assert codes(words, positive="no") == {}


def test_what_cannot_be_checked() -> None:
    with pytest.raises(rm.DataError, match="a null, NaN or a negative weight in every row"):
        rm.check_predictions({"label": [None, 1.0], "score": [0.1, None]})
    with pytest.raises(rm.UsageError, match="has a score of each class"):
        rm.check_predictions({"label": ["a", "b"], "score": [[0.1, 0.9], [0.8, 0.2]]})


def test_exit_codes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path, odd = tmp_path / "p.csv", tmp_path / "odd.csv"
    path.write_text("label,score\n1,.9\n0,.2\n1,.4\n0,.5\n")
    odd.write_text("label,score\n1,.9\n1,.2\n")
    assert main(["check-predictions", str(path), "--strict"]) == 0
    assert main(["check-predictions", str(odd)]) == 0
    capfd.readouterr()
    assert main(["check-predictions", str(odd), "--strict", "--format", "json"]) == 1
    assert json.loads(capfd.readouterr().out)["findings"][0]["code"] == "one-class"
    odd.write_text("label,score\n1\n")
    assert main(["check-predictions", str(odd), "--strict"]) == 2
    assert "not checked" in capfd.readouterr().err
    assert main(["check-predictions", str(odd)]) == 1
