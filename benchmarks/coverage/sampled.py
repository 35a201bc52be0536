"""Values among all items, estimated of sampled candidates: how far off they are, and what intervals hold.

The truth is that of the users there are: what is drawn anew in each repetition are the users' ranks, and the
sample. In the demo's shop users and ranks are fixed, and only the sample is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

import rankmark as rm
from benchmarks.coverage.shares import Error, Goal, Share, Table, generators
from rankmark.candidates.corrected import METHODS, Correction
from rankmark.commands import shop

Ranks = NDArray[np.int64]
OTHERS, USERS = 10_000, 2_000
DRAWN = (99, 299)
MEASURES = ("HR@10", "nDCG@10")
FACTORS, LOOKED_AT = 16, 1_000
RESAMPLES = 20
MOST = 50
"""Repetitions: standard errors say whether they are enough."""


@dataclass(frozen=True, slots=True)
class Population:
    """Users, by how many others stand above their held-out item."""

    name: str
    draw: Callable[[Generator], Ranks]
    truth: tuple[float, float]
    """HR@10 and nDCG@10."""


def _power(power: float) -> Callable[[Generator], Ranks]:
    """The share of others above is u to a power."""
    return lambda rng: np.floor((OTHERS + 1) * rng.random(USERS) ** power).astype(np.int64)


def _sharp(rng: Generator) -> Ranks:
    """A tenth at the very top, the others anywhere."""
    return np.where(rng.random(USERS) < 0.1, rng.integers(0, 5, USERS), rng.integers(0, OTHERS + 1, USERS))


def _steady(rng: Generator) -> Ranks:
    """Never at the very top, always near it."""
    return rng.integers(20, 200, USERS)


def _true(ranks: Ranks) -> tuple[float, float]:
    top = ranks < 10
    return float(top.mean()), float((top / np.log2(ranks + 2.0)).mean())


def populations() -> list[Population]:
    """One a shape of the distribution."""
    draws = {"u²": _power(2), "u³": _power(3), "alike": _power(1), "sharp": _sharp, "steady": _steady}
    found = []
    for name, draw in draws.items():
        many = np.concatenate([draw(np.random.default_rng([9, number])) for number in range(500)])
        found.append(Population(name, draw, _true(many)))
    return found


@cache
def of_shop() -> dict[str, Ranks]:
    """How many others stand above a held-out item of users of the demo's shop, for two recommenders."""
    tables = shop.simulate()
    user, item = (tables["train"][name] - 1 for name in ("user_id", "item_id"))
    had = csr_array((np.ones(len(user)), (user, item)), shape=(shop.USERS, shop.ITEMS))
    left, weights, right = svds(had, k=FACTORS, random_state=0)
    popular = np.asarray(had.sum(axis=0)).ravel() + np.random.default_rng(0).random(shop.ITEMS) / 2
    bought = tables["qrels"]["relevance"] > 0
    users, first = np.unique(tables["qrels"]["user_id"][bought] - 1, return_index=True)
    held = tables["qrels"]["item_id"][bought][first] - 1
    ranks: dict[str, list[int]] = {"popularity": [], "factors": []}
    for one, wanted in zip(users[:LOOKED_AT], held[:LOOKED_AT], strict=True):
        open_ = np.ones(shop.ITEMS, dtype=bool)
        open_[had[[one], :].indices] = False
        open_[wanted] = False
        for name, scores in (("popularity", popular), ("factors", (left[one] * weights) @ right)):
            ranks[name].append(int((scores[open_] > scores[wanted]).sum()))
    return {name: np.array(each) for name, each in ranks.items()}


def _fixed(ranks: Ranks, _: Generator) -> Ranks:
    return ranks


def _corrected(
    rng: Generator, ranks: Ranks, others: int, drawn: int, method: Correction
) -> tuple[rm.results.CorrectedValue, ...]:
    seen = rng.hypergeometric(ranks, others - ranks, drawn)
    found = rm.correct_sampled(
        seen + 1,
        others + 1,
        drawn,
        MEASURES,
        method=method,
        resamples=RESAMPLES,
        seed=int(rng.integers(2**32)),
    )
    return found.values


def _rows(
    repetitions: int, name: str, draw: Callable[[Generator], Ranks], truth: tuple[float, float], others: int
) -> Iterator[tuple[str, dict[str, Error], dict[str, Share]]]:
    """For each measure and size of the sample how far off estimates are, and how often intervals hold it."""
    for drawn in DRAWN:
        errors: dict[tuple[int, str], list[float]] = {}
        holds: dict[tuple[int, str], list[bool]] = {}
        for number, rng in generators(min(repetitions, MOST), drawn):
            ranks = draw(rng)
            for method in get_args(Correction):
                values = _corrected(np.random.default_rng([number, drawn]), ranks, others, drawn, method)
                for at, (value, true) in enumerate(zip(values, truth, strict=True)):
                    errors.setdefault((at, method), []).append(value.corrected - true)
                    holds.setdefault((at, method), []).append(value.low <= true <= value.high)
                    if method == "mes":
                        errors.setdefault((at, "as sampled"), []).append(value.sampled - true)
                        holds.setdefault((at, "possible"), []).append(value.least <= true <= value.most)
        for at, measure in enumerate(MEASURES):
            yield (
                f"{name}, {measure} {100 * truth[at]:.2f}, {drawn} drawn",
                {way: _error(errors[at, way]) for way in ("as sampled", *METHODS)},
                {
                    way: Share(float(np.mean(holds[at, way])), len(holds[at, way]))
                    for way in (*METHODS, "possible")
                },
            )


def _error(found: list[float]) -> Error:
    errors = np.array(found)
    spread = float(errors.std(ddof=1)) / math.sqrt(len(errors)) if len(errors) > 1 else math.nan
    return Error(float(errors.mean()), spread, float(np.sqrt((errors**2).mean())))


def tables(repetitions: int) -> Iterator[Table]:
    """Bias with its standard error and, in brackets, the root mean squared error; and what intervals hold."""
    found = [
        row for each in populations() for row in _rows(repetitions, each.name, each.draw, each.truth, OTHERS)
    ]
    yield Table("bias of corrected values, in points", {name: errors for name, errors, _ in found})
    goals = {"possible": Goal(0.95, 1.0)}
    yield Table("intervals that hold the value among all", {name: held for name, _, held in found}, goals)
    shown = [
        row
        for name, ranks in of_shop().items()
        for row in _rows(repetitions, f"shop, {name}", partial(_fixed, ranks), _true(ranks), shop.ITEMS - 1)
    ]
    yield Table("bias on the demo's shop, in points", {name: errors for name, errors, _ in shown})
    yield Table("intervals on the demo's shop", {name: held for name, _, held in shown}, goals)
