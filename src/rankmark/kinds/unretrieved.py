"""Where the items stand that were not retrieved: after the list, in any order."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from rankmark import _numpy as np
from rankmark.errors import DataError
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.kinds.ranges import Whole

__all__ = ["Catalogue", "Ranked", "catalogue", "rank_after_list"]

Catalogue: TypeAlias = Annotated[float, Whole(1)]
"""How many items there are that could be retrieved, the same for all queries."""

Ranked: TypeAlias = Literal["known"] | Catalogue
"""The items that have a rank: those ``known`` (retrieved or judged), or so many."""


def catalogue(lists: JudgedLists, measure: str, items: Ranked) -> Values:
    """How many items there are; one a query.

    Raises:
        DataError: a query has more.

    """
    known = lists.known.astype(np.float64)
    if items == "known":
        return known
    if known.max(initial=0) > items:
        raise DataError(
            f"{measure}(items={items}): a query has {known.max():.0f} items that were retrieved or judged; "
            "items is how many there are in all"
        )
    return np.full(len(known), float(items))


def rank_after_list(lists: JudgedLists, items: Values) -> Values:
    """The mean rank of an item that was not retrieved; one a query."""
    return (lists.retrieved + 1 + items) / 2
