from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rankmark.errors import ToolMissingError, UsageError
from rankmark.tools import base, tool


def test_a_tool_that_is_not_installed_is_said_with_what_to_install() -> None:
    with pytest.raises(
        ToolMissingError, match=r"^no_such_tool is not installed: pip install no-such-tool$"
    ) as said:
        tool("no_such_tool.part", "no-such-tool")
    assert isinstance(said.value, ImportError)
    assert isinstance(said.value, UsageError)


def test_a_tool_that_lacks_something_itself_says_what(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_tool.py").write_text("import no_such_part")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(
        ToolMissingError, match=r"^broken_tool cannot be imported: No module named 'no_such_part'$"
    ):
        tool("broken_tool", "broken-tool")
    assert "broken_tool" not in sys.modules


def test_what_derives_from_a_tool_that_is_not_installed_cannot_be_made() -> None:
    class Metric(base("no_such_tool", "Base", "no-such-tool")):
        """Of which only the name is there."""

    with pytest.raises(ToolMissingError, match=r"^no_such_tool is not installed: pip install no-such-tool$"):
        Metric("AP", more=1)
    assert base("pathlib", "Path", "none") is Path
