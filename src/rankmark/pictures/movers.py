"""The queries that changed most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankmark.comparing.comparison import Comparison
from rankmark.comparing.pairs import direction
from rankmark.errors import PictureError
from rankmark.figures import Axis, Figure, Mark, Panel, Points, Segments, picture
from rankmark.language.measure import Measure
from rankmark.pictures.choosing import pair_of
from rankmark.pictures.words import axis_of, queries

__all__ = ["movers"]

Moved = tuple[str, float, float]
"""A query, its value before and that after."""


@picture("movers", Comparison, place=35)
def movers(
    comparison: Comparison,
    *,
    measure: str | Measure | None = None,
    system: str | None = None,
    baseline: str | None = None,
    count: int = 20,
) -> Figure:
    """The queries that changed most between two systems, from which value to which.

    Args:
        comparison: what was compared.
        measure: the measure; else the first.
        system: one of the pair; else the first pair's.
        baseline: the other.
        count: how many.

    Raises:
        PictureError: no query changed.

    """
    pair = pair_of(comparison, measure, system, baseline)
    moved = [
        (str(each.query), each.baseline_value, each.value)
        for each in comparison.movers(count, pair.measure)
        if (each.system, each.baseline) == (pair.system, pair.baseline)
    ]
    if not moved:
        raise PictureError(f"no query changed from {pair.baseline} to {pair.system} by {pair.measure}")
    of = f"of {queries(pair.queries)} {pair.wins:,} gain, {pair.losses:,} lose and {pair.ties:,} are equal"
    return Figure(
        title=f"{pair.measure.label} of the queries that changed most, from {pair.baseline} to {pair.system}",
        subtitle=of,
        description=f"{of}. {_told(moved)}",
        panels=(_panel(pair.measure, moved, pair.baseline, pair.system, direction(pair.measure)),),
    )


def _told(moved: Sequence[Moved]) -> str:
    """The queries in words."""
    return "; ".join(f"{query}: {before:.4f} to {after:.4f}" for query, before, after in moved) + "."


def _panel(measure: Measure, moved: Sequence[Moved], before: str, after: str, sign: int) -> Panel:
    names = tuple(query for query, _, _ in moved)
    return Panel(
        x=Axis(label=axis_of(measure)),
        y=Axis(scale="names", names=names),
        marks=tuple(_marks(moved, before, after, sign)),
    )


def _marks(moved: Sequence[Moved], before: str, after: str, sign: int) -> Iterator[Mark]:
    values = np.array([each[1:] for each in moved])
    places = np.arange(float(len(moved)))
    gains = sign * (values[:, 1] - values[:, 0])
    both = (("gains", "good", gains > 0), ("loses", "bad", gains < 0))
    for _, tone, kept in both:
        yield Segments(x=values[kept, 0], y=places[kept], to_x=values[kept, 1], to_y=places[kept], tone=tone)
    yield Points(x=values[:, 0], y=places, name=before, tone="muted", hollow=True)
    for name, tone, kept in both:
        if kept.any():
            yield Points(x=values[kept, 1], y=places[kept], name=f"{after}, which {name}", tone=tone)
