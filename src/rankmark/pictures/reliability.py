"""Whether as much happens as is predicted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankmark.api.curves import CurveTable
from rankmark.figures import Axis, Bars, Figure, Panel, Points, Rule, picture
from rankmark.figures.marks import Floats
from rankmark.pictures.curve_columns import columns_of, positive_reach
from rankmark.rendering.words import counted

__all__ = ["reliability", "scores_over_rates"]

MANY = 100.0
"""Times as many rows in one bin as in another from which only a logarithmic axis shows both bars."""


@picture("reliability", CurveTable, place=10)
def reliability(table: CurveTable, *, log: bool = False) -> Figure:
    """Rates of positive rows against mean scores in bins, with intervals, and the rows of each bin beneath.

    Args:
        table: of ``rm.curve(…, "calibration")``; with ``binning="mass"`` bins have about as many rows each.
        log: whether scores and rates are on logarithmic axes, for rare events.

    Raises:
        PictureError: it is another curve.

    """
    columns = columns_of(table, "calibration", "reliability")
    score, rate, low, high = (columns[each] for each in ("mean_score", "rate", "rate_low", "rate_high"))
    outside = int(((score < low) | (score > high)).sum())
    ends = _ends(columns, log=log)
    upright = min(positive_reach(each) for each in (rate, low)) / 1.2 if log else 0.0, float(high.max())
    without = int((rate == 0).sum()) if log else 0
    bins = Points(
        x=score,
        y=np.where((rate == 0) & log, np.nan, rate),
        low=low,
        high=high,
        name=f"rate of positive rows in a bin, with its {_level(table)} interval",
    )
    notes = [
        *table.crowded,
        f"The mean score is outside of {outside or 'none'} of the {counted(len(score), 'interval')}.",
    ]
    if without:
        notes.append(f"No point on a logarithmic axis of {counted(without, 'bin')} without a positive row.")
    number = counted(len(score), "bin")
    return Figure(
        title="Reliability: what is predicted and what happens",
        subtitle=f"{table.of_rows}, in {number}; on the diagonal as much happens as is predicted",
        description=(
            f"{len(score)} points with intervals, on the diagonal if scores are calibrated; it is outside of "
            f"{outside} intervals. Scores are from {score.min():.4g} to {score.max():.4g}, rates from "
            f"{rate.min():.4g} to {rate.max():.4g}. Bars beneath are the rows of each bin."
        ),
        panels=(
            Panel(
                x=_scores(ends, log=log, label=""),
                y=Axis(label="rate of positive rows", scale="log" if log else "linear", limits=upright),
                marks=(Rule(name="calibrated"), bins),
                height=300,
            ),
            _rows(columns, ends, log=log),
        ),
        notes=tuple(notes),
    )


@picture("PCOPC", CurveTable, place=20)
def scores_over_rates(table: CurveTable, *, log: bool = False) -> Figure:
    """Predicted over observed in bins of scores, with intervals, and the rows of each bin beneath.

    Args:
        table: of ``rm.curve(…, "calibration")``; with ``binning="mass"`` bins have about as many rows each.
        log: whether scores are on a logarithmic axis, for rare events.

    Raises:
        PictureError: it is another curve.

    """
    columns = columns_of(table, "calibration", "PCOPC")
    score, rate = columns["mean_score"], columns["rate"]
    with np.errstate(divide="ignore", invalid="ignore"):
        value, low, high = (score / columns[each] for each in ("rate", "rate_high", "rate_low"))
    there = np.isfinite(value) & (value > 0)
    known = np.concatenate([each[np.isfinite(each) & (each > 0)] for each in (value, low, high)])
    limits = (min(float(known.min(initial=1.0)) / 1.1, 0.5), max(float(known.max(initial=1.0)) * 1.1, 2.0))
    bins = Points(
        x=score,
        y=np.where(there, value, np.nan),
        low=np.where(low > 0, low, limits[0]),
        high=np.where(np.isfinite(high), high, limits[1]),
        name=f"predicted over observed in a bin, with its {_level(table)} interval",
    )
    without = int((rate == 0).sum())
    notes = [
        *table.crowded,
        *[f"No upper end of {counted(without, 'bin')} without a positive row."] * (without > 0),
    ]
    happened = float((rate * columns["weight"]).sum())
    whole = (
        f"{(score * columns['weight']).sum() / happened:.4g}" if happened else "no value: no row is positive"
    )
    ends = _ends(columns, log=log)
    extremes = f"from {value[there].min():.4g} to {value[there].max():.4g}" if there.any() else "of no value"
    number = counted(len(score), "bin")
    return Figure(
        title="PCOPC: predicted over observed, by score",
        subtitle=f"of all {whole}; {table.of_rows}, in {number}; above 1 too much is predicted",
        description=(
            f"{len(score)} points with intervals, {extremes}; 1 is calibrated, and of all rows it is "
            f"{whole}. Bars beneath are the rows of each bin."
        ),
        panels=(
            Panel(
                x=_scores(ends, log=log, label=""),
                y=Axis(label="predicted over observed (1 is calibrated)", scale="log", limits=limits),
                marks=(Rule(y=1.0, name="calibrated"), bins),
                height=260,
            ),
            _rows(columns, ends, log=log),
        ),
        notes=tuple(notes),
    )


def _level(table: CurveTable) -> str:
    return f"{100 * (table.confidence or 0.95):g}%"


def _ends(columns: Mapping[str, Floats], *, log: bool) -> tuple[float, float]:
    """From where to where the axis of scores goes."""
    greatest = max(float(columns[each].max()) for each in ("mean_score", "high"))
    if not log:
        return min(float(columns["low"].min()), 0.0), greatest or 1.0
    return min(positive_reach(columns["mean_score"]) / 1.2, greatest / 2), greatest


def _scores(ends: tuple[float, float], *, log: bool, label: str) -> Axis:
    return Axis(label=label, scale="log" if log else "linear", limits=ends)


def _rows(columns: Mapping[str, Floats], ends: tuple[float, float], *, log: bool) -> Panel:
    """How many rows each bin has, over the axis of the panel above."""
    rows = columns["rows"]
    bars = Bars(start=columns["low"], end=columns["high"], value=rows, tone="muted")
    many = float(rows.max()) > MANY * float(rows.min())
    upright = Axis(label="rows in a bin", reach=(0.0,))
    if many:
        upright = Axis(label="rows in a bin (logarithmic)", scale="log", limits=(0.5, float(rows.max())))
    return Panel(x=_scores(ends, log=log, label="predicted probability"), y=upright, marks=(bars,), height=70)
