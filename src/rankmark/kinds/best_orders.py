"""Which order of items gains most for aspects, of all orders there are.

To find it is NP-hard (C. L. A. Clarke et al., SIGIR 2008): it covers sets by few others. Two things make it
quick where queries are small. Items that are relevant to the same aspects are alike. And an item that is
relevant to all that another is, and to more, comes before that one in some best order: put into its place, or
changed places with it, each aspect has as many items as before, none of them later. So at each rank those
alone are looked at that no other item there surpasses so; what is left at most is bounded, and of the ways to
choose the same items the best is gone on with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from rankmark.errors import MeasureError

__all__ = ["TooManyOrdersError", "best_gains"]

Kind: TypeAlias = tuple[int, ...]
"""The aspects that items are relevant to, ascending."""

STEPS = 20_000
"""So many beginnings of lists are looked at for a query, some seconds."""
DEPTH = 200
"""Ranks that are gone down to."""
SAME = 1e-12
"""Part of a sum by which rounding may let two orders differ that gain the same."""


class TooManyOrdersError(MeasureError):
    """A query has too many orders to look for the best.

    Attributes:
        number: that of the query.
        problem: what is wrong, in words that follow the measure's name.

    """

    def __init__(self, problem: str, number: int = 0) -> None:
        super().__init__(f"the measure {problem}")
        self.problem, self.number = problem, number


def best_gains(
    items: Sequence[Kind],
    weight: Sequence[float],
    alpha: float,
    discount: Sequence[float],
    known: Sequence[float],
) -> list[float]:
    """What the items of a best list gain, in rank order.

    Args:
        items: the aspects that each item is relevant to.
        weight: that of each aspect.
        alpha: what an aspect loses each time that an item is relevant to it.
        discount: that of each rank down to the last that counts; it never rises.
        known: what the items of some list gain, which stays unless another one is better.

    Raises:
        TooManyOrdersError: more than `STEPS` beginnings of lists, or `DEPTH` ranks, had to be looked at.

    """
    ranks = min(len(discount), len(items))
    if ranks > DEPTH:
        raise TooManyOrdersError(
            f"looks for a best list of {ranks:,} items, and does so of {DEPTH} at most; give a smaller "
            "cutoff, or ideal=greedy,"
        )
    search = _Search(Counter(items), list(weight), 1 - alpha, list(discount[:ranks]), list(known[:ranks]))
    search.go_on(0, 0.0)
    return search.best


class _Search:
    """Lists by depth, the most promising first."""

    def __init__(
        self,
        items: Counter[Kind],
        left: list[float],
        keep: float,
        discount: list[float],
        known: list[float],
    ) -> None:
        self.kinds = sorted(items)
        self.count = [items[kind] for kind in self.kinds]
        self.left, self.keep, self.discount = left, keep, discount
        self.best = known
        self.most = self._sum(known)
        self.gains: list[float] = []
        self.seen: dict[tuple[int, ...], float] = {}
        sets = [frozenset(kind) for kind in self.kinds]
        self.above = [[j for j, other in enumerate(sets) if own < other] for own in sets]
        self.steps = 0

    def _sum(self, gains: Sequence[float]) -> float:
        return sum(gain * weight for gain, weight in zip(gains, self.discount, strict=False))

    def go_on(self, rank: int, value: float) -> None:
        """Looks at all lists that begin with the items that are chosen, and gain so much up to here."""
        if value > self.most * (1 + SAME):
            self.most, self.best = value, self.gains.copy()
        if rank == len(self.discount):
            return
        chosen = tuple(self.count)
        if self.seen.get(chosen, -1.0) >= value:
            return
        self.seen[chosen] = value
        self.steps += 1
        if self.steps > STEPS:
            raise TooManyOrdersError(
                f"finds no best list in {STEPS:,} steps among items that cover aspects in {len(self.kinds)} "
                "ways; give a smaller cutoff, or ideal=greedy,"
            )
        there = [number for number, count in enumerate(self.count) if count]
        scores = {number: sum(self.left[aspect] for aspect in self.kinds[number]) for number in there}
        if value + min(self._at_once(rank, scores), self._each(rank, there)) <= self.most * (1 + SAME):
            return
        first = (n for n in there if not any(self.count[other] for other in self.above[n]))
        for number in sorted(first, key=lambda n: -scores[n]):
            self._choose(number, rank, value, scores[number])

    def _choose(self, number: int, rank: int, value: float, gain: float) -> None:
        kind = self.kinds[number]
        before = [self.left[aspect] for aspect in kind]
        for aspect in kind:
            self.left[aspect] *= self.keep
        self.count[number] -= 1
        self.gains.append(gain)
        self.go_on(rank + 1, value + gain * self.discount[rank])
        self.gains.pop()
        self.count[number] += 1
        for aspect, weight in zip(kind, before, strict=True):
            self.left[aspect] = weight

    def _at_once(self, rank: int, scores: dict[int, float]) -> float:
        """What there is left at most, since no item gains more later than it would now."""
        bound = 0.0
        for number in sorted(scores, key=lambda n: -scores[n]):
            for _ in range(self.count[number]):
                if rank == len(self.discount):
                    return bound
                bound += scores[number] * self.discount[rank]
                rank += 1
        return bound

    def _each(self, rank: int, there: list[int]) -> float:
        """What there is left at most, if each aspect had all its items at the next ranks."""
        items = Counter[int]()
        for number in there:
            for aspect in self.kinds[number]:
                items[aspect] += self.count[number]
        bound = 0.0
        for aspect, count in items.items():
            gain = self.left[aspect]
            for weight in self.discount[rank : rank + count]:
                bound += gain * weight
                gain *= self.keep
        return bound
