"""CategoryCoverage."""

from __future__ import annotations

import numpy as np

from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.parameters import Column
from rankmark.language.registry import item_measure

CATEGORY = Column("category")


@item_measure("CategoryCoverage", aliases=("GenreCoverage",), bounds=(0, 1), needs=("items",))
def category_coverage(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = CATEGORY,
) -> Values:
    """Category coverage: the share of all categories that a list has an item of.

        CategoryCoverage@k = |⋃_{i ≤ k} A_i| / C

    A_i is the categories of the item at rank i, C how many there are among all items.

    Args:
        by: the column of items with their category, or a list of categories.

    Needs: a table of items, items=….

    Range: 0 to 1.

    Source: [vargas2014].

    Example:
        The list has items of two of three categories.

        >>> import rankmark as rm
        >>> items = {"a": {"category": "x"}, "b": {"category": "y"}, "c": {"category": "z"}}
        >>> result = rm.evaluate(None, {"u1": ["a", "b"]}, "CategoryCoverage@2", items=items)
        >>> round(result["CategoryCoverage@2"], 6)
        0.666667

    """
    q = lists.top(cutoff).shares(by)
    return q.sum(np.ones(len(q.keys))) / q.count
