"""Gates: how often one passes a candidate that is just as much worse as is allowed, and one that is equal.

Drops of a query are from −1 to 1. At the margin the population's mean drop is what is allowed, and no more
than 5% may pass with 95% confidence; of equal systems as many as possible should.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import stats

import rankmark as rm
from benchmarks.coverage.shares import Share, Table, false, shares
from rankmark import statistics
from rankmark.aggregation.terms import Terms
from rankmark.comparing.deciding import Figure, OfQueries
from rankmark.language.names import as_measure
from rankmark.statistics.bounded import Rows

Floats = NDArray[np.float64]
QUERIES = (10, 25, 50, 200, 1_000)
RESAMPLES = 1_000
CONFIDENCE = 0.95
MARGIN = 0.05
CLUSTERS = 40
GOALS = dict.fromkeys(
    ("gate", "gate at its limit", "gate by user", "confidence sequence", "its upper end alone"), false(0.05)
)
"""No more than 5% may pass, 6 to be lenient with simulation."""


class Drops(NamedTuple):
    """A law of drops, and its mean."""

    draw: Callable[[Generator, int], Floats]
    mean: float


def _lose(rng: Generator, queries: int, share: float) -> Floats:
    return (rng.random(queries) < share) * rng.beta(2, 2, queries)


def _all(rng: Generator, queries: int) -> Floats:
    """Both of beta laws around the difficulty of the query, the candidate's 7% less."""
    hard = rng.beta(1, 2, queries)
    old, new = (rng.beta(6 * hard, 6 * (1 - hard)) for _ in "ab")
    return np.asarray(old - 0.93 * new)


def _hidden(rng: Generator, queries: int) -> Floats:
    """Most gain a little, few lose nearly all."""
    gains = rng.normal(-0.01, 0.02, queries)
    return np.where(rng.random(queries) < 0.05, rng.beta(5, 1, queries), gains)


WORSE = {
    "5% lose": Drops(lambda rng, n: _lose(rng, n, 0.05), 0.025),
    "5% lose all": Drops(lambda rng, n: (rng.random(n) < 0.05).astype(float), 0.05),
    "20% lose": Drops(lambda rng, n: _lose(rng, n, 0.2), 0.1),
    "100% change": Drops(_all, 0.07 / 3),
    "95% gain, 5% lose": Drops(_hidden, 0.05 * 5 / 6 - 0.95 * 0.01),
}
EQUAL = {
    "0% change": Drops(lambda _, n: np.zeros(n), 0.0),
    "5% change": Drops(lambda rng, n: _lose(rng, n, 0.05) * rng.choice([-1, 1], n), 0.0),
    "20% change": Drops(lambda rng, n: _lose(rng, n, 0.2) * rng.choice([-1, 1], n), 0.0),
    "100% change by 0.1": Drops(lambda rng, n: rng.normal(0, 0.1, n).clip(-1, 1), 0.0),
    "100% change by 0.2": Drops(lambda rng, n: rng.normal(0, 0.2, n).clip(-1, 1), 0.0),
}


def _passes(drops: Floats, allowed: float, seed: int) -> dict[str, bool]:
    rows = Rows.of(drops, np.ones_like(drops), (1.0, 1.0))
    bca = statistics.bootstrap_interval(
        drops, confidence=2 * CONFIDENCE - 1, resamples=RESAMPLES, seed=seed, threads=1
    )
    student = statistics.t_interval(drops, confidence=2 * CONFIDENCE - 1)
    return {
        "gate": rows.chance_above(allowed) <= 1 - CONFIDENCE,
        "BCa": bca.high <= allowed,
        "t": student.high <= allowed,
    }


def _of(
    laws: dict[str, Drops], allowed: Callable[[Drops], float], repetitions: int
) -> Iterator[tuple[str, dict[str, Share]]]:
    for name, law in laws.items():
        for queries in QUERIES:

            def once(
                rng: Generator, number: int, law: Drops = law, queries: int = queries
            ) -> dict[str, bool]:
                return _passes(law.draw(rng, queries), allowed(law), number)

            yield f"{name}, {queries:,} queries", shares(repetitions, queries, once)


def _clustered(repetitions: int) -> Iterator[tuple[str, dict[str, Share]]]:
    """Users with one query to many, of whom 5% lose on all."""
    for name, sizes in (
        ("1 to 9 queries a user", lambda rng: rng.integers(1, 10, CLUSTERS)),
        ("Pareto(1.5) queries a user", lambda rng: np.ceil(rng.pareto(1.5, CLUSTERS) + 0.01).astype(int)),
    ):

        def once(
            rng: Generator, _: int, sizes: Callable[[Generator], NDArray[np.int_]] = sizes
        ) -> dict[str, bool]:
            users = np.repeat(np.arange(CLUSTERS), sizes(rng))
            drops = (rng.random(CLUSTERS) < 0.2)[users] * rng.beta(2, 2, len(users))
            bounds = {
                "gate by user": statistics.gaffke_bound(drops, most=1, clusters=users),
                "gate by query": statistics.gaffke_bound(drops, most=1),
            }
            return {way: bound <= 0.1 for way, bound in bounds.items()}

        yield name, shares(repetitions, 3, once)


USERS = (40, 200)
SIZES: dict[str, Callable[[Generator, int], NDArray[np.int_]]] = {
    "5 rows each": lambda _, users: np.full(users, 5),
    "2 to 14 rows each": lambda rng, users: rng.integers(2, 15, users),
    "Pareto(1.5) rows each": lambda rng, users: 1 + (3 * rng.pareto(1.5, users)).astype(int).clip(0, 200),
}


def _accuracy_drops(
    rng: Generator, _: int, *, users: int, sizes: Callable[[Generator, int], NDArray[np.int_]], lost: float
) -> dict[str, bool]:
    """A table where so great a share of users is worse off on all of their rows, and may be."""
    user = np.repeat(np.arange(users), sizes(rng, users))
    label = rng.integers(0, 2, len(user))
    label[:2] = 0, 1  # both classes
    wrong = (rng.random(users) < lost)[user]
    right = np.where(label == 1, 0.9, 0.1)
    table = {"label": label, "user": user, "old": right, "new": np.where(wrong, 1 - right, right)}
    gate = rm.gate_predictions(
        table,
        {"old": "old", "new": "new"},
        "Accuracy",
        baseline="old",
        max_drop=lost,
        confidence=CONFIDENCE,
        query="user",
    )
    by_row = statistics.gaffke_bound(wrong.astype(float), most=1, confidence=CONFIDENCE)
    return {"gate by user": bool(gate), "gate by row": by_row <= lost}


def _accuracy(repetitions: int) -> Iterator[tuple[str, dict[str, Share]]]:
    """Accuracy by users, of tables as a gate takes them."""
    for lost in (0.1, 0.3):
        for users in USERS:
            for name, sizes in SIZES.items():
                once = partial(_accuracy_drops, users=users, sizes=sizes, lost=lost)
                found = shares(max(repetitions // 5, 1), 11, once)
                yield f"{100 * lost:g}% of {users} users lose all, {name}", found


NIGHTS = 1_000


def _every_night(repetitions: int) -> Iterator[tuple[str, dict[str, Share]]]:
    """Whether the mean is ever left out while queries come in, from the tenth to the thousandth."""
    for name, law in WORSE.items():

        def once(rng: Generator, _: int, law: Drops = law) -> dict[str, bool]:
            drops = law.draw(rng, NIGHTS)
            both = statistics.confidence_sequence(drops, low=-1.0, high=1.0, confidence=CONFIDENCE)
            upper = statistics.confidence_sequence(
                drops, low=-1.0, high=1.0, confidence=CONFIDENCE, side="high"
            )
            looks = np.unique(np.geomspace(10, NIGHTS, 30).astype(int))
            student = [statistics.t_interval(drops[:n], confidence=2 * CONFIDENCE - 1).high for n in looks]
            return {
                "confidence sequence": bool(((both.low > law.mean) | (both.high < law.mean)).any()),
                "its upper end alone": bool((upper.high < law.mean).any()),
                "t at 30 looks": min(student) < law.mean,
            }

        yield name, shares(max(repetitions // 4, 1), 5, once)


def _medians(repetitions: int) -> Iterator[tuple[str, dict[str, Share]]]:
    """Candidates whose median is less by what is allowed, or just at the limit."""
    measure = as_measure("AP(mean=median)")
    middle = float(stats.beta.ppf(0.5, 1, 2))
    for queries in QUERIES[:-1]:

        def once(rng: Generator, _: int, queries: int = queries) -> dict[str, bool]:
            hard = rng.beta(1, 2, queries)
            old, new = (Terms(measure, each[:, None]) for each in (hard, 0.9 * hard))
            drop = OfQueries([old, new]).upper(Figure((1.0, -1.0)), CONFIDENCE).value
            least = -OfQueries([old]).upper(Figure((-1.0,)), CONFIDENCE).value
            return {"gate": drop <= 0.1 * middle, "gate at its limit": least >= middle}

        yield f"{queries:,} queries", shares(repetitions, 9, once)


ROWS = ((100, 0.2), (400, 0.1), (400, 0.4))
"""Of predictions, and the share of positive ones."""


def _predicted(rng: Generator, rows: int, positive: float) -> dict[str, Floats]:
    """A model after which 5% of the positive rows fall to the end of the list."""
    label = (rng.random(rows) < positive).astype(float)
    old = rng.normal(0, 1, rows) + 1.5 * label
    return {"label": label, "old": old, "new": old - 4 * (label * (rng.random(rows) < 0.05))}


def _of_lists_of_rows(repetitions: int) -> Iterator[tuple[str, dict[str, Share]]]:
    """AveragePrecision of rows."""
    measure = "AveragePrecision"
    systems = {"old": "old", "new": "new"}
    for rows, positive in ROWS:
        many = _predicted(np.random.default_rng(0), 400_000, positive)
        old, new = (
            rm.evaluate_predictions(many, "AveragePrecision", score=name)["AveragePrecision"]
            for name in systems
        )

        def once(
            rng: Generator, number: int, of: tuple[int, float] = (rows, positive), lost: float = old - new
        ) -> dict[str, bool]:
            gate = rm.gate_predictions(
                _predicted(rng, *of),
                systems,
                measure,
                baseline="old",
                max_drop=lost,
                confidence=CONFIDENCE,
                resamples=200,
                seed=number,
                threads=1,
            )
            return {"gate": gate.passed}

        yield f"{rows} rows, {positive:.0%} positive", shares(max(repetitions // 4, 1), 11, once)


SEED_COUNTS = (2, 3, 5)
SEED_DEVIATIONS = (0.0, 0.02)


def _seeded(repetitions: int) -> Iterator[tuple[str, dict[str, Share]]]:
    """Several seeds of both systems, each of which moves all of its values."""
    measure = as_measure("AP")
    for name in ("5% lose", "100% change"):
        law = WORSE[name]
        for seeds in SEED_COUNTS:
            for queries in (25, 200):
                for deviation in SEED_DEVIATIONS:

                    def once(
                        rng: Generator,
                        _: int,
                        law: Drops = law,
                        size: tuple[int, int] = (queries, seeds),
                        deviation: float = deviation,
                    ) -> dict[str, bool]:
                        old, new = rng.normal(0, deviation, (2, 1, size[1])) + np.zeros((2, *size))
                        new -= law.draw(rng, size[0])[:, None]
                        terms = [Terms(measure, old), Terms(measure, new)]
                        bound = OfQueries(terms).upper(Figure((1.0, -1.0)), CONFIDENCE).value
                        t = statistics.crossed(old, new)
                        drops = (old - new).mean(axis=1)
                        means = Rows.of(drops, np.ones_like(drops), (1.0, 1.0)).chance_above(law.mean)
                        return {
                            "gate": bound <= law.mean,
                            "t over queries and seeds": t.interval(2 * CONFIDENCE - 1).high <= law.mean,
                            "Gaffke's of the means": means <= 1 - CONFIDENCE,
                        }

                    yield (
                        f"{name}, {seeds} seeds with sd {deviation:g}, {queries} queries",
                        shares(repetitions, 7, once),
                    )


def tables(repetitions: int) -> Iterator[Table]:
    """Those of gates."""
    yield Table(
        "Gates with 95% confidence that pass a candidate which is just as much worse as is allowed",
        dict(_of(WORSE, lambda law: law.mean, repetitions)),
        GOALS,
    )
    yield Table(
        f"The same where 20% of {CLUSTERS} users lose",
        dict(_clustered(repetitions)),
        GOALS,
    )
    yield Table(
        "The same of Accuracy by users",
        dict(_accuracy(repetitions)),
        GOALS,
    )
    yield Table(
        "The same with several seeds of both",
        dict(_seeded(repetitions)),
        GOALS,
    )
    yield Table(
        "The same by the median, of one that loses a tenth of each value, and at the median as its limit",
        dict(_medians(repetitions)),
        GOALS,
    )
    yield Table(
        "The same by AveragePrecision of rows, of which 5% of the positive ones fall to the end of the list",
        dict(_of_lists_of_rows(repetitions)),
        GOALS,
    )
    yield Table(
        f"Bounds of 95% that the mean drop ever leaves, of up to {NIGHTS:,} queries",
        dict(_every_night(repetitions)),
        GOALS,
    )
    yield Table(
        f"Gates with 95% confidence and an allowance of {MARGIN} that pass an equal candidate",
        dict(_of(EQUAL, lambda _: MARGIN, repetitions)),
    )
