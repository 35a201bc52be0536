"""Which items anybody would expect: those that most users had before."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from rankmark import _numpy as np
from rankmark.kinds.item_facts import By, ItemFacts, Lists
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.kinds.ranges import Between, Whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "HadBefore",
    "Head",
    "HeadOf",
    "PrimitiveSize",
    "in_head",
    "information",
    "popularity_ranks",
    "share_of",
    "tiers",
    "unexpected",
]

Head: TypeAlias = Annotated[float, Between(0, 1)]
"""How much the head of the most popular items is, as a share."""

HeadOf: TypeAlias = Literal["items", "interactions"]
"""Whether the head is that share of the items, rounded up, or as few items as have it of the interactions."""

PrimitiveSize: TypeAlias = Literal["cutoff"] | Annotated[float, Whole(1)]
"""How many of the most popular items a primitive list has: as many as the list that it is compared with, down
to the cutoff, or so many."""

HadBefore: TypeAlias = Literal["keep", "skip"]
"""Whether a primitive list has items that the user had before, or the next ones in their place."""


def in_head(facts: ItemFacts, head: float, of: HeadOf) -> NDArray[np.bool_]:
    """Which items are in the head; one an item that can be recommended.

    Items that are as popular as the last of the head belong to it, and one that nobody had does not.
    """
    counts = facts.popularity("users" if of == "items" else "interactions")[: facts.count]
    descending = -np.sort(-counts)
    if of == "items":
        last = math.ceil(share_of(facts.catalogued, head)) - 1
    else:
        before = np.cumsum(descending)
        last = int(np.searchsorted(before, share_of(before[-1], head)))
    return np.asarray(counts >= max(descending[last], 1))


def tiers(facts: ItemFacts, head: float, tail: float) -> Lists:
    """In which part each item is by how often it was had: the tail 0, the middle 1, the head 2.

    The head and the tail are as few of the most and of the least popular items as have their share of the
    interactions; items that are as popular as the last of them belong to them, and none to both.
    """
    counts = facts.popularity("interactions")
    ascending = np.sort(counts)
    before = np.cumsum(ascending)
    lowest = ascending[np.searchsorted(before, share_of(before[-1], tail))]
    above = np.cumsum(ascending[::-1])
    highest = ascending[::-1][np.searchsorted(above, share_of(above[-1], head))]
    part = np.where(counts >= max(highest, 1), 2, np.where(counts <= lowest, 0, 1))
    return Lists(part.astype(np.int64), np.arange(len(counts) + 1), 3)


def share_of(count: float, share: float) -> float:
    """A share of a count, never a little more than a whole number: 0.07 · 100 is 7.000000000000001."""
    return count * share * (1 - 1e-12)


def information(facts: ItemFacts, by: By) -> Values:
    """The self-information of each item in bits: how unlikely a user, or an interaction, is to have it.

    One that nobody had has that of an item that was had once.
    """
    counts = facts.popularity(by)
    total = facts.before().users if by == "users" else counts.sum()
    return np.asarray(np.log2(total / np.maximum(counts, 1)), dtype=np.float64)


def unexpected(
    top: RecommendedLists, cutoff: int | None, size: PrimitiveSize, before: HadBefore
) -> NDArray[np.bool_]:
    """Whether each item is in no primitive list, one of the items that most users had.

    Items that are as popular as the last of a primitive list belong to it, and one that nobody had to none.
    """
    counts = top.facts.popularity("users")[: top.facts.count]
    order = np.argsort(-counts, kind="stable")
    lengths = top.length.astype(np.int64) if cutoff is None else np.full(len(top.length), cutoff)
    last = (lengths if size == "cutoff" else np.full(len(lengths), min(int(size), len(order)))) - 1
    if before == "skip":
        last += _passed_over(top, order, last)
    least = np.maximum(counts[order][np.clip(last, 0, len(order) - 1)], 1)
    primitive = counts[top.item] >= least[top.query]
    if before == "skip":
        primitive &= ~top.had()
    absent: NDArray[np.bool_] = ~primitive
    return absent


BEHIND_ALL = 1 << 62
"""The place of what cannot be recommended."""


def _passed_over(
    top: RecommendedLists, order: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many items that the user had stand before the one at each place of those not had; one a query."""
    before = top.profiles
    places = np.full(max(len(order), int(before.item.max(initial=-1)) + 1), BEHIND_ALL)
    places[order] = np.arange(len(order))
    had = places[before.item]
    had = had[np.lexsort((had, before.query))]
    others = had - (before.rank - 1)
    return np.bincount(before.query[others <= last[before.query]], minlength=len(last))


def popularity_ranks(facts: ItemFacts) -> Values:
    """The rank of each item by how often it was had, from 1; equal ones have one rank, the next has the next.

    One an item that can be recommended; NaN for an item that nobody had.
    """
    counts = facts.popularity("interactions")[: facts.count]
    distinct = np.unique(counts[counts > 0])
    ranks = len(distinct) - np.searchsorted(distinct, counts).astype(np.float64)
    return np.where(counts > 0, ranks, np.nan)
