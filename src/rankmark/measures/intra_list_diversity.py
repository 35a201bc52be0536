"""IntraListDiversity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.kinds.item_facts import Lists, Numbers
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.parameters import Column
from rankmark.language.registry import item_measure

CATEGORY = Column("category")
Distances: TypeAlias = Callable[[Numbers, Numbers], Values]
"""How far some items, by their numbers, are from those beside them."""


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
    needs=lambda given: ("train" if given["distance"] == "cooccurrence" else "items",),
    undefined="fewer than two items",
)
def intra_list_diversity(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = CATEGORY,
    distance: Literal["cosine", "jaccard", "hamming", "differences", "cooccurrence"] = "cosine",
    denominator: Literal["pairs", "items"] = "pairs",
    single: Literal["skip", "zero"] = "skip",
) -> Values:
    """Intra-list diversity: the mean distance between two items of a list.

        IntraListDiversity@k = (1/D) · Σ_{i<j≤n} d(x_i, x_j)

    n is the number of items of the list down to rank k. Categories are sets A and B out of C categories.

    Args:
        by: the column of items that says what they are like: a category, a list of categories, a number or a
            list of numbers.
        distance: ``cosine``, 1 − x·y / (|x|·|y|), of categories 1 − |A∩B| / √(|A|·|B|); of categories also
            ``jaccard``, 1 − |A∩B| / |A∪B| (recpack); ``hamming``, the share of the C, or of the numbers, in
            which they differ; ``differences``, in how many they do (RecTools); or, whatever they are like,
            ``cooccurrence``, 1 − u_xy / √(u_x · u_y) with u users who had x, y or both before (recommenders).
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
    total = _sum_of_pairs(top, by, distance)
    alone = np.where((n == 1) & (single == "zero"), 0.0, np.nan)
    return np.where(n > 1, total / np.maximum(pairs if denominator == "pairs" else n, 1), alone)


def _sum_of_pairs(top: RecommendedLists, by: str, distance: str) -> Values:
    """The sum of the distances of all pairs of each list."""
    if distance == "cooccurrence":
        return _sum(top, _cooccurrences(top))
    known = top.facts.known()
    categories = known.categories(by)
    if categories is not None:
        return _sum(top, _of_categories(categories, distance))
    vectors = known.vectors(by)
    if distance == "cosine":
        return _sum_of_cosines(top, vectors)
    size = vectors.shape[1] if distance == "hamming" else 1
    return _sum(top, lambda x, y: (vectors[x] != vectors[y]).sum(axis=1) / size)


def _sum(top: RecommendedLists, far: Distances) -> Values:
    """The sum over all pairs: of those next to each other, those one apart and so on."""
    total = np.zeros(len(top.length))
    for apart in range(1, int(top.length.max(initial=0))):
        a = np.flatnonzero(top.query[:-apart] == top.query[apart:])
        total += np.bincount(top.query[a], far(top.item[a], top.item[a + apart]), len(total))
    return total


def _sum_of_cosines(top: RecommendedLists, vectors: NDArray[np.float64]) -> Values:
    """The sum of all cosine distances: the square of the sum of all directions has each pair twice."""
    lengths = np.sqrt((vectors * vectors).sum(axis=1))
    directions = np.divide(vectors, lengths[:, None], out=np.zeros_like(vectors), where=lengths[:, None] > 0)
    n = top.length
    squares = _native.squared_sums(directions, (top.offsets, top.item))
    own = top.sum((lengths > 0)[top.item])
    return (n * (n - 1) - (squares - own)) / 2


def _of_categories(categories: Lists, distance: str) -> Distances:
    """The distance of items by their categories."""
    sizes = np.diff(categories.offsets)
    bits = np.zeros((len(sizes), (categories.count + 7) // 8), dtype=np.uint8)
    places = np.repeat(np.arange(len(sizes)), sizes)
    np.bitwise_or.at(bits, (places, categories.values // 8), (1 << (categories.values % 8)).astype(np.uint8))

    def far(x: Numbers, y: Numbers) -> Values:
        both: Values = ONES[bits[x] & bits[y]].sum(axis=1, dtype=np.float64)
        of_x, of_y = sizes[x].astype(np.float64), sizes[y].astype(np.float64)
        if distance == "jaccard":
            return 1 - both / (of_x + of_y - both)
        if distance == "cosine":
            return 1 - both / np.sqrt(of_x * of_y)
        return (of_x + of_y - 2 * both) / (categories.count if distance == "hamming" else 1)

    return far


def _cooccurrences(top: RecommendedLists) -> Distances:
    """The distance of items by the users who had them; one that nobody had is like none."""
    train = top.facts.before()
    users = top.facts.popularity("users")

    def far(x: Numbers, y: Numbers) -> Values:
        lower, upper = np.minimum(x, y).astype(np.int64), np.maximum(x, y)
        keys, places = np.unique(lower * len(users) + upper, return_inverse=True)
        one, other = keys // len(users), keys % len(users)
        alike = train.both(one, other) / np.sqrt(np.maximum(users[one] * users[other], 1))
        return (1 - alike)[places]

    return far


ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)
"""How many bits of each byte are set."""
