"""Values of systems on queries, and differences between systems, of which the mean is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

__all__ = ["APART", "CHANGES", "MORE_POPULATIONS", "POPULATIONS", "Differences", "Floats", "Population"]

Floats = NDArray[np.float64]
ADHOC8 = Path(__file__).parents[3] / "shared/data/urbano_sigir2019/data/adhoc8_ap.csv"
"""AP of 129 systems on 50 topics of TREC-8, where it is here: J. Urbano et al., SIGIR 2019."""


@dataclass(frozen=True, slots=True)
class Population:
    """Values as a measure has them, of one system or, with the same law, of another."""

    name: str
    draw: Callable[[Generator, int, int], Floats]
    """So many queries of so many systems that do not differ: [queries, systems]."""
    mean: float


@dataclass(frozen=True, slots=True)
class Differences:
    """Differences between two systems."""

    name: str
    draw: Callable[[Generator, int], Floats]
    """Those of so many queries."""
    mean: float = 0.0


def _average_precision(rng: Generator, queries: int, systems: int) -> Floats:
    """Skewed, between 0 and 1, harder and easier queries: beta with a mean that is itself beta(1, 2)."""
    difficulty = rng.beta(1.0, 2.0, (queries, 1))
    return rng.beta(6 * difficulty, 6 * (1 - difficulty), (queries, systems))


def _reciprocal_rank(rng: Generator, queries: int, systems: int) -> Floats:
    """Few different values: 1 / rank, ranks 1 to 10 with a chance of 1/11 each, or 0."""
    return np.array([0, *(1 / np.arange(1, 11))])[rng.integers(0, 11, (queries, systems))]


def _precision(rng: Generator, queries: int, systems: int) -> Floats:
    """Multiples of a tenth, most of them 0: P@10 with one item in twenty relevant."""
    return rng.binomial(10, 0.05, (queries, systems)) / 10


def _hits(share: float) -> Callable[[Generator, int, int], Floats]:
    """0 or 1: whether there is a hit."""
    return lambda rng, queries, systems: (rng.random((queries, systems)) < share).astype(float)


def _mostly_0(rng: Generator, queries: int, systems: int) -> Floats:
    """On 15% of the queries beta(1, 2)."""
    return np.where(rng.random((queries, systems)) < 0.15, rng.beta(1.0, 2.0, (queries, systems)), 0.0)


@cache
def _topics() -> Floats:
    return np.asarray(np.genfromtxt(ADHOC8, delimiter=",", skip_header=1))


def _trec(rng: Generator, queries: int, systems: int) -> Floats:
    """AP of random systems of TREC-8 on topics drawn with replacement, each less its mean."""
    table = _topics()
    chosen = rng.choice(table.shape[1], systems, replace=False)
    drawn = table[rng.integers(len(table), size=queries)][:, chosen]
    return np.asarray(drawn - table[:, chosen].mean(axis=0))


def _apart(draw: Callable[[Generator, int, int], Floats]) -> Callable[[Generator, int], Floats]:
    """Differences between two systems of one law."""

    def drawn(rng: Generator, queries: int) -> Floats:
        values = draw(rng, queries, 2)
        return np.asarray(values[:, 1] - values[:, 0])

    return drawn


def _changes(share: float, won: float) -> Callable[[Generator, int], Floats]:
    """Differences of 0 but on some queries, of which some are won, by beta(1, 2), and the others lost."""

    def draw(rng: Generator, queries: int) -> Floats:
        changed, wins = rng.random(queries) < share, rng.random(queries) < won
        return np.asarray(changed * np.where(wins, 1, -1) * rng.beta(1.0, 2.0, queries))

    return draw


def _hits_changed(won: float, lost: float) -> Callable[[Generator, int], Floats]:
    """Differences of 0 and 1: so many queries have a hit now, and so many no more."""
    return lambda rng, queries: rng.choice([1.0, -1.0, 0.0], queries, p=[won, lost, 1 - won - lost])


def _rare_gains(rng: Generator, queries: int) -> Floats:
    """One query in five gains, much or little, 1 at most; all others lose as much altogether."""
    gains = (rng.random(queries) < 0.2) * rng.exponential(0.2, queries).clip(0, 1)
    return np.asarray(gains - 0.04 * (1 - np.exp(-5)) + rng.normal(0, 0.01, queries))


POPULATIONS = (
    Population("AP", _average_precision, 1 / 3),
    Population("RR", _reciprocal_rank, float(np.sum(1 / np.arange(1, 11))) / 11),
    Population("P@10", _precision, 0.05),
)
MORE_POPULATIONS = (
    Population("hit rate 8%", _hits(0.08), 0.08),
    Population("hit rate 50%", _hits(0.5), 0.5),
    Population("85% are 0", _mostly_0, 0.05),
    *((Population("TREC-8 AP, centred", _trec, 0.0),) if ADHOC8.exists() else ()),
)
APART = tuple(Differences(each.name, _apart(each.draw)) for each in (*POPULATIONS, *MORE_POPULATIONS))
"""Of two systems of one law."""
CHANGES = (
    Differences("a fifth changed, half of it won", _changes(0.2, 0.5)),
    Differences("a fifth changed, all won", _changes(0.2, 1.0), 0.2 / 3),
    Differences("a twentieth changed, 80% of it won", _changes(0.05, 0.8), 0.05 * 0.6 / 3),
    Differences("rare gains, the others lose", _rare_gains),
    Differences("hits: 4% won", _hits_changed(0.04, 0.0), 0.04),
    Differences("hits: 8% won, 2% lost", _hits_changed(0.08, 0.02), 0.06),
)
