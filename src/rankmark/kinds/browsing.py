"""Readers who go down a list: how far they come, and what they gain on the way (the C/W/L framework).

A reader looks at the item at rank 1 and goes on from rank i to the next with chance C(i). V(i), the chance
that rank i is looked at, is C(1) · C(2) · … · C(i − 1). A. Moffat, P. Bailey, F. Scholer, P. Thomas,
"Incorporating user expectations and behavior into the measurement of search effectiveness", TOIS 35(3), 2017.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from rankmark import _numpy as np
from rankmark.errors import DataError, MeasureError
from rankmark.kinds.gains import Gain, gain_of
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.kinds.ranges import Above, Between, Whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "Depth",
    "MaxGrade",
    "ReaderGain",
    "ReaderValue",
    "Wanted",
    "expectation",
    "gain_or_hit",
    "harmonic",
    "highest_gain",
    "inverse_squares",
    "last_rank",
    "reader_gains",
]

ReaderGain: TypeAlias = Literal["binary"] | Gain
"""``binary``: 1 for an item judged `rel` or better; else as `Gain` says."""

MaxGrade: TypeAlias = Annotated[float, Above(0)]
"""The highest grade of the scale."""

ReaderValue: TypeAlias = Literal["EU", "ETU", "ED"]
"""Expected utility an item that is looked at, expected total utility, or expected depth: EU = ETU / ED."""

Wanted: TypeAlias = Annotated[float, Between(0.5, 10**6)]
"""How many relevant items readers expect to need, T. With less, INST's chances need not be chances."""

Depth: TypeAlias = Annotated[float, Whole(1)] | Literal["endless"]
"""The last rank that readers get to."""


def gain_or_hit(relevance: Values, gain: ReaderGain, rel: float) -> Values:
    """The gain of each grade, or whether it is relevant."""
    return (relevance >= rel).astype(np.float64) if gain == "binary" else gain_of(relevance, gain)


def reader_gains(
    lists: JudgedLists, measure: str, *, rel: float, gain: ReaderGain, max_grade: float
) -> tuple[Values, Values]:
    """What each item is worth, 1 for the highest grade, and how many are worth something (one a query).

    Raises:
        DataError: a grade is above the highest.

    """
    highest = 1.0 if gain == "binary" else highest_gain(lists, measure, gain, max_grade)
    shares = np.maximum(gain_or_hit(lists.relevance, gain, rel) / highest, 0.0)
    return shares, lists.ideal.sum(gain_or_hit(lists.ideal.relevance, gain, rel) > 0)


def highest_gain(lists: JudgedLists, measure: str, gain: Gain, max_grade: float) -> float:
    """The gain of the highest grade: the greatest of a mapping, else that of `max_grade`.

    Raises:
        DataError: a judged item gains more.
        MeasureError: no grade gains anything.

    """
    highest = max(gain.values()) if isinstance(gain, Mapping) else gain_of(np.array([max_grade]), gain)[0]
    if highest <= 0:
        raise MeasureError(f"{measure}: the highest grade has a gain of {highest:g}, which must be above 0")
    gains = gain_of(lists.ideal.relevance, gain)
    if gains.max(initial=0.0) > highest:
        grade = lists.ideal.relevance[gains.argmax()]
        raise DataError(
            f"{measure}: grade {grade:g} is above max_grade={max_grade:g}; set max_grade={grade:g}, "
            "or whatever is the highest grade of your scale"
        )
    return float(highest)


def last_rank(depth: float | Literal["endless"]) -> float:
    """The depth as a number."""
    return math.inf if depth == "endless" else depth


def expectation(total: Values, depth: Values, value: ReaderValue, relevant: Values) -> Values:
    """What is asked for of an expected total utility and an expected depth.

    Where nothing is relevant there is no utility to expect, so it is NaN; the depth is as it is.
    """
    if value == "ED":
        return depth
    return ratio(total, depth if value == "EU" else 1.0, relevant)


# Series start from here, so that the first term left out is below a float64's last digit.
FAR = 16
EULER = 0.5772156649015329


def inverse_squares(x: ArrayLike) -> Values:
    """Σ 1 / (x + j)² over j = 0, 1, 2 …, for x above 0 (the trigamma function)."""
    x = np.asarray(x, dtype=np.float64)
    near: Values = np.zeros(x.shape)
    for step in range(FAR):
        near += 1.0 / (x + step) ** 2
    inverse = 1.0 / (x + FAR)
    square = inverse**2
    series = 1 / 6 - square * (1 / 30 - square * (1 / 42 - square * (1 / 30 - square * 5 / 66)))
    tail: Values = inverse + square / 2 + inverse * square * series
    return near + tail


def harmonic(n: ArrayLike) -> Values:
    """1 + 1/2 + … + 1/n, for whole numbers n from 0."""
    n = np.asarray(n, dtype=np.float64)
    table = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, FAR + 1))))
    far = np.maximum(n, FAR)
    square = far**-2.0
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    beyond: Values = np.log(far) + EULER + 0.5 / far - series
    return np.where(n <= FAR, table[np.minimum(n, FAR).astype(np.intp)], beyond)
