"""CategoryCoverage."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.parameters import CATEGORY, Column
from rankmark.language.registry import item_measure


@item_measure(
    "CategoryCoverage",
    aliases=("GenreCoverage",),
    variants={"CategoricalDiversity": {"denominator": "cutoff"}},
    bounds=(0, None),
    usual_bounds=(0, 1),
    usual_with=("denominator",),
    needs=("items",),
)
def category_coverage(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = CATEGORY,
    denominator: Literal["categories", "cutoff"] = "categories",
) -> Values:
    """Category coverage: the share of all categories that a list has an item of.

        CategoryCoverage@k = |⋃_{i ≤ k} A_i| / D

    A_i is the categories of the item at rank i.

    Args:
        by: the column of items with their category, or a list of categories.
        denominator: D is how many ``categories`` there are among all items; or k, the ``cutoff``, or without
            one the length of the list (RePlay's CategoricalDiversity).

    Needs: a table of items, items=….

    Range: 0 to 1; over the cutoff also more, of items of several categories.

    Source: [vargas2014].

    Example:
        The list has items of two of three categories.

        >>> import rankmark as rm
        >>> items = {"a": {"category": "x"}, "b": {"category": "y"}, "c": {"category": "z"}}
        >>> result = rm.evaluate(None, {"u1": ["a", "b"]}, "CategoryCoverage@2", items=items)
        >>> round(result["CategoryCoverage@2"], 6)
        0.666667

    """
    top = lists.top(cutoff)
    different, categories = top.categories(by)
    return different / (categories if denominator == "categories" else cutoff or np.maximum(top.length, 1))
