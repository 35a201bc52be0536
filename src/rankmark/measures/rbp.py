"""RBP."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from rankmark.gains import gain_of
from rankmark.lists import JudgedLists, Values, ratio
from rankmark.measure import list_measure
from rankmark.parameters import Between


@list_measure("RBP", bounds=(0, 1), cite="moffat2008")
def rank_biased_precision(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    p: Annotated[float, Between(0, 1)] = 0.8,
    gain: Literal["binary", "scaled"] = "binary",
) -> Values:
    """Rank-biased precision: the relevant share of what a reader sees who goes on with chance p.

        RBP@k = (1 − p) Σ_{i≤k} gain(rel_i) · p^(i−1)

    ``rel_i`` is the grade of the item at rank i. A lower bound: unjudged items and those beyond the
    list count as not relevant, and only an endless list of relevant items reaches 1. `RBPResidual` is
    what it may lack.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.
        p: the reader's patience; 0.5 looks at the first few items, 0.95 at the first twenty or so.
            Tools differ in their default: 0.8 here and in ir_measures, 0.9 in trec_eval, 0.85 in
            LensKit.
        gain: ``binary`` is 1 from grade `rel` up; ``scaled`` is the grade divided by the query's highest,
            or the grade itself where none is above 1 (trec_eval's rbp); a negative grade gains nothing.

    Range: 0 to 1.
    No relevant item (with ``gain=scaled`` no grade above 0): decided by `no_relevant`.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: A. Moffat, J. Zobel, "Rank-biased precision for measurement of retrieval effectiveness",
    TOIS 27(1), 2008.

    Example:
        Hits at ranks 1 and 3 with p = 0.5: 0.5 · (1 + 0.25) = 0.625.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 1}}
        >>> rm.evaluate(qrels, {"q": ["a", "b", "c"]}, "RBP(p=0.5)")["RBP(p=0.5)"]
        0.625

    """
    if gain == "binary":
        hits = lists.hits(rel)
        return ratio(hits.weighted_sum(1.0, _weights(hits, p, cutoff)), 1.0, lists.relevant(rel))
    gains = gain_of(lists.relevance, "linear")
    highest = lists.ideal.max(lists.ideal.relevance)
    total = lists.weighted_sum(gains, _weights(lists, p, cutoff))
    return ratio(total, np.maximum(highest, 1.0), highest)


def _weights(lists: JudgedLists, p: float, cutoff: int | None) -> Values:
    ranks = np.arange(lists.depth(cutoff), dtype=np.float64)
    weights: Values = (1 - p) * np.power(p, ranks)
    return weights
