"""CategoryEntropy."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.item_weights import RankDiscount, discount_of, order_of
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.kinds.logarithms import Base, log_of
from rankmark.language.parameters import CATEGORY, Column
from rankmark.language.registry import item_measure


@item_measure("CategoryEntropy", aliases=("ListEntropy",), bounds=(0, None), needs=("items",), order=order_of)
def category_entropy(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = CATEGORY,
    log: Base = 2,
    discount: RankDiscount = "none",
) -> Values:
    """Entropy of categories: how evenly a list divides into categories.

        CategoryEntropy@k = −Σ_g q_g · log q_g

    q_g is the share of category g among the items of the list down to rank k; an item of several categories
    is of each in equal parts.

    Args:
        by: the column of items with their category, or a list of categories.
        log: the base of the logarithm, ``e`` or a number; 2 gives bits.
        discount: at rank i an item counts 1 (``none``), 1 / log2(i + 1) (``log2``), 1 / i (``reciprocal``),
            or with a number p between 0 and 1 p^(i − 1).

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
    top = lists.top(cutoff)
    q = top.shares(by, None if discount == "none" else discount_of(top.rank, discount))
    return np.maximum(q.sum(-q.share * log_of(q.share, log)), 0.0)
