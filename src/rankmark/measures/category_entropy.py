"""CategoryEntropy."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.parameters import Column
from rankmark.language.registry import item_measure

CATEGORY = Column("category")


@item_measure("CategoryEntropy", aliases=("ListEntropy",), bounds=(0, None), needs=("items",))
def category_entropy(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = CATEGORY,
    log: Literal["2", "e"] = "2",
) -> Values:
    """Entropy of categories: how evenly a list divides into categories.

        CategoryEntropy@k = −Σ_g q_g · log q_g

    q_g is the share of category g among the items of the list down to rank k; an item of several categories
    is of each in equal parts.

    Args:
        by: the column of items with their category, or a list of categories.
        log: the base of the logarithm, ``2`` (bits) or ``e``.

    Needs: a table of items, items=….

    Range: 0 or more.

    Source: [shannon1948].

    Example:
        One item of each of two categories.

        >>> import rankmark as rm
        >>> items = {"a": {"category": "x"}, "b": {"category": "y"}}
        >>> rm.evaluate(None, {"u1": ["a", "b"]}, "CategoryEntropy@2", items=items).values
        {'CategoryEntropy@2': 1.0}

    """
    q = lists.top(cutoff).shares(by)
    return np.maximum(q.sum(-q.share * (np.log2(q.share) if log == "2" else np.log(q.share))), 0.0)
