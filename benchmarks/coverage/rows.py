"""Predictions: tests of the difference between two systems that are equally good, by rows and by users.

Labels are drawn with probabilities that differ from row to row and from user to user. Each system adds errors
of the same law to their log odds, of users and of rows: the systems do not differ, but on a given table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.coverage.shares import Table, shares
from rankmark.aggregation.intervals import Sampling
from rankmark.api.systems import evaluate_systems
from rankmark.comparing.prediction_tests import PredictionPlan, PredictionTest, judged
from rankmark.inputs.predictions.systems import SystemScores

Floats = NDArray[np.float64]
OF_RANKS = ("AUC", "AveragePrecision", "KS", "F1(threshold=max)")
MEASURES = ("LogLoss", "PCOPC", "Accuracy", *OF_RANKS)
LEVELS = (0.05, 0.01)
RESAMPLES = 2_000
SYSTEMS = ("one", "other")


@dataclass(frozen=True, slots=True)
class Population:
    """Tables of a kind.

    Attributes:
        name: what it is called.
        units: so many users with 2 rows and more, 11 on average; or so many rows.
        users: whether these are users.
        power: of the other system's scores: the order stays, the scale does not.
        better: by how many standard errors of a row's log odds the other system is better.

    """

    name: str
    units: int
    users: bool
    power: float = 1.0
    better: float = 0.0

    def draw(self, rng: Generator) -> dict[str, NDArray[Any]]:
        """A table with the scores of two systems."""
        sizes = 1 + rng.geometric(0.1, self.units) if self.users else np.ones(self.units, dtype=int)
        user = np.repeat(np.arange(self.units), sizes)
        rows = len(user)
        shared = 0.7 if self.users else 0.0
        logit = rng.normal(-0.5, 1.2, rows) + shared * rng.normal(size=self.units)[user]
        label = rng.random(rows) < _chance(logit)
        label[:2] = 0, 1  # both classes
        scores = []
        for spread in (1.0, 1.0 - self.better):
            error = shared * rng.normal(size=self.units)[user] + rng.normal(size=rows)
            scores.append(_chance(logit + spread * error))
        table = {"label": label.astype(float), "one": scores[0], "other": scores[1] ** self.power}
        return table | ({"user": user} if self.users else {})


def _chance(logit: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-logit)))


EQUAL = (
    *(Population(f"{rows} rows", rows, users=False) for rows in (25, 50, 200)),
    *(Population(f"{users} users", users, users=True) for users in (10, 25, 50)),
)
SCALED = (
    Population("50 rows, other scale", 50, users=False, power=3),
    Population("25 users, other scale", 25, users=True, power=3),
)
BETTER = (
    Population("200 rows, better", 200, users=False, better=0.8),
    Population("25 users, better", 25, users=True, better=0.8),
)


def found(
    population: Population, measures: Sequence[str], tests: Sequence[PredictionTest | None], repetitions: int
) -> Iterator[tuple[str, Mapping[float, Mapping[str, object]]]]:
    """How often each test finds a difference, at each level."""
    sampling = Sampling(resamples=RESAMPLES)
    for measure in measures:

        def once(rng: Generator, _: int, measure: str = measure) -> dict[str, bool]:
            table = population.draw(rng)
            roles = {"query": "user"} if population.users else {"query": ""}
            asked = {name: SystemScores(table, name) for name in SYSTEMS}
            evaluated = evaluate_systems(asked, measure, Sampling("percentile", resamples=39), roles).systems
            pair = evaluated["other"], evaluated["one"]
            (own,) = pair[0].result.measures
            decisions: dict[str, bool] = {}
            for test in tests:
                plan = PredictionPlan(sampling, test)
                p = judged(own, pair, plan.test_of(own, pair[0]), plan).p
                if not np.isnan(p):
                    decisions |= {f"{test or 'default'}|{level}": p <= level for level in LEVELS}
            return decisions

        every = shares(repetitions, population.units, once)
        yield (
            measure,
            {
                level: {name.partition("|")[0]: s for name, s in every.items() if name.endswith(f"|{level}")}
                for level in LEVELS
            },
        )


def tables(repetitions: int) -> Iterator[Table]:
    """The default and the others where systems do not differ; the default where they do."""
    others: tuple[PredictionTest, ...] = ("randomisation", "t", "bootstrap")
    for title, populations, measures, tests, goal in (
        ("do not differ", EQUAL, (*MEASURES, "GAUC"), others, True),
        ("do not differ, on other scales", SCALED, OF_RANKS, (), True),
        ("differ", BETTER, MEASURES, (), False),
    ):
        rows: dict[float, dict[str, Mapping[str, object]]] = {level: {} for level in LEVELS}
        for population in populations:
            own = [each for each in measures if each != "GAUC" or population.users]
            for measure, at in found(population, own, (None, *tests), repetitions):
                for level in LEVELS:
                    rows[level][f"{measure}, {population.name}"] = at[level]
        for level in LEVELS:
            yield Table(
                f"Tests that find two systems to be apart that {title}, at {100 * level:g}%",
                rows[level],  # type: ignore[arg-type]
                nominal=level if goal else None,
                goal=(1.0, level / 5 if level > 0.01 else 0.005),
            )
