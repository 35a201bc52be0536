"""Areas, rates and errors of calibration: intervals of one system's predictions, areas of two, and slices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

import rankmark as rm
from benchmarks.coverage.shares import Noted, Share, Table, false, held, shares
from rankmark import statistics
from rankmark.statistics.delong import AreaTest
from rankmark.statistics.independent import group_difference

Floats = NDArray[np.float64]
AREAS = (0.6, 0.8, 0.95, 0.99)
SIZES = ((20, 20), (50, 50), (30, 300), (200, 200))
USERS = (10, 25, 50, 200)
Found: TypeAlias = "dict[str, bool | Noted]"
Truth = Callable[[Floats], Floats]
"""The probabilities of rows by their scores."""


def _rows(rng: Generator, sizes: tuple[int, int], area: float, systems: int = 1) -> tuple[Floats, Floats]:
    """Labels, and normal scores of systems with this AUC that have half of their spread in common."""
    label = np.repeat([1.0, 0.0], sizes)
    common = rng.normal(size=(len(label), 1))
    own = (common + rng.normal(size=(len(label), systems))) / np.sqrt(2)
    return label, own + np.sqrt(2) * ndtri(area) * label[:, None]


def _exponential(rng: Generator, sizes: tuple[int, int], area: float) -> tuple[Floats, Floats]:
    """Labels and scores whose few wrong pairs are of few rows."""
    label = np.repeat([1.0, 0.0], sizes)
    return label, rng.exponential(size=len(label)) * np.where(label == 1, area / (1 - area), 1)


def _area(rng: Generator, sizes: tuple[int, int], area: float, *, skewed: bool) -> Found:
    label, score = _exponential(rng, sizes, area) if skewed else _rows(rng, sizes, area)
    low, high = statistics.delong_interval(label, score.ravel(), method="delong")
    usual = _held({"label": label, "score": score.ravel()}, {"AUC": area}, {"default": True})
    return {"default": usual["AUC, default"], "delong": bool(low <= area <= high)}


def _areas(rng: Generator, sizes: tuple[int, int], areas: tuple[float, float]) -> dict[str, bool]:
    label, score = _rows(rng, sizes, 0.5, 2)
    score += np.sqrt(2) * ndtri(np.array(areas)) * label[:, None]
    found: dict[str, bool] = {}
    for method in get_args(AreaTest):
        test = statistics.delong_test(label, *score.T, method=method)
        found[method] = test.interval.low <= areas[0] - areas[1] <= test.interval.high
        if areas[0] == areas[1]:
            found[f"{method}: p ≤ .05"] = test.p <= 0.05
    return found


def _users(rng: Generator, count: int, *, pareto: bool) -> NDArray[np.intp]:
    """The user of each row: 2 to 14 rows each, or numbers of which a few users have most."""
    sizes = (
        np.minimum((rng.pareto(1.5, count) * 4 + 2).astype(int), 400)
        if pareto
        else rng.integers(2, 15, count)
    )
    return np.repeat(np.arange(count), sizes)


def _area_by_users(rng: Generator, count: int, area: float, *, pareto: bool) -> Found:
    user = _users(rng, count, pareto=pareto)
    label = rng.random(len(user)) < expit(0.8 * rng.normal(size=count) - 0.5)[user]
    systems = [
        np.sqrt(0.3) * rng.normal(size=count)[user]
        + np.sqrt(0.7) * rng.normal(size=len(user))
        + np.sqrt(2) * ndtri(area) * label
        for _ in range(2)
    ]
    if not 0 < label.sum() < len(label):
        return {}
    table = {"label": label.astype(float), "score": systems[0], "user_id": user}
    usual = _held(table, {"AUC": area}, {"default": True})
    low, high = statistics.delong_interval(label, systems[0], clusters=user, method="delong")
    found: dict[str, bool | Noted] = {"default": usual["AUC, default"], "delong": bool(low <= area <= high)}
    for test in get_args(AreaTest):
        found[f"{test}: p ≤ .05"] = (
            statistics.delong_test(label, *systems, clusters=user, method=test).p <= 0.05
        )
    return found


def _held(table: dict[str, Any], truths: dict[str, float], methods: dict[str, object]) -> Found:
    """Whether intervals of measures hold their true values, by each method, and whether a note is beside."""
    found: dict[str, bool | Noted] = {}
    for name, method in methods.items():
        result = rm.evaluate_predictions(table, list(truths), intervals=method, resamples=1_000)  # type: ignore[arg-type]
        for measure, truth in truths.items():
            if interval := result.intervals.get(measure):
                own = interval.low <= truth <= interval.high
                found[f"{measure}, {name}"] = Noted(own, bool(interval.note))
    return found


METHODS = {"default": True, "bca": "bca"}


def _sums_by_rows(rng: Generator, count: int) -> Found:
    score = expit(1.2 * rng.normal(size=count) - 0.85)
    table = {"label": (rng.random(count) < score).astype(float), "score": score}
    return _held(table, SUMS, METHODS)


def _true_sums() -> dict[str, float]:
    score = expit(1.2 * np.random.default_rng(0).normal(size=4_000_000) - 0.85)
    loss = -(score * np.log(score) + (1 - score) * np.log1p(-score))
    return {
        "LogLoss": float(loss.mean()),
        "Brier": float((score * (1 - score)).mean()),
        "PCOPC": 1.0,
        "Accuracy": float(np.maximum(score, 1 - score).mean()),
    }


SUMS = _true_sums()


def _gauc(rng: Generator, count: int, *, pareto: bool) -> Found:
    """Users of whom each has an AUC of .75 on average, whatever they have of rows."""
    user = _users(rng, count, pareto=pareto)
    # Each user has rows of both classes, and the difference of their means varies around that of .75.
    label = np.concatenate([[1.0, 0.0, *rng.integers(0, 2, size)] for size in np.bincount(user)])
    user = np.repeat(np.arange(count), np.bincount(user) + 2)
    shift = np.sqrt(2) * ndtri(0.75) * np.sqrt(1 + 0.25 / 2) + 0.5 * rng.normal(size=count)
    score = rng.normal(size=len(user)) + shift[user] * label
    return _held({"label": label, "score": score, "user_id": user}, {"GAUC": 0.75}, METHODS)


def _rate(rng: Generator, count: int, share: float) -> Found:
    """Accuracy of rows of which so many are right."""
    right = rng.random(count) < share
    table = {"label": np.ones(count), "score": np.where(right, 0.9, 0.1)}
    return _held(table, {"Accuracy": share}, METHODS)


def _true_error(truth: Truth) -> float:
    score = _scores(np.random.default_rng(0), 4_000_000)
    bins = np.minimum(np.ceil(score * 15).astype(int), 15)
    return float(np.abs(np.bincount(bins, score - truth(score))).sum() / len(score))


def _scores(rng: Generator, count: int) -> Floats:
    return np.asarray(expit(1.5 * rng.normal(size=count) - 0.5))


TRUTHS: dict[str, Truth] = {
    "calibrated": lambda p: p,
    "too great by 15%": lambda p: p / 1.15,
    "too extreme": lambda p: expit(0.6 * logit(p)),
}


def _ece(rng: Generator, count: int, truth: Truth, error: float) -> Found:
    score = _scores(rng, count)
    label = rng.random(count) < truth(score)
    gaps = statistics.binned_gaps(label, score)
    table = {"label": label.astype(float), "score": score}
    interval = rm.evaluate_predictions(table, "ECE", intervals=True, resamples=500).intervals["ECE"]
    return {
        # They are always said to be conservative.
        "default": Noted(interval.low <= error <= interval.high, interval.method == "gaps"),
        "consistency resampling: p ≤ .05": gaps.calibrated(draws=500).p <= 0.05,
        "Spiegelhalter: p ≤ .05": statistics.spiegelhalter_test(label, score).p <= 0.05,
    }


SLICES: dict[str, Callable[[Generator, int], Floats]] = {
    "RR": lambda rng, n: np.array([0, *(1 / np.arange(1, 11))])[rng.integers(0, 11, n)],
    "AP": lambda rng, n: rng.beta(1, 2, n),
    "P@10": lambda rng, n: rng.binomial(10, 0.05, n) / 10,
}


def _slice(rng: Generator, count: int, draw: Callable[[Generator, int], Floats]) -> dict[str, bool]:
    own, others = draw(rng, count), draw(rng, 100)
    welch, divided = statistics.welch(own, others).p, group_difference(own, others).p
    return {"default": divided <= 0.05, "Welch": welch <= 0.05}


def _slice_area(rng: Generator, size: int, area: float) -> dict[str, bool]:
    """The AUC of a slice and of 100 and 100 other rows that are alike."""
    parts = [(label, scores[:, 0]) for label, scores in (_rows(rng, (n, n), area) for n in (size, 100))]
    methods: tuple[AreaTest, ...] = get_args(AreaTest)
    return {each: statistics.unpaired_delong_test(*parts, method=each).p <= 0.05 for each in methods}


OF_SLICES = ("LogLoss", "Accuracy", "PCOPC", "AUC", "AveragePrecision")


def _slice_of_rows(rng: Generator, count: int, *, users: bool) -> dict[str, bool]:
    """Rows of one kind, of 200 of another and of 100 of a third, that are alike; or so many users."""
    kind = np.repeat(["some", "most", "more"], (count, 200, 100))
    if users:
        user = np.repeat(np.arange(len(kind)), 1 + rng.geometric(0.25, len(kind)))
        kind = kind[user]
    else:
        user = np.arange(len(kind))
    logit = 1.2 * rng.normal(size=len(kind)) - 0.5 + 0.7 * users * rng.normal(size=user[-1] + 1)[user]
    label = (rng.random(len(kind)) < expit(logit)).astype(float)
    table = {"label": label, "score": expit(logit + rng.normal(size=len(kind))), "kind": kind}
    if users:
        table["user_id"] = user
    found = rm.evaluate_predictions(table, OF_SLICES, intervals="percentile", resamples=39, by="kind").slices
    assert found is not None
    some = (each for each in found if each.slice == "some" and not np.isnan(each.p))
    return {f"{each.measure}, {100 * level:g}%": each.p <= level for each in some for level in (0.05, 0.01)}


GOALS = {
    **dict.fromkeys(("default", "delong-t"), held()),
    **{f"{measure}, default": held() for measure in (*SUMS, "GAUC")},
    "delong-t: p ≤ .05": false(0.05),
}
SLICED = dict.fromkeys(("default", "delong-t"), false(0.05))


def tables(repetitions: int) -> Iterator[Table]:
    """Each of the tables; those that evaluate whole tables are of a fifth of the repetitions."""
    few = max(repetitions // 5, 1)

    def counted(of: int, once: Callable[[Generator], Mapping[str, bool | Noted]]) -> dict[str, Share]:
        return shares(of, 7, lambda rng, _: once(rng))

    yield Table(
        "95% intervals that hold the AUC",
        {
            f"{m} + {n}, {area}{', few wrong rows' * skewed}": counted(
                repetitions,
                partial(_area, sizes=(m, n), area=area, skewed=skewed),
            )
            for m, n in SIZES
            for area in AREAS
            for skewed in (False, True)
        },
        GOALS,
    )
    yield Table(
        "95% intervals that hold the difference of two AUC, and tests of equal ones with p ≤ .05",
        {
            f"{m} + {n}, {pair[0]} and {pair[1]}": counted(
                repetitions, partial(_areas, sizes=(m, n), areas=pair)
            )
            for m, n in SIZES
            for pair in ((0.8, 0.8), (0.95, 0.95), (0.95, 0.8), (0.99, 0.95))
        },
        GOALS,
    )
    yield Table(
        "95% intervals that hold the AUC where rows of users are alike, and tests of equal ones with p ≤ .05",
        {
            f"{count} users, {area}{', Pareto sizes' * pareto}": counted(
                repetitions,
                partial(_area_by_users, count=count, area=area, pareto=pareto),
            )
            for pareto in (False, True)
            for count in USERS
            for area in (0.75, 0.95)
        },
        GOALS,
    )
    yield Table(
        "95% intervals that hold sums over rows",
        {f"{n} rows": counted(few, partial(_sums_by_rows, count=n)) for n in (25, 50, 200)},
        GOALS,
    )
    yield Table(
        "95% intervals that hold the GAUC",
        {
            f"{count} users{', Pareto sizes' * pareto}": counted(
                few, partial(_gauc, count=count, pareto=pareto)
            )
            for pareto in (False, True)
            for count in USERS
        },
        GOALS,
    )
    yield Table(
        "95% intervals that hold the share of rows that are right",
        {
            f"{n} rows, {share}": counted(few, partial(_rate, count=n, share=share))
            for n in (20, 50, 200)
            for share in (0.8, 0.95, 0.99)
        },
        GOALS,
    )
    yield Table(
        "95% intervals that hold the ECE, and tests of calibration with p ≤ .05",
        {
            f"{n} rows, {name}": counted(few, partial(_ece, count=n, truth=truth, error=_true_error(truth)))
            for name, truth in TRUTHS.items()
            for n in (200, 2_000)
        },
        GOALS,
    )
    yield Table(
        "Slices found to differ from 100 other queries that are alike, at 5%",
        {
            f"{name}, {n} queries": counted(repetitions, partial(_slice, count=n, draw=draw))
            for name, draw in SLICES.items()
            for n in (3, 5, 10, 25, 50)
        },
        SLICED,
    )
    for users in (False, True):
        rows = {
            f"{n} {'users' if users else 'rows'}": counted(few, partial(_slice_of_rows, count=n, users=users))
            for n in (25, 50, 200)
        }
        title = f"Slices found to differ from 300 other {'users' if users else 'rows'} that are alike"
        yield Table(
            title, rows, {f"{each}, {100 * at:g}%": false(at) for each in OF_SLICES for at in (0.05, 0.01)}
        )
    yield Table(
        "Slices whose AUC is found to differ from that of 100 + 100 other rows that are alike, at 5%",
        {
            f"{n} + {n}, {area}": counted(repetitions, partial(_slice_area, size=n, area=area))
            for n in (6, 10, 25, 100)
            for area in (0.8, 0.9, 0.95, 0.99)
        },
        SLICED,
    )
