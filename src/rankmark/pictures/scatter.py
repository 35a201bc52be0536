"""Each query by one system and by another."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankmark.comparing.comparison import Comparison
from rankmark.comparing.pairs import Pair, direction
from rankmark.figures import Axis, Figure, Mark, Panel, Points, Rule, picture
from rankmark.figures.drawing import MOST_POINTS
from rankmark.figures.marks import Floats
from rankmark.language.measure import Measure
from rankmark.pictures.choosing import pair_of
from rankmark.pictures.words import axis_of, difference_words, p_words, queries

__all__ = ["scatter"]

GREATEST = 4.0
"""How many times the usual a point is broad at most."""
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
    many = len(x) > MOST_POINTS
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
                marks=(Rule(name="equal"), *_points(comparison, pair, x, y, ids)),
                square=True,
            ),
        ),
        notes=("the darker, the more queries",) if many else ("a broader point is of several queries",),
    )


def _points(comparison: Comparison, pair: Pair, x: Floats, y: Floats, ids: list[str]) -> Iterator[Mark]:
    gains, tie = direction(pair.measure) * (y - x), comparison.plan.tie
    for name, tone, kept in (
        (f"{pair.system} better", "good", gains > tie),
        ("equal", "muted", abs(gains) <= tie),
        (f"{pair.baseline} better", "bad", gains < -tie),
    ):
        if kept.any():
            called = f"{name}: {queries(int(kept.sum()))}"
            own = [ids[i] for i in np.flatnonzero(kept)]
            yield _several(x[kept], y[kept], own, called, tone, apart=len(x) <= MOST_POINTS)


def _several(x: Floats, y: Floats, ids: list[str], name: str, tone: str, *, apart: bool) -> Points:
    """Points, those at one place as one that is the broader the more they are, if they stand apart."""
    if not apart:
        return Points(x=x, y=y, labels=tuple(ids), name=name, tone=tone)
    places, inverse, counts = np.unique(np.stack([x, y]), axis=1, return_inverse=True, return_counts=True)
    there: list[list[str]] = [[] for _ in counts]
    for place, each in zip(inverse.ravel().tolist(), ids, strict=True):
        there[place].append(each)
    return Points(
        x=places[0],
        y=places[1],
        labels=tuple(map(_called, there)),
        sizes=np.minimum(np.sqrt(counts), GREATEST),
        name=name,
        tone=tone,
    )


def _called(ids: list[str]) -> str:
    """Queries at one place."""
    more = len(ids) - MOST_NAMED
    return ", ".join(ids[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
