"""How often intervals hold the true mean, and tests find what is not there: `python -m benchmarks.coverage`.

Each repetition draws values of two systems on some queries from a population that is known: the queries
differ, the systems do not. The nominal shares are 95% for intervals and 5% for tests; of 1,000 repetitions 95
of 100 such shares are within 1.4 points of the true one.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

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


def coverage(population: Population, queries: int, repetitions: int) -> dict[str, float]:
    """The share of intervals of the mean that hold it."""
    held = dict.fromkeys(INTERVALS, 0)
    for number, values in _repetitions(population, queries, 1, repetitions):
        for name, interval in INTERVALS.items():
            low, high = interval(values[:, 0], number)
            held[name] += low <= population.mean <= high
    return {name: count / repetitions for name, count in held.items()}


def false_positives(population: Population, queries: int, repetitions: int) -> dict[str, float]:
    """The share of tests of two systems that do not differ with a p-value of at most 0.05."""
    found = dict.fromkeys(TESTS, 0)
    for number, values in _repetitions(population, queries, 2, repetitions):
        differences = values[:, 1] - values[:, 0]
        for name, test in TESTS.items():
            found[name] += test(differences, number) <= 0.05
    return {name: count / repetitions for name, count in found.items()}


def families(population: Population, queries: int, repetitions: int, systems: int = 5) -> dict[str, float]:
    """The share of repetitions in which any of all pairs of systems that do not differ has p ≤ 0.05."""
    pairs = np.triu_indices(systems, 1)
    found = dict.fromkeys([*statistics.CORRECTIONS, "Tukey"], 0)
    for number, values in _repetitions(population, queries, systems, repetitions):
        differences = values[:, pairs[0]] - values[:, pairs[1]]
        p = statistics.randomisation_test(differences, each=True, resamples=RESAMPLES, seed=number)
        for correction in statistics.CORRECTIONS:
            found[correction] += statistics.corrected(p, correction).min() <= 0.05
        tukey = statistics.randomised_tukey(values, resamples=RESAMPLES, seed=number)
        found["Tukey"] += tukey[pairs].min() <= 0.05
    return {name: count / repetitions for name, count in found.items()}


def clustered(repetitions: int) -> dict[str, float]:
    """Coverage where 40 users have 1 to 9 queries each, which are alike: by clusters, and without them."""
    held = {f"{name}, {unit}": 0 for name in INTERVALS for unit in ("by user", "by query")}
    for number in range(repetitions):
        rng = np.random.default_rng([7, number])
        users = np.repeat(np.arange(GROUPS), rng.integers(1, 10, GROUPS))
        values = 0.3 + rng.normal(0, 0.1, GROUPS)[users] + rng.normal(0, 0.1, len(users))
        for name, interval in INTERVALS.items():
            for unit, clusters in (("by user", users), ("by query", None)):
                low, high = interval(values, number, clusters=clusters)
                held[f"{name}, {unit}"] += low <= 0.3 <= high
    return {name: count / repetitions for name, count in held.items()}


def _repetitions(
    population: Population, queries: int, systems: int, repetitions: int
) -> Iterator[tuple[int, Floats]]:
    for number in range(repetitions):
        yield number, population.draw(np.random.default_rng([queries, number]), queries, systems)


def _table(title: str, rows: dict[str, dict[str, float]]) -> str:
    columns = list(next(iter(rows.values())))
    lines = [f"### {title}", "", "| | " + " | ".join(columns) + " |", "| --- |" + " ---: |" * len(columns)]
    lines += [
        f"| {name} | " + " | ".join(f"{v:.1%}" for v in row.values()) + " |" for name, row in rows.items()
    ]
    return "\n".join(lines) + "\n"


def main(args: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1_000, help="of each cell (default: 1,000)")
    repetitions = parser.parse_args(args).repetitions
    cells = [(population, queries) for population in POPULATIONS for queries in QUERIES]
    names = [f"{population.name}, {queries} queries" for population, queries in cells]
    for title, share in (
        ("95% intervals that hold the mean", coverage),
        ("Tests that find a difference where there is none, at 5%", false_positives),
    ):
        rows = (share(population, queries, repetitions) for population, queries in cells)
        print(_table(title, dict(zip(names, rows, strict=True))))
    alone = families(POPULATIONS[0], 50, repetitions)
    print(_table("Any of the 10 pairs of 5 systems found to differ, at 5%", {"AP, 50 queries": alone}))
    print(_table("95% intervals where queries of a user are alike", {"40 users": clustered(repetitions)}))


if __name__ == "__main__":
    main()
