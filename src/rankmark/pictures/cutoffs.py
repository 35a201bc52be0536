"""Measures at one cutoff after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from rankmark.comparing.comparison import Comparison
from rankmark.errors import PictureError
from rankmark.figures import Axis, Figure, Line, Mark, Panel, Points, picture
from rankmark.language.measure import Measure
from rankmark.pictures.choosing import (
    System,
    confidence_of,
    cutoff_of,
    families,
    how_sure,
    some_of,
    systems_of,
)
from rankmark.pictures.words import axis_of, of_value
from rankmark.results.lists import ListResult
from rankmark.results.runs import Runs

__all__ = ["curves", "cutoffs"]

MOST_BANDS = 4
"""Systems up to which bands can be told from each other."""
FAR = 8
"""How many times the last cutoff is the first where the axis is of powers."""


@picture("cutoffs", ListResult, Runs, Comparison, place=50)
def cutoffs(
    shown: ListResult | Runs | Comparison,
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: str | Iterable[str] | None = None,
) -> Figure:
    """Measures against their cutoff k, a curve a system, with bands of their intervals.

    Args:
        shown: results that hold a measure at several cutoffs, as by ``"nDCG@{1,5,10}"``.
        measures: those of which all cutoffs are shown; else all that have two or more.
        systems: one or several; else all.

    Raises:
        PictureError: no measure has two cutoffs.

    """
    found = {name: own for name, own in families(some_of(shown, measures)).items() if len(own) > 1}
    if not found:
        raise PictureError(
            'no measure is here at several cutoffs; evaluate some, such as "nDCG@1", "nDCG@10"'
        )
    own = systems_of(shown, systems)
    return Figure(
        title=f"{', '.join(found)} by cutoff",
        subtitle=bands_words(shown, own),
        description=" ".join(_told(name, each, own) for name, each in found.items()),
        panels=tuple(_panel(name, each, own, titled=len(found) > 1) for name, each in found.items()),
        columns=min(len(found), 2),
        notes=bands_notes(shown, own),
        legend=len(own) > 1,
    )


def _panel(name: str, measures: Sequence[Measure], systems: Sequence[System], *, titled: bool) -> Panel:
    places = np.array([cutoff_of(each) for each in measures], np.float64)
    far = places[-1] >= FAR * places[0]
    return Panel(
        title=name if titled else "",
        x=Axis(
            label="cutoff k" + ", on a log scale" * bool(far),
            scale="log" if far else "linear",
            at=tuple(places.tolist()),
        ),
        y=Axis(label=axis_of(measures[0], name)),
        marks=tuple(curves(places, measures, systems, name)),
    )


def curves(
    places: np.ndarray[tuple[int], np.dtype[np.float64]],
    measures: Sequence[Measure],
    systems: Sequence[System],
    name: str,
) -> Iterator[Mark]:
    """A curve a system through its values of measures, one at each place; `name` is that of the only one."""
    for each in systems:
        y = np.array([each.value(measure) for measure in measures])
        ends = np.array([each.interval(measure) for measure in measures])
        banded = len(systems) <= MOST_BANDS and np.isfinite(ends).any()
        low, high = ends.T if banded else (None, None)
        called = each.name or name
        yield Line(x=places, y=y, low=low, high=high, name=called, tone=each.tone, dashed=each.later)
        yield Points(x=places, y=y, tone=each.tone, hollow=each.later, labels=(called,) * len(places))


def bands_words(shown: ListResult | Runs | Comparison, systems: Sequence[System]) -> str:
    """Of what the bands are."""
    confidence = confidence_of(shown)
    if not confidence:
        return "values, without intervals"
    bands = f"values, with bands of {confidence} intervals of each"
    return bands if len(systems) <= MOST_BANDS else "values; intervals of so many systems are not drawn"


def bands_notes(shown: ListResult | Runs | Comparison, systems: Sequence[System]) -> tuple[str, ...]:
    """What a reader of bands could misunderstand, and how to have some."""
    if not confidence_of(shown):
        return (how_sure(shown),)
    if len(systems) > MOST_BANDS:
        return (f"systems= with up to {MOST_BANDS} of them draws their intervals, too",)
    several = "; bands that overlap do not say that systems are not told apart" * (len(systems) > 1)
    return (f"each interval is of its value alone, not of the whole curve{several}",)


def _told(name: str, measures: Sequence[Measure], systems: Sequence[System]) -> str:
    first, last = measures[0], measures[-1]
    each = (
        f"{system.name + ' ' * bool(system.name)}"
        f"{of_value(system.value(first), system.interval(first))} to "
        f"{of_value(system.value(last), system.interval(last))}"
        for system in systems
    )
    return f"{name} from k = {cutoff_of(first)} to {cutoff_of(last)}: {'; '.join(each)}."
