"""Measures of the whole run: coverage, Gini index, entropy and personalisation of what users are recommended.

Each repetition draws users, who have tastes, and the lists of one system or of two. What an interval has to
hold is the mean of the measure over very many such runs of as many users.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.coverage.shares import Goal, Noted, Share, Table, false, generators, shares
from rankmark import statistics
from rankmark.aggregation.query_intervals import made_of_terms
from rankmark.aggregation.terms import Terms
from rankmark.aggregation.whole_runs import blocks_of, left_out_of, terms_of_run
from rankmark.kinds.item_facts import ItemFacts
from rankmark.kinds.items import RecommendedLists
from rankmark.language.names import as_measure

MEASURES = tuple(
    as_measure(name)
    for name in ("CatalogueCoverage", "ExposureGini", "ExposureEntropy", "ExposureSimpson", "Personalisation")
)
TRUTH = 500
"""Runs of which the true values are the means."""
BOOTSTRAPPED = 200
HOLDS = Goal(0.935, 1.0)
"""The goal of intervals that may be wider than they have to be."""


@dataclass(frozen=True, slots=True)
class World:
    """Users and items, and a system that recommends `k` of these to each.

    Attributes:
        users: how many.
        items: likewise.
        steepness: the exponent of how items differ in how often they are recommended.
        k: how long lists are.
        taste: by how much users differ in which eighth of the items they like.

    """

    users: int
    items: int
    steepness: float
    k: int = 5
    taste: float = 1.0

    def __str__(self) -> str:
        return f"{self.users} users, {self.items:,} items, exponent {self.steepness:g}, k = {self.k}"

    def tastes(self, rng: Generator) -> NDArray[np.float64]:
        """How much each user likes each item."""
        popular = -self.steepness * np.log(np.arange(1, self.items + 1))
        return popular + rng.normal(0, self.taste, (self.users, 8))[:, np.arange(self.items) % 8]

    def lists(self, rng: Generator, tastes: NDArray[np.float64]) -> RecommendedLists:
        """What the system recommends."""
        scores = tastes + rng.gumbel(size=tastes.shape)
        best = np.argpartition(-scores, self.k, axis=1)[:, : self.k].astype(np.int32).ravel()
        facts = ItemFacts(self.items, self.items, None, None, lambda: np.full(self.users, -1), lambda: False)
        offsets = np.arange(0, len(best) + 1, self.k, dtype=np.int64)
        return RecommendedLists(best, np.zeros(len(best), dtype=np.bool_), offsets, facts)

    def run(self, rng: Generator) -> RecommendedLists:
        """What one system recommends to users of its own."""
        return self.lists(rng, self.tastes(rng))

    def truth(self) -> list[float]:
        """The mean of each measure over many runs."""
        runs = (self.run(rng) for _, rng in generators(TRUTH, 77, self.users, self.items))
        values = [[float(each.compute_items(lists)) for each in MEASURES] for lists in runs]
        return [float(mean) for mean in np.mean(values, axis=0)]


WORLDS = (
    World(30, 100, 1.0),
    World(100, 50, 1.0),
    World(100, 500, 1.0),
    World(500, 200, 1.0, taste=2.0),
    World(500, 1_000, 0.5),
    World(500, 1_000, 1.5, k=10, taste=0.5),
)


def terms(lists: RecommendedLists, blocks: NDArray[np.intp]) -> list[Terms]:
    """What blocks of users add to each measure."""
    rows = np.arange(len(lists.offsets) - 1)
    return [terms_of_run(each, left_out_of(each, lists, rows, blocks), len(rows)) for each in MEASURES]


def coverage(world: World, repetitions: int) -> dict[str, Share]:
    """The share of intervals that hold the true value."""
    truth, blocks = world.truth(), blocks_of(range(world.users))

    def once(rng: Generator, number: int) -> Mapping[str, bool | Noted]:  # noqa: ARG001 - none is drawn again
        lists = world.run(rng)
        found: dict[str, bool | Noted] = {}
        for own, true in zip(terms(lists, blocks), truth, strict=True):
            made = made_of_terms(own, None, method="auto", confidence=0.95, draws={})
            found[own.measure.name] = Noted(made.low <= true <= made.high, bool(made.caution))
        low, high = bootstrapped(lists, rng)
        return {**found, "CatalogueCoverage, bootstrap": low <= truth[0] <= high}

    return shares(repetitions, world.users + world.items, once)


def bootstrapped(lists: RecommendedLists, rng: Generator) -> tuple[float, float]:
    """The percentile interval of coverage by drawing users again."""
    users = len(lists.offsets) - 1
    drawn = rng.multinomial(users, np.full(users, 1 / users), BOOTSTRAPPED).astype(np.float64)
    values = [float(MEASURES[0].compute_items(lists.draw(each))) for each in drawn]
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)


def found(world: World, repetitions: int) -> dict[str, Share]:
    """The share of p-values of at most 5% of two systems that are alike, and that of intervals without 0."""
    blocks = blocks_of(range(world.users))

    def once(rng: Generator, number: int) -> Mapping[str, bool | Noted]:
        tastes = world.tastes(rng)
        both = [terms(world.lists(rng, tastes), blocks) for _ in range(2)]
        told: dict[str, bool | Noted] = {}
        for one, other in zip(*both, strict=True):
            apart = one.linear() - other.linear()
            p = statistics.randomisation_test(apart, resamples=1_000, seed=number, threads=1)
            told[one.measure.name] = p <= 0.05
        return told

    return shares(repetitions, world.users + world.items, once)


def tables(repetitions: int) -> Iterator[Table]:
    """Intervals of one system, and tests of two that are alike."""
    names = [each.name for each in MEASURES]
    yield Table(
        "95% intervals of measures of the whole run that hold the value of so many users",
        {str(world): coverage(world, repetitions) for world in WORLDS},
        dict.fromkeys(names, HOLDS),
    )
    yield Table(
        "Of two systems that are alike, p ≤ 5% by random signs of blocks",
        {str(world): found(world, repetitions) for world in WORLDS},
        dict.fromkeys(names, false(0.05)),
    )
