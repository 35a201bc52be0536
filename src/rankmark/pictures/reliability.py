"""Whether as much happens as is predicted."""

from __future__ import annotations

import numpy as np

from rankmark.api.curves import CurveTable
from rankmark.errors import PictureError
from rankmark.figures import Axis, Bars, Figure, Panel, Points, Rule, picture

__all__ = ["reliability"]


@picture("reliability", CurveTable, place=10)
def reliability(table: CurveTable) -> Figure:
    """Rates of positive rows against mean scores in bins, with intervals, and the rows of each bin beneath.

    Args:
        table: of ``rm.curve(…, "calibration")``.

    Raises:
        PictureError: it is another curve.

    """
    if table.kind != "calibration":
        raise PictureError(f'reliability is of a curve of "calibration", and this is one of {table.kind}')
    columns = {name: table.frame[name].to_numpy().astype(np.float64) for name in table.frame.columns}
    score, rate = columns["mean_score"], columns["rate"]
    outside = int(((score < columns["rate_low"]) | (score > columns["rate_high"])).sum())
    greatest = float(max(score.max(), columns["rate_high"].max()))
    bins = Points(
        x=score,
        y=rate,
        low=columns["rate_low"],
        high=columns["rate_high"],
        name="rate of positive rows in a bin",
    )
    across = Axis(label="mean predicted probability", reach=(0.0, greatest))
    return Figure(
        title="Reliability: what is predicted and what happens",
        subtitle=f"{table.rows:,} rows, {table.positive:,} positive, in {len(score)} bins",
        description=(
            f"{len(score)} points with intervals, on the diagonal if scores are calibrated; it is outside of "
            f"{outside} intervals. Scores are from {score.min():.4g} to {score.max():.4g}, rates from "
            f"{rate.min():.4g} to {rate.max():.4g}. Bars beneath are the rows of each bin."
        ),
        panels=(
            Panel(
                x=across,
                y=Axis(label="rate of positive rows", reach=(0.0, greatest)),
                marks=(Rule(name="calibrated"), bins),
                height=300,
            ),
            Panel(
                x=Axis(label="score", reach=(0.0, greatest)),
                y=Axis(label="rows in a bin", reach=(0.0,)),
                marks=(Bars(start=columns["low"], end=columns["high"], value=columns["rows"], tone="muted"),),
                height=70,
            ),
        ),
    )
