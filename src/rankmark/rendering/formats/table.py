"""Aligned tables, and sentences beneath them, for terminals."""

from __future__ import annotations

from textwrap import fill, indent

from rankmark.rendering.blocks import Code, Grid, Marked, Notes, Prose, Section
from rankmark.rendering.format import TextFormat

__all__ = ["FORMAT"]

WIDTH = 80


class Table(TextFormat):
    """What is shown unless something else is asked for."""

    name = "table"
    endings = ("", ".txt")
    place = 1

    def grid(self, grid: Grid) -> str:
        """Columns aligned by spaces."""
        widths = grid.widths()
        header, *rows = grid.rows
        lines = [header, ["-" * width for width in widths], *rows]
        return "\n".join("  ".join(grid.padded(line, widths)).rstrip() for line in lines)

    def marked(self, table: Marked) -> str:
        """Marks behind the numbers, which are aligned nevertheless."""
        return self.grid(table.joined())

    def notes(self, notes: Notes) -> str:
        """A line each, long ones broken."""
        return "\n".join(map(_wrapped, notes.lines) if notes.wrapped else notes.lines)

    def prose(self, prose: Prose) -> str:
        """As notes."""
        return "\n".join(map(_wrapped, prose.lines))

    def code(self, code: Code) -> str:
        """As they are, however long: nothing is cut to the terminal."""
        return "\n".join(code.lines)

    def section(self, section: Section) -> str:
        """What is under a title is indented."""
        lines = [
            fill(line, WIDTH - 2, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
            for line in section.lines
        ]
        if section.grid is not None:
            lines.append(self.grid(section.grid))
        return "\n".join([section.title, *(indent(each, "  ") for each in lines)] if section.title else lines)


def _wrapped(line: str) -> str:
    return fill(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


FORMAT = Table()
