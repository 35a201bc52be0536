"""EPD."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.browsing import MaxGrade
from rankmark.kinds.distances import Distance, distance_needs, far_from_profiles
from rankmark.kinds.item_weights import ItemGain, RankDiscount, graded, order_of, seen_mean
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.parameters import CATEGORY, Columns
from rankmark.language.registry import item_measure


@item_measure(
    "EPD",
    aliases=("ExpectedProfileDistance", "ProfileDistance"),
    bounds=(0, None),
    usual_bounds=(0, 2),
    usual_with=("distance",),
    needs=graded("train", more=distance_needs),
    order=order_of,
    undefined="no items before or now",
)
def expected_profile_distance(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Columns = CATEGORY,
    distance: Distance = "cosine",
    of: Literal["mean", "nearest"] = "mean",
    discount: RankDiscount = "none",
    gain: ItemGain = "none",
    rel: float = 1,
    max_grade: MaxGrade = 4,
) -> Values:
    """Expected profile distance: how far items that are seen and chosen are from what their user had before.

        EPD@k = Σ_{i≤n} d(i) · g_i · D_i / Σ_{i≤n} d(i)

    n is the number of items of the list down to rank k, d(i) how likely rank i is to be seen, and g_i how
    likely its item is to be chosen; D_i is its distance from the items that the user had before. Users who
    had none have no value. With gain=binary it is serendipity by distance (evidently, recommenders), and
    without, with of=nearest, unexpectedness by distance (Adamopoulos and Tuzhilin).

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
        of: D_i is the ``mean`` of the distances from all of these, or that from the ``nearest``.
        discount: d(i) is 1 (``none``), 1 / log2(i + 1) (``log2``), 1 / i (``reciprocal``), or with a number p
            between 0 and 1 p^(i − 1); the source has 0.85.
        gain: g_i is 1 (``none``), 1 for an item judged `rel` or better, else 0 (``binary``), or
            (2^grade − 1) / 2^max_grade (``exp2``).
        rel: the least grade of a relevant item, for gain=binary.
        max_grade: the highest grade of the scale, for gain=exp2.

    Needs: a table of items, items=…, unless distance=cooccurrence, the interactions before, train=…, and
    judgements for gain=binary and gain=exp2.

    Range: 0 to 1; of numbers that can be negative to 2, and more for differences.

    Source: [vargas2011], [adamopoulos2014].

    Example:
        The user had a, of x; b is of y and c of x and y: 1 and 1 − 1/√2.

        >>> import rankmark as rm
        >>> items = {"a": {"category": ["x"]}, "b": {"category": ["y"]}, "c": {"category": ["x", "y"]}}
        >>> result = rm.evaluate(None, {"u": ["b", "c"]}, "EPD@2", items=items, train={"u": ["a"]})
        >>> round(result["EPD@2"], 6)
        0.646447

    """
    top = lists.top(cutoff)
    far = far_from_profiles(top, by, distance, of)
    values = seen_mean(
        top,
        np.nan_to_num(far, nan=0.0),
        "EPD",
        discount=discount,
        gain=gain,
        rel=rel,
        max_grade=max_grade,
    )
    return np.where(top.sum(np.isnan(far)) > 0, np.nan, values)
