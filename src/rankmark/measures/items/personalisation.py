"""Personalisation."""

from __future__ import annotations

import math
from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.items import RecommendedLists
from rankmark.language.registry import item_measure


@item_measure(
    "Personalisation",
    aliases=("Personalization", "InterListDiversity", "MeanInterListDiversity", "InterUserDiversity"),
    bounds=(0, 1),
    needs=(),
    aggregate="run",
)
def personalisation(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    denominator: Literal["lengths", "cutoff"] = "lengths",
) -> float:
    """Personalisation: how different the lists of two users are, in the mean over all pairs of users.

        Personalisation@k = 1 − mean_{u<v} |L_u ∩ L_v| / D

    L_u is the items of user u down to rank k; users without any are left out. A user who is drawn several
    times, as by the bootstrap, is in as many pairs with each other user, and in none with itself: its list is
    as its own, which says nothing of how different users' are.

    Args:
        denominator: D is √(|L_u| · |L_v|), by the ``lengths`` of both (rexmex), or k, the ``cutoff``, as in
            the source. They are one where every list has k items.

    Needs: nothing but the run.

    Range: 0 (all lists have the same items) to 1 (no two share one).

    Source: [zhou2010].

    Example:
        Two lists of two items share one of them.

        >>> import rankmark as rm
        >>> result = rm.evaluate(None, {"u1": ["a", "b"], "u2": ["a", "c"]}, "Personalisation@2")
        >>> round(result["Personalisation@2"], 12)
        0.5

    """
    top = lists.top(cutoff)
    there = top.length > 0
    own = top.total(top.drawn * there)
    pairs = top.total(there) ** 2 - own
    if not pairs:
        return math.nan
    # Each list as a vector of length 1: all pairs have the square of the sum without the squares.
    size = np.full(len(top.length), cutoff) if denominator == "cutoff" and cutoff else top.length
    together = top.exposure(1 / np.sqrt(size[top.query]))
    own_overlap = top.total(top.drawn * top.length / np.maximum(size, 1))
    overlap = (float((together * together).sum()) - own_overlap) / pairs
    return min(max(1 - overlap, 0.0), 1.0)
