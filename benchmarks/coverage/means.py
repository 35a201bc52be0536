"""Means over queries: intervals of one system's and of differences, and tests of two that do not differ.

Each repetition draws values of systems on some queries: the queries differ, the systems do not. The default
interval is counted twice: wherever it is, and where no caution speaks against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.coverage.shares import Share, Table, shares
from rankmark import statistics

Floats = NDArray[np.float64]
QUERIES = (10, 25, 50, 200, 1_000)
RESAMPLES = 2_000
GROUPS = 40
"""Users in the population with several queries a user."""
ADHOC8 = Path(__file__).parents[3] / "shared/data/urbano_sigir2019/data/adhoc8_ap.csv"
"""AP of 129 systems on 50 topics of TREC-8, where it is here: J. Urbano et al., SIGIR 2019."""


@dataclass(frozen=True, slots=True)
class Population:
    """Values as a measure has them, of one system or, with the same law, of another."""

    name: str
    draw: Callable[[Generator, int, int], Floats]
    """So many queries of so many systems that do not differ: [queries, systems]."""
    mean: float


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


def _rare_gains(rng: Generator, queries: int, systems: int) -> Floats:
    """Mostly 0: on 15% of the queries beta(1, 2)."""
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


def _changes(share: float, won: float) -> Callable[[Generator, int, int], Floats]:
    """Differences of 0 but on some queries, of which some are won, by beta(1, 2), and the others lost."""

    def draw(rng: Generator, queries: int, _: int) -> Floats:
        changed, wins = rng.random((queries, 1)) < share, rng.random((queries, 1)) < won
        return changed * np.where(wins, 1, -1) * rng.beta(1.0, 2.0, (queries, 1))

    return draw


POPULATIONS = (
    Population("AP", _average_precision, 1 / 3),
    Population("RR", _reciprocal_rank, float(np.sum(1 / np.arange(1, 11))) / 11),
    Population("P@10", _precision, 0.05),
)
MORE_POPULATIONS = (
    Population("hit rate 8%", _hits(0.08), 0.08),
    Population("hit rate 50%", _hits(0.5), 0.5),
    Population("rare gains", _rare_gains, 0.05),
    *((Population("TREC-8 AP, centred", _trec, 0.0),) if ADHOC8.exists() else ()),
)
CHANGES = (
    Population("a fifth changed, half of it won", _changes(0.2, 0.5), 0.0),
    Population("a fifth changed, all won", _changes(0.2, 1.0), 0.2 / 3),
    Population("a twentieth changed, 80% of it won", _changes(0.05, 0.8), 0.05 * 0.6 / 3),
)

TESTS: dict[str, Callable[[Floats, int], float]] = {
    "t": lambda d, _: statistics.paired_t_test(d),
    "Wilcoxon": lambda d, _: statistics.wilcoxon_test(d),
    "sign": lambda d, _: statistics.sign_test(d),
    "randomisation": lambda d, seed: statistics.randomisation_test(d, resamples=RESAMPLES, seed=seed),
    "bootstrap": lambda d, seed: statistics.bootstrap_shift_test(d, resamples=RESAMPLES, seed=seed),
}
INTERVALS: dict[str, Callable[..., statistics.Interval]] = {
    "t": lambda x, _, **unit: statistics.t_interval(x, **unit),
    "percentile": lambda x, seed, **unit: statistics.bootstrap_interval(
        x, method="percentile", resamples=RESAMPLES, seed=seed, **unit
    ),
    "BCa": lambda x, seed, **unit: statistics.bootstrap_interval(x, resamples=RESAMPLES, seed=seed, **unit),
    "studentised": lambda x, seed, **unit: statistics.bootstrap_interval(
        x, method="studentised", resamples=RESAMPLES, seed=seed, **unit
    ),
}


def coverage(population: Population, queries: int, repetitions: int, systems: int = 1) -> dict[str, Share]:
    """The share of intervals of the mean that hold it; of two systems that of their difference."""

    def once(rng: Generator, number: int) -> dict[str, bool]:
        values = population.draw(rng, queries, systems)
        own = values[:, 0] - values[:, 1] if systems == 2 else values[:, 0]
        true = 0.0 if systems == 2 else population.mean
        differences = systems == 2 or population in CHANGES
        return _held(own, true, number, differences=differences)

    return shares(repetitions, queries, once)


def _held(values: Floats, true: float, number: int, *, differences: bool, **unit: Any) -> dict[str, bool]:
    """Whether each interval holds the true mean, and that of the default if nothing speaks against it."""
    made = statistics.auto_interval(values, differences=differences, resamples=RESAMPLES, seed=number, **unit)
    held = {"default": bool(made.low <= true <= made.high)}
    if not made.caution:
        held["default, no caution"] = held["default"]
    held["with a caution"] = bool(made.caution)
    for name, interval in INTERVALS.items():
        low, high = interval(values, number, **unit)
        held[name] = bool(low <= true <= high)
    return held


def false_positives(population: Population, queries: int, repetitions: int) -> dict[str, Share]:
    """The share of tests of two systems that do not differ with a p-value of at most 0.05."""

    def once(rng: Generator, number: int) -> dict[str, bool]:
        values = population.draw(rng, queries, 2)
        return {name: test(values[:, 1] - values[:, 0], number) <= 0.05 for name, test in TESTS.items()}

    return shares(repetitions, queries, once)


def families(population: Population, queries: int, repetitions: int, systems: int = 5) -> dict[str, Share]:
    """The share of repetitions in which any of all pairs of systems that do not differ has p ≤ 0.05."""
    pairs = np.triu_indices(systems, 1)

    def once(rng: Generator, number: int) -> dict[str, bool]:
        values = population.draw(rng, queries, systems)
        differences = values[:, pairs[0]] - values[:, pairs[1]]
        p = statistics.randomisation_test(differences, each=True, resamples=RESAMPLES, seed=number)
        tukey = statistics.randomised_tukey(values, resamples=RESAMPLES, seed=number)
        least = {each: statistics.corrected(p, each).min() for each in statistics.CORRECTIONS}
        return {name: p <= 0.05 for name, p in {**least, "Tukey": tukey[pairs].min()}.items()}

    return shares(repetitions, queries, once)


def clustered(repetitions: int, *, pareto: bool = False, users: int = GROUPS) -> dict[str, Share]:
    """Coverage where users have 1 to 9 queries each, or a Pareto-like number, which are alike."""

    def once(rng: Generator, number: int) -> dict[str, bool]:
        sizes = 1 + (5 * rng.pareto(1.5, users)).astype(int) if pareto else rng.integers(1, 10, users)
        labels = np.repeat(np.arange(users), np.minimum(sizes, 2_000))
        values = 0.3 + rng.normal(0, 0.1, users)[labels] + rng.normal(0, 0.1, len(labels))
        held = _held(values, 0.3, number, differences=True, clusters=labels)
        low, high = statistics.t_interval(values)
        return held | {"t, by query": bool(low <= 0.3 <= high)}

    return shares(repetitions, 7, once)


def crossed(repetitions: int, topics: int, users: int) -> dict[str, Share]:
    """Coverage of t where queries are of topics and of users: by both, and by either alone."""

    def once(rng: Generator, _: int) -> dict[str, bool]:
        rows, columns = (each.ravel() for each in np.indices((topics, users)))
        values = rng.normal(0, 0.1, topics)[rows] + rng.normal(0, 0.1, users)[columns]
        values += rng.normal(0, 0.2, len(values))
        both = np.column_stack([rows, columns])
        units = {"both": both, "topics": rows, "users": columns, "queries": None}
        intervals = {name: statistics.t_interval(values, clusters=labels) for name, labels in units.items()}
        return {name: bool(low <= 0 <= high) for name, (low, high) in intervals.items()}

    return shares(repetitions, 8, once)


def tables(repetitions: int) -> Iterator[Table]:
    """The tables of means."""
    goal = (0.015, 0.015)
    every = (*POPULATIONS, *MORE_POPULATIONS)
    for title, populations, systems in (
        ("95% intervals that hold the mean of a system", every, 1),
        ("95% intervals that hold the difference of two systems", every, 2),
        ("95% intervals that hold the mean of few differences", CHANGES, 1),
    ):
        cells = {
            f"{population.name}, {queries} queries": coverage(population, queries, repetitions, systems)
            for population in populations
            for queries in QUERIES
        }
        yield Table(title, cells, 0.95, goal)
    users = {
        "40 users of 1 to 9 queries": clustered(repetitions),
        **{
            f"{users} users, Pareto sizes": clustered(repetitions, pareto=True, users=users)
            for users in (40, 200)
        },
    }
    yield Table("95% intervals where queries of a user are alike", users, 0.95, goal)
    kinds = {
        f"{topics} topics, {users} users": crossed(repetitions, topics, users)
        for topics, users in ((10, 10), (20, 30), (50, 10))
    }
    yield Table("95% t intervals where queries are of topics and users", kinds, 0.95, goal)
    cells = [(population, queries) for population in POPULATIONS for queries in QUERIES]
    names = [f"{population.name}, {queries} queries" for population, queries in cells]
    found = [false_positives(population, queries, repetitions) for population, queries in cells]
    title = "Tests that find a difference where there is none, at 5%"
    yield Table(title, dict(zip(names, found, strict=True)), 0.05, (1, 0.01))
    alone = {"AP, 50 queries": families(POPULATIONS[0], 50, repetitions)}
    yield Table("Any of the 10 pairs of 5 systems found to differ, at 5%", alone, 0.05, (1, 0.01))
