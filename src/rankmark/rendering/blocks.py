"""What texts for people are made of: tables, and lines of several kinds between and beneath them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from rankmark.dataclassing import dataclass
from rankmark.rendering.drawn import Column
from rankmark.rendering.words import printable, width_of

__all__ = [
    "Block",
    "Cell",
    "Code",
    "Formulas",
    "Grid",
    "Marked",
    "Notes",
    "Prose",
    "Section",
    "Tone",
    "toned",
]

Tone: TypeAlias = Literal["best", "good", "bad", "quiet"]
"""What a page says of a text besides it: that it is the ``best`` of its kind, good, bad, or of no account."""


class Cell(str):
    """A text with its tone, which pages show and texts do not.

    Attributes:
        tone: which.

    """

    __slots__ = ("tone",)

    tone: Tone

    def __new__(cls, text: str, tone: Tone) -> Cell:  # noqa: D102 - as the class says
        cell = super().__new__(cls, text)
        cell.tone = tone
        return cell

    def strip(self, *what: Any) -> Cell:
        """It without blanks around it."""
        return Cell(super().strip(*what), self.tone)

    def __reduce__(self) -> tuple[Any, ...]:
        return Cell, (str(self), self.tone)


def toned(text: str, tone: Tone | None) -> str:
    """A text with a tone, if it has any."""
    return text if tone is None or not text else Cell(text, tone)


class Grid(NamedTuple):
    """A header and rows of text, the first columns of which are names and the others numbers.

    Attributes:
        names: how many columns are names.
        rows: the header, and the rows.
        caption: what it shows, where a page says so.
        drawn: makes drawings that stand behind the numbers where these can be seen; None if there are none.

    """

    names: int
    rows: list[list[str]]
    caption: str = ""
    drawn: Callable[[], Column | None] | None = None

    def widths(self) -> list[int]:
        """The width of each column on a terminal."""
        return [max(map(width_of, column)) for column in zip(*self.rows, strict=True)]

    def padded(self, cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
        """The cells of a row in columns of these widths: names to the left, numbers to the right."""
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            room = " " * (width - width_of(cell))
            yield cell + room if i < self.names else room + cell

    def printable(self) -> Grid:
        """The same with whatever could steer a terminal replaced."""
        return self._replace(rows=[list(map(printable, row)) for row in self.rows])

    def stripped(self) -> Grid:
        """The same without blanks around the cells."""
        return self._replace(rows=[[cell.strip() for cell in row] for row in self.rows])


@dataclass(frozen=True, slots=True)
class Marked:
    """A table of one column of names, whose numbers have marks.

    Attributes:
        grid: it without marks.
        marks: those of each row of numbers, padded to the same width in a column.

    """

    grid: Grid
    marks: Sequence[Sequence[str]]

    def joined(self) -> Grid:
        """The table with the marks behind the numbers."""
        header, *rows = self.grid.rows
        cells = (
            [name, *(cell + mark for cell, mark in zip(numbers, own, strict=True))]
            for (name, *numbers), own in zip(rows, self.marks, strict=True)
        )
        return self.grid._replace(rows=[header, *cells])


@dataclass(frozen=True, slots=True)
class Notes:
    """Sentences beneath tables.

    Attributes:
        lines: a sentence each; an indented one belongs to that before it.
        wrapped: whether a long one is broken where lines cannot be of any length.
        apart: whether each begins a line where lines would flow together.
        closing: whether they belong to all of the text, and stand at its end in a paper.

    """

    lines: Sequence[str]
    wrapped: bool = True
    apart: bool = True
    closing: bool = False


@dataclass(frozen=True, slots=True)
class Prose:
    """Sentences that are broken into lines everywhere, and mean the same everywhere."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to be copied as they are."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Formulas:
    """Formulas, a line each, as pages of measures write them."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Section:
    """Sentences under a title, or without one, and a table that belongs to them."""

    title: str
    lines: Sequence[str]
    grid: Grid | None = None


Block: TypeAlias = str | Grid | Marked | Notes | Prose | Code | Formulas | Section
"""A string is lines that stand as they are."""
