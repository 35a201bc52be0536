"""How far values of lists can be trusted: what equal scores do, how much is judged, what is answered."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from rankmark.aggregation.bounds import Bounds
from rankmark.errors import PictureError
from rankmark.figures import Axis, Figure, Mark, Panel, Points, Segments, picture
from rankmark.figures.marks import Floats, series
from rankmark.language.measure import Measure
from rankmark.pictures.choosing import System, some_of, systems_of
from rankmark.pictures.words import axis_of, of_value, queries
from rankmark.results.lists import ListResult
from rankmark.results.runs import Runs

__all__ = ["answered", "judged", "ties"]

Lists = ListResult | Runs
BY_SYSTEM = Mapping[str, Bounds | None]


@picture("ties", ListResult, Runs, place=70)
def ties(
    shown: Lists,
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: str | Iterable[str] | None = None,
) -> Figure:
    """What equal scores can make of values: the worst, the expected and the best order of them.

    Args:
        shown: results of one system or several, evaluated with ``bounds=True``.
        measures: one or several; else all.
        systems: one or several; else all.

    Raises:
        PictureError: there are no bounds.

    """
    own = systems_of(shown, systems)
    found = {
        measure: bounds
        for measure in some_of(shown, measures)
        if any((bounds := {each.name: _bounds(shown, each, measure) for each in own}).values())
    }
    if not found:
        raise PictureError(
            "nothing says what equal scores do; evaluate with bounds (--bounds, in Python bounds=True)"
        )
    tied = max(each.tied for bounds in found.values() for each in bounds.values() if each)
    return Figure(
        title=f"What equal scores can make of {', '.join(each.label for each in found)}",
        subtitle=f"the order of items with equal scores changes up to {queries(tied)}",
        description=" ".join(_told(measure, own, bounds) for measure, bounds in found.items()),
        panels=tuple(_panel(shown, measure, own, bounds) for measure, bounds in found.items()),
        notes=("beside each system: the queries that equal scores change",),
    )


def _bounds(shown: Lists, system: System, measure: Measure) -> Bounds | None:
    result = shown[system.name] if isinstance(shown, Runs) else shown
    return result.bounds.get(measure.label)


def _panel(shown: Lists, measure: Measure, systems: Sequence[System], bounds: BY_SYSTEM) -> Panel:
    places = np.arange(float(len(systems)))
    ends = {end: _column(bounds, systems, end) for end in ("worst", "expected", "best")}
    marks: list[Mark] = [
        Segments(
            x=ends["worst"],
            y=places,
            to_x=ends["best"],
            to_y=places,
            thick=True,
            name="from the worst order of equal scores to the best",
            tone="muted",
        ),
        *(
            [Points(x=ends["expected"], y=places, name="expected over all orders", tone="ink", hollow=True)]
            if np.isfinite(ends["expected"]).any()
            else []
        ),
        Points(
            x=np.array([each.value(measure) for each in systems]), y=places, name="value", tone="series-1"
        ),
    ]
    return Panel(
        title=measure.label if isinstance(shown, Runs) else "",
        x=Axis(label=axis_of(measure)),
        y=Axis(
            scale="names",
            names=tuple(each.name or measure.label for each in systems),
            asides=tuple(f"{found.tied:,}" if (found := bounds[each.name]) else "" for each in systems),
        ),
        marks=tuple(marks),
    )


def _column(bounds: BY_SYSTEM, systems: Sequence[System], end: str) -> Floats:
    found = (getattr(bounds[each.name], end, None) for each in systems)
    return np.array([math.nan if value is None else value for value in found])


def _told(measure: Measure, systems: Sequence[System], bounds: BY_SYSTEM) -> str:
    each = (
        f"{system.name + ' ' * bool(system.name)}{own.worst:.4f} to {own.best:.4f}"
        for system in systems
        if (own := bounds[system.name])
    )
    return f"{measure.label}: {'; '.join(each)}."


@picture("judged", ListResult, Runs, place=80)
def judged(shown: Lists, *, systems: str | Iterable[str] | None = None) -> Figure:
    """How many of the first items of each system somebody judged.

    Args:
        shown: results of one system or several that hold Judged at one cutoff or several.
        systems: one or several; else all.

    Raises:
        PictureError: they hold none.

    """
    own = systems_of(shown, systems)
    found = sorted((each for each in some_of(shown, None) if each.name == "Judged"), key=_depth)
    if not found:
        raise PictureError('nothing says how much is judged; evaluate "Judged@10", too')
    lowest = min((each.value(measure), each.name, measure.label) for each in own for measure in found)
    return Figure(
        title=f"How many of the first items are judged: {', '.join(each.label for each in found)}",
        subtitle=f"the least is {lowest[0]:.1%} of {lowest[2]}" + f", of {lowest[1]}" * bool(lowest[1]),
        description=" ".join(
            f"{measure.label}: "
            + "; ".join(f"{each.name + ' ' * bool(each.name)}{each.value(measure):.1%}" for each in own)
            + "."
            for measure in found
        ),
        panels=(
            Panel(
                x=Axis(label="judged items, the mean over queries", reach=(0.0, 1.0), ticks="percent"),
                y=Axis(scale="names", names=tuple(each.name or "run" for each in own)),
                marks=tuple(_shares(own, found)),
            ),
        ),
        notes=("measures take what is not judged for not relevant, or leave it out: low shares are guesses",),
    )


def _depth(measure: Measure) -> float:
    return measure.cutoff or math.inf


def _shares(systems: Sequence[System], measures: Sequence[Measure]) -> Iterator[Mark]:
    for i, measure in enumerate(measures):
        ends = np.array([each.interval(measure) for each in systems])
        yield Points(
            x=np.array([each.value(measure) for each in systems]),
            y=np.arange(float(len(systems))),
            left=ends[:, 0],
            right=ends[:, 1],
            labels=tuple(of_value(each.value(measure), each.interval(measure)) for each in systems),
            name=measure.label,
            tone=series(i),
        )


@picture("answered", Runs, place=90)
def answered(
    shown: Runs, *, measure: str | Measure | None = None, systems: str | Iterable[str] | None = None
) -> Figure:
    """The value of each system against the share of queries that it answers.

    Args:
        shown: results of several systems, of lists.
        measure: the measure; else the first.
        systems: one or several; else all.

    Raises:
        PictureError: all answer every query, or these are no lists.

    """
    found, own = some_of(shown, measure)[0], systems_of(shown, systems)
    counts = {each.name: result.counts for each in own if isinstance(result := shown[each.name], ListResult)}
    missing = {name: each.missing for name, each in counts.items() if each.missing}
    if not missing:
        raise PictureError("every system answers all queries; there is nothing to be seen")
    shares = {name: each.answered / each.judged for name, each in counts.items()}
    treated = dict.fromkeys(
        result.choices["missing"] for result in shown.results.values() if isinstance(result, ListResult)
    )
    least, every = min(shares, key=lambda name: shares[name]), max(each.judged for each in counts.values())
    told = (
        f"{each.name} answers {shares[each.name]:.1%}: {of_value(each.value(found), each.interval(found))}."
        for each in own
        if each.name in shares
    )
    return Figure(
        title=f"{found.label} and the share of queries that each system answers",
        subtitle=f"{queries(every)}; {least} answers {shares[least]:.1%}",
        description=" ".join(told),
        panels=(
            Panel(
                x=Axis(label="queries answered", reach=(1.0,), ticks="percent"),
                y=Axis(label=axis_of(found)),
                marks=tuple(_answers(found, each, shares[each.name]) for each in own if each.name in shares),
            ),
        ),
        notes=(
            f"what a query without an answer counts, missing=, is here: {' or '.join(treated)}",
            "with skip it is left out, so that answering less can look better",
        ),
    )


def _answers(measure: Measure, system: System, share: float) -> Points:
    low, high = system.interval(measure)
    return Points(
        x=np.array([share]),
        y=np.array([system.value(measure)]),
        low=np.array([low]),
        high=np.array([high]),
        name=system.name,
        tone=system.tone,
        hollow=system.later,
    )
