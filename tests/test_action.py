"""The GitHub Action does what it says; its steps run in bash, as there."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from installed import peer
from processes import ran

ACTION = Path(__file__).parent.parent / "action.yml"
pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(os.name == "nt", reason="GitHub's bash is another there"),
]


@pytest.fixture
def action() -> Any:
    return peer("yaml", "PyYAML").safe_load(ACTION.read_text())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With judgements, two runs, and the commands that the steps call."""
    (tmp_path / "qrels.txt").write_text("".join(f"q{i} 0 a 1\n" for i in range(30)))
    for name, items in (("base.run", "ab"), ("new one.run", "ba")):
        lines = [f"q{i} Q0 {item} {rank} {-rank} x\n" for i in range(30) for rank, item in enumerate(items)]
        (tmp_path / name).write_text("".join(lines))
    command(tmp_path / "bin" / "rankmark", f'exec "{sys.executable}" -m rankmark "$@"')
    command(tmp_path / "bin" / "python", 'printf "%s\\n" "$@"')
    return tmp_path


def command(path: Path, script: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def step(action: Any, name: str, folder: Path, **inputs: str) -> CompletedProcess[str]:
    """Runs a step with these inputs, as a composite action is run."""
    (own,) = (each for each in action["runs"]["steps"] if each["id"] == name)
    assert own["shell"] == "bash"
    given = {key: each.get("default") for key, each in action["inputs"].items()} | inputs
    environment = {
        key: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], value)
        for key, value in own["env"].items()
    }
    environment |= {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_ACTION_PATH": str(ACTION.parent),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_OUTPUT": str(folder / "output"),
    }
    assert "${{" not in own["run"], "what users say comes by the environment, and is never run"
    bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", own["run"]]
    return ran(bash, cwd=folder, env={**os.environ, **environment})


def outputs(folder: Path) -> Mapping[str, str]:
    """What the step gave, as GitHub reads it."""
    found = re.findall(
        r"^(\w+)(?:=(.*)|<<(.+)\n((?:.*\n)*?)\3)$", (folder / "output").read_text(), re.MULTILINE
    )
    return {name: line or block for name, line, _, block in found}


def test_it_fails_where_the_gate_does_and_says_why(action: Any, folder: Path) -> None:
    arguments = "qrels.txt base.run 'new one.run'\n-m RR --max-drop 1%"
    done = step(action, "gate", folder, arguments=arguments)
    assert done.returncode == 1
    summary = (folder / "summary.md").read_text()
    assert summary.startswith(
        "**failed**\\\nfailed: RR 1.0000 → 0.5000, worse by 50%; allowed 1%; decided by"
    )
    assert "| RR      |   1.0000 |    0.5000 |  50% |      1% |  failed |" in summary
    assert "RR: of 30 queries 30 worse, 0 better, 0 unchanged" in summary
    assert "failed: RR" in done.stderr
    found = outputs(folder)
    assert found["passed"] == "false"
    assert json.loads(found["json"])["measures"][0]["candidate"] == 0.5


def test_it_passes_where_the_gate_does(action: Any, folder: Path) -> None:
    done = step(action, "gate", folder, arguments="qrels.txt base.run base.run -m RR --max-drop 1%")
    assert done.returncode == 0, done.stderr
    assert (folder / "summary.md").read_text().startswith("**passed**")
    assert outputs(folder)["passed"] == "true"


def test_what_cannot_be_decided_is_told(action: Any, folder: Path) -> None:
    done = step(
        action, "gate", folder, arguments="qrels.txt base.run $(touch run-by-a-shell) -m RR --max-drop 1%"
    )
    assert done.returncode == 2
    summary = (folder / "summary.md").read_text()
    assert summary.startswith("**not decided**\n\n```\nrankmark: error: ")
    assert not (folder / "run-by-a-shell").exists()
    assert not (folder / "output").exists()


def test_it_installs_its_own_version_or_what_is_said(action: Any, folder: Path) -> None:
    assert step(action, "install", folder).stdout.split() == [
        "-m",
        "pip",
        "install",
        "--quiet",
        str(ACTION.parent),
    ]
    assert step(action, "install", folder, rankmark="rankmark==1.2").stdout.split()[-1] == "rankmark==1.2"


def test_its_outputs_are_those_of_its_steps(action: Any) -> None:
    steps = {each["id"] for each in action["runs"]["steps"]}
    for name, each in action["outputs"].items():
        found = re.fullmatch(r"\$\{\{ steps\.(\w+)\.outputs\.(\w+) \}\}", each["value"])
        assert found is not None
        assert found[1] in steps
        assert found[2] == name
