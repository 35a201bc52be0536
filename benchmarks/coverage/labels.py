"""How far a judge agrees with people, item by item, and how many labels a wanted width takes.

Labels are those of `judges`, 10 items a query. Of half of the queries the judge knows less, so that items of
a query depend on each other. For what is planned a repetition draws 1,000 queries, of which people label 30,
and then those that the plan names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage import judges
from benchmarks.coverage.shares import AtMost, Ratio, Share, Table, held
from rankmark.judges.planning import Planning, Wish, by_value
from rankmark.statistics import (
    AgreementCoefficient,
    cohens_kappa,
    gwets_ac,
    krippendorffs_alpha,
    observed_agreement,
    prediction_powered_strata,
)

COEFFICIENTS: dict[str, Callable[..., AgreementCoefficient]] = {
    "observed": observed_agreement,
    "kappa": lambda both, **how: cohens_kappa(both[:, 0], both[:, 1], **how),
    "quadratic kappa": lambda both, **how: cohens_kappa(both[:, 0], both[:, 1], cost="quadratic", **how),
    "ordinal alpha": lambda both, **how: krippendorffs_alpha(both, level="ordinal", **how),
    "AC1": gwets_ac,
}
AGREED = (0.3, 0.6, 0.9)
QUERIES = (15, 30, 100)
ITEMS, PILOT, SHARPER = 10, 30, (0.9, 0.7)


@cache
def labels(kappa: float) -> NDArray[np.int64]:
    """Grades by people and by a judge, [queries, items, 2]."""
    people = judges.lists("good", kappa)[0][:, :ITEMS]
    rng = np.random.default_rng(round(100 * kappa))
    drawn = rng.choice(4, people.shape, p=np.bincount(people.ravel(), minlength=4) / people.size)
    knows = np.where(rng.random(len(people)) < 0.5, kappa, kappa / 2)[:, None]
    return np.stack([people, np.where(rng.random(people.shape) < knows, people, drawn)], axis=2)


def agreed(kappa: float, queries: int, repetitions: int) -> dict[str, Share]:
    """How often intervals hold what all queries agree by."""
    every, rng = labels(kappa), np.random.default_rng(queries)
    found: dict[str, list[bool]] = {}
    truth = {name: made(every.reshape(-1, 2)).value for name, made in COEFFICIENTS.items()}
    clusters = np.repeat(np.arange(queries), ITEMS)
    for _ in range(repetitions):
        both = every[rng.integers(0, len(every), queries)].reshape(-1, 2)
        for name, made in COEFFICIENTS.items():
            own = made(both, clusters=clusters)
            found.setdefault(name, []).append(own.low <= truth[name] <= own.high)
        one = cohens_kappa(both[:, 0], both[:, 1])
        found.setdefault("kappa, items alone", []).append(one.low <= truth["kappa"] <= one.high)
    return {name: Share(float(np.mean(own)), repetitions) for name, own in found.items()}


def planned(kappa: float, measure: str, sharper: float, repetitions: int) -> tuple[Any, Any]:
    """What comes of labelling as many queries as a width takes, that of 30 of them times so much."""
    people, judge = (of[measure] for of in judges.population("good", kappa))
    rng, truth = np.random.default_rng(round(10 * sharper)), float(people.mean())
    widths, right, counts = [], [], []
    for repetition in range(repetitions):
        drawn = rng.integers(0, len(people), judges.QUERIES)
        y, f, labelled = people[drawn], judge[drawn], np.arange(judges.QUERIES) < PILOT
        parts = by_value(f, 2)
        planning = Planning.of(y[labelled], f, labelled, parts, 0.95, finite=False)
        wanted = sharper * planning.width(planning.known)
        needed = planning.needed(Wish(wanted, None, 0.8, 0.95))
        counted = planning.allocated(judges.QUERIES - PILOT if needed is None else needed)
        frame = planning.frame(range(judges.QUERIES), counted, repetition)
        chosen = labelled | frame["next"].is_not_null().to_numpy()
        strata = [(y[own[chosen[own]]], f[own[chosen[own]]], f[own[~chosen[own]]]) for own in parts.values()]
        found = prediction_powered_strata(strata)
        if needed is not None:
            widths.append((found.high - found.low) / wanted)
        right.append(found.low <= truth <= found.high)
        counts.append(int(counted.sum()))
    share = {"interval afterwards": Share(float(np.mean(right)), repetitions)}
    by = float(np.mean(widths)), float(np.std(widths) / math.sqrt(len(widths)))
    of = float(np.mean(counts)), float(np.std(counts) / math.sqrt(repetitions))
    return share, {"width by that wanted": Ratio(*by), "queries labelled": Ratio(*of)}


def tables(repetitions: int) -> Iterator[Table]:
    """The tables of labels."""
    rows = {
        f"κ {kappa}, {queries} queries": agreed(kappa, queries, repetitions)
        for kappa in AGREED
        for queries in QUERIES
    }
    yield Table("Agreement of judge and people: 95% intervals", rows, {name: held() for name in COEFFICIENTS})
    right, wide = {}, {}
    for kappa in AGREED:
        for measure in ("nDCG@10", "P@10"):
            for sharper in SHARPER:
                name = f"κ {kappa}, {measure}, {sharper} of the width of {PILOT}"
                right[name], wide[name] = planned(kappa, measure, sharper, repetitions)
    yield Table("Labels that were planned: 95% intervals", right, {"interval afterwards": held()})
    goal = {"width by that wanted": AtMost(1.05)}
    yield Table("Labels that were planned: the width that came of them", wide, goal)
