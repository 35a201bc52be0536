"""The values of trec_eval's measures of preferences.

Within a subgroup an item is preferred to each of a lower grade; in a group of several subgroups, what is
preferred to the preferred is, too. A preference is fulfilled if the item stands above the other in the list,
where an item that is not retrieved stands below all that are, and beside others that are not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.errors import DataError
from rankmark.peers.trec_files import shown
from rankmark.peers.trec_groups import Entry
from rankmark.peers.trec_plan import NOT_COMPUTED, TrecEvalError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NOT_RETRIEVED", "VALUES", "Pairs", "PreferencesOfQuery"]

Matrix: TypeAlias = "NDArray[np.bool_]"
Pairs: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.int64]]"
Fraction: TypeAlias = tuple[int, int]
NOT_RETRIEVED = np.iinfo(np.int64).max
"""The rank of an item that is not retrieved."""


@dataclass(frozen=True)
class PreferencesOfQuery:
    """The preferences of a query, and where the items stand in its list.

    Attributes:
        groups: its groups.
        place: for each item its place by rank, and among those not retrieved by id.
        retrieved: whether it is retrieved.

    """

    groups: Sequence[_Group]
    place: NDArray[np.int64]
    retrieved: Matrix

    @classmethod
    def of(
        cls,
        query: str,
        groups: Mapping[str, Sequence[Entry]],
        items: Sequence[str],
        ranks: NDArray[np.int64],
    ) -> PreferencesOfQuery:
        """Finds the preferences.

        Args:
            query: the query.
            groups: its judgements.
            items: the items judged, in the order of their ids.
            ranks: the rank of each in the list, or `NOT_RETRIEVED`.

        Raises:
            TrecEvalError: a group contradicts itself.

        """
        numbers = {item: number for number, item in enumerate(items)}
        found = [
            _Group.of(f"query {shown(query)}, group {shown(group)}", entries, numbers, ranks)
            for group, entries in groups.items()
        ]
        return cls._among(found, ranks)

    @classmethod
    def of_pairs(
        cls, groups: Mapping[str, Pairs], items: Sequence[Any], ranks: NDArray[np.int64], *, transitive: bool
    ) -> PreferencesOfQuery:
        """Those of pairs of items.

        Args:
            groups: what messages call each group, and the numbers of its preferred items and of the others.
            items: the items by their numbers, for messages.
            ranks: the rank of each in the list, or `NOT_RETRIEVED`.
            transitive: whether what is preferred to the preferred is, too.

        Raises:
            DataError: it is, and one item is preferred to another, and that to it.

        """
        found = [
            _Group.of_pairs(where, pairs, items, ranks, transitive=transitive)
            for where, pairs in groups.items()
        ]
        return cls._among(found, ranks)

    @classmethod
    def _among(cls, groups: Sequence[_Group], ranks: NDArray[np.int64]) -> PreferencesOfQuery:
        place = np.empty(len(ranks), dtype=np.int64)
        place[np.argsort(ranks, kind="stable")] = np.arange(len(ranks))
        return cls(groups, place, ranks != NOT_RETRIEVED)

    @cached_property
    def pairs(self) -> tuple[NDArray[np.int64], Matrix]:
        """For each preference the rank of the upper item, and whether that is the preferred one."""
        uppers, fulfilled = [], []
        for group in self.groups:
            better, worse = group.better.nonzero()
            uppers.append(np.minimum(group.rank[better], group.rank[worse]))
            fulfilled.append(group.above[better, worse])
        return np.concatenate(uppers), np.concatenate(fulfilled)

    def total(self, kind: str, *, fulfilled: bool) -> int:
        """How many preferences there are of a kind, or how many of them are fulfilled."""
        return sum(group.count(kind)[not fulfilled] for group in self.groups)

    def simple(self, kind: str) -> float:
        """The share that is fulfilled."""
        return _ratio((self.total(kind, fulfilled=True), self.total(kind, fulfilled=False)))

    def over_groups(self, kind: str) -> float:
        """The mean of that share over groups."""
        return _mean([_ratio(group.count(kind)) for group in self.groups])

    def over_pairs(self, kind: str) -> float:
        """The mean of that share over pairs of items, which are added up as they stand in the list."""
        possible, fulfilled = (_upper(each) for each in self._pairs)
        some = _some(self.retrieved[np.argsort(self.place)], kind) & (possible > 0)
        return _mean((fulfilled[some] / possible[some]).tolist())

    def balanced(self, kind: str) -> float:
        """The mean over groups of the share with as many items of grade 0 as others; 0 if one has none."""
        counts = [group.balanced(kind) for group in self.groups]
        return _mean([_ratio(each) for each in counts]) if all(possible for _, possible in counts) else 0.0

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each two places how often either is preferred, and how often the upper one is."""
        size = len(self.place)
        both = [np.zeros((size, size), dtype=np.int64) for _ in range(2)]
        for group in self.groups:
            better, worse = group.better.nonzero()
            places = self.place[group.number]
            above = group.above[better, worse]
            np.add.at(both[0], (places[better], places[worse]), 1)
            np.add.at(both[1], (places[better], places[worse]), above)
        return both[0], both[1]


@dataclass(frozen=True)
class _Group:
    """The preferences of a group.

    Attributes:
        number: for each of its judgements the number of the item.
        grade: the grade.
        rank: the rank of the item.
        better: whether one judgement is preferred to another.
        single: whether all are of one subgroup.
        where: what messages call it.

    """

    number: NDArray[np.int64]
    grade: NDArray[np.float64]
    rank: NDArray[np.int64]
    better: Matrix
    single: bool
    where: str

    @classmethod
    def of(
        cls, where: str, entries: Sequence[Entry], numbers: Mapping[str, int], ranks: NDArray[np.int64]
    ) -> _Group:
        """Finds the preferences.

        Raises:
            TrecEvalError: they contradict each other.

        """
        _refuse_contradictions(where, entries)
        subgroups = dict.fromkeys(entry.subgroup for entry in entries)
        number = np.array([numbers[entry.item] for entry in entries])
        grade = np.array([entry.grade for entry in entries])
        better = grade[:, None] > grade
        if len(subgroups) > 1:
            subgroup = np.array([list(subgroups).index(entry.subgroup) for entry in entries])
            better &= subgroup[:, None] == subgroup
            number, first, entry_item = np.unique(number, return_index=True, return_inverse=True)
            one, other = better.nonzero()
            grade, better = grade[first], _closed(_between((one, other), entry_item, len(number)))
            if said := _contradiction(better, [shown(entries[place].item) for place in first]):
                raise TrecEvalError(
                    f"{where}: {said}; judgements that differ belong to different groups", NOT_COMPUTED
                )
        return cls(number, grade, ranks[number], better, len(subgroups) == 1, where)

    @classmethod
    def of_pairs(
        cls, where: str, pairs: Pairs, items: Sequence[Any], ranks: NDArray[np.int64], *, transitive: bool
    ) -> _Group:
        """As `PreferencesOfQuery.of_pairs`; all items are relevant."""
        number, place = np.unique(np.concatenate(pairs), return_inverse=True)
        first, second = np.split(place, 2)
        better = _between((first, second), np.arange(len(number)), len(number))
        if transitive:
            better = _closed(better)
            if said := _contradiction(better, [repr(items[each]) for each in number]):
                raise DataError(
                    f"{where}: {said}, as it stands there or follows; say whose judgements they are in a "
                    "column assessor, or count what stands there alone: transitive=False (--no-transitive)"
                )
        return cls(number, np.ones(len(number)), ranks[number], better, single=False, where=where)

    @cached_property
    def above(self) -> Matrix:
        """Whether one stands above another."""
        return np.less(self.rank[:, None], self.rank)

    @property
    def retrieved(self) -> Matrix:
        """Whether each is retrieved."""
        return np.not_equal(self.rank, NOT_RETRIEVED)

    def count(self, kind: str) -> Fraction:
        """How many preferences are fulfilled, of how many."""
        return self._fulfilled(self._of(kind))

    def balanced(self, kind: str) -> Fraction:
        """The same, with as many items of grade 0 as there are others.

        Where there are fewer, such as are not retrieved are added. Where there are more, the first are taken:
        of several subgroups, what is preferred among the rest counts; of one, they count as pairs, too, and
        against all of grade 0, as in trec_eval.

        Raises:
            TrecEvalError: a grade is below 0.

        """
        if (self.grade < 0).any():
            raise TrecEvalError(
                f"{self.where} has grades below 0, with which prefs_avgjg_Rnonrel of trec_eval reads memory "
                "that nobody set; its other measures of preferences take them",
                NOT_COMPUTED,
            )
        relevant, others, better = self.grade > 0, self.grade == 0, self._of(kind)
        level, seen = int(relevant.sum()), int((relevant & self.retrieved).sum())
        wanted = seen if kind == "ret" else level
        if kind == "ret":
            others &= self.retrieved
        lack = wanted - int(others.sum())
        if lack >= 0:
            fulfilled, possible = self._fulfilled(better)
            return fulfilled + seen * lack, possible + level * lack
        ranked = np.flatnonzero(others)[np.lexsort((self.number[others], self.rank[others]))]
        most = wanted if self.single else level
        rest = better.copy()
        rest[ranked[most:]] = False
        rest[:, ranked[most:]] = False
        if not self.single:
            return self._fulfilled(rest)
        first = ranked[:most]
        among = int(self.above[np.ix_(first, first)].sum())
        return self._fulfilled(rest)[0] + among, int(better.sum()) + wanted**2

    def _of(self, kind: str) -> Matrix:
        """The preferences of a kind."""
        return self.better & _some(self.retrieved, kind)

    def _fulfilled(self, better: Matrix) -> Fraction:
        return int((better & self.above).sum()), int(better.sum())


def _some(retrieved: Matrix, kind: str) -> Matrix:
    """Which pairs count: all, those of two items retrieved, or those of one at least."""
    if kind == "ret":
        return retrieved[:, None] & retrieved
    if kind == "imp":
        return retrieved[:, None] | retrieved
    return np.ones((len(retrieved), len(retrieved)), dtype=bool)


def _upper(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """What is said of each two places in either order, in one of them."""
    return np.triu(pairs + pairs.T)


def _between(pairs: Pairs, items: NDArray[np.int64], count: int) -> Matrix:
    """Which of so many items is preferred to which, by pairs of what has these items."""
    found = np.zeros((count, count), dtype=bool)
    found[items[pairs[0]], items[pairs[1]]] = True
    return found


def _closed(better: Matrix) -> Matrix:
    """The preferences, with those that follow from two others."""
    while True:
        steps = better.astype(np.float32)
        more = better | (steps @ steps > 0)
        if (more == better).all():
            return better
        better = more


def _contradiction(better: Matrix, names: Sequence[str]) -> str:
    """Which two items are preferred to each other; empty if none are."""
    wrong = np.argwhere(np.triu(better & better.T, 1))
    if not len(wrong):
        return ""
    one, other = (names[place] for place in wrong[0])
    return f"item {one} is preferred to {other} and {other} to {one}"


def _refuse_contradictions(where: str, entries: Sequence[Entry]) -> None:
    grades: dict[tuple[str, str], float] = {}
    relevant: dict[str, bool] = {}
    for entry in entries:
        if grades.setdefault((entry.subgroup, entry.item), entry.grade) != entry.grade:
            raise TrecEvalError(
                f"{where}: item {shown(entry.item)} has two grades in one subgroup", NOT_COMPUTED
            )
        if relevant.setdefault(entry.item, entry.grade > 0) != (entry.grade > 0):
            raise TrecEvalError(
                f"{where}: item {shown(entry.item)} is judged 0 in one subgroup, and above 0 in another",
                NOT_COMPUTED,
            )


def _ratio(counts: Fraction) -> float:
    fulfilled, possible = counts
    return fulfilled / possible if possible else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


VALUES: Mapping[str, Callable[[PreferencesOfQuery], float]] = {
    "prefs_num_prefs_poss": lambda seen: seen.total("", fulfilled=False),
    "prefs_num_prefs_ful": lambda seen: seen.total("", fulfilled=True),
    "prefs_num_prefs_ful_ret": lambda seen: seen.total("ret", fulfilled=True),
    "prefs_simp": lambda seen: seen.simple(""),
    "prefs_pair": lambda seen: seen.over_pairs(""),
    "prefs_avgjg": lambda seen: seen.over_groups(""),
    "prefs_avgjg_Rnonrel": lambda seen: seen.balanced(""),
    "prefs_simp_ret": lambda seen: seen.simple("ret"),
    "prefs_pair_ret": lambda seen: seen.over_pairs("ret"),
    "prefs_avgjg_ret": lambda seen: seen.over_groups("ret"),
    "prefs_avgjg_Rnonrel_ret": lambda seen: seen.balanced("ret"),
    "prefs_simp_imp": lambda seen: seen.simple("imp"),
    "prefs_pair_imp": lambda seen: seen.over_pairs("imp"),
    "prefs_avgjg_imp": lambda seen: seen.over_groups("imp"),
}
"""The value of each measure for a query, by trec_eval's names."""
