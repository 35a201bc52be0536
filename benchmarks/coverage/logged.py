"""Logs of a shop whose truth is known: what intervals hold, how biased estimates are, what is said of them.

Customers of several kinds are shown one item, or a list of three, by a policy that is logged; another policy
is evaluated. Where overlap is good, both show much the same; where it is poor, the log seldom shows what the
new one nearly always does; where it is broken, the log never shows some of it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

import rankmark as rm
from benchmarks.coverage.shares import Goal, Noted, Share, Table, generators, held

Floats = NDArray[np.float64]
KINDS, ITEMS = 10, 20
SIZES = (300, 3_000, 30_000)
SINGLE = ("IPS", "SNIPS", "IPS(clip=10)", "DM", "DR", "SNDR", "SwitchDR(threshold=10)", "DRos(shrinkage=100)")
LISTS = ("IPS", "SNIPS", "RIPS", "SNRIPS", "IIPS", "SNIIPS", "PI", "SNPI")
CLIPPED = ("IPS(clip=3)", "IPS(clip=10)", "IPS(clip=100)")
BERNSTEIN: dict[str, Any] = {"interval": "bernstein", "reward_range": (0, 1)}
CHOICES, POSITIONS = 4, 3


@dataclass(frozen=True, slots=True)
class Shop:
    """Chances of a click, and of items to be shown, by kind of customer.

    Attributes:
        name: what is told of it.
        clicks: of each kind on each item.
        old: the policy that is logged.
        new: the one that is evaluated.

    """

    name: str
    clicks: Floats
    old: Floats
    new: Floats

    @property
    def truth(self) -> float:
        """What the new policy earns."""
        return float((self.new * self.clicks).sum(axis=1).mean())

    def log(self, rng: Generator, count: int) -> dict[str, Any]:
        """So many impressions, with a model that knows items, and not kinds of customers."""
        kinds = rng.integers(0, KINDS, count)
        shown = (rng.random((count, 1)) < self.old.cumsum(axis=1)[kinds]).argmax(axis=1)
        model = self.clicks.mean(axis=0)
        return {
            "reward": (rng.random(count) < self.clicks[kinds, shown]).astype(np.float64),
            "propensity": self.old[kinds, shown],
            "new": self.new[kinds, shown],
            "predicted": model[shown],
            "expected": (self.new @ model)[kinds],
        }


def _normalised(weights: Floats) -> Floats:
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def shops() -> list[Shop]:
    """One a kind of overlap; clicks are rare, and differ by kind of customer."""
    rng = np.random.default_rng(19)
    clicks = rng.beta(1, 9, (KINDS, ITEMS))
    logged = np.log(clicks) + rng.normal(size=clicks.shape)
    near = _normalised(np.exp(0.5 * logged)) * 0.7 + 0.3 / ITEMS
    new = _normalised(clicks**2) * 0.9 + 0.1 / ITEMS
    far = np.full(clicks.shape, 0.05 / ITEMS)
    far[np.arange(KINDS), clicks.argmin(axis=1)] += 0.95
    never = near * (rng.random(clicks.shape) < 0.7)
    return [
        Shop("good overlap", clicks, near, new),
        Shop("poor overlap", clicks, far, new),
        Shop("broken overlap", clicks, _normalised(never), new),
    ]


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists of three of four items, each position drawn by itself, and users who go down to a first click.

    Attributes:
        name: what is told of it.
        attraction: the chance of a click on each item that is looked at.
        old: the policy that is logged, a row a position.
        new: the one that is evaluated.
        cascade: whether a click ends the list, so that clicks depend on the items above.

    """

    name: str
    attraction: Floats
    old: Floats
    new: Floats
    cascade: bool

    def _looked(self, shown: NDArray[np.int64]) -> Floats:
        """The chance that each position is looked at."""
        if not self.cascade:
            return np.broadcast_to(0.7 ** np.arange(POSITIONS), shown.shape)
        left = np.cumprod(1 - self.attraction[shown], axis=1)
        return np.column_stack([np.ones(len(shown)), left[:, :-1]])

    @property
    def truth(self) -> float:
        """What the new policy earns, over all lists."""
        shown = np.array(list(itertools.product(range(CHOICES), repeat=POSITIONS)))
        chance = np.prod([self.new[k, shown[:, k]] for k in range(POSITIONS)], axis=0)
        return float(chance @ (self._looked(shown) * self.attraction[shown]).sum(axis=1))

    def log(self, rng: Generator, count: int) -> dict[str, Any]:
        """So many impressions."""
        draws = rng.random((count, POSITIONS, 1))
        shown = (draws < self.old.cumsum(axis=1)).argmax(axis=2)
        clicks = rng.random(shown.shape) < self.attraction[shown]
        looked = rng.random(shown.shape) < 0.7 ** np.arange(POSITIONS)
        if self.cascade:
            looked = np.cumsum(clicks, axis=1) - clicks == 0
        places = np.arange(POSITIONS)
        return {
            "impression": np.repeat(np.arange(count), POSITIONS),
            "position": np.tile(places + 1, count),
            "reward": (clicks & looked).ravel().astype(np.float64),
            "propensity": self.old[places, shown].ravel(),
            "new": self.new[places, shown].ravel(),
        }


def lists() -> list[Lists]:
    """Users who click by item and position alone, and users who stop at a click."""
    rng = np.random.default_rng(20)
    attraction = np.array([0.1, 0.5, 0.3, 0.6])
    old = rng.dirichlet(np.full(CHOICES, 4.0), POSITIONS) * 0.8 + 0.2 / CHOICES
    new = np.full((POSITIONS, CHOICES), 0.1)
    new[np.arange(POSITIONS), [3, 1, 2]] = 0.7
    return [
        Lists("clicks by position", attraction, old, new, cascade=False),
        Lists("clicks end lists", attraction, old, new, cascade=True),
    ]


@dataclass(slots=True)
class _Tried:
    """What repetitions gave of one estimator.

    Attributes:
        errors: by how much each estimate is off, in shares of the truth.
        found: whether each interval holds the truth; those that are refused are not in it.
        spoken: whether anything speaks against each.
        refused: whether there was no interval.

    """

    errors: list[float] = field(default_factory=list)
    found: list[Noted] = field(default_factory=list)
    spoken: list[bool] = field(default_factory=list)
    refused: list[bool] = field(default_factory=list)

    def held(self) -> Share | None:
        """How often the truth was held, of the intervals that were not refused."""
        return _share([each.so for each in self.found], [each.note for each in self.found])

    def bias(self) -> str:
        """The mean error in per cent of the truth, ± its Monte-Carlo standard error."""
        errors = 100 * np.array(self.errors)
        return f"{errors.mean():+.1f} ± {errors.std(ddof=1) / math.sqrt(len(errors)):.1f}"


def _share(found: list[bool], notes: list[bool]) -> Share | None:
    if not found:
        return None
    return Share(sum(found) / len(found), len(found), sum(notes) / len(notes))


@dataclass(frozen=True, slots=True)
class Biases:
    """Figures of each estimator that have no goal, such as its bias.

    Attributes:
        title: what of.
        rows: of each population, that of each estimator.

    """

    title: str
    rows: Mapping[str, Mapping[str, str]]
    judged = 0

    def missed(self) -> tuple[()]:
        """Nothing."""
        return ()

    def __str__(self) -> str:
        """As Markdown, in per cent of the truth."""
        columns = list(dict.fromkeys(name for row in self.rows.values() for name in row))
        lines = [
            f"#### {self.title}",
            "",
            f"| | {' | '.join(columns)} |",
            "| --- |" + " ---: |" * len(columns),
        ]
        lines += [f"| {name} | {' | '.join(row.values())} |" for name, row in self.rows.items()]
        return "\n".join(lines) + "\n"


def _tried(
    shop: Shop | Lists, estimators: tuple[str, ...], count: int, repetitions: int, how: Mapping[str, Any]
) -> dict[str, _Tried]:
    tried = {name: _Tried() for name in estimators}
    for _, rng in generators(repetitions, count):
        result = rm.evaluate_logged(shop.log(rng, count), "new", estimators, **how)
        for name, each in tried.items():
            row = result["new", name]
            refused = math.isnan(row.low)
            each.errors.append(row.value / shop.truth - 1)
            each.spoken.append(bool(row.cautions))
            each.refused.append(refused)
            if not refused:
                each.found.append(Noted(row.low <= shop.truth <= row.high, bool(row.cautions)))
    return tried


def tables(repetitions: int) -> Iterator[Table | Biases]:
    """How often intervals hold what a policy earns, what speaks against them, and what bias there is."""
    populations: list[tuple[str, list[Any], tuple[str, ...], dict[str, Any]]] = [
        ("single items", shops(), SINGLE, {"expected": "expected"}),
        ("lists of three", lists(), LISTS, {"chances": "independent"}),
    ]
    for title, each, estimators, how in populations:
        tried = {
            f"{shop.name}, {count:,} impressions": _tried(shop, estimators, count, repetitions, how)
            for shop in each
            for count in SIZES
        }
        goals: dict[str, Goal] = {name: held() for name in estimators}
        yield Table(f"95% intervals of {title} that hold the truth", _shares(tried, _Tried.held), goals)
        yield Table(
            f"{title}: something speaks against the estimate",
            _shares(tried, lambda one: _share(one.spoken, one.spoken)),
        )
        yield Table(f"{title}: no interval", _shares(tried, lambda one: _share(one.refused, one.refused)))
        biases = {
            name: {estimator: one.bias() for estimator, one in row.items()} for name, row in tried.items()
        }
        yield Biases(f"{title}: bias in per cent of the truth", biases)
    yield from _safe(repetitions)


def _safe(repetitions: int) -> Iterator[Table | Biases]:
    """Intervals that hold for any number of impressions, and count what clipping takes away; their width."""
    held_by: dict[str, dict[str, Share]] = {}
    widths: dict[str, dict[str, str]] = {}
    for shop, count in itertools.product(shops(), SIZES):
        found: dict[str, list[bool]] = {name: [] for name in CLIPPED}
        wide: dict[str, list[float]] = {name: [] for name in CLIPPED}
        for _, rng in generators(repetitions, count):
            result = rm.evaluate_logged(shop.log(rng, count), "new", CLIPPED, **BERNSTEIN)
            for name in CLIPPED:
                row = result["new", name]
                found[name].append(row.low <= shop.truth <= row.high)
                wide[name].append((row.high - row.low) / shop.truth)
        of = f"{shop.name}, {count:,} impressions"
        held_by[of] = {name: Share(sum(each) / len(each), len(each)) for name, each in found.items()}
        widths[of] = {name: f"{100 * np.mean(each):,.0f}" for name, each in wide.items()}
    goals = dict.fromkeys(CLIPPED, Goal(held().low, 1.0))
    yield Table("95% empirical Bernstein intervals that hold the truth", held_by, goals)
    yield Biases("their mean width in per cent of the truth", widths)


def _shares(tried: Mapping[str, Mapping[str, _Tried]], share: Any) -> dict[str, dict[str, Share]]:
    """A share of each, where there is one."""
    return {
        name: {estimator: found for estimator, one in row.items() if (found := share(one)) is not None}
        for name, row in tried.items()
    }
