"""What was measured of each contender, and the bounds that it is to keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks.contenders import Contender
from benchmarks.timing import Timing, duration


@dataclass(frozen=True, slots=True)
class Measured:
    """One contender on its data."""

    timing: Timing
    results: int
    """Rows of the run."""
    size: int
    """Bytes of the inputs."""
    peak: int | None = None
    """Bytes beyond the inputs, where they were measured."""

    @property
    def speed(self) -> float:
        """Millions of bytes of the inputs a second."""
        return self.size / self.timing.median / 1e6

    @property
    def share(self) -> float | None:
        """The peak as a share of the inputs."""
        return None if self.peak is None else self.peak / self.size


@dataclass(frozen=True, slots=True)
class Target:
    """A bound on a figure that one contender or two give."""

    what: str
    of: tuple[Contender, ...]
    figure: Callable[..., float | None]
    written: Callable[[float], str]
    """A figure as text."""
    bound: float
    at_least: bool = False

    def value(self, measured: Mapping[str, Measured]) -> float | None:
        """The figure; None if a contender, or what was asked of it, was not measured."""
        names = [contender.name for contender in self.of]
        return self.figure(*(measured[name] for name in names)) if measured.keys() >= set(names) else None

    def reached(self, value: float) -> bool:
        """Whether the figure keeps the bound."""
        return value >= self.bound if self.at_least else value <= self.bound

    @property
    def wanted(self) -> str:
        """The bound in words."""
        return ("≥ " if self.at_least else "≤ ") + self.written(self.bound)


def faster(ours: Contender, than: Contender, times: float) -> Target:
    """The other takes at least so many times as long."""
    return Target(f"{than.name} ÷ {ours.name}", (than, ours), _ratio, _times, times, at_least=True)


def within(ours: Contender, of: Contender, times: float) -> Target:
    """It takes at most so many times as long as the other."""
    return Target(f"{ours.name} ÷ {of.name}", (ours, of), _ratio, _times, times)


def within_a_result(ours: Contender, of: Contender, times: float) -> Target:
    """For each result it takes at most so many times as long as the other."""
    what = f"{ours.name} ÷ {of.name}, time a result"
    return Target(what, (ours, of), _ratio_a_result, _times, times)


def seconds(of: Contender, most: float) -> Target:
    """It takes at most so long."""
    return Target(f"{of.name}, time", (of,), lambda one: one.timing.median, duration, most)


def memory(of: Contender, most: float) -> Target:
    """At its peak it holds at most such a share of its inputs beyond them."""
    what = f"{of.name}, memory beyond the inputs"
    return Target(what, (of,), lambda one: one.share, "{:.0%}".format, most)


def speed(of: Contender, least: float) -> Target:
    """It takes in at least so many millions of bytes a second."""
    what = f"{of.name}, speed"
    return Target(what, (of,), lambda one: one.speed, "{:.3g} MB/s".format, least, at_least=True)


def _times(ratio: float) -> str:
    return f"{ratio:.3g} ×"


def _ratio(one: Measured, other: Measured) -> float:
    return one.timing.ratio(other.timing)


def _ratio_a_result(one: Measured, other: Measured) -> float:
    return _ratio(one, other) * other.results / one.results
