"""Intervals of how far groups of queries are apart at most, and of how unequal queries are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.coverage.shares import Goal, Table, false, held, shares
from rankmark import statistics

Floats = NDArray[np.float64]
GROUPS: dict[str, tuple[int, ...]] = {
    "2 groups of 50": (50,) * 2,
    "5 groups of 20": (20,) * 5,
    "5 groups of 200": (200,) * 5,
    "20 groups of 30": (30,) * 20,
    "groups of 500, 30 and 30": (500, 30, 30),
}
SPREAD = 0.3
"""By how much of the mean the worst and the best group differ from it."""
QUERIES = (50, 200, 1_000)
RESAMPLES = 1_000


HALF = 0.5
NEARLY = 1e-12


@dataclass(frozen=True, slots=True)
class Values:
    """Values of queries: how so many of a mean are drawn, and the mean."""

    name: str
    draw: Callable[[Generator, float, int], Floats]
    mean: float


def _with_zeros(zeros: float) -> Callable[[Generator, float, int], Floats]:
    """Some of them 0, and the others beta."""

    def draw(rng: Generator, mean: float, count: int) -> Floats:
        own = mean / (1 - zeros)
        return np.where(rng.random(count) < zeros, 0.0, rng.beta(4 * own, 4 * (1 - own), count))

    return draw


def _hits(rng: Generator, mean: float, count: int) -> Floats:
    return (rng.random(count) < mean).astype(float)


HITS, SOME_ZEROS = Values("hits 20%", _hits, 0.2), Values("30% are 0", _with_zeros(0.3), 0.3)
VALUES = (SOME_ZEROS, Values("70% are 0", _with_zeros(0.7), 0.1), HITS)
UNEQUAL = (
    SOME_ZEROS,
    Values("beta(3, 3)", lambda rng, _, count: rng.beta(3, 3, count), 0.5),
    Values("exponential", lambda rng, mean, count: rng.exponential(mean, count), 1.0),
    HITS,
)
SAFE = Goal(held().low, 1.0)
"""What intervals of all pairs together are to hold, or more."""


def _apart(rng: Generator, values: Values, means: Floats, sizes: Sequence[int]) -> dict[str, bool]:
    """Whether the intervals hold the true difference and ratio, and that of the two that are picked alone."""
    groups = [values.draw(rng, mean, size) for mean, size in zip(means.tolist(), sizes, strict=True)]
    seed = int(rng.integers(2**32))
    found = statistics.group_disparity(groups, resamples=RESAMPLES, seed=seed, threads=1)
    difference, ratio = float(np.ptp(means)), float(means.min() / means.max())
    picked = statistics.welch(groups[found.highest], groups[found.lowest])
    result = {
        "difference": _holds(found.low, difference, found.high),
        "ratio": _holds(found.ratio_low, ratio, found.ratio_high),
        "Welch's t of the two": _holds(picked.low, difference, picked.high),
    }
    return result if difference else result | {"p ≤ .05": found.p <= 0.05}


def _unequal(rng: Generator, values: Values, count: int, truth: tuple[float, float]) -> dict[str, bool]:
    """Whether the intervals hold the true shares."""
    own = values.draw(rng, values.mean, count)
    made = statistics.gini_interval(own), statistics.low_share_interval(own, HALF)
    names = "Gini", "lower half"
    return {
        name: _holds(each.low, true, each.high) for name, each, true in zip(names, made, truth, strict=True)
    }


def _holds(low: float, true: float, high: float) -> bool:
    """Whether an interval does, to rounding, or there is none."""
    return not low > true + NEARLY and not high < true - NEARLY


def tables(repetitions: int) -> Iterator[Table]:
    """How often intervals hold the largest difference and the ratio between groups, and Gini."""
    goals = {"difference": SAFE, "ratio": SAFE, "p ≤ .05": false(0.05)}
    for title, spread in (("groups that are alike", 0.0), ("groups that differ", SPREAD)):
        rows = {
            f"{values.name}, {called}": shares(
                repetitions,
                len(sizes),
                partial(_once, values=values, spread=spread, sizes=sizes),
            )
            for values in VALUES
            for called, sizes in GROUPS.items()
        }
        yield Table(f"largest difference and ratio of {title}", rows, goals)
    rows = {}
    for values in UNEQUAL:
        many = values.draw(np.random.default_rng(0), values.mean, 2_000_000)
        truth = statistics.gini(many), statistics.low_share(many, HALF)
        for count in QUERIES:
            once = partial(_once_unequal, values=values, count=count, truth=truth)
            rows[f"{values.name}, {count:,} queries"] = shares(repetitions, count, once)
    yield Table("Gini and the share of the lower half", rows, {"Gini": held(), "lower half": SAFE})


def _once(rng: Generator, _: int, *, values: Values, spread: float, sizes: Sequence[int]) -> dict[str, bool]:
    return _apart(rng, values, values.mean * (1 + spread * np.linspace(-1, 1, len(sizes))), sizes)


def _once_unequal(
    rng: Generator, _: int, *, values: Values, count: int, truth: tuple[float, float]
) -> dict[str, bool]:
    return _unequal(rng, values, count, truth)
