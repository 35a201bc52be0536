"""IntraListDiversity."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankmark.kinds.item_facts import Lists
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.parameters import Column
from rankmark.language.registry import item_measure

PIECE = 1 << 22
"""Numbers of vectors that are looked at at once."""

CATEGORY = Column("category")


@item_measure(
    "IntraListDiversity",
    aliases=("ILD", "IntraListDistance"),
    variants={
        "ILDJaccard": {"distance": "jaccard"},
        "ILDHamming": {"distance": "hamming"},
    },
    bounds=(0, 2),
    needs=("items",),
    undefined="fewer than two items",
)
def intra_list_diversity(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = CATEGORY,
    distance: Literal["cosine", "jaccard", "hamming"] = "cosine",
) -> Values:
    """Intra-list diversity: the mean distance between two items of a list.

        IntraListDiversity@k = mean_{i<j≤n} d(x_i, x_j)

    n is the number of items of the list down to rank k; a list of one item has no value. Categories are sets
    A and B out of C categories.

    Args:
        by: the column of items that says what they are like: a category, a list of categories, a number or a
            list of numbers.
        distance: ``cosine``, 1 − x·y / (|x|·|y|), of categories 1 − |A∩B| / √(|A|·|B|); of categories also
            ``jaccard``, 1 − |A∩B| / |A∪B|, or ``hamming``, the share of the C of which one item alone is.

    Needs: a table of items, items=….

    Range: 0 to 1; of numbers that can be negative to 2.

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
    known = lists.facts.known()
    categories = known.categories(by)
    if categories is None:
        means = _mean_cosines(top, known.vectors(by))
    else:
        means = _mean_of_pairs(top, categories, distance)
    return means


def _mean_cosines(top: RecommendedLists, vectors: NDArray[np.float64]) -> Values:
    """The mean cosine distance of all pairs: the square of the sum of all directions has each pair twice."""
    lengths = np.sqrt((vectors * vectors).sum(axis=1))
    directions = np.divide(vectors, lengths[:, None], out=np.zeros_like(vectors), where=lengths[:, None] > 0)
    n = top.length
    squares = np.zeros(len(n))
    own = top.sum((lengths > 0)[top.item])
    step = max(PIECE // max(directions.shape[1] * max(int(n.max(initial=1)), 1), 1), 1)
    for first in range(0, len(n), step):
        offsets = top.offsets[first : first + step + 1]
        there = np.flatnonzero(np.diff(offsets))
        piece = directions[top.item[offsets[0] : offsets[-1]]]
        if len(there):
            sums = np.add.reduceat(piece, offsets[there] - offsets[0], axis=0)
            squares[first + there] = (sums * sums).sum(axis=1)
    pairs = n * (n - 1)
    return np.where(n > 1, 1 - (squares - own) / np.maximum(pairs, 1), np.nan)


def _mean_of_pairs(top: RecommendedLists, categories: Lists, distance: str) -> Values:
    """The mean distance of all pairs by categories: those next to each other, those one apart and so on."""
    sizes = np.diff(categories.offsets)
    bits = np.zeros((len(sizes), (categories.count + 7) // 8), dtype=np.uint8)
    places = np.repeat(np.arange(len(sizes)), sizes)
    np.bitwise_or.at(bits, (places, categories.values // 8), (1 << (categories.values % 8)).astype(np.uint8))
    n = top.length
    total = np.zeros(len(n))
    for apart in range(1, int(n.max(initial=0))):
        a = np.flatnonzero(top.query[:-apart] == top.query[apart:])
        x, y = top.item[a], top.item[a + apart]
        both = ONES[bits[x] & bits[y]].sum(axis=1, dtype=np.float64)
        of_x, of_y = sizes[x], sizes[y]
        if distance == "jaccard":
            far = 1 - both / (of_x + of_y - both)
        elif distance == "hamming":
            far = (of_x + of_y - 2 * both) / categories.count
        else:
            far = 1 - both / np.sqrt(of_x * of_y)
        total += np.bincount(top.query[a], far, len(n))
    return np.where(n > 1, total / np.maximum(n * (n - 1) / 2, 1), np.nan)


ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)
"""How many bits of each byte are set."""
