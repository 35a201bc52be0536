"""Predictions: tests of the difference between two systems that are equally good, by rows and by users.

Labels are drawn with probabilities that differ from row to row and from user to user. Each system adds errors
of the same law to their log odds, of users and of rows: the systems do not differ, but on a given table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.coverage.shares import Noted, Share, Table, false, shares
from rankmark.aggregation.intervals import Sampling
from rankmark.api.systems import evaluate_systems
from rankmark.comparing.prediction_tests import PredictionPlan, PredictionTest, judged
from rankmark.inputs.predictions.systems import SystemScores
from rankmark.statistics.significance import level_of_skewed

Floats = NDArray[np.float64]
DrawnTable = Mapping[str, NDArray[Any]]
OF_RANKS = ("AveragePrecision", "KS", "F1(threshold=max)")
"""Which are computed again without each unit, and so take long."""
OF_SUMS = ("LogLoss", "PCOPC", "Accuracy")
OF_CLASSES = ("Accuracy", "LogLoss", "F1(average=macro)")
LEVELS = (0.05, 0.01)
RESAMPLES = 2_000
MANY = 200
"""Units from which there are a third of the repetitions."""
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
        classes: how many there are; each with a score of each system, if more than two.

    """

    name: str
    units: int
    users: bool = False
    power: float = 1.0
    better: float = 0.0
    classes: int = 2

    def draw(self, rng: Generator) -> DrawnTable:
        """A table with the scores of two systems."""
        if self.classes > 2:
            return self._of_classes(rng)
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

    def _of_classes(self, rng: Generator) -> DrawnTable:
        """Scores are e to log odds with errors, so that they sum to 1."""
        logit = rng.normal(0, 1.2, (self.units, self.classes))
        # The greatest of log odds with Gumbel errors is drawn with the probabilities that they are.
        label = (logit + rng.gumbel(size=logit.shape)).argmax(axis=1)
        label[: self.classes] = np.arange(self.classes)
        table = {"label": label}
        for name in SYSTEMS:
            scores = np.exp(logit + rng.normal(size=logit.shape))
            scores /= scores.sum(axis=1, keepdims=True)
            table |= {f"{name}_{place}": column for place, column in enumerate(scores.T)}
        return table

    def scores_of(self, system: str) -> str | tuple[str, ...]:
        """Its columns."""
        return system if self.classes == 2 else tuple(f"{system}_{k}" for k in range(self.classes))


def _chance(logit: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-logit)))


EQUAL = (
    *(Population(f"{rows} rows", rows) for rows in (25, 50, 200)),
    *(Population(f"{users} users", users, users=True) for users in (10, 25, 50, 200)),
)
CLASSES = tuple(Population(f"{rows} rows of 4 classes", rows, classes=4) for rows in (25, 50, 200))
SCALED = (
    Population("50 rows, other scale", 50, power=3),
    Population("25 users, other scale", 25, users=True, power=3),
)
BETTER = (
    Population("200 rows, better", 200, better=0.8),
    Population("25 users, better", 25, users=True, better=0.8),
)


def found(
    population: Population, measures: Sequence[str], tests: Sequence[PredictionTest | None], repetitions: int
) -> dict[str, Share]:
    """How often each test finds a difference, by 'measure|test|level'."""
    sampling = Sampling(resamples=RESAMPLES)

    def once(rng: Generator, _: int) -> dict[str, Noted]:
        table = population.draw(rng)
        options: dict[str, Any] = {"query": "user"} if population.users else {}
        if population.classes > 2:
            options["classes"] = list(range(population.classes))
        asked = {name: SystemScores(table, population.scores_of(name)) for name in SYSTEMS}
        how = Sampling("percentile", resamples=39) if set(measures) & set(OF_RANKS) else Sampling()
        evaluated = evaluate_systems(asked, measures, how, options).systems
        pair = evaluated["other"], evaluated["one"]
        decisions: dict[str, Noted] = {}
        for measure, own in zip(measures, pair[0].result.measures, strict=True):
            for test in tests:
                plan = PredictionPlan(sampling, test)
                p = judged(own, pair, plan.test_of(own, pair[0]), plan).p
                if not np.isnan(p):
                    decisions |= {
                        f"{measure}|{test or 'default'}|{level}": Noted(
                            p <= level, level_of_skewed(p.evidence, level) is not None
                        )
                        for level in LEVELS
                    }
        return decisions

    return shares(repetitions, population.units, once)


def _tables(
    title: str,
    populations: Sequence[Population],
    measures: Callable[[Population], Sequence[str]],
    tests: Sequence[PredictionTest | None],
    repetitions: int,
    *,
    judged: bool = True,
) -> Iterator[Table]:
    """A table a level, with a row a measure and population."""
    every = {
        each.name: found(
            each, measures(each), tests, repetitions if each.units < MANY else max(repetitions // 3, 1)
        )
        for each in populations
    }
    for level in LEVELS:
        rows: dict[str, dict[str, Share]] = {}
        for name, own in every.items():
            for key, share in own.items():
                measure, test, at = key.split("|")
                if float(at) == level:
                    rows.setdefault(f"{measure}, {name}", {})[test] = share
        yield Table(f"{title}, at {100 * level:g}%", rows, {"default": false(level)} if judged else {})


def _of_sums(population: Population) -> tuple[str, ...]:
    return (*OF_SUMS, "AUC", *("GAUC",) * population.users)


def _of_ranks(_: Population) -> tuple[str, ...]:
    return OF_RANKS


def tables(repetitions: int) -> Iterator[Table]:
    """The default and the others where systems do not differ; the default where they do."""
    few = max(repetitions * 2 // 5, 1)
    title = "Tests that find two systems apart whose predictions are equally good"
    yield from _tables(title, EQUAL, _of_sums, (None, "t"), repetitions)
    yield from _tables(f"{title}, by the bootstrap, too", EQUAL[3:5], _of_sums, ("bootstrap",), few)
    yield from _tables(f"{title}, measures of ranks", EQUAL, _of_ranks, (None,), few)
    yield from _tables(f"{title}, several classes", CLASSES, lambda _: OF_CLASSES, (None,), few)
    yield from _tables(f"{title}, on other scales", SCALED, lambda _: ("AUC", *OF_RANKS), (None,), few)
    fifth = max(repetitions // 5, 1)
    for measures in (_of_sums, _of_ranks):
        yield from _tables("Tests that find a better system", BETTER, measures, (None,), fifth, judged=False)
