"""Areas under curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark import _numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["trapezoid"]


def trapezoid(y: NDArray[np.float64], x: NDArray[np.float64]) -> float:
    """The area under the points (x, y), joined by lines; NumPy has it under one name only since 2.0."""
    return float((np.diff(x) * (y[1:] + y[:-1]) / 2.0).sum())
