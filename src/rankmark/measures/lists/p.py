"""P."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values, compiled_hits, ratio
from rankmark.language.registry import list_measure


@list_measure(
    "P",
    aliases=("precision", "set_P", "pre"),
    variants={"TP": {"denominator": "min"}},
    bounds=(0, 1),
    order="set",
    tells_unjudged=lambda given: given["bound"] == "upper",
    compiled=compiled_hits("count", "cutoff", denominator="cutoff", bound="lower"),
    extremes=lambda given: "found" if given["denominator"] == "min" else "ends",
)
def precision(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    denominator: Literal["cutoff", "retrieved", "min"] = "cutoff",
    bound: Literal["lower", "upper"] = "lower",
) -> Values:
    """Precision: the share of relevant items among the first k.

        P@k = (1/D) Σ_{i≤k} [rel_i ≥ rel]

    ``rel_i`` is the grade of the item at rank i. Without a cutoff the whole list counts, and D is its
    length.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.
        denominator: D. With R relevant items and n retrieved: ``cutoff`` is k, so that a list shorter
            than k is filled up with items that are not relevant (trec_eval and most others),
            ``retrieved`` is min(n, k) (LensKit, TF-Ranking), ``min`` is min(k, R), so that 1 can be
            reached (RecTools' r_precision, recometrics' TP@K, trec_eval's relative_P and
            set_relative_P).
        bound: what the unjudged items of the list count as: ``lower`` as not relevant, ``upper`` as
            relevant, which is how high the value could be. ``ties="best"`` and ``"worst"`` take them as
            not relevant all the same.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: [vanrijsbergen1979].

    Example:
        Two hits in a list of four: 2/5 with k = 5, 2/4 of what was retrieved.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 1, "x": 1}}
        >>> run = {"q": ["a", "b", "c", "d"]}
        >>> result = rm.evaluate(qrels, run, ["P@5", "P(denominator=retrieved)@5", "P(denominator=min)@2"])
        >>> list(result.values.values())
        [0.4, 0.5, 0.5]

    """
    lists = lists.with_unjudged(rel) if bound == "upper" else lists
    hits = lists.hits(rel).count(cutoff)
    relevant = lists.relevant(rel)
    size = lists.length(cutoff) if cutoff is None or denominator == "retrieved" else float(cutoff)
    return ratio(hits, np.minimum(size, relevant) if denominator == "min" else size, relevant)
