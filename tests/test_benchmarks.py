"""The benchmarks run, and what they compare computes the same; how long it takes is not tested."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # the benchmarks are no part of the installed package

from benchmarks import memory, report
from benchmarks.__main__ import main, run_case
from benchmarks.cases import CASES
from benchmarks.contenders import MEASURES, polars, rankmark
from benchmarks.timing import check_agreement

ROWS = 2_000


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_every_case_runs(case):
    outcome = run_case(case, ROWS, 1, with_memory=False)
    assert {*outcome.timings, *outcome.skipped} == {contender.name for contender in case.contenders}
    assert next(iter(outcome.ratios.values())) == 1
    table = report.markdown([outcome], 1, report.machine())
    assert all(contender.name in table for contender in case.contenders)
    assert json.loads(report.as_json([outcome], 1, {}))["cases"][case.letter]["results"] == outcome.results


@pytest.mark.parametrize("letter", ["A", "B", "C"])
def test_the_polars_pipeline_agrees(letter, tmp_path):
    data = CASES[letter].generate(ROWS, tmp_path)
    ours, theirs = rankmark(data)(), polars(data)()
    assert list(ours) == list(theirs) == list(MEASURES)
    assert ours == pytest.approx(theirs, rel=0, abs=1e-9)
    assert all(0 < value < 1 for value in ours.values())


def test_contenders_that_disagree_are_not_timed():
    with pytest.raises(SystemExit, match=r"AP is 0\.5 by a, 0\.6 by b"):
        check_agreement({"a": {"AP": 0.5}, "none": None, "b": {"AP": 0.6}})
    with pytest.raises(SystemExit, match="AP is nan by a"):
        check_agreement({"a": {"AP": float("nan")}, "b": {"AP": 0.6}})


@pytest.mark.skipif(not memory.AVAILABLE, reason="needs Linux and pyarrow")
def test_peak_memory(tmp_path):
    case = CASES["A"]
    data = case.generate(ROWS, tmp_path)
    data.save()
    assert 0 <= memory.peak_memory(case, case.contenders[0], data) < 2**28


def test_too_many_rows_are_skipped_and_the_reason_is_given():
    [reason] = {c.unable(1_000_001) for c in CASES["A"].contenders if c.needs == "pytrec_eval"}
    assert reason is not None


@pytest.mark.parametrize("wrong", [["--case", "A,X"], ["--rows", "0"], ["--repeat", "many"]])
def test_wrong_options(wrong, capsys):
    with pytest.raises(SystemExit):
        main(wrong)
    assert "Traceback" not in capsys.readouterr().err
