"""Gains of grades and discounts of ranks: what cumulated-gain measures are made of."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from rankmark import _native
from rankmark import _numpy as np
from rankmark.errors import DataError, number_of
from rankmark.kinds.ranges import Above, Between

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.kinds.lists import JudgedLists, Values

__all__ = [
    "Beta",
    "CumulatedGain",
    "Discount",
    "Gain",
    "blended_ratio",
    "compiled_gains",
    "discount_of",
    "discounted_sum",
    "discounts",
    "gain_of",
]

Gain: TypeAlias = Literal["linear", "exp2"] | Mapping[float, float] | Callable[[float], float]
"""``linear``: the grade; ``exp2``: 2^grade − 1; a mapping from grade to gain; a function of the grade.

Under ``linear`` and ``exp2`` a negative grade gains nothing. A mapping must know every grade but 0, which
gains nothing unless it says otherwise. A function is called once for each grade that occurs.
"""

CumulatedGain: TypeAlias = Literal["binary"] | Gain
"""``binary``: 1 for every grade above 0; else as `Gain` says."""

Discount: TypeAlias = Literal["log2", "log2max"] | Annotated[float, Above(1)]
"""``log2``: 1 / log₂(i + 1); ``log2max``: 1 / log₂(max(i, 2)); a number b: 1 / log_b(i + 1)."""

Beta: TypeAlias = Annotated[float, Between(0, 10**6)]
"""How much gains weigh beside hits in a blended ratio."""


MOST_DOUBLINGS = 1000
"""2 to a power beyond this, added up, leaves the range of float64."""


def gain_of(relevance: Values, gain: CumulatedGain) -> Values:
    """The gain of each grade."""
    if gain == "binary":
        return (relevance > 0).astype(np.float64)
    if gain == "linear":
        return np.maximum(relevance, 0.0)
    if gain == "exp2":
        highest = relevance.max(initial=0.0)
        if highest >= MOST_DOUBLINGS:
            raise DataError(f"gain=exp2 of grade {highest:g} is too large for a number; use gain=linear")
        powers: Values = np.exp2(np.maximum(relevance, 0.0))
        return powers - 1.0
    grades, which = np.unique(relevance, return_inverse=True)
    if isinstance(gain, Mapping):
        gains = [_looked_up(gain, float(grade)) for grade in grades]
    else:
        gains = [number_of(gain, "gain", f"grade {grade:g}", float(grade)) for grade in grades]
    return np.array(gains, dtype=np.float64)[which]


def _looked_up(gains: Mapping[float, float], grade: float) -> float:
    if grade in gains or grade <= 0:
        return gains.get(grade, 0.0)
    known = ", ".join(f"{known:g}" for known in gains)
    raise DataError(f"no gain for the judged grade {grade:g}; the mapping knows {known}")


def discounted_sum(lists: JudgedLists, gains: Values, cutoff: int | None, discount: Discount) -> Values:
    """Σ gain · discount over the items of each list down to the cutoff; one a query."""
    depth = cutoff if cutoff is not None and cutoff <= KEPT else lists.depth(cutoff)
    return lists.weighted_sum(gains, discounts(discount, depth))


def compiled_gains(given: Mapping[str, Any]) -> _native.CompiledMeasure | None:
    """What the core computes of nDCG with these arguments: of grades as they are, and down to few ranks."""
    cutoff = given["cutoff"]
    if given["gain"] not in ("linear", "binary") or given["ideal"] != "judged" or (cutoff or KEPT + 1) > KEPT:
        return None
    return _native.CompiledMeasure.gains(given["gain"] == "binary", _kept(given["discount"])[:cutoff])


def discounts(discount: Discount, depth: int) -> Values:
    """The discounts of the ranks from 1 to `depth`."""
    if depth <= KEPT:
        return _first_discounts(discount)[:depth]
    return discount_of(np.arange(1, depth + 1), discount)


KEPT = 1024
"""So many discounts are kept between calls: few logarithms, but as many as a small call has time for."""


@functools.lru_cache(maxsize=16)
def _first_discounts(discount: Discount) -> Values:
    return np.array(_kept(discount))


@functools.lru_cache(maxsize=16)
def _kept(discount: Discount) -> list[float]:
    """The discounts of the first ranks, without NumPy: the core takes them, too."""
    return [1 / each for each in _logarithms(discount)]


def _logarithms(discount: Discount) -> Iterator[float]:
    ranks = range(1, KEPT + 1)
    if discount == "log2":
        return (math.log2(rank + 1) for rank in ranks)
    if discount == "log2max":
        return (math.log2(max(rank, 2)) for rank in ranks)
    return (math.log(rank + 1) / math.log(discount) for rank in ranks)


def discount_of(rank: NDArray[np.int64], discount: Discount) -> Values:
    """The discount of each rank."""
    logarithms: Values
    if discount == "log2":
        logarithms = np.log2(rank + 1.0)
    elif discount == "log2max":
        logarithms = np.log2(np.maximum(rank, 2.0))
    else:
        logarithms = np.log(rank + 1.0) / math.log(discount)
    return 1.0 / logarithms


def blended_ratio(lists: JudgedLists, gain: Gain, beta: float) -> tuple[Values, Values]:
    """Sakai's blended ratio at the rank of each item, and the gain of each item.

    BR(r) = (C(r) + β·cg(r)) / (r + β·cg*(r)): C(r) items among the first r gain something, together cg(r),
    where the best order of all judged items would have gained cg*(r).
    """
    gains = np.maximum(gain_of(lists.relevance, gain), 0.0)
    ideal = lists.ideal
    best = ideal.running_sum(ideal.descending(np.maximum(gain_of(ideal.relevance, gain), 0.0)))
    found = lists.running_sum(gains > 0) + beta * lists.running_sum(gains)
    return found / (lists.rank + beta * lists.in_ideal(best)), gains
