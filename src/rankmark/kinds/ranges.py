"""Ranges of numbers, for the annotations of pages: ``Annotated[float, Between(0, 1)]``."""

from __future__ import annotations

import math

from rankmark.dataclassing import dataclass

__all__ = ["Above", "Between", "Whole", "Within"]


@dataclass(frozen=True, slots=True)
class Above:
    """A number greater than `low`."""

    low: float

    def __contains__(self, value: float) -> bool:
        return self.low < value < math.inf

    def __str__(self) -> str:
        return f"a number above {self.low:g}"


@dataclass(frozen=True, slots=True)
class Between:
    """A number between `low` and `high`, neither included."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low < value < self.high

    def __str__(self) -> str:
        return f"a number between {self.low:g} and {self.high:g}"


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from `low`, to `high` if there is one."""

    low: int
    high: int | None = None

    def __contains__(self, value: float) -> bool:
        return isinstance(value, int) and self.low <= value and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        return f"a whole number from {self.low}" + (f" to {self.high}" if self.high else "")


@dataclass(frozen=True, slots=True)
class Within:
    """A number from `low` to `high`, both included."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"a number from {self.low:g} to {self.high:g}"
