"""IntraListDiversity."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.distances import Distance, distance_needs, sum_of_pairs
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.parameters import CATEGORY, Columns
from rankmark.language.registry import item_measure


@item_measure(
    "IntraListDiversity",
    aliases=("ILD", "IntraListDistance"),
    variants={
        "ILDJaccard": {"distance": "jaccard"},
        "ILDHamming": {"distance": "hamming"},
    },
    bounds=(0, None),
    usual_bounds=(0, 2),
    usual_with=("distance", "denominator"),
    needs=distance_needs,
    undefined="fewer than two items",
)
def intra_list_diversity(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Columns = CATEGORY,
    distance: Distance = "cosine",
    denominator: Literal["pairs", "items"] = "pairs",
    single: Literal["skip", "zero"] = "skip",
) -> Values:
    """Intra-list diversity: the mean distance between two items of a list.

        IntraListDiversity@k = (1/D) · Σ_{i<j≤n} d(x_i, x_j)

    n is the number of items of the list down to rank k. Categories are sets A and B out of C categories.

    Args:
        by: the column of items that says what they are like: a category, a list of categories, a number or a
            list of numbers; or several, [genre,price], for the mean of the distances by each. A column of
            integers holds numbers for gower, and for all other distances codes of categories.
        distance: ``cosine``, 1 − x·y / (|x|·|y|), 1 where either is all 0, of categories 1 − |A∩B| /
            √(|A|·|B|); of categories also ``jaccard``, 1 − |A∩B| / |A∪B| (recpack); ``hamming``, the share of
            the C, or of the numbers, in which they differ; ``differences``, in how many they do (RecTools);
            ``gower``, of numbers the mean of their differences, each over the range of all items, of
            categories as jaccard; or, whatever they are like, ``cooccurrence``, 1 − u_xy / √(u_x · u_y) with
            u users who had x, y or both before (recommenders); from Python any function of what two items
            have there.
        denominator: D is how many ``pairs`` there are, n · (n − 1) / 2, or n, the ``items`` (evidently).
        single: a list of one item has no value (``skip``), or ``zero`` (RecTools, recpack, evidently).

    Needs: a table of items, items=…, or for cooccurrence the interactions before, train=….

    Range: 0 to 1; of numbers that can be negative to 2, and more for differences and over n.

    Source: [ziegler2005].

    Example:
        a and c are of one category, b of another: two pairs of three differ.

        >>> import rankmark as rm
        >>> items = {"a": {"category": "x"}, "b": {"category": "y"}, "c": {"category": "x"}}
        >>> result = rm.evaluate(None, {"u1": ["a", "b", "c"]}, "IntraListDiversity@3", items=items)
        >>> round(result["IntraListDiversity@3"], 6)
        0.666667

    """
    top = lists.top(cutoff)
    n = top.length
    pairs = n * (n - 1) / 2
    total = sum_of_pairs(top, by, distance)
    alone = np.where((n == 1) & (single == "zero"), 0.0, np.nan)
    return np.where(n > 1, total / np.maximum(pairs if denominator == "pairs" else n, 1), alone)
