"""What is drawn between two axes, as data: a mark knows its numbers, and nothing of pixels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.dataclassing import dataclass
from rankmark.rendering.theme import SERIES

__all__ = [
    "Axis",
    "Bars",
    "Boxes",
    "Cells",
    "Column",
    "Floats",
    "Line",
    "Mark",
    "Points",
    "Rule",
    "Segments",
    "Texts",
    "series",
]

Floats: TypeAlias = NDArray[np.float64]
Column: TypeAlias = tuple[str, Sequence[Any] | Floats]
"""A name and as many values as the mark has rows."""
Along: TypeAlias = Literal["x", "y"]


def series(i: int) -> str:
    """The tone of the i-th of several beside each other, from 0; after the last the first again."""
    return f"series-{i % SERIES + 1}"


def _floats(values: ArrayLike) -> Floats:
    return np.atleast_1d(np.asarray(values, np.float64))


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One of the two directions of a panel.

    Attributes:
        label: what the numbers are, with their unit.
        scale: ``linear``, ``log``, ``normal``, on which rates stand at their normal deviates, or ``names``,
            on which the i-th name stands at i; on y from above.
        names: of the scale ``names``.
        asides: what stands at the other end of each name of y, such as its numbers.
        beside: what asides are, above them.
        above: whether names and asides stand above what is drawn, as they do anyway where there is little
            room; for asides that are sentences.
        reach: values up to which it goes at least, such as 0.
        limits: where it begins and ends, whatever the marks are; else they and `reach` say.
        ticks: ``number``, ``percent`` or ``none``.
        at: the numbers that stand there, as far as there is room; else round ones.

    """

    label: str = ""
    scale: Literal["linear", "log", "normal", "names"] = "linear"
    names: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()
    beside: str = ""
    above: bool = False
    reach: tuple[float, ...] = ()
    limits: tuple[float, float] | None = None
    ticks: Literal["number", "percent", "none"] = "number"
    at: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mark:
    """Something drawn; NaN is not.

    Attributes:
        name: what it is, in the legend and in the table of the data; empty ones have no legend.
        tone: its colour by its name in `rankmark.rendering.theme`.

    """

    name: str = ""
    tone: str = "series-1"

    def columns(self) -> Iterator[Column]:
        """Its data, for tables and other programs."""
        raise NotImplementedError

    def reached(self) -> tuple[Iterable[Floats], Iterable[Floats]]:
        """The numbers that have to be within the axes, of x and of y."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line(Mark):
    """A line through points, with a band around it if `low` and `high` are given.

    Attributes:
        x, y: the points, in the order of the line.
        low, high: ends of the band.
        step: whether it stays as it is up to the next point.
        dashed: whether it is an assumption beside what was found.

    """

    x: Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None
    step: bool = False
    dashed: bool = False

    def columns(self) -> Iterator[Column]:
        """The points, and the band."""
        yield from _present(x=self.x, y=self.y, low=self.low, high=self.high)

    def reached(self) -> tuple[Iterable[Floats], Iterable[Floats]]:
        """All points, and the band."""
        return (self.x,), _some(self.y, self.low, self.high)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Points(Mark):
    """Points, with intervals across (`left`, `right`) or upright (`low`, `high`).

    Attributes:
        x, y: the points.
        left, right, low, high: ends of intervals.
        labels: what each is, shown by what can (a browser shows them above the point) and in the data.
        hollow: drawn as a ring.
        sizes: of each, 1 if usual.

    """

    x: Floats
    y: Floats
    left: Floats | None = None
    right: Floats | None = None
    low: Floats | None = None
    high: Floats | None = None
    labels: tuple[str, ...] = ()
    hollow: bool = False
    sizes: Floats | None = None

    def columns(self) -> Iterator[Column]:
        """Labels, points, and ends of intervals."""
        if self.labels:
            yield "label", self.labels
        yield from _present(
            x=self.x,
            left=self.left,
            right=self.right,
            y=self.y,
            low=self.low,
            high=self.high,
            size=self.sizes,
        )

    def reached(self) -> tuple[Iterable[Floats], Iterable[Floats]]:
        """All points and intervals."""
        return _some(self.x, self.left, self.right), _some(self.y, self.low, self.high)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bars(Mark):
    """Bars from `base` to `value`, each as broad as from `start` to `end`.

    Attributes:
        start, end: where each begins and ends on the axis along which they stand.
        value: how long they are.
        base: where they begin: one number, or one each.
        along: ``x`` if they stand upright, ``y`` if they lie.
        labels: what each is.

    """

    start: Floats
    end: Floats
    value: Floats
    base: float | Floats = 0.0
    along: Along = "x"
    labels: tuple[str, ...] = ()

    def columns(self) -> Iterator[Column]:
        """Labels, where each stands, and its value."""
        if self.labels:
            yield "label", self.labels
        yield from (("start", self.start), ("end", self.end), ("value", self.value))
        if isinstance(self.base, np.ndarray):
            yield "base", self.base

    def reached(self) -> tuple[Iterable[Floats], Iterable[Floats]]:
        """Both ends of each."""
        where, how = (self.start, self.end), (self.value, _floats(self.base))
        return (where, how) if self.along == "x" else (how, where)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Boxes(Mark):
    """Five numbers of a distribution each: a box of the middle half, a line in it, and whiskers.

    Attributes:
        at: where each stands.
        low, first, middle, third, high: ends of the whiskers and of the box, and what stands for the middle.
        along: ``x`` if they stand upright, ``y`` if they lie.
        labels: what each is.

    """

    at: Floats
    low: Floats
    first: Floats
    middle: Floats
    third: Floats
    high: Floats
    along: Along = "y"
    labels: tuple[str, ...] = ()

    def columns(self) -> Iterator[Column]:
        """Labels and the five numbers."""
        if self.labels:
            yield "label", self.labels
        yield from _present(
            at=self.at, low=self.low, first=self.first, middle=self.middle, third=self.third, high=self.high
        )

    def reached(self) -> tuple[Iterable[Floats], Iterable[Floats]]:
        """Ends of whiskers."""
        where, how = (self.at - 0.5, self.at + 0.5), (self.low, self.high)
        return (where, how) if self.along == "x" else (how, where)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule(Mark):
    """A line through the whole panel: at `x`, at `y`, or through both ends of the diagonal.

    Attributes:
        x, y: where it is; with neither it is the diagonal x = y.
        low, high: ends of a band around it.
        text: what stands at it; without any it is no data.
        dashed: whether it is something to compare with, and no axis.

    """

    x: float | None = None
    y: float | None = None
    low: float | None = None
    high: float | None = None
    text: str = ""
    dashed: bool = True
    tone: str = "muted"

    def columns(self) -> Iterator[Column]:
        """Where it is, and the ends of its band."""
        if self.text or self.name:
            for name, value in (("x", self.x), ("y", self.y), ("low", self.low), ("high", self.high)):
                if value is not None:
                    yield name, (value,)

    def reached(self) -> tuple[Iterable[Floats], Iterable[Floats]]:
        """Where it is, and the ends of its band."""
        own = [_floats(each) for each in (self.x, self.y, self.low, self.high) if each is not None]
        return ((), own) if self.x is None else (own, ())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells(Mark):
    """A matrix, coloured by its values, between two axes of names.

    Attributes:
        values: [names of y, names of x].
        texts: what stands in each cell.
        low, high: the values of no colour and of all colour.
        diverging: whether the middle between them has no colour, and both ends have one.

    """

    values: NDArray[np.float64]
    texts: tuple[tuple[str, ...], ...] = ()
    low: float = 0.0
    high: float = 1.0
    diverging: bool = False

    def columns(self) -> Iterator[Column]:
        """A row a cell."""
        rows, columns = np.indices(self.values.shape).astype(np.float64)
        yield from (("x", columns.ravel()), ("y", rows.ravel()), ("value", self.values.ravel()))

    def reached(self) -> tuple[Iterable[Floats], Iterable[Floats]]:
        """The edges."""
        rows, columns = self.values.shape
        return (np.array([-0.5, columns - 0.5]),), (np.array([-0.5, rows - 0.5]),)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Segments(Mark):
    """Straight lines from point to point.

    Attributes:
        x, y: where each begins.
        to_x, to_y: where it ends.
        thick: drawn as a bar with round ends, as of groups.
        labels: what each is.

    """

    x: Floats
    y: Floats
    to_x: Floats
    to_y: Floats
    thick: bool = False
    labels: tuple[str, ...] = ()

    def columns(self) -> Iterator[Column]:
        """Labels and both ends."""
        if self.labels:
            yield "label", self.labels
        yield from _present(x=self.x, y=self.y, to_x=self.to_x, to_y=self.to_y)

    def reached(self) -> tuple[Iterable[Floats], Iterable[Floats]]:
        """Both ends."""
        return (self.x, self.to_x), (self.y, self.to_y)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Texts(Mark):
    """Words at points, which are read as a part of the picture and not of its data.

    Attributes:
        x, y: where they are.
        texts: what they say.
        anchor: which part of the words is there.
        shift: by how many pixels they are moved, across and down.

    """

    x: Floats
    y: Floats
    texts: tuple[str, ...]
    anchor: Literal["start", "middle", "end"] = "start"
    shift: tuple[float, float] = (0, 0)
    tone: str = "ink"

    def columns(self) -> Iterator[Column]:
        """None."""
        return iter(())

    def reached(self) -> tuple[Iterable[Floats], Iterable[Floats]]:
        """The points."""
        return (self.x,), (self.y,)


def _present(**columns: Floats | None) -> Iterator[Column]:
    return ((name, values) for name, values in columns.items() if values is not None)


def _some(*arrays: Floats | None) -> tuple[Floats, ...]:
    return tuple(each for each in arrays if each is not None)
