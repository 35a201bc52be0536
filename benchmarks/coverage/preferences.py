"""Strengths by preferences: how far off they are, and how often their intervals hold them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

import rankmark as rm
from benchmarks.coverage.shares import Error, Goal, Share, Table, generators

STRENGTHS = np.array([0.8, 0.3, 0.0, -0.4, -0.7])
NAMES = np.array(["a", "b", "c", "d", "e"])
SIDE = 0.3
HELD = Goal(0.935, 0.965)
WAYS: dict[str, dict[str, Any]] = {
    "delta": {},
    "profile": {"interval": "profile"},
    "Firth": {"penalty": "firth"},
    "delta, by query": {"clusters": "query"},
}


@dataclass(frozen=True, slots=True)
class Population:
    """Comparisons of five systems.

    Attributes:
        comparisons: how many.
        queries: of how many queries.
        together: whether both systems and the outcome of a query are one draw, repeated by each assessor.

    """

    comparisons: int
    queries: int
    together: bool = False

    def __str__(self) -> str:
        alike = ", repeated" if self.together else ""
        return f"{self.comparisons} comparisons of {self.queries} queries{alike}"

    def draw(self, rng: Generator) -> dict[str, Any]:
        """A table."""
        many = self.queries if self.together else self.comparisons
        first = rng.integers(0, 5, many)
        second = (first + rng.integers(1, 5, many)) % 5
        chance = 1 / (1 + np.exp(STRENGTHS[second] - STRENGTHS[first] - SIDE))
        won = rng.random(many) < chance
        own = np.arange(self.comparisons) % many
        return {
            "system_a": NAMES[first[own]],
            "system_b": NAMES[second[own]],
            "winner": np.where(won[own], "model_a", "model_b"),
            "query": np.arange(self.comparisons) % self.queries,
        }


POPULATIONS = [
    Population(60, 60),
    Population(200, 200),
    Population(1000, 200),
    Population(1000, 200, together=True),
]


def tables(repetitions: int) -> Iterator[Table]:
    """Of the best less the worst system, in logits: shares of intervals that hold it, and bias."""
    held: dict[str, dict[str, Share]] = {}
    off: dict[str, dict[str, Error]] = {}
    truth = float(STRENGTHS[0] - STRENGTHS[4])
    for population in POPULATIONS:
        holds: dict[str, list[bool]] = {way: [] for way in WAYS}
        errors: dict[str, list[float]] = {way: [] for way in WAYS}
        for _, rng in generators(repetitions, population.comparisons):
            table = population.draw(rng)
            for way, how in WAYS.items():
                try:
                    found = rm.rank_by_preferences(table, baseline="e", side=True, **how).systems
                except rm.DataError:
                    continue  # refused: a system always won
                row = found.row(found["system"].to_list().index("a"), named=True)
                holds[way].append(row["low"] <= truth <= row["high"])
                errors[way].append(row["strength"] - truth)
        held[str(population)] = {
            way: Share(float(np.mean(each)), len(each)) for way, each in holds.items() if each
        }
        off[str(population)] = {way: _error(np.array(each)) for way, each in errors.items() if each}
    goals = dict.fromkeys(WAYS, HELD)
    yield Table("intervals that hold the difference of strengths", held, goals)
    yield Table("bias of the difference, in hundredths of a logit", off)


def _error(errors: Any) -> Error:
    return Error(
        float(errors.mean()), float(errors.std(ddof=1) / len(errors) ** 0.5), float((errors**2).mean() ** 0.5)
    )
