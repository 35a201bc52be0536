from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from installed import beside, peer
from rankmark.errors import UsageError

tool_version = beside("wandb")
pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

QRELS = {f"q{i}": {"a": 2, "b": 1} for i in range(6)}
OLD = {query: ["b", "x"] if i % 2 else ["x", "a"] for i, query in enumerate(QRELS)}
NEW = {query: ["a", "b"] for query in QRELS}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A run that is kept in a folder, without a network."""
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.setenv("WANDB_SILENT", "true")
    monkeypatch.setenv("WANDB_ERROR_REPORTING", "false")
    with peer("wandb", "wandb").init(mode="offline", project="tried") as started:
        yield started


def test_a_result_is_logged_with_signatures_and_a_table(run: Any) -> None:
    result = rm.evaluate(QRELS, OLD, ["nDCG@10", "P(rel=2)@1"], intervals=True, hash_inputs=True)
    rm.hooks.wandb.log(result)
    logged = dict(run.summary)
    assert {name: logged[name] for name in result.to_dict("plain")} == result.to_dict("plain")
    kept = run.config["rankmark"]
    assert kept["signature"]["p_rel_2_at_1"] == result.signature("P(rel=2)@1")
    assert kept["inputs"] == result.inputs
    (table,) = Path(run.dir).glob("media/table/*.json")
    shown = json.loads(table.read_text())
    assert shown["columns"] == result.per_query.columns
    assert shown["data"] == [list(row) for row in result.per_query.rows()]
    (page,) = Path(run.dir).glob("media/html/*.html")
    assert "nDCG@10" in page.read_text()


def test_a_step_has_metrics_alone_under_a_prefix(run: Any) -> None:
    for epoch, found in enumerate([OLD, NEW]):
        rm.hooks.wandb.log(rm.evaluate(QRELS, found, "RR"), run=run, prefix="valid/", step=epoch)
    run.log({"end": 1}, step=2)  # which commits the step before
    assert run.summary["valid/rr"] == 1
    assert run.config["valid/rankmark"]["signature"]["rr"].startswith("RR|")
    assert not list(Path(run.dir).glob("media/**/*.json"))


def test_comparisons_and_gates_are_logged(run: Any) -> None:
    rm.hooks.wandb.log(rm.compare(QRELS, {"old": OLD, "new": NEW}, "RR", baseline="old"), prefix="compared/")
    assert run.summary["compared/new_vs_old_rr_difference"] == 0.25
    rm.hooks.wandb.log(rm.gate(QRELS, NEW, OLD, "RR", max_drop=0.01))
    assert run.summary["passed"] == 0
    assert run.config["rankmark"]["verdict"] == "failed"


def test_without_a_run_and_without_a_result_it_says_so() -> None:
    with pytest.raises(UsageError, match=r"there is no run of W&B to log to: call wandb\.init\(\) first"):
        rm.hooks.wandb.log(rm.evaluate(QRELS, OLD, "RR"))
    with pytest.raises(UsageError, match=r"^0\.5 has no numbers to log"):
        rm.hooks.wandb.log(0.5)
