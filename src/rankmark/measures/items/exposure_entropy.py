"""ExposureEntropy."""

from __future__ import annotations

import math
from typing import Literal

from rankmark.kinds.item_weights import RankDiscount, exposure_of, order_of
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.logarithms import Base, log_of
from rankmark.language.registry import item_measure


@item_measure(
    "ExposureEntropy",
    aliases=("ShannonEntropy", "SEntropy"),
    bounds=(0, None),
    needs=(),
    aggregate="run",
    order=order_of,
)
def exposure_entropy(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    log: Base = 2,
    denominator: Literal["one", "recommended"] = "one",
    discount: RankDiscount = "none",
) -> float:
    """Shannon entropy of exposure: how evenly recommendations fall on items.

        ExposureEntropy@k = −(1/D) Σ_i p_i · log p_i,  p_i = c_i / Σ_j c_j

    c_i is in how many lists item i is, down to rank k.

    Args:
        log: the base of the logarithm, ``e`` or a number; 2 gives bits.
        denominator: D is ``one``, or how many different items are ``recommended`` (RecBole).
        discount: at rank i an item counts 1 (``none``), 1 / log2(i + 1) (``log2``), 1 / i (``reciprocal``),
            or with a number p between 0 and 1 p^(i − 1).

    Needs: nothing but the run.

    Range: 0 or more.

    Source: [shani2011].

    Example:
        p is 1/2, 1/4 and 1/4: 1/2 · 1 + 2 · 1/4 · 2.

        >>> import rankmark as rm
        >>> rm.evaluate(None, {"u1": ["a", "b"], "u2": ["a", "c"]}, "ExposureEntropy@2").values
        {'ExposureEntropy@2': 1.5}

    """
    exposure = exposure_of(lists.top(cutoff), discount)
    if not exposure.any():
        return math.nan
    p = exposure[exposure > 0] / exposure.sum()
    entropy = -(p * log_of(p, log)).sum()
    return float(entropy / (1 if denominator == "one" else len(p))) + 0.0
