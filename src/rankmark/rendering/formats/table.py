"""Aligned tables, and sentences beneath them, for terminals."""

from __future__ import annotations

from rankmark.rendering.blocks import Code, Grid, Marked, Notes, Prose, Section
from rankmark.rendering.drawn import room
from rankmark.rendering.format import TextFormat
from rankmark.rendering.words import broken

__all__ = ["DRAWN", "FORMAT"]

WIDTH = 80


class Table(TextFormat):
    """What is shown unless something else is asked for."""

    name = "table"
    endings = ("", ".txt")
    place = 1

    def __init__(self, *, drawn: bool = False) -> None:
        self.drawn = drawn

    def grid(self, grid: Grid) -> str:
        """Columns aligned by spaces; with drawings behind them, where these are to be seen and have room."""
        widths = grid.widths()
        column = grid.drawn() if self.drawn and grid.drawn else None
        if column is not None:
            drawings = ["" if shape is None else shape.letters() for shape in column.shapes]
            wide = max(map(len, (column.title, *drawings)))
            if sum(widths) + 2 * len(widths) + wide <= room():
                cells = [each.ljust(wide) for each in (column.title, *drawings)]
                rows = [[*row, cell] for row, cell in zip(grid.rows, cells, strict=True)]
                return self.grid(grid._replace(rows=rows, drawn=None))
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
        from textwrap import indent

        lines = [broken(line, WIDTH - 2, "  ", words=False) for line in section.lines]
        if section.grid is not None:
            lines.append(self.grid(section.grid))
        return "\n".join([section.title, *(indent(each, "  ") for each in lines)] if section.title else lines)


def _wrapped(line: str) -> str:
    return broken(line, WIDTH, "  ")


FORMAT = Table()
DRAWN = Table(drawn=True)
"""The same for a terminal that shows drawings."""
