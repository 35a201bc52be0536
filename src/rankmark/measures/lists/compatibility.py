"""Compatibility."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.kinds.ranges import Between
from rankmark.language.registry import list_measure

if TYPE_CHECKING:
    from numpy.typing import NDArray


@list_measure("Compatibility", aliases=("Compat",), bounds=(0, 1), expected=False)
def compatibility(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    p: Annotated[float, Between(0, 1)] = 0.95,
    depth: Literal["longer", "endless"] = "longer",
    denominator: Literal["ideal", "one"] = "ideal",
) -> Values:
    """Compatibility: the overlap of the list with the ideal list that is most like it, depth by depth.

        Compatibility = RBO / D
        RBO = Σ_{i≤depth} p^(i−1) · |L_i ∩ I_i| / i  /  Σ_{i≤depth} p^(i−1)

    L_i are the first i items of the list, I_i those of the ideal list: all items with a grade above 0,
    best first, equal grades in the order in which the list has them. RBO is rank-biased overlap.
    Compatibility@k cuts the list after rank k.

    Args:
        p: how far down one looks; 0.95 at the first twenty ranks or so, the shorter the list of ideal
            items the smaller it should be.
        depth: the last rank compared: ``longer`` is the length of the list or of the ideal list,
            whichever is longer (the tool of the measure's authors); ``endless`` is the sum over all
            ranks.
        denominator: D. ``ideal`` is the overlap of the ideal list with itself, which its length keeps
            below 1; ``one`` leaves RBO as it is.

    Range: 0 to 1.
    No relevant item (no grade above 0): decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.

    Source: [clarke2021].

    Example:
        Grades 1 and 2 in the wrong order, p = 0.5 and three ranks: the overlap is 0, 2 and 2 items, that
        of the ideal list 1, 2 and 2: (0.5 · 2/2 + 0.25 · 2/3) / (1 + 0.5 · 2/2 + 0.25 · 2/3) = 0.4.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 2}}
        >>> result = rm.evaluate(qrels, {"q": ["a", "b", "x"]}, "Compatibility(p=0.5)")
        >>> round(result["Compatibility(p=0.5)"], 6)
        0.4

    """
    ideal = lists.ideal
    good, wanted = lists.relevance > 0, ideal.relevance > 0
    number = ideal.sum(wanted)
    end = np.maximum(lists.length(cutoff), number) if depth == "longer" else np.full(len(number), np.inf)
    meet = np.maximum(lists.rank, lists.ideal_rank())
    overlap = lists.sum(_weight(meet, lists.spread(end), p) * good * lists.within(cutoff))
    most = ideal.sum(_weight(ideal.rank, ideal.spread(end), p) * wanted)
    whole = (1 - np.power(p, end)) / (1 - p)
    return ratio(overlap, most if denominator == "ideal" else whole, number)


def _weight(meet: NDArray[np.int64], end: Values, p: float) -> Values:
    """Σ p^(i−1) / i over the depths i from `meet`, at which both lists have an item, to `end`."""
    finite = np.isfinite(end)
    ranks = np.arange(1, max(meet.max(initial=1), end[finite].max(initial=1)) + 1)
    running = np.concatenate(([0.0], np.cumsum(np.power(p, ranks - 1.0) / ranks)))
    whole = np.full(len(end), -math.log1p(-p) / p)
    whole[finite] = running[end[finite].astype(np.int64)]
    rest: Values = np.maximum(whole - running[meet - 1], 0.0)
    return rest
