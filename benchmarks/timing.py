"""Contenders side by side: a round is one sample of each, so that what slows the machine slows all."""

from __future__ import annotations

import gc
import random
import statistics
from dataclasses import dataclass
from time import perf_counter
from typing import NoReturn

from benchmarks.contenders import Call, Means

LEAST_SECONDS = 0.1  # a sample repeats a call that is shorter than this
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Timing:
    """The samples of one contender: seconds a call, one a round."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def least(self) -> float:
        return min(self.samples)

    def ratio(self, other: Timing) -> float:
        """How many times as long as the other it took: the median over the rounds."""
        return statistics.median(a / b for a, b in zip(self.samples, other.samples, strict=True))


def duration(seconds: float) -> str:
    """As text."""
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def time_calls(calls: dict[str, Call], rounds: int) -> dict[str, Timing]:
    """Times every call once a round, in random order."""
    numbers = {name: _number(call) for name, call in calls.items()}
    samples: dict[str, list[float]] = {name: [] for name in calls}
    order = random.Random(0)
    gc.collect()
    gc.freeze()  # millions of prepared objects of one must not slow the collector for the others
    for _ in range(rounds):
        for name in order.sample(list(calls), len(calls)):
            samples[name].append(_sample(calls[name], numbers[name]))
    gc.unfreeze()
    return {name: Timing(tuple(seconds)) for name, seconds in samples.items()}


def check_agreement(results: dict[str, Means | None], tolerance: float = TOLERANCE) -> None:
    """Ends the benchmark unless all that return means return the first one's, or some of them."""
    means = {name: result for name, result in results.items() if result is not None}
    for name, result in means.items():
        first, expected = next(iter(means.items()))
        if not result or result.keys() - expected.keys():
            _refuse(f"{name} computes {list(result)}, {first} {list(expected)}")
        for measure, value in result.items():
            if not abs(value - expected[measure]) <= tolerance:
                _refuse(f"{measure} is {expected[measure]!r} by {first}, {value!r} by {name}")


def _refuse(difference: str) -> NoReturn:
    raise SystemExit(f"not timed, because the contenders do not agree: {difference}")


def _number(call: Call) -> int:
    return max(1, round(LEAST_SECONDS / _sample(call, 1)))


def _sample(call: Call, number: int) -> float:
    start = perf_counter()
    for _ in range(number):
        call()
    return (perf_counter() - start) / number
