"""The queries that changed most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankmark.comparing.comparison import Comparison
from rankmark.comparing.gates import Gate
from rankmark.comparing.pairs import direction
from rankmark.errors import MeasureError, PictureError
from rankmark.figures import Axis, Figure, Mark, Panel, Points, Segments, picture
from rankmark.language.measure import Measure
from rankmark.language.names import parse
from rankmark.pictures.choosing import pair_of
from rankmark.pictures.words import axis_of, queries

__all__ = ["movers"]

Moved = tuple[str, float, float]
"""A query, its value before and that after."""


@picture("movers", Comparison, Gate, place=35)
def movers(
    shown: Comparison | Gate,
    *,
    measure: str | Measure | None = None,
    system: str | None = None,
    baseline: str | None = None,
    count: int = 20,
) -> Figure:
    """The queries that changed most between two systems, from which value to which.

    Args:
        shown: what was compared, or what a gate decided, which has up to ten queries.
        measure: the measure; else the first.
        system: one of the pair; else the first pair's. A gate has one pair.
        baseline: the other.
        count: how many.

    Raises:
        PictureError: no query changed, or there are no values of queries.

    """
    if isinstance(shown, Gate):
        return _of_gate(shown, measure, count)
    return _of_comparison(shown, measure, system, baseline, count)


def _of_comparison(
    comparison: Comparison,
    measure: str | Measure | None,
    system: str | None,
    baseline: str | None,
    count: int,
) -> Figure:
    pair = pair_of(comparison, measure, system, baseline)
    moved = [
        (str(each.query), each.baseline_value, each.value)
        for each in comparison.movers(count, pair.measure)
        if (each.system, each.baseline) == (pair.system, pair.baseline)
    ]
    if not moved:
        raise PictureError(f"no query changed from {pair.baseline} to {pair.system} by {pair.measure}")
    of = _of(pair.queries, pair.wins, pair.losses, pair.ties, len(moved))
    sign = direction(pair.measure)
    return _figure(moved, (pair.baseline, pair.system), of, pair.measure.label, axis_of(pair.measure), sign)


def _of_gate(gate: Gate, measure: str | Measure | None, count: int) -> Figure:
    known = {each.measure: each for each in gate.measures if each.moved}
    own = next(iter(known.values()), None) if measure is None else known.get(str(measure))
    if own is None:
        there = f"; here are {', '.join(known)}" if known else ""
        raise PictureError(
            f"the gate knows no query that changed{f' by {measure}' if measure else ''}{there}"
        )
    assert own.better is not None
    assert own.worse is not None
    moved = [(str(each.query), each.baseline, each.candidate) for each in own.moved[:count]]
    equal = own.units - own.better - own.worse
    of = _of(own.units, own.better, own.worse, equal, len(moved))
    try:
        asked = parse(own.measure)
    except MeasureError as error:  # as of one with a function, of which a gate keeps the name alone
        raise PictureError(f"which way {own.measure} is better is not known: {error}") from None
    return _figure(moved, ("baseline", "candidate"), of, own.measure, axis_of(asked), direction(asked))


def _of(units: int, better: int, worse: int, equal: int, shown: int) -> str:
    """What became of all queries, and how many of those that changed are shown."""
    found = f"of {queries(units)} {better:,} gain, {worse:,} lose and {equal:,} are equal"
    changed = better + worse
    return f"{found}; shown are {shown:,} of the {changed:,} that changed" if shown < changed else found


def _figure(
    moved: Sequence[Moved], names: tuple[str, str], of: str, measure: str, label: str, sign: int
) -> Figure:
    """Queries before and after, and what became of all."""
    before, after = names
    return Figure(
        title=f"{measure} of the queries that changed most, from {before} to {after}",
        subtitle=of,
        description=f"{of}. {_told(moved)}",
        panels=(
            Panel(
                x=Axis(label=label),
                y=Axis(label="query", scale="names", names=tuple(query for query, _, _ in moved)),
                marks=tuple(_marks(moved, before, after, sign)),
            ),
        ),
    )


def _told(moved: Sequence[Moved]) -> str:
    """The queries in words."""
    return "; ".join(f"{query}: {before:.4f} to {after:.4f}" for query, before, after in moved) + "."


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
