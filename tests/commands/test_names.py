"""What texts of the command line are the names of."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankmark.commands.names import name_and_path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rm3.run", ("", "rm3.run")),
        ("new=rm3.run", ("new", "rm3.run")),
        ("BM25+RM3(terms=10,w=0.5)=rm3.run", ("BM25+RM3(terms=10,w=0.5)", "rm3.run")),
        ("new=k=1.run", ("new", "k=1.run")),
        ("k=1.run", ("", "k=1.run")),
        ("new=parts=*.run", ("new", "parts=*.run")),
        ("=rm3.run", ("", "=rm3.run")),
    ],
)
def test_a_name_can_hold_what_ends_it(
    text: str, expected: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("rm3.run", "k=1.run"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    assert name_and_path(text) == expected
