"""Which queries people should label next, as it is shown."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rankmark.dataclassing import dataclass
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.records import Record
from rankmark.rendering.words import counted, printable, rounded
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    import polars as pl

__all__ = ["LabelPlan", "LabelStratum"]


@dataclass(frozen=True, slots=True, repr=False)
class LabelStratum(Record):
    """A part of the queries, of which people label a random sample.

    Attributes:
        stratum: its name.
        queries: how many there are.
        labelled: how many of them people labelled.
        add: how many they are to label next.
        probability: the share that is labelled then: how likely each query was to be.
        judge: the judge's mean value of them.
        deviation: how much people's values vary about what the judge's say of them.

    """

    stratum: str
    queries: int
    labelled: int
    add: int
    probability: float
    judge: float
    deviation: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelPlan(Saved):
    """How many queries people still have to label, and which; ``print`` shows it.

    As a file, ``to_csv`` or ``-o queries.csv``, it has a row a query, which `evaluate_with_judge` takes as
    ``attributes`` with ``strata="stratum"``.

    Attributes:
        measure: by which.
        system: of which.
        baseline: of a difference the system whose value is taken away; None of a value.
        labelled: how many queries people labelled.
        queries: how many there are.
        confidence: of the intervals.
        correlation: of people's values with the judge's, within strata.
        correlation_low: the lower end of its interval (Fisher's z).
        correlation_high: the upper end.
        width_now: how wide the interval is expected to be with the labels that there are.
        width: the same with those to add.
        wanted: the width that is wanted, or the difference to be found.
        needed: how many more labelled queries that takes; None where nothing was wanted, or none do.
        needed_low: the fewest, by the interval of the deviation.
        needed_high: the most; None where all queries may be too few.
        strata: what queries are drawn from.
        frame: a row a query: ``query``, ``stratum``, ``labelled``, ``next`` (in which order to label; null
            of others) and ``probability``.
        signature: of the measure.
        notes: what a reader should know.

    """

    measure: str
    system: str
    baseline: str | None
    labelled: int
    queries: int
    confidence: float
    correlation: float
    correlation_low: float
    correlation_high: float
    width_now: float
    width: float
    wanted: float | None
    needed: int | None
    needed_low: int | None
    needed_high: int | None
    strata: tuple[LabelStratum, ...]
    frame: pl.DataFrame
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def add(self) -> int:
        """How many queries to label next."""
        return sum(each.add for each in self.strata)

    @property
    def next_queries(self) -> list[Any]:
        """The queries to label, the most useful first; whoever stops early has the best of so many."""
        return self.frame.drop_nulls("next").sort("next")["query"].to_list()

    def __repr__(self) -> str:
        return f"<LabelPlan of {counted(self.add, 'query', 'queries')} beside {self.labelled:,}>"

    def _blocks(self, digits: int) -> Iterator[Block]:
        def number(value: float | None) -> str:
            return "" if value is None or math.isnan(value) else rounded(value, f".{digits}f")

        def count(value: int | None) -> str:
            return "" if value is None else f"{value:,}"

        named = self.system if self.baseline is None else f"{self.system} − {self.baseline}"
        header = ["", "labelled", "correlation", "interval", "width now", "to add", "width then"]
        ends = f"{number(self.correlation_low)} … {number(self.correlation_high)}"
        figures = [f"{self.labelled:,}", number(self.correlation), ends if ends != " … " else ""]
        figures += [number(self.width_now), f"{self.add:,}", number(self.width)]
        if self.wanted is not None:
            header += ["wanted", "needed", "at least", "at most"]
            figures += [
                number(self.wanted),
                count(self.needed),
                count(self.needed_low),
                count(self.needed_high),
            ]
        yield Grid(1, [header, [printable(f"{self.measure} {named}"), *figures]], "Labels of people to add")
        header = ["stratum", "queries", "judge's mean", "deviation", "labelled", "to add", "probability"]
        rows = [
            [
                printable(each.stratum),
                f"{each.queries:,}",
                number(each.judge),
                number(each.deviation),
                f"{each.labelled:,}",
                f"{each.add:,}",
                number(each.probability),
            ]
            for each in self.strata
        ]
        yield Grid(1, [header, *rows], "Strata")
        yield Notes(list(self.notes), closing=True)

    def _frame(self) -> pl.DataFrame:
        return self.frame

    def _record(self) -> dict[str, Any]:
        own = {name: getattr(self, name) for name in self.__slots__ if name != "frame"}
        return own | {
            "add": self.add,
            "strata": list(map(asdict, self.strata)),
            "next": self.next_queries,
            "notes": list(self.notes),
        }
