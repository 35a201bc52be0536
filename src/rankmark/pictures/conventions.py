"""What a number would be by the rules of other tools, and by which definition a given one came about."""

from __future__ import annotations

import numpy as np

from rankmark.errors import PictureError
from rankmark.figures import Axis, Figure, Panel, Points, Rule, Segments, picture
from rankmark.language.conventions.convention import meant
from rankmark.language.registry import LISTS_FIRST
from rankmark.peers.difference import OURS, Alike, Differences
from rankmark.peers.identification import Candidate, Identification
from rankmark.pictures.words import axis_of
from rankmark.rendering.words import counted, first_of, rounded

__all__ = ["conventions", "definitions"]

MOST_NAMES = 2
"""Conventions that stand at a row; how many others there are is said."""
MOST_ROWS = 16
"""Definitions that are shown beside those that fit."""


@picture("conventions", Differences, place=10)
def conventions(found: Differences, *, measure: str | None = None, digits: int = 4) -> Figure:
    """A number under several conventions, those of one value and one reason together, with the reason.

    Args:
        found: of ``rm.differences``; without its ``like`` all conventions are in it.
        measure: the measure as it was asked for; else the first.
        digits: after the point, to which values are one.

    Raises:
        UsageError: the measure was not asked for.
        PictureError: the first convention has no value of it.

    """
    first = found.like[0]
    asked = measure or next(
        (name for name, of in found.values.items() if first in of), next(iter(found.values))
    )
    groups = found.alike(asked, digits)
    if np.isnan(found.values[asked][first]):
        raise PictureError(f"{first} has no value of {asked} on these data")
    (own,) = (each for each in groups if first in each.like)
    values = np.array([each.value for each in groups])
    others = np.flatnonzero([first not in each.like for each in groups])
    told = [_told(each, digits) for each in groups]
    mine = [groups.index(own)]
    rows = np.arange(float(len(groups)))
    least, most = groups[-1], groups[0]
    count = sum(len(each.like) for each in groups)
    different = len({rounded(each.value, f".{digits}f") for each in groups})
    marks = (
        Rule(x=own.value, tone="ink"),
        Segments(
            x=np.full(len(others), own.value),
            y=rows[others],
            to_x=values[others],
            to_y=rows[others],
            tone="muted",
        ),
        Points(
            x=values[others],
            y=rows[others],
            labels=tuple(", ".join(groups[i].like) for i in others),
            name=f"otherwise than {first}",
            tone="series-1",
        ),
        Points(x=values[mine], y=rows[mine], labels=(", ".join(own.like),), name=f"as {first}", tone="ink"),
    )
    measured = meant(asked, None if first == OURS else first, LISTS_FIRST)
    return Figure(
        title=f"{asked} of one run, by the rules of {counted(count, 'tool')}",
        subtitle=(
            f"{counted(different, 'different value')}, from {rounded(least.value, f'.{digits}f')} to "
            f"{rounded(most.value, f'.{digits}f')}; the line is {first}"
        ),
        description=" ".join(
            f"{rounded(each.value, f'.{digits}f')}: {', '.join(each.like)}"
            + (f" ({', '.join(each.changes)})." if each.changes else ".")
            for each in groups
        ),
        panels=(
            Panel(
                x=Axis(label=axis_of(measured, asked)),
                y=Axis(
                    scale="names",
                    names=tuple(first_of(each.like, MOST_NAMES) for each in groups),
                    asides=tuple(told),
                ),
                marks=marks,
            ),
        ),
        notes=(
            f"Beside each value: what its tools do otherwise than {first}, the greatest effect first.",
            *(line for line in found.lacking if asked in line or not any(map(line.count, found.values))),
        ),
        legend=False,
    )


def _told(group: Alike, digits: int) -> str:
    """What stands beside a point."""
    return " · ".join([rounded(group.value, f".{digits}f"), *filter(None, [", ".join(group.changes)])])


@picture("definitions", Identification, place=10)
def definitions(found: Identification) -> Figure:
    """A number that was given, and those of the definitions that come nearest to it.

    Args:
        found: of ``rm.identify``.

    """
    fitting = len(found.found)
    shown = found.candidates[: max(MOST_ROWS, fitting)]
    digits = min(max(4, -int(np.floor(np.log10(found.tolerance)))), 12)
    rows, values = np.arange(float(len(shown))), np.array([each.value for each in shown])
    marks = [
        Points(
            x=values[part],
            y=rows[part],
            labels=tuple(each.signature for each in shown[part]),
            name=name,
            tone=tone,
            hollow=hollow,
        )
        for name, tone, hollow, part in (
            ("this number to its digits", "good", False, slice(None, fitting)),
            ("another number", "muted", True, slice(fitting, None)),
        )
        if len(values[part])
    ]
    low, high = found.wanted - found.tolerance, found.wanted + found.tolerance
    return Figure(
        title=found.verdict,
        subtitle=f"of {counted(found.tried, 'definition')} tried; the line is the number as it was given",
        description=" ".join(f"{rounded(each.value, f'.{digits}f')}: {_definition(each)}." for each in shown),
        panels=(
            Panel(
                x=Axis(label=found.measure),
                y=Axis(
                    scale="names",
                    names=tuple(map(_definition, shown)),
                    asides=tuple(_told_of(each, digits) for each in shown),
                ),
                marks=(Rule(x=found.wanted, low=low, high=high, tone="ink"), *marks),
            ),
        ),
        notes=("At the left: what a definition does otherwise than the standard of rankmark.",),
    )


def _definition(each: Candidate) -> str:
    return ", ".join(each.changes) or "the standard of rankmark"


def _told_of(each: Candidate, digits: int) -> str:
    like = f" · as {first_of(each.like, MOST_NAMES)}" if each.like else ""
    return f"{rounded(each.value, f'.{digits}f')}{like}"
