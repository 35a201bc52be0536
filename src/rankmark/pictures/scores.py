"""How far apart the scores of two classes are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankmark.api.curves import CurveTable
from rankmark.errors import PictureError
from rankmark.figures import Axis, Figure, Line, Panel, picture
from rankmark.figures.marks import Floats
from rankmark.pictures.curve_columns import columns_of, positive_reach

__all__ = ["scores"]

UNEVEN = 1.01
"""Times as broad as another a bin is from which heights have to be shares by breadth."""
CLASSES: Mapping[str, tuple[str, str]] = {
    "negative": ("other rows", "series-2"),
    "positive": ("positive rows", "series-1"),
}
"""What the classes are called and drawn in."""


@picture("scores", CurveTable, place=10)
def scores(table: CurveTable, *, log: bool = False) -> Figure:
    """Distributions of the scores of positive rows and of all others.

    Each is of the share of its class, so that few positive rows are seen beside many others.

    Args:
        table: of ``rm.curve(…, "scores")``.
        log: whether scores are on a logarithmic axis, for rare events; best with ``binning="mass"``.

    Raises:
        PictureError: it is another curve.

    """
    columns = columns_of(table, "scores", "scores")
    ends = _ends(columns, log=log)
    with np.errstate(divide="ignore"):
        low, high = (np.log10(columns[each]) if log else columns[each] for each in ("low", "high"))
    breadth = high - low
    uneven = len(breadth) > 1 and float(breadth.max()) > UNEVEN * float(breadth.min())
    shares = {name: columns[name] / (columns[name].sum() or 1.0) for name in CLASSES}
    upright = "share of the class in a bin"
    if uneven:
        upright = f"share of the class by {'tenfold' if log else 'unit of'} score (area adds up to 1)"
    medians = (f"{_middle(columns, shares[name])} of {said}" for name, (said, _) in CLASSES.items())
    return Figure(
        title="Scores of positive and of other rows",
        subtitle=f"{table.of_rows}, in {len(breadth)} bins; each class adds up to 1",
        description=(
            f"Two distributions over scores from {ends[0]:.4g} to {ends[1]:.4g}. The bin with the median is "
            f"{' and '.join(medians)}."
        ),
        notes=table.crowded,
        panels=(
            Panel(
                x=Axis(
                    label="score (logarithmic)" if log else "score",
                    scale="log" if log else "linear",
                    limits=ends,
                ),
                y=Axis(label=upright, reach=(0.0,), ticks="number" if uneven else "percent"),
                marks=tuple(
                    _outline(
                        name,
                        columns,
                        shares[name] / breadth if uneven else shares[name],
                        "weight " if table.weighted else "",
                    )
                    for name in CLASSES
                ),
                height=300,
            ),
        ),
    )


def _ends(columns: Mapping[str, Floats], *, log: bool) -> tuple[float, float]:
    """From where to where the axis of scores goes; a logarithmic one into the first bin."""
    least, greatest = float(columns["low"].min()), float(columns["high"].max())
    if log and greatest <= 0:
        raise PictureError("no score is above 0, for a logarithmic axis: leave log=True out")
    if log:
        first = float(columns["high"][0]) / 10
        least = min(max(positive_reach(np.append(columns["low"], first)), first), greatest / 2)
    return least, greatest if greatest > least else least + 1.0


def _outline(name: str, columns: Mapping[str, Floats], heights: Floats, unit: str) -> Line:
    """The bars of a class as one line, filled; `unit` is what its amount is, if that is no rows."""
    said, tone = CLASSES[name]
    x, y = _steps(columns, heights)
    whole = f"{said}: {unit}{_amount(float(columns[name].sum()))}"
    return Line(x=x, y=y, low=np.zeros(len(y)), high=y, step=True, name=whole, tone=tone)


def _steps(columns: Mapping[str, Floats], heights: Floats) -> tuple[Floats, Floats]:
    """The outline of bars, which go down to 0 where bins are left out."""
    x: list[float] = []
    y: list[float] = []
    for low, high, height in zip(columns["low"], columns["high"], heights, strict=True):
        if x and x[-1] == low:
            y[-1] = height
        else:
            x.append(low)
            y.append(height)
        x.append(high)
        y.append(0.0)
    return np.array(x), np.array(y)


def _amount(weight: float) -> str:
    return f"{weight:,.0f}" if weight.is_integer() or weight >= 1000 else f"{weight:,.4g}"


def _middle(columns: Mapping[str, Floats], share: Floats) -> str:
    """The bin in which the median is."""
    at = int(np.searchsorted(np.cumsum(share), 0.5 - 1e-12))
    at = min(at, len(share) - 1)
    return f"{columns['low'][at]:.4g} to {columns['high'][at]:.4g}"
