"""What slices come to, each with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankmark.figures import Axis, Figure, Mark, Panel, Points, picture
from rankmark.figures.marks import Floats, series
from rankmark.language.measure import Measure
from rankmark.pictures.parts import MOST_SYSTEMS, SLICED, Part, Parts, Shown, parts_of
from rankmark.pictures.words import of_value

__all__ = ["slices"]

MOST = 40
"""Slices of an attribute that are drawn: the largest."""
BESIDE = 0.22
"""How far systems stand from each other in a slice, in slices."""


@picture("slices", *SLICED, place=6)
def slices(
    shown: Shown,
    *,
    measure: str | Measure | None = None,
    by: str | None = None,
    system: str | None = None,
    baseline: str | None = None,
) -> Figure:
    """A measure's values in slices, or differences of two systems, with intervals, counts and that of all.

    Args:
        shown: slices, or what has some.
        measure: the measure; else the first.
        by: slices by this attribute alone.
        system: of several this one alone.
        baseline: of differences those from this one alone.

    Raises:
        PictureError: there are no slices, or none of what is asked for.

    """
    parts = parts_of(shown, measure, system, baseline).first(MOST_SYSTEMS)
    attributes = parts.asked(by)
    names = {each: _largest(parts.named(each)) for each in attributes}
    most = max(len(parts.named(each)) for each in attributes)
    return Figure(
        title=f"{parts.title} by {', '.join(attributes)}",
        subtitle=parts.subtitle,
        description=f"{parts.subtitle}. {parts.told(attributes)}",
        panels=tuple(
            _panel(own, each, names[each], parts.ends(names), (title, system))
            for each in attributes
            for title in [each if len(attributes) > 1 else ""]
            for system, own in _apart(parts)
        ),
        notes=(*[f"the largest {MOST} of {most:,} slices"] * (most > MOST), *parts.notes),
    )


def _apart(parts: Parts) -> Iterator[tuple[str, Parts]]:
    """Systems that stand together in a panel: all, or each by itself where they are many."""
    if parts.are_few:
        yield "", parts
        return
    for name, own in parts.of.items():
        yield name, replace(parts, of={name: own}, overall={name: parts.overall[name]})


def _largest(every: Mapping[str, int]) -> list[str]:
    """The largest slices, in their order."""
    large = set(sorted(every, key=lambda name: -every[name])[:MOST])
    return [name for name in every if name in large]


def _panel(
    parts: Parts, by: str, names: Sequence[str], ends: tuple[float, float], titles: tuple[str, str]
) -> Panel:
    """The slices by one attribute."""
    every = parts.named(by)
    return Panel(
        title=": ".join(filter(None, titles)),
        x=Axis(label=parts.axis, limits=ends),
        y=Axis(
            label=f"at the right: {parts.counted}",
            scale="names",
            names=tuple(names),
            asides=tuple(f"{every[name]:,}" for name in names),
        ),
        marks=(*parts.rules("x", told=not titles[1]), *_marks(parts, by, names)),
    )


def _marks(parts: Parts, by: str, names: Sequence[str]) -> Iterator[Mark]:
    for i, system in enumerate(parts.of):
        own, places = parts.at(system, by, names)
        if len(parts.of) > 1:
            yield _points(parts, own, places + (i - (len(parts.of) - 1) / 2) * BESIDE, system, series(i))
            continue
        sides = np.array([part.side for part in own])
        for side, (name, tone) in parts.sides.items():
            kept = sides == side
            if kept.any():
                some = [part for part in own if part.side == side]
                yield _points(parts, some, places[kept], name, tone)


def _points(parts: Parts, own: Sequence[Part], places: Floats, name: str, tone: str) -> Points:
    ends = ((part.low, part.high) for part in own)
    return Points(
        x=np.array([part.value for part in own]),
        y=places,
        left=np.array([part.low for part in own]),
        right=np.array([part.high for part in own]),
        labels=tuple(
            f"{part.name}: {of_value(part.value, end, parts.form)}, {part.count:,} {parts.counted}"
            for part, end in zip(own, ends, strict=True)
        ),
        name=name,
        tone=tone,
        hollow=tone == "ink",
    )
