"""The fixture in a test run of its own, in which the plugin is loaded as the entry point loads it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import rankmark as rm
from installed import beside, has_plugin
from processes import python

pytest_plugins = ["pytester"]
tool_version = beside("pytest")

PLUGIN = "rankmark.hooks.pytest_plugin"
RUNS = """
    qrels = {f"q{i}": {"a": 1} for i in range(30)}
    good = {query: ["a", "b"] for query in qrels}
    bad = {query: ["b", "a"] for query in qrels}
"""


@pytest.fixture(autouse=True, scope="module")
def all_loaded() -> None:
    """A run within this one would load modules again that can be loaded once."""
    qrels = {"q": {"a": 1}}
    rm.gate(qrels, None, qrels, at_least={"RR": 0.1}).to_table()
    rm.gate_predictions({"label": [0, 1], "score": [0, 1]}, "score", at_least={"AUC": 0.1})


def outcome(pytester: pytest.Pytester, test: str) -> pytest.RunResult:
    """What a test of that name and body comes to."""
    pytester.makepyfile(f"def test_it(rankmark_gate):\n{RUNS}    {test}\n")
    # Where rankmark is installed with its entry point, the plugin is loaded by that.
    here = [] if has_plugin() else ["-p", PLUGIN]
    return pytester.runpytest_inprocess(*here, "-p", "no:cacheprovider", "-q")


def test_a_candidate_that_passes_passes_the_test(pytester: pytest.Pytester) -> None:
    done = outcome(
        pytester,
        """gate = rankmark_gate(qrels, good, good, "RR", max_drop=0.01)
    assert gate.measures[0].candidate == 1""",
    )
    done.assert_outcomes(passed=1)


def test_one_that_fails_fails_it_with_the_verdict_and_the_queries(pytester: pytest.Pytester) -> None:
    done = outcome(pytester, 'rankmark_gate(qrels, good, bad, "RR", max_drop=0.01)')
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "*rankmark_gate(qrels, good, bad,*",
            "E *failed: RR 1.0000 → 0.5000, worse by 0.5; allowed 0.01; decided by*",
            "E *measure *baseline *candidate *verdict",
            "E *RR *1.0000 *0.5000 *failed",
            "E *RR: of 30 queries 30 worse, 0 better, 0 unchanged",
            "E *q0 *1.0000 *0.5000 *-0.5000",
        ]
    )
    assert "pytest_plugin.py" not in done.stdout.str()


def test_files_and_limits_decide_too(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("qrels.txt").write_text("q 0 a 1\n")
    pytester.path.joinpath("new.run").write_text("q Q0 b 1 2 x\nq Q0 a 2 1 x\n")
    done = outcome(pytester, 'rankmark_gate("qrels.txt", None, "new.run", at_least={"RR": 0.6})')
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["E *failed: RR 0.5000; wanted at least 0.6*"])


def test_predictions_have_a_gate(pytester: pytest.Pytester) -> None:
    done = outcome(
        pytester,
        """table = {"label": [1, 0, 1, 0], "old": [4, 1, 3, 2], "new": [1, 4, 2, 3]}
    systems = {"old": "old", "new": "new"}
    rankmark_gate.predictions(table, systems, "AUC", baseline="old", max_drop=0.1)""",
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["E *failed: AUC 1.0000 → 0.0000, worse by 1;*"])


def test_the_entry_point_is_the_plugin() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"rankmark": PLUGIN}


@pytest.mark.process
def test_the_plugin_alone_loads_next_to_nothing() -> None:
    script = f"""
import sys, {PLUGIN}
print({{"numpy", "scipy", "polars", "rankmark._native", "rankmark.comparing"}} & set(sys.modules))
"""
    assert python(script) == "set()\n"
