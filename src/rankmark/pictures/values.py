"""What systems come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from rankmark.comparing.comparison import Comparison
from rankmark.figures import Axis, Figure, Panel, Points, picture
from rankmark.language.measure import Measure
from rankmark.language.written import written
from rankmark.pictures.choosing import System, confidence_of, how_sure, some_of, systems_of
from rankmark.pictures.words import axis_of, of_value
from rankmark.rendering.words import counted
from rankmark.results.runs import Runs

__all__ = ["values"]

MOST = 8
"""Measures that are shown without being asked for."""
MOST_BESIDE = 16
"""Letters of names, up to which two panels stand beside each other."""


@picture("values", Runs, Comparison, place=30)
def values(
    shown: Runs | Comparison,
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: str | Iterable[str] | None = None,
) -> Figure:
    """The values of systems by each measure, with their intervals if there are any.

    Args:
        shown: results of several systems.
        measures: one or several; else all.
        systems: one or several; else all.

    """
    every, own = some_of(shown, measures), systems_of(shown, systems)
    found = every[:MOST]
    confidence = confidence_of(shown)
    told = (
        f"{measure.label}: "
        + ", ".join(f"{each.name} {of_value(each.value(measure), each.interval(measure))}" for each in own)
        for measure in found
    )
    names = [each.name for each in own]
    short = len(found) > 1 and max(map(len, names)) <= MOST_BESIDE
    return Figure(
        title=f"{counted(len(own), 'system')} by {', '.join(each.label for each in found)}",
        subtitle=f"values with {confidence} intervals" if confidence else "values, without intervals",
        description="; ".join(told) + ".",
        panels=tuple(_panel(measure, own, names, titled=len(found) > 1) for measure in found),
        columns=2 if short else 1,
        notes=tuple(_notes(shown, len(every))),
    )


def _notes(shown: Runs | Comparison, measures: int) -> Iterator[str]:
    if measures > MOST:
        yield f"the first {MOST} of {measures} measures; measures= chooses others"
    if confidence_of(shown):
        yield "intervals of systems on the same queries do not say how sure their difference is; compare does"
    else:
        yield how_sure(shown)


def _panel(measure: Measure, systems: list[System], names: list[str], *, titled: bool) -> Panel:
    ends = [each.interval(measure) for each in systems]
    points = Points(
        x=np.array([each.value(measure) for each in systems]),
        y=np.arange(float(len(systems))),
        left=np.array([each.low for each in ends]),
        right=np.array([each.high for each in ends]),
        labels=tuple(of_value(each.value(measure), each.interval(measure)) for each in systems),
    )
    return Panel(
        title=measure.label if titled else "",
        x=Axis(label=axis_of(measure)),
        y=Axis(
            scale="names",
            names=tuple(names),
            asides=tuple(written(measure, each.value(measure), 4) for each in systems),
        ),
        marks=(points,),
    )
