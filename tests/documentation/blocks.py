"""Blocks of code on pages of Markdown, and how each kind is run: what it prints is what the page says.

A block of Python with prompts is a doctest; one without runs, and one that begins with the name of a file is
written there. Of a console each command after `$` prints what stands beneath it. In a shell each command of
rankmark ends well, and of `make` and `pip` what is named is there. The rest is only shown.
"""

from __future__ import annotations

import ast
import doctest
import importlib.util
import re
import shlex
import sys
import tomllib
import warnings
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from rankmark.cli import main

ROOT = Path(__file__).parents[2]
FENCE = re.compile(
    r"^(?P<fence>`{3,})(?P<language>[^\n`]*)\n(?P<code>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL
)
SHOWN = {"text", "yaml", "toml", "json", "latex", "bibtex", "diff"}
"""Languages of blocks that are not run."""
FILE = re.compile(r"# (\w+\.py)\n")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
TARGETS = set(re.findall(r"^([a-z_-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    page: Path
    line: int
    language: str
    code: str

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page in their order; those of directives, such as a list of pages, are none."""
    text = page.read_text()
    for found in FENCE.finditer(text):
        language = found["language"].strip()
        if not language.startswith("{"):
            line = text.count("\n", 0, found.start("code")) + 1
            yield Block(page, line, language or kind(found["code"]), found["code"])


def kind(code: str) -> str:
    """What a block is that does not say so."""
    if code.startswith("$ "):
        return "console"
    return "sh" if code.startswith(("rankmark ", "make ", "pip ", "python ")) else "text"


def run(block: Block, names: dict[str, Any]) -> None:
    """Runs a block in the current folder, with the names that the page had so far."""
    if block.language in SHOWN:
        return
    runs = {"python": python, "console": console, "sh": shell}
    assert block.language in runs, f"{block}: no such language is known here: {block.language!r}"
    runs[block.language](block, names)


def python(block: Block, names: dict[str, Any]) -> None:
    lacking = sorted(each for each in modules(block.code) if importlib.util.find_spec(each) is None)
    if lacking:
        reason = f"NOT COMPARED: {block} takes {', '.join(lacking)}, not installed"
        warnings.warn(reason, pytest.PytestWarning, stacklevel=1)
        return
    if file := FILE.match(block.code):
        Path(file[1]).write_text(block.code)
        importlib.invalidate_caches()
    if ">>> " in block.code:
        prompted(block, names)
    else:
        exec(compile("\n" * (block.line - 1) + block.code, str(block.page), "exec"), names)


def modules(code: str) -> set[str]:
    """The packages that some code imports."""
    lines = [line[4:] if line.startswith((">>> ", "... ")) else line for line in code.splitlines()]
    found = "\n".join(line for line in lines if line.startswith(("import ", "from ")))
    nodes = ast.parse(found).body
    named = [each.name for node in nodes if isinstance(node, ast.Import) for each in node.names]
    named += [str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)]
    return {each.split(".")[0] for each in named}


def prompted(block: Block, names: dict[str, Any]) -> None:
    # An empty line within what is printed would end it for doctest.
    text = re.sub(r"\n\n(?=[^>\n])", "\n<BLANKLINE>\n", block.code)
    examples = doctest.DocTestParser().get_doctest(text, {}, str(block), str(block.page), block.line - 1)
    assert examples.examples
    examples.globs = names
    told = StringIO()
    failed = doctest.DocTestRunner(verbose=False).run(
        examples, out=lambda line: print(line, end="", file=told), clear_globs=False
    )
    assert failed.failed == 0, told.getvalue()


def console(block: Block, _: dict[str, Any]) -> None:
    for command, output in re.findall(
        r"^\$ ([^\n]*)\n(.*?)(?=^\$ |\Z)", block.code, re.MULTILINE | re.DOTALL
    ):
        printed = called(command)[1]
        assert printed == output, f"{block}: {command}"


def shell(block: Block, _: dict[str, Any]) -> None:
    for line in block.code.replace("\\\n", " ").splitlines():
        program, *words = shlex.split(line, comments=True) or [""]
        if program == "rankmark":
            code, printed = called(line)
            assert code < 2, f"{block}: {line}\n{printed}"
        elif program == "make":
            assert {each for each in words if "=" not in each} <= TARGETS, f"{block}: {line}"
        elif program == "pip":
            named = re.findall(r"rankmark\[([\w,]+)\]", line)
            assert {extra for each in named for extra in each.split(",")} <= EXTRAS.keys(), f"{block}: {line}"
        else:
            assert not program, f"{block}: {program} is not run: {line}"


def called(command: str) -> tuple[int, str]:
    """The exit code of a command of rankmark, and all that it prints."""
    raw = BytesIO()  # which what trec_eval prints goes to
    printed = TextIOWrapper(raw, "utf-8", write_through=True)
    with redirect_stdout(printed), redirect_stderr(printed):
        code = main(shlex.split(command, comments=True)[1:])
    return code, raw.getvalue().decode()


def forget(folder: Path) -> None:
    """Lets go of the modules that were written to a folder."""
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]
