"""The pictures that README.md and the site show are those that their script draws."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *(ROOT / "docs" / "guides").glob("*.md")]
SHOWN = sorted(
    {
        f"docs/pictures/{name}"
        for page in PAGES
        for name in re.findall(r"!\[[^\]]+\]\((?:docs|\.\.)/pictures/([^)]+)\)", page.read_text())
    }
)
NUMBER = re.compile(r"-?\d+\.?\d*")


def test_three_pictures_are_shown() -> None:
    assert {Path(path).name for path in SHOWN} == {"calibration.svg", "differences.svg", "conventions.svg"}


def test_they_are_what_the_script_draws(tmp_path: Path) -> None:
    draw = runpy.run_path(str(ROOT / "scripts" / "pictures.py"))["draw"]
    draw(tmp_path)
    for path in SHOWN:
        kept, drawn = (ROOT / path).read_text(), (tmp_path / Path(path).name).read_text()
        kept, drawn = (re.sub(r"[td][0-9a-f]{10}\b", "", text) for text in (kept, drawn))
        # Sums of another processor can move a point by a tenth of a pixel.
        assert NUMBER.sub("", kept) == NUMBER.sub("", drawn), "scripts/pictures.py draws them anew"
        numbers = ([float(each) for each in NUMBER.findall(text)] for text in (kept, drawn))
        assert next(numbers) == pytest.approx(next(numbers), abs=0.11)
