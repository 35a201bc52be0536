"""Pictures of what a measure rewards: its values where one thing changes."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from _generators.scenes import Curve, curves_of, written
from rankmark.figures import Axis, Figure, Line, Panel, Points
from rankmark.figures.marks import Mark, series
from rankmark.language.definition import Definition


def picture_of(known: Definition) -> Figure | None:
    """The picture of a measure or a coefficient; None if its values do not change in any scene."""
    curves = list(curves_of(known))
    if not curves:
        return None
    scenes = [list(own) for _, own in groupby(curves, key=lambda each: each.scene)]
    tones = {name: series(i) for i, name in enumerate(dict.fromkeys(each.name for each in curves))}
    return Figure(
        title=f"What {known.name} rewards",
        description=" ".join(_told(known, each) for each in curves),
        panels=tuple(_panel(known, own, tones) for own in scenes),
        columns=min(len(scenes), 2),
        worded=False,
    )


def _panel(known: Definition, curves: list[Curve], tones: dict[str, str]) -> Panel:
    first = curves[0]
    marks: list[Mark] = []
    for curve in curves:
        y, tone = curve.of(known.name), tones[curve.name]
        marks += [Line(x=curve.x, y=y, name=curve.name, tone=tone), Points(x=curve.x, y=y, tone=tone)]
    return Panel(
        title=first.scene,
        x=Axis(label=first.across, scale="log" if first.wide else "linear"),
        y=Axis(label=written(known.name), reach=_reach(known)),
        marks=tuple(marks),
    )


def _reach(known: Definition) -> tuple[float, ...]:
    """Both bounds where they are near, such as 0 and 1; else the only one."""
    low, high = getattr(known, "usual_bounds", None) or known.bounds
    if low is not None and high is not None and high - low <= 2:
        return low, high
    return (0.0,) if low == 0 else ()


def _told(known: Definition, curve: Curve) -> str:
    y = curve.of(known.name)
    seen = np.flatnonzero(np.isfinite(y))
    first, last = seen[0], seen[-1]
    aside = f" ({curve.name})" if curve.name else ""
    return (
        f"{curve.scene}{aside}: {known.name} is {y[first]:.3g} where {curve.across} is {curve.x[first]:.3g}, "
        f"and {y[last]:.3g} where it is {curve.x[last]:.3g}."
    )
