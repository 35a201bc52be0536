"""From numbers to pixels, and which numbers stand at an axis."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.figures.marks import Axis, Floats

__all__ = ["Scale", "scale_of", "written"]

MARGIN = 0.03
"""By how much of its length an axis is longer than what stands on it, where it has no natural end."""

MOST_DIGITS = 13
"""Those that are told apart."""
LARGEST = 1e290
"""Numbers beyond this, and differences below its inverse, are not told apart, so that sums stay finite."""

RATES = (1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 0.9999, 1 - 1e-5, 1 - 1e-6)
"""What stands at an axis of normal deviates."""


def _deviates(rates: Floats) -> Floats:
    from scipy.special import ndtri  # which takes longer to load than most pictures take

    deviates: Floats = np.asarray(ndtri(rates), np.float64)
    return deviates


STRAIGHT: Mapping[str, Callable[[Floats], Floats]] = {"log": np.log10, "normal": _deviates}
"""What makes lengths of the numbers of an axis that is not linear."""


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis with its ends, between two pixels.

    Attributes:
        axis: what it is of.
        low, high: the numbers at its ends.
        first, last: the pixels there.
        above: how many pixels of each name words take, which stand above what is drawn.

    """

    axis: Axis
    low: float
    high: float
    first: float
    last: float
    above: float = 0.0

    def __call__(self, values: float | Floats) -> Floats:
        """The pixels of numbers; those beyond the ends are at the ends."""
        found = np.asarray(values, np.float64)
        low, high = (np.asarray(each, np.float64) for each in (self.low, self.high))
        if straight := STRAIGHT.get(self.axis.scale):
            with np.errstate(divide="ignore", invalid="ignore"):
                found, low, high = straight(found), straight(low), straight(high)
        if self.above:
            name, each = np.round(found), abs((self.last - self.first) / (high - low))
            found = name + (found - name) * (1 - self.above / each) + self.above / each / 2
        share = np.clip((found - low) / (high - low), 0, 1)
        return self.first + share * (self.last - self.first)

    def ticks(self, count: int) -> list[tuple[float, str]]:
        """About so many numbers at the axis, and what is written there."""
        if self.axis.ticks == "none":
            return []
        if self.axis.scale == "names":
            return [(float(i), name) for i, name in enumerate(self.axis.names)]
        at = RATES if self.axis.scale == "normal" and not self.axis.at else self.axis.at
        values = [each for each in at if self.low <= each <= self.high]
        if not values and self.axis.scale == "log":
            values = _powers(self.low, self.high, count)
        values = values or _round_numbers(self.low, self.high, count)
        return list(zip(values, written(values, percent=self.axis.ticks == "percent"), strict=True))


def scale_of(axis: Axis, numbers: Iterable[Floats], first: float, last: float) -> Scale:
    """The scale of an axis on which these numbers stand."""
    if axis.scale == "names":
        low, high = axis.limits or (-0.5, len(axis.names) - 0.5)
        return Scale(axis, low, high, first, last)
    low, high = _apart(*axis.limits, axis.scale) if axis.limits else _extent(axis, numbers)
    return Scale(axis, low, high, first, last)


def _extent(axis: Axis, numbers: Iterable[Floats]) -> tuple[float, float]:
    """From where to where an axis goes: a little beyond its numbers, but not what it has to reach."""
    found = np.concatenate([*(np.ravel(each) for each in numbers), np.asarray(axis.reach, np.float64)])
    found = np.clip(found[np.isfinite(found)], -LARGEST, LARGEST)
    if axis.scale == "log":
        found = np.maximum(found[found > 0], 1 / LARGEST)
    if not len(found):
        return (1.0, 10.0) if axis.scale == "log" else (0.0, 1.0)
    low, high = float(found.min()), float(found.max())
    if axis.scale == "log" or not _differ(low, high):
        return _apart(low, high, axis.scale)
    room = MARGIN * (high - low)
    return low - room * (low not in axis.reach), high + room * (high not in axis.reach)


def _differ(low: float, high: float) -> bool:
    """Whether two numbers differ by more than rounding."""
    return high - low > max(1e-12 * max(abs(low), abs(high)), 1 / LARGEST)


def _apart(low: float, high: float, scale: str) -> tuple[float, float]:
    """Both ends; those that do not differ, with room around them."""
    if _differ(low, high):
        return low, high
    if scale == "log":
        return low / 2, high * 2
    room = abs(low) / 2 if abs(low) > 1 / LARGEST else 0.5
    return low - room, high + room


def _round_numbers(low: float, high: float, count: int) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten, between both ends; two at least, to say how far it is."""
    while True:
        rough = (high - low) / max(count, 1)
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(each * power for each in (1, 2, 5, 10) if each * power >= rough * (1 - 1e-9))
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last > first:
            return [i * step for i in range(first, last + 1)]
        count += 1


def _powers(low: float, high: float, count: int) -> list[float]:
    """Powers of ten between both ends, and multiples of them where there are few."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    most = max(1, -(-(last - first) // max(count, 1)))
    for factors, skip in (*(((1,), each) for each in range(most, 0, -1)), ((1, 3), 1), ((1, 2, 5), 1)):
        found = [f * 10.0**p for p in range(first, last + 1, skip) for f in factors]
        found = [each for each in found if low * (1 - 1e-9) <= each <= high * (1 + 1e-9)]
        if len(found) >= min(max(count, 2), 3):
            return found
    return found if len(found) > 1 else []


def written(values: list[float], *, percent: bool = False) -> list[str]:
    """Numbers as they stand at an axis, all with as many digits as the least difference takes."""
    if not values:
        return []
    shown = [100 * each for each in values] if percent else values
    gaps = [abs(b - a) for a, b in itertools.pairwise(shown)] or [1e-6 * abs(shown[0]) or 1]
    digits = max(0, -math.floor(math.log10(min(gaps)) + 1e-9))
    largest = max(map(abs, shown))
    unit = " %" if percent else ""
    tiny = digits > 6 and largest < 1e-3
    if len(shown) == 1 or largest >= 1e7 or tiny or max(gaps) > 10 * min(gaps):
        apart = math.log10(max(largest, min(gaps))) - math.log10(min(gaps))
        telling = min(1 + math.ceil(apart), MOST_DIGITS)
        texts = (_short(each if abs(each) > 1e-9 * min(gaps) else 0, telling) for each in shown)
    else:
        texts = (f"{each if abs(each) > 1e-12 else 0:,.{digits}f}" for each in shown)
    return [f"{text}{unit}".replace("-", "−") for text in texts]


def _short(number: float, digits: int) -> str:
    """A number with so many digits that tell, and powers of ten where they are shorter."""
    if 1 <= abs(number) < 1e7 and number == int(number):
        return f"{number:,.0f}"
    if 1e-4 <= abs(number) < 1e7 or not number:
        return f"{number:.{digits}g}"
    mantissa, power = f"{number:.{digits - 1}e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{int(power)}"
