"""What a number of queries can show, and how many it takes, as it is shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from rankmark import statistics
from rankmark.comparing.words import sided
from rankmark.dataclassing import dataclass
from rankmark.errors import UsageError
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.records import Record
from rankmark.rendering.words import counted, rounded
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    from rankmark.statistics.significance import Alternative

__all__ = ["DESIGNS", "Design", "PowerRow", "TopicSetSize"]

Design: TypeAlias = Literal["t", "anova", "interval", "gate"]
DESIGNS: Mapping[str, str] = {
    "t": "paired t test",
    "anova": "one-way analysis of variance",
    "interval": "expected width of Student's interval of the difference",
    "gate": "gate with Gaffke's bound",
}
"""What is planned for, by its name."""


@dataclass(frozen=True, slots=True, repr=False)
class PowerRow(Record):
    """What queries like these can show of one measure.

    Attributes:
        measure: its name; None where only a deviation was given.
        system: the one system of a pair; None of all together.
        baseline: the other.
        queries: how many there are; None where that was not said.
        clusters: how many clusters they are in; None where each stands for itself.
        deviation: the standard deviation over queries: of the differences, or of each system's values
            (``anova``).
        design_effect: how many times the variance of the mean is that of independent queries.
        detectable: what these queries show, in the unit of the design: the difference, the greatest distance
            between two systems (``anova``), the width, the greatest drop (``gate``).
        wanted: what is to be shown.
        needed: how many queries that takes; None where that was not said, or none do.

    """

    measure: str | None
    system: str | None
    baseline: str | None
    queries: int | None
    clusters: int | None
    deviation: float
    design_effect: float
    detectable: float | None
    wanted: float | None
    needed: int | None


@dataclass(frozen=True, slots=True, repr=False)
class TopicSetSize(Saved):
    """How many queries show how much; ``print`` shows it.

    Attributes:
        design: what is planned for: ``t``, ``anova``, ``interval`` or ``gate``.
        alpha: the level of the test.
        power: the chance with which it is to be found.
        confidence: of the interval, or of the gate.
        alternative: of the t test.
        systems: how many there are in an analysis of variance.
        rows: what queries can show.
        notes: what a reader should know of the results.

    """

    design: Design
    alpha: float
    power: float
    confidence: float
    alternative: Alternative
    systems: int
    rows: tuple[PowerRow, ...]
    notes: tuple[str, ...] = ()

    _only: ClassVar = ("table", "json", "html")

    def __repr__(self) -> str:
        return f"<TopicSetSize {self._line()}>"

    def detectable(self, deviation: float, units: int) -> float:
        """What so many independent units show that have this deviation; of a gate their values decide."""
        if self.design == "interval":
            return statistics.expected_width(deviation, units, confidence=self.confidence)
        how = {"alpha": self.alpha, "power": self.power}
        if self.design == "anova":
            return statistics.detectable_range(deviation, units, self.systems, **how)
        return statistics.detectable_difference(deviation, units, alternative=self.alternative, **how)

    def curve(self, row: PowerRow, queries: Sequence[int]) -> list[float]:
        """What each of these numbers of queries shows, in clusters like those of a row.

        Raises:
            UsageError: it is not known of more queries: of a gate, whose bound is by the values that there
                are, and of seeds, for which more queries do not make up.

        """
        each = 1.0 if row.queries is None or row.clusters is None else row.queries / row.clusters
        deviation = row.deviation * math.sqrt(row.design_effect / each)

        def shown(count: int) -> float:
            return self.detectable(deviation, max(round(count / each), 2))

        known = self.design != "gate" and deviation > 0
        if known and row.queries is not None:
            known = row.detectable is not None and math.isclose(
                shown(row.queries), row.detectable, rel_tol=1e-6
            )
        if not known:
            raise UsageError("what more queries show is not known of a gate, of seeds, and without spread")
        return [shown(count) for count in queries]

    def _blocks(self, digits: int) -> Iterator[Block]:
        header = ["", "queries", "deviation", "design effect", "detectable", "wanted", "needed"]
        yield Grid(1, [header, *(self._cells(row, digits) for row in self.rows)], "How much queries show")
        yield Notes([self._line(), *self.notes])

    def _cells(self, row: PowerRow, digits: int) -> list[str]:
        pair = "" if row.system is None else f"{row.system} − {row.baseline}"
        figures = [row.deviation, row.design_effect, row.detectable, row.wanted]
        return [
            " ".join(filter(None, (row.measure, pair))),
            _count(row.queries),
            *("" if each is None else rounded(each, f".{digits}f") for each in figures),
            _count(row.needed),
        ]

    def _line(self) -> str:
        if self.design == "interval":
            return f"{DESIGNS['interval']}, {100 * self.confidence:g}% confidence"
        if self.design == "gate":
            level = f"{100 * self.confidence:g}% confidence, an equal candidate"
        else:
            level = f"alpha {self.alpha:g}"
            paired = self.design == "t"
            level += f", {sided(self.alternative) if paired else counted(self.systems, 'system')}"
        return f"{DESIGNS[self.design]}, {level}, power {100 * self.power:g}%"

    def _record(self) -> dict[str, Any]:
        return asdict(self)


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"
