"""Queries × seeds: systems with several seeds that do not differ, and what is found of them.

A value is that of its query by its system, beta-distributed as average precision is, and what the seed, and
the seed on this query, add to it, normal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.coverage.shares import Goal, Noted, Share, Table, false, generators, held, shares
from rankmark import statistics
from rankmark.comparing.systems import FEW_SEEDS

Floats = NDArray[np.float64]
SEEDS = (2, 3, 5, 10)
QUERIES = (25, 50, 500)
DEVIATIONS = (0.0, 0.01, 0.03)
"""Of seeds."""
SYSTEMS = 4
NOISE = 0.05
"""The standard deviation of a seed on a query."""


def system(rng: Generator, difficulty: Floats, seeds: int, deviation: float) -> Floats:
    """Values of one system: [queries, seeds]."""
    own = rng.beta(6 * difficulty, 6 * (1 - difficulty))[:, None]
    return own + rng.normal(0, deviation, seeds) + rng.normal(0, NOISE, (len(own), seeds))


def found(
    rng: Generator, queries: int, seeds: int, deviation: float, which: str
) -> Mapping[str, bool | Noted]:
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


def covered(rng: Generator, queries: int, seeds: int, deviation: float) -> Mapping[str, bool | Noted]:
    """Whether the interval of one system's mean holds it."""
    values = system(rng, rng.beta(1.0, 2.0, queries), seeds, deviation)
    low, high = statistics.crossed(values).interval()
    means = statistics.t_interval(values.mean(axis=1))
    return {
        "crossed": Noted(low <= 1 / 3 <= high, seeds <= FEW_SEEDS),
        "means over seeds": means.low <= 1 / 3 <= means.high,
    }


def of_several(rng: Generator, queries: int, seeds: int, deviation: float) -> Mapping[str, bool | Noted]:
    """Whether an analysis of variance finds any of four systems to differ, by F; two-way of one seed."""
    difficulty = rng.beta(1.0, 2.0, queries)
    runs = np.stack([system(rng, difficulty, seeds, deviation) for _ in range(SYSTEMS)], axis=1)
    crossed = statistics.balanced_anova(
        runs, ("query", "system", "seed"), random=("query", "seed"), nested={"seed": "system"}
    )
    one, means = (statistics.two_way_anova(each) for each in (runs[:, :, 0], runs.mean(axis=2)))
    p = crossed["system"].p
    found = {
        "at 5%": p <= 0.05,
        "at 1%": p <= 0.01,
        "two-way of means over seeds, at 5%": means["system"].p <= 0.05,
    }
    if not deviation:
        found["two-way of one run each, at 5%"] = one["system"].p <= 0.05
    return found


def promised(queries: int, seeds: int, deviation: float, repetitions: int, *, seedless: bool) -> Share:
    """How often new queries and seeds show at 5% what others said that as many show in 80%.

    What each of some says is asked of all, which counts as one repetition.
    """
    several = []
    for _, rng in generators(repetitions, 9, queries, seeds):
        difficulty = rng.beta(1.0, 2.0, queries)
        one = system(rng, difficulty, seeds, deviation)
        other = system(rng, difficulty, *((1, 0.0) if seedless else (seeds, deviation)))
        several.append(statistics.crossed(one, other, seedless=seedless))
    estimates, reaches = np.array([(each.estimate, each.reach(0.05)) for each in several]).T
    said = [each.detectable() for each in several[: max(repetitions // 4, 1)]]
    return Share(float(np.mean([np.abs(estimates + each) > reaches for each in said])), len(said))


def tables(repetitions: int) -> Iterator[Table]:
    """Tests of two systems by which of them seeds matter to, of four by their variance, intervals of one."""
    cells = list(product(QUERIES, SEEDS, DEVIATIONS))

    def counted(
        once: Callable[[Generator, int, int, float], Mapping[str, bool | Noted]],
    ) -> dict[str, dict[str, Share]]:
        rows: dict[str, dict[str, Share]] = {}
        for number, (queries, seeds, deviation) in enumerate(cells):

            def own(
                rng: Generator, _: int, cell: tuple[int, int, float] = cells[number]
            ) -> Mapping[str, bool | Noted]:
                return once(rng, *cell)

            rows[f"{queries} queries, {seeds} seeds ± {deviation:g}"] = shares(repetitions, number, own)
        return rows

    goals = {"at 5%": false(0.05), "at 1%": false(0.01), "two-way of one run each, at 5%": false(0.05)}
    for which in ("both", "the first alone", "one run of the other", "one run of the other, seedless"):
        title = f"Differences found where there are none, seeds of {which}"
        yield Table(title, counted(partial(found, which=which)), goals)
    title = f"Analyses of variance that find any of {SYSTEMS} systems to differ where none does"
    yield Table(title, counted(of_several), goals)
    ways = {"both vary alike by seeds": False, "one does, the other is seedless": True}
    shown = {
        f"{queries} queries, {seeds} seeds ± {deviation:g}": {
            way: promised(queries, seeds, deviation, repetitions, seedless=seedless)
            for way, seedless in ways.items()
        }
        for queries, seeds, deviation in cells
    }
    # More is shown where few seeds cannot tell that seeds do not matter.
    yield Table(
        "Differences that are shown, of which 80% are said to be",
        shown,
        dict.fromkeys(ways, Goal(0.78, 0.96)),
    )
    title = "95% intervals of a mean over queries and seeds that hold it"
    yield Table(title, counted(covered), {"crossed": held()})
