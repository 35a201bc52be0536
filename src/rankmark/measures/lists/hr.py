"""HR."""

from __future__ import annotations

from typing import Literal

from rankmark.kinds.lists import JudgedLists, Values, compiled_hits, ratio
from rankmark.language.definition import GREATEST_CUTOFF
from rankmark.language.registry import list_measure


@list_measure(
    "HR",
    aliases=("success", "HitRate", "Hit", "hits", "top_k_accuracy", "Accuracy"),
    variants={"HitK": {"hits": "count"}, "hits": {"hits": "count"}},
    bounds=(0, None),
    usual_bounds=(0, 1),
    usual_with=("hits",),
    order="set",
    tells_unjudged=lambda given: given["bound"] == "upper",
    compiled=compiled_hits("any", 1.0, hits="any", bound="lower"),
    extremes="ends",
)
def hit_rate(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    hits: Literal["any", "count"] = "any",
    bound: Literal["lower", "upper"] = "lower",
) -> Values:
    """Hit rate, or success: 1 if a relevant item is among the first k, else 0.

        HR@k = [∃ i ≤ k : rel_i ≥ rel]

    ``rel_i`` is the grade of the item at rank i. Its mean is the share of queries (users) with a hit.
    Where every query has one relevant item (leave one out) it equals recall; `HitRatio` divides all
    hits by all relevant items instead.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.
        hits: ``any`` asks whether there is one; ``count`` is the number of hits, whose mean can exceed
            1 (recpack's "HitK").
        bound: what the unjudged items of the list count as: ``lower`` as not relevant, ``upper`` as
            relevant, which is how high the value could be. ``ties="best"`` and ``"worst"`` take them as
            not relevant all the same.

    Range: 0 to 1; with ``hits=count`` up to k.
    No relevant item: decided by `no_relevant`.
    Equal scores under ``ties="expected"``: the share of all orders with a hit, in closed form
    (hypergeometric).

    Source: [craswell2004] (as success@k).

    Example:
        Of two users one has a hit among the first two.

        >>> import rankmark as rm
        >>> qrels = {"u1": {"a": 1}, "u2": {"z": 1}}
        >>> rm.evaluate(qrels, {"u1": ["b", "a"], "u2": ["a", "b", "z"]}, "HR@2")["HR@2"]
        0.5

    """
    lists = lists.with_unjudged(rel) if bound == "upper" else lists
    items = lists.hits(rel)
    limit = GREATEST_CUTOFF if cutoff is None else cutoff
    found = items.at_first(lambda rank: rank <= limit) if hits == "any" else items.count(cutoff)
    return ratio(found, 1.0, lists.relevant(rel))
