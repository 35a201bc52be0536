"""Queries × seeds: systems with several seeds that do not differ, and what is found of them.

A value is that of its query by its system, beta-distributed as average precision is, and what the seed, and
the seed on this query, add to it, normal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.coverage.shares import Share, Table, generators, shares
from rankmark import statistics

Floats = NDArray[np.float64]
SEEDS = (2, 3, 5, 10)
QUERIES = (25, 50, 500)
DEVIATIONS = (0.0, 0.01, 0.03)
"""Of seeds."""
NOISE = 0.05
"""The standard deviation of a seed on a query."""


def system(rng: Generator, difficulty: Floats, seeds: int, deviation: float) -> Floats:
    """Values of one system: [queries, seeds]."""
    own = rng.beta(6 * difficulty, 6 * (1 - difficulty))[:, None]
    return own + rng.normal(0, deviation, seeds) + rng.normal(0, NOISE, (len(own), seeds))


def found(rng: Generator, queries: int, seeds: int, deviation: float, which: str) -> Mapping[str, bool]:
    """Whether there is something to be seen of two systems that do not differ: p at 5% and at 1%."""
    difficulty = rng.beta(1.0, 2.0, queries)
    one = system(rng, difficulty, seeds, deviation)
    if which == "one run of the other, seedless":
        other = system(rng, difficulty, 1, 0.0)
    elif which == "one run of the other":
        other = system(rng, difficulty, 1, deviation)
    else:
        other = system(rng, difficulty, seeds, deviation if which == "both" else 0.0)
    p = statistics.crossed(one, other, seedless=which.endswith("seedless")).p()
    means = statistics.paired_t_test(one.mean(axis=1) - other.mean(axis=1))
    return {"at 5%": p <= 0.05, "at 1%": p <= 0.01, "means over seeds, at 5%": means <= 0.05}


def covered(rng: Generator, queries: int, seeds: int, deviation: float) -> Mapping[str, bool]:
    """Whether the interval of one system's mean holds it."""
    values = system(rng, rng.beta(1.0, 2.0, queries), seeds, deviation)
    low, high = statistics.crossed(values).interval()
    means = statistics.t_interval(values.mean(axis=1))
    return {"crossed": low <= 1 / 3 <= high, "means over seeds": means.low <= 1 / 3 <= means.high}


def promised(queries: int, seeds: int, deviation: float, which: str, repetitions: int) -> Share:
    """How often new queries and seeds show at 5% what others said that as many show in 80%.

    What each of some says is asked of all the others, which is counted as one repetition.
    """
    found = []
    for _, rng in generators(repetitions, 9, queries, seeds):
        difficulty = rng.beta(1.0, 2.0, queries)
        one = system(rng, difficulty, seeds, deviation)
        other = system(rng, difficulty, *((seeds, deviation) if which == "both" else (1, 0.0)))
        found.append(statistics.crossed(one, other, seedless=which != "both"))
    estimates, reaches = (np.array(each) for each in zip(*((f.estimate, f.reach(0.05)) for f in found), strict=True))
    said = [each.detectable() for each in found[: max(repetitions // 4, 1)]]
    shown = [np.mean(np.abs(estimates + each) > reaches) for each in said]
    return Share(float(np.mean(shown)), len(said))


def tables(repetitions: int) -> Iterator[Table]:
    """Tests of two systems by which of them seeds matter to, and intervals of one."""
    cells = list(product(QUERIES, SEEDS, DEVIATIONS))
    for which in ("both", "the first alone", "one run of the other", "one run of the other, seedless"):
        rows: dict[str, dict[str, Share]] = {}
        for number, (queries, seeds, deviation) in enumerate(cells):
            own = shares(
                repetitions,
                number,
                lambda rng, _, a=queries, b=seeds, c=deviation, d=which: found(rng, a, b, c, d),
            )
            rows[f"{queries} queries, {seeds} seeds ± {deviation:g}"] = own
        yield Table(f"Differences found where there are none, seeds of {which}", rows)
    yield Table(
        "Differences shown of which 80% are promised, where seeds of two systems vary alike, or of one alone",
        {
            f"{queries} queries, {seeds} seeds ± {deviation:g}": {
                which: promised(queries, seeds, deviation, which, repetitions)
                for which in ("both", "one, the other seedless")
            }
            for queries, seeds, deviation in cells
        },
        0.8,
        (0.02, 0.16),
    )
    held = {
        f"{queries} queries, {seeds} seeds ± {deviation:g}": shares(
            repetitions, number, lambda rng, _, a=queries, b=seeds, c=deviation: covered(rng, a, b, c)
        )
        for number, (queries, seeds, deviation) in enumerate(cells)
    }
    yield Table("95% intervals of a mean over queries and seeds that hold it", held, 0.95, (0.015, 0.05))
