"""ExposureGini."""

from __future__ import annotations

import math
from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.item_weights import RankDiscount, exposure_of, order_of
from rankmark.kinds.items import RecommendedLists
from rankmark.language.registry import item_measure


@item_measure(
    "ExposureGini",
    aliases=("GiniIndex", "ItemGini", "ListGini"),
    bounds=(0, 1),
    needs=lambda given: ("catalogue",) if given["of"] == "catalogue" else (),
    aggregate="run",
    order=order_of,
    better="less",
)
def exposure_gini(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    of: Literal["catalogue", "recommended"] = "catalogue",
    denominator: Literal["items", "others"] = "items",
    discount: RankDiscount = "none",
) -> float:
    """Gini index of exposure: how unevenly recommendations fall on items; less is better.

        ExposureGini@k = Σ_j (2j − n − 1) · c_j / (D · Σ_j c_j),  c_1 ≤ … ≤ c_n

    c_j is in how many lists an item is, down to rank k, and n how many items the catalogue has. It is 0 where
    all items are recommended equally often and 1 − 1/n where one alone is. Some tools give 1 minus it.

    Args:
        of: n is how many items the ``catalogue`` has, or how many are ``recommended`` (evidently).
        denominator: D is n, the number of ``items``, or n − 1, that of the ``others`` beside one, so that 1
            can be reached (evidently, Elliot).
        discount: at rank i an item counts 1 (``none``), 1 / log2(i + 1) (``log2``), 1 / i (``reciprocal``),
            or with a number p between 0 and 1 p^(i − 1).

    Needs: the catalogue, items=…, unless of=recommended.

    Range: 0 to 1.

    Source: [shani2011].

    Example:
        Four items are recommended 0, 1, 1 and 2 times: (−3·0 − 1·1 + 1·1 + 3·2) / (4 · 4).

        >>> import rankmark as rm
        >>> run = {"u1": ["a", "b"], "u2": ["a", "c"]}
        >>> rm.evaluate(None, run, "ExposureGini@2", items=["a", "b", "c", "d"]).values
        {'ExposureGini@2': 0.375}

    """
    exposure = np.sort(exposure_of(lists.top(cutoff), discount))
    exposure = exposure[exposure > 0] if of == "recommended" else exposure
    whole, n = exposure.sum(), len(exposure)
    size = n if denominator == "items" else n - 1
    place = np.arange(1, n + 1)
    return float(((2 * place - n - 1) * exposure).sum() / (size * whole)) if size * whole else math.nan
