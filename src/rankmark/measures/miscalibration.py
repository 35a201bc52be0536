"""Miscalibration."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.kinds.ranges import Between
from rankmark.language.parameters import Column
from rankmark.language.registry import item_measure

CATEGORY = Column("category")


@item_measure(
    "Miscalibration",
    aliases=("CalibrationKL", "CKL"),
    bounds=(0, None),
    needs=("items", "train"),
    better="less",
    undefined="no items before or now",
)
def miscalibration(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = CATEGORY,
    alpha: Annotated[float, Between(0, 1)] = 0.01,
) -> Values:
    """Miscalibration: how far the categories of a list are from those of what its user had; less is better.

        Miscalibration@k = Σ_g p_g · ln(p_g / q̃_g),  q̃_g = (1 − α) · q_g + α · p_g

    It is the Kullback-Leibler divergence, C_KL in the source. p_g is the share of category g among the items
    that the user had, each once, and q_g among those of the list down to rank k; an item of several
    categories is of each in equal parts. Users who had none of the items have no value.

    Args:
        by: the column of items with their category, or a list of categories.
        alpha: keeps the divergence finite where the list lacks a category.

    Needs: a table of items, items=…, and the interactions before, train=….

    Range: 0 or more.

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
    p, q = lists.shares_before(by), top.shares(by)
    near = (1 - alpha) * q.at(p.keys) + alpha * p.share
    divergence = p.sum(p.share * np.log(p.share / near))
    return np.where(top.length > 0, np.maximum(divergence, 0.0), np.nan)
