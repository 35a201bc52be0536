"""R."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values, compiled_hits, ratio
from rankmark.language.registry import list_measure


@list_measure(
    "R",
    aliases=("recall", "set_recall", "SetR", "hits"),
    variants={
        "R_cap": {"denominator": "min"},
        "recall_cap": {"denominator": "min"},
        "capped_recall": {"denominator": "min"},
        "calibrated_recall": {"denominator": "min"},
    },
    bounds=(0, 1),
    order="set",
    compiled=compiled_hits("count", denominator="relevant"),
    extremes="found",
)
def recall(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    denominator: Literal["relevant", "min"] = "relevant",
) -> Values:
    """Recall: the share of the relevant items that are among the first k.

        R@k = (1/D) Σ_{i≤k} [rel_i ≥ rel]

    ``rel_i`` is the grade of the item at rank i.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.
        denominator: D. ``relevant`` is the number R of relevant items, retrieved or not; ``min`` is
            min(k, R), so that 1 can be reached however many are relevant (capped recall; LensKit,
            BEIR's R_cap, recpack's calibrated recall).

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: [vanrijsbergen1979].

    Example:
        Two of four relevant items are among the first three.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 1, "x": 1, "y": 1}}
        >>> result = rm.evaluate(qrels, {"q": ["a", "b", "c", "d"]}, ["R@3", "R(denominator=min)@2"])
        >>> list(result.values.values())
        [0.5, 0.5]

    """
    hits = lists.hits(rel).count(cutoff)
    relevant = lists.relevant(rel)
    capped = denominator == "min" and cutoff is not None
    return ratio(hits, np.minimum(relevant, float(cutoff or 0)) if capped else relevant, relevant)
