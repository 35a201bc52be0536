"""Where users look."""

from __future__ import annotations

import numpy as np

from rankmark.errors import PictureError
from rankmark.figures import Axis, Figure, Line, Panel, Points, picture
from rankmark.logs.click_models import ClickModel

__all__ = ["examination"]


@picture("examination", ClickModel, place=10)
def examination(shown: ClickModel) -> Figure:
    """How likely each position is to be looked at, with its interval, beside how often it is clicked.

    Args:
        shown: of ``rm.click_model``.

    Raises:
        PictureError: it is not known of any position but the first.

    """
    place, rate, value, low, high = np.array(
        [[row.position, row.click_rate, row.examination, row.low, row.high] for row in shown.rows]
    ).T
    if not np.isfinite(value[1:]).any():
        raise PictureError("it is not known of two positions how likely they are to be looked at")
    at = [f"position {int(k)}" for k in place]
    return Figure(
        title="How likely positions are to be looked at",
        subtitle=shown._line(),
        description=", ".join(f"{k}: {v:.3f}" for k, v in zip(at, value, strict=True) if np.isfinite(v))
        + ".",
        panels=(
            Panel(
                x=Axis(label="position", at=tuple(place.tolist())),
                y=Axis(label="as a multiple of the first", reach=(0.0, 1.0)),
                marks=(
                    Line(
                        x=place,
                        y=rate / rate[0] if rate[0] else rate,
                        name="clicks",
                        tone="series-2",
                        dashed=True,
                    ),
                    Points(x=place, y=value, low=low, high=high, labels=tuple(at), name="looked at"),
                ),
            ),
        ),
        legend=True,
        notes=(*shown._told(4), *shown.notes),
    )
