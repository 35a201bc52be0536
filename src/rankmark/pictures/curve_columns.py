"""What pages of curves have in common: the columns of a table, and the words around them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rankmark.api.curves import BANDS, CurveTable, Kind
from rankmark.errors import PictureError
from rankmark.figures.marks import Floats

__all__ = ["at_share", "columns_of", "enough", "how_sure", "of_band", "positive_reach", "rare"]

FEW = 10
"""Positive rows fewer than which say little of what their share among those found is."""
RARE = 0.01
"""The share of positive rows below which a rate of false positives says little of how many they are."""


def columns_of(table: CurveTable, kind: Kind, name: str) -> Mapping[str, Floats]:
    """The columns of a table of this kind.

    Raises:
        PictureError: it is of another.

    """
    if table.kind != kind:
        raise PictureError(
            f'{name} is of rm.curve(…, "{kind}"), and this is of "{table.kind}": ask for that curve'
        )
    return {each: table.frame[each].to_numpy().astype(np.float64) for each in table.frame.columns}


def how_sure(table: CurveTable) -> str:
    """What the band is, or how there is one, for subtitles."""
    if table.confidence is not None:
        return f"band: {100 * table.confidence:g}%, point by point"
    if table.kind not in BANDS:
        return ""
    weighted = "no band, which takes rows without weights"
    return weighted if table.weighted else "no band: a confidence of 0.95 gives one"


def of_band(table: CurveTable) -> tuple[str, ...]:
    """A note of what a band takes for granted."""
    if table.confidence is None:
        return ()
    return ("The band takes rows for independent: of users with many rows each it is too narrow.",)


def enough(table: CurveTable, found: Floats) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """Where so many positive rows are found that rates among them are told, and a note if some are not.

    Args:
        table: of how many positive rows it is.
        found: the share of them that is found at each point.

    """
    few = (found * table.positive < FEW) & (table.positive > 2 * FEW)
    note = f"Not drawn where fewer than {FEW} positive rows are found: much of it is chance."
    return ~few, (note,) if few.any() else ()


def rare(table: CurveTable) -> tuple[str, ...]:
    """A note where there are so few positive rows that a small rate of all others is far more than they."""
    share = table.positive / table.rows
    if share >= RARE:
        return ()
    percent = f"{100 * share:.2g}%"
    note = (
        f"{percent} of the rows are positive: a false positive rate of {percent} is as many rows as all "
        "positive ones. A logarithmic axis (log) shows low rates, and precision is in the curve PR."
    )
    return (note,)


def at_share(x: Floats, y: Floats, where: float) -> float:
    """What a curve, drawn straight from point to point, is at a place."""
    return float(np.interp(where, x, y))


def positive_reach(values: Floats) -> float:
    """The least number above 0, at which a logarithmic axis begins; 1 if there is none."""
    found = values[(values > 0) & np.isfinite(values)]
    return float(found.min()) if len(found) else 1.0
