"""Sums that are exact, whatever the order and the parts that they are added up in."""

from __future__ import annotations

import math
from collections.abc import Iterable

from rankmark.statistics.resampling import Floats

__all__ = ["exact", "total"]


def exact(values: Floats) -> list[float]:
    """A few numbers, mostly two, whose exact sum is that of all values."""
    numbers = values.tolist()
    parts: list[float] = []
    while (rest := total(numbers)) and math.isfinite(rest):
        parts.append(rest)
        numbers.append(-rest)
    return [*parts, rest] if rest else parts


def total(numbers: Iterable[float]) -> float:
    """The sum, rounded once; what plain addition gives where that is no number."""
    numbers = list(numbers)
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):  # beyond the greatest float64, or infinities of both signs
        return sum(numbers)
