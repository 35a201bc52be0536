"""ExposureConcentration."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from rankmark import _numpy as np
from rankmark.kinds.expected import share_of
from rankmark.kinds.item_weights import RankDiscount, exposure_of, order_of
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.ranges import Between
from rankmark.language.registry import item_measure


@item_measure(
    "ExposureConcentration",
    aliases=("Concentration", "ConcentrationRatio", "TopItemShare"),
    bounds=(0, 1),
    needs=lambda given: ("catalogue",) if given["of"] == "catalogue" else (),
    aggregate="run",
    better="less",
    order=order_of,
)
def exposure_concentration(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    share: Annotated[float, Between(0, 1)] = 0.01,
    of: Literal["catalogue", "recommended"] = "catalogue",
    discount: RankDiscount = "none",
) -> float:
    """Concentration of exposure: what share of recommendations a few items have; less is better.

        ExposureConcentration@k = Σ_{j≤m} c_j / Σ_j c_j,  c_1 ≥ c_2 ≥ …,  m = share · N

    c_j is in how many lists an item is, down to rank k, and N how many items there are.

    Args:
        share: how many items the few are, as a share of all; m is rounded up.
        of: N is how many items the ``catalogue`` has, or how many are ``recommended``.
        discount: at rank i an item counts 1 (``none``), 1 / log2(i + 1) (``log2``), 1 / i (``reciprocal``),
            or with a number p between 0 and 1 p^(i − 1).

    Needs: the catalogue, items=…, unless of=recommended.

    Range: 0 to 1.

    Source: [brynjolfsson2011], who write it so of sales.

    Example:
        Half of four items, a and b, have 3 of 4 recommendations.

        >>> import rankmark as rm
        >>> run = {"u1": ["a", "b"], "u2": ["a", "c"]}
        >>> measure = "ExposureConcentration(share=0.5)@2"
        >>> rm.evaluate(None, run, measure, items=["a", "b", "c", "d"])[measure]
        0.75

    """
    exposure = -np.sort(-exposure_of(lists.top(cutoff), discount))
    whole = exposure.sum()
    count = len(exposure) if of == "catalogue" else int(np.count_nonzero(exposure))
    return float(exposure[: math.ceil(share_of(count, share))].sum() / whole) if whole else math.nan
