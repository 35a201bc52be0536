"""RR."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values, compiled_hits, ratio
from rankmark.language.registry import list_measure


@list_measure(
    "RR",
    aliases=("MRR", "recip_rank", "reciprocal_rank", "mean_reciprocal_rank"),
    variants={"ARHR": {"hits": "all"}, "mean_mrr": {"hits": "all", "denominator": "relevant"}},
    bounds=(0, None),
    usual_bounds=(0, 1),
    usual_with=("hits",),
    tells_unjudged=lambda given: given["bound"] == "upper",
    compiled=compiled_hits("first", 1.0, hits="first", denominator="one", bound="lower"),
    extremes=lambda given: "counts" if given["denominator"] == "relevant" else "ends",
)
def reciprocal_rank(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    hits: Literal["first", "all"] = "first",
    denominator: Literal["one", "relevant"] = "one",
    bound: Literal["lower", "upper"] = "lower",
) -> Values:
    """Reciprocal rank: one over the rank of the first relevant item, 0 if there is none.

        RR@k = 1 / min{i ≤ k : rel_i ≥ rel}            hits=first
        RR@k = (1/D) Σ_{i≤k} [rel_i ≥ rel] / i         hits=all

    ``rel_i`` is the grade of the item at rank i. Its mean over queries is MRR.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.
        hits: ``first`` looks at the first hit alone; ``all`` adds 1/rank over every hit (average
            reciprocal hit rank, ARHR).
        denominator: D, by which the sum is divided: ``one`` leaves it as it is, ``relevant`` is the
            number of relevant items (with ``hits=all`` the "MRR" of FuxiCTR and of the MIND news data
            set).
        bound: what the unjudged items of the list count as: ``lower`` as not relevant, ``upper`` as
            relevant, which is how high the value could be. ``ties="best"`` and ``"worst"`` take them as
            not relevant all the same.

    Range: 0 to 1; with ``hits=all`` and ``denominator=one`` it can exceed 1.
    No relevant item: decided by `no_relevant`.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: [voorhees1999].

    Example:
        Hits at ranks 1 and 3: the first alone gives 1, both together 1/1 + 1/3.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 1}}
        >>> result = rm.evaluate(qrels, {"q": ["a", "b", "c"]}, ["RR", "RR(hits=all)"])
        >>> result["RR"], round(result["RR(hits=all)"], 6)
        (1.0, 1.333333)

    """
    lists = lists.with_unjudged(rel) if bound == "upper" else lists
    items = lists.hits(rel)
    if hits == "first":
        total = items.at_first(lambda rank: 1.0 / rank if cutoff is None else (1.0 / rank) * (rank <= cutoff))
    else:
        total = items.weighted_sum(1.0, 1.0 / np.arange(1, items.depth(cutoff) + 1))
    relevant = lists.relevant(rel)
    return ratio(total, 1.0 if denominator == "one" else relevant, relevant)
