"""Shares of repetitions, with their Monte-Carlo standard error, and whether they are as they should be."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.random import Generator

__all__ = [
    "AtMost",
    "Error",
    "Goal",
    "Noted",
    "Once",
    "Ratio",
    "Share",
    "Table",
    "false",
    "generators",
    "held",
    "shares",
]


class Noted(NamedTuple):
    """Whether something was so, and whether a note beside the number said that it may be otherwise."""

    so: bool
    note: bool


Once: TypeAlias = Callable[[Generator, int], Mapping[str, "bool | Noted"]]
"""One repetition: told a generator and its number, it says of each way whether it was so."""


class Share(NamedTuple):
    """How often something was so.

    Attributes:
        value: 0 to 1.
        of: repetitions.
        noted: the share of these in which a note spoke against it.

    """

    value: float
    of: int
    noted: float = 0.0

    @property
    def error(self) -> float:
        """The Monte-Carlo standard error: √(p(1 − p) / repetitions)."""
        return _error(self.value, self.of)

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} ± {100 * self.error:.1f}"


def _error(share: float, of: int) -> float:
    return math.sqrt(share * (1 - share) / of)


class Ratio(NamedTuple):
    """What one mean is of another.

    Attributes:
        value: the ratio.
        error: its Monte-Carlo standard error.
        noted: as of a share.

    """

    value: float
    error: float
    noted: float = 0.0

    def __str__(self) -> str:
        return f"{self.value:.3f} ± {self.error:.3f}"


class Error(NamedTuple):
    """How far estimates are off.

    Attributes:
        value: the mean error.
        error: its Monte-Carlo standard error.
        root: the root of the mean squared error.

    """

    value: float
    error: float
    root: float
    noted: float = 0.0

    def __str__(self) -> str:
        return f"{100 * self.value:+.2f} ± {100 * self.error:.2f} ({100 * self.root:.2f})"


class AtMost(NamedTuple):
    """What a ratio should be: no more than this."""

    most: float

    def missed(self, ratio: Any) -> bool:
        """Whether it is more, by more than two standard errors."""
        return bool(ratio.value - 2 * ratio.error > self.most)


class Goal(NamedTuple):
    """What a share should be: from `low` to `high`."""

    low: float
    high: float

    def missed(self, share: Any) -> bool:
        """Whether the share is not, by more than two standard errors of one that just is."""
        low, high = self.low - 2 * _error(self.low, share.of), self.high + 2 * _error(self.high, share.of)
        return not low <= share.value <= high


def held(confidence: float = 0.95) -> Goal:
    """The goal of intervals: within 1.5 points of what they say."""
    return Goal(confidence - 0.015, confidence + 0.015)


def false(level: float) -> Goal:
    """The goal of tests where nothing is to be found: at most 6% at 5%, and 1.5% at 1%."""
    return Goal(0.0, level + min(0.01, level / 2))


@dataclass(frozen=True, slots=True)
class Table:
    """Shares of several ways in several populations, or ratios.

    Attributes:
        title: what was counted.
        rows: of each population, of each way its share.
        goals: of the ways that are defaults; the others stand beside them.

    """

    title: str
    rows: Mapping[str, Mapping[str, Share | Ratio | Error]]
    goals: Mapping[str, Goal | AtMost] = field(default_factory=dict)

    def __str__(self) -> str:
        """As Markdown, shares in per cent.

        ``!`` stands where a goal is missed by more than two standard errors, with the share of repetitions
        in which a note said so beside the number.
        """
        columns = list(dict.fromkeys(name for row in self.rows.values() for name in row))
        lines = [
            f"#### {self.title}",
            "",
            f"| | {' | '.join(columns)} |",
            "| --- |" + " ---: |" * len(columns),
        ]
        for name, row in self.rows.items():
            cells = [f"{row[each]}{self._mark(each, row[each])}" if each in row else "" for each in columns]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        return "\n".join(lines) + "\n"

    def _mark(self, way: str, share: Share | Ratio | Error) -> str:
        if way not in self.goals or not self.goals[way].missed(share):
            return ""
        return f" ! (note {100 * share.noted:.0f}%)" if share.noted else " !"

    def missed(self) -> Iterator[tuple[str, str, Share | Ratio | Error]]:
        """The population, the way and the share of each that misses its goal."""
        for name, row in self.rows.items():
            for way, goal in self.goals.items():
                if way in row and goal.missed(row[way]):
                    yield name, way, row[way]

    @property
    def judged(self) -> int:
        """How many shares have a goal."""
        return sum(way in row for row in self.rows.values() for way in self.goals)


def generators(repetitions: int, *seed: int) -> Iterator[tuple[int, Generator]]:
    """A random generator for each repetition, the same whenever it is asked for."""
    for number in range(repetitions):
        yield number, np.random.default_rng([*seed, number])


def shares(repetitions: int, seed: int, once: Once) -> dict[str, Share]:
    """How often each was so; `once` is told a generator and the number of the repetition.

    One that a repetition does not name is counted over those that do.
    """
    counted: dict[str, list[Noted]] = {}
    for number, rng in generators(repetitions, seed):
        for name, found in once(rng, number).items():
            counted.setdefault(name, []).append(
                found if isinstance(found, Noted) else Noted(bool(found), False)
            )
    return {
        name: Share(sum(bool(each.so) for each in all_of) / len(all_of), len(all_of), _noted(all_of))
        for name, all_of in counted.items()
    }


def _noted(found: list[Noted]) -> float:
    return sum(each.note for each in found) / len(found)
