"""How a measure changes along slices that have an order: days, hours, ages, popularity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

import numpy as np

from rankmark.errors import PictureError
from rankmark.figures import Axis, Bars, Figure, Line, Mark, Panel, Points, picture
from rankmark.figures.marks import series
from rankmark.inputs.slicing import is_interval
from rankmark.language.measure import Measure
from rankmark.pictures.parts import MOST_SYSTEMS, SLICED, Parts, Shown, parts_of
from rankmark.pictures.words import of_value
from rankmark.rendering.words import counted
from rankmark.results.sliced import NONE

__all__ = ["trend"]

MANY = 40
"""Slices from which on intervals are a band."""
SPARSE = 4
"""Times as many days as there are slices, beyond which those between are left out."""
FEWEST = 3
"""Slices fewer than which have no trend."""


@picture("trend", *SLICED, place=5)
def trend(
    shown: Shown,
    *,
    measure: str | Measure | None = None,
    by: str | None = None,
    system: str | None = None,
    baseline: str | None = None,
) -> Figure:
    """A measure along slices by days or intervals of numbers, with intervals, and how large they are beneath.

    Args:
        shown: slices, or what has some.
        measure: the measure; else the first.
        by: the attribute; else the first whose slices are days or intervals.
        system: of several this one alone.
        baseline: of differences those from this one alone.

    Raises:
        PictureError: there are no slices, none of what is asked for, or none that are days or intervals.

    """
    parts = parts_of(shown, measure, system, baseline).first(MOST_SYSTEMS)
    for attribute in parts.asked(by):
        if names := _ordered(list(parts.named(attribute))):
            return _figure(parts, attribute, names)
    asked = ", ".join(parts.asked(by))
    raise PictureError(
        f"slices by {asked} are neither days nor intervals of numbers, or fewer than {FEWEST}; "
        'plot("slices") shows any'
    )


def _ordered(names: Sequence[str]) -> list[str]:
    """The slices beside each other, days that are lacking among them; none where they have no order."""
    found = [name for name in names if name != NONE]
    if len(found) < FEWEST:
        return []
    days = list(map(_day, found))
    if all(days):
        first, last = min(filter(None, days)), max(filter(None, days))
        every = (last - first).days + 1
        if every <= SPARSE * len(found):
            return [(first + timedelta(days=i)).isoformat() for i in range(every)]
        return found
    return found if all(map(is_interval, found)) else []


def _day(name: str) -> date | None:
    try:
        return date.fromisoformat(name)
    except ValueError:
        return None


def _figure(parts: Parts, by: str, names: Sequence[str]) -> Figure:
    counts = parts.named(by)
    places = np.arange(float(len(names)))
    left_out = [name for name in counts if name not in names]
    without = sum(name not in counts for name in names)
    return Figure(
        title=f"{parts.title} along {by}",
        subtitle=parts.subtitle,
        description=f"{parts.subtitle}. {parts.told([by])} Bars beneath: {parts.counted}.",
        panels=(
            Panel(
                x=Axis(scale="names", names=tuple(names), ticks="none"),
                y=Axis(label=parts.axis, reach=parts.reach),
                marks=tuple(_marks(parts, by, names)),
                height=260,
            ),
            Panel(
                x=Axis(label=by, scale="names", names=tuple(names)),
                y=Axis(label=parts.counted, reach=(0.0,)),
                marks=(
                    Bars(
                        start=places - 0.5,
                        end=places + 0.5,
                        value=np.array([float(counts.get(name, np.nan)) for name in names]),
                        labels=tuple(names),
                        tone="muted",
                    ),
                ),
                height=64,
            ),
        ),
        notes=(
            *[f"{parts.counted} without a value, which have no place here, are left out"] * bool(left_out),
            *["no intervals of so many systems; system= shows those of one"] * (not parts.are_few),
            *[f"no {parts.counted} on {counted(without, 'day')}"] * (without > 0),
            *parts.notes,
        ),
    )


def _marks(parts: Parts, by: str, names: Sequence[str]) -> Iterator[Mark]:
    if parts.are_few:
        yield from parts.rules("y")
    several = len(parts.of) > 1
    for i, system in enumerate(parts.of):
        own, places = parts.at(system, by, names)
        value, low, high = (np.full(len(names), np.nan) for _ in range(3))
        at = places.astype(np.intp)
        value[at] = [part.value for part in own]
        low[at], high[at] = [part.low for part in own], [part.high for part in own]
        x = np.arange(float(len(names)))
        name, tone = system if several else "", series(i)
        if several or len(names) > MANY:
            ends = (low, high) if parts.are_few else (None, None)
            yield Line(x=x, y=value, low=ends[0], high=ends[1], name=name, tone=tone)
        if len(names) <= MANY:
            if not several:
                yield Line(x=x, y=value, tone="muted", dashed=True)
            yield Points(
                x=places,
                y=value[at],
                low=None if several else low[at],
                high=None if several else high[at],
                labels=tuple(
                    f"{part.name}: {of_value(part.value, (part.low, part.high), parts.form)}" for part in own
                ),
                name="" if several else parts.label,
                tone=tone,
            )
