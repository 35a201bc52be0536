"""GitHub's workflows call what there is, pin what they take from others, and may do little."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from installed import peer

PROJECT = Path(__file__).parent.parent
WORKFLOWS = sorted((PROJECT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.stem)
def text(request: pytest.FixtureRequest) -> str:
    path: Path = request.param
    return path.read_text()


@pytest.fixture
def workflow(text: str) -> Any:
    return peer("yaml", "PyYAML").safe_load(text)


def steps(workflow: Any) -> list[Any]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_there_are_workflows() -> None:
    assert {"ci", "release"} <= {path.stem for path in WORKFLOWS}


def test_what_make_and_nox_are_asked_for_is_there(workflow: Any) -> None:
    commands = "\n".join(step.get("run", "") for step in steps(workflow))
    targets = re.findall(r"^([\w$()/.-]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"\bmake (\w+)$", commands, re.MULTILINE)) <= set(targets)
    sessions = re.findall(r"^def (\w+)\(session", (PROJECT / "noxfile.py").read_text(), re.MULTILINE)
    asked = {each for words in re.findall(r"nox -s ([a-z ]+)", commands) for each in words.split()}
    assert asked <= set(sessions)


def test_actions_of_others_are_pinned(workflow: Any) -> None:
    used = [step["uses"] for step in steps(workflow) if "uses" in step]
    assert used
    assert [each for each in used if not re.search(r"@(v\d+|release/v\d+|[0-9a-f]{40})$", each)] == []


def test_only_the_job_that_needs_it_may_write(workflow: Any) -> None:
    assert workflow["permissions"] == {"contents": "read"}
    writing = {
        name: sorted(what for what, how in job["permissions"].items() if how == "write")
        for name, job in workflow["jobs"].items()
        if "permissions" in job
    }
    allowed = {
        "announce": ["contents"],
        "publish": ["id-token"],
        "together": ["attestations", "id-token"],
    }
    assert writing.items() <= allowed.items()
    for step in steps(workflow):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_no_secret_is_needed(text: str) -> None:
    assert "secrets." not in text


def test_what_others_write_is_no_part_of_a_script(workflow: Any) -> None:
    scripts = [step["run"] for step in steps(workflow) if "run" in step]
    assert [each for each in scripts if "${{" in each] == []
