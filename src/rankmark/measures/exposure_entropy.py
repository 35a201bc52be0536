"""ExposureEntropy."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from rankmark.kinds.items import RecommendedLists
from rankmark.language.registry import item_measure


@item_measure(
    "ExposureEntropy",
    aliases=("ShannonEntropy", "SEntropy"),
    bounds=(0, None),
    needs=(),
    aggregate="run",
)
def exposure_entropy(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    log: Literal["2", "e"] = "2",
    denominator: Literal["one", "recommended"] = "one",
) -> float:
    """Shannon entropy of exposure: how evenly recommendations fall on items.

        ExposureEntropy@k = −(1/D) Σ_i p_i · log p_i,  p_i = c_i / Σ_j c_j

    c_i is in how many lists item i is, down to rank k.

    Args:
        log: the base of the logarithm, ``2`` (bits) or ``e``.
        denominator: D is ``one``, or how many different items are ``recommended`` (RecBole).

    Needs: nothing but the run.

    Range: 0 or more.

    Source: [shani2011].

    Example:
        p is 1/2, 1/4 and 1/4: 1/2 · 1 + 2 · 1/4 · 2.

        >>> import rankmark as rm
        >>> rm.evaluate(None, {"u1": ["a", "b"], "u2": ["a", "c"]}, "ExposureEntropy@2").values
        {'ExposureEntropy@2': 1.5}

    """
    exposure = lists.top(cutoff).exposure()
    if not exposure.any():
        return math.nan
    p = exposure[exposure > 0] / exposure.sum()
    entropy = -(p * (np.log2(p) if log == "2" else np.log(p))).sum()
    return float(entropy / (1 if denominator == "one" else len(p))) + 0.0
