"""Systems in the order of their values, and which of them are told apart."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from rankmark.comparing.boards import TITLES, Board, BoardRow
from rankmark.figures import Axis, Figure, Mark, Panel, Points, Segments, picture
from rankmark.pictures.words import axis_of, of_value
from rankmark.rendering.words import counted

__all__ = ["board", "critical_difference"]

MOST_BESIDE = 24
"""Letters of names, up to which two panels stand beside each other."""


@picture("board", Board, place=10)
def board(shown: Board) -> Figure:
    """The systems of a leaderboard: their values with intervals, and the ranks that each can have.

    Args:
        shown: the leaderboard.

    """
    rows, alpha = shown.rows, shown.plan.alpha
    names = tuple(row.system for row in rows)
    places = np.arange(float(len(rows)))
    values = Points(
        x=np.array([row.value for row in rows]),
        y=places,
        left=np.array([row.interval.low for row in rows]),
        right=np.array([row.interval.high for row in rows]),
        labels=tuple(of_value(row.value, row.interval[:2]) for row in rows),
    )
    low, high = np.array([row.ranks for row in rows], np.float64).T
    ranks = (
        Segments(x=low, y=places, to_x=high, to_y=places, thick=True, tone="muted"),
        Points(x=np.array([float(row.rank) for row in rows]), y=places, tone="ink", hollow=True),
    )
    told = (
        f"{row.system}: {of_value(row.value, row.interval[:2])}, ranks {row.ranks.low} to {row.ranks.high}"
        for row in rows
    )
    return Figure(
        title=f"{counted(len(rows), 'system')} by {shown.measure.label}",
        subtitle=f"values with {100 * shown.plan.confidence:g}% intervals, and the ranks systems can have",
        description="; ".join(told) + ".",
        panels=(
            Panel(
                x=Axis(label=axis_of(shown.measure)),
                y=Axis(scale="names", names=names),
                marks=(values,),
            ),
            Panel(
                x=_ranks(len(rows), f"rank, {100 * (1 - alpha):g}% confidence of all"),
                y=Axis(scale="names", names=tuple(f"{', '.join(row.groups)}: {row.system}" for row in rows)),
                marks=ranks,
            ),
        ),
        columns=2 if max(map(len, names)) <= MOST_BESIDE else 1,
        notes=tuple(shown.account()[:4]),
    )


@picture("critical-difference", Board, place=20)
def critical_difference(shown: Board) -> Figure:
    """Mean ranks of systems, with bars over those that are not told apart.

    Args:
        shown: the leaderboard; with ``test="nemenyi"`` by the critical difference of mean ranks.

    """
    rows = sorted(shown.rows, key=lambda row: row.mean_rank)
    groups = _groups(rows)
    across = _ranks(len(rows), "mean rank (1 is the best)")
    by = TITLES[shown.test]
    least = shown.critical_difference if shown.test == "nemenyi" else None
    panels = [
        Panel(
            x=across,
            y=Axis(
                scale="names",
                names=tuple(row.system for row in rows),
                asides=tuple(f"{row.mean_rank:.2f}" for row in rows),
            ),
            marks=(
                Points(
                    x=np.array([row.mean_rank for row in rows]), y=np.arange(float(len(rows))), tone="ink"
                ),
            ),
        )
    ]
    bars = tuple(_bars(groups, least))
    if bars:
        named = (
            *["critical difference"] * (least is not None),
            *(f"not told apart: {name}" for name in groups),
        )
        panels.append(Panel(x=across, y=Axis(scale="names", names=named), marks=bars))
    return Figure(
        title=f"Mean ranks by {shown.measure.label}, and which systems are not told apart",
        subtitle=f"{by}, α = {shown.plan.alpha:g}" + (f", critical difference {least:.2f}" if least else ""),
        description=(
            "Mean ranks: "
            + ", ".join(f"{row.system} {row.mean_rank:.2f}" for row in rows)
            + ". Not told apart: "
            + ("; ".join(" and ".join(row.system for row in group) for group in groups.values()) or "none")
            + "."
        ),
        panels=tuple(panels),
        notes=tuple(_notes(shown, groups)),
    )


def _ranks(count: int, label: str) -> Axis:
    places = tuple(float(rank) for rank in range(1, count + 1))
    return Axis(label=label, limits=(0.7, count + 0.3), at=places)


def _groups(rows: Sequence[BoardRow]) -> dict[str, list[BoardRow]]:
    """The systems of each group of two or more by its letter, in the order of these rows."""
    names = dict.fromkeys(name for row in rows for name in row.groups)
    groups = {name: [row for row in rows if name in row.groups] for name in names}
    return {name: group for name, group in groups.items() if len(group) > 1}


def _bars(groups: Mapping[str, Sequence[BoardRow]], least: float | None) -> Iterator[Mark]:
    """A bar a group with a point a system on it, beneath one as long as the critical difference."""
    if least is not None:
        zero = np.zeros(1)
        yield Segments(
            x=zero + 1, y=zero, to_x=zero + 1 + least, to_y=zero, tone="ink", labels=(f"{least:.2f}",)
        )
    for i, group in enumerate(groups.values(), 0 if least is None else 1):
        ranks = np.array([row.mean_rank for row in group])
        at = np.array([float(i)])
        yield Segments(x=ranks[:1], y=at, to_x=ranks[-1:], to_y=at, thick=True, tone="muted")
        yield Points(
            x=ranks,
            y=np.full(len(group), float(i)),
            labels=tuple(row.system for row in group),
            tone="ink",
            hollow=True,
        )


def _notes(shown: Board, groups: Collection[str]) -> Iterator[str]:
    yield "a bar has a point for each of its systems" if groups else "all systems are told apart"
    if shown.test != "nemenyi":
        yield 'told apart are values, by the test above; test="nemenyi" tells mean ranks apart'
    yield from shown.account()[3:6]
