"""EILD."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.browsing import MaxGrade
from rankmark.kinds.distances import Distance, distance_needs, tables_of_pairs
from rankmark.kinds.item_weights import (
    ItemGain,
    RankDiscount,
    discount_of,
    discounted_mean,
    graded,
    item_gain,
    order_of,
)
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.parameters import CATEGORY, Columns
from rankmark.language.registry import item_measure


@item_measure(
    "EILD",
    aliases=("ExpectedIntraListDiversity",),
    bounds=(0, None),
    usual_bounds=(0, 2),
    usual_with=("distance",),
    needs=graded(more=distance_needs),
    order=order_of,
    undefined="fewer than two items",
)
def expected_intra_list_diversity(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Columns = CATEGORY,
    distance: Distance = "cosine",
    discount: RankDiscount = "none",
    gain: ItemGain = "none",
    rel: float = 1,
    max_grade: MaxGrade = 4,
) -> Values:
    """Expected intra-list diversity: how far an item that is seen and chosen is from others that are, too.

        EILD@k = Σ_{i≤n} d(i) · g_i · D_i / Σ_{i≤n} d(i)
        D_i = Σ_{j≠i} e_ij · g_j · d(x_i, x_j) / Σ_{j≠i} e_ij · g_j
        e_ij = d(max(1, j − i))

    n is the number of items of the list down to rank k, d(i) how likely rank i is to be seen, e_ij how
    likely rank j is to be seen from rank i, and g_i how likely the item there is to be chosen; d(x_i, x_j) is
    the distance of two items. D_i is 0 where no other item would be chosen. With the defaults it is
    IntraListDiversity.

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
        discount: d(i) is 1 (``none``), 1 / log2(i + 1) (``log2``), 1 / i (``reciprocal``), or with a number p
            between 0 and 1 p^(i − 1); the source has 0.85.
        gain: g_i is 1 (``none``), 1 for an item judged `rel` or better, else 0 (``binary``), or
            (2^grade − 1) / 2^max_grade (``exp2``).
        rel: the least grade of a relevant item, for gain=binary.
        max_grade: the highest grade of the scale, for gain=exp2.

    Needs: a table of items, items=…, or for cooccurrence the interactions before, train=…; and judgements for
    gain=binary and gain=exp2.

    Range: 0 to 1; of numbers that can be negative to 2, and more for differences.

    Source: [vargas2011].

    Example:
        a and c are relevant and of two categories, b is not relevant: of three items two are at distance 1.

        >>> import rankmark as rm
        >>> items = {"a": {"category": "x"}, "b": {"category": "x"}, "c": {"category": "y"}}
        >>> qrels, run = {"u": {"a": 1, "c": 1}}, {"u": ["a", "b", "c"]}
        >>> result = rm.evaluate(qrels, run, "EILD(gain=binary)@3", items=items)
        >>> round(result["EILD(gain=binary)@3"], 6)
        0.666667

    """
    top = lists.top(cutoff)
    chosen = item_gain(top, "EILD", gain=gain, rel=rel, max_grade=max_grade)
    found = np.zeros(len(top.item))
    for _, places, apart in tables_of_pairs(top, by, distance):
        rank = np.arange(apart.shape[1])
        weight = discount_of(np.maximum(rank - rank[:, None], 1), discount) * chosen[places][:, None, :]
        weight[:, rank, rank] = 0.0
        total, whole = (weight * apart).sum(axis=2), weight.sum(axis=2)
        found[places] = np.divide(total, whole, out=np.zeros(total.shape), where=whole > 0)
    return np.where(top.length > 1, discounted_mean(top, chosen * found, discount), np.nan)
