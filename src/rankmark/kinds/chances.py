"""What chance items of each group have of being recommended, and how unequal such chances are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rankmark import _numpy as np
from rankmark.kinds.expected import HeadOf, in_head
from rankmark.kinds.item_facts import ItemFacts
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["chances_needs", "group_sums", "new_to_user", "spread_of_chances"]

Needed: TypeAlias = Literal["train", "items", "judgements"]


def chances_needs(given: Mapping[str, Any]) -> tuple[Needed, ...]:
    """What has to be known of items for groups by this."""
    return ("train",) if given["by"] == "popularity" else ("items", "train")


def group_sums(facts: ItemFacts, x: Values, by: str, head: float, of: HeadOf) -> Values:
    """The sum of `x`, one an item that can be recommended, over the items of each group.

    Groups are those of a column, where an item of several counts in each; or by ``popularity`` the head and
    the others.
    """
    if by == "popularity":
        belongs = in_head(facts, head, of)
        return np.array([x[belongs].sum(), x[~belongs].sum()])
    categories = facts.known().categories(by)
    assert categories is not None  # the column was looked at before
    each = np.repeat(x, np.diff(categories.offsets))
    return np.bincount(categories.values, each, categories.count).astype(np.float64)


def new_to_user(lists: RecommendedLists) -> Values:
    """For how many of the users with a list each item is new; one an item that can be recommended."""
    there = lists.draw(lists.drawn * (lists.length > 0))
    had = there.profiles.draw(there.drawn).exposure()[: lists.facts.count]
    return there.total(1.0) - had


def spread_of_chances(recommended: Values, possible: Values) -> float:
    """The standard deviation of the chances of the groups over their mean, NaN where all are 0.

    Groups of which nothing could be recommended are left out.
    """
    there: NDArray[np.bool_] = possible > 0
    chances = recommended[there] / possible[there]
    mean = chances.mean() if len(chances) else 0.0
    return float(chances.std() / mean) if mean else math.nan
