"""Whether a candidate passes, by which numbers, and with which exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark import statistics
from rankmark.cli import main
from rankmark.errors import ChoiceError, DataError, MeasureError

QRELS = {f"q{i}": {"a": 1} for i in range(40)}
GOOD = {query: ["a", "b", "c"] for query in QRELS}
WORSE = {query: ["b", "a"] if i < 2 else ["a", "b"] for i, query in enumerate(QRELS)}  # RR 0.975
LAST = {query: ["b", "c", "a"] for query in QRELS}


@pytest.mark.parametrize(
    ("max_drop", "passed"),
    [(0.025, True), ("0.025", True), (0.024, False), ("2.5%", True), ("2.4%", False), (0, False)],
)
def test_the_point_estimate_decides(max_drop: Any, passed: Any) -> None:
    assert rm.gate(QRELS, GOOD, WORSE, "RR", max_drop=max_drop).passed is passed


def test_a_relative_drop_is_a_share_of_the_baseline() -> None:
    decided = rm.gate(QRELS, LAST, {**LAST, "q0": ["x"]}, "RR", max_drop="2.5%")
    assert decided.measures[0].drop == pytest.approx(1 / 40)
    assert decided.passed
    assert rm.gate(QRELS, LAST, {**LAST, "q0": ["x"]}, "RR", max_drop=0.0084).passed
    assert not rm.gate(QRELS, LAST, {**LAST, "q0": ["x"]}, "RR", max_drop=0.0083).passed


def test_nothing_worse_passes_whatever_is_allowed() -> None:
    assert rm.gate(QRELS, GOOD, GOOD, "RR", max_drop=0).passed
    assert rm.gate(QRELS, GOOD, GOOD, "RR", max_drop=0, confidence=0.95).passed
    assert rm.gate(QRELS, WORSE, GOOD, "RR", max_drop="0%").passed


def test_with_confidence_a_greater_drop_must_be_excluded() -> None:
    drops = 1.0 - rm.evaluate(QRELS, WORSE, "RR").query_values("RR")
    bound = statistics.bootstrap_interval(drops, confidence=0.9).high
    decided = rm.gate(QRELS, GOOD, WORSE, "RR", max_drop=0.03, confidence=0.95)
    assert decided.measures[0].bound == pytest.approx(bound, rel=1e-9)
    assert 0.03 < bound < 0.1
    assert not decided.passed
    assert rm.gate(QRELS, GOOD, WORSE, "RR", max_drop=0.1, confidence=0.95).passed
    share = rm.gate(QRELS, GOOD, WORSE, "RR", max_drop="10%", confidence=0.95)
    assert share.measures[0].bound == pytest.approx(bound, rel=1e-9)  # the baseline's mean is 1


def test_the_bound_of_a_relative_drop_is_that_of_a_ratio() -> None:
    rng = np.random.default_rng(0)
    qrels = {f"q{i}": {f"d{j}": int(rng.integers(0, 2)) for j in range(9)} | {"d9": 1} for i in range(200)}
    runs = [
        {q: {d: g + rng.normal(0, 1.5) for d, g in items.items()} for q, items in qrels.items()} for _ in "ab"
    ]
    old, new = (rm.evaluate(qrels, run, "AP").query_values("AP") for run in runs)
    found = rm.gate(qrels, *runs, "AP", max_drop="3%", confidence=0.9).measures[0]
    # The delta method: the error of a ratio of means is that of the mean of b − c − share·b, over that of b.
    share = 1 - new.mean() / old.mean()
    error = (old - new - share * old).std(ddof=1) / np.sqrt(200) / old.mean()
    assert found.drop == pytest.approx(share, rel=1e-9)
    assert found.bound == pytest.approx(share + 1.2816 * error, abs=0.1 * error)


def test_where_less_is_better_a_rise_is_a_drop() -> None:
    late, early = {q: ["x", "y", "a"] for q in QRELS}, GOOD
    worse = rm.gate(QRELS, early, late, "MaxRank", max_drop="10%")
    assert not worse.passed
    assert worse.measures[0].drop > 0
    better = rm.gate(QRELS, late, early, "MaxRank", max_drop=0)
    assert better.passed
    assert "better by" in better.reason(better.measures[0])


def test_all_measures_must_pass() -> None:
    decided = rm.gate(QRELS, GOOD, WORSE, ["HR@10", "RR"], max_drop=0.01)
    assert [each.passed for each in decided.measures] == [True, False]
    assert not decided.passed


def test_the_line_says_which_numbers_decided() -> None:
    lines = str(rm.gate(QRELS, GOOD, WORSE, "RR", max_drop="1%")).splitlines()
    assert lines == [
        "failed: RR 1.0000 → 0.9750, worse by 2.5%; allowed 1%; decided by the point estimate on 40 queries",
        "baseline: 40 queries judged, all answered",
        "candidate: 40 queries judged, all answered",
    ]
    [line, *_] = str(rm.gate(QRELS, GOOD, WORSE, "RR", max_drop=0.1, confidence=0.95)).splitlines()
    assert line.startswith(
        "passed: RR 1.0000 → 0.9750, worse by 0.025, with 95% confidence worse by at most 0.0"
    )
    assert "; allowed 0.1; decided by the one-sided BCa bootstrap bound on 40 queries (10,000 " in line


def test_json_has_the_numbers() -> None:
    record = json.loads(rm.gate(QRELS, GOOD, WORSE, "RR", max_drop="1%").to_json())
    assert record["passed"] is False
    assert record["max_drop"] == {"drop": 0.01, "relative": True}
    assert record["confidence"] is None
    [own] = record["measures"]
    assert (own["measure"], own["baseline"], own["candidate"], own["bound"]) == ("RR", 1.0, 0.975, None)
    assert record["reasons"][0].startswith("failed: RR")


@pytest.mark.parametrize("wrong", ["-1", "five", "", "5%%", "nan", "inf", -0.1, None, True])
def test_what_is_no_drop_is_refused(wrong: Any) -> None:
    with pytest.raises(ChoiceError, match="max_drop="):
        rm.gate(QRELS, GOOD, GOOD, "RR", max_drop=wrong)


def test_what_decides_nothing_is_refused() -> None:
    with pytest.raises(MeasureError, match="Judged@10: neither more nor less of it is better"):
        rm.gate(QRELS, GOOD, GOOD, "Judged@10", max_drop=0)
    with pytest.raises(DataError, match="of the baseline is 0: no share of it is a drop"):
        rm.gate(QRELS, {q: ["x"] for q in QRELS}, GOOD, "RR", max_drop="1%")
    halves = [{q: ["a"] for q in list(QRELS)[part]} for part in (slice(20), slice(20, None))]
    with pytest.raises(DataError, match="0 queries have a value of both runs"):
        rm.gate(QRELS, *halves, "RR", max_drop=0.1, missing="skip")
    for confidence in (0.5, 95, 1, "0.9"):
        with pytest.raises(ChoiceError, match=r"above 0\.5 and below 1"):
            rm.gate(QRELS, GOOD, GOOD, "RR", max_drop=0, confidence=confidence)


@pytest.mark.parametrize("max_drop", ["5", 1, "100%", "200%"])
def test_a_gate_that_cannot_fail_is_refused(max_drop: Any) -> None:
    with pytest.raises(
        ChoiceError, match=r"RR of the baseline is 1\.0000 and cannot be worse than 0, a drop of"
    ):
        rm.gate(QRELS, GOOD, WORSE, "RR", max_drop=max_drop)
    with pytest.raises(ChoiceError, match='did you mean "5%"'):
        rm.gate(QRELS, GOOD, WORSE, "RR", max_drop=5)
    # The mean rank has no worst value.
    assert rm.gate(QRELS, GOOD, LAST, "MeanRank", max_drop="200%").passed


def test_a_gate_is_true_if_it_passes() -> None:
    assert rm.gate(QRELS, GOOD, WORSE, "RR", max_drop="5%")
    assert not rm.gate(QRELS, GOOD, WORSE, "RR", max_drop="1%")


def test_a_ratio_of_sums_is_gated_as_what_it_is() -> None:
    # Of 12 relevant items 8 and 7 are found; the mean over queries rises from 0.57 to 0.83 all the same.
    qrels: Any = {"big": {f"d{i}": 1 for i in range(10)}, "s": {"a": 1}, "t": {"b": 1}}
    old = {"big": [f"d{i}" for i in range(7)], "s": ["a"], "t": ["x"]}
    new = {"big": [f"d{i}" for i in range(5)], "s": ["a"], "t": ["b"]}
    (own,) = rm.gate(qrels, old, new, "HitRatio", max_drop="1%").measures
    assert (own.baseline, own.candidate, own.passed) == (8 / 12, 7 / 12, False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 a 1\n" for q in QRELS))
    for name, run in (("old", GOOD), ("new", WORSE)):
        lines = (f"{q} Q0 {d} 1 {9 - i} x\n" for q, items in run.items() for i, d in enumerate(items))
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--max-drop", "3%"], 0),
        (["--max-drop", "0.02"], 1),
        (["--max-drop", "3%", "--confidence", ".95"], 1),
        (["--max-drop", "10%", "--confidence", ".95"], 0),
        (["--max-drop", "3"], 2),
        (["--max-drop", "200%"], 2),
        (["--max-drop", "much"], 2),
        (["--max-drop", "-1"], 2),
        (["--confidence", "0.9"], 2),
        (["--max-drop", "3%", "--confidence", "95"], 2),
        (["--max-drop", "3%", "--format", "csv"], 2),
        (["--max-drop", "3%", "-m", "nothing"], 2),
    ],
)
@pytest.mark.usefixtures("folder")
def test_exit_codes(options: Any, code: Any, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["gate", "qrels.txt", "old.run", "new.run", "-m", "RR", *options]) == code
    out, err = capfd.readouterr()
    if code == 2:
        assert out == ""
        assert err.startswith("rankmark: error: ")
    else:
        assert out.startswith("failed: RR" if code else "passed: RR")


@pytest.mark.parametrize("bad", ["q1 0 a\n", "", "q1 0 a one\n"])
def test_bad_data_does_not_look_like_a_candidate_that_failed(
    folder: Any, bad: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "qrels.txt").write_text(bad)
    assert main(["gate", "qrels.txt", "old.run", "new.run", "-m", "RR", "--max-drop", "1%"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("rankmark: error: not decided: ")
    assert main(["gate", "gone.txt", "old.run", "new.run", "-m", "RR", "--max-drop", "1%"]) == 2


@pytest.mark.usefixtures("folder")
def test_json_on_request(capfd: pytest.CaptureFixture[str]) -> None:
    args = [
        "gate",
        "qrels.txt",
        "old.run",
        "new.run",
        "-m",
        "RR HR@10",
        "--max-drop",
        "1%",
        "--format",
        "json",
    ]
    assert main(args) == 1
    assert json.loads(capfd.readouterr().out)["passed"] is False
