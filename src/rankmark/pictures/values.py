"""What systems come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from rankmark.comparing.comparison import Comparison
from rankmark.figures import Axis, Figure, Panel, Points, Rule, picture
from rankmark.language.measure import Measure
from rankmark.language.written import written
from rankmark.pictures.choosing import (
    System,
    calibrated_of,
    confidence_of,
    higher_is,
    how_sure,
    some_of,
    systems_of,
)
from rankmark.pictures.words import axis_of, of_value
from rankmark.rendering.words import counted
from rankmark.results.predictions import PredictionResult
from rankmark.results.runs import Runs

__all__ = ["values"]

MOST = 8
"""Measures that are shown without being asked for."""
MOST_BESIDE = 16
"""Letters of names, up to which two panels stand beside each other."""


@picture("values", Runs, Comparison, PredictionResult, place=30)
def values(
    shown: Runs | Comparison | PredictionResult,
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: str | Iterable[str] | None = None,
) -> Figure:
    """The values of systems by each measure, with their intervals if there are any.

    Args:
        shown: results of several systems, or one.
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
    if isinstance(shown, PredictionResult):
        return _of_one(own[0], found, confidence, shown.account()[0], len(every))
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


def _of_one(system: System, measures: Sequence[Measure], confidence: str, account: str, every: int) -> Figure:
    """The values of one system: what is from 0 to 1 on one axis, and all else on its own."""
    groups: dict[tuple[object, ...], list[Measure]] = {}
    for each in measures:
        scale = each.bounds == (0, 1) and not np.isnan(system.value(each))
        groups.setdefault((0, 1, each.better) if scale else (each,), []).append(each)
    shown = [[each for each in own if not np.isnan(system.value(each))] for own in groups.values()]
    told = (f"{each.label} {of_value(system.value(each), system.interval(each))}" for each in measures)
    sure = f"values with {confidence} intervals" if confidence else "values, without intervals"
    without = [each.label for each in measures if np.isnan(system.value(each))]
    return Figure(
        title=f"{', '.join(each.label for each in measures)}",
        subtitle=f"{sure}; {account}",
        description=f"{'; '.join(told)}.",
        panels=tuple(_measures(system, own) for own in shown if own),
        notes=(
            *[f"the first {MOST} of {every} measures; the option measures chooses others"] * (every > MOST),
            *[f"no value of {', '.join(without)}"] * bool(without),
            *[how_sure(system.of)] * (not confidence),
        ),
    )


def _measures(system: System, measures: Sequence[Measure]) -> Panel:
    """Several measures of one scale and system."""
    ends = [system.interval(each) for each in measures]
    told = tuple(of_value(system.value(each), end) for each, end in zip(measures, ends, strict=True))
    points = Points(
        x=np.array([system.value(each) for each in measures]),
        y=np.arange(float(len(measures))),
        left=np.array([each.low for each in ends]),
        right=np.array([each.high for each in ends]),
        labels=told,
    )
    (first, *others) = measures
    better = higher_is(first)
    label = better if others else axis_of(first)
    names = tuple(each.label for each in measures)
    calibrated = calibrated_of(first)
    aim = () if calibrated is None else (Rule(x=calibrated, name=f"calibrated: {calibrated:g}"),)
    return Panel(
        x=Axis(label=label, reach=(0.0, 1.0) if others else ()),
        y=Axis(scale="names", names=names, asides=told),
        marks=(*aim, points),
    )


def _notes(shown: Runs | Comparison, measures: int) -> Iterator[str]:
    if measures > MOST:
        yield f"the first {MOST} of {measures} measures; the option measures chooses others"
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
