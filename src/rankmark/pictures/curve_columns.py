"""What pages of curves have in common: the columns of a table, and the words around them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankmark.api.curves import BANDS, CurveTable, Kind
from rankmark.errors import PictureError
from rankmark.figures.marks import Floats

__all__ = ["at_share", "columns_of", "how_sure", "of_rows", "positive_reach", "rare"]

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


def of_rows(table: CurveTable) -> str:
    """Of what it is, for subtitles."""
    return f"{table.rows:,} rows, {table.positive:,} positive{', weighted' * table.weighted}"


def how_sure(table: CurveTable) -> str:
    """What the band is, or how there is one, for subtitles."""
    if table.confidence is not None:
        return f"band: {100 * table.confidence:g}%, point by point"
    if table.kind not in BANDS:
        return ""
    return (
        "no band, which takes rows without weights"
        if table.weighted
        else "no band: confidence=0.95 gives one"
    )


def rare(table: CurveTable) -> tuple[str, ...]:
    """A note where there are so few positive rows that a small rate of all others is far more than they."""
    share = table.positive / table.rows
    if share >= RARE:
        return ()
    percent = f"{100 * share:.2g}%"
    note = (
        f"{percent} of the rows are positive: a false positive rate of {percent} is as many rows as all "
        "positive ones. log=True shows low rates, and precision is in the curve PR."
    )
    return (note,)


def at_share(x: Floats, y: Floats, where: float) -> float:
    """What a curve, drawn straight from point to point, is at a place."""
    return float(np.interp(where, x, y))


def positive_reach(values: Floats) -> float:
    """The least number above 0, at which a logarithmic axis begins; 1 if there is none."""
    found = values[(values > 0) & np.isfinite(values)]
    return float(found.min()) if len(found) else 1.0
