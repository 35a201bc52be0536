"""Systems ranked by what is preferred of two or several, as they are shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rankmark.dataclassing import dataclass
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.numbers import Numbered, Parts
from rankmark.rendering.words import chance, printable, rounded
from rankmark.results.saved import Saved
from rankmark.statistics.paired_comparisons import PENALTIES, TIES, Penalty, TieModel

if TYPE_CHECKING:
    import polars as pl

__all__ = ["INTERVALS", "SCALES", "IntervalName", "PreferenceRanking", "Scale"]

Scale: TypeAlias = Literal["logit", "elo"]
SCALES: dict[Scale, tuple[float, float]] = {"logit": (1.0, 0.0), "elo": (400 / math.log(10), 1000.0)}
"""What a logit counts for, and where 0 lies."""
IntervalName: TypeAlias = Literal["delta", "profile", "bootstrap"]
INTERVALS: dict[IntervalName, str] = {
    "delta": "delta intervals",
    "profile": "profile likelihood intervals",
    "bootstrap": "bootstrap intervals",
}
"""How intervals are made."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PreferenceRanking(Saved, Numbered):
    """Systems by their strength; ``ranking["bm25"]`` is one, ``print`` shows all.

    Attributes:
        systems: a row a system, best first: ``system``, ``strength``, ``low``, ``high``, ``wins``, ``ties``,
            ``losses``, ``p`` and ``p_adjusted`` of the difference to the baseline (null without one, and of
            itself).
        probabilities: a row a pair: ``system``, ``other``, ``wins``, the chance that the system is preferred,
            and ``tie``, that neither is (0 of half wins).
        side: by how many logits standing first is worth more than standing second; NaN unless estimated.
        side_low: the lower end of its interval.
        side_high: the upper end.
        side_p: of the test that it is 0.
        comparisons: how many there are.
        ties: what ties are.
        penalty: what keeps strengths finite.
        scale: ``logit``, or ``elo``, 400 / ln 10 of it and 1000 where a logit is 0.
        baseline: the system whose strength is 0; None where the mean of all is.
        interval: how intervals were made.
        clusters: what comparisons belong to; None where each stands for itself.
        confidence: of the intervals.
        notes: what a reader should know.

    """

    systems: pl.DataFrame
    probabilities: pl.DataFrame
    side: float
    side_low: float
    side_high: float
    side_p: float
    comparisons: int
    ties: TieModel
    penalty: Penalty
    scale: Scale
    baseline: str | None
    interval: IntervalName
    clusters: str | None
    confidence: float
    notes: tuple[str, ...] = ()

    def __getitem__(self, system: str) -> float:
        """The strength of a system."""
        names = self.systems["system"].to_list()
        if system not in names:
            raise KeyError(system)
        return float(self.systems["strength"][names.index(system)])

    def __repr__(self) -> str:
        return f"<PreferenceRanking {self._line()}>"

    def _line(self) -> str:
        by = "" if self.clusters is None else f" in clusters by {self.clusters}"
        zero = "the mean" if self.baseline is None else self.baseline
        return (
            f"{self.comparisons:,} comparisons; {TIES[self.ties]}, {PENALTIES[self.penalty]}; {zero} is "
            f"{SCALES[self.scale][1]:g}; {100 * self.confidence:g}% {INTERVALS[self.interval]}{by}"
        )

    def _blocks(self, digits: int) -> Iterator[Block]:
        form = f".{digits}f" if self.scale == "logit" else ".1f"
        header = ["system", self.scale, "low", "high", "wins", "ties", "losses"]
        tested = self.baseline is not None
        rows = [
            [
                printable(row["system"]),
                *(rounded(row[name], form) for name in ("strength", "low", "high")),
                *(f"{row[name]:,}" for name in ("wins", "ties", "losses")),
                *(_p(row[name], digits) for name in ("p", "p_adjusted") if tested),
            ]
            for row in self.systems.iter_rows(named=True)
        ]
        yield Grid(1, [[*header, *(["p", "adjusted"] if tested else [])], *rows], "Systems by preferences")
        names = self.systems["system"].to_list()
        chances = {(row[0], row[1]): row[2] for row in self.probabilities.iter_rows()}
        matrix = [
            [
                printable(one),
                *(rounded(chances.get((one, other), math.nan), f".{digits}f") for other in names),
            ]
            for one in names
        ]
        yield Grid(1, [["preferred to", *map(printable, names)], *matrix], "Chances to be preferred")
        if not math.isnan(self.side):
            values = [rounded(each, f".{digits}f") for each in (self.side, self.side_low, self.side_high)]
            yield Grid(1, [["", "logit", "low", "high", "p"], ["first", *values, _p(self.side_p, digits)]],
                       "What standing first is worth")  # fmt: skip
        yield Notes([self._line(), *self.notes])

    def _numbers(self) -> Mapping[Parts, float]:
        found: dict[Parts, float] = {}
        for row in self.systems.iter_rows(named=True):
            for name in ("strength", "low", "high"):
                found[row["system"], name] = row[name]
        return found if math.isnan(self.side) else found | {("side",): self.side}

    def _record(self) -> dict[str, Any]:
        own = (name for name in self.__dataclass_fields__ if name not in ("systems", "probabilities"))
        tables = {"systems": self.systems.to_dicts(), "probabilities": self.probabilities.to_dicts()}
        return {name: getattr(self, name) for name in own} | tables

    def _frame(self) -> pl.DataFrame:
        return self.systems


def _p(value: float | None, digits: int) -> str:
    return "" if value is None else chance(value, digits)
