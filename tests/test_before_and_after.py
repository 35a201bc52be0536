"""What users write without rankmark and with it gives the same numbers, and is of as many lines as said."""

from __future__ import annotations

import ast
import importlib
import linecache
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from installed import peer
from rankmark.language import registry

os.environ.setdefault("KERAS_BACKEND", "torch")
PAGE = (Path(__file__).parent.parent / "examples" / "before_and_after.md").read_text()
HEAD, *REST = re.split(r"^## (.*)$", PAGE, flags=re.MULTILINE)
BLOCK = re.compile(r"^```python ?(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECTIONS = {
    name: BLOCK.findall(text) for name, text in zip(REST[::2], REST[1::2], strict=True) if name != "Inputs"
}
PACKAGES = {"sklearn": "scikit-learn", "pytrec_eval": "pytrec-eval-terrier", "sentence_transformers": ""}
"""What modules are installed as that are called otherwise."""


def ran(code: str, names: dict[str, Any]) -> Any:
    """What the last line of some code is; None where it is no expression."""
    file = f"<before and after {len(linecache.cache)}>"
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)  # which CatBoost reads
    *lines, last = ast.parse(code).body
    if not isinstance(last, ast.Expr):
        exec(compile(code, file, "exec"), names)
        return None
    exec(compile(ast.Module(lines, []), file, "exec"), names)
    return eval(compile(ast.Expression(last.value), file, "eval"), names)


def listed(found: Any) -> list[Any]:
    """Numbers or words; those of a dict by its keys."""
    if isinstance(found, dict):
        return [found[key] for key in sorted(found, key=str)]
    return list(found) if isinstance(found, list | tuple) else np.ravel(found).tolist()


def modules(code: str) -> set[str]:
    """The modules that some code imports."""
    nodes = list(ast.walk(ast.parse(code)))
    named = {each.name for node in nodes if isinstance(node, ast.Import) for each in node.names}
    return named | {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}


@pytest.fixture
def left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What the pages change for a whole process is as it was before."""
    monkeypatch.chdir(tmp_path)
    for name in ("MLFLOW_TRACKING_URI", "MLFLOW_DISABLE_TELEMETRY"):
        monkeypatch.setenv(name, "")
    pages, referred = dict(registry.pages()), dict(registry._REFERRED)
    yield
    for known, before in ((registry._PAGES, pages), (registry._REFERRED, referred)):
        known.clear()
        known.update(before)
    for kept in registry._REMEMBERED:
        kept.cache_clear()
    rm.hooks.ir_measures.unregister()
    importlib.import_module("sklearn").set_config(enable_metadata_routing=False)


@pytest.mark.usefixtures("left_alone")
@pytest.mark.peer
@pytest.mark.filterwarnings("ignore")  # of the tools
@pytest.mark.timeout(600)  # a busy machine imports some of them slowly
@pytest.mark.parametrize("name", SECTIONS)
def test_both_give_the_same(name: str) -> None:
    code = [BLOCK.findall(HEAD)[0][1], *(block for _, block in SECTIONS[name])]
    for module in sorted(set().union(*map(modules, code))):
        if not module.startswith("rankmark"):
            package = module.split(".")[0]
            peer(module, PACKAGES.get(package) or package)
    names: dict[str, Any] = {}
    ran(code[0], names)
    found = {kind: ran(block, names) for kind, block in SECTIONS[name]}
    before, after = listed(found["before"]), listed(found["after"])
    if isinstance(before[0], str):
        assert after == before
    else:
        np.testing.assert_allclose(after, before, rtol=2e-6)


def test_the_table_says_of_how_many_lines_each_is() -> None:
    lines = {
        name: {kind: str(sum(map(bool, block.splitlines()))) for kind, block in blocks if kind}
        for name, blocks in SECTIONS.items()
    }
    said = re.findall(r"^\| ([^|]+) \| (\d+) \| (\d+) \|$", HEAD, re.MULTILINE)
    counted = [(name, of["before"], of["after"]) for name, of in lines.items() if "same script" not in name]
    assert said == counted
