"""The exposure of items or groups in a list, and in the target: all orders that put better items first.

F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic rankings with expected
exposure", CIKM 2020.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rankmark import _native
from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.kinds.exposure import Overlap, Reader, UnknownGroup, item_groups, totals
from rankmark.kinds.ragged import offsets_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.kinds.item_facts import Judgements
    from rankmark.kinds.items import RecommendedLists
    from rankmark.kinds.lists import Values

__all__ = ["Aimed", "Exposures", "amortised", "exposures", "needs_of_exposures", "needs_of_targets"]

Aimed: TypeAlias = Literal["relevant", "judged"]
"""Which items the target shows: those that are relevant, or behind these all that are judged."""


def needs_of_exposures(arguments: Mapping[str, Any]) -> tuple[Literal["groups", "judgements"], ...]:
    """What has to be known for the exposure of lists."""
    judged: tuple[Literal["judgements"], ...] = ("judgements",)
    of_grades = arguments["browsing"] in ("err", "cascade")
    return (*_of_groups(arguments), *(judged if of_grades else ()))


def needs_of_targets(arguments: Mapping[str, Any]) -> tuple[Literal["groups", "judgements"], ...]:
    """What has to be known for that of the target."""
    return (*_of_groups(arguments), "judgements")


def _of_groups(arguments: Mapping[str, Any]) -> tuple[Literal["groups"], ...]:
    return () if arguments["by"] == "item" else ("groups",)


@dataclass(frozen=True, slots=True, eq=False)
class Exposures:
    """The exposures ε of each list and ε* of its target, as what their squares and products come to.

    Attributes:
        own: Σ ε² of each query.
        both: Σ ε · ε*, NaN where nothing is relevant.
        aim: Σ ε*², NaN where nothing is relevant.

    """

    own: Values
    both: Values
    aim: Values


def exposures(
    lists: RecommendedLists,
    reader: Reader,
    *,
    cutoff: int | None,
    by: str,
    target: Aimed | None,
    rel: float,
    overlap: Overlap,
    unknown: UnknownGroup,
) -> Exposures:
    """The exposures of items, or of groups by a column, without a target Σ ε² alone."""
    top = lists.top(cutoff)
    seen = reader.attention(top)
    groups = None if by == "item" else item_groups(lists, by, overlap, unknown)
    there = top.length > 0
    if groups is not None:
        of_groups = groups.attention(top, reader)
    own = np.where(there, top.sum(seen**2) if groups is None else (of_groups**2).sum(axis=1), np.nan)
    if target is None:
        return Exposures(own, own, own)
    judged = lists.facts.judgements()
    query = np.repeat(np.arange(len(judged.offsets) - 1), np.diff(judged.offsets))
    aim = _target(judged, query, reader, cutoff, rel, target)
    some = _native.segment_sum((judged.grade >= rel).astype(np.float64), judged.offsets) > 0
    if groups is None:
        place = judged.places(top.query, top.item.astype(np.int64))
        both = top.sum(seen * np.where(place >= 0, np.append(aim, 0.0)[place], 0.0))
        squares = _native.segment_sum(aim**2, judged.offsets)
    else:
        aims = groups.sums(aim, judged.item, query, len(top.length))
        both, squares = (of_groups * aims).sum(axis=1), (aims**2).sum(axis=1)
    return Exposures(own, *(np.where(some & there, x, np.nan) for x in (both, squares)))


def amortised(
    lists: RecommendedLists,
    reader: Reader,
    *,
    cutoff: int | None,
    by: str,
    target: Aimed | None,
    rel: float,
    overlap: Overlap,
    unknown: UnknownGroup,
) -> tuple[Values, Values]:
    """The mean exposures over all lists that have a target, and the means of their targets.

    One of each an item, or a group by a column; NaN where there are no lists. Without a target that is 0.
    """
    top = lists.top(cutoff)
    groups = None if by == "item" else item_groups(lists, by, overlap, unknown)
    counts = top.drawn * (top.length > 0)
    query = item = np.zeros(0, dtype=np.int64)
    aim = np.zeros(0)
    if target is not None:
        judged = lists.facts.judgements()
        item, query = judged.item, np.repeat(np.arange(len(counts)), np.diff(judged.offsets))
        aim = _target(judged, query, reader, cutoff, rel, target)
        counts *= _native.segment_sum((judged.grade >= rel).astype(np.float64), judged.offsets) > 0
    counts /= counts.sum() or np.nan
    if groups is not None:
        drawn = lists.draw(counts)
        aims = groups.sums(aim, item, query, len(counts))
        return totals(drawn, groups.attention(top, reader)), totals(drawn, aims)
    most = max(int(top.item.max(initial=0)), int(item.max(initial=0))) + 1
    seen: Values = np.bincount(top.item, reader.attention(top) * counts[top.query], most).astype(np.float64)
    return seen, np.bincount(item, aim * counts[query], most).astype(np.float64)


def _target(
    judged: Judgements,
    query: NDArray[np.int64],
    reader: Reader,
    cutoff: int | None,
    rel: float,
    target: Aimed,
) -> Values:
    """The exposure of each judged item where all orders of items of the same grade are as likely."""
    shown = np.flatnonzero(judged.grade >= rel if target == "relevant" else judged.grade == judged.grade)
    grade = np.maximum(judged.grade, 0.0)
    order = shown[np.lexsort((-grade[shown], query[shown]))]
    offsets = offsets_of(np.bincount(query[order], minlength=len(judged.offsets) - 1))
    rank = _native.segment_ranks(offsets)
    seen = reader.along(rank, grade[order] if reader.sees_grades else None, offsets)
    if cutoff is not None:
        seen = np.where(rank <= cutoff, seen, 0.0)
    first = (rank == 1) | (grade[order] != np.roll(grade[order], 1))
    level = np.cumsum(first) - 1
    found = np.zeros(len(judged.grade))
    found[order] = (np.bincount(level, seen) / np.bincount(level))[level]
    return found
