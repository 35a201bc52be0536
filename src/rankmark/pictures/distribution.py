"""How values are spread over queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from rankmark.comparing.comparison import Comparison
from rankmark.errors import PictureError
from rankmark.figures import Axis, Boxes, Figure, Line, Mark, Panel, Points, picture
from rankmark.figures.marks import Floats
from rankmark.language.measure import Measure
from rankmark.pictures.choosing import System, confidence_of, some_of, systems_of
from rankmark.pictures.words import axis_of, of_value, queries
from rankmark.results.given import GivenResult
from rankmark.results.lists import ListResult
from rankmark.results.runs import Runs

__all__ = ["BOX_WORDS", "distribution", "five_numbers"]

FIVE = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The shares of queries beneath the numbers of a box."""
BOX_WORDS = "a box is of the middle half of the queries and their median, its whiskers of 5% to 95% of them"
MOST_LINES = 8
"""Systems up to which lines that cross can be told from each other."""


@picture("distribution", ListResult, GivenResult, Runs, Comparison, place=40)
def distribution(
    shown: ListResult | GivenResult | Runs | Comparison,
    *,
    measure: str | Measure | None = None,
    systems: str | Iterable[str] | None = None,
) -> Figure:
    """The values of a measure over queries: the share of queries up to each value, and boxes of quartiles.

    Args:
        shown: results of one system or several.
        measure: the measure; else the first that has values of queries.
        systems: one or several; else all.

    Raises:
        PictureError: no measure has values of queries.

    """
    found, own = _measure(shown, measure), systems_of(shown, systems)
    of = [np.sort(each.query_values(found)) for each in own]
    names = tuple(each.name or found.label for each in own)
    ends = five_numbers(of)
    reached = np.concatenate([*of, *(each.interval(found) for each in own)])
    reached = reached[np.isfinite(reached)]
    reach = (float(reached.min()), float(reached.max())) if len(reached) else (0.0, 1.0)
    across = Axis(label=axis_of(found, f"{found.label} of a query"), reach=reach)
    steps = Panel(
        x=Axis(reach=across.reach),
        y=Axis(label="queries with this value or less", limits=(0, 1), ticks="percent"),
        marks=tuple(_steps(own, of, names, reach)),
    )
    boxes = Panel(
        x=across,
        y=Axis(scale="names", names=names),
        marks=tuple(_boxes(own, found, ends, names)),
    )
    counts, confidence = dict.fromkeys(queries(len(values)) for values in of), confidence_of(shown)
    return Figure(
        title=f"{found.label} over queries",
        subtitle=" or ".join(counts) + f"; the value with its {confidence} interval" * bool(confidence),
        description=" ".join(
            _told(name, of_value(each.value(found), each.interval(found)), five)
            for each, name, five in zip(own, names, ends.T, strict=True)
        ),
        panels=(steps, boxes) if len(own) <= MOST_LINES else (boxes,),
        notes=(BOX_WORDS, *_without_lines(len(own))),
    )


def _without_lines(systems: int) -> Iterator[str]:
    if systems > MOST_LINES:
        yield f"lines of so many systems are not drawn; the option systems chooses up to {MOST_LINES}"


def _told(name: str, value: str, five: Floats) -> str:
    _, first, middle, third, _ = five
    if np.isnan(middle):
        return f"{name}: no query has a value."
    return (
        f"{name}: the value is {value}; of queries half have at most {middle:.4g}, a quarter at most "
        f"{first:.4g}, a quarter at least {third:.4g}."
    )


def _measure(shown: ListResult | GivenResult | Runs | Comparison, asked: str | Measure | None) -> Measure:
    """The measure that is asked for, or the first that has values of queries."""
    for each in some_of(shown, asked):
        if any(
            each in result.query_measures
            for result in (shown.results.values() if isinstance(shown, Runs) else [shown])
        ):
            return each
    raise PictureError(
        "there are no values of queries here; evaluate rankings, or name a measure that has any"
    )


def five_numbers(of: Sequence[Floats]) -> Floats:
    """The numbers of boxes, a column each: [five, boxes]."""
    found = np.full((len(FIVE), len(of)), np.nan)
    for i, values in enumerate(of):
        if len(values):
            found[:, i] = np.quantile(values, FIVE)
    return found


def _steps(
    systems: Sequence[System], of: Sequence[Floats], names: Sequence[str], reach: tuple[float, float]
) -> Iterator[Mark]:
    """The share of queries up to each value, from one end of the axis to the other."""
    for system, values, name in zip(systems, of, names, strict=True):
        if len(values):
            places, counts = np.unique(values, return_counts=True)
            share = np.cumsum(counts) / len(values)
            x, y = np.array([reach[0], *places, reach[1]]), np.array([0.0, *share, 1.0])
            yield Line(x=x, y=y, step=True, name=name, tone=system.tone, dashed=system.later)


def _boxes(systems: Sequence[System], measure: Measure, ends: Floats, names: Sequence[str]) -> Iterator[Mark]:
    for i, (system, name) in enumerate(zip(systems, names, strict=True)):
        low, first, middle, third, high = ends[:, i : i + 1]
        at = np.array([float(i)])
        yield Boxes(
            at=at,
            low=low,
            first=first,
            middle=middle,
            third=third,
            high=high,
            labels=(name,),
            tone=system.tone,
        )
    intervals = np.array([each.interval(measure) for each in systems])
    yield Points(
        x=np.array([each.value(measure) for each in systems]),
        y=np.arange(float(len(systems))),
        left=intervals[:, 0],
        right=intervals[:, 1],
        labels=tuple(names),
        name=f"value: {measure.mean} mean" if measure.page.aggregate == "mean" else "value",
        tone="ink",
    )
