"""Tables for papers: what they hold, and how it is laid out, whatever language they are written in."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Literal

from rankmark.dataclassing import dataclass
from rankmark.errors import UsageError
from rankmark.rendering.paper_format import BEST, SECOND
from rankmark.rendering.paper_options import Spread, check_options
from rankmark.rendering.words import listed

__all__ = [
    "Laid",
    "Layout",
    "PaperCell",
    "PaperColumn",
    "PaperRow",
    "PaperTable",
    "PaperValue",
    "laid_out",
]

OF_INTERVALS = ("interval", "plus-minus")
ROUNDING = 1e-9
"""So much a value is beyond 1 by the rounding of whoever computed it."""
RIVALS = 3
"""Of fewer the second best is simply the other."""


@dataclass(frozen=True, slots=True)
class PaperValue:
    """What is known of a measure of a system.

    Attributes:
        value: the measure's value; NaN where there is none.
        marks: signs of what is significant, a character each.
        interval: the two ends of its confidence interval, if there is one.
        deviation: the standard deviation over seeds, if there are several.

    """

    value: float
    marks: str = ""
    interval: tuple[float, float] | None = None
    deviation: float | None = None


@dataclass(frozen=True, slots=True)
class PaperColumn:
    """A measure.

    Attributes:
        title: what it is called.
        better: what of it is better.
        whole: whether it counts, so that a value without decimals is shown without any.
        share: whether it is from 0 to 1, so that it can be given in per cent.

    """

    title: str
    better: Literal["more", "less", "neither"] = "neither"
    whole: bool = False
    share: bool = False

    @property
    def sign(self) -> int:
        """1 where more is better, −1 where less is, 0 where neither is."""
        return {"more": 1, "less": -1, "neither": 0}[self.better]


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A system.

    Attributes:
        names: its name, after those of the groups that it is in.
        values: one a column.
        rival: whether it is compared with the other rows of its group for the best value.

    """

    names: tuple[str, ...]
    values: Sequence[PaperValue]
    rival: bool = True


@dataclass(frozen=True, slots=True)
class PaperTable:
    """What a table for a paper can show.

    Attributes:
        names: what the names of rows are.
        columns: the measures.
        rows: the systems; those of a group stand together.
        about: what it shows, for the caption.
        legend: what its marks mean, a sentence each, without a stop.
        seeds: how many each system has, of those that have several.
        confidence: the share of the intervals that hold the true value, if it has any.
        spread: what stands beside values unless told otherwise.
        flat: whether there is a row a measure unless told otherwise.

    """

    names: tuple[str, ...]
    columns: Sequence[PaperColumn]
    rows: Sequence[PaperRow]
    about: str
    legend: Sequence[str] = ()
    seeds: Collection[int] = ()
    confidence: float | None = None
    spread: Spread = "none"
    flat: bool = False


@dataclass(frozen=True, slots=True)
class PaperCell:
    """A value as it is written.

    Attributes:
        number: the value; empty where there is none.
        beside: ``±0.012`` or ``[0.412, 0.436]``.
        ends: instead of it how far off the upper and the lower end are, ``+0.012`` and ``−0.010``.
        marks: signs of what is significant.
        place: 1 for the best, 2 for the second best.
        room: `beside` and `marks` of other cells in the column, for which this leaves room.

    """

    number: str
    beside: str = ""
    ends: tuple[str, str] | None = None
    marks: str = ""
    place: int = 0
    room: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Laid:
    """A table as it is written.

    Attributes:
        header: what stands above the columns, a line each, of texts and how many columns each is above.
        names: how many columns are names.
        groups: the rows with their names, in groups between which there are rules.
        caption: sentences.
        label: by which it is referred to; None for no label.

    """

    header: Sequence[Sequence[tuple[str, int]]]
    names: int
    groups: Sequence[Sequence[tuple[Sequence[str], Sequence[PaperCell]]]]
    caption: str
    label: str | None

    @property
    def width(self) -> int:
        """How many columns there are."""
        return sum(span for _, span in self.header[-1])


@dataclass(frozen=True)
class Layout:
    """How a table is laid out with some options; see `PaperOptions`."""

    table: PaperTable
    digits: int
    caption: str | None = None
    label: str | None = None
    percent: bool = False
    spread: Spread | None = None
    transpose: bool = False

    def __post_init__(self) -> None:
        check_options(label=self.label, spread=self.spread)

    def laid(self) -> Laid:
        """The table."""
        columns = [self._column(place) for place in range(len(self.table.columns))]
        titles = [each.title + " ↓" * (each.sign < 0) for each in self.table.columns]
        names = [row.names for row in self.table.rows]
        caption = self._caption(cell.place for column in columns for cell in column)
        if self.transpose != self.table.flat:
            corner = (*self.table.names[:-1], "measure")
            header = [
                [(one, 1), *_spans(line)] for one, line in zip(corner, zip(*names, strict=True), strict=True)
            ]
            rows = [([title], own) for title, own in zip(titles, _roomy(columns), strict=True)]
            return Laid(header, 1, [rows], caption, self.label)
        header = [[(each, 1) for each in (*self.table.names, *titles)]]
        cells = _roomy([list(row) for row in zip(*columns, strict=True)])
        return Laid(header, len(self.table.names), list(_grouped(names, cells)), caption, self.label)

    @property
    def _spread(self) -> Spread:
        return self.spread or self.table.spread

    def _column(self, place: int) -> list[PaperCell]:
        """The values of a measure."""
        measure = self.table.columns[place]
        values = [row.values[place] for row in self.table.rows]
        numbers = [self._number(measure, value.value) for value in values]
        places = self._places(measure, numbers)
        besides = self._besides(measure, values)
        return [
            PaperCell(number, beside, ends, value.marks, rank)
            for number, (beside, ends), value, rank in zip(numbers, besides, values, places, strict=True)
        ]

    def _number(self, measure: PaperColumn, value: float) -> str:
        if math.isnan(value):
            return ""
        if measure.whole and value.is_integer():
            return _minus(f"{value:.0f}")
        return _minus(f"{self._scaled(measure, value):.{self.digits}f}")

    def _scaled(self, measure: PaperColumn, value: float) -> float:
        return 100 * value if self.percent and measure.share else value

    def _places(self, measure: PaperColumn, numbers: Sequence[str]) -> list[int]:
        """The places of a measure's values in their groups, by what is shown: 0 where it does not matter."""
        groups: dict[tuple[str, ...], dict[int, float]] = {}
        for row, (own, number) in enumerate(zip(self.table.rows, numbers, strict=True)):
            if own.rival and number and measure.sign:
                groups.setdefault(own.names[:-1], {})[row] = measure.sign * float(number.replace("−", "-"))
        places = [0] * len(numbers)
        for rivals in groups.values():
            order = sorted(set(rivals.values()), reverse=True)
            if len(order) < 2:
                continue  # all are alike
            shown = order[:2] if len(rivals) >= RIVALS else order[:1]
            for row, value in rivals.items():
                places[row] = shown.index(value) + 1 if value in shown else 0
        return places

    def _besides(
        self, measure: PaperColumn, values: Sequence[PaperValue]
    ) -> list[tuple[str, tuple[str, str] | None]]:
        """What stands beside each value of a measure."""
        shown: list[tuple[str, tuple[str, str] | None]] = [("", None)] * len(values)
        for row, own in enumerate(values):
            if self._spread == "seeds" and own.deviation is not None:
                shown[row] = f"±{self._size(measure, own.deviation)}", None
            elif own.interval is not None and not math.isnan(own.interval[0]):
                low, high = own.interval
                if self._spread == "interval":
                    ends = (self._end(measure, end) for end in (low, high))
                    shown[row] = f"[{', '.join(ends)}]", None
                elif self._spread == "plus-minus":
                    up, down = self._size(measure, high - own.value), self._size(measure, own.value - low)
                    shown[row] = "", (f"+{up}", f"−{down}")
        if all(ends is None or ends[0][1:] == ends[1][1:] for _, ends in shown):
            return [(f"±{ends[0][1:]}" if ends else beside, None) for beside, ends in shown]
        return shown

    def _size(self, measure: PaperColumn, value: float) -> str:
        return f"{self._scaled(measure, value):.{self.digits}f}"

    def _end(self, measure: PaperColumn, value: float) -> str:
        return _minus(self._size(measure, value))

    def _caption(self, places: Iterable[int]) -> str:
        """What the table shows and what its signs mean."""
        shown = set(places)
        lines = [self.caption or self.table.about]
        if self.percent:
            of = [column.title for column in self.table.columns if column.share]
            lines.append(
                "in per cent" if len(of) == len(self.table.columns) else f"in per cent: {listed(of)}"
            )
        if any(column.sign < 0 for column in self.table.columns):
            lines.append("↓: less is better")
        if BEST in shown:
            lines.append("the best is bold" + ", the second best underlined" * (SECOND in shown))
        lines += [*self._beside_line(), *self.table.legend]
        first, *others = (line.rstrip(".") for line in filter(None, lines))
        # Which may begin with the name of a measure.
        return " ".join(f"{line}." for line in (first, *(line[0].upper() + line[1:] for line in others)))

    def _beside_line(self) -> Iterator[str]:
        if self._spread == "seeds" and self.table.seeds:
            yield f"± is the standard deviation over {_range(self.table.seeds)} seeds"
        if self._spread in OF_INTERVALS and self.table.confidence is not None:
            intervals = f"{100 * self.table.confidence:g}% confidence intervals"
            yield (
                f"in brackets {intervals}" if self._spread == "interval" else f"± to the ends of {intervals}"
            )


def _range(counts: Collection[int]) -> str:
    """One number, or the least and the greatest."""
    least, most = min(counts), max(counts)
    return str(most) if least == most else f"{least} to {most}"


def _minus(number: str) -> str:
    """A number with the sign that is as wide as a plus; none before what is rounded to 0."""
    if not float(number):
        return number.removeprefix("-")
    return number.replace("-", "−")


def _spans(names: Iterable[str]) -> list[tuple[str, int]]:
    """Equal names beside each other as one with their number."""
    return [(name, len(list(same))) for name, same in groupby(names)]


def _grouped(
    names: Sequence[tuple[str, ...]], rows: Sequence[Sequence[PaperCell]]
) -> Iterator[list[tuple[Sequence[str], Sequence[PaperCell]]]]:
    """The rows of each group with their names, those of the group in its first row alone."""
    for _, members in groupby(zip(names, rows, strict=True), key=lambda row: row[0][:-1]):
        (first, cells), *others = members
        yield [(first, cells), *(((*[""] * (len(own) - 1), own[-1]), more) for own, more in others)]


def _roomy(rows: Sequence[Sequence[PaperCell]]) -> list[list[PaperCell]]:
    """The rows with room in each cell for what other cells of its column have behind the number."""
    columns = []
    for column in zip(*rows, strict=True):
        beside = max((cell.beside for cell in column), key=len)
        marks = max((cell.marks for cell in column), key=len)
        columns.append(
            [
                replace(cell, room=("" if cell.beside or cell.ends else beside, marks[len(cell.marks) :]))
                for cell in column
            ]
        )
    return [list(row) for row in zip(*columns, strict=True)]


def laid_out(tables: Sequence[PaperTable], digits: int, style: Mapping[str, Any]) -> Iterator[Laid]:
    """Tables of one paper, of which the first alone has the caption and the label that were asked for.

    Raises:
        UsageError: no value has what is to stand beside it, or could be in per cent.

    """
    layouts = [Layout(each, digits, **style) for each in tables]
    _check(layouts)
    for place, each in enumerate(layouts):
        yield (replace(each, caption=None, label=None) if place else each).laid()


def _check(layouts: Sequence[Layout]) -> None:
    """Refuses what the tables have not.

    Raises:
        UsageError: no value has what is to stand beside it, or could be in per cent.

    """
    for layout in layouts[:1]:
        tables = [each.table for each in layouts]
        values = [value for table in tables for row in table.rows for value in row.values]
        if layout.spread == "seeds" and all(value.deviation is None for value in values):
            raise UsageError("spread='seeds': no system has several seeds")
        if layout.spread in OF_INTERVALS and all(value.interval is None for value in values):
            raise UsageError(
                f"spread={layout.spread!r}: there are no intervals; ask for them when evaluating"
            )
        columns = dict.fromkeys(column for table in tables for column in table.columns)
        if layout.percent and not any(column.share for column in columns):
            titles = listed([column.title for column in columns])
            raise UsageError(f"percent=True: {titles} is not from 0 to 1")
        beyond = {
            column.title: value.value
            for table in tables
            for row in table.rows
            for column, value in zip(table.columns, row.values, strict=True)
            if layout.percent and column.share and abs(value.value) > 1 + ROUNDING
        }
        for title, value in beyond.items():
            raise UsageError(f"percent=True: {title} is {value:g}, as if it were in per cent already")
