"""Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING, Any

from rankmark.rendering.blocks import Code, Grid, Notes, Prose, Section
from rankmark.rendering.format import TextFormat

if TYPE_CHECKING:
    from rankmark.rendering.format import Showable

__all__ = ["FORMAT"]


class Markdown(TextFormat):
    """Tables with pipes, as GitHub has them."""

    name = "markdown"
    endings = (".md",)
    place = 4

    def text(self, shown: Showable, digits: int, options: Mapping[str, Any]) -> str:
        """All blocks of a page, with an empty line between them."""
        return "\n\n".join(self.shown(shown._page(digits, **options))) + "\n"

    def grid(self, grid: Grid) -> str:
        """A table, aligned to be read as it is, too."""
        escaped = Grid(grid.names, [list(map(_escaped, row)) for row in grid.rows])
        widths = [max(width, 2) for width in escaped.widths()]  # ":" alone is no rule
        rule = ["-" * w if i < grid.names else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
        header, *rows = (list(grid.padded(row, widths)) for row in escaped.rows)
        return "\n".join("| " + " | ".join(row) + " |" for row in [header, rule, *rows])

    def notes(self, notes: Notes) -> str:
        """A paragraph, in which lines are broken where they are to stand apart."""
        if not notes.apart:
            return "\n".join(map(_escaped, notes.lines))
        return "\\\n".join(_escaped(line.strip()) for line in notes.lines)

    def prose(self, prose: Prose) -> str:
        """As in tables for terminals."""
        return "\n".join(
            fill(line, 80, subsequent_indent="  ", break_on_hyphens=False) for line in prose.lines
        )

    def code(self, code: Code) -> str:
        """A block of code."""
        return "\n".join(["```", *code.lines, "```"])

    def section(self, section: Section) -> str:
        """The title is bold."""
        text = self.notes(Notes(section.lines))
        if section.title:
            text = f"**{_escaped(section.title)}**\\\n{text}"
        return text if section.grid is None else f"{text}\n\n{self.grid(section.grid)}"


def _escaped(text: str) -> str:
    """A text in Markdown, where it means itself."""
    return re.sub(r"([\\`*_{}\[\]<>|~])", r"\\\1", text)


FORMAT = Markdown()
