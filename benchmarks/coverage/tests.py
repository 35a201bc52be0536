"""Tests of paired differences: what they find where nothing is, at two levels, and among hundreds of pairs.

Differences have the mean 0, also where they are skewed; the systems of a family all have the same law, but
for one that wins every query where that is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.coverage.means import QUERIES, clusters_of
from benchmarks.coverage.populations import APART, CHANGES, POPULATIONS, Differences, Floats, Population
from benchmarks.coverage.shares import Goal, Noted, Share, Table, false, shares
from rankmark import statistics
from rankmark.statistics.chance import PValue
from rankmark.statistics.corrections import CORRECTIONS
from rankmark.statistics.drawing import draws_needed
from rankmark.statistics.significance import TESTS, PairedTest, level_of_skewed, randomisation_tests

LEVELS = (0.05, 0.01)
SYSTEMS = (2, 5, 12, 36)
"""1, 10, 66 and 630 pairs."""
USERS = (10, 25, 40)
RESAMPLES = 2_000
NONE_APART = (*APART, *(each for each in CHANGES if not each.mean))
USUAL = next(iter(TESTS))


def false_positives(population: Differences, queries: int, repetitions: int) -> dict[str, Share]:
    """The share of p-values of at most each level, where the mean difference is 0."""

    def once(rng: Generator, number: int) -> dict[str, Noted]:
        d = population.draw(rng, queries)
        return _found({test.name: _p(test, d, number) for test in TESTS.values()})

    return shares(repetitions, queries, once)


def _p(test: PairedTest, d: Floats, seed: int, **unit: Any) -> PValue:
    told = {"resamples": RESAMPLES, "seed": seed, "threads": 1, **unit}
    p: PValue = test.function(d, **{name: value for name, value in told.items() if name in test.takes})
    return p


def _found(p: dict[str, PValue]) -> dict[str, Noted]:
    """Which tests find something at each level, and of which a note says that they may."""
    return {
        f"{name}, {100 * level:g}%": Noted(own <= level, level_of_skewed(own.evidence, level) is not None)
        for level in LEVELS
        for name, own in p.items()
    }


def clustered(users: int, repetitions: int, *, pareto: bool) -> dict[str, Share]:
    """The same where users have several queries each, which are alike."""

    def once(rng: Generator, number: int) -> dict[str, Noted]:
        labels, values = clusters_of(rng, users, pareto=pareto)
        known = (test for test in TESTS.values() if test.knows_clusters and not test.whatever_skewed)
        return _found({test.name: _p(test, values, number, clusters=labels) for test in known})

    return shares(repetitions, users, once)


def power(queries: int, repetitions: int, population: Differences) -> dict[str, Share]:
    """How often each finds at 5% the least true difference of which t is to find 80%."""
    deviation = float(population.draw(np.random.default_rng(0), 100_000).std())
    true = statistics.detectable_difference(deviation, queries)

    def once(rng: Generator, number: int) -> dict[str, bool]:
        d = (population.draw(rng, queries) + true).clip(-1, 1)
        return {test.name: _p(test, d, number) <= 0.05 for test in TESTS.values() if test.of_mean}

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


def corrections(population: Population, queries: int, repetitions: int, systems: int = 5) -> dict[str, Share]:
    """The share of repetitions in which any of all pairs of systems that do not differ has p ≤ 0.05."""
    pairs = np.triu_indices(systems, 1)

    def once(rng: Generator, number: int) -> dict[str, bool]:
        values = population.draw(rng, queries, systems)
        differences = values[:, pairs[0]] - values[:, pairs[1]]
        p = statistics.randomisation_test(differences, each=True, resamples=RESAMPLES, seed=number)
        tukey = statistics.randomised_tukey(values, resamples=RESAMPLES, seed=number)
        least = {name: each.function(np.sort(p)).min() for name, each in CORRECTIONS.items()}
        return {name: bool(p <= 0.05) for name, p in {**least, "Tukey": tukey[pairs].min()}.items()}

    return shares(repetitions, queries, once)


def _at_levels(title: str, rows: Mapping[str, Mapping[str, Share]]) -> Iterator[Table]:
    """A table a level."""
    for level in LEVELS:
        end = f", {100 * level:g}%"
        own = {
            name: {way.removesuffix(end): share for way, share in row.items() if way.endswith(end)}
            for name, row in rows.items()
        }
        yield Table(f"{title}, at {100 * level:g}%", own, dict.fromkeys((USUAL, "t"), false(level)))


def tables(repetitions: int) -> Iterator[Table]:
    """The tables of tests."""
    yield from _at_levels(
        "Tests that find a difference where the mean difference is 0",
        {
            f"{population.name}, {queries:,} queries": false_positives(population, queries, repetitions)
            for population in NONE_APART
            for queries in QUERIES
        },
    )
    yield from _at_levels(
        "The same where queries of a user are alike",
        {
            f"{users} users, {'Pareto sizes' if pareto else '1 to 9 queries each'}": clustered(
                users, repetitions, pareto=pareto
            )
            for pareto in (False, True)
            for users in USERS
        },
    )
    ap = APART[0]
    found = {f"{ap.name}, {queries:,} queries": power(queries, repetitions, ap) for queries in QUERIES[1:]}
    yield Table("Tests that find a difference at 5% that t finds in 80%", found)
    few = max(repetitions // 5, 1)
    rows = {
        f"{systems} systems, {systems * (systems - 1) // 2} pairs": families(systems, few)
        for systems in SYSTEMS
    }
    goals = {
        "any found where none differs": false(0.05),
        "all found of one that wins 60 to 0": Goal(0.99, 1.0),
    }
    yield Table("Random signs over all pairs of systems, corrected by Holm at 5%", rows, goals)
    usual = next(iter(CORRECTIONS))
    alone = {"AP, 50 queries": corrections(POPULATIONS[0], 50, repetitions)}
    yield Table("Any of the 10 pairs of 5 systems found to differ, at 5%", alone, {usual: false(0.05)})
