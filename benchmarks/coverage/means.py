"""Means over queries: intervals of one system's, and tests of the difference between two that do not differ.

Each repetition draws values of systems on some queries: the queries differ, the systems do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.coverage.shares import Share, Table, shares
from rankmark import statistics

Floats = NDArray[np.float64]
QUERIES = (10, 25, 50, 200)
RESAMPLES = 2_000
GROUPS = 40
"""Users in the population with several queries a user."""


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


POPULATIONS = (
    Population("AP", _average_precision, 1 / 3),
    Population("RR", _reciprocal_rank, float(np.sum(1 / np.arange(1, 11))) / 11),
    Population("P@10", _precision, 0.05),
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
}


def coverage(population: Population, queries: int, repetitions: int) -> dict[str, Share]:
    """The share of intervals of the mean that hold it."""

    def once(rng: Generator, number: int) -> dict[str, bool]:
        values = population.draw(rng, queries, 1)[:, 0]
        intervals = {name: interval(values, number) for name, interval in INTERVALS.items()}
        return {name: low <= population.mean <= high for name, (low, high) in intervals.items()}

    return shares(repetitions, queries, once)


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


def clustered(repetitions: int) -> dict[str, Share]:
    """Coverage where 40 users have 1 to 9 queries each, which are alike: by clusters, and without them."""

    def once(rng: Generator, number: int) -> dict[str, bool]:
        users = np.repeat(np.arange(GROUPS), rng.integers(1, 10, GROUPS))
        values = 0.3 + rng.normal(0, 0.1, GROUPS)[users] + rng.normal(0, 0.1, len(users))
        held = {}
        for name, interval in INTERVALS.items():
            for unit, clusters in (("by user", users), ("by query", None)):
                low, high = interval(values, number, clusters=clusters)
                held[f"{name}, {unit}"] = low <= 0.3 <= high
        return held

    return shares(repetitions, 7, once)


def tables(repetitions: int) -> Iterator[Table]:
    """The tables of means."""
    cells = [(population, queries) for population in POPULATIONS for queries in QUERIES]
    names = [f"{population.name}, {queries} queries" for population, queries in cells]
    held = [coverage(population, queries, repetitions) for population, queries in cells]
    yield Table("95% intervals that hold the mean", dict(zip(names, held, strict=True)), 0.95, (0.015, 1))
    found = [false_positives(population, queries, repetitions) for population, queries in cells]
    title = "Tests that find a difference where there is none, at 5%"
    yield Table(title, dict(zip(names, found, strict=True)), 0.05, (1, 0.01))
    alone = {"AP, 50 queries": families(POPULATIONS[0], 50, repetitions)}
    yield Table("Any of the 10 pairs of 5 systems found to differ, at 5%", alone, 0.05, (1, 0.01))
    users = {"40 users": clustered(repetitions)}
    yield Table("95% intervals where queries of a user are alike", users, 0.95, (0.015, 1))
