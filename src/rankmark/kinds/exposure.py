"""How much of readers' attention items get, and groups of items: what measures of fairness are made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from rankmark import _native
from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, MeasureError, did_you_mean
from rankmark.kinds.browsing import MaxGrade
from rankmark.kinds.gains import CumulatedGain, discounts, gain_of
from rankmark.kinds.item_weights import discount_of
from rankmark.kinds.ragged import spread
from rankmark.kinds.ranges import Within

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.kinds.items import RecommendedLists
    from rankmark.kinds.lists import Values

__all__ = [
    "EVERY_RANK",
    "UNKNOWN",
    "Browsing",
    "Comparison",
    "ItemGroups",
    "Overlap",
    "Patience",
    "Reader",
    "Target",
    "UnknownGroup",
    "compared",
    "divergence",
    "item_groups",
    "needs_of_groups",
    "parity_of",
    "relevance_of",
    "shares",
    "skews",
    "target_shares",
    "terms",
    "totals",
]

Browsing: TypeAlias = Literal["log2", "log2max", "rbp", "reciprocal", "err", "cascade", "none"]
"""How much attention rank i gets: 1 / log₂(i + 1), 1 / log₂(max(i, 2)), p^(i − 1), 1 / i, the chance that a
reader gets there who stops at an item by its grade, that times p^(i − 1), or 1."""

Patience: TypeAlias = Annotated[float, Within(0, 1)]
"""The chance p that a reader goes on from one rank to the next."""

Overlap: TypeAlias = Literal["share", "each"]
"""Whether an item of several groups is of each in part, or of each in whole."""

UnknownGroup: TypeAlias = Literal["refuse", "group", "ignore"]
"""What an item is whose group is not known: an error, of a group of its own, or of none."""

Comparison: TypeAlias = Literal["ratio", "difference", "log"]
"""How what a group has is compared with what the rest has."""

Target: TypeAlias = Literal["catalogue", "relevant", "equal"] | Mapping[str, float]
"""Which share each group should have: that of the items that can be recommended, that of the relevant items
of the query, the same, or what a mapping says."""

MOST = 1 << 27
"""So many numbers are held at once, one for each query and group."""
UNKNOWN = "unknown"
"""The name of the group of items whose group is not known."""


def needs_of_groups(arguments: Mapping[str, Any]) -> tuple[Literal["groups", "judgements"], ...]:
    """What has to be known for a measure of groups: judgements only where its arguments look at them."""
    of_grades = arguments.get("browsing") in ("err", "cascade") or arguments.get("target") == "relevant"
    return ("groups", "judgements") if of_grades else ("groups",)


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader who goes down a list.

    Attributes:
        browsing: how, as `Browsing`.
        p: the patience of ``rbp`` and ``cascade``.
        max_grade: the highest grade, for ``err`` and ``cascade``.

    """

    browsing: Browsing
    p: float
    max_grade: MaxGrade

    def attention(self, lists: RecommendedLists) -> Values:
        """How much each item of the lists gets."""
        grade = lists.grade() if self.sees_grades else None
        return self.along(lists.rank, grade, lists.offsets)

    @property
    def sees_grades(self) -> bool:
        """Whether it depends on the grades of the items above."""
        return self.browsing in ("err", "cascade")

    def along(self, rank: NDArray[np.int64], grade: Values | None, offsets: NDArray[np.int64]) -> Values:
        """How much each of some items gets, list after list in rank order; grades where they are seen."""
        if self.browsing == "log2max":
            return discounts("log2max", int(rank.max(initial=1)))[rank - 1]
        if self.browsing in ("log2", "reciprocal", "none"):
            return discount_of(rank, self.browsing)
        patience = discount_of(rank, self.p if self.browsing != "err" else 1.0)
        if grade is None:
            return patience
        goes_on = _native.segment_running_product(1.0 - self._satisfied(grade), offsets)
        before = np.concatenate(([1.0], goes_on[:-1])) if len(goes_on) else goes_on
        patience *= np.where(rank == 1, 1.0, before)
        return patience

    def _satisfied(self, grade: Values) -> Values:
        """The chance that an item satisfies, that of expected reciprocal rank."""
        known = np.maximum(np.nan_to_num(grade, nan=0.0), 0.0)
        if known.max(initial=0.0) > self.max_grade:
            highest = known.max()
            raise DataError(
                f"browsing={self.browsing}: grade {highest:g} is above max_grade={self.max_grade:g}; set "
                f"max_grade={highest:g}, or whatever is the highest grade of your scale"
            )
        # (2^grade − 1) / 2^max_grade, of which both can be too great for a number.
        satisfied: Values = np.exp2(known - self.max_grade) - np.exp2(-self.max_grade)
        return satisfied


EVERY_RANK = Reader("none", 1.0, 1.0)
"""A reader who looks at all items alike."""


class ItemGroups:
    """Items in groups, of lists and of the catalogue.

    Attributes:
        names: the names of the groups.

    """

    def __init__(self, lists: RecommendedLists, by: str, overlap: Overlap, unknown: UnknownGroup) -> None:
        known = lists.facts.known().groups(by)
        if unknown == "refuse" and known.without:
            raise DataError(f"items: {known.without}; {WHAT_TO_DO}")
        self.names = (*known.names, UNKNOWN) if unknown == "group" else known.names
        self._unknown, self._column, self._facts = unknown, by, lists.facts
        # Behind the items of the table there is one more, whose group is not known.
        more = [len(known.names)] if unknown == "group" else []
        own = np.diff(known.offsets)
        self._last = len(own)
        self._row = np.append(np.where(own > 0, np.arange(len(own)), self._last), self._last)
        self._group = np.append(known.group, np.array(more, dtype=np.int64))
        parts = known.part
        if overlap == "share":
            parts = parts / np.repeat(np.add.reduceat(parts, known.offsets[:-1][own > 0]), own[own > 0])
        self._part = np.append(parts, np.ones(len(more)))
        self._offsets = np.append(known.offsets, known.offsets[-1] + len(more))

    def members(self, item: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64], Values]:
        """The place of an item among these, a group of it and how much of that it is; an entry for each."""
        row = self._row[np.minimum(item.astype(np.int64), self._last)]
        first, lengths = self._offsets[row], self._offsets[row + 1] - self._offsets[row]
        places = spread(first, lengths)
        return np.repeat(np.arange(len(row)), lengths), self._group[places], self._part[places]

    def sums(
        self, x: Values, item: NDArray[Any], query: NDArray[np.int64], queries: int
    ) -> NDArray[np.float64]:
        """What the groups have of the `x` of these items, [queries, groups].

        Raises:
            DataError: there are too many groups for so many queries.

        """
        if queries * len(self.names) > MOST:
            raise DataError(
                f"items: {self._column!r} has {len(self.names):,} groups, which for {queries:,} queries is "
                "more than is held at once; bring rare ones together"
            )
        place, group, part = self.members(item)
        keys = query[place] * len(self.names) + group
        found = np.bincount(keys, x[place] * part, queries * len(self.names))
        return found.reshape(queries, len(self.names)).astype(np.float64)

    def in_lists(self, lists: RecommendedLists, x: Values) -> NDArray[np.float64]:
        """What the groups have of the `x` of the items of each list, [queries, groups].

        Raises:
            DataError: items that are not in the table, where these are not to be.

        """
        self._refuse_absent(lists)
        return self.sums(x, lists.item, lists.query, len(lists.offsets) - 1)

    def attention(self, lists: RecommendedLists, reader: Reader) -> NDArray[np.float64]:
        """How much attention the groups get in each list, [queries, groups]; refuses as `in_lists`."""
        return lists.once((self, reader), lambda: self.in_lists(lists, reader.attention(lists)))

    def _refuse_absent(self, lists: RecommendedLists) -> None:
        absent = int(np.count_nonzero(lists.item >= self._last))
        if absent and self._unknown == "refuse":
            raise DataError(
                f"{absent:,} of the {len(lists.item):,} items at the top of lists are not in the table of "
                f"items, so that they have no {self._column!r}; {WHAT_TO_DO}"
            )

    def each(self, lists: RecommendedLists) -> Iterator[Values]:
        """How much each item of the lists is of a group, group after group; refuses as `in_lists`."""
        self._refuse_absent(lists)
        place, group, part = self.members(lists.item)
        order = np.argsort(group, kind="stable")
        last = np.cumsum(np.bincount(group, minlength=len(self.names)))
        for own in np.split(order, last[:-1]):
            yield np.bincount(place[own], part[own], len(lists.item)).astype(np.float64)

    def judged(self, x: Callable[[Values], Values]) -> NDArray[np.float64]:
        """What the groups have of the `x` of the grades of judged items, [queries, groups]."""
        judged = self._facts.judgements()
        queries = len(judged.offsets) - 1
        query = np.repeat(np.arange(queries), np.diff(judged.offsets))
        return self.sums(x(judged.grade), judged.item, query, queries)

    def in_catalogue(self) -> Values:
        """How many items there are in each group."""
        item = np.arange(self._facts.count)
        found: Values = self.sums(np.ones(len(item)), item, np.zeros(len(item), dtype=np.int64), 1)[0]
        return found

    def number(self, measure: str, name: str) -> int:
        """The number of a group.

        Raises:
            MeasureError: there is none of this name.

        """
        if name in self.names:
            return self.names.index(name)
        if name == "each":
            raise MeasureError(f"{measure}: say of which group: group={' or group='.join(self.names[:10])}")
        raise MeasureError(
            f"{measure}: {self._column!r} of items has no group {name!r}{did_you_mean(name, self.names)} "
            f"(it has {', '.join(self.names[:10])}{' …' if len(self.names) > 10 else ''})"
        )


WHAT_TO_DO = (
    "give each one, or write (unknown=group) behind the measure's name, which makes them a group of their "
    "own, or (unknown=ignore)"
)


def item_groups(lists: RecommendedLists, by: str, overlap: Overlap, unknown: UnknownGroup) -> ItemGroups:
    """The groups of items by a column."""
    return lists.once(("groups", by, overlap, unknown), lambda: ItemGroups(lists, by, overlap, unknown))


def shares(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each row as shares of its sum, NaN where that is 0."""
    whole = sums.sum(axis=1, keepdims=True)
    found: NDArray[np.float64] = np.divide(sums, whole, out=np.full_like(sums, np.nan), where=whole > 0)
    return found


def totals(lists: RecommendedLists, sums: NDArray[np.float64]) -> Values:
    """What each column comes to over all lists, each as often as it counts."""
    # Not as a product of matrices, which adds up in another order on another machine.
    return np.array([lists.total(column) for column in sums.T])


def relevance_of(lists: RecommendedLists, groups: ItemGroups, gain: CumulatedGain) -> Values:
    """The relevance of all judged items of each group, over all queries that have a list."""
    due = groups.judged(lambda grade: gain_of(grade, gain))
    return totals(lists, np.where((lists.length > 0)[:, None], due, 0.0))


def skews(
    lists: RecommendedLists, groups: ItemGroups, target: NDArray[np.float64], alpha: float
) -> NDArray[np.float64]:
    """ln(((1 − α) · share + α · target) / target) of each group in each list, [queries, groups]."""
    found = shares(groups.attention(lists, EVERY_RANK))
    target = np.broadcast_to(target, found.shape)
    near = (1 - alpha) * found + alpha * target
    with np.errstate(divide="ignore"):
        skewed: NDArray[np.float64] = np.log(
            np.divide(near, target, out=np.full_like(near, np.nan), where=target > 0)
        )
    return skewed


def parity_of(given: Mapping[str, Any]) -> float:
    """What `compared` gives for groups that have the same."""
    return 1.0 if given["value"] == "ratio" else 0.0


def compared(
    above: Values, below: Values, groups: ItemGroups, measure: str, group: str, value: Comparison
) -> float:
    """What a group has, `above` / `below`, compared with the rest, or the least of all with the greatest.

    Args:
        above: what each group has.
        below: what it is to be divided by; groups without any are left out, and one without any is not
            compared: the value is NaN.
        groups: the groups.
        measure: its name, for messages.
        group: the name of a group, or ``all``.
        value: as `Comparison`.

    """
    if group == "all":
        had = above[below > 0] / below[below > 0]
        one, other = (had.min(), had.max()) if len(had) > 1 else (math.nan, math.nan)
        if value == "difference":
            return float(other - one)
    else:
        own = np.arange(len(below)) == groups.number(measure, group)
        if not (below[own].sum() and below[~own].sum()):
            return math.nan
        one, other = (float(above[which].sum() / below[which].sum()) for which in (own, ~own))
        if value == "difference":
            return float(one - other)
    ratio = _quotient(one, other)
    if value == "log" and ratio == 0:
        return -math.inf
    return math.log(ratio) if value == "log" else ratio


def _quotient(above: float, below: float) -> float:
    """One by the other; infinite where that is 0, NaN where both are."""
    if below:
        return float(above / below)
    return math.inf if above > 0 else math.nan


def divergence(p: NDArray[np.float64], q: NDArray[np.float64]) -> Values:
    """The Kullback-Leibler divergence Σ p · ln(p / q) of each row."""
    return np.asarray(terms(p, q).sum(axis=1))


def terms(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """P · ln(p / q): 0 where p is 0, else infinite where q is 0, NaN where either is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: NDArray[np.float64] = np.where((p == 0) & ~np.isnan(q), 0.0, p * np.log(p / q))
    return found


def target_shares(groups: ItemGroups, measure: str, target: Target, rel: float) -> NDArray[np.float64]:
    """Which share each group should have, [queries, groups], or [1, groups] where it is the same for all.

    Raises:
        MeasureError: a mapping names other groups than there are.

    """
    if target == "equal":
        return shares(np.ones((1, len(groups.names))))
    if target == "catalogue":
        return shares(groups.in_catalogue()[None])
    if target == "relevant":
        return shares(groups.judged(lambda grade: (grade >= rel).astype(np.float64)))
    assert isinstance(target, Mapping)
    numbers = [groups.number(measure, name) for name in target]
    missing = [name for number, name in enumerate(groups.names) if number not in numbers]
    if missing or min(target.values()) < 0 or not any(target.values()):
        what = f"says nothing of the group {missing[0]!r}" if missing else "has no shares that are 0 or more"
        raise MeasureError(f"{measure}: target {what}; give each group its share")
    found = np.zeros((1, len(groups.names)))
    found[0, numbers] = list(target.values())
    return shares(found)
