"""How many queries it takes, from numbers and from systems that were compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark import statistics
from rankmark.cli import main
from rankmark.statistics.bounded import Rows

QRELS = {f"q{i}": {"a": 1} for i in range(40)}
RUNS = {
    name: {query: [f"x{j}" for j in range(i * step % 5)] + ["a"] for i, query in enumerate(QRELS)}
    for name, step in (("old", 3), ("new", 2), ("other", 1))
}
VALUES = {name: rm.evaluate(QRELS, run, "RR").query_values("RR") for name, run in RUNS.items()}


def test_each_design_plans_by_its_own_function() -> None:
    (row,) = rm.power(deviation=0.2, difference=0.05, queries=50).rows
    assert row.needed == statistics.queries_needed(0.05, 0.2) == 128
    assert row.detectable == statistics.detectable_difference(0.2, 50)
    found = rm.power(deviation=0.2, difference=0.1, systems=5, queries=40)
    assert found.design == "anova"
    assert found.rows[0].needed == statistics.queries_for_anova(0.1, 0.2, 5)
    assert found.rows[0].detectable == statistics.detectable_range(0.2, 40, 5)
    found = rm.power(deviation=0.2, width=0.1, queries=40)
    assert found.design == "interval"
    assert found.rows[0].needed == statistics.queries_for_width(0.1, 0.2)
    assert found.rows[0].detectable == statistics.expected_width(0.2, 40)
    found = rm.power(deviation=0.2, max_drop=0.1, queries=50)
    assert found.design == "gate"
    rows = Rows.of(np.repeat([0.2, -0.2], 25), np.ones(50), (1.0, 1.0))
    assert found.rows[0].detectable == pytest.approx(rows.detectable(0.95, 0.8), rel=0.02)
    assert 50 < (found.rows[0].needed or 0) < 80


def test_a_design_effect_multiplies_the_variance() -> None:
    (row,) = rm.power(deviation=0.2, difference=0.05, design_effect=2.25).rows
    assert row.needed == statistics.queries_needed(0.05, 0.3)


def test_of_runs_the_spread_is_estimated() -> None:
    compared = rm.compare(QRELS, RUNS, "RR", baseline="old")
    d = VALUES["new"] - VALUES["old"]
    row = rm.power(compared, difference=0.1).rows[0]
    assert (row.measure, row.system, row.baseline, row.queries) == ("RR", "new", "old", 40)
    assert row.deviation == pytest.approx(d.std(ddof=1))
    assert row.needed == statistics.queries_needed(0.1, float(d.std(ddof=1)))
    (own,) = rm.power(compared, design="anova", difference=0.1).rows
    within = float(np.sqrt(np.mean([each.var(ddof=1) for each in VALUES.values()])))
    assert own.needed == statistics.queries_for_anova(0.1, within, 3)
    gate = rm.power(compared, max_drop=0.1).rows[0]
    (decided,) = rm.gate(QRELS, RUNS["old"], RUNS["new"], "RR", max_drop=0.1, confidence=0.95).measures
    assert (gate.detectable, gate.needed) == (pytest.approx(decided.detectable), decided.needed)


def test_clusters_are_counted_whole() -> None:
    users = {query: i // 4 for i, query in enumerate(QRELS)}
    compared = rm.compare(QRELS, RUNS, "RR", baseline="old", clusters=users)
    [plain, *_] = compared.power("RR", difference=0.1)
    row = rm.power(compared, difference=0.1).rows[0]
    assert (row.clusters, row.needed, row.design_effect) == (10, plain.needed, plain.design_effect)
    with pytest.raises(rm.UsageError, match="knows no clusters"):
        rm.power(compared, design="anova", difference=0.1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "no spread to plan by"),
        ({"deviation": 0.2}, "nothing is asked"),
        ({"deviation": -1, "difference": 0.1}, "deviation=-1 is not a number above 0"),
        ({"deviation": 0.2, "difference": 0}, "no number of queries shows it"),
        ({"deviation": 0.2, "queries": 1}, "queries=1"),
        ({"deviation": 0.2, "difference": 0.1, "design": "f"}, "design='f'"),
        ({"deviation": 2, "max_drop": 0.1}, "deviation=2: queries are taken to have values from 0 to 1"),
        ({"deviation": 0.2, "max_drop": 5}, "max_drop=5: queries are taken to have values from 0 to 1"),
        ({"deviation": 0.2, "max_drop": -1}, "max_drop=-1 is neither a number from 0"),
        ({"deviation": 0.2, "max_drop": 0}, "max_drop=0.0: no number of queries shows it"),
        ({"deviation": 0.2, "max_drop": "1%"}, "max_drop as a share is of a baseline's value: give runs"),
        ({"deviation": 0.2, "queries": 2.5}, "queries=2.5 is not a whole number from 2"),
        ({"deviation": 0.2, "queries": 10**400}, "is not a whole number from 2 to 1,000,000,000"),
        ({"deviation": 0.2, "difference": 0.1, "systems": 2.5}, "systems=2.5 is not a whole number from 2"),
        (
            {"deviation": 0.2, "width": 0.1, "difference": 0.1},
            "difference and width are of different designs",
        ),
        ({"deviation": 0.2, "width": 0.1, "design": "t"}, "width goes with another design: 't' takes diff"),
        (
            {"deviation": 0.2, "queries": 9, "design": "t", "systems": 5},
            "systems=5 is of the analysis of var",
        ),
        ({"deviation": 0.2, "width": 0.1, "alternative": "less"}, "alternative='less' is of the t test"),
        (
            {"deviation": 0.2, "difference": 0.1, "confidence": 0.9},
            "confidence says nothing of paired t test, which takes alpha and power: leave it out",
        ),
        ({"deviation": 0.2, "max_drop": 0.1, "alpha": 0.01}, "alpha says nothing of gate with Gaffke's"),
        ({"deviation": 0.2, "width": 0.1, "power": 0.9}, "power says nothing of expected width of Student's"),
        ({"deviation": 0.2, "difference": 0.1, "power": 2}, "power=2 is not"),
        ({"deviation": "x", "difference": 0.1}, "deviation='x' is not a number above 0"),
        ({"deviation": 0.2, "difference": "x"}, "difference='x' is not a number"),
        ({"deviation": 1e300, "design_effect": 1e300, "difference": 0.1}, "is no spread to plan by"),
        ({"comparison": "a.rankmark", "difference": 0.1}, "comparison is a str; give what `compare`"),
    ],
)
def test_what_cannot_be_planned_is_refused(given: Any, message: str) -> None:
    with pytest.raises(rm.UsageError, match=message):
        rm.power(**given)


@pytest.mark.parametrize("wanted", ["difference", "width", "max_drop"])
def test_what_takes_more_queries_than_there_are_is_said(wanted: Any) -> None:
    deviation = 0.2 if wanted == "max_drop" else 1e300
    asked: Any = {wanted: 1e-6}
    found = rm.power(deviation=deviation, **asked)
    assert found.rows[0].needed is None
    assert found.notes == ("no number of queries: it takes more than 1,000,000,000",)
    assert rm.power(deviation=1e-300, **{wanted: 0.5}).notes == ()


def test_a_share_is_of_the_baselines_value() -> None:
    compared = rm.compare(QRELS, RUNS, "RR", baseline="old")
    (row, _) = rm.power(compared, max_drop="20%").rows
    assert row.wanted == pytest.approx(0.2 * VALUES["old"].mean())
    assert row == rm.power(compared, max_drop=row.wanted).rows[0]
    (gated,) = rm.gate(QRELS, RUNS["old"], RUNS["new"], "RR", max_drop="20%", confidence=0.95).measures
    assert row.needed == pytest.approx(gated.needed, rel=0.2)


def test_without_spread_there_is_no_design_effect_and_the_reason_is_said() -> None:
    same = rm.compare(QRELS, {"old": RUNS["old"], "copy": RUNS["old"]}, "RR", baseline="old")
    found = rm.power(same, difference=0.1)
    assert found.rows[0].needed is None
    assert "nan" not in str(found)
    assert "no number of queries of copy against old: the queries do not vary" in str(found)


def test_with_weights_each_design_is_of_the_weighted_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = {query: 1.0 + i % 4 for i, query in enumerate(QRELS)}
    runs = {name: RUNS[name] for name in ("old", "new")}
    compared = rm.compare(QRELS, runs, "RR", weights=weights, interval="t")
    (pair,) = compared.pairs
    (row,) = rm.power(compared, design="interval").rows
    w = np.array([*weights.values()])
    differences = VALUES["new"] - VALUES["old"]
    mean = float(np.average(differences, weights=w))
    assert row.deviation == pytest.approx((w * (differences - mean) / w.mean()).std(ddof=1))
    assert pair.difference == pytest.approx(mean)
    # What a gate of these runs says of itself.
    (gate,) = rm.gate(QRELS, *runs.values(), "RR", weights=weights, max_drop=0.1, confidence=0.95).measures
    (row,) = rm.power(compared, max_drop=0.1).rows
    assert row.detectable == pytest.approx(gate.detectable)
    assert row.needed == pytest.approx(gate.needed, abs=1)
    with pytest.raises(rm.UsageError, match="analysis of variance knows no weights"):
        rm.power(compared, design="anova", difference=0.1)
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{query},{weight}\n" for query, weight in weights.items())
    Path("traffic.csv").write_text(f"query,asked\n{rows}")
    both = zip(QRELS, VALUES["old"], VALUES["new"], strict=True)
    rows = "".join(f"{query},{float(old)!r},{float(new)!r}\n" for query, old, new in both)
    Path("rr.csv").write_text(f"query,old,new\n{rows}")
    for name, run in runs.items():
        rm.evaluate(QRELS, run, "RR").save(f"{name}.rankmark")
    asked = ["--weights", "asked", "--attributes", "traffic.csv", "--max-drop", "0.1", "--format", "json"]
    for given in (["rr.csv", "-m", "RR"], ["old.rankmark", "new.rankmark"]):
        assert main(["power", *given, *asked]) == 0
        assert json.loads(capsys.readouterr().out)["rows"][0]["detectable"] == row.detectable
    assert main(["power", "--deviation", ".2", *asked]) == 2
    assert "--weights is of runs, and none are given" in capsys.readouterr().err
    assert main(["compare-matrix", "rr.csv", "-m", "RR", *asked[:4], "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["weights"] == "asked"


def test_the_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["power", "--deviation", ".2", "--difference", ".05"]) == 0
    out = capfd.readouterr().out
    assert out.splitlines()[2].split() == ["0.2000", "1.0000", "0.0500", "128"]
    assert "paired t test, alpha 0.05, two-sided, power 80%" in out
    for name in ("old", "new"):
        rm.evaluate(QRELS, RUNS[name], "RR").save(tmp_path / f"{name}.rankmark")
    saved = [str(tmp_path / f"{name}.rankmark") for name in ("old", "new")]
    assert main(["power", *saved, "--max-drop", ".1", "-o", str(tmp_path / "x.json")]) == 0
    record = json.loads((tmp_path / "x.json").read_text())
    assert (record["design"], record["rows"][0]["queries"]) == ("gate", 40)
    assert main(["power", "-m", "RR", "--deviation", ".2", "--difference", ".1"]) == 2
    assert "--measure is of runs, and none are given" in capfd.readouterr().err


def test_a_matrix_and_a_saved_comparison_are_planned_by(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, saved = tmp_path / "matrix.csv", str(tmp_path / "saved.rankmark")
    path.write_text("query,old,new\nq1,.1,.2\nq2,.3,.2\nq3,.5,.8\nq4,.0,.9\n")
    asked = ["--difference", ".05", "--alternative", "greater"]
    assert main(["power", str(path), "-m", "AP", *asked]) == 0
    shown = capsys.readouterr().out
    assert "AP new − old" in shown
    assert "alpha 0.05, one-sided (greater), power 80%" in shown
    assert "p-value" not in shown
    assert main(["compare-matrix", str(path), "-m", "AP", "-o", saved]) == 0
    assert main(["power", saved, *asked]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == shown.splitlines()[:3]
    assert main(["power", saved, "-m", "AP", *asked]) == 2
    assert "--measure says nothing of a comparison that was saved" in capsys.readouterr().err
    assert main(["power", "--deviation", ".2"]) == 2
    assert "give --queries 50, say" in capsys.readouterr().err


def test_files_of_values_by_system_are_planned_by(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, values in (("old", (0.1, 0.3, 0.6)), ("new", (0.2, 0.3, 0.9))):
        lines = (f"map\tq{i}\t{value}" for i, value in enumerate(values))
        (tmp_path / f"{name}.eval").write_text("\n".join([*lines, "map\tall\t0.4", ""]))
        rm.evaluate(QRELS, RUNS[name], "RR").save(tmp_path / f"{name}.rankmark")
    files = [f"{name}={tmp_path / name}.eval" for name in ("old", "new")]
    assert main(["power", *files, "--difference", ".1"]) == 0
    assert "map new − old        3     0.1528" in capsys.readouterr().out
    assert main(["power", *files, "--difference", ".1", "--clusters", "user"]) == 2
    assert "--clusters says nothing of values of queries, a file a system" in capsys.readouterr().err
    assert main(["power", *(each.split("=")[1] for each in files), "--difference", ".1"]) == 2
    assert "are given by names: rankmark power old=" in capsys.readouterr().err
    saved = [f"{name}={tmp_path / name}.rankmark" for name in ("old", "new")]
    for command in (["power", *saved, "--difference", ".1"], ["compare", *saved]):
        assert main(command) == 0
        assert "RR" in capsys.readouterr().out


def test_with_seeds_the_width_and_the_gate_are_of_new_seeds_too() -> None:
    rng = np.random.default_rng(3)
    values = rng.random((100, 1)) / 2 + rng.normal(0, 0.02, (1, 3)) + rng.normal(0, 0.01, (100, 3)) + 0.2
    matrices = {f"s{seed}": {f"q{i}": v for i, v in enumerate(own)} for seed, own in enumerate(values.T)}
    matrices["old"] = {f"q{i}": float(v) for i, v in enumerate(rng.random(100) / 2)}
    each = rm.compare_matrix(matrices, "AP").results
    results = {"old": each["old"][0], "new": [each[f"s{seed}"][0] for seed in range(3)]}
    compared = rm.compare_results(results, "AP", baseline="old")
    (pair,) = compared.pairs
    (row,) = rm.power(compared, design="interval").rows
    assert row.detectable == pytest.approx(pair.interval.high - pair.interval.low)
    (gate,) = rm.power(compared, design="gate").rows
    alone = rm.compare_results({"old": results["old"], "new": each["s0"][0]}, "AP", baseline="old")
    (plain,) = rm.power(alone, design="gate").rows
    assert gate.detectable is not None
    assert plain.detectable is not None
    assert gate.detectable > 1.3 * plain.detectable


def test_a_deviation_of_few_queries_is_said_with_what_it_can_be() -> None:
    # Of 4 values with s = 1 the 95% interval of the deviation is 0.566 to 3.729 (tables, 3 df).
    differences = np.array([-1.0, 1.0, -1.0, 1.0]) * np.sqrt(3) / 20 + 0.02
    compared = rm.compare_matrix({"old": [0.5] * 4, "new": list(0.5 + differences)}, "AP", test="t")
    planned = rm.power(compared, difference=0.05)
    assert planned.rows[0].deviation == pytest.approx(0.1)
    (line,) = (note for note in planned.notes if "chi-squared" in note)
    low, high = (statistics.queries_needed(0.05, each * 0.1) for each in (0.56650, 3.72853))
    assert "of 4 queries, and can be 0.05665 to 0.3729" in line
    assert f"so that {low:,} to {high:,} queries are needed" in line
    assert not any("chi-squared" in each for each in rm.power(_many(), difference=0.05).notes)


def _many() -> Any:
    return rm.compare_results({name: rm.evaluate(QRELS, run, "RR") for name, run in RUNS.items()}, test="t")


def test_what_no_values_can_differ_by_is_said_of_the_detectable() -> None:
    compared = rm.compare_matrix({"old": [0.5, 0.5, 0.1], "new": [0.1, 0.9, 0.9]}, "AP", test="t")
    planned = rm.power(compared)
    assert (planned.rows[0].detectable or 0) > 1
    assert any("values are from 0 to 1" in note for note in planned.notes)
