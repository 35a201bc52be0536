"""Values by a judge's labels as probabilities: how far off they are, and what intervals hold.

People would label three items in ten relevant. The judge says what they would with probability κ, and else
that of two items one is relevant. Runs order by the judge's label and by chance, or by people's as well,
which the judge does not know of.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

import rankmark as rm
from benchmarks.coverage.shares import Error, Share, Table, generators, held

ITEMS, QUERIES, LABELLED = 20, 200, 50
KAPPAS = (0.3, 0.6, 0.9)
RUNS = {"knows what the judge does": 0.0, "knows more": 1.0}
MEASURES = ("P@10", "nDCG@10")
DRAWS = 200
MOST = 100
"""Repetitions: standard errors say whether they are enough."""

Labels = NDArray[np.bool_]


def population(rng: Generator, queries: int, kappa: float, knows: float) -> tuple[Labels, Labels]:
    """The labels of people and of the judge, a row a query, items in the order of the run."""
    people = rng.random((queries, ITEMS)) < 0.3
    judge = np.where(rng.random(people.shape) < kappa, people, rng.random(people.shape) < 0.5)
    order = np.argsort(-(judge + knows * people + rng.normal(0, 1, people.shape)), axis=1)
    return np.take_along_axis(people, order, axis=1), np.take_along_axis(judge, order, axis=1)


def table(labels: Labels) -> pl.DataFrame:
    """Judgements, items called by their rank."""
    query, item = np.indices(labels.shape)
    return pl.DataFrame({
        "query": query.ravel(), "item": item.ravel(), "relevance": labels.ravel().astype(np.int64)
    })  # fmt: skip


@cache
def results(queries: int) -> pl.DataFrame:
    """The run, which has all items in the order of their names."""
    query, item = np.indices((queries, ITEMS))
    return pl.DataFrame({"query": query.ravel(), "item": item.ravel(), "score": -1.0 * item.ravel()})


@cache
def truth(kappa: float, knows: float) -> dict[str, float]:
    """The values of many queries by people."""
    people, _ = population(np.random.default_rng(11), 20_000, kappa, knows)
    found = rm.evaluate(table(people), results(len(people)), MEASURES)
    return {name: found[name] for name in MEASURES}


def once(rng: Generator, kappa: float, knows: float) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Of each measure and way its value and interval."""
    people, judge = population(rng, QUERIES, kappa, knows)
    some, every, run = table(people[:LABELLED]), table(judge), results(QUERIES)
    likely = rm.label_probabilities(some, every)
    expected = rm.evaluate_expected(likely, run, MEASURES, draws=DRAWS, intervals=True)
    alone = rm.evaluate(every, run, MEASURES, intervals=True)
    judged = {each.measure: each for each in rm.evaluate_with_judge(some, every, run, MEASURES).values}
    found = {}
    assert isinstance(expected, rm.results.DerivedResult)
    for name in MEASURES:
        plain, own = alone.intervals[name], expected.intervals[f"expected({name})"]
        found[name, "the judge alone"] = (alone[name], plain.low, plain.high)
        found[name, "evaluate_expected"] = (expected[f"expected({name})"], own.low, own.high)
        found[name, "evaluate_with_judge"] = (judged[name].value, judged[name].low, judged[name].high)
    return found


def tables(repetitions: int) -> Iterator[Table]:
    """How far off values are, and how often 95% intervals hold those by people."""
    errors: dict[str, dict[str, Error]] = {}
    shares: dict[str, dict[str, Share]] = {}
    for kappa in KAPPAS:
        for run, knows in RUNS.items():
            true = truth(kappa, knows)
            values: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
            for _, rng in generators(min(repetitions, MOST), int(10 * kappa), int(knows)):
                for key, each in once(rng, kappa, knows).items():
                    values.setdefault(key, []).append(each)
            for (measure, way), seen in values.items():
                row = f"{measure} {100 * true[measure]:.2f}, κ {kappa}, a run that {run}"
                value, low, high = np.array(seen).T
                off = value - true[measure]
                error = float(off.std(ddof=1) / np.sqrt(len(off)))
                errors.setdefault(row, {})[way] = Error(
                    float(off.mean()), error, float(np.sqrt((off**2).mean()))
                )
                holds = (low <= true[measure]) & (true[measure] <= high)
                shares.setdefault(row, {})[way] = Share(float(holds.mean()), len(holds))
    yield Table(
        f"{LABELLED} of {QUERIES} queries labelled by people: how far off values are, in points", errors
    )
    goals = {"evaluate_with_judge": held()}
    yield Table("The same: how often 95% intervals over queries hold the value by people", shares, goals)
