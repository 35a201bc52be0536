"""Whether a candidate passes, by which numbers, and with which exit code."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark import statistics
from rankmark.cli import main
from rankmark.errors import ChoiceError, DataError, MeasureError, UsageError

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
    assert rm.gate(QRELS, WORSE, GOOD, "RR", max_drop="0%").passed


def test_with_confidence_a_greater_drop_must_be_excluded() -> None:
    drops = 1.0 - rm.evaluate(QRELS, WORSE, "RR").query_values("RR")
    bound = statistics.gaffke_bound(drops, most=1, confidence=0.95)
    (own,) = rm.gate(QRELS, GOOD, WORSE, "RR", max_drop=0.1, confidence=0.95).measures
    assert own.bound == pytest.approx(bound, rel=1e-7)
    assert (own.by, own.resamples, own.passed) == ("gaffke", None, False)
    assert 0.1 < bound < 0.11
    assert rm.gate(QRELS, GOOD, WORSE, "RR", max_drop=0.11, confidence=0.95).passed
    (share,) = rm.gate(QRELS, GOOD, WORSE, "RR", max_drop="11%", confidence=0.95).measures
    assert share.bound == pytest.approx(bound, rel=1e-7)  # the baseline's mean is 1


def test_queries_that_do_not_change_show_no_more_than_their_number() -> None:
    # The bound of Clopper and Pearson for a share of 0 of 40.
    (own,) = rm.gate(QRELS, GOOD, GOOD, "RR", max_drop=0.05, confidence=0.95).measures
    assert own.bound == pytest.approx(1 - 0.05 ** (1 / 40), rel=1e-7)
    assert (own.drop, own.passed, own.detectable) == (0, False, own.bound)
    assert own.needed == 59  # 1 − 0.05^(1/59) = 0.0495, and with 58 0.0503
    two = {query: QRELS[query] for query in ("q0", "q1")}
    assert not rm.gate(two, GOOD, GOOD, "RR", max_drop="50%", confidence=0.999)


def test_what_the_queries_can_show_is_said_with_confidence_and_without() -> None:
    for confidence, could in ((0.95, "can"), (None, "could")):
        line = str(rm.gate(QRELS, GOOD, GOOD, "RR", max_drop="5%", confidence=confidence)).splitlines()[1]
        assert line == (
            f"RR: with 95% confidence 40 queries {could} show that an equal candidate is worse by at most "
            "7.216% (power 80%); 5% takes about 59"
        )
    (line, *_) = str(rm.gate(QRELS, GOOD, GOOD, "RR", max_drop="5%", confidence=0.95)).splitlines()
    assert line.startswith("failed: RR 1.0000 → 1.0000, unchanged, with 95% confidence worse by at most 7.2")
    assert "; allowed 5%, which is not shown; decided by Gaffke's one-sided bound on 40 queries" in line


def test_queries_of_one_user_are_counted_as_one(folder: Any, capfd: pytest.CaptureFixture[str]) -> None:
    users = {query: i // 4 for i, query in enumerate(QRELS)}
    (own,) = rm.gate(QRELS, GOOD, GOOD, "RR", max_drop=0.3, confidence=0.95, clusters=users).measures
    assert (own.units, own.clusters) == (40, 10)
    assert own.bound == pytest.approx(1 - 0.05 ** (1 / 10), rel=1e-7)
    (folder / "users.csv").write_text("query,team\n" + "".join(f"{q},{u}\n" for q, u in users.items()))
    line = "gate qrels.txt old.run old.run -m RR --max-drop 30% --confidence .95 --clusters team"
    assert main([*line.split(), "--attributes", "users.csv"]) == 0
    assert "decided by Gaffke's one-sided bound on 40 queries in 10 clusters\n" in capfd.readouterr().out


def test_where_the_worst_is_not_known_few_queries_decide_nothing() -> None:
    (own,) = rm.gate(QRELS, GOOD, WORSE, "MaxRank", max_drop=20, confidence=0.95).measures
    assert (own.by, own.bound, own.passed, own.detectable) == ("few", None, False, None)
    late = {query: [f"x{j}" for j in range(i % 7)] + ["a"] for i, query in enumerate(QRELS)}
    (own,) = rm.gate(QRELS, GOOD, late, "MaxRank", max_drop=20, confidence=0.95).measures
    depths = rm.evaluate(QRELS, late, "MaxRank").query_values("MaxRank") - 1
    assert own.by == "gaffke-seen"
    assert own.bound == pytest.approx(statistics.gaffke_bound(depths, most=depths.max()), rel=1e-7)


def test_a_gate_that_runs_every_night_has_a_bound_that_holds_on_all(
    folder: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    drops = 1.0 - rm.evaluate(QRELS, WORSE, "RR").query_values("RR")
    (own,) = rm.gate(QRELS, GOOD, WORSE, "RR", max_drop=0.3, confidence=0.95, always_valid=True).measures
    high = statistics.confidence_sequence(drops, low=-1, high=1, side="high").high[-1]
    assert (own.by, own.passed, own.needed) == ("betting", True, None)
    assert own.bound == pytest.approx(high, abs=0.002)  # which is good to a thousandth of the range
    (once,) = rm.gate(QRELS, GOOD, WORSE, "RR", max_drop=0.3, confidence=0.95).measures
    assert once.bound < own.bound
    args = "gate qrels.txt old.run new.run -m RR --max-drop 40% --confidence .95 --always-valid"
    assert main(args.split()) == 0
    assert "which holds at every number of queries at once, on 40 queries" in capfd.readouterr().out
    assert folder
    with pytest.raises(rm.UsageError, match="always_valid is of bounds: give a confidence"):
        rm.gate(QRELS, GOOD, WORSE, "RR", max_drop=0.3, always_valid=True)
    with pytest.raises(rm.UsageError, match="MaxRank: an always-valid bound is of means of queries"):
        rm.gate(QRELS, GOOD, WORSE, "MaxRank", max_drop=3, confidence=0.9, always_valid=True)


SEEDS = [{q: ["b", "a"] if i % 9 < seed else ["a", "b"] for i, q in enumerate(QRELS)} for seed in range(3)]


def test_of_several_seeds_the_means_decide() -> None:
    values = np.mean([rm.evaluate(QRELS, run, "RR")["RR"] for run in SEEDS])
    (own,) = rm.gate(QRELS, GOOD, SEEDS, "RR", max_drop="8%").measures
    assert (own.baseline, own.candidate) == (1, pytest.approx(values, rel=1e-12))
    assert (own.by, own.seeds, own.passed) == ("point", (1, 3), True)
    assert not rm.gate(QRELS, GOOD, SEEDS, "RR", max_drop="5%")
    assert rm.gate(QRELS, None, SEEDS, at_least={"RR": 0.93})
    assert not rm.gate(QRELS, None, SEEDS, at_least={"RR": 0.95})


def test_the_bound_of_several_seeds_is_of_other_seeds_too() -> None:
    tables = [np.column_stack([rm.evaluate(QRELS, run, "RR").query_values("RR") for run in SEEDS])]
    tables.append(tables[0][:, ::2])
    drops = tables[1].mean(axis=1) - tables[0].mean(axis=1)
    gaffke = statistics.gaffke_bound(drops, most=1)
    old, new = SEEDS[::2], SEEDS
    (own,) = rm.gate(QRELS, old, new, "RR", max_drop=0.3, confidence=0.95).measures
    found = statistics.crossed(tables[1], tables[0])
    seeds = found.reach(0.1) ** 2 - found.queries.squared * 1.6848751194973992**2  # t of 39 at 95%
    assert (own.by, own.seeds) == ("seeds", (2, 3))
    assert own.bound == pytest.approx(drops.mean() + math.hypot(gaffke - drops.mean(), math.sqrt(seeds)))
    # One run is taken to vary as the other's do, unless it is known not to.
    likewise, seedless = (
        rm.gate(QRELS, GOOD, SEEDS, "RR", max_drop=0.01, confidence=0.95, seedless=names).measures[0]
        for names in ((), "baseline")
    )
    assert None not in (likewise.bound, seedless.bound, likewise.detectable, seedless.detectable)
    assert statistics.gaffke_bound(1 - tables[0].mean(axis=1), most=1) < seedless.bound < likewise.bound  # type: ignore[operator]
    assert seedless.detectable < likewise.detectable  # type: ignore[operator]
    assert (seedless.needed, likewise.needed) == (None, None)  # seeds vary too much for any number


def test_seeds_that_do_not_vary_widen_nothing() -> None:
    (one,) = rm.gate(QRELS, GOOD, WORSE, "RR", max_drop=0.2, confidence=0.95).measures
    (own,) = rm.gate(QRELS, [GOOD] * 2, [WORSE] * 3, "RR", max_drop=0.2, confidence=0.95).measures
    assert (own.bound, own.detectable, own.needed) == (
        pytest.approx(one.bound, rel=1e-7),
        pytest.approx(one.detectable, rel=1e-4),
        one.needed,
    )
    (limit,) = rm.gate(QRELS, None, [WORSE] * 3, at_least={"RR": 0.8}, confidence=0.95).limits
    assert (limit.seeds, limit.by, limit.passed) == ((3,), "seeds", True)


def test_the_reason_and_the_notes_name_seeds(folder: Any, capfd: pytest.CaptureFixture[str]) -> None:
    for number, run in enumerate(SEEDS):
        lines = (f"{q} Q0 {d} 1 {9 - i} x\n" for q, items in run.items() for i, d in enumerate(items))
        (folder / f"{number}.run").write_text("".join(lines))
    runs = "candidate=0.run candidate=1.run candidate=2.run base=old.run"
    line = f"gate qrels.txt {runs} -m RR --max-drop 40% --confidence .95 --seedless base"
    assert main(line.split()) == 0
    out = capfd.readouterr().out
    assert "; decided by Gaffke's one-sided bound, widened by how much seeds vary (t), on 40 queries" in out
    assert "and 1 and 3 seeds\n" in out
    assert "candidate 3: 40 queries judged, all answered\n" in out
    assert "candidate: 3 seeds or fewer say little of how others vary" in out
    assert main([*line.split(), "third=1.run"]) == 2
    assert "3 systems given, candidate, base, third: a gate decides" in capfd.readouterr().err


def test_seeds_that_a_gate_cannot_decide_of_are_refused() -> None:
    with pytest.raises(rm.UsageError, match="seedless='candidate' has 3 runs"):
        rm.gate(QRELS, GOOD, SEEDS, "RR", max_drop="1%", seedless="candidate")
    with pytest.raises(rm.UsageError, match="seedless='bm25' is none of candidate and baseline"):
        rm.gate(QRELS, GOOD, SEEDS, "RR", max_drop="1%", seedless="bm25")
    with pytest.raises(rm.UsageError, match="always_valid is of one run of each system"):
        rm.gate(QRELS, GOOD, SEEDS, "RR", max_drop="1%", confidence=0.9, always_valid=True)
    with pytest.raises(rm.UsageError, match="the candidate has no runs"):
        rm.gate(QRELS, GOOD, [], "RR", max_drop="1%")


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
    # The worst query, which is one of 201, adds at most (1 − share) / 201 / 0.6.
    assert share + 1.2816 * error < found.bound < share + 1.3816 * error + 1.8 / 201 / old.mean()


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
        (
            "RR: with 95% confidence 40 queries could show that an equal candidate is worse by at most "
            "9.445% (power 80%); 1% takes about 1,010"
        ),
        "baseline: 40 queries judged, all answered",
        "candidate: 40 queries judged, all answered",
    ]
    [line, *_] = str(rm.gate(QRELS, GOOD, WORSE, "RR", max_drop=0.2, confidence=0.95)).splitlines()
    assert line == (
        "passed: RR 1.0000 → 0.9750, worse by 0.025, with 95% confidence worse by at most 0.1032; allowed "
        "0.2; decided by Gaffke's one-sided bound on 40 queries"
    )


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


@pytest.mark.parametrize("max_drop", [0.2, "30%"])
def test_a_weight_counts_as_a_cluster_of_so_many_queries_that_are_alike(max_drop: Any) -> None:
    weights = {query: 1 + i % 3 for i, query in enumerate(QRELS)}
    often = {f"{query}.{i}": query for query, weight in weights.items() for i in range(weight)}
    old = {query: ["a", "b"] if i % 4 else ["b", "a"] for i, query in enumerate(QRELS)}
    new = {query: ["a", "b"] if i % 5 else ["b", "c", "a"] for i, query in enumerate(QRELS)}
    how: Any = {"measures": "RR", "max_drop": max_drop, "at_least": {"RR": 0.5}, "confidence": 0.9}
    weighed = rm.gate(QRELS, old, new, weights=weights, **how)
    repeated = rm.gate(
        *({copy: own[query] for copy, query in often.items()} for own in (QRELS, old, new)),
        clusters=often,
        **how,
    )
    decided: list[list[Any]] = [[*gate.measures, *gate.limits] for gate in (weighed, repeated)]
    for one, other in zip(*decided, strict=True):
        assert one.bound == pytest.approx(other.bound, rel=1e-8)
        assert one.detectable == pytest.approx(other.detectable, rel=1e-8)
        assert (one.passed, one.units, one.by) == (other.passed, 40, "gaffke")
        assert one.needed is not None
    # Nor do they decide by the values alone otherwise than `evaluate` has them.
    assert weighed.limits[0].value == rm.evaluate(QRELS, new, "RR", weights=weights)["RR"]
    assert weighed.measures[0].baseline == rm.evaluate(QRELS, old, "RR", weights=weights)["RR"]
    assert "|weights:weights|" in weighed.signatures["RR"]
    assert any("weighed by 'weights', as many as" in note for note in weighed.notes)


def test_stored_results_are_weighed_as_their_runs_are(tmp_path: Path) -> None:
    weights = {query: 1.0 + i for i, query in enumerate(QRELS)}
    plain, weighed = rm.evaluate(QRELS, GOOD, "RR"), rm.evaluate(QRELS, GOOD, "RR", weights=weights)
    plain.save(tmp_path / "old.rankmark")
    new = rm.evaluate(QRELS, WORSE, "RR")
    how: Any = {"measures": "RR", "max_drop": 0.02, "confidence": 0.9}
    expected = rm.gate(QRELS, GOOD, WORSE, weights=weights, **how)
    for old, qrels, candidate, given in (
        (tmp_path / "old.rankmark", QRELS, WORSE, weights),
        (plain, None, new, weights),
        (weighed, None, new, [*weights.values()]),
        (weighed, None, new.with_weights(weights), None),
    ):
        assert rm.gate(qrels, old, candidate, weights=given, **how).measures == expected.measures
    with pytest.raises(ChoiceError, match="evaluated otherwise: RR with weights:weights, here with"):
        rm.gate(QRELS, weighed, WORSE, **how)
    with pytest.raises(ChoiceError, match="weigh 1 query otherwise, such as 'q3'"):
        rm.gate(None, weighed, new.with_weights({**weights, "q3": 9}), **how)


def test_what_a_gate_cannot_weigh_is_refused() -> None:
    weights = dict.fromkeys(QRELS, 1.0) | {"q0": 3.0}
    how: Any = {"max_drop": 0.02, "confidence": 0.9}
    with pytest.raises(DataError, match="1 of 40 judged queries have one below 0 or infinite, such as 'q3'"):
        rm.gate(QRELS, GOOD, WORSE, "RR", weights={**weights, "q3": -1}, **how)
    with pytest.raises(MeasureError, match="a sum over queries, in which none can weigh more"):
        rm.gate(QRELS, GOOD, WORSE, "NumRelRet", weights=weights, **how)
    with pytest.raises(UsageError, match="means of queries, without clusters or weights"):
        rm.gate(QRELS, GOOD, WORSE, "RR", weights=weights, always_valid=True, **how)


@pytest.mark.usefixtures("folder")
def test_weights_of_a_gate_on_the_command_line(capfd: pytest.CaptureFixture[str]) -> None:
    Path("traffic.csv").write_text(
        "query,asked,bad\n" + "".join(f"{q},{1 + (q == 'q0')},-1\n" for q in QRELS)
    )
    gate = ["gate", "qrels.txt", "old.run", "new.run", "-m", "RR", "--attributes", "traffic.csv"]
    # q0 and q1 lose a half each, and q0 counts twice: 1.5 of 41.
    for drop, code in (("0.0366", 0), ("0.0365", 1)):
        assert main([*gate, "--weights", "asked", "--max-drop", drop]) == code
        assert "weighed by 'asked', as many as 39.1 alike" in " ".join(capfd.readouterr().out.split())
    assert main([*gate, "--weights", "bad", "--max-drop", ".1"]) == 2
    assert "--weights bad: 40 of 40 judged queries have one below 0" in capfd.readouterr().err


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
        (["--max-drop", "11%", "--confidence", ".95"], 0),
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


# --- Limits ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("least", "passed"), [(0.975, True), (0.9, True), (0.976, False), (1, False)])
def test_a_floor_decides_without_a_baseline(least: float, passed: bool) -> None:
    decided = rm.gate(QRELS, None, WORSE, at_least={"RR": least})
    assert bool(decided) is passed
    assert (decided.measures, decided.allowed) == ((), None)
    (own,) = decided.limits
    assert (own.measure, own.side, own.limit, own.value, own.by) == ("RR", "least", least, 0.975, "point")


def test_the_line_of_a_limit() -> None:
    lines = str(rm.gate(QRELS, None, WORSE, at_least={"RR": 0.99}, confidence=0.9)).splitlines()
    assert lines[0].startswith("failed: RR 0.9750, with 90% confidence at least 0.9")
    assert "; wanted at least 0.99; decided by Gaffke's one-sided bound on 40 queries" in lines[0]
    assert lines[1].startswith("RR: with 90% confidence 40 queries can show a value that keeps the limit by ")
    assert lines[2:] == ["candidate: 40 queries judged, all answered"]


def test_with_confidence_the_bound_of_a_limit_decides() -> None:
    values = rm.evaluate(QRELS, WORSE, "RR").query_values("RR")
    low = -statistics.gaffke_bound(-values, most=0)
    decided = rm.gate(QRELS, None, WORSE, at_least={"RR": 0.96}, confidence=0.95)
    assert decided.limits[0].bound == pytest.approx(low, rel=1e-7)
    assert rm.gate(QRELS, None, WORSE, at_least={"RR": 0.89}, confidence=0.95)
    assert low < 0.96
    assert not decided
    assert rm.gate(QRELS, None, WORSE, at_least={"RR": 0.96})
    depth = rm.gate(QRELS, None, WORSE, at_most={"MaxRank": 1.06}, confidence=0.95)
    assert (depth.limits[0].value, depth.passed, depth.limits[0].by) == (1.05, False, "few")


def test_limits_go_with_a_baseline() -> None:
    decided = rm.gate(QRELS, GOOD, WORSE, "RR", max_drop="5%", at_least={"RR": 0.98, "HR@1": 0.9})
    assert [each.passed for each in decided.measures] == [True]
    assert [(each.measure, each.passed) for each in decided.limits] == [("RR", False), ("HR@1", True)]
    assert not decided
    # Of what is judged neither more nor less is better, and both sides can have limits.
    assert rm.gate(QRELS, None, GOOD, at_least={"Judged@3": 0.2}, at_most={"Judged@3": 0.5})


def test_a_limit_sees_the_queries_that_the_candidate_has() -> None:
    half = {q: ["a"] for q in list(QRELS)[:20]}
    (own,) = rm.gate(QRELS, None, half, at_least={"RR": 0.6}).limits
    assert (own.value, own.units) == (0.5, 40)
    (own,) = rm.gate(QRELS, None, half, at_least={"RR": 0.6}, missing="skip").limits
    assert (own.value, own.units) == (1.0, 20)


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ({"at_least": {"RR": 0}}, "at least 0: RR is always, so that this gate cannot fail"),
        ({"at_least": {"RR": -1}}, "cannot fail"),
        ({"at_most": {"Judged@3": 1}}, "at most 1: Judged@3 is always"),
        ({"at_least": {"AP": 1.01}}, "at least 1.01: AP is never, its best being 1; nothing passes"),
        ({"at_least": {"RR": "much"}}, "at_least of RR is 'much', and not a number"),
        ({"at_least": {"RR": math.nan}}, "not a number"),
        ({"at_least": {"RR": True}}, "not a number"),
        ({"at_least": 0.3}, "at_least=0.3 is not {measure: value}"),
        ({"at_least": {"MaxRank": 3}}, "of MaxRank less is better: say at_most, and not at_least"),
        ({"at_most": {"RR": 0.3}}, "of RR more is better: say at_least, and not at_most"),
        ({"at_least": {"nothing": 0.3}}, "no measure 'nothing'"),
        ({}, "nothing decides"),
        ({"max_drop": "1%", "measures": "RR"}, "max_drop='1%' is from a baseline: give one"),
        ({"at_least": {"RR": 0.3}, "measures": "RR AP"}, "nothing decides of AP: give max_drop or a limit"),
    ],
)
def test_limits_that_make_no_gate(conditions: Any, message: str) -> None:
    with pytest.raises(rm.UsageError, match=re.escape(message)):
        rm.gate(QRELS, None, GOOD, **conditions)


def test_what_is_no_mean_is_gated_by_its_value_and_has_no_bound() -> None:
    run = {query: [*("x", "y")[: i % 3], "a"] for i, query in enumerate(QRELS)}
    median = rm.evaluate(QRELS, run, "RR(mean=median)").values["RR(mean=median)"]
    for least in (median - 0.01, median + 0.01):
        gated = rm.gate(QRELS, None, run, at_least={"RR(mean=median)": least})
        assert (gated.passed, gated.limits[0].by, gated.limits[0].detectable) == (
            least < median,
            "point",
            None,
        )
    dropped = rm.gate(QRELS, GOOD, run, "RR(mean=median)", max_drop=1 - median + 0.01)
    assert dropped.passed
    assert dropped.measures[0].drop == pytest.approx(1 - median)
    with pytest.raises(rm.UsageError, match=r"RR\(mean=trimmed\) is no mean over queries, .* no bound of it"):
        rm.gate(QRELS, None, run, at_least={"RR(mean=trimmed)": 0.3}, confidence=0.95)


def test_of_quantiles_the_bound_is_a_value_by_its_rank() -> None:
    """Of 40 P(B ≤ 14) is .0403 and P(B ≤ 13) .0192 (binomial tables): the 15th value, of drops the 14th."""
    qrels = {f"q{i:02}": {"a": 1} for i in range(40)}
    run = {query: [*map(str, range(i % 9)), "a"] for i, query in enumerate(qrels)}
    best = {query: ["a"] for query in qrels}
    ordered = np.sort([1 / (1 + i % 9) for i in range(40)])
    kept = rm.gate(qrels, None, run, at_least={"RR(mean=median)": 0.1}, confidence=0.95).limits[0]
    assert (kept.by, kept.bound) == ("ranks", ordered[14])
    dropped = rm.gate(qrels, best, run, "RR(mean=median)", max_drop=0.9, confidence=0.95).measures[0]
    assert dropped.bound == pytest.approx(1 - ordered[13])
    share = rm.gate(qrels, best, run, "RR(mean=median)", max_drop="90%", confidence=0.95)
    assert share.measures[0].bound == pytest.approx(1 - ordered[13])
    assert "the one-sided bound by the ranks of values on 40 queries" in str(share)
    few = {query: qrels[query] for query in list(qrels)[:3]}
    assert rm.gate(few, None, best, at_least={"RR(mean=median)": 0.1}, confidence=0.95).limits[0].bound == 0
    with pytest.raises(rm.UsageError, match="no bound of it with clusters"):
        rm.gate(
            qrels,
            None,
            run,
            at_least={"RR(mean=median)": 0.1},
            confidence=0.95,
            clusters={query: place % 7 for place, query in enumerate(qrels)},
        )


def test_of_how_far_values_spread_neither_more_nor_less_is_better() -> None:
    assert rm.gate(QRELS, None, GOOD, at_most={"RR(mean=std)": 0.3}).passed
    with pytest.raises(MeasureError, match="neither more nor less of it is better"):
        rm.gate(QRELS, GOOD, GOOD, "RR(mean=std)", max_drop=0.1)


def test_a_baseline_that_decides_nothing_is_refused() -> None:
    with pytest.raises(rm.UsageError, match="a baseline decides nothing without max_drop"):
        rm.gate(QRELS, GOOD, GOOD, at_least={"RR": 0.3})
    with pytest.raises(rm.UsageError, match="max_drop is of measures: say which"):
        rm.gate(QRELS, GOOD, GOOD, max_drop="1%", at_least={"RR": 0.3})


# --- What was evaluated before -----------------------------------------------------------------------------


def stored(run: Any, path: Path, measures: str = "RR", **options: Any) -> Any:
    rm.evaluate(QRELS, run, measures, **options).save(path)
    return rm.load(path)


@pytest.mark.parametrize("hash_inputs", [True, False])
def test_a_stored_baseline_decides_as_its_run_does(tmp_path: Path, hash_inputs: bool) -> None:
    saved = stored(GOOD, tmp_path / "x.rankmark", "RR AP", hash_inputs=hash_inputs)
    for confidence in (None, 0.95):
        fresh = rm.gate(QRELS, GOOD, WORSE, "RR", max_drop="1%", confidence=confidence)
        again = rm.gate(QRELS, saved, WORSE, "RR", max_drop="1%", confidence=confidence)
        assert again.measures == fresh.measures
        path: Any = tmp_path / "x.rankmark"
        for opened in (path, str(path)):
            assert rm.gate(QRELS, opened, WORSE, "RR", max_drop="1%", confidence=confidence).measures == (
                fresh.measures
            )
    said = "baseline: saved without a hash of its judgements; the judged queries are the same"
    assert (said in again.notes) is not hash_inputs
    assert rm.gate(None, saved, saved, "RR", max_drop=0)


def test_limits_need_no_baseline_and_always_a_candidate() -> None:
    assert rm.gate(QRELS, candidate=GOOD, at_least={"RR": 0.5}).measures == ()
    with pytest.raises(rm.UsageError, match="there is no candidate"):
        rm.gate(QRELS, GOOD, measures="RR", max_drop="1%")


def test_a_share_without_its_sign_is_told_where_no_candidate_can_fail() -> None:
    low = {query: ["x", "y", *items] for query, items in GOOD.items()}
    with pytest.raises(ChoiceError, match=r'cannot fail; did you mean "0\.5%"\?'):
        rm.gate(QRELS, low, low, "RR", max_drop=0.5)


def test_a_file_of_something_else_than_a_result_of_a_run_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "x.rankmark"
    rm.compare_results({"a": rm.evaluate(QRELS, GOOD, "RR"), "b": rm.evaluate(QRELS, WORSE, "RR")}).save(path)
    for given in (path, str(path)):
        with pytest.raises(rm.UsageError, match=r"x\.rankmark: a Comparison is neither a run nor the List"):
            rm.gate(QRELS, given, WORSE, "RR", max_drop="1%")
        with pytest.raises(rm.UsageError, match="a Comparison is neither"):
            rm.compare(QRELS, {"a": GOOD, "b": given}, "RR")


def test_the_queries_of_a_stored_baseline_are_found_in_any_order() -> None:
    saved: Any = rm.evaluate(dict(reversed(QRELS.items())), WORSE, "RR")
    (own,) = rm.gate(QRELS, saved, LAST, "RR", max_drop="1%", confidence=0.95).measures
    (fresh,) = rm.gate(QRELS, WORSE, LAST, "RR", max_drop="1%", confidence=0.95).measures
    assert own == fresh


def test_a_stored_baseline_that_was_evaluated_otherwise_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.rankmark"
    saved = stored(GOOD, path, ties="item-asc")
    message = "the baseline was evaluated otherwise: RR with ties:item-asc, here with ties:item-desc"
    with pytest.raises(ChoiceError, match=message):
        rm.gate(QRELS, saved, WORSE, "RR", max_drop="1%")
    with pytest.raises(rm.NotEvaluatedError, match="AP was not evaluated; here are RR"):
        rm.gate(QRELS, saved, WORSE, "AP", max_drop="1%", ties="item-asc")
    with pytest.raises(ChoiceError, match="RR with ties:item-desc, like:none, here with ties:input, like:r"):
        rm.gate(QRELS, stored(GOOD, path), WORSE, "RR", max_drop="1%", like="ranx")


def test_a_stored_baseline_of_other_judgements_is_refused(tmp_path: Path) -> None:
    saved = stored(GOOD, tmp_path / "x.rankmark", hash_inputs=True)
    others = {**QRELS, "q3": {"b": 1}}
    with pytest.raises(DataError, match="the baseline was evaluated against other judgements: their hash is"):
        rm.gate(others, saved, WORSE, "RR", max_drop="1%")
    fewer = {q: items for q, items in QRELS.items() if q != "q3"}
    saved = stored(GOOD, tmp_path / "x.rankmark")
    with pytest.raises(DataError, match="1 are not in both, such as 'q3', which is there alone"):
        rm.gate(fewer, saved, WORSE, "RR", max_drop="1%")


def test_a_baseline_of_another_version_is_told(tmp_path: Path) -> None:
    saved = stored(GOOD, tmp_path / "x.rankmark")
    saved._version = "0.0.9"
    decided = rm.gate(QRELS, saved, WORSE, "RR", max_drop="5%")
    assert f"baseline: evaluated by rankmark 0.0.9, and not {rm.__version__}" in decided.notes


def test_other_records_are_no_baselines() -> None:
    comparison = rm.compare(QRELS, {"a": GOOD, "b": WORSE}, "RR", resamples=9)
    with pytest.raises(rm.UsageError, match="a Comparison is neither a run nor the ListResult of one"):
        rm.gate(QRELS, comparison, WORSE, "RR", max_drop="1%")


def test_json_says_of_what_was_decided() -> None:
    record = json.loads(rm.gate(QRELS, GOOD, WORSE, "RR", max_drop="1%", hash_inputs=True).to_json())
    result = rm.evaluate(QRELS, WORSE, "RR", hash_inputs=True)
    assert record["signatures"] == {"RR": result.signature("RR")}
    assert record["inputs"]["candidate"] == result.inputs
    assert record["inputs"]["baseline"]["qrels"] == result.inputs["qrels"]
    assert record["inputs"]["baseline"]["run"] != result.inputs["run"]
    assert json.loads(rm.gate(QRELS, GOOD, WORSE, "RR", max_drop="1%").to_json())["inputs"] == {}


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("new.run --at-least RR=.97", 0, "passed: RR 0.9750; wanted at least 0.97"),
        ("new.run --at-least RR=.98", 1, "failed: RR 0.9750; wanted at least 0.98"),
        ("new.run --at-least P(rel=1)@1=.9 --at-most MaxRank=2", 0, "MaxRank 1.0500; wanted at most 2"),
        ("new.run --at-least RR=0", 2, "cannot fail"),
        ("new.run --at-least RR", 2, "'RR' is not MEASURE=VALUE"),
        ("new.run --at-least P(rel=1)@1", 2, "is not MEASURE=VALUE"),
        ("new.run --at-least RR=.1 --at-least RR=.2", 2, "the limit of RR is said twice"),
        ("new.run -m RR --max-drop 1%", 2, "give one"),
        ("old.rankmark new.run -m RR --max-drop 3%", 0, "passed: RR 1.0000 → 0.9750"),
        ("old.rankmark new.run -m RR --max-drop 1%", 1, "failed: RR"),
        (
            "old.rankmark new.run -m RR --max-drop 1% --ties best",
            2,
            "the baseline was evaluated otherwise: RR with ties:item-desc, here",
        ),
        ("old.run old.rankmark -m RR --max-drop 1%", 0, "RR 1.0000 → 1.0000"),
        ("old.rankmark --at-least RR=.9", 0, "RR 1.0000"),
        ("old.run new.run new.run -m RR --max-drop 1%", 2, "3 runs given"),
        ("old.run new.run -m RR --max-drop 1% -o qrels.txt", 2, "would overwrite the input"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_limits_and_stored_baselines_on_the_command_line(
    line: str, code: int, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    main(["eval", "qrels.txt", "old.run", "-m", "RR", "-o", "old.rankmark"])
    assert main(["gate", "qrels.txt", *line.split()]) == code
    out, err = capfd.readouterr()
    assert said in (err if code == 2 else out)


@pytest.mark.usefixtures("folder")
def test_what_was_decided_is_written(capfd: pytest.CaptureFixture[str]) -> None:
    line = ["gate", "qrels.txt", "old.run", "new.run", "-m", "RR", "--max-drop", "1%"]
    assert main([*line, "-o", "gate.json"]) == 1
    assert capfd.readouterr().out == ""
    assert list(json.loads(Path("gate.json").read_text())["inputs"]) == ["baseline", "candidate"]
    assert main([*line, "-o", "gate.rankmark"]) == 1
    loaded: Any = rm.load("gate.rankmark")
    assert not loaded
    assert main(["show", "gate.rankmark"]) == 0
    assert capfd.readouterr().out.startswith("failed: RR 1.0000 → 0.9750")


def test_that_a_measure_gains_by_short_lists_is_said_where_it_is_gated() -> None:
    decided = rm.gate(QRELS, GOOD, {"q0": ["a"]}, "MeanRank", max_drop="1%")
    assert any("so that short lists gain" in note for note in decided.notes)
    assert not any("gain" in note for note in rm.gate(QRELS, GOOD, WORSE, "RR", max_drop="5%").notes)


def test_queries_that_are_not_judged_are_noted() -> None:
    qrels, run = {"q1": {"a": 1}}, {"q1": ["a"]}
    more = {**run, "q2": ["a"], "q3": ["a"]}
    noted = rm.gate(qrels, {**run, "q4": ["b"]}, more, "RR", max_drop=0.1).notes
    assert "candidate: 2 queries of the run not judged (left out)" in noted
    assert "baseline: 1 query of the run not judged (left out)" in noted
    assert not any("not judged" in note for note in rm.gate(qrels, run, run, "RR", max_drop=0.1).notes)


MOVED = {f"q{i:02}": {"a": 1} for i in range(30)}
"""Of which the candidate below is worse on 12 and better on 3."""
BEFORE = {query: ["x", "a"] if i >= 27 else ["a"] for i, query in enumerate(MOVED)}
AFTER = {
    query: ["x", "y", "a"] if i < 2 else ["x", "a"] if i < 12 else ["a"] for i, query in enumerate(MOVED)
}


def test_it_tells_which_queries_moved_most() -> None:
    (own,) = rm.gate(MOVED, BEFORE, AFTER, "RR", max_drop=0.01).measures
    assert (own.worse, own.better, len(own.moved)) == (12, 3, 10)
    assert [each.query for each in own.moved[:3]] == ["q00", "q01", "q02"]
    assert (own.moved[0].baseline, own.moved[0].candidate) == (1, 1 / 3)


def test_of_measures_of_which_less_is_better_more_is_worse() -> None:
    (own,) = rm.gate(MOVED, BEFORE, AFTER, "MaxRank", max_drop=0.01).measures
    assert (own.worse, own.better) == (12, 3)


def test_several_seeds_move_a_query_by_their_mean() -> None:
    (own,) = rm.gate(MOVED, [BEFORE, BEFORE], [AFTER, BEFORE], "RR", max_drop=0.01).measures
    assert own.moved[0].candidate == pytest.approx(2 / 3)


def test_what_has_no_values_of_queries_moves_none() -> None:
    table = {"label": [1, 1, 0, 0], "old": [4, 3, 2, 1], "new": [4, 3, 1, 2]}
    gate = rm.gate_predictions(table, {"old": "old", "new": "new"}, "AUC", baseline="old", max_drop=0.1)
    assert (gate.measures[0].better, gate.measures[0].moved) == (None, ())
    assert "changed most" not in gate.to_markdown()


def test_in_markdown_the_verdict_stands_first_then_the_table_then_the_queries() -> None:
    gate = rm.gate(MOVED, BEFORE, AFTER, "RR", max_drop="1%", at_least={"P@1": 0.5}, confidence=0.95)
    text = gate.to_markdown()
    assert text.startswith("**failed**\\\nfailed: RR 0.9500 → 0.7889, worse by 16.96%")
    lines = text.splitlines()
    header = next(line for line in lines if line.startswith("| measure | baseline"))
    assert [each.strip() for each in header.split("|")[1:-1]] == [
        "measure",
        "baseline",
        "candidate",
        "drop",
        "95% bound",
        "allowed",
        "verdict",
    ]
    assert any(line.startswith("| P@1     |          |    0.6000 |") for line in lines)
    assert "RR: of 30 queries 12 worse, 3 better, 15 unchanged" in text
    assert "| RR      | q00   |   1.0000 |    0.3333 | -0.6667 |" in lines
    assert text.index("Queries that changed most") < text.index("baseline: 30 queries judged")
    assert ">failed</div>" in gate.to_html()


def test_in_its_table_what_is_better_is_no_drop_below_none() -> None:
    assert "| 20.42% better |" in rm.gate(MOVED, AFTER, BEFORE, "RR", max_drop="1%").to_markdown()
    assert "| 0.1611 better |" in rm.gate(MOVED, AFTER, BEFORE, "RR", max_drop=0.01).to_markdown()


def test_a_saved_gate_has_its_queries_again(tmp_path: Path) -> None:
    gate = rm.gate(MOVED, BEFORE, AFTER, "RR", max_drop=0.01)
    gate.save(tmp_path / "gate.rankmark")
    assert rm.load(tmp_path / "gate.rankmark") == gate
