"""What contributors are told holds: the worked example works, and the forms, hooks and pages are in order."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from processes import ran

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "CONTRIBUTING.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def loaded(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text())


@pytest.mark.process
def test_the_measure_of_the_guide_is_one_file(tmp_path: Path) -> None:
    (source,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    (place,) = set(re.findall(r"`src/(rankmark/measures/lists/\w+\.py)`", GUIDE))
    shutil.copytree(
        Path(rm.__file__).parent, tmp_path / "rankmark", ignore=shutil.ignore_patterns("__pycache__")
    )
    page = tmp_path / place
    assert not page.exists()
    page.write_text(source)
    script = (
        "import doctest, importlib, json, rankmark as rm\n"
        f"module = importlib.import_module({place.removesuffix('.py').replace('/', '.')!r})\n"
        "assert doctest.testmod(module) == (0, 3)\n"
        "qrels, run = {'q': {'a': 2, 'b': 1}}, {'q': ['a', 'b']}\n"
        "found = rm.evaluate(qrels, run, 'AllTop(rel=2)@1, AllTop@2')\n"
        "signature = found.signature('AllTop@2')\n"
        "assert rm.from_signature(signature).measure == rm.AllTop @ 2\n"
        "print(json.dumps(found.values))\n"
    )
    done = ran([sys.executable, "-W", "error", "-c", script], env={"PYTHONPATH": str(tmp_path)}, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"AllTop(rel=2)@1": 1.0, "AllTop@2": 1.0}


def test_what_the_guide_names_is_there() -> None:
    for name in re.findall(r"`((?:src|tests|docs|fuzz|examples)/[\w./]+)`", GUIDE):
        assert (ROOT / name).exists() or name.endswith("all_top.py"), name
    for command in re.findall(r"^make (\w+)|`make (\w+)", GUIDE, re.MULTILINE):
        assert re.search(rf"^{''.join(command)}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_pages_link_to_what_is_there() -> None:
    for page in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "changes/README.md"):
        path = ROOT / page
        for link in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
            assert (path.parent / link).exists(), f"{page}: {link}"


def test_the_citation_is_of_this_version() -> None:
    """The fields that the Citation File Format 1.2.0 asks for, and no others than it knows."""
    cited = loaded("CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert cited.keys() <= {
        *("abstract", "authors", "cff-version", "commit", "contact", "date-released", "doi", "identifiers"),
        *("keywords", "license", "license-url", "message", "preferred-citation", "references", "repository"),
        *("repository-artifact", "repository-code", "title", "type", "url", "version"),
    }
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "software")
    assert all(author.keys() & {"name", "family-names"} for author in cited["authors"])
    assert (cited["version"], cited["license"]) == (rm.__version__, PROJECT["project"]["license"])


def test_the_changelog_has_this_version() -> None:
    assert re.search(rf"^## {re.escape(rm.__version__)} ", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)


def test_changes_are_of_a_kind_that_is_known() -> None:
    kinds = {each["directory"] for each in PROJECT["tool"]["towncrier"]["type"]}
    assert set(re.findall(r"^\| (\w+) \|", (ROOT / "changes/README.md").read_text(), re.MULTILINE)) == {
        "kind",
        *kinds,
    }
    for each in (ROOT / "changes").glob("*"):
        if each.name != "README.md":
            name, kind, ending = each.name.split(".")
            assert (bool(name), kind in kinds, ending) == (True, True, "md"), each.name
            assert each.read_text().strip().endswith(".")


@pytest.mark.parametrize("form", ["bug.yml", "number.yml"])
def test_forms_ask_for_what_is_needed(form: str) -> None:
    asked = loaded(f".github/ISSUE_TEMPLATE/{form}")
    assert {"name", "description", "body"} <= asked.keys()
    fields = [each for each in asked["body"] if each["type"] != "markdown"]
    assert all(each["type"] in ("input", "textarea", "dropdown", "checkboxes") for each in fields)
    ids = [each["id"] for each in fields]
    assert len({*ids}) == len(ids)
    assert all(each["attributes"]["label"] for each in fields)
    if form == "number.yml":
        required = {each["id"] for each in fields if each.get("validations", {}).get("required")}
        assert {"signature", "files"} <= required


def test_hooks_run_what_lint_runs_and_fetch_nothing() -> None:
    lint = (ROOT / "Makefile").read_text().partition("\nlint:")[2].partition("\n\n")[0]
    for repository in loaded(".pre-commit-config.yaml")["repos"]:
        assert repository["repo"] == "local"
        for hook in repository["hooks"]:
            assert {"id", "name", "entry", "language"} <= hook.keys()
            assert hook["language"] == "system"
            tool = hook["entry"].replace(".venv/bin/", "$(BIN)/").removesuffix(" --force-exclude")
            assert tool in lint


def test_the_nightly_workflow_fuzzes() -> None:
    (steps,) = [
        job["steps"]
        for job in loaded(".github/workflows/nightly.yml")["jobs"].values()
        if "fuzz" in job["name"]
    ]
    assert any("make fuzz" in step.get("run", "") for step in steps)
