"""Shells complete commands, options and files; manual pages have them all."""

from __future__ import annotations

import os
import re
import shutil
import sys
from importlib import util
from pathlib import Path

import pytest

from processes import ran
from rankmark.cli import COMMANDS, command_named, main

SCRIPT = Path(__file__).parents[2] / "scripts" / "man_pages.py"
COMMAND = [sys.executable, "-c", "import sys; from rankmark.cli import main; sys.exit(main())"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"_RANKMARK_COMPLETE={shell}_complete" in script
    assert "rankmark" in script


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "tcsh"]) == 2
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in capsys.readouterr().err


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "place", "expected"),
    [
        ("rankmark eval-p", 1, "plain,eval-preferences"),
        ("rankmark eval --short-s", 2, "plain,--short-signature"),
        ("rankmark eval qre", 2, "file,qre"),
        ("rankmark eval qrels.txt a.run --items it", 5, "file,it"),
    ],
)
def test_words_are_completed(words: str, place: int, expected: str) -> None:
    asked = {"_RANKMARK_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(place)}
    assert ran(COMMAND, env=os.environ | asked).stdout.split() == [expected]


@pytest.mark.process
@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
def test_bash_understands_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    main(["completion", "bash"])
    assert ran(["bash", "-n", "-c", capsys.readouterr().out]).returncode == 0


def test_manual_pages_have_every_command_and_option(tmp_path: Path) -> None:
    spec = util.spec_from_file_location("man_pages", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = module.write(tmp_path)
    assert {path.stem for path in written} == {"rankmark", *(f"rankmark-{name}" for name in COMMANDS)}
    for name in COMMANDS:
        page = (tmp_path / f"rankmark-{name}.1").read_text()
        assert re.search(rf"^rankmark\\-{name.replace('-', '.+')} \\- \w", page, re.MULTILINE)
        for option in command_named(name).params:  # type: ignore[union-attr]
            if not getattr(option, "hidden", False) and option.opts[0].startswith("-"):
                assert option.opts[-1].replace("-", "\\-") in page
