"""What there is at each threshold, and where it is best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankmark.api.curves import CurveTable
from rankmark.errors import PictureError
from rankmark.figures import Axis, Figure, Line, Mark, Panel, Points, Segments, picture
from rankmark.figures.marks import Floats
from rankmark.pictures.curve_columns import columns_of, enough

__all__ = ["f1", "ks"]

HEIGHT = 320.0
NEARLY = 0.99
"""The share of rows found up to which a logarithmic axis goes down: the last scores can be next to 0."""


@picture("KS", CurveTable, place=10)
def ks(table: CurveTable, *, log: bool = False) -> Figure:
    """Shares of the positive and of the other rows that each threshold finds, and their greatest distance.

    Args:
        table: of ``rm.curve(…, "KS")``.
        log: whether thresholds are on a logarithmic axis, for rare events.

    Raises:
        PictureError: it is another curve.

    """
    columns = columns_of(table, "KS", "KS")
    threshold, tpr, fpr = columns["threshold"], columns["tpr"], columns["fpr"]
    at = int(np.flatnonzero(threshold == table.greatest_at)[0])
    where, low, high = (each[[at]] for each in (threshold, fpr, tpr))
    said = f"KS {table.greatest:.4f} at the threshold {table.greatest_at:.4g}"
    greatest = Segments(x=where, y=low, to_x=where, to_y=high, name=said, tone="ink")
    return _figure(
        table,
        title="KS: how far apart two classes are at each threshold",
        said=f"{said}, which finds {high[0]:.3g} of the positive rows and {low[0]:.3g} of the others",
        y=Axis(label="share of rows that score at least as much", limits=(0.0, 1.0), ticks="percent"),
        lines=(
            _line(table, "tpr", "positive rows", "series-1"),
            _line(table, "fpr", "other rows", "series-2"),
            greatest,
        ),
        every=fpr,
        log=log,
    )


@picture("F1", CurveTable, place=10)
def f1(table: CurveTable, *, log: bool = False) -> Figure:
    """Precision, recall and F1 at each threshold, and where F1 is greatest.

    Args:
        table: of ``rm.curve(…, "F1")``.
        log: whether thresholds are on a logarithmic axis, for rare events.

    Raises:
        PictureError: it is another curve.

    """
    columns = columns_of(table, "F1", "F1")
    threshold = columns["threshold"]
    at = int(np.flatnonzero(threshold == table.greatest_at)[0])
    precision, recall = (float(columns[name][at]) for name in ("precision", "recall"))
    kept, few = enough(table, columns["recall"])
    return _figure(
        table,
        title="Precision, recall and F1 at each threshold",
        said=f"F1 is greatest, {table.greatest:.4f}, at the threshold {table.greatest_at:.4g}: precision "
        f"{precision:.3g}, recall {recall:.3g}",
        y=Axis(label="of rows that score at least as much (higher is better)", limits=(0.0, 1.0)),
        lines=(
            replace(
                _line(table, "precision", "precision", "series-1"),
                y=np.where(kept & (columns["recall"] > 0), columns["precision"], np.nan),
            ),
            _line(table, "recall", "recall", "series-2"),
            _line(table, "f1", "F1", "series-3"),
            Points(
                x=threshold[[at]],
                y=columns["f1"][[at]],
                name=f"F1 {table.greatest:.4f} at the threshold {table.greatest_at:.4g}",
                tone="ink",
                hollow=True,
            ),
        ),
        every=columns["recall"],
        log=log,
        notes=(
            *[each.replace("Not drawn", "No precision") for each in few],
            "A threshold that is chosen where F1 is greatest on the same rows looks better than it is.",
        ),
    )


def _figure(
    table: CurveTable,
    *,
    title: str,
    said: str,
    y: Axis,
    lines: tuple[Mark, ...],
    every: Floats,
    log: bool,
    notes: tuple[str, ...] = (),
) -> Figure:
    """Lines over thresholds; `every` is the share of those found of which nearly all are to be seen."""
    threshold = table.frame["threshold"].to_numpy()
    x = Axis(label="threshold of the score")
    if log:
        there = np.isfinite(threshold) & (threshold > 0)
        shown = there & (every <= NEARLY)
        kept = threshold[shown if shown.sum() > 1 else there]
        if not len(kept):
            raise PictureError("no threshold is above 0, for a logarithmic axis: leave log=True out")
        least, most = float(kept.min()), float(kept.max())
        x = replace(x, scale="log", limits=(least, max(most, least * 2)))
        lines = tuple(_from(each, least) if isinstance(each, Line) else each for each in lines)
    return Figure(
        title=title,
        subtitle=f"{said}; {table.of_rows}",
        description=f"{said}. There are {table.of_rows}.",
        panels=(Panel(x=x, y=y, marks=lines, height=HEIGHT),),
        notes=notes,
    )


def _line(table: CurveTable, column: str, name: str, tone: str) -> Line:
    """A column over thresholds; where none is left out it changes at these alone."""
    columns = table.frame
    whole = table.thresholds == len(columns)
    x, y = (columns[each].to_numpy() for each in ("threshold", column))
    return Line(x=x, y=y, name=name, tone=tone, step=whole)


def _from(line: Line, least: float) -> Line:
    """The part of a line that is on the axis."""
    return replace(line, x=np.where(line.x >= least, line.x, np.nan))
