"""Pictures as light or dark as whoever looks at them has it, and light on paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankmark.figures import Axis, Figure, Panel, Points
from rankmark.rendering.theme import DARK, LIGHT
from reports.browsing import browser

PICTURE = Figure(
    title="title",
    description="A point.",
    panels=(Panel(x=Axis(label="x"), y=Axis(label="y"), marks=(Points(x=np.ones(1), y=np.ones(1)),)),),
)
COLOURS = """() => [
    getComputedStyle(document.querySelector("svg.rankmark > rect")).fill,
    getComputedStyle(document.querySelector("svg.rankmark > text")).fill,
    getComputedStyle([...document.querySelectorAll("svg.rankmark > path")].at(-1)).fill,
]"""
PARTS = ("paper", "ink", "series-1")


@pytest.fixture(scope="module")
def started() -> Iterator[Any]:
    """A browser."""
    with browser() as found:
        yield found


def _colours(started: Any, path: Path, **how: Any) -> list[str]:
    """Those of the paper, of words and of a point, in a file that is opened so."""
    media = how.pop("media", None)
    context = started.new_context(offline=True, **how)
    tab = context.new_page()
    tab.goto(path.as_uri())
    if media:
        tab.emulate_media(media=media)
    found: list[str] = tab.evaluate(COLOURS)
    context.close()
    return found


def _as_browsers_say(colours: Any) -> list[str]:
    return [f"rgb({', '.join(str(int(colours[part][i : i + 2], 16)) for i in (1, 3, 5))})" for part in PARTS]


@pytest.mark.process
def test_a_file_is_as_the_system_is_and_light_on_paper(started: Any, tmp_path: Path) -> None:
    PICTURE.write(tmp_path / "x.svg")
    assert _colours(started, tmp_path / "x.svg", color_scheme="light") == _as_browsers_say(LIGHT)
    assert _colours(started, tmp_path / "x.svg", color_scheme="dark") == _as_browsers_say(DARK)
    printed = _colours(started, tmp_path / "x.svg", color_scheme="dark", media="print")
    assert printed == _as_browsers_say(LIGHT)


@pytest.mark.process
@pytest.mark.parametrize(
    ("asked", "colours"),
    [("data-theme=dark", DARK), ("data-jp-theme-light=true", LIGHT), ("class=vscode-dark", DARK)],
)
def test_in_a_page_it_is_as_the_page_is(
    started: Any, tmp_path: Path, asked: str, colours: dict[str, str]
) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><body {asked}>{PICTURE.to_svg()}</body>")
    other = "light" if colours is DARK else "dark"
    assert _colours(started, page, color_scheme=other) == _as_browsers_say(colours)


@pytest.mark.process
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_was_asked_to_be_light_or_dark_stays_so(started: Any, tmp_path: Path, theme: Any) -> None:
    PICTURE.write(tmp_path / "x.svg", theme=theme)
    other = "light" if theme == "dark" else "dark"
    expected = _as_browsers_say(LIGHT if theme == "light" else DARK)
    assert _colours(started, tmp_path / "x.svg", color_scheme=other) == expected


def test_what_knows_no_variables_draws_it_light() -> None:
    """As programs for drawing and papers do; of black on black nothing is to be seen."""
    vl_convert = pytest.importorskip("vl_convert")
    auto, light = (vl_convert.svg_to_png(PICTURE.to_svg(theme=theme)) for theme in ("auto", "light"))
    assert auto == light
