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
    higher_is,
    how_sure,
    some_of,
    systems_of,
)
from rankmark.pictures.words import axis_of, of_value
from rankmark.results.lists import ListResult
from rankmark.results.runs import Runs

__all__ = ["bands_notes", "bands_words", "curves", "cutoffs", "is_banded"]

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
    bands: bool | None = None,
) -> Figure:
    """Measures against their cutoff k, a curve a system, with bands of their intervals.

    Args:
        shown: results that hold a measure at several cutoffs, as by ``"nDCG@{1,5,10}"``.
        measures: those of which all cutoffs are shown; else all that have two or more.
        systems: one or several; else all.
        bands: whether intervals are drawn; else of up to four systems.

    Raises:
        PictureError: no measure has two cutoffs.

    """
    found = {name: own for name, own in families(some_of(shown, measures)).items() if len(own) > 1}
    if not found:
        raise PictureError(
            'no measure is here at several cutoffs; evaluate some, such as "nDCG@1", "nDCG@10"'
        )
    own = systems_of(shown, systems)
    banded = is_banded(own, bands)
    return Figure(
        title=f"{', '.join(found)} by cutoff",
        subtitle=bands_words(shown, banded=banded),
        description=" ".join(_told(name, each, own) for name, each in found.items()),
        panels=tuple(
            _panel(name, each, own, titled=len(found) > 1, banded=banded) for name, each in found.items()
        ),
        columns=min(len(found), 2),
        notes=bands_notes(shown, own, banded=banded),
        legend=len(own) > 1,
    )


def _panel(
    name: str, measures: Sequence[Measure], systems: Sequence[System], *, titled: bool, banded: bool
) -> Panel:
    places = np.array([cutoff_of(each) for each in measures], np.float64)
    far = places[-1] >= FAR * places[0]
    return Panel(
        title=name if titled else "",
        x=Axis(
            label="cutoff k" + ", on a log scale" * bool(far),
            scale="log" if far else "linear",
            at=tuple(places.tolist()),
        ),
        y=Axis(label=higher_is(measures[0]) if titled else axis_of(measures[0], name)),
        marks=tuple(curves(places, measures, systems, name, banded=banded)),
    )


def curves(
    places: np.ndarray[tuple[int], np.dtype[np.float64]],
    measures: Sequence[Measure],
    systems: Sequence[System],
    name: str,
    *,
    banded: bool,
) -> Iterator[Mark]:
    """A curve a system through its values of measures, one at each place; `name` is that of the only one."""
    for each in systems:
        y = np.array([each.value(measure) for measure in measures])
        ends = np.array([each.interval(measure) for measure in measures])
        low, high = ends.T if banded and np.isfinite(ends).any() else (None, None)
        called = each.name or name
        yield Line(x=places, y=y, low=low, high=high, name=called, tone=each.tone, dashed=each.later)
        yield Points(x=places, y=y, tone=each.tone, hollow=each.later, labels=(called,) * len(places))


def is_banded(systems: Sequence[System], asked: bool | None) -> bool:
    """Whether curves have bands: as is asked for, or where so few can be told from each other."""
    return len(systems) <= MOST_BANDS if asked is None else asked


def bands_words(shown: ListResult | Runs | Comparison, *, banded: bool) -> str:
    """Of what the bands are."""
    confidence = confidence_of(shown)
    if not confidence:
        return "values, without intervals"
    bands = f"values, with bands of {confidence} intervals of each"
    return bands if banded else "values; their intervals are not drawn"


def bands_notes(
    shown: ListResult | Runs | Comparison, systems: Sequence[System], *, banded: bool
) -> tuple[str, ...]:
    """What a reader of bands could misunderstand, and how to have some."""
    if not confidence_of(shown):
        return (how_sure(shown),)
    if not banded:
        return ("the options bands and systems draw intervals of all or of some systems",)
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
