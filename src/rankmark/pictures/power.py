"""What numbers of queries can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankmark.comparing.powers import PowerRow, TopicSetSize
from rankmark.errors import PictureError, UsageError
from rankmark.figures import Axis, Figure, Line, Mark, Panel, Points, Rule, picture
from rankmark.figures.marks import Floats, series

__all__ = ["power"]

PLACES = 60
"""Numbers of queries of which a curve is."""
FEWEST = 5
"""Queries at which curves begin."""
FAR = 2.0
"""How far beyond the most queries that there are, or are needed, curves go."""
MOST = 6
"""Curves of a measure that are drawn."""
SHOWN = {
    "t": "difference that is detected",
    "anova": "greatest difference that is detected",
    "interval": "expected width of the interval",
    "gate": "drop that is detected",
}


@picture("power", TopicSetSize, place=10)
def power(shown: TopicSetSize, *, system: str | None = None, baseline: str | None = None) -> Figure:
    """What numbers of queries show, how much these do, and how many what is wanted takes.

    Args:
        shown: of ``rm.power``.
        system: pairs of this one alone.
        baseline: pairs against this one alone.

    Raises:
        PictureError: nothing is known of any number of queries.

    """
    rows = [
        row
        for row in shown.rows
        if (row.detectable is not None or row.needed is not None)
        and system in (None, row.system)
        and baseline in (None, row.baseline)
    ]
    if not rows:
        raise PictureError("it is not known of any number of queries what they show; the notes say why")
    of_measure: dict[str | None, list[PowerRow]] = {}
    for row in rows:
        of_measure.setdefault(row.measure, []).append(row)
    return Figure(
        title="How many queries show how much",
        subtitle=shown._line(),
        description=" ".join(_told(row) for row in rows),
        panels=tuple(_panel(shown, own[:MOST], titled=len(of_measure) > 1) for own in of_measure.values()),
        columns=min(len(of_measure), 2),
        legend=any(row.system is not None for row in rows),
        notes=tuple(_notes(shown, max(map(len, of_measure.values())))),
    )


def _notes(shown: TopicSetSize, most: int) -> Iterator[str]:
    yield "filled: the queries that there are; hollow: as many as what is wanted takes"
    if most > MOST:
        yield f"the first {MOST} of {most} pairs; system= and baseline= choose others"
    yield from shown.notes


def _named(row: PowerRow) -> str:
    return row.measure or "queries" if row.system is None else f"{row.system} − {row.baseline}"


def _told(row: PowerRow) -> str:
    """What is known of a row."""
    of = f"{row.measure}, " * (row.system is not None) + _named(row)
    can = "" if row.detectable is None else f"{row.queries:,} queries show {row.detectable:.4f}"
    takes = "" if row.needed is None else f"{abs(row.wanted or 0):.4f} takes {row.needed:,}"
    return f"{of}: {', '.join(filter(None, (can, takes)))}."


def _panel(shown: TopicSetSize, rows: Sequence[PowerRow], *, titled: bool) -> Panel:
    """The rows of one measure."""
    measure = rows[0].measure
    numbers = [count for row in rows for count in (row.queries, row.needed) if count is not None]
    places = np.unique(np.geomspace(FEWEST, max(FAR * max(numbers), 2 * FEWEST), PLACES).round())
    wanted = {abs(row.wanted) for row in rows if row.wanted is not None}
    one = wanted.pop() if len(wanted) == 1 else None
    curves = [mark for i, row in enumerate(rows) for mark in _curve(shown, row, places, series(i))]
    return Panel(
        title=(measure or "") * titled,
        x=Axis(label="queries, on a log scale", scale="log"),
        y=Axis(label=SHOWN[shown.design] + f", of {measure}" * bool(measure), reach=(0.0,)),
        marks=(*([] if one is None else [Rule(y=one, text=f"wanted {one:.4g}")]), *curves),
    )


def _curve(shown: TopicSetSize, row: PowerRow, places: Floats, tone: str) -> Iterator[Mark]:
    """A curve, the point of the queries that there are, and that of as many as are needed."""
    name = _named(row)
    try:
        curve = shown.curve(row, places.astype(int).tolist())
        yield Line(x=places, y=np.array(curve), name=name, tone=tone)
        name = ""
    except UsageError:
        # The points alone are known then, and stand for it in the legend.
        pass
    for count, value, what in (
        (row.queries, row.detectable, "there are"),
        (row.needed, row.wanted, "are needed"),
    ):
        if count is not None and value is not None:
            told = (f"{_named(row)}: {count:,} queries {what}",)
            at, height = np.array([float(count)]), np.array([abs(value)])
            yield Points(x=at, y=height, labels=told, name=name, tone=tone, hollow=what == "are needed")
