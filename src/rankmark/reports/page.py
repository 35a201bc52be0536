"""A report as a page: one file that needs no other, and runs nothing but its own script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmark._native import __version__
from rankmark.dataclassing import dataclass
from rankmark.errors import UsageError
from rankmark.figures.svg import sheet, svg
from rankmark.rendering.drawn import DRAWINGS
from rankmark.rendering.files import is_device, write_whole
from rankmark.rendering.html import html
from rankmark.rendering.theme import variables
from rankmark.rendering.words import minus
from rankmark.reports.summary import ISOLATES
from rankmark.tools import tool

if TYPE_CHECKING:
    from rankmark.figures import Figure
    from rankmark.reports.parts import Part
    from rankmark.reports.summary import Summary

__all__ = ["Report", "check_ending", "check_renderer", "render"]

LONGEST = 30_000
"""Characters of the data of a picture, which stand beneath it."""
FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """A page that people read; `write` makes a file of it.

    Attributes:
        title: what it is called.
        html: the whole page.

    """

    title: str
    html: str

    def write(self, path: str | Path) -> None:
        """Writes the page to a file, whole or not at all.

        Raises:
            UsageError: the file cannot be written, or its ending says that it is no page.

        """
        check_ending(path)
        write_whole(path, self.html)

    def __repr__(self) -> str:
        return f"<Report {self.title!r}, {len(self.html.encode()) / 1e6:.1f} MB>"


def check_ending(path: str | Path) -> None:
    """Refuses a file that would be called something else than a page.

    Raises:
        UsageError: its ending is that of something else.

    """
    if not is_device(path) and Path(path).suffix.lower() not in ("", ".html", ".htm"):
        raise UsageError(f"{path}: a report is a page: FILE.html; browsers print pages as PDF")


def check_renderer() -> Any:
    """The package that renders pages, to be missed before long work and not after it.

    Raises:
        ToolMissingError: it is not installed.

    """
    return tool("jinja2", "'rankmark[report]'")


def render(title: str, summary: Summary, parts: Sequence[Part]) -> Report:
    """The page of these parts."""
    style, script = _style(), (FOLDER / "report.js").read_text("utf-8")
    markup = tool("markupsafe", "'rankmark[report]'").Markup
    page = _template().render(
        title=title,
        summary=summary,
        parts=parts,
        version=__version__,
        policy=_policy([style], [script]),
        style=markup(style),
        script=markup(script),
        shown=lambda blocks: markup(html(blocks)),
        drawn=lambda figure, width: markup(svg(figure, width=width, alone=False)),
        told=lambda figure: markup(_data(figure)),
    )
    return Report(title.translate(ISOLATES), page)


def _data(figure: Figure) -> str:
    """What a picture shows as a table, where that is no table of a row a query."""
    data = figure.data_html()
    return data if len(data) <= LONGEST else ""


def _policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """What the page may do: show these styles and run this script, and nothing else."""
    allowed = (("style-src", styles), ("script-src", scripts))
    said = (f"{what} {' '.join(map(_hash, texts))}" for what, texts in allowed)
    return "; ".join(["default-src 'none'", *said, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _style() -> str:
    return f"{variables(':root')}{sheet()}{DRAWINGS}\n{(FOLDER / 'report.css').read_text('utf-8')}"


@cache
def _template() -> Any:
    jinja2 = check_renderer()
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["minus"] = minus
    return environment.from_string((FOLDER / "report.html").read_text("utf-8"))
