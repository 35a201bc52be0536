"""A picture as data: panels of axes and marks, and the words around them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rankmark.calling import refuse_unknown
from rankmark.dataclassing import dataclass
from rankmark.figures.marks import Axis, Column, Mark
from rankmark.rendering.blocks import Block, Grid, Prose, Section
from rankmark.rendering.files import write_whole
from rankmark.rendering.formats import format_of
from rankmark.rendering.html import html
from rankmark.rendering.shown import Shown
from rankmark.rendering.theme import Theme
from rankmark.rendering.words import printable

if TYPE_CHECKING:
    import altair

__all__ = ["Figure", "Panel"]

MOST_ROWS = 200
"""Rows of its data that a page shows beneath a picture."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panel:
    """Two axes and what is drawn between them; later marks cover earlier ones.

    Attributes:
        x, y: the axes.
        marks: what is drawn.
        title: what it shows, if there are several.
        height: in pixels of a figure 720 wide; None for what the axes take.
        square: whether it is as broad as high, for axes of one unit.

    """

    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    title: str = ""
    height: float | None = None
    square: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Figure(Shown):
    """A picture: what `plot` gives, to be looked at in a notebook, written to a file, or restyled.

    ``print(figure)`` shows its data. `write` makes files that end with ``.svg``, and with the extra
    ``pictures`` ``.png`` and ``.pdf``.

    Attributes:
        title: what it shows.
        description: what there is to be seen in it, for whoever cannot see it, with the
            numbers that matter.
        panels: what is drawn.
        subtitle: of what data, and how sure.
        columns: how many panels stand beside each other.
        notes: what is to be known to read it rightly.
        legend: whether the names of marks stand above it.
        worded: whether title, subtitle and notes are drawn with it; see `bare`.

    """

    title: str
    description: str
    panels: tuple[Panel, ...]
    subtitle: str = ""
    columns: int = 1
    notes: tuple[str, ...] = ()
    legend: bool = True
    worded: bool = True

    _only: ClassVar = ("table", "json", "csv", "markdown")

    def __repr__(self) -> str:
        return f"<Figure {self.title!r}>"

    def bare(self) -> Figure:
        """It without title, subtitle and notes, for a paper whose caption says them; its data keep them."""
        return replace(self, worded=False)

    def to_svg(self, *, width: int = 720, theme: Theme = "auto") -> str:
        """It as SVG, without scripts.

        Args:
            width: in pixels; words keep their size.
            theme: ``auto`` is as light or dark as whoever looks at it has chosen; the others are always so.

        """
        from rankmark.figures.svg import svg

        return svg(self, width=width, theme=theme)

    def to_png(self, *, width: int = 720, theme: Theme = "light") -> bytes:
        """It as PNG, with two dots a pixel.

        Args:
            width: in pixels.
            theme: ``light`` or ``dark``; ``auto`` is light.

        Raises:
            ToolMissingError: the extra ``pictures`` is not installed.

        """
        from rankmark.figures.images import png

        return png(self.to_svg(width=width, theme=_settled(theme)))

    def to_pdf(self, *, width: int = 720, theme: Theme = "light") -> bytes:
        """It as a PDF of one page of its size, with words as words.

        Args:
            width: in pixels.
            theme: ``light`` or ``dark``; ``auto`` is light.

        Raises:
            ToolMissingError: the extra ``pictures`` is not installed.

        """
        from rankmark.figures.images import pdf

        return pdf(self.to_svg(width=width, theme=_settled(theme)))

    def to_vega_lite(self) -> dict[str, Any]:
        """It as a specification of Vega-Lite 5 with its data in it, for those who restyle it."""
        from rankmark.figures.altair import specification

        return specification(self)

    def to_altair(self) -> altair.Chart:
        """It as a chart of Altair, which has to be installed.

        Raises:
            ToolMissingError: it is not.

        """
        from rankmark.figures.altair import chart

        return chart(self)

    def data(self) -> Iterator[tuple[str, Grid]]:
        """The numbers of each mark as a table, and what it is of."""
        yield from self._tables(None)

    def _tables(self, most: int | None) -> Iterator[tuple[str, Grid]]:
        """The same, of so many rows at most and a line that says how many more there are."""
        for panel in self.panels:
            for mark in panel.marks:
                if columns := list(mark.columns()):
                    of = mark.name or getattr(mark, "text", "")
                    title = ": ".join(filter(None, (panel.title, of)))
                    grid = _table(panel, [(name, values[:most]) for name, values in columns])
                    count = len(columns[0][1])
                    if most is not None and count > most:
                        grid.rows.append([f"… {count - most:,} more", *[""] * (len(columns) - 1)])
                    yield title, grid

    def write(
        self, path: str | Path, name: str | None = None, digits: int | None = None, **options: Any
    ) -> None:
        """Writes it to a file, whole or not at all; the path's ending says how unless `name` does.

        Pictures take the options of `to_svg`, `to_png` and `to_pdf`: ``width`` and ``theme``.
        """
        known: Mapping[str, Callable[..., str | bytes]] = {
            "svg": self.to_svg,
            "png": self.to_png,
            "pdf": self.to_pdf,
        }
        draw = known.get(name or format_of(path))
        if draw is None:
            Shown.write(self, path, name, digits, **options)
            return
        refuse_unknown("write", options, ["path", "name", "digits", "width", "theme"])
        write_whole(path, draw(**options))

    def _figure(self) -> Figure:
        return self

    def _blocks(self, digits: int) -> Iterator[Block]:
        yield Prose(list(map(printable, filter(None, (self.title, self.subtitle, self.description)))))
        yield from self._sections(digits)
        if self.notes:
            yield Prose(list(map(printable, self.notes)))

    def _sections(self, digits: int) -> Iterator[Section]:
        for title, grid in self._tables(MOST_ROWS):
            yield Section(printable(title), [], _rounded(grid, digits).printable())

    def _frame(self) -> Grid:
        rows = [
            [title, row[0] if grid.names else "", name, cell]
            for title, grid in self.data()
            for row in grid.rows[1:]
            for name, cell in zip(grid.rows[0][grid.names :], row[grid.names :], strict=True)
        ]
        return Grid(0, [["mark", "label", "number", "value"], *rows])

    def _record(self) -> dict[str, Any]:
        return {
            "figure": self.title,
            "subtitle": self.subtitle,
            "description": self.description,
            "notes": list(self.notes),
            "vega_lite": self.to_vega_lite(),
        }

    def _repr_html_(self) -> str:
        return self.to_svg() + self.data_html()

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def data_html(self) -> str:
        """Its data as tables that a page shows when asked to, and screen readers read."""
        blocks = self._sections(4)
        return f'<details class="rankmark"><summary>Data</summary>{html(blocks)}</details>'


def _settled(theme: Theme) -> Theme:
    """The theme of what does not change with who looks at it."""
    return "light" if theme == "auto" else theme


def _table(panel: Panel, columns: list[Column]) -> Grid:
    """A mark's data, texts first; places on axes of names are these names."""
    axes = {"x": panel.x, "y": panel.y}
    columns = sorted(columns, key=lambda each: not _is_text(each, panel))
    cells = ([_cell(value, axes.get(name)) for value in values] for name, values in columns)
    header = [_column_name(panel, name) for name, _ in columns]
    names = sum(_is_text(each, panel) for each in columns)
    return Grid(names, [header, *map(list, zip(*cells, strict=True))])


def _is_text(column: Column, panel: Panel) -> bool:
    name, _ = column
    axis: Mapping[str, Axis] = {"x": panel.x, "y": panel.y}
    return name == "label" or (name in axis and axis[name].scale == "names")


def _column_name(panel: Panel, name: str) -> str:
    labels = {"x": panel.x.label, "y": panel.y.label}
    return labels.get(name) or name.replace("_", " ")


def _cell(value: Any, axis: Axis | None) -> str:
    if isinstance(value, str):
        return value
    number = float(value)
    if axis is not None and axis.names and number.is_integer() and 0 <= number < len(axis.names):
        return axis.names[int(number)]
    return "" if np.isnan(number) else repr(number)


def _rounded(grid: Grid, digits: int) -> Grid:
    """A table for people, with so many digits."""
    header, *rows = grid.rows
    shown = ([*row[: grid.names], *(_few(cell, digits) for cell in row[grid.names :])] for row in rows)
    return Grid(grid.names, [header, *shown])


def _few(cell: str, digits: int) -> str:
    if not cell or cell.startswith("…"):
        return cell
    number = float(cell)
    return f"{number:.0f}" if number.is_integer() else f"{number:.{max(digits, 1)}g}"
