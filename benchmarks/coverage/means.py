"""Intervals of means over queries: of one system, of differences, of clusters, by weights.

Each repetition draws values of systems on some queries: the queries differ, the systems do not. The default
interval is counted wherever it is, and where no caution speaks against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.coverage.populations import (
    APART,
    CHANGES,
    MORE_POPULATIONS,
    POPULATIONS,
    Differences,
    Floats,
    Population,
)
from benchmarks.coverage.shares import Noted, Share, Table, held, shares
from rankmark import statistics
from rankmark.aggregation.query_intervals import made_of_terms
from rankmark.aggregation.query_weights import QueryWeights
from rankmark.language.names import as_measure
from rankmark.statistics.intervals import Made

QUERIES = (10, 25, 50, 200, 1_000)
USERS = (10, 25, 40, 200)
RESAMPLES = 1_000

INTERVALS: dict[str, Callable[..., statistics.Interval]] = {
    "t": lambda x, _, **unit: statistics.t_interval(x, **unit),
    "percentile": lambda x, seed, **unit: statistics.bootstrap_interval(
        x, method="percentile", resamples=RESAMPLES, seed=seed, threads=1, **unit
    ),
    "BCa": lambda x, seed, **unit: statistics.bootstrap_interval(
        x, resamples=RESAMPLES, seed=seed, threads=1, **unit
    ),
}


def coverage(population: Population | Differences, queries: int, repetitions: int) -> dict[str, Share]:
    """The share of intervals that hold the mean."""
    if isinstance(population, Population):
        draw = population.draw
        return shares(
            repetitions,
            queries,
            lambda rng, number: _held(
                draw(rng, queries, 1)[:, 0], population.mean, number, differences=False
            ),
        )
    own = population.draw
    return shares(
        repetitions,
        queries,
        lambda rng, number: _held(own(rng, queries), population.mean, number, differences=True),
    )


def _held(
    values: Floats, true: float, number: int, *, differences: bool, **unit: Any
) -> dict[str, bool | Noted]:
    """Whether each interval holds the true mean, and that of the default if nothing speaks against it."""
    zero_one = differences and not unit and bool(np.isin(values, (-1, 0, 1)).all())
    made = statistics.auto_interval(
        values,
        differences=differences,
        zero_one=zero_one,
        resamples=RESAMPLES,
        seed=number,
        threads=1,
        **unit,
    )
    ends = {name: interval(values, number, **unit) for name, interval in INTERVALS.items()}
    return _default(made, true) | {name: bool(low <= true <= high) for name, (low, high) in ends.items()}


def _default(made: Made, true: float) -> dict[str, bool | Noted]:
    own = bool(made.low <= true <= made.high)
    found: dict[str, bool | Noted] = {"default": Noted(own, bool(made.caution))}
    if not made.caution:
        found["where no caution"] = own
    return found | {"with a caution": bool(made.caution)}


def _sizes(rng: Generator, units: int, *, pareto: bool) -> NDArray[np.intp]:
    """1 to 9 of each, or 1 + 5·Pareto(1.5), so that one can have most."""
    drawn = 1 + (5 * rng.pareto(1.5, units)).astype(np.intp) if pareto else rng.integers(1, 10, units)
    return np.minimum(drawn, 2_000)


def clusters_of(rng: Generator, users: int, *, pareto: bool) -> tuple[NDArray[np.intp], Floats]:
    """Users with several queries each, which are alike, and differences of the mean 0."""
    labels = np.repeat(np.arange(users), _sizes(rng, users, pareto=pareto))
    return labels, rng.normal(0, 0.1, users)[labels] + rng.normal(0, 0.1, len(labels))


def clustered(repetitions: int, users: int, *, pareto: bool) -> dict[str, Share]:
    """Coverage where users have several queries each."""

    def once(rng: Generator, number: int) -> dict[str, bool | Noted]:
        labels, values = clusters_of(rng, users, pareto=pareto)
        found = _held(values, 0.0, number, differences=True, clusters=labels)
        low, high = statistics.t_interval(values)
        return found | {"t, by query": bool(low <= 0 <= high)}

    return shares(repetitions, 7, once)


def weighed(population: Population, queries: int, repetitions: int, *, pareto: bool) -> dict[str, Share]:
    """Coverage of the weighted mean, weights independent of values."""
    measure = as_measure("AP")

    def once(rng: Generator, number: int) -> dict[str, bool | Noted]:
        values = population.draw(rng, queries, 1)[:, 0]
        weights = rng.pareto(1.5, queries) + 0.1 if pareto else rng.uniform(0.5, 1.5, queries)
        terms = QueryWeights("weight", weights).terms(measure, values)
        how: dict[str, Any] = {
            "confidence": 0.95,
            "draws": {"resamples": RESAMPLES, "seed": number, "threads": 1},
            "together": None,
        }
        low, high = made_of_terms(terms, None, method="t", **how).ends
        own = _default(made_of_terms(terms, None, method="auto", **how), population.mean)
        return own | {"t": bool(low <= population.mean <= high)}

    return shares(repetitions, queries, once)


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
    goals = {"default": held()}
    for title, populations in (
        ("95% intervals that hold the mean of a system", (*POPULATIONS, *MORE_POPULATIONS)),
        ("95% intervals that hold the difference of two systems of one law", APART),
        ("95% intervals that hold the mean difference where few queries change", CHANGES),
    ):
        cells = {
            f"{population.name}, {queries:,} queries": coverage(population, queries, repetitions)
            for population in populations
            for queries in QUERIES
        }
        yield Table(title, cells, goals)
    users = {
        f"{users} users, {'Pareto sizes' if pareto else '1 to 9 queries each'}": clustered(
            repetitions, users, pareto=pareto
        )
        for pareto in (False, True)
        for users in USERS
    }
    yield Table("95% intervals where queries of a user are alike", users, goals)
    weights = {
        f"{population.name}, {queries:,} queries, {'Pareto(1.5)' if pareto else '.5 to 1.5'}": weighed(
            population, queries, repetitions, pareto=pareto
        )
        for population in (POPULATIONS[0], POPULATIONS[2])
        for pareto in (False, True)
        for queries in QUERIES
    }
    yield Table("95% intervals that hold a weighted mean, by the law of the weights", weights, goals)
    kinds = {
        f"{topics} topics, {users} users": crossed(repetitions, topics, users)
        for topics, users in ((10, 10), (20, 30), (50, 10))
    }
    yield Table("95% t intervals where queries are of topics and users", kinds, {"both": held()})
