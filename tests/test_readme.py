"""What the README shows is what one sees."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from processes import ran
from rankmark.commands.shop import show

README = Path(__file__).parent.parent / "README.md"
COMMANDS = re.compile(r"^```\n\$ (rankmark [^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readme")
    for _ in show(folder / "rankmark-demo"):
        pass
    return folder


def test_the_python_examples_print_what_the_readme_says() -> None:
    block = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert block
    # An empty line within what is printed would end it for doctest.
    text = re.sub(r"\n\n(?=[^>\n])", "\n<BLANKLINE>\n", block[1])
    examples = doctest.DocTestParser().get_doctest(text, {}, "README", str(README), 0)
    assert examples.examples
    assert doctest.DocTestRunner().run(examples).failed == 0


@pytest.mark.process
@pytest.mark.parametrize(("command", "output"), COMMANDS.findall(README.read_text()))
def test_the_commands_print_what_the_readme_says(command: str, output: str, folder: Path) -> None:
    rankmark = [str(Path(sys.executable).with_name("rankmark")), *shlex.split(command)[1:]]
    assert ran(rankmark, cwd=folder, stderr=subprocess.STDOUT).stdout == output


def test_every_module_and_folder_that_the_readme_names_is_there() -> None:
    root = README.parent
    named = re.findall(r"`([\w/]+(?:\.rs|\.py|/))`", README.read_text())
    assert named
    for name in named:
        assert any((root / base / name).exists() for base in ("", "native/src/core", "src/rankmark")), name
