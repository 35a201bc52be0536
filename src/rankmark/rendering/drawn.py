"""Small drawings beside the numbers of a table: in letters on terminals, as SVG on pages."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from typing import IO, Protocol

from rankmark.dataclassing import dataclass

__all__ = ["DRAWINGS", "Column", "Range", "Spark", "can_draw", "ranges", "room", "svg"]

LEVELS = "▁▂▃▄▅▆▇█"
WIDTH = 21
"""Letters of an interval; an odd number, that it has a middle."""
WIDE, HIGH = 104, 14
"""The size of a drawing on a page, in pixels."""


class Shape(Protocol):
    """What is drawn in a cell."""

    def letters(self) -> str:
        """It in letters."""

    def svg(self) -> str:
        """It as elements of SVG, in `WIDE` × `HIGH`."""

    def words(self) -> str:
        """It for those who do not see it."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of drawings, one a row; None where there is none.

    Attributes:
        title: what it is called.
        shapes: the drawings.
        behind: the title of the column behind which it stands on pages; the last if empty.

    """

    title: str
    shapes: Sequence[Shape | None]
    behind: str = ""


@dataclass(frozen=True, slots=True)
class Spark:
    """How many of something there are in each of several bins of equal width.

    Attributes:
        counts: of each bin.
        low: where the first bin begins.
        high: where the last one ends.

    """

    counts: Sequence[int]
    low: float
    high: float

    def letters(self) -> str:
        """A bar a bin, as high as there are many; none where there is nothing."""
        most = max(self.counts)
        return "".join(LEVELS[math.ceil(len(LEVELS) * n / most) - 1] if n else " " for n in self.counts)

    def svg(self) -> str:
        """A bar a bin."""
        most, step = max(self.counts), WIDE / len(self.counts)
        bars = (
            f'<rect x="{place * step:.1f}" y="{HIGH - HIGH * n / most:.1f}" width="{step - 1:.1f}" '
            f'height="{HIGH * n / most:.1f}"/>'
            for place, n in enumerate(self.counts)
            if n
        )
        return "".join(bars)

    def words(self) -> str:
        """The bins' counts."""
        counts = ", ".join(f"{n:,}" for n in self.counts)
        return f"{counts} in {len(self.counts)} equal bins from {self.low:g} to {self.high:g}"


@dataclass(frozen=True, slots=True)
class Range:
    """A value with its interval on a scale that all of a column share.

    Attributes:
        low: where the interval begins; NaN if there is none.
        value: the value.
        high: where the interval ends.
        scale: from where to where the scale goes.
        reference: what the value is compared with, such as 0 for a difference.

    """

    low: float
    value: float
    high: float
    scale: tuple[float, float]
    reference: float | None = None

    def _at(self, value: float) -> float:
        """Where a value is on the scale, from 0 to 1."""
        least, most = self.scale
        return (value - least) / (most - least)

    def letters(self) -> str:
        """The interval as a line with a point, and the reference as a line across."""

        def place(value: float) -> int:
            return round(self._at(value) * (WIDTH - 1))

        line = [" "] * WIDTH
        if not math.isnan(self.low):
            first, last = place(self.low), place(self.high)
            line[first : last + 1] = "─" * (last + 1 - first)
        if self.reference is not None:
            at = place(self.reference)
            line[at] = "┼" if line[at] == "─" else "│"
        line[place(self.value)] = "●"
        return "".join(line)

    def svg(self) -> str:
        """The same, with lines."""

        def x(value: float) -> str:
            return f"{3 + self._at(value) * (WIDE - 6):.1f}"

        middle = HIGH / 2
        parts = []
        if self.reference is not None:
            at = x(self.reference)
            parts.append(f'<line class="r" x1="{at}" x2="{at}" y1="0" y2="{HIGH}"/>')
        if not math.isnan(self.low):
            parts.append(f'<line x1="{x(self.low)}" x2="{x(self.high)}" y1="{middle:g}" y2="{middle:g}"/>')
        return "".join([*parts, f'<circle cx="{x(self.value)}" cy="{middle:g}" r="3"/>'])

    def words(self) -> str:
        """The value, its interval and the reference."""
        interval = "" if math.isnan(self.low) else f", from {self.low:.4g} to {self.high:.4g}"
        beside = "" if self.reference is None else f", beside {self.reference:.4g}"
        return f"{self.value:.4g}{interval}{beside}"


def ranges(
    title: str,
    rows: Iterable[tuple[float, float, float]],
    references: float | Sequence[float] | None = None,
    behind: str = "",
) -> Column | None:
    """A column of values with their intervals, (low, value, high) each; None if all are alike."""
    rows = list(rows)
    several = references if isinstance(references, Sequence) else [references] * len(rows)
    known = [each for row in rows for each in row] + [each for each in several if each is not None]
    finite = [each for each in known if math.isfinite(each)]
    if not finite or min(finite) == max(finite):
        return None
    scale = min(finite), max(finite)
    shapes = [
        Range(low if math.isfinite(low) and math.isfinite(high) else math.nan, value, high, scale, reference)
        if math.isfinite(value)
        else None
        for (low, value, high), reference in zip(rows, several, strict=True)
    ]
    return Column(title, shapes, behind)


DRAWINGS = (
    "svg.d{display:inline-block;vertical-align:middle;overflow:visible}"
    "svg.d rect,svg.d circle{fill:var(--rm-series-1)}"
    "svg.d line{stroke:var(--rm-series-1);stroke-width:1.5}"
    "svg.d line.r{stroke:var(--rm-muted);stroke-width:1;stroke-dasharray:2 2}"
)
"""The style sheet of drawings, on whatever page they are."""


def svg(shape: Shape) -> str:
    """A drawing as an element of a page."""
    from html import escape  # which takes long, and terminals do without

    said = escape(shape.words(), quote=True)
    return (
        f'<svg class="d" role="img" aria-label="{said}" width="{WIDE}" height="{HIGH}" '
        f'viewBox="0 0 {WIDE} {HIGH}"><title>{said}</title>{shape.svg()}</svg>'
    )


def can_draw(stream: IO[str]) -> bool:
    """Whether a stream is a terminal that shows the letters, of somebody who wants to see them."""
    encoding = (getattr(stream, "encoding", None) or "").lower().replace("-", "")
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and encoding == "utf8" and not plain


def room() -> int:
    """The columns of the terminal."""
    from shutil import get_terminal_size  # which takes what unpacks archives with it

    return get_terminal_size().columns
