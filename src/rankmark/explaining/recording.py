"""A page run on lists that note what is done with them: which terms it adds up, and what it divides by what.

So the arithmetic of a value can be shown without a second place that knows the formula.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.dataclassing import dataclass
from rankmark.kinds.lists import DIVISIONS, Division, JudgedLists, Values, ratio

if TYPE_CHECKING:
    from typing import Self

    from rankmark.language.measure import Measure

__all__ = ["Arithmetic", "Sum", "arithmetic", "values_down_to"]

Side: TypeAlias = Literal["run", "ideal"]


@dataclass(frozen=True, slots=True)
class Sum:
    """Something added up over the items of one query's list.

    Attributes:
        side: whether it is the run's list or an ideal one.
        rank: the items' ranks.
        relevance: their grades.
        terms: what each adds.
        gain: the first factor of each term, where it is the product of a gain and the weight of a rank.
        weight: the second one.
        total: their sum, an array of one.

    """

    side: Side
    rank: NDArray[np.int64]
    relevance: Values
    terms: Values
    total: Values
    gain: Values | None = None
    weight: Values | None = None


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """How a page came to the value of one query.

    Attributes:
        value: the value; NaN where nothing is relevant.
        numerator: what was divided in the last step; None if the page does not end with a division.
        denominator: by what.
        terms: what adds up to the numerator (without one, to the value), where it is a sum over the items of
            the run's list and nothing else.
        ideal: what adds up to the denominator, where it is a sum over the items of an ideal list.

    """

    value: float
    numerator: float | None
    denominator: float | None
    terms: Sum | None
    ideal: Sum | None


def arithmetic(measure: Measure, lists: JudgedLists) -> Arithmetic:
    """What the measure's page does with the list of one query."""
    sums, divisions = SUMS.set([]), DIVISIONS.set([])
    try:
        computed = measure.compute(_RecordingLists.of(lists, "run"))
        return _arithmetic(computed, SUMS.get(), DIVISIONS.get() or [])
    finally:
        SUMS.reset(sums)
        DIVISIONS.reset(divisions)


def _arithmetic(
    computed: Values | tuple[Values, Values], sums: list[Sum], divisions: list[Division]
) -> Arithmetic:
    if isinstance(computed, tuple):
        value = _number(_values(computed))
        last: Division | None = (*computed, np.array([value]))
    else:
        value = _number(computed)
        last = next((division for division in divisions if division[2] is computed), None)
    if last is None:
        return Arithmetic(value, None, None, _sum_of(computed, "run", sums), None)
    above, below, _ = last
    ideal = _sum_of(below, "ideal", sums)
    return Arithmetic(value, _number(above), _number(below), _sum_of(above, "run", sums), ideal)


def _sum_of(total: object, side: Side, sums: list[Sum]) -> Sum | None:
    """The sum that is this very array, unless the page has added something else to it since."""
    found = (each for each in reversed(sums) if each.total is total and each.side == side)
    return next((each for each in found if np.isclose(each.terms.sum(), each.total[0], rtol=1e-9)), None)


def _number(values: ArrayLike) -> float:
    return float(np.ravel(values)[0])


SUMS: ContextVar[list[Sum]] = ContextVar("SUMS")


class _RecordingLists(JudgedLists):
    """The list of one query, which notes the sums over its items."""

    __slots__ = ("side",)
    side: Side

    @classmethod
    def of(cls, lists: JudgedLists, side: Side) -> Self:
        """The same list, recording."""
        ideal = None if lists.ideal is lists else lists.ideal
        if ideal is not None and not isinstance(ideal, cls):
            ideal = cls.of(ideal, "ideal")
        made = cls(lists.rank, lists.relevance, lists.offsets, lists.retrieved, ties=lists.ties, ideal=ideal)
        made.side = side
        return made

    @classmethod
    def perfect(
        cls, relevance: Values, offsets: NDArray[np.int64], relevant: tuple[float, Values] | None = None
    ) -> Self:
        made = super().perfect(relevance, offsets, relevant)
        made.side = "ideal"
        return made

    def where(self, kept: NDArray[np.bool_]) -> JudgedLists:
        return self.of(super().where(kept), self.side)

    def with_unjudged(self, grade: float) -> JudgedLists:
        return self.of(super().with_unjudged(grade), self.side)

    def sum(self, x: ArrayLike) -> Values:
        return self._note(super().sum(x), np.asarray(x, dtype=np.float64))

    def weighted_sum(self, x: float | Values, weights: Values) -> Values:
        gain = np.broadcast_to(np.asarray(x, dtype=np.float64), self.rank.shape)
        padded = np.append(weights, np.zeros(max(0, self.depth() - len(weights)) + 1))
        weight = self.at_rank(lambda rank: padded[rank - 1])
        return self._note(super().weighted_sum(x, weights), gain * weight, gain, weight)

    def count(self, cutoff: int | None = None) -> Values:
        return self._note(super().count(cutoff), self.within(cutoff))

    def at_first(self, weight: Callable[[NDArray[Any]], ArrayLike]) -> Values:
        total = super().at_first(weight)
        best = self.rank if self.ties is None else self.ties[0]
        first = best == best.min(initial=np.iinfo(np.int64).max)  # each of these is it as often
        return self._note(total, np.where(first, total / max(int(first.sum()), 1), 0.0))

    def _note(
        self, total: Values, terms: Values, gain: Values | None = None, weight: Values | None = None
    ) -> Values:
        SUMS.get().append(Sum(self.side, self.rank, self.relevance, terms, total, gain, weight))
        return total


CELLS = 1 << 20
"""So many items are looked at in one go."""


def values_down_to(measure: Measure, lists: JudgedLists) -> tuple[NDArray[np.int64], Values]:
    """What the measure gives if only the first judged items of one query's list are retrieved.

    Returns:
        How many of them, from none to all, items with equal scores together where they have no order; and the
        measure's value for each.

    """
    judged = len(lists.rank)
    if lists.ties is None:
        kept = np.arange(judged + 1)
    else:
        kept = np.append(0, np.flatnonzero(np.diff(lists.ties[0], append=-1)) + 1)
    step = max(1, CELLS // (judged + len(lists.ideal.rank) + 1))
    parts = (_first_only(lists, kept[start : start + step]) for start in range(0, len(kept), step))
    return kept, np.concatenate([_values(measure.compute(part)) for part in parts])


def _first_only(lists: JudgedLists, kept: NDArray[np.int64]) -> JudgedLists:
    """One list for each number of judged items kept; the others were not retrieved."""
    place = np.concatenate([np.arange(n) for n in kept])
    offsets = np.concatenate(([0], np.cumsum(kept)))
    grades = lists.ideal.relevance
    ideal = JudgedLists.perfect(np.tile(grades, len(kept)), np.arange(len(kept) + 1) * len(grades))
    ties = None if lists.ties is None else (lists.ties[0][place], lists.ties[1][place])
    retrieved = lists.retrieved[0] - (len(lists.rank) - kept)
    return JudgedLists(lists.rank[place], lists.relevance[place], offsets, retrieved, ties=ties, ideal=ideal)


def _values(computed: Values | tuple[Values, Values]) -> Values:
    return ratio(*computed, computed[1]) if isinstance(computed, tuple) else computed
