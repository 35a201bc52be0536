"""PartialAUC."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure


@list_measure(
    "PartialAUC",
    aliases=("pAUC",),
    variants={"PAP": {"hits": "first"}},
    bounds=(0, 1),
    expected=False,
    order="list",  # whose k counts other items than ranks
)
def partial_auc(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    hits: Literal["all", "first"] = "all",
) -> Values:
    """Partial AUC: the share of pairs in order, of the relevant items and the first k that are not.

        PartialAUC@k = (1/(D · k)) Σ_d max(0, k − m_d)

    d runs over the relevant items retrieved, m_d is the number of items above it that are not relevant.
    Here k counts items that are not relevant, not ranks; without it all of the list count. A list that
    has fewer than k goes on with others: they stand below every relevant item it has, and above every
    one it lacks.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.
        hits: ``all`` looks at all relevant items, and D is their number R (RecTools' PartialAUC);
            ``first`` at the first min(R, k) of the list, and D = min(R, k) (pAp@k, RecTools' PAP).

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.

    Source: [hiranandani2020].

    Example:
        Relevant items at ranks 2, 4 and 5, a fourth is not retrieved. They stand before 2, 1 and 1 of the
        first three others: 4 of 12 pairs, and of the first three relevant items 4 of 9.

        >>> import rankmark as rm
        >>> qrels = {"q": {"b": 1, "d": 1, "e": 1, "z": 1}}
        >>> result = rm.evaluate(qrels, {"q": ["a", "b", "c", "d", "e", "f"]}, ["PartialAUC@3", "PAP@3"])
        >>> [round(value, 6) for value in result.values.values()]
        [0.333333, 0.444444]

    """
    hit = lists.relevance >= rel
    found = lists.running_sum(hit)
    total = lists.relevant(rel)
    misses = lists.retrieved - lists.sum(hit) if cutoff is None else np.full(len(total), float(cutoff))
    most = np.minimum(total, misses) if hits == "first" else total
    share = np.maximum(1 - (lists.rank - found) / lists.spread(np.maximum(misses, 1)), 0.0)
    counted = hit * (found <= lists.spread(most))
    return ratio(lists.sum(share * counted), most, total)
