"""The examples run as they are."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from installed import has_plugin, peer
from processes import ran

FOLDER = Path(__file__).parent.parent / "examples"
SCRIPTS = sorted(each.name for each in FOLDER.glob("*.py"))


def imported(script: Path) -> Iterator[str]:
    """The modules that a script imports at its top."""
    for line in ast.parse(script.read_text()).body:
        if isinstance(line, ast.Import):
            yield from (each.name for each in line.names)
        elif isinstance(line, ast.ImportFrom):
            yield str(line.module)


@pytest.mark.process
@pytest.mark.parametrize("name", SCRIPTS)
def test_it_runs(name: str, tmp_path: Path) -> None:
    for module in imported(FOLDER / name):
        if module != "__future__" and not module.startswith("rankmark"):
            peer(module, module.split(".")[0])
    if name == "pytest_gate.py" and not has_plugin():
        pytest.skip("rankmark was installed before it had a plugin of pytest: install it again")
    # What tests in this process left of tools' own, such as which experiment is theirs.
    own = {name: value for name, value in os.environ.items() if not name.startswith(("MLFLOW_", "PYTEST_"))}
    done = ran([sys.executable, str(FOLDER / name)], cwd=tmp_path, env=own)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_page_lists_every_script_once() -> None:
    assert sorted(re.findall(r"\((\w+\.py)\)", (FOLDER / "README.md").read_text())) == SCRIPTS
