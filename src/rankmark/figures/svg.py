"""Figures as SVG: static, light and dark by the page's or the system's choice, readable without seeing it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, get_args

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.errors import CallError
from rankmark.figures.drawing import WORDS, Canvas, drawn
from rankmark.figures.marks import (
    Bars,
    Boxes,
    Cells,
    Floats,
    Line,
    Mark,
    Points,
    Rule,
    Segments,
    Texts,
)
from rankmark.figures.scales import Scale, scale_of
from rankmark.figures.words import broken, cut, cut_apart, width, without_middle
from rankmark.rendering.theme import DARK, LIGHT, Theme, variables
from rankmark.rendering.words import printable

if TYPE_CHECKING:
    from rankmark.figures.figure import Figure, Panel

__all__ = ["sheet", "svg"]

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif"
EDGE, GAP = 14.0, 26.0
"""Pixels around everything, and between panels."""
TITLE, SUBTITLE, LABEL, NOTE = 15.0, 12.5, WORDS, 11.0
"""Sizes of words."""
ROW, TWO_LINES, NAME = 23.0, 36.0, 15.0
"""Pixels a name on the y axis takes; where it stands with its aside above what is drawn; and there alone."""
LEAST = 520.0
"""Pixels from which on names and asides stand on both sides of what is drawn."""
MOST_SQUARE = 420.0
"""Pixels a square panel is broad and high at most."""
NARROWEST, BROADEST = 240, 4000
"""Pixels that a picture is broad at least and at most."""
SHAPES = 0.56
"""Height of a panel, of its width, where nothing else says it."""


def sheet() -> str:
    """The style sheet for pages with several figures; see `svg`."""
    named = "".join(
        f".rankmark .f-{name}{{fill:var(--rm-{name})}}.rankmark .s-{name}{{stroke:var(--rm-{name})}}"
        for name in LIGHT
    )
    # What does not know variables would take them for black; the colours of attributes hold there.
    return f"{variables('.rankmark')}@supports (color:var(--rm-ink)){{{named}}}"


def svg(figure: Figure, *, width: int = 720, theme: Theme = "auto", alone: bool = True) -> str:
    """A figure as SVG.

    Args:
        figure: what is drawn.
        width: in pixels; words keep their size.
        theme: light, dark, or as whoever looks at it has it.
        alone: whether it brings its style sheet; in a page that has `sheet` it need not.

    Raises:
        CallError: there is no such theme, or it is too narrow or broad.

    """
    if theme not in get_args(Theme):
        raise CallError(f"theme={theme!r} is none of {', '.join(get_args(Theme))}")
    if not NARROWEST <= width <= BROADEST:
        raise CallError(f"width={width!r} is not from {NARROWEST} to {BROADEST} pixels")
    canvas = Canvas(DARK if theme == "dark" else LIGHT, classes=theme == "auto")
    # A whole number, or the last row of dots would be half of paper and half of nothing.
    height = math.ceil(_Layout(figure, float(width), canvas).draw())
    body = "".join(canvas.parts)
    title, described = (_text(each) for each in (figure.title, figure.description))
    key = sha256(f"{title}{body}".encode()).hexdigest()[:10]
    style = f"<style>{sheet()}</style>" if alone and theme == "auto" else ""
    words = f'<title id="t{key}">{title}</title><desc id="d{key}">{described}</desc>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rankmark" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="t{key} d{key}" '
        f'font-family="{escape(FONT)}" font-size="{LABEL}">'
        f"{words}{style}{canvas.rectangle(0, 0, width, height, 'paper')}{body}</svg>"
    )


def _text(text: str) -> str:
    return escape(printable(text))


@dataclass(frozen=True, slots=True)
class _Room:
    """The margins of a panel."""

    left: float
    right: float
    top: float
    bottom: float
    slanted: bool
    stacked: bool
    below: tuple[str, ...] = ()


class _Layout:
    """Words and panels from above to below."""

    def __init__(self, figure: Figure, width: float, canvas: Canvas) -> None:
        self.figure, self.width, self.canvas = figure, width, canvas
        self.y = EDGE

    def draw(self) -> float:
        """Draws everything; how high it is."""
        room = self.width - 2 * EDGE
        if self.figure.worded:
            self._lines(self.figure.title, TITLE, room, "ink", bold=True)
            self._lines(self.figure.subtitle, SUBTITLE, room, "muted")
        else:
            self.y = 0.0  # panels and legends have room above them
        if self.figure.legend:
            self._legend(room)
        columns = self.figure.columns if self.width >= 560 else 1
        across = (room - GAP * (columns - 1)) / columns
        drawings = [_PanelDrawing(panel, across, self.canvas) for panel in self.figure.panels]
        for i in range(columns):
            # What stands in a column begins at the same place.
            _aligned(drawings[i::columns])
        for first in range(0, len(drawings), columns):
            row = drawings[first : first + columns]
            self.y += max([each.draw(EDGE + i * (across + GAP), self.y) for i, each in enumerate(row)])
        for note in self.figure.notes if self.figure.worded else ():
            self._lines(note, NOTE, room, "muted")
        return self.y + EDGE / 2

    def _lines(self, text: str, size: float, room: float, tone: str, *, bold: bool = False) -> None:
        # Bold words are broader than those that are measured.
        for line in broken(text, size * (1.06 if bold else 1), room):
            self.y += size * 1.3
            self.canvas.text(EDGE, self.y - size * 0.25, line, tone, size=size, bold=bold)

    def _legend(self, room: float) -> None:
        named: dict[str, Mark] = {}
        for panel in self.figure.panels:
            for mark in panel.marks:
                if mark.name and not isinstance(mark, Texts | Cells):
                    named.setdefault(mark.name, mark)
        if not named:
            return
        x, self.y = EDGE, self.y + LABEL * 1.9
        for name, mark in named.items():
            # What tells names apart, such as how many queries, may be their end.
            name = without_middle(name, LABEL, room - 40)
            if x > EDGE and x + 30 + width(name, LABEL) > EDGE + room:
                x, self.y = EDGE, self.y + LABEL * 1.5
            for each in (mark, *self._points_of(mark)):
                _swatch(each, x, self.y - LABEL * 0.35, self.canvas)
            self.canvas.text(x + 24, self.y, name, "ink")
            x += 24 + width(name, LABEL) + 20
        self.y += 8

    def _points_of(self, mark: Mark) -> Iterator[Points]:
        """The points on a line, whose shape tells it apart as its dashes do."""
        for panel in self.figure.panels:
            if isinstance(mark, Line) and mark in panel.marks:
                for each in panel.marks:
                    if isinstance(each, Points) and not each.name and np.array_equal(each.y, mark.y, True):
                        yield each
                        return


def _swatch(mark: Mark, x: float, y: float, canvas: Canvas) -> None:
    """What stands for a mark in the legend."""
    match mark:
        case Line():
            canvas.stroke(
                f"M{x:.1f} {y:.1f}h18", mark.tone, 2, dash=canvas.dash(mark.tone, dashed=mark.dashed)
            )
        case Points():
            if _has_whiskers(mark):
                canvas.stroke(f"M{x:.1f} {y:.1f}h18", mark.tone, 1.6)
            canvas.point(x + 9, y, mark.tone, hollow=mark.hollow)
        case Rule() | Segments():
            canvas.stroke(
                f"M{x:.1f} {y:.1f}h18",
                mark.tone,
                1.5,
                dash="4 3" if isinstance(mark, Rule) and mark.dashed else "",
            )
        case Bars() | Boxes() | _:
            canvas.parts.append(canvas.rectangle(x + 3, y - 5, 12, 10, mark.tone))


def _has_whiskers(mark: Points) -> bool:
    return any(each is not None and np.isfinite(each).any() for each in (mark.left, mark.low))


class _PanelDrawing:
    """One panel: its axes, what stands at them, and its marks."""

    def __init__(self, panel: Panel, width: float, canvas: Canvas) -> None:
        self.panel, self.canvas, self.width = panel, canvas, width
        self.left = self.top = 0.0
        self.reached = _reached(panel.marks)
        self.room = self._margins()

    @property
    def inner(self) -> float:
        """The pixels between its margins, or of them what a square takes."""
        return self._between(self.room.left, self.room.right)

    def _between(self, left: float, right: float) -> float:
        there = self.width - left - right
        return min(there, MOST_SQUARE) if self.panel.square else there

    @property
    def beside(self) -> float:
        """The pixels left free on either side of a square."""
        return (self.width - self.room.left - self.room.right - self.inner) / 2

    @property
    def high(self) -> float:
        """The pixels from the lower to the upper end of its axes."""
        return self.panel.height or self._usual_height()

    def draw(self, x: float, y: float) -> float:
        """Draws it at a place; how high it is."""
        self.left, self.top = x, y
        left, top = self.left + self.room.left + self.beside, self.top + self.room.top
        across = scale_of(self.panel.x, self.reached[0], left, left + self.inner)
        names = self.panel.y.scale == "names"
        ends = (top, top + self.high) if names else (top + self.high, top)
        upright = scale_of(self.panel.y, self.reached[1], *ends)
        self._words(left)
        self._ticks_of_x(across, top)
        self._ticks_of_y(upright, left)
        within = replace(upright, above=NAME) if self.room.stacked else upright
        for mark in self.panel.marks:
            drawn(mark, across, within, self.canvas)
        if self.room.stacked:
            self._stacked_words(upright, left)
        return self.room.top + self.high + self.room.bottom

    def place(self, left: float, right: float) -> None:
        """Gives it these margins, with as many lines below as they leave room for."""
        below = tuple(broken(self.panel.x.label, LABEL, self._between(left, right)))
        bottom = self.room.bottom + 14 * (len(below) - len(self.room.below))
        self.room = replace(self.room, left=left, right=right, bottom=bottom, below=below)

    def _usual_height(self) -> float:
        if self.panel.square:
            return self.inner
        if self.panel.y.scale == "names":
            return max((TWO_LINES if self.room.stacked else ROW) * len(self.panel.y.names), ROW)
        return min(max(self.inner * SHAPES, 170.0), 340.0)

    def _margins(self) -> _Room:
        x, y = self.panel.x, self.panel.y
        left, most = 8 + _broadest(self._words_of_y()), (0.34 if y.asides else 0.42) * self.width
        stacked = bool(y.asides) and (y.above or self.width < LEAST)
        stacked = stacked or (y.scale == "names" and y.ticks != "none" and x.scale != "names" and left > most)
        left = 0.0 if stacked else min(left, most)
        top = 16 + 17 * bool(self.panel.title) + 17 * bool(y.label)
        top += 17 * bool(y.beside and not stacked and not y.label)
        bottom = 8.0 + 16 * (x.ticks != "none")
        right, slanted = 16.0, False
        if y.asides and not stacked:
            right = min(16 + _broadest(y.asides), 0.4 * self.width)
        if x.scale == "names" and x.ticks != "none" and x.names:
            broadest = _broadest(x.names)
            slanted = broadest > (self.width - left - right) / len(x.names) - 4
            bottom += slanted * min(0.7 * broadest, 90.0)
            half = (self.width - left - right) / len(x.names) / 2
            left = max(left, slanted * min(0.77 * broadest, 92.0) - half)
        below = tuple(broken(x.label, LABEL, self._between(left, right)))
        bottom += 4 * bool(below) + 14 * len(below)
        return _Room(left, right, top, bottom, slanted, stacked, below)

    def _words_of_y(self) -> Iterable[str]:
        axis = self.panel.y
        if axis.ticks == "none":
            return ()
        if axis.scale == "names":
            return axis.names
        return (text for _, text in scale_of(axis, self.reached[1], 300.0, 0.0).ticks(5))

    def _words(self, left: float) -> None:
        """The title, and what the axes are."""
        y = self.top + 12
        if self.panel.title:
            self.canvas.text(self.left, y + 2, cut(self.panel.title, LABEL + 1, self.width), "ink", bold=True)
            y += 17
        if label := self.panel.y.label:
            self.canvas.text(self.left, y + 2, cut(label, LABEL, self.width), "muted")
        if (beside := self.panel.y.beside) and not self.room.stacked:
            self.canvas.text(left + self.inner + 8, y + 2, beside, "muted")
        below = self.top + self.room.top + self.high + self.room.bottom - 8
        for i, line in enumerate(reversed(self.room.below)):
            self.canvas.text(left + self.inner / 2, below - 14 * i, line, "muted", anchor="middle")

    def _ticks_of_x(self, scale: Scale, top: float) -> None:
        bottom = top + self.high
        named = scale.axis.scale == "names"
        self.canvas.stroke(f"M{scale.first:.1f} {bottom:.1f}H{scale.last:.1f}", "muted", 1)
        for value, text in _apart(scale, max(2, int(self.inner / 75)), within=self.inner):
            x = float(scale(value))
            if not named:
                across = (f"M{x:.1f} {first:.1f}V{last:.1f}" for first, last in self._drawn_in(top, bottom))
                self.canvas.stroke("".join(across), "line", 0.7)
            if self.room.slanted:
                shown = cut(text, LABEL, 120)
                self.canvas.text(x + 3, bottom + 14, shown, "ink", anchor="end", turned=-40, full=text)
            else:
                self.canvas.text(x, bottom + 15, text, "ink" if named else "muted", anchor="middle")

    def _drawn_in(self, top: float, bottom: float) -> Iterator[tuple[float, float]]:
        """Between which heights there is no line of names, through which grid lines would run."""
        if not self.room.stacked:
            yield top, bottom
            return
        rows = len(self.panel.y.names)
        each = (bottom - top) / max(rows, 1)
        for i in range(rows):
            yield top + i * each + NAME, top + (i + 1) * each

    def _ticks_of_y(self, scale: Scale, left: float) -> None:
        named = scale.axis.scale == "names"
        ticks = scale.ticks(max(2, int(self.high / 55)))
        cuts = cut_apart([text for _, text in ticks], LABEL, self.room.left - 6)
        for (value, text), shown in zip(ticks, cuts, strict=True):
            y = float(scale(value))
            if not named:
                self.canvas.stroke(f"M{left:.1f} {y:.1f}h{self.inner:.1f}", "line", 0.7)
            if not self.room.stacked:
                tone = "ink" if named else "muted"
                self.canvas.text(left - 7, y + LABEL * 0.35, shown, tone, anchor="end", full=text)
                if scale.axis.asides:
                    aside = scale.axis.asides[int(value)]
                    x, beside = left + self.inner + 8, cut(aside, LABEL, self.room.right - 8)
                    self.canvas.text(x, y + LABEL * 0.35, beside, "muted", full=aside)

    def _stacked_words(self, scale: Scale, left: float) -> None:
        """Names and their asides in lines above what is drawn, and over it, where there is no other room."""
        names = scale.axis.names
        of = f"{scale.axis.beside} " * bool(scale.axis.beside)
        asides = [f"{of}{each}" if each else "" for each in scale.axis.asides or [""] * len(names)]
        cuts = cut_apart(names, LABEL, max(self.inner / 2 - 4, self.inner - 12 - _broadest(asides)))
        for i, (name, own, aside) in enumerate(zip(names, cuts, asides, strict=True)):
            y = float(scale(i - 0.5)) + NAME - 2
            other = cut(aside, LABEL, self.inner - 12 - width(own, LABEL))
            self.canvas.text(left, y, own, "ink", full=name, halo=True)
            if other:
                self.canvas.text(left + self.inner, y, other, "muted", anchor="end", full=aside, halo=True)


def _broadest(texts: Iterable[str]) -> float:
    """The pixels that the broadest of some words takes."""
    return max((width(each, LABEL) for each in texts), default=0.0)


def _aligned(drawings: Sequence[_PanelDrawing]) -> None:
    left = max((each.room.left for each in drawings), default=0.0)
    right = max((each.room.right for each in drawings), default=0.0)
    for each in drawings:
        each.place(left, right)


def _apart(scale: Scale, count: int, *, within: float) -> Iterator[tuple[float, str]]:
    """The ticks of an x axis whose words do not touch each other."""
    ticks = scale.ticks(count)
    if scale.axis.at:
        until = -np.inf
        for value, text in ticks:
            half = width(text, LABEL) / 2 + 4
            if scale(value) - half >= until:
                until = float(scale(value)) + half
                yield value, text
        return
    if scale.axis.scale == "names":
        # Slanted or not, a name takes its height.
        skip = max(1, -(-int(LABEL * 2 * len(ticks)) // max(int(within), 1)))
        ticks = ticks[::skip]
    else:
        broadest = max((width(text, LABEL) for _, text in ticks), default=0.0) + 14
        skip = max(1, -(-int(broadest * len(ticks)) // max(int(within), 1)))
        ticks = ticks[::skip]
    yield from ticks


def _reached(marks: Iterable[Mark]) -> tuple[list[Floats], list[Floats]]:
    """The numbers that have to be within the axes."""
    found: Mapping[int, list[Floats]] = {0: [], 1: []}
    for mark in marks:
        for i, numbers in enumerate(mark.reached()):
            found[i].extend(numbers)
    return found[0], found[1]
