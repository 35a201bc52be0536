"""The README and its translation lead to files that are there; their blocks are run with those of docs/."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
READMES = sorted(path.name for path in ROOT.glob("README*.md"))
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def test_it_is_read_in_a_few_minutes() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


@pytest.mark.parametrize("name", READMES)
def test_every_file_that_it_leads_to_is_there(name: str) -> None:
    links = set(LINK.findall((ROOT / name).read_text()))
    assert links
    assert [link for link in sorted(links) if not (ROOT / link).exists()] == []


def test_the_translation_leads_to_what_the_readme_leads_to() -> None:
    names = ("README.md", "README.zh.md")
    english, chinese = (set(LINK.findall((ROOT / name).read_text())) for name in names)
    assert english - {"README.zh.md"} <= chinese
