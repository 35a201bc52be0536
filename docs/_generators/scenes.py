"""Simple data in which one thing changes, and what measures come to on the way: what they reward."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Any, TypeVar

import numpy as np

import rankmark as rm
from rankmark.errors import RankmarkError
from rankmark.figures.marks import Floats
from rankmark.language.coefficient import coefficient_pages
from rankmark.language.definition import Definition
from rankmark.language.registry import Page, pages

T = TypeVar("T")

LONG = 20
"""Items of a list."""
TOP = 10
"""Items of a list of recommendations."""
USERS = 12
EACH = 41
"""Rows of each label."""

Values = Mapping[str, Sequence[float]]
"""A value of each measure at each place."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """What changes, and the values on the way.

    Attributes:
        scene: the words above all curves that stand in one picture.
        across: what changes.
        name: what else holds.
        x: where.
        values: of each measure, there.
        wide: whether x is on a log scale.

    """

    scene: str
    across: str
    name: str
    x: Floats
    values: Values
    wide: bool = False

    def of(self, measure: str) -> Floats:
        """The values of one measure; NaN where it has none, or does not see such data."""
        return np.array(self.values.get(measure, [math.nan] * len(self.x)), np.float64)


def curves_of(known: Definition) -> Iterator[Curve]:
    """The curves on which a measure's values, or a coefficient's, change, each another than those before."""
    shown: list[Curve] = []
    for curve in _curves_for(known):
        values = curve.of(known.name)
        found = values[np.isfinite(values)]
        is_new = not any(_alike(curve, each, known.name) for each in shown)
        if len(found) > 1 and np.ptp(found) > 1e-9 and is_new:
            shown.append(curve)
            yield curve


def _alike(one: Curve, other: Curve, measure: str) -> bool:
    """Whether two curves of a measure are one."""
    if one.scene != other.scene or len(one.x) != len(other.x):
        return False
    return np.allclose(one.of(measure), other.of(measure), equal_nan=True)


def _curves_for(known: Definition) -> Sequence[Curve]:
    if not isinstance(known, Page):
        return of_coefficients()
    if known.kind == "item":
        measure = rm.parse(known.name)
        if measure.of_samples:
            return of_samples()
        return of_aspects() if measure.of_aspects else of_items()
    numbers = known.labels == "numbers"
    return {"list": of_lists, "row": of_numbers if numbers else of_rows, "class": of_classes}[known.kind]()


def _measures(*kinds: str) -> list[str]:
    return [name for name, known in pages().items() if known.kind in kinds]


def _along(
    places: Iterable[T], names: Sequence[str], evaluate: Callable[[T, Sequence[str]], Mapping[str, float]]
) -> Values:
    """The value of each measure at each place; NaN from where one refuses the data."""
    found: dict[str, list[float]] = {name: [] for name in names}
    asked = list(names)
    for place in places:
        values = _values(asked, functools.partial(evaluate, place))
        asked = list(values)
        for name, own in found.items():
            own.append(values.get(name, math.nan))
    return found


def _values(
    names: Sequence[str], evaluate: Callable[[Sequence[str]], Mapping[str, float]]
) -> Mapping[str, float]:
    """The values of those measures that do not refuse the data."""
    if not names:
        return {}
    try:
        return evaluate(names)
    except RankmarkError:
        if len(names) == 1:
            return {}
        half = len(names) // 2
        return {**_values(names[:half], evaluate), **_values(names[half:], evaluate)}


def _cut(names: Iterable[str]) -> Mapping[str, str]:
    """Measures as they are written with a cutoff, by their names; those that take none are left out."""
    return {name: f"{name}@{TOP}" for name in names if pages()[name].takes_cutoff}


# --- Lists ------------------------------------------------------------------------------------------------


@cache
def of_lists() -> Sequence[Curve]:
    """A relevant item that falls, relevant items that become more, and judgements that become more."""
    items = [f"i{rank:02}" for rank in range(1, LONG + 1)]
    names = _measures("list")

    def value(grades: Mapping[str, int], some: Sequence[str]) -> Mapping[str, float]:
        return rm.evaluate({"q": grades}, {"q": items}, some).values

    def falling(above: int, grade: int) -> Curve:
        ranks = range(above + 1, LONG + 1)
        others = dict.fromkeys(items[:above], 1)
        found = _along(ranks, names, lambda rank, some: value(others | {items[rank - 1]: grade}, some))
        name = "the only one" if not above else f"of grade {grade}, beneath two of grade 1"
        return Curve("A relevant item falls", "its rank", name, np.array(ranks, np.float64), found)

    def more(name: str, grades: Callable[[int], Mapping[str, int]]) -> Curve:
        numbers = range(LONG + 1)
        found = _along(numbers, names, lambda number, some: value(grades(number), some))
        return Curve("The first items are judged", "how many", name, np.array(numbers, np.float64), found)

    def falling_out() -> Curve:
        ranks, cut = range(1, LONG + 1), _cut(names)

        def value_cut(rank: int, some: Sequence[str]) -> Mapping[str, float]:
            found = value({items[rank - 1]: 1}, [cut[name] for name in some])
            return dict(zip(some, found.values(), strict=True))

        found = _along(ranks, list(cut), value_cut)
        name = f"the only one, with the cutoff @{TOP}"
        return Curve("A relevant item falls", "its rank", name, np.array(ranks, np.float64), found)

    relevant = more(
        "relevant, the others not",
        lambda number: {item: int(rank < number) for rank, item in enumerate(items)},
    )
    judged = more(
        "not relevant, but for the last one; the others not judged",
        lambda number: dict.fromkeys(items[:number], 0) | {items[-1]: 1},
    )
    return falling(0, 1), falling_out(), falling(2, 1), falling(2, 3), relevant, judged


# --- Recommendations --------------------------------------------------------------------------------------


def written(name: str) -> str:
    """A measure as the scenes ask for it: one of recommendations down to their end, and of one group."""
    known = pages().get(name)
    if known is None or known.kind != "item" or not rm.parse(name).of_all_lists:
        return name
    each = known.parameters.get("group")
    return name + "(group=large)" * bool(each and each.default == "each") + f"@{TOP}" * known.takes_cutoff


@cache
def of_items() -> Sequence[Curve]:
    """Lists in which more and more places are taken by the same popular items."""
    hits = [f"hit{place:02}" for place in range(TOP)]
    others = [f"rare{place:03}" for place in range(USERS * TOP)]
    known = [f"known{place:02}" for place in range(40)]
    items = {item: {"category": "pop", "group": "large"} for item in (*hits, *known)}
    items |= {item: {"category": f"c{place % 5}", "group": "small"} for place, item in enumerate(others)}
    train = [(f"before{user:02}", item) for user in range(30) for item in hits[: TOP - user // 6]]
    train += [(f"before{place % 30:02}", item) for place, item in enumerate(others)]
    train += [(f"before{user:02}", item) for user in range(3) for item in known]
    had = ("hit00", "hit01", *others[-2:])
    train += [(f"u{user:02}", item) for user in range(USERS) for item in had]
    own = {f"u{user:02}": others[user * TOP : (user + 1) * TOP] for user in range(USERS)}
    liked = {
        user: dict.fromkeys((*hits, *rare), 0) | dict.fromkeys((*hits[5:7], *rare[:4]), 1)
        for user, rare in own.items()
    }
    names = [name for name in _measures("item") if rm.parse(name).of_all_lists]

    def value(number: int, some: Sequence[str]) -> Mapping[str, float]:
        run = {user: [*hits[:number], *rare[number:]] for user, rare in own.items()}
        cut = {name: written(name) for name in some}
        result = rm.evaluate(liked, run, list(cut.values()), items=items, train=train)
        return {name: result[measure] for name, measure in cut.items()}

    numbers = range(TOP + 1)
    scene = "Popular items, the same for all, take the places of others"
    return (
        Curve(scene, f"how many of {TOP}", "", np.array(numbers, np.float64), _along(numbers, names, value)),
    )


@cache
def of_aspects() -> Sequence[Curve]:
    """An item of another aspect, or of the same, that falls."""
    items = [f"i{rank:02}" for rank in range(1, LONG + 1)]
    names = [name for name in _measures("item") if rm.parse(name).of_aspects]

    cut = _cut(names)

    def falling(aspect: str, name: str) -> Curve:
        def value(rank: int, some: Sequence[str]) -> Mapping[str, float]:
            grades = {items[0]: {"1": 1}, items[rank - 1]: {aspect: 1}, "other": {"1": 1, "2": 1}}
            found = rm.evaluate({"q": grades}, {"q": items}, [cut[name] for name in some])
            return {name: found[cut[name]] for name in some}

        ranks = range(2, LONG + 1)
        scene = f"A relevant item falls, beneath one of aspect 1; cutoff @{TOP}"
        return Curve(scene, "its rank", name, np.array(ranks, np.float64), _along(ranks, list(cut), value))

    return falling("2", "it is of aspect 2"), falling("1", "it is of aspect 1, too")


@cache
def of_samples() -> Sequence[Curve]:
    """A relevant item that falls, where every second item is judged."""
    items = [f"i{rank:02}" for rank in range(1, LONG + 1)]
    names = [name for name in _measures("item") if rm.parse(name).of_samples]

    def value(rank: int, some: Sequence[str]) -> Mapping[str, float]:
        rows = [
            {
                "query": "q",
                "item": item,
                "stratum": "1",
                "inclusion_probability": 0.5,
                "relevance": int(place == rank) if place % 2 else -1,
            }
            for place, item in enumerate(items, 1)
        ]
        return rm.evaluate(
            [row for row in rows if "statAP" not in some or row["relevance"] != -1], {"q": items}, some
        ).values

    ranks = range(1, LONG + 1, 2)
    scene = "The only item found relevant falls, where every second one was judged"
    found = {name: found for name in names for found in _along(ranks, [name], value).values()}
    return (Curve(scene, "its rank", "", np.array(ranks, np.float64), found),)


# --- Predictions ------------------------------------------------------------------------------------------

PRIOR, APART = 0.3, 1.5
"""The share of positive rows, and how far scores of both labels are apart where something else changes."""


@cache
def of_rows() -> Sequence[Curve]:
    """Scores of positive rows that come apart from others, and probabilities that are too low or too high."""
    names = [name for name in _measures("row") if pages()[name].labels == "binary"]
    apart = np.linspace(0, 4, 21)
    factors = 2.0 ** np.linspace(-4, 4, 21)
    shares = np.linspace(0.05, 0.95, 19)
    return (
        Curve(
            "Scores of both labels come apart",
            "distance of their means, in standard deviations",
            "",
            apart,
            _along(apart.tolist(), names, lambda far, some: _of_table(_labelled(far, 1.0), some)),
        ),
        Curve(
            "The odds of all predictions are multiplied",
            "by what, on a log scale",
            "",
            factors,
            _along(factors.tolist(), names, lambda odds, some: _of_table(_labelled(APART, odds), some)),
            wide=True,
        ),
        Curve(
            "More of the rows are positive",
            "their share",
            "",
            shares,
            _along(shares.tolist(), names, lambda share, some: _of_table(_labelled(APART, 1.0, share), some)),
        ),
    )


def _of_table(table: Mapping[str, Any], some: Sequence[str]) -> Mapping[str, float]:
    weight = "weight" if "weight" in table else None
    return rm.evaluate_predictions(
        table, some, label="label", score="score", query="query", weight=weight
    ).values


def _labelled(apart: float, odds: float, prior: float = PRIOR) -> Mapping[str, Any]:
    """Rows of two labels whose scores are normal, with the right probabilities times an error of the odds."""
    normal = np.array([NormalDist().inv_cdf((place + 0.5) / EACH) for place in range(EACH)])
    latent = np.concatenate([normal - apart / 2, normal + apart / 2])
    logits = apart * latent + math.log(prior / (1 - prior) * odds)
    labels = np.repeat([0, 1], EACH)
    return {
        "label": labels,
        "score": 1 / (1 + np.exp(-logits)),
        "weight": np.where(labels == 1, prior, 1 - prior),
        "query": np.tile(np.arange(EACH) % 3, 2),
    }


@cache
def of_numbers() -> Sequence[Curve]:
    """Predictions of numbers with errors that grow, and with a factor."""
    names = [name for name in _measures("row") if pages()[name].labels == "numbers"]
    labels = np.linspace(1, 9, EACH)
    errors = np.random.default_rng(1).standard_normal(EACH)
    spreads, factors = np.linspace(0, 4, 21), np.linspace(0.5, 1.5, 21)

    def value(scores: Floats, some: Sequence[str]) -> Mapping[str, float]:
        table = {"label": labels, "score": scores, "query": np.arange(EACH) % 3}
        return _of_table(table, some)

    return (
        Curve(
            "Errors of predictions grow; labels are 1 to 9",
            "their standard deviation",
            "",
            spreads,
            _along(spreads.tolist(), names, lambda spread, some: value(labels + spread * errors, some)),
        ),
        Curve(
            "All predictions are multiplied",
            "by what",
            "",
            factors,
            _along(factors.tolist(), names, lambda factor, some: value(factor * (labels + errors / 2), some)),
        ),
    )


@cache
def of_classes() -> Sequence[Curve]:
    """Predictions of three classes that are right more often, and that are surer of themselves."""
    names = _measures("class")
    shares, sure = np.linspace(0, 1, 21), np.linspace(0.35, 0.99, 17)

    def value(right: float, certain: float, some: Sequence[str]) -> Mapping[str, float]:
        rows = [
            (
                label,
                [certain if each == predicted else (1 - certain) / 2 for each in range(3)],
                right if label == predicted else (1 - right) / 2,
            )
            for label in range(3)
            for predicted in range(3)
        ]
        table = {"label": [f"c{label}" for label, *_ in rows], "weight": [weight for *_, weight in rows]}
        table |= {f"c{each}": [scores[each] for _, scores, _ in rows] for each in range(3)}
        return rm.evaluate_predictions(
            table, some, label="label", score=["c0", "c1", "c2"], weight="weight"
        ).values

    return (
        Curve(
            "The right one of three classes scores most",
            "in which share of rows",
            "",
            shares,
            _along(shares.tolist(), names, lambda share, some: value(share, 0.7, some)),
        ),
        Curve(
            "The predicted class is right in 8 of 10 rows",
            "its score",
            "",
            sure,
            _along(sure.tolist(), names, lambda certain, some: value(0.8, certain, some)),
        ),
    )


# --- Coefficients of agreement ----------------------------------------------------------------------------


@cache
def of_coefficients() -> Sequence[Curve]:
    """Two rankings of the same items, in one of which the first item falls; and two that end otherwise."""
    items = [f"i{rank:02}" for rank in range(1, LONG + 1)]
    names = list(coefficient_pages())

    def value(other: list[str], some: Sequence[str]) -> Mapping[str, float]:
        return rm.agree({"q": items}, {"q": other}, some).values

    def fallen(rank: int, some: Sequence[str]) -> Mapping[str, float]:
        return value([*items[1:rank], items[0], *items[rank:]], some)

    def other(number: int, some: Sequence[str]) -> Mapping[str, float]:
        return value([*items[:number], *(f"other{each}" for each in items[number:])], some)

    ranks, numbers = range(1, LONG + 1), range(LONG + 1)
    return (
        Curve(
            "The first item falls in one of two rankings",
            "its rank there",
            "",
            np.array(ranks, np.float64),
            _along(ranks, names, fallen),
        ),
        Curve(
            "Two rankings begin alike and end otherwise",
            "how many of 20 are the same",
            "",
            np.array(numbers, np.float64),
            _along(numbers, names, other),
        ),
    )
