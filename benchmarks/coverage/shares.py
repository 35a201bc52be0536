"""Shares of repetitions, with their Monte-Carlo standard error."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

__all__ = ["Share", "Table", "generators", "shares"]


class Share(NamedTuple):
    """How often something was so.

    Attributes:
        value: 0 to 1.
        of: repetitions.

    """

    value: float
    of: int

    @property
    def error(self) -> float:
        """The Monte-Carlo standard error: √(p(1 − p) / repetitions)."""
        return math.sqrt(self.value * (1 - self.value) / self.of) if self.of else math.nan

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} ± {100 * self.error:.1f}"


@dataclass(frozen=True, slots=True)
class Table:
    """Shares of several ways in several populations.

    Attributes:
        title: what was counted.
        rows: of each population, of each way its share.
        nominal: what the share should be; None where there is no such.
        goal: how far from the nominal it may be: ``(below, above)``.
        counts: the ways that are no such shares but say how often something was so.

    """

    title: str
    rows: Mapping[str, Mapping[str, Share]]
    nominal: float | None = None
    goal: tuple[float, float] = (1.0, 1.0)
    counts: tuple[str, ...] = ("with a caution",)

    def __str__(self) -> str:
        """As Markdown, in per cent; ``!`` where a share misses the goal by more than two standard errors."""
        columns = list(dict.fromkeys(name for row in self.rows.values() for name in row))
        lines = [
            f"### {self.title}",
            "",
            f"| | {' | '.join(columns)} |",
            "| --- |" + " ---: |" * len(columns),
        ]
        for name, row in self.rows.items():
            cells = [f"{row[each]}{self._mark(each, row[each])}" if each in row else "" for each in columns]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        return "\n".join(lines) + "\n"

    def _mark(self, way: str, share: Share) -> str:
        if self.nominal is None or way in self.counts:
            return ""
        below, above = self.goal
        slack = 2 * share.error
        missed = share.value < self.nominal - below - slack or share.value > self.nominal + above + slack
        return " !" if missed else ""


def generators(repetitions: int, *seed: int) -> Iterator[tuple[int, Generator]]:
    """A random generator for each repetition, the same whenever it is asked for."""
    for number in range(repetitions):
        yield number, np.random.default_rng([*seed, number])


def shares(
    repetitions: int, seed: int, once: Callable[[Generator, int], Mapping[str, bool]]
) -> dict[str, Share]:
    """How often each was so; `once` is told a generator and the number of the repetition.

    One that a repetition does not name is counted over those that do.
    """
    true: dict[str, int] = {}
    asked: dict[str, int] = {}
    for number, rng in generators(repetitions, seed):
        for name, so in once(rng, number).items():
            asked[name] = asked.get(name, 0) + 1
            true[name] = true.get(name, 0) + bool(so)
    return {name: Share(true[name] / of, of) for name, of in asked.items()}
