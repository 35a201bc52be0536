"""Simulated users of lists: where they look, what their clicks say of a ranking, and of two in one list.

Items have rates of clicks where they are looked at. Users look at positions by chance (position), go down to
the first click (cascade), or go down until a click satisfies them or they give up (DBN). Lists put better
items higher, with noise, or are in random order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from random import Random
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

import rankmark as rm
from benchmarks.coverage.shares import Ratio, Share, Table, false, generators, held, shares
from rankmark import statistics
from rankmark.logs.interleaved import InterleavingMethod
from rankmark.logs.interleaving import FAIR, preference_test

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Users = Literal["position", "cascade", "DBN"]
Cell: TypeAlias = tuple[Users, int, int]
"""Who looks, at how many interleaved lists, and how many groups these are of (0: each by itself)."""
K = 6
"""Positions of a list, and items of a query."""
EXAMINED = 1 / np.arange(1, K + 1) ** 0.7
GOES_ON, SATISFIED = 0.85, 0.5
FORETOLD = 60, 6_000
"""Queries and lists of logs by which a model is chosen."""
FITTED: tuple[Users, ...] = ("position", "DBN")
MEASURES = ("DCG@3", "nDCG@3")
LISTS = (30, 100, 400)
"""That are interleaved."""
OF_USERS = {f"DBN, 400 lists of {groups} users, some with many": groups for groups in (10, 25)}
RESAMPLES = 200
OF_VALUES = 60
"""Resamples in which propensities are estimated again."""
AGAIN = "ips, estimated again in resamples"


def clicks(rng: Generator, rates: Floats, users: Users) -> NDArray[np.bool_]:
    """Clicks on lists of items with these rates; [lists, positions]."""
    chance = rng.random(rates.shape)
    if users == "position":
        return np.asarray(chance < EXAMINED[: rates.shape[1]] * rates)
    looks, found = np.ones(len(rates), dtype=bool), np.zeros(rates.shape, dtype=bool)
    for k in range(rates.shape[1]):
        found[:, k] = looks & (chance[:, k] < rates[:, k])
        ends = found[:, k] if users == "cascade" else found[:, k] & (rng.random(len(rates)) < SATISFIED)
        looks &= ~ends & (rng.random(len(rates)) < (1.0 if users == "cascade" else GOES_ON))
    return found


@dataclass(frozen=True, slots=True)
class Log:
    """How many queries and lists there are, and how they came about."""

    queries: int
    lists: int
    users: Users = "position"
    shuffled: bool = False

    def drawn(self, rng: Generator) -> tuple[Floats, pl.DataFrame]:
        """The rates of items, [queries, items], and the log."""
        rates = rng.beta(1.5, 4, (self.queries, K))
        query = np.concatenate(
            [np.arange(self.queries), rng.integers(0, self.queries, self.lists - self.queries)]
        )
        noise = rng.normal(0, 100.0 if self.shuffled else 0.25, (self.lists, K))
        item = np.argsort(-(rates[query] + noise), axis=1)
        clicked = clicks(rng, rates[query[:, None], item], self.users)
        columns = {
            "impression": np.repeat(np.arange(self.lists), K),
            "query": np.repeat(query, K),
            "item": item.ravel(),
            "position": np.tile(np.arange(1, K + 1), self.lists),
            "click": clicked.ravel(),
        }
        return rates, pl.DataFrame(columns)


LOGS: Mapping[str, Log] = {
    "50 lists a query, better items higher": Log(100, 5_000),
    "5 lists a query, better items higher": Log(1_000, 5_000),
    "2 lists a query, better items higher": Log(2_500, 5_000),
    "5 lists a query, random order": Log(1_000, 5_000, shuffled=True),
}


def tables(repetitions: int) -> Iterator[Table]:
    """How far estimates are off, how often intervals hold the truth, and who is found to be better."""
    some = max(repetitions // 3, 2)
    yield Table(
        "Mean error of the examination of the last position, as a share of it",
        {name: errors(some, log) for name, log in LOGS.items()},
    )
    yield Table(
        "95% intervals that hold it, by queries drawn again",
        {name: shares(some, 1, partial(_once_held, log=log)) for name, log in LOGS.items()},
        {f"position {k}": held() for k in (2, 3, K)},
    )
    yield Table(
        "Which model foretells held-out clicks best, by the users",
        {users: shares(max(some // 4, 2), 2, partial(_once_chosen, users=users)) for users in FITTED},
    )
    values = {name: _values(some, log) for name, log in LOGS.items()}
    for measure in MEASURES:
        rows = {name: own[measure] for name, own in values.items()}
        yield Table(f"{measure} of a ranking by clicks over that by true rates", rows)
    yield Table(
        "95% intervals over queries that hold the mean DCG@3 of all queries",
        {name: shares(some, 3, partial(_once_measured, log=log)) for name, log in LOGS.items()},
        {"ips": held(), AGAIN: held()},
    )
    goals = {method: false(0.05) for method in ("team-draft", "optimized", "probabilistic")}
    cells: dict[str, Cell] = {
        f"{users}, {lists} lists": (users, lists, 0) for users in get_args(Users) for lists in LISTS
    }
    cells_of_users: dict[str, Cell] = {name: ("DBN", 400, groups) for name, groups in OF_USERS.items()}
    yield Table(
        "Interleaving: one of two equally good systems is preferred, p ≤ 5%",
        _interleaved(repetitions, 10, EQUAL, cells | cells_of_users),
        goals,
    )
    yield Table(
        "Interleaving: the same of users who click anything, where B is A with its first item last",
        _interleaved(repetitions, 11, SHIFTED, {f"{lists} lists": ("position", lists, 0) for lists in LISTS}),
        goals,
    )
    yield Table(
        "Interleaving: the better system is preferred, p ≤ 5%, and by an A/B test of clicks a list",
        _interleaved(repetitions, 12, BETTER, cells),
    )


def _interleaved(
    repetitions: int, seed: int, pair: Pair, cells: Mapping[str, Cell]
) -> dict[str, dict[str, Share]]:
    """Shares of users, lists and groups of these, each of other draws."""
    return {
        name: shares(repetitions, 100 * seed + number, partial(_once_interleaved, pair, *cell))
        for number, (name, cell) in enumerate(cells.items())
    }


# --- Where users look ---------------------------------------------------------------------------------------


def errors(repetitions: int, log: Log) -> dict[str, Ratio]:
    """The mean of each method's error of the last position."""
    found: dict[str, list[float]] = {method: [] for method in statistics.EXAMINATION_METHODS}
    for _, rng in generators(repetitions, log.queries):
        _, frame = log.drawn(rng)
        item = frame["query"].to_numpy() * K + frame["item"].to_numpy()
        for method, own in found.items():
            rows = item, frame["position"].to_numpy(), frame["click"].to_numpy()
            examined: Floats = statistics.examination(*rows, method=method)  # type: ignore[arg-type] # one of them
            own.append(float(examined[-1] / EXAMINED[-1] - 1))
    return {method: _mean(own) for method, own in found.items()}


def _mean(values: list[float]) -> Ratio:
    return Ratio(float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values))))


def _once_held(rng: Generator, number: int, *, log: Log) -> dict[str, bool]:
    _, frame = log.drawn(rng)
    found = rm.click_model(frame, held_out=0, resamples=RESAMPLES, seed=number)
    return {
        f"position {row.position}": row.low <= EXAMINED[row.position - 1] <= row.high
        for row in found.rows
        if row.position in (2, 3, K)
    }


def _once_chosen(rng: Generator, _: int, *, users: Users) -> dict[str, bool]:
    frame = Log(*FORETOLD, users).drawn(rng)[1]
    told: dict[str, float] = {}
    for model in ("position", "cascade", "dbn"):
        fitted = rm.click_model(frame, model, resamples=0)
        assert fitted.held_out is not None
        told[model] = fitted.held_out.log_likelihood
    return {model: value == max(told.values()) for model, value in told.items()}


# --- What clicks say of a ranking ---------------------------------------------------------------------------


def ranking(rates: Floats, seed: int) -> dict[int, list[int]]:
    """What a system that knows something of the rates ranks."""
    noise = np.random.default_rng(seed).normal(0, 0.15, rates.shape)
    return dict(enumerate(np.argsort(-(rates + noise), axis=1).tolist()))


def judgements(rates: Floats) -> dict[int, dict[int, float]]:
    return {query: dict(enumerate(own)) for query, own in enumerate(rates.tolist())}


def ways(frame: pl.DataFrame) -> dict[str, rm.results.ClickQrels]:
    """Judgements of the same clicks."""
    known: Any = dict(enumerate(EXAMINED.tolist(), 1))
    fitted = rm.click_model(frame, held_out=0, resamples=0)
    return {
        "clicks as they are": rm.qrels_from_clicks(frame, dict.fromkeys(known, 1.0)),
        "ips": rm.qrels_from_clicks(frame, known),
        "ratio": rm.qrels_from_clicks(frame, known, estimator="ratio"),
        "ips, estimated": rm.qrels_from_clicks(frame, fitted),
        "ips, clip=0.5": rm.qrels_from_clicks(frame, known, clip=0.5),
    }


def _values(repetitions: int, log: Log) -> dict[str, dict[str, Ratio]]:
    found: dict[str, dict[str, list[float]]] = {measure: {} for measure in MEASURES}
    for number, rng in generators(repetitions, log.queries, 7):
        rates, frame = log.drawn(rng)
        run = ranking(rates, number)
        truth = rm.evaluate(judgements(rates), run, MEASURES)
        for way, qrels in ways(frame).items():
            values = rm.evaluate(qrels, run, MEASURES)
            for measure, own in found.items():
                own.setdefault(way, []).append(values[measure] / truth[measure])
    return {measure: {way: _mean(each) for way, each in own.items()} for measure, own in found.items()}


@cache
def _true_mean() -> float:
    """DCG@3 of all queries that there could be."""
    rates = np.random.default_rng(5).beta(1.5, 4, (200_000, K))
    order = np.array([*ranking(rates, 6).values()])[:, :3]
    return float((np.take_along_axis(rates, order, 1) @ (1 / np.log2([2, 3, 4]))).mean())


def _once_measured(rng: Generator, number: int, *, log: Log) -> dict[str, bool]:
    rates, frame = log.drawn(rng)
    run, found = ranking(rates, number), {}
    for way, qrels in ways(frame).items():
        values = rm.evaluate(qrels, run, "DCG@3").query_values("DCG@3")
        low, high = statistics.t_interval(values)
        found[way] = low <= _true_mean() <= high
    again = rm.evaluate_clicks(frame, run, "DCG@3", resamples=OF_VALUES, seed=number)
    low, high, *_ = again.intervals["DCG@3"]
    return found | {AGAIN: low <= _true_mean() <= high}


# --- Two systems in one list --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two rankings, and the rate of each of their items."""

    a: str
    b: str
    rates: Mapping[str, float]

    def rate(self, items: str) -> list[float]:
        return [self.rates[item] for item in items]


EQUAL = Pair("abcdef", "badcfe", dict(zip("abcdef", (0.5, 0.5, 0.3, 0.3, 0.1, 0.1), strict=True)))
"""Who exchanges items that are as good is as good."""
SHIFTED = Pair("abcdef", "bcdefa", dict.fromkeys("abcdef", 0.3))
BETTER = Pair("abcdef", "bacdfe", dict(zip("abcdef", (0.5, 0.35, 0.3, 0.2, 0.15, 0.1), strict=True)))
DRAWABLE = 50_000
"""Lists of each pair and method, of which the shown ones are drawn."""


@cache
def _drawable(pair: Pair, method: InterleavingMethod) -> tuple[Whole, Floats]:
    """Lists of both, as places of their items in A, and the credits of clicks there; [lists, positions]."""
    random, made = Random(11), list[Sequence[tuple[Any, float]]]()
    for _ in range(DRAWABLE):
        if method == "balanced":
            first = random.random() < 1 / 2
            items = statistics.balanced_interleaving(pair.a, pair.b, K, a_first=first)
            made.append([(item, math.nan) for item in items])
        elif method == "optimized":
            found = statistics.optimized_interleaving(pair.a, pair.b, K)
            made.extend(random.choices(found.lists, found.probabilities))
        elif method == "team-draft":
            made.append(statistics.team_draft(pair.a, pair.b, K, random))
        else:
            made.append(statistics.probabilistic_interleaving(pair.a, pair.b, K, random))
    places = np.array([[pair.a.index(item) for item, _ in each] for each in made])
    return places, np.array([[worth for _, worth in each] for each in made])


def _preferences(pair: Pair, places: Whole, clicked: NDArray[np.bool_]) -> Floats:
    """Whom each of balanced lists prefers."""
    rank_b = np.array([pair.b.index(item) for item in pair.a]) + 1.0
    lists = zip(places, clicked, strict=True)
    return np.array(
        [statistics.balanced_preference(own[c] + 1.0, rank_b[own[c]]) for own, c in lists], dtype=float
    )


def _once_interleaved(
    pair: Pair, users: Users, lists: int, groups: int, rng: Generator, _: int
) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for method, tested in FAIR.items():
        drawn = rng.integers(0, DRAWABLE, lists)
        all_places, worth = _drawable(pair, method)
        places = all_places[drawn]
        clicked = clicks(rng, np.array(pair.rate(pair.a))[places], users)
        if method == "balanced":
            values = _preferences(pair, places, clicked)
        else:
            values = (worth[drawn] * clicked).sum(axis=1).round(9)
            values = np.sign(values) if tested == "wins" else values
        weights = 1 / np.arange(1, groups + 1)
        labels = rng.choice(groups, lists, p=weights / weights.sum()) if groups else None
        p = preference_test(values, tested, labels)[1]
        found[method] = p <= 0.05 and (pair is not BETTER or values.sum() > 0)
    if pair is BETTER:
        halves = (
            clicks(rng, np.tile(pair.rate(own), (lists // 2, 1)), users).sum(axis=1)
            for own in (pair.a, pair.b)
        )
        test = statistics.welch(*halves)
        found["A/B test"] = test.p <= 0.05 and test.mean > 0
    return found
