"""Tests of paired differences: what they find where nothing is, at two levels, and among hundreds of pairs.

Differences have the mean 0, also where they are skewed; the systems of a family all have the same law, but
for one that wins every query where that is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.coverage.means import POPULATIONS
from benchmarks.coverage.shares import Share, Table, shares
from rankmark import statistics
from rankmark.statistics.drawing import draws_needed
from rankmark.statistics.significance import TESTS, PairedTest, randomisation_tests

Floats = NDArray[np.float64]
QUERIES = (10, 25, 50, 200)
LEVELS = (0.05, 0.01)
SYSTEMS = (2, 5, 12, 34)
"""1, 10, 66 and 561 pairs."""


def _apart(draw: Callable[[Generator, int, int], Floats]) -> Callable[[Generator, int], Floats]:
    """Differences between two systems of one law."""

    def drawn(rng: Generator, queries: int) -> Floats:
        values = draw(rng, queries, 2)
        return np.asarray(values[:, 1] - values[:, 0])

    return drawn


def _rare_gains(rng: Generator, queries: int) -> Floats:
    """One query in five gains, much or little, 1 at most; all others lose as much altogether."""
    gains = (rng.random(queries) < 0.2) * rng.exponential(0.2, queries).clip(0, 1)
    return gains - 0.04 * (1 - np.exp(-5)) + rng.normal(0, 0.01, queries)


DIFFERENCES: dict[str, Callable[[Generator, int], Floats]] = {
    **{each.name: _apart(each.draw) for each in POPULATIONS},
    "rare gains (skewed)": _rare_gains,
}


def false_positives(
    draw: Callable[[Generator, int], Floats], queries: int, level: float, repetitions: int
) -> dict[str, Share]:
    """The share of p-values of at most the level where the mean difference is 0."""

    def once(rng: Generator, number: int) -> dict[str, bool]:
        d = draw(rng, queries)
        return {test.title: _p(test, d, number) <= level for test in TESTS.values()}

    return shares(repetitions, queries, once)


def _p(test: PairedTest, d: Floats, seed: int) -> float:
    told = {"resamples": 2_000, "seed": seed}
    return float(test.function(d, **{name: value for name, value in told.items() if name in test.takes}))


def power(queries: int, repetitions: int, draw: Callable[[Generator, int], Floats]) -> dict[str, Share]:
    """How often each finds at 5% the least true difference of which t is to find 80%."""
    deviation = float(draw(np.random.default_rng(0), 100_000).std())
    true = statistics.detectable_difference(deviation, queries)

    def once(rng: Generator, number: int) -> dict[str, bool]:
        d = (draw(rng, queries) + true).clip(-1, 1)
        return {test.title: _p(test, d, number) <= 0.05 for test in TESTS.values() if test.of_mean}

    return shares(repetitions, queries, once)


def families(systems: int, repetitions: int, queries: int = 60) -> dict[str, Share]:
    """How often any pair is found where none differs, and all pairs of a winner of every query, at 5%."""
    one, other = np.triu_indices(systems, 1)
    most = draws_needed(len(one), 0.05, 10_000)

    def once(rng: Generator, number: int) -> dict[str, bool]:
        values = POPULATIONS[0].draw(rng, queries, systems)
        alike = randomisation_tests(values[:, one] - values[:, other], most=most, seed=number)
        values[:, 0] = values[:, 1:].max(axis=1) + 0.01
        won = randomisation_tests(values[:, one] - values[:, other], most=most, seed=number)
        of_winner = statistics.corrected(won)[one == 0]
        return {
            "any found where none differs": bool(statistics.corrected(alike).min() <= 0.05),
            "all found of one that wins 60 to 0": bool(of_winner.max() <= 0.05),
        }

    return shares(repetitions, systems, once)


def tables(repetitions: int) -> Iterator[Table]:
    """The tables of tests."""
    cells = [(name, queries) for name in DIFFERENCES for queries in QUERIES]
    names = [f"{name}, {queries} queries" for name, queries in cells]
    for level, above in zip(LEVELS, (0.01, 0.005), strict=True):
        found = [false_positives(DIFFERENCES[name], queries, level, repetitions) for name, queries in cells]
        title = f"Tests that find a difference where the mean difference is 0, at {100 * level:g}%"
        yield Table(title, dict(zip(names, found, strict=True)), level, (1, above))
    apart = {f"AP, {queries} queries": power(queries, repetitions, DIFFERENCES["AP"]) for queries in QUERIES}
    yield Table("Tests that find a difference at 5% that t finds in 80%", apart)
    few = max(repetitions // 10, 1)
    rows = {
        f"{systems} systems, {systems * (systems - 1) // 2} pairs": families(systems, few)
        for systems in SYSTEMS
    }
    yield Table("Random signs over all pairs of systems, corrected by Holm at 5%", rows)
