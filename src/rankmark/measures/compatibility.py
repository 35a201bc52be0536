"""Compatibility."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np

from rankmark.browsing import Depth, last_rank
from rankmark.lists import JudgedLists, Values, ratio
from rankmark.measure import list_measure
from rankmark.parameters import Between


@list_measure("Compatibility", aliases=("Compat",), bounds=(0, 1), cite="clarke2021", expected=False)
def compatibility(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    p: Annotated[float, Between(0, 1)] = 0.95,
    depth: Depth = 1000,
    denominator: Literal["ideal", "one"] = "ideal",
) -> Values:
    """Compatibility: the overlap of the list with the ideal list that is most like it, depth by depth.

        Compatibility = RBO / D
        RBO = Σ_{i≤depth} p^(i−1) · |L_i ∩ I_i| / i  /  Σ_{i≤depth} p^(i−1)

    L_i are the first i items of the list, I_i those of the ideal list: all items with a grade above 0,
    best first, equal grades in the order in which the list has them. RBO is rank-biased overlap.
    Compatibility@k cuts the list after rank k, not the depth.

    Args:
        p: how far down one looks; 0.95 at the first twenty ranks or so, the shorter the list of ideal
            items the smaller it should be.
        depth: the last rank compared: 1000 in the tool of the measure's authors; ``endless`` is the sum
            over all ranks.
        denominator: D. ``ideal`` is the overlap of the ideal list with itself, which is finite and so
            below 1; ``one`` leaves RBO as it is.

    Range: 0 to 1.
    No relevant item (no grade above 0): decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.

    Source: C. Clarke, A. Vtyurina, M. Smucker, "Assessing top-k preferences", TOIS 39(3), 2021.

    Example:
        Grades 1 and 2 in the wrong order, p = 0.5 and three ranks: the overlap is 0, 2 and 2 items, that
        of the ideal list 1, 2 and 2: (0.5 · 2/2 + 0.25 · 2/3) / (1 + 0.5 · 2/2 + 0.25 · 2/3) = 0.4.

        >>> import rankmark as rm
        >>> measure = "Compatibility(p=0.5,depth=3)"
        >>> round(rm.evaluate({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, measure)[measure], 6)
        0.4

    """
    ideal = lists.ideal
    good, wanted = lists.relevance > 0, ideal.relevance > 0
    deepest = int(max(lists.rank.max(initial=1), ideal.rank.max(initial=1)))
    overlap_from = _overlap_from(deepest, p, depth)
    meets = np.maximum(lists.rank, lists.ideal_rank())
    overlap = lists.sum(overlap_from[meets] * good * lists.within(cutoff))
    most = ideal.sum(overlap_from[ideal.rank] * wanted)
    whole = 1 / (1 - p) if depth == "endless" else (1 - p**depth) / (1 - p)
    return ratio(overlap, most if denominator == "ideal" else whole, ideal.sum(wanted))


def _overlap_from(deepest: int, p: float, depth: float | Literal["endless"]) -> Values:
    """Σ p^(i−1) / i over all depths i from d on, for each d from 0 to `deepest`.

    An item adds 1/i to the overlap at every depth i from the one at which both lists have it.
    """
    end = deepest if depth == "endless" else max(deepest, int(depth))
    ranks = np.arange(end + 1)
    weights = np.power(p, ranks - 1.0) / np.maximum(ranks, 1) * ((ranks > 0) & (ranks <= last_rank(depth)))
    if depth != "endless":
        from_here: Values = np.cumsum(weights[::-1])[::-1]  # from the smallest up: no digit is lost
        return from_here
    above = np.cumsum(weights) - weights
    rest: Values = np.maximum(-math.log1p(-p) / p - above, 0.0)
    return rest
