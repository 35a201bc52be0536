"""Systems by two measures at once, such as accuracy and coverage."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rankmark.comparing.comparison import Comparison
from rankmark.errors import PictureError
from rankmark.figures import Axis, Figure, Line, Mark, Panel, Points, Texts, picture
from rankmark.language.measure import Measure
from rankmark.pictures.choosing import System, confidence_of, measures_of, some_of, systems_of
from rankmark.pictures.words import axis_of, of_value
from rankmark.rendering.words import counted, listed
from rankmark.results.runs import Runs

__all__ = ["tradeoff"]

SIGNS = {"more": 1.0, "less": -1.0}
"""By what values are multiplied, so that more is better."""


@picture("tradeoff", Runs, Comparison, place=35)
def tradeoff(
    shown: Runs | Comparison,
    *,
    x: str | Measure | None = None,
    y: str | Measure | None = None,
    systems: str | list[str] | None = None,
) -> Figure:
    """A point a system: its value by one measure across, by another upright, and those that no other beats.

    Args:
        shown: results of several systems.
        x: the measure across; else the first.
        y: the one upright; else the first of what is recommended, such as coverage, or the second.
        systems: one or several; else all.

    Raises:
        PictureError: there is one measure alone, or none of what is recommended and nothing is asked for, or
            no system has values of both.

    """
    across, upright = _measures(shown, x, y)
    every = systems_of(shown, systems)
    own = [each for each in every if not _is_nan(each, across, upright)]
    if not own:
        raise PictureError(f"no system has values of both {across.label} and {upright.label}")
    front = _front(own, across, upright)
    confidence = confidence_of(shown)
    names = listed([each.name for each in front]) if front else ""
    best = f"{names} is the best by both" if len(front) == 1 else f"best trade-offs: {names}"
    told = (
        f"{each.name} {across.label} {of_value(each.value(across), each.interval(across))} and "
        f"{upright.label} {of_value(each.value(upright), each.interval(upright))}"
        for each in own
    )
    left_out = len(every) - len(own)
    return Figure(
        title=f"{upright.label} against {across.label} of {counted(len(own), 'system')}",
        subtitle=best if front else "values of which more is neither better nor worse have no front",
        description=f"{'; '.join(told)}. {best if front else 'There is no front'}.",
        panels=(
            Panel(
                x=Axis(label=axis_of(across)),
                y=Axis(label=axis_of(upright)),
                marks=(*_marks(own, front, across, upright),),
            ),
        ),
        notes=(
            *[f"{confidence} intervals across and upright"] * bool(confidence),
            *[f"{counted(left_out, 'system')} without both values"] * bool(left_out),
        ),
    )


def _measures(
    shown: Runs | Comparison, x: str | Measure | None, y: str | Measure | None
) -> tuple[Measure, Measure]:
    """What stands across, and what upright."""
    every = measures_of(shown)
    across = every[0] if x is None else some_of(shown, x)[0]
    others = [each for each in every if each != across]
    if y is not None:
        return across, some_of(shown, y)[0]
    if not others:
        raise PictureError(f"{across.label} alone: a picture of two measures needs a second one")
    if all(each.page.kind != "item" for each in every):
        raise PictureError("nothing of what is recommended was measured: say which two measures, x= and y=")
    of_items = (each for each in others if each.page.kind == "item" and across.page.kind != "item")
    return across, next(of_items, others[0])


def _is_nan(system: System, *measures: Measure) -> bool:
    return any(math.isnan(system.value(each)) for each in measures)


def _front(own: Sequence[System], across: Measure, upright: Measure) -> list[System]:
    """The systems of which no other is as good by both measures and better by one, from left to right."""
    if not {across.better, upright.better} <= set(SIGNS):
        return []
    places = np.array(
        [[SIGNS[each.better] * system.value(each) for each in (across, upright)] for system in own]
    )
    front = [
        system
        for system, place in zip(own, places, strict=True)
        if not ((places >= place).all(axis=1) & (places > place).any(axis=1)).any()
    ]
    return sorted(front, key=lambda each: (each.value(across), each.value(upright)))


def _marks(
    own: Sequence[System], front: Sequence[System], across: Measure, upright: Measure
) -> Iterator[Mark]:
    if len(front) > 1:
        yield Line(
            x=np.array([each.value(across) for each in front]),
            y=np.array([each.value(upright) for each in front]),
            name="front",
            tone="muted",
            dashed=True,
        )
    right_of, above = (_middle([each.value(measure) for each in own]) for measure in (across, upright))
    for each in own:
        x, y = each.value(across), each.value(upright)
        (left, right), (low, high) = each.interval(across), each.interval(upright)
        yield Points(
            x=np.array([x]),
            y=np.array([y]),
            left=np.array([left]),
            right=np.array([right]),
            low=np.array([low]),
            high=np.array([high]),
            labels=(f"{each.name}: {of_value(x, (left, right))}; {of_value(y, (low, high))}",),
            name=each.name,
            tone=each.tone,
            hollow=each.later,
        )
        # Towards the middle, where there is room, and off the front, which mostly falls to the right.
        is_right = x > right_of
        yield Texts(
            x=np.array([x]),
            y=np.array([y]),
            texts=(each.name,),
            anchor="end" if is_right else "start",
            shift=(-9 if is_right else 9, 16 if is_right and y > above else -9),
        )


def _middle(values: Sequence[float]) -> float:
    return (min(values) + max(values)) / 2
