"""Each query by one system and by another."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from rankmark.comparing.comparison import Comparison
from rankmark.comparing.pairs import Pair
from rankmark.figures import Axis, Figure, Mark, Panel, Points, Rule, picture
from rankmark.figures.drawing import MOST_POINTS
from rankmark.figures.marks import Floats
from rankmark.language.measure import Measure
from rankmark.pictures.choosing import gains_of, pair_of
from rankmark.pictures.words import axis_of, difference_words, p_words, queries

__all__ = ["scatter"]

GREATEST, LEAST = 2.0, 0.4
"""How many times the usual a point is broad at most, and at least."""
ROOM = 400
"""Points of the usual size that leave enough of the square free."""
MOST_NAMED = 5
"""Queries at one place that it names."""


@picture("scatter", Comparison, place=25)
def scatter(
    comparison: Comparison,
    *,
    measure: str | Measure | None = None,
    system: str | None = None,
    baseline: str | None = None,
) -> Figure:
    """A point a query: its value by one system, above that by the other; equal ones are on the diagonal.

    Args:
        comparison: what was compared.
        measure: the measure; else the first.
        system: one of the pair; else the first pair's.
        baseline: the other.

    """
    pair = pair_of(comparison, measure, system, baseline)
    one, other = (comparison.query_values(each, pair.measure) for each in (pair.system, pair.baseline))
    there = np.flatnonzero(np.isfinite(one - other))
    ids = [str(comparison.query_ids[i]) for i in there]
    y, x = one[there], other[there]
    ends = (float(min(x.min(), y.min())), float(max(x.max(), y.max()))) if len(x) else (0.0, 1.0)
    difference = difference_words(pair.difference, pair.interval)
    return Figure(
        title=f"{pair.measure.label} of each query: {pair.system} against {pair.baseline}",
        subtitle=", ".join(
            filter(None, (queries(len(x)), f"difference {difference}", p_words(pair.corrected, comparison)))
        ),
        description=(
            f"{len(x)} queries; {pair.system} is better on {pair.wins}, equal on {pair.ties} and worse on "
            f"{pair.losses}. The difference of both is {difference}."
        ),
        panels=(
            Panel(
                x=Axis(label=axis_of(pair.measure, f"{pair.measure.label} by {pair.baseline}"), reach=ends),
                y=Axis(label=axis_of(pair.measure, f"{pair.measure.label} by {pair.system}"), reach=ends),
                marks=(Rule(name="equal"), *_points(pair, gains_of(comparison, pair)[1][there], x, y, ids)),
                square=True,
            ),
        ),
        notes=("a broader point is of more queries" if _apart(x, y) else "the darker, the more queries",),
    )


def _points(pair: Pair, towards: Floats, x: Floats, y: Floats, ids: list[str]) -> Iterator[Mark]:
    # Below 1 where points of so many queries would cover each other.
    scale = min(1.0, GREATEST / math.sqrt(_most_at_one_place(x, y)), math.sqrt(ROOM / max(len(x), 1)))
    for name, tone, kept in (
        (f"{pair.system} better", "good", towards > 0),
        ("equal", "muted", towards == 0),
        (f"{pair.baseline} better", "bad", towards < 0),
    ):
        if kept.any():
            called = f"{name}: {queries(int(kept.sum()))}"
            own = [ids[i] for i in np.flatnonzero(kept)]
            if _apart(x, y):
                yield _gathered(x[kept], y[kept], own, called, tone, scale)
            else:
                yield Points(x=x[kept], y=y[kept], labels=tuple(own), name=called, tone=tone)


def _apart(x: Floats, y: Floats) -> bool:
    """Whether the places of queries are so few that each is a point."""
    return len(np.unique(np.stack([x, y]), axis=1).T) <= MOST_POINTS


def _most_at_one_place(x: Floats, y: Floats) -> int:
    _, counts = np.unique(np.stack([x, y]), axis=1, return_counts=True)
    return int(counts.max(initial=1))


def _gathered(x: Floats, y: Floats, ids: list[str], name: str, tone: str, scale: float) -> Points:
    """A point a place, its area as many as its queries."""
    places, inverse, counts = np.unique(np.stack([x, y]), axis=1, return_inverse=True, return_counts=True)
    there: list[list[str]] = [[] for _ in counts]
    for place, each in zip(inverse.ravel().tolist(), ids, strict=True):
        there[place].append(each)
    return Points(
        x=places[0],
        y=places[1],
        labels=tuple(map(_called, there)),
        sizes=np.maximum(scale * np.sqrt(counts), LEAST),
        name=name,
        tone=tone,
    )


def _called(ids: list[str]) -> str:
    """Queries at one place."""
    more = len(ids) - MOST_NAMED
    return ", ".join(ids[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
