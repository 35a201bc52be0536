"""What slices of queries and slices of rows have in common: a table of rows, and how it is shown."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, ClassVar

from rankmark.errors import ChoiceError, did_you_mean
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.shown import Shown
from rankmark.rendering.words import printable

if TYPE_CHECKING:
    import polars as pl

__all__ = ["NONE", "Sliced", "blocks_of", "frame_of", "in_order"]

NONE = "(none)"
"""What the slice of those without a value is called."""


class Sliced(Shown, ABC):
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

    @property
    @abstractmethod
    def columns(self) -> Sequence[str]:
        """What tables show of a row besides its measure and its slice."""

    @abstractmethod
    def cells(self, row: Any, digits: int) -> list[str]:
        """A row's `columns` for people."""

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

    def __getitem__(self, value: str | None) -> tuple[Any, ...]:
        """The measures of the slice with this value, of whichever attribute has it."""
        found = tuple(row for row in self.rows if row.slice == value)
        if not found:
            known = list(dict.fromkeys(row.slice for row in self.rows if row.slice is not None))
            hint = did_you_mean(value, known) if isinstance(value, str) else ""
            raise ChoiceError(f"there is no slice {value!r}{hint}")
        return found

    def _blocks(self, digits: int) -> Iterator[Block]:
        return blocks_of({"": self}, digits)

    def _frame(self) -> pl.DataFrame:
        return self.frame

    def _record(self) -> dict[str, Any]:
        return {"slices": [asdict(row) for row in self.rows]}


def in_order(values: Iterable[str | None]) -> list[str | None]:
    """Numbers by size, texts by the alphabet; those without a value last."""
    every = list(values)
    known = [value for value in every if value is not None]
    key: Callable[[str], Any] = float if all(map(_is_number, known)) else str
    return [*sorted(known, key=key), *[None] * (len(known) < len(every))]


def _is_number(text: str) -> bool:
    try:
        return not math.isnan(float(text))
    except ValueError:
        return False


def blocks_of(found: Mapping[str, Sliced], digits: int) -> Iterator[Block]:
    """The slices of one result, or of several by the names of their runs, for people."""
    for by in dict.fromkeys(row.by for slices in found.values() for row in slices.rows):
        yield _grid(found, by, digits)
    notes = dict.fromkeys(line for slices in found.values() for line in slices.explained())
    yield Notes(list(notes), apart=False)


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
        [*[printable(run)] * named, row.measure, _label(row.slice), *slices.cells(row, digits)]
        for run, slices in found.items()
        for row in slices.rows
        if row.by == by
    ]
    return Grid(len(header) - len(columns), [header, *rows])


def _label(value: str | None) -> str:
    return NONE if value is None else printable(value)


def _are_named(found: Mapping[str, Sliced]) -> bool:
    return list(found) != [""]
