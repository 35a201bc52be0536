"""What slices of queries and slices of rows have in common: a table of rows, and how it is shown."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from rankmark.errors import ChoiceError, DataError, did_you_mean
from rankmark.language.written import paper_column
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.drawn import Column, ranges
from rankmark.rendering.words import counted, listed, printable
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.rendering.papers import PaperTable, PaperValue

__all__ = [
    "OfSlices",
    "Sliced",
    "blocks_of",
    "corrected_rows",
    "frame_of",
    "papers_of",
    "slice_label",
    "slice_members",
]

SomeRow = TypeVar("SomeRow", bound=Any)
NONE = "(none)"
"""What the slice of those without a value is called."""
BETWEEN = ("measure", "worst", "best", "difference", "low", "high", "ratio", "low", "high", "by chance", "p")
"""What tables show of how far slices are apart."""
SIGN = "†"
"""What marks a slice in a paper that differs from all others."""
FEW = 10
"""Slices that an error names."""
MOST = 10_000
"""Slices by one attribute; more of them are not looked at, and take long."""


class OfSlices:
    """What has members each of which is of a slice."""

    __slots__ = ()

    @property
    @abstractmethod
    def _members(self) -> tuple[Any, ...]:
        """All of them, each with its slice."""

    def __iter__(self) -> Iterator[Any]:
        """All of them."""
        return iter(self._members)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._members)

    def __contains__(self, value: object) -> bool:
        """Whether there is a slice with this value, or this is a member."""
        return value in self._members or any(_is_slice(each.slice, value) for each in self._members)

    def _found(self, value: object) -> tuple[Any, ...]:
        """Those of the slice with this value, of whichever attribute has it.

        Raises:
            ChoiceError: there is no such slice.

        """
        found = tuple(each for each in self._members if _is_slice(each.slice, value))
        if not found:
            raise _no_slice(value, (each.slice for each in self._members))
        return found


class Sliced(OfSlices, Saved, ABC):
    """Measures in slices; ``print(slices)`` shows them.

    Attributes:
        rows: each measure in each slice of each attribute.
        confidence: the share of the intervals that hold the true value.
        notes: what a reader should know.

    """

    __slots__ = ()

    rows: tuple[Any, ...]
    confidence: float
    notes: tuple[str, ...]

    row: ClassVar[type]
    """What a row is."""
    counted: ClassVar[str]
    """Of what a slice is."""

    @property
    @abstractmethod
    def columns(self) -> Sequence[str]:
        """What tables show of a row besides its measure and its slice."""

    @abstractmethod
    def cells(self, row: Any, digits: int) -> list[str]:
        """A row's `columns` for people."""

    def between(self, by: str, digits: int) -> Iterator[list[str]]:  # noqa: ARG002
        """What is said of all slices by an attribute together, a row of `BETWEEN` a measure."""
        yield from ()

    def surely(self, row: Any) -> bool:
        """Whether a row's value differs from that of all others by more than chance."""
        return bool(row.p_corrected <= 1 - self.confidence)

    def paper_value(self, row: Any) -> PaperValue:
        """A row's value for papers, marked where it differs from that of all others."""
        from rankmark.rendering.papers import PaperValue

        mark = SIGN if self.surely(row) else ""
        return PaperValue(row.value, mark, None if math.isnan(row.low) else (row.low, row.high))

    @abstractmethod
    def explained(self) -> Iterator[str]:
        """What tables say beneath the rows."""

    @property
    def frame(self) -> pl.DataFrame:
        """A row a slice and measure, with the columns of `row`; null where there is no value."""
        import polars as pl

        kinds = {"int": pl.Int64, "int | None": pl.Int64, "float": pl.Float64}
        types = {each.name: kinds.get(str(each.type), pl.String) for each in fields(self.row)}
        columns = {name: [getattr(row, name) for row in self.rows] for name in types}
        return pl.DataFrame(columns, schema=types).fill_nan(None)

    def records(self) -> list[dict[str, Any]]:
        """The rows of `frame` as dicts."""
        return self.frame.rows(named=True)

    def __repr__(self) -> str:
        counts = Counter(by for by, _ in {(row.by, row.slice) for row in self.rows})
        slices = ", ".join(f"{counted(count, 'slice')} by {by}" for by, count in counts.items())
        measures = ", ".join(dict.fromkeys(row.measure for row in self.rows))
        return f"<{type(self).__name__} of {measures}: {slices}>"

    @property
    def _members(self) -> tuple[Any, ...]:
        """As `OfSlices._members`: the rows."""
        return self.rows

    def __getitem__(self, value: object) -> tuple[Any, ...]:
        """The measures of the slice with this value, of whichever attribute has it."""
        return self._found(value)

    def _blocks(self, digits: int) -> Iterator[Block]:
        return blocks_of({"": self}, digits)

    def _paper(self, digits: int) -> Iterator[Block | PaperTable]:  # noqa: ARG002 - the format's
        return papers_of({"": self})

    def _frame(self) -> pl.DataFrame:
        return self.frame

    def _record(self) -> dict[str, Any]:
        return {"slices": [asdict(row) for row in self.rows]}


def _is_slice(name: str | None, value: object) -> bool:
    """Whether a slice is that of a value, which can be what its name was written from: 1 or 1.0 for "1"."""
    if value is None or isinstance(value, str):
        return name == value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return name == (str(value).lower() if isinstance(value, bool) else str(value))


def _no_slice(value: object, slices: Iterable[str | None]) -> ChoiceError:
    """The error for a slice that is none of these."""
    known = dict.fromkeys(slices)
    names = [name for name in known if name is not None]
    hint = (did_you_mean(value, names) if isinstance(value, str) else "") or ";"
    shown = ", ".join(map(repr, list(known)[:FEW])) + ", …" * (len(known) > FEW)
    return ChoiceError(f"there is no slice {value!r}{hint} there are {shown}")


def slice_members(names: pl.Series) -> Iterator[tuple[str | None, NDArray[np.intp]]]:
    """Each slice of a column of `slice_names`, in order, and the numbers of the rows in it; null comes last.

    Raises:
        DataError: there are more slices than anybody looks at.

    """
    if (count := names.n_unique()) > MOST:
        raise DataError(
            f"by={names.name!r}: {count:,} different values, more than the {MOST:,} slices that there can "
            "be; give intervals of them, such as pandas.cut makes"
        )
    known = names.dtype.categories.to_list()  # type: ignore[attr-defined]
    places = names.to_physical().fill_null(len(known)).to_numpy()
    places = places.astype(np.min_scalar_type(len(known)))  # of 16 bits they are sorted far sooner
    rows = np.argsort(places, kind="stable")
    ends = np.searchsorted(places[rows], np.arange(len(known) + 2))
    for place, name in enumerate([*known, None]):
        if ends[place] < ends[place + 1]:
            yield name, rows[ends[place] : ends[place + 1]]


def corrected_rows(rows: Sequence[SomeRow]) -> tuple[tuple[SomeRow, ...], int]:
    """The rows with p-values corrected for all of them (Holm), and the number of tests."""
    from rankmark.statistics.corrections import corrected

    slices = Counter(by for by, _ in {(row.by, row.slice) for row in rows})
    # One of two slices differs from the other as the other does from it: that is one test.
    tests = [(row.by, row.measure, row.slice if slices[row.by] > 2 else None) for row in rows]
    alone = dict(zip(tests, (row.p for row in rows), strict=True))
    together = dict(zip(alone, corrected(list(alone.values())).tolist(), strict=True))
    found = (replace(row, p_corrected=together[test]) for row, test in zip(rows, tests, strict=True))
    return tuple(found), sum(not math.isnan(p) for p in together.values())


def blocks_of(found: Mapping[str, Sliced], digits: int) -> Iterator[Block]:
    """The slices of one result, or of several by the names of their runs, for people."""
    for by in dict.fromkeys(row.by for slices in found.values() for row in slices.rows):
        yield _grid(found, by, digits)
        if (grid := _between(found, by, digits)) is not None:
            yield grid
    told = {run: list(slices.explained()) for run, slices in found.items()}
    notes = dict.fromkeys(
        line if all(line in each for each in told.values()) else f"{printable(run)}: {line}"
        for run, lines in told.items()
        for line in lines
    )
    yield Notes(list(notes), apart=False)


def papers_of(found: Mapping[str, Sliced]) -> Iterator[Block | PaperTable]:
    """The same for a paper: a table an attribute, with a row a slice and run and a column a measure."""
    for by in dict.fromkeys(row.by for slices in found.values() for row in slices.rows):
        yield _paper(found, by)
    yield Notes(list(dict.fromkeys(line for slices in found.values() for line in slices.explained())))


def _paper(found: Mapping[str, Sliced], by: str) -> PaperTable:
    from rankmark.rendering.papers import PaperColumn, PaperRow, PaperTable, PaperValue

    one, named = next(iter(found.values())), _are_named(found)
    members = {
        (each.slice, run): {
            row.measure: row for row in slices.rows if (row.by, row.slice) == (by, each.slice)
        }
        for run, slices in found.items()
        for each in slices.rows
        if each.by == by
    }
    order = list(dict.fromkeys(slice_ for slice_, _ in members))
    measures = list(dict.fromkeys(row.measure for own in members.values() for row in own.values()))
    rows = [
        PaperRow(
            (slice_label(slice_), *[printable(run)] * named),
            [PaperValue(float(getattr(next(iter(own.values())), one.counted)))]
            + [one.paper_value(own[name]) if name in own else PaperValue(math.nan) for name in measures],
            rival=named,
        )
        for (slice_, run), own in sorted(members.items(), key=lambda each: order.index(each[0][0]))
    ]
    marked = any(value.marks for row in rows for value in row.values)
    return PaperTable(
        names=(printable(by), *["run"] * named),
        columns=[PaperColumn(one.counted, whole=True), *map(paper_column, measures)],
        rows=rows,
        about=f"{listed(measures)} by {printable(by)}",
        legend=[
            f"{SIGN} different from all other {one.counted} (p ≤ {1 - one.confidence:g}, corrected by Holm)"
        ]
        * marked,
        confidence=one.confidence,
    )


def frame_of(found: Mapping[str, Sliced]) -> pl.DataFrame:
    """The same as one table."""
    import polars as pl

    return pl.concat(
        slices.frame.select(*[pl.lit(run).alias("run")] * _are_named(found), pl.all())
        for run, slices in found.items()
    )


def _grid(found: Mapping[str, Sliced], by: str, digits: int) -> Grid:
    columns = next(iter(found.values())).columns
    named = _are_named(found)
    header = [*["run"] * named, "measure", printable(by), *columns]
    rows = [
        [*[printable(run)] * named, row.measure, slice_label(row.slice), *slices.cells(row, digits)]
        for run, slices in found.items()
        for row in slices.rows
        if row.by == by
    ]
    return Grid(len(header) - len(columns), [header, *rows], f"By {printable(by)}", lambda: _drawn(found, by))


def _between(found: Mapping[str, Sliced], by: str, digits: int) -> Grid | None:
    named = _are_named(found)
    rows = [
        [*[printable(run)] * named, *cells]
        for run, slices in found.items()
        for cells in slices.between(by, digits)
    ]
    header = [*["run"] * named, *BETWEEN]
    return Grid(named + 3, [header, *rows], f"Between slices by {printable(by)}") if rows else None


def _drawn(found: Mapping[str, Sliced], by: str) -> Column | None:
    """The values with their intervals, if they are all of one measure, whose scale is one."""
    rows = [row for slices in found.values() for row in slices.rows if row.by == by]
    if len({row.measure for row in rows}) != 1 or not hasattr(rows[0], "low"):
        return None
    return ranges("interval", ((row.low, row.value, row.high) for row in rows), behind="value")


def slice_label(value: str | None) -> str:
    """A slice's name for people."""
    return NONE if value is None else printable(value) or '""'


def _are_named(found: Mapping[str, Sliced]) -> bool:
    return list(found) != [""]
