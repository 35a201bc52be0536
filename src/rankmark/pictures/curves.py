"""Curves over thresholds: what is found against what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rankmark.api.curves import AREAS, CurveTable
from rankmark.figures import Axis, Figure, Line, Panel, Rule, picture
from rankmark.figures.marks import Floats
from rankmark.pictures.curve_columns import (
    RARE,
    at_share,
    columns_of,
    enough,
    how_sure,
    of_band,
    positive_reach,
    rare,
)

__all__ = ["det", "gain", "lift", "precision_recall", "roc"]

HEIGHT = 380.0
"""Pixels of a curve whose both axes are rates."""


@picture("ROC", CurveTable, place=10)
def roc(table: CurveTable, *, log: bool = False) -> Figure:
    """True positive rate against false positive rate, with a band if the table has one.

    Args:
        table: of ``rm.curve(…, "ROC")``; with ``confidence=0.95`` it has a band.
        log: whether false positive rates are on a logarithmic axis, for rare events.

    Raises:
        PictureError: it is another curve.

    """
    columns = columns_of(table, "ROC", "ROC")
    fpr, tpr = columns["fpr"], columns["tpr"]
    found = ", ".join(f"{at_share(fpr, tpr, at):.3g} at {at:g}" for at in (0.01, 0.1, 0.5))
    return _curve(
        table,
        title="ROC: positive rows found and others found with them",
        axes=(
            _rate("false positive rate (lower is better)", fpr, log=log),
            _rate("true positive rate, recall (higher is better)"),
        ),
        line=_line(columns, "fpr", "tpr", "ROC"),
        # On a logarithmic axis what is random is no straight line.
        beside=(
            Line(x=fpr, y=fpr, name="random scores", tone="muted", dashed=True)
            if log
            else Rule(name="random scores")
        ),
        described=f"The true positive rate is {found} of the false positive rate.",
        notes=rare(table) if not log else (),
    )


@picture("PR", CurveTable, place=10)
def precision_recall(table: CurveTable, *, log: bool = False) -> Figure:
    """Precision against recall, with a band if the table has one, beside the precision of random scores.

    Args:
        table: of ``rm.curve(…, "PR")``; with ``confidence=0.95`` it has a band.
        log: whether precision is on a logarithmic axis, for rare events.

    Raises:
        PictureError: it is another curve.

    """
    columns = columns_of(table, "PR", "PR")
    recall, precision = columns["recall"], columns["precision"]
    base = float(precision[-1])
    found = ", ".join(f"{precision[np.searchsorted(recall, at)]:.3g} at {at:g}" for at in (0.1, 0.5, 0.9))
    return _curve(
        table,
        title="Precision and recall",
        axes=(
            _rate("recall (share of positive rows found)"),
            _rate("precision (higher is better)", precision, log=log),
        ),
        line=_steps(_line(columns, "recall", "precision", "precision")),
        beside=Rule(y=base, name=f"random scores: {base:.3g}"),
        described=f"Precision is {found} of recall; of random scores it is {base:.4g}.",
        notes=(
            ("Precision is low: a logarithmic axis (log) shows what is next to 0.",)
            if base < RARE and not log
            else ()
        ),
    )


@picture("DET", CurveTable, place=10)
def det(table: CurveTable) -> Figure:
    """False negative rate against false positive rate on axes of normal deviates, which spread low rates.

    Args:
        table: of ``rm.curve(…, "DET")``; with ``confidence=0.95`` it has a band.

    Raises:
        PictureError: it is another curve.

    Source: A. Martin et al., The DET curve in assessment of detection task performance, Eurospeech 1997.

    """
    columns = columns_of(table, "DET", "DET")
    fpr, fnr = columns["fpr"], columns["fnr"]
    found = ", ".join(f"{at_share(fpr, fnr, at):.3g} at {at:g}" for at in (0.01, 0.1, 0.5))
    least = min(positive_reach(each) for each in (fpr, fnr, 1 - fpr, 1 - fnr))
    ends = max(min(least, 0.1), 1e-6)

    def axis(label: str) -> Axis:
        return Axis(label=label, scale="normal", limits=(ends, 1 - ends), ticks="percent")

    return _curve(
        table,
        title="Detection error tradeoff",
        axes=(
            axis("false positive rate (lower is better)"),
            axis("false negative rate, misses (lower is better)"),
        ),
        line=_line(columns, "fpr", "fnr", "DET"),
        beside=Line(x=fpr, y=1 - fpr, name="random scores", tone="muted", dashed=True),
        described=f"The false negative rate is {found} of the false positive rate.",
    )


@picture("gain", CurveTable, place=10)
def gain(table: CurveTable) -> Figure:
    """The share of positive rows found against the share of all rows looked at, the highest scores first.

    Args:
        table: of ``rm.curve(…, "gain")``.

    Raises:
        PictureError: it is another curve.

    """
    columns = columns_of(table, "gain", "gain")
    share, found = columns["share"], columns["gain"]
    shares = ", ".join(f"{at_share(share, found, at):.3g} in {at:.0%}" for at in (0.01, 0.1, 0.5))
    return _curve(
        table,
        title="Cumulative gain: positive rows among the highest scores",
        axes=(
            _rate("share of all rows, the highest scores first"),
            _rate("share of the positive rows among them (higher is better)"),
        ),
        line=_line(columns, "share", "gain", "gain"),
        beside=Rule(name="random scores"),
        described=f"Of the positive rows there are {shares} of the rows, those of the highest scores.",
    )


@picture("lift", CurveTable, place=10)
def lift(table: CurveTable, *, log: bool = False) -> Figure:
    """How many times the usual rate of positive rows there is among the highest scores.

    Args:
        table: of ``rm.curve(…, "lift")``.
        log: whether shares of rows are on a logarithmic axis, to look at the highest scores alone.

    Raises:
        PictureError: it is another curve.

    """
    columns = columns_of(table, "lift", "lift")
    share, found = columns["share"], columns["lift"]
    shares = ", ".join(f"{at_share(share, found, at):.3g} in {at:.0%}" for at in (0.01, 0.1, 0.5))
    kept, notes = enough(table, found * share)
    # Among the rows of the highest score, lift is the same at any share.
    x, y = np.append(0.0, share), np.where(kept, found, np.nan)[[0, *range(len(found))]]
    return _curve(
        table,
        title="Lift: times as many positive rows among the highest scores",
        axes=(
            _rate("share of all rows, the highest scores first", share[kept], log=log),
            Axis(label="lift over the rate of all rows (higher is better)", reach=(0.0,)),
        ),
        line=Line(x=x, y=y, name="lift"),
        beside=Rule(y=1.0, name="random scores: 1"),
        described=f"Lift is {shares} of the rows, those of the highest scores.",
        notes=notes,
    )


def _rate(label: str, values: Floats | None = None, *, log: bool = False) -> Axis:
    if log and values is not None:
        return Axis(label=label, scale="log", limits=(min(positive_reach(values), 0.5), 1.0), ticks="percent")
    return Axis(label=label, limits=(0.0, 1.0), ticks="percent")


def _line(columns: Mapping[str, Floats], x: str, y: str, name: str) -> Line:
    low, high = columns.get(f"{y}_low"), columns.get(f"{y}_high")
    return Line(x=columns[x], y=columns[y], low=low, high=high, name=name)


def _steps(line: Line) -> Line:
    """The line in steps, each as high from the point before as at its own."""

    def before(values: Floats | None) -> Floats | None:
        return None if values is None else np.append(values[1:], values[-1])

    return replace(
        line, y=np.append(line.y[1:], line.y[-1]), low=before(line.low), high=before(line.high), step=True
    )


def _curve(
    table: CurveTable,
    *,
    title: str,
    axes: tuple[Axis, Axis],
    line: Line,
    beside: Line | Rule,
    described: str,
    notes: tuple[str, ...] = (),
) -> Figure:
    """A curve beside what random scores come to."""
    x, y = axes
    area = f"area {table.area:.4f} ({AREAS[table.kind]})"
    return Figure(
        title=title,
        subtitle="; ".join(filter(None, [area, table.of_rows, how_sure(table)])),
        description=(
            f"{described} The area under the curve is {table.area:.4f} ({AREAS[table.kind]}). "
            f"There are {table.of_rows}."
        ),
        panels=(Panel(x=x, y=y, marks=(beside, line), square=x.limits == y.limits, height=HEIGHT),),
        notes=(*notes, *of_band(table)),
    )
