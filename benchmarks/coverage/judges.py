"""Values by labels of people on some queries and of a judge on all: intervals, and how wide they are.

Queries have 30 items with grades of 0 to 3, which a system ranks by its scores. The judge gives the same
grade in a share κ of items and else one drawn from all grades, so that κ is Cohen's. A repetition draws 1,000
queries, of which people label the first few. All repetitions are computed at once, by `estimates`, which a
test holds to be `statistics.prediction_powered_mean` of each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from benchmarks.coverage.shares import AtMost, Ratio, Share, Table, held
from rankmark.judges.sampled import FEW_DIFFERING
from rankmark.statistics import wilson_interval
from rankmark.statistics.prediction_powered import FEWEST_DIFFERING

Floats = NDArray[np.float64]
KAPPAS = (0.3, 0.6, 0.9)
LABELLED = (30, 100, 300)
MEASURES = ("nDCG@10", "P@10", "AP", "RR")
QUERIES, ITEMS, POPULATION = 1_000, 30, 100_000
SYSTEMS = {"good": ((0.8, 2.5), (2.0, 2.0), 2.5), "poor": ((0.6, 9.0), (1.0, 2.0), 1.5)}
"""Of a system: beta of queries' shares of relevant items, and of its skill on them, times so much."""
RATES, KAPPAS_OF_HITS = (0.03, 0.05, 0.1, 0.15, 0.85), (0.3, 0.6, 0.9, 1.0)
"""The shares of queries whose value is 1 where all are 0 or 1, and the judges of these."""
SUMS, DRAWN = ("P@10", "DCG@10"), (0.2, 0.5)
"""Measures that are sums over items, and the chance with which people label an item."""
AT_ONCE = 500
"""Repetitions that fit into memory."""


@cache
def population(system: str, kappa: float) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """The values of many queries by labels of people and of the judge."""
    people, judge = lists(system, kappa)
    return values(people), values(judge)


@cache
def lists(system: str, kappa: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lists of many queries, a row each: grades by people and by the judge, in the system's order."""
    rng = np.random.default_rng(round(10 * kappa))
    rich, skilled, most = SYSTEMS[system]
    shares, skill = rng.beta(*rich, POPULATION), rng.beta(*skilled, POPULATION) * most
    relevant = rng.random((POPULATION, ITEMS)) < shares[:, None]
    grades = np.where(relevant, 1 + rng.choice(3, relevant.shape, p=[0.5, 0.3, 0.2]), 0)
    scores = 0.6 * grades * skill[:, None] + rng.normal(size=grades.shape)
    people = np.take_along_axis(grades, np.argsort(-scores, axis=1), 1)
    drawn = rng.choice(4, people.shape, p=np.bincount(people.ravel(), minlength=4) / people.size)
    return people, np.where(rng.random(people.shape) < kappa, people, drawn)


def values(grades: NDArray[np.int64]) -> dict[str, Floats]:
    """The measures of lists of grades, a list a row."""
    discounts = 1 / np.log2(np.arange(2, 12))
    ideal = -np.sort(-grades, axis=1)[:, :10] @ discounts
    relevant = grades > 0
    count = relevant.sum(axis=1)
    precision = np.cumsum(relevant, axis=1) / np.arange(1, grades.shape[1] + 1)
    first = np.where(count > 0, relevant.argmax(axis=1) + 1.0, math.inf)
    return {
        "nDCG@10": _by(grades[:, :10] @ discounts, ideal),
        "P@10": relevant[:, :10].mean(axis=1),
        "AP": _by((precision * relevant).sum(axis=1), count),
        "RR": 1 / first,
    }


def _by(above: Floats, below: NDArray[np.number]) -> Floats:
    return np.asarray(np.divide(above, below, out=np.zeros(len(above)), where=below > 0))


class Estimates(NamedTuple):
    """An estimate of each repetition."""

    value: Floats
    low: Floats
    high: Floats


def estimates(y: Floats, f: Floats, others: Floats, *, tuned: bool = True) -> Estimates:
    """`prediction_powered_mean` of each row; without predictions where it is not tuned."""
    value, alone = _value_and_reach(y, f, others, tuned=False)
    reach, few = alone, _differing(y) < FEWEST_DIFFERING
    if tuned:
        value, reach = _value_and_reach(y, f, others, tuned=True)
        reach = np.where(few, alone, np.minimum(reach, 1.02 * alone))
    low, high = value - reach, value + reach
    if np.isin(y, (0, 1)).all():
        hits = np.where(few, y.sum(axis=1), -1)
        for count in np.unique(hits[few]):
            these = hits == count
            ends = wilson_interval(np.arange(y.shape[1]) < count)
            low[these], high[these] = np.fmin(ends.low, value[these]), np.fmax(ends.high, value[these])
    return Estimates(value, low, high)


def _differing(y: Floats) -> NDArray[np.int64]:
    """How many values of each row are not its most frequent one."""
    sets = np.sort(y, axis=1)
    longest = run = np.ones(len(y), dtype=np.int64)
    for place in range(1, y.shape[1]):
        run = np.where(sets[:, place] == sets[:, place - 1], run + 1, 1)
        longest = np.maximum(longest, run)
    return np.asarray(y.shape[1] - longest)


def _value_and_reach(y: Floats, f: Floats, others: Floats, *, tuned: bool) -> tuple[Floats, Floats]:
    n, m = y.shape[1], others.shape[1]
    dy, df = y - y.mean(axis=1, keepdims=True), f - f.mean(axis=1, keepdims=True)
    products = dy * dy, dy * df, df * df
    sums = [each.sum(axis=1, keepdims=True) for each in products]
    left = [total - each * n / (n - 1) for total, each in zip(sums, products, strict=True)]
    for place in (0, 2):
        left[place][left[place] <= 1e-12 * sums[place]] = 0
    slope, share = _slope(sums, n)
    left_slope, _ = _slope(left, n - 1)
    most = tuned * m / (n + m)
    ahead = (others.mean(axis=1) - f.mean(axis=1))[:, None]
    whole = y.mean(axis=1, keepdims=True) + most * slope * ahead
    without = y.mean(axis=1, keepdims=True) - dy / (n - 1) + most * left_slope * (ahead + df / (n - 1))
    moves = (1 - 1 / n) * (whole - without)
    value = y.mean(axis=1) + (most * left_slope * (ahead - df)).mean(axis=1)
    own = n / (n - 1) * (moves**2).sum(axis=1)
    rest = (most * slope[:, 0]) ** 2 * np.concatenate([f, others], axis=1).var(axis=1, ddof=1) / m
    total = np.maximum(own + rest, 1e-60)
    parts = (own / total) ** 2 / (n - 1 - tuned * share[:, 0]) + (rest / total) ** 2 / (m - 1)
    freedom = 1 / np.maximum(parts, 1e-9)
    moves -= moves.mean(axis=1, keepdims=True)
    squares = (moves**2).sum(axis=1)
    skewness = (moves**3).sum(axis=1) / total**1.5
    excess = ((moves**4).sum(axis=1) - 3 * squares**2 / n) / total**2
    z, t = ndtri(0.975), stdtrit(freedom, 0.975)
    longer = z * (skewness**2 * (z**4 + 2 * z**2 - 3) - 1.5 * excess * (z**2 - 3)) / 18
    return value, (t + np.clip(longer, 0, 0.15 * t)) * np.sqrt(own + rest)


def _slope(sums: Sequence[Floats], n: int) -> tuple[Floats, Floats]:
    yy, yf, ff = sums
    there = (ff > 0) & (yf > 0) & (yy > 0)
    slope = np.divide(yf, ff, out=np.zeros_like(yf), where=there)
    squared = np.divide(yf**2, ff * yy, out=np.zeros_like(yf), where=there).clip(0, 1)
    share = (n - 2) * squared / (1 + (n - 3) * squared)
    return slope * share, share


def plugged_in(y: Floats, f: Floats, others: Floats) -> Estimates:
    """PPI++ of each row."""
    n, m = y.shape[1], others.shape[1]
    covariance = ((y - y.mean(axis=1, keepdims=True)) * (f - f.mean(axis=1, keepdims=True))).mean(axis=1)
    spread = (1 + n / m) * np.concatenate([f, others], axis=1).var(axis=1, ddof=1)
    power = np.clip(covariance / spread, 0, 1)[:, None]
    value = y.mean(axis=1) + power[:, 0] * (others.mean(axis=1) - f.mean(axis=1))
    reach = ndtri(0.975) * np.sqrt((y - power * f).var(axis=1) / n + (power * others).var(axis=1) / m)
    return Estimates(value, value - reach, value + reach)


def students(y: Floats) -> Estimates:
    """Student's interval of each row."""
    value, n = y.mean(axis=1), y.shape[1]
    reach = stdtrit(n - 1, 0.975) * y.std(axis=1, ddof=1) / math.sqrt(n)
    return Estimates(value, value - reach, value + reach)


def cell(
    system: str, kappa: float, measure: str, labelled: int, repetitions: int
) -> tuple[dict[str, Share], dict[str, Ratio]]:
    """How often intervals hold the mean, and how wide they are beside Student's t of people alone."""
    people, judge = (of[measure] for of in population(system, kappa))
    rng, truth = np.random.default_rng(labelled), float(people.mean())
    found: dict[str, list[Estimates]] = {}
    for first in range(0, repetitions, AT_ONCE):
        drawn = rng.integers(0, POPULATION, (min(AT_ONCE, repetitions - first), QUERIES))
        for way, own in _every_way(people[drawn[:, :labelled]], judge[drawn]).items():
            found.setdefault(way, []).append(own)
    return _told(found, truth)


def cell_of_hits(
    rate: float, kappa: float, labelled: int, repetitions: int
) -> tuple[dict[str, Share], dict[str, Ratio]]:
    """The same of values that are 1 at this rate, as those of HR are, and else 0."""
    rng = np.random.default_rng([round(100 * rate), round(10 * kappa), labelled])
    found: dict[str, list[Estimates]] = {}
    for first in range(0, repetitions, AT_ONCE):
        shape = min(AT_ONCE, repetitions - first), QUERIES
        people, others = ((rng.random(shape) < rate).astype(float) for _ in range(2))
        judge = np.where(rng.random(shape) < kappa, people, others)
        for way, own in _every_way(people[:, :labelled], judge).items():
            found.setdefault(way, []).append(own)
    return _told(found, rate)


def _every_way(y: Floats, judge: Floats) -> dict[str, Estimates]:
    """The estimates by labels of people of the first queries and of the judge of all."""
    f, others = judge[:, : y.shape[1]], judge[:, y.shape[1] :]
    return {
        "default": estimates(y, f, others),
        "people alone": estimates(y, f, others, tuned=False),
        "PPI++": plugged_in(y, f, others),
        "judge alone": students(judge),
        "t": students(y),
    }


def _told(
    found: Mapping[str, Sequence[Estimates]], truth: float
) -> tuple[dict[str, Share], dict[str, Ratio]]:
    """How often intervals hold the truth, how wide they are, and how far the estimate is off."""
    repetitions = sum(len(own.value) for own in found["default"])
    all_of = {way: Estimates(*map(np.concatenate, zip(*own, strict=True))) for way, own in found.items()}
    held_by = {way: (own.low <= truth) & (truth <= own.high) for way, own in all_of.items()}
    shares = {way: Share(float(own.mean()), repetitions) for way, own in held_by.items() if way != "t"}
    widths = {way: own.high - own.low for way, own in all_of.items()}
    errors = all_of["default"].value - truth
    ratios = {
        "default by people alone": _ratio(widths["default"], widths["people alone"]),
        "default by t of people": _ratio(widths["default"], widths["t"]),
        "bias": Ratio(float(errors.mean() / errors.std()), 1 / math.sqrt(repetitions)),
    }
    return shares, ratios


def cell_of_items(
    system: str, kappa: float, measure: str, share: float, repetitions: int
) -> tuple[dict[str, Share], dict[str, Ratio]]:
    """The same where people labelled a share of the items of 30 queries, each by chance."""
    adds = [_adds(each[:, :10], measure) for each in lists(system, kappa)]
    truth, rng = float(adds[0].sum(axis=1).mean()), np.random.default_rng(round(100 * share))
    found: dict[str, list[Estimates]] = {}
    few: list[NDArray[np.bool_]] = []
    for first in range(0, repetitions, AT_ONCE):
        drawn = rng.integers(0, POPULATION, (min(AT_ONCE, repetitions - first), QUERIES))
        judge = adds[1].sum(axis=1)[drawn]
        own = drawn[:, :ITEMS]
        labelled = rng.random((*own.shape, 10)) < share
        y, f = adds[0][own], adds[1][own]
        both = (f + labelled * (y - f) / share).sum(axis=2)
        alone = (labelled * y / share).sum(axis=2)
        few.append((labelled & (y != f)).sum(axis=(1, 2)) < FEW_DIFFERING)
        for way, each in {
            "default": estimates(both, judge[:, :ITEMS], judge[:, ITEMS:]),
            "people alone": estimates(alone, judge[:, :ITEMS], judge[:, ITEMS:], tuned=False),
        }.items():
            found.setdefault(way, []).append(each)
    all_of = {way: Estimates(*map(np.concatenate, zip(*own, strict=True))) for way, own in found.items()}
    noted = {"default": float(np.concatenate(few).mean())}
    shares = {
        way: Share(float(((own.low <= truth) & (truth <= own.high)).mean()), repetitions, noted.get(way, 0.0))
        for way, own in all_of.items()
    }
    errors = all_of["default"].value - truth
    widths = [all_of[way].high - all_of[way].low for way in all_of]
    bias = Ratio(float(errors.mean() / errors.std()), 1 / math.sqrt(repetitions))
    return shares, {"default by people alone": _ratio(*widths), "bias": bias}


def _adds(grades: NDArray[np.int64], measure: str) -> Floats:
    """What each item adds to its list."""
    if measure == "P@10":
        return np.asarray((grades > 0) / 10)
    return np.asarray(grades / np.log2(np.arange(2, 12)))


def _ratio(widths: Floats, others: Floats) -> Ratio:
    """The mean of one by that of the other, with the standard error of this ratio."""
    ratio = float(widths.mean() / others.mean())
    left = widths - ratio * others
    return Ratio(ratio, float(left.std() / math.sqrt(len(left)) / others.mean()))


def tables(repetitions: int) -> Iterator[Table]:
    """The tables of judges."""
    yield from _tables_of_queries(repetitions)
    yield from _tables_of_hits(repetitions)
    held_by, wide = {}, {}
    for system in SYSTEMS:
        for kappa in KAPPAS:
            for share in DRAWN:
                for measure in SUMS:
                    name = f"a {system} system, κ {kappa}, {100 * share:.0f}% of items, {measure}"
                    held_by[name], wide[name] = cell_of_items(system, kappa, measure, share, repetitions)
    yield Table("Labels of some items of 30 queries: 95% intervals", held_by, {"default": held()})
    yield Table(
        "Labels of some items of 30 queries: widths, and the bias in standard errors",
        wide,
        {"default by people alone": AtMost(1.02)},
    )


def _tables_of_queries(repetitions: int) -> Iterator[Table]:
    for system in SYSTEMS:
        held_by, wide = {}, {}
        for kappa in KAPPAS:
            for labelled in LABELLED:
                for measure in MEASURES:
                    name = f"κ {kappa}, {labelled} queries, {measure}"
                    held_by[name], wide[name] = cell(system, kappa, measure, labelled, repetitions)
        title = f"A {system} system: 95% intervals that hold its mean"
        yield Table(title, held_by, {"default": held()})
        title = f"A {system} system: how wide intervals are, and the bias in standard errors"
        goal = AtMost(1.02)
        yield Table(title, wide, {"default by people alone": goal, "default by t of people": goal})


def _tables_of_hits(repetitions: int) -> Iterator[Table]:
    held_by, wide = {}, {}
    for rate in RATES:
        for kappa in KAPPAS_OF_HITS:
            for labelled in LABELLED[:2]:
                name = f"{100 * rate:.0f}% hits, κ {kappa}, {labelled} queries"
                held_by[name], wide[name] = cell_of_hits(rate, kappa, labelled, repetitions)
    yield Table("Values of 0 and 1: 95% intervals that hold their mean", held_by, {"default": held()})
    title = "Values of 0 and 1: how wide intervals are, and the bias in standard errors"
    yield Table(title, wide, {"default by people alone": AtMost(1.02)})
