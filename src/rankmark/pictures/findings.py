"""What a check found, and what it does to the numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rankmark.checks.finding import Effect, Finding
from rankmark.checks.report import CheckReport
from rankmark.dataclassing import dataclass
from rankmark.errors import PictureError
from rankmark.figures import Axis, Bars, Figure, Panel, Points, Rule, picture
from rankmark.rendering.words import counted

__all__ = ["findings"]

TONES = {"serious": ("bad", 1.6), "worth knowing": ("series-1", 1.2), "fine": ("muted", 1.0)}
"""The colour and the size of points."""
HALF = 0.34
"""Half of a bar's breadth, of the room of a name."""
SAME = 1e-12
"""Values no further apart differ by the order of additions alone."""
MOST = 16
"""Effects that are drawn, the greatest."""


@picture("findings", CheckReport, place=10)
def findings(report: CheckReport) -> Figure:
    """What is odd in the data, how often, how serious it is, and how it changes the numbers.

    Args:
        report: of ``rm.check`` or ``rm.check_predictions``.

    Raises:
        PictureError: nothing odd was found.

    """
    found = report.findings
    if not found:
        raise PictureError("nothing odd was found, so there is nothing to draw")
    changes = list(_changes(found))
    several = len(report.tables) > 2
    panels = [_counts(found, several=several)]
    if changes:
        panels.append(_effects(sorted(changes, key=lambda each: -abs(each.by))[:MOST], several=several))
    serious = f"{len(report.serious):,}" if report.serious else "none"
    return Figure(
        title=f"{counted(len(found), 'finding')}, {serious} serious",
        subtitle="; ".join(f"{name}: {counted(table.rows, 'row')}" for name, table in report.tables.items()),
        description=" ".join(
            f"{each.severity}: {each.code} in {each.where}: {each.statement}." for each in found
        ),
        panels=tuple(panels),
        notes=(f"No sign of {', '.join(report.no_sign_of)}.",) if report.no_sign_of else (),
    )


def _counts(found: Sequence[Finding], *, several: bool) -> Panel:
    """A point for each finding, by how frequent it is."""
    places = np.arange(float(len(found)))
    counts = np.array([each.count for each in found], np.float64)
    marks = []
    for severity, (tone, size) in TONES.items():
        kept = np.array([each.severity == severity for each in found])
        if kept.any():
            points = Points(
                x=counts[kept],
                y=places[kept],
                labels=tuple(each.code for each in found if each.severity == severity),
                sizes=np.full(int(kept.sum()), size),
                name=severity,
                tone=tone,
                hollow=severity == "fine",
            )
            marks.append(points)
    return Panel(
        title="What is odd",
        x=Axis(label="how many there are", scale="log", reach=(0.7, 10.0)),
        y=Axis(
            scale="names",
            names=tuple(_called(each, several=several) for each in found),
            asides=tuple(each.statement for each in found),
            above=True,
        ),
        marks=tuple(marks),
    )


def _called(finding: Finding, *, several: bool) -> str:
    """Its code, and where it was found if there are several runs."""
    return f"{finding.code}, {finding.where}" if several else finding.code


@dataclass(frozen=True, slots=True)
class _Change:
    """What another way makes of a measure."""

    finding: Finding
    effect: Effect
    otherwise: str
    value: float

    @property
    def by(self) -> float:
        return self.value - (math.nan if self.effect.as_is is None else self.effect.as_is)


def _changes(found: Sequence[Finding]) -> Iterator[_Change]:
    for finding in found:
        for effect in finding.effects:
            for otherwise, value in effect.otherwise.items():
                change = _Change(finding, effect, otherwise, value)
                if abs(change.by) > SAME:
                    yield change


def _effects(changes: Sequence[_Change], *, several: bool) -> Panel:
    """Bars of changes of values, the greatest first."""
    places = np.arange(float(len(changes)))
    names = tuple(f"{each.effect.measure}, {each.otherwise}" for each in changes)
    bars = Bars(
        start=places - HALF,
        end=places + HALF,
        value=np.array([each.by for each in changes]),
        along="y",
        labels=tuple(f"{each.finding.code}: {name}" for each, name in zip(changes, names, strict=True)),
    )
    return Panel(
        title="What values would be otherwise",
        x=Axis(label="change of the value", reach=(0.0,)),
        y=Axis(
            scale="names",
            names=names,
            asides=tuple(
                f"{each.effect.as_is:.4f} to {each.value:.4f} · {_called(each.finding, several=several)}"
                for each in changes
            ),
        ),
        marks=(bars, Rule(x=0.0, tone="ink", dashed=False)),
    )
