"""Miscalibration."""

from __future__ import annotations

from typing import Annotated

from rankmark import _numpy as np
from rankmark.kinds.divergences import Divergence, divergence_of
from rankmark.kinds.item_weights import RankDiscount, discount_of, order_of
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.kinds.logarithms import Base
from rankmark.kinds.ranges import Between
from rankmark.language.parameters import CATEGORY, Column
from rankmark.language.registry import item_measure


@item_measure(
    "Miscalibration",
    aliases=("CalibrationKL", "CKL"),
    variants={"CalibrationJS": {"divergence": "js"}, "CalibrationHellinger": {"divergence": "hellinger"}},
    bounds=(0, None),
    needs=("items", "train"),
    better="less",
    order=order_of,
    undefined="no items before or now",
)
def miscalibration(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = CATEGORY,
    divergence: Divergence = "kl",
    alpha: Annotated[float, Between(0, 1)] = 0.01,
    log: Base = "e",
    discount: RankDiscount = "none",
) -> Values:
    """Miscalibration: how far the categories of a list are from those of what its user had; less is better.

        Miscalibration@k = Σ_g p_g · ln(p_g / q̃_g),  q̃_g = (1 − α) · q_g + α · p_g

    p_g is the share of category g among the items
    that the user had, each once, and q_g among those of the list down to rank k; an item of several
    categories is of each in equal parts. Users who had none of the items have no value.

    Args:
        by: the column of items with their category, or a list of categories.
        divergence: ``kl``, as above, is that of Kullback and Leibler, C_KL in the source; ``js``, that of
            Jensen and Shannon, ½·Σ p_g · ln(p_g / m_g) + ½·Σ q_g · ln(q_g / m_g) with m_g = (p_g + q_g) / 2;
            ``hellinger`` is Hellinger's distance, √(½·Σ (√p_g − √q_g)²).
        alpha: keeps the divergence of Kullback and Leibler finite where the list lacks a category.
        log: the base of the logarithm, ``e`` or a number; 2 gives bits.
        discount: at rank i of the list an item counts 1 (``none``), 1 / log2(i + 1) (``log2``), 1 / i
            (``reciprocal``), or with a number p between 0 and 1 p^(i − 1).

    Needs: a table of items, items=…, and the interactions before, train=….

    Range: 0 or more; js to ln 2, or 1 with log=2, and hellinger to 1.

    Source: [steck2018].

    Example:
        The user had x and y alike, and the list has x alone: ½·ln(½/0.995) + ½·ln(½/0.005).

        >>> import rankmark as rm
        >>> items = {"a": {"category": "x"}, "b": {"category": "y"}, "c": {"category": "x"}}
        >>> result = rm.evaluate(None, {"u": ["c"]}, "Miscalibration@1", items=items, train={"u": ["a", "b"]})
        >>> round(result["Miscalibration@1"], 6)
        1.958518

    """
    top = lists.top(cutoff)
    weight = None if discount == "none" else discount_of(top.rank, discount)
    p, q = lists.shares_before(by), top.shares(by, weight)
    apart = divergence_of(p, q, divergence, alpha=alpha, log=log)
    return np.where(top.length > 0, apart, np.nan)
