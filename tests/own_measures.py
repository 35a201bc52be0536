"""nDCG, AP and P as users would write them: a measure of their own that has to be ours to the last bit."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

import rankmark as rm

Values = NDArray[np.float64]


@rm.list_measure("OwnNDCG", bounds=(0, 1), expected=True)
def own_ndcg(lists: rm.JudgedLists, *, cutoff: int | None = None) -> Values:
    """Gain over the best gain there can be."""

    def dcg(some: rm.JudgedLists) -> Values:
        weights = 1.0 / np.log2(np.arange(1, some.depth(cutoff) + 1) + 1.0)
        return some.weighted_sum(np.maximum(some.relevance, 0.0), weights)

    best = dcg(lists.ideal)
    return rm.ratio(dcg(lists), best, best)


@rm.list_measure("OwnAP", bounds=(0, 1), aliases=("OwnMAP",))
def own_ap(lists: rm.JudgedLists, *, cutoff: int | None = None, rel: float = 1) -> Values:
    """The mean precision at the ranks of relevant items."""
    hits = lists.hits(rel).top(cutoff)
    relevant = lists.relevant(rel)
    return rm.ratio(hits.sum(hits.place / hits.rank), relevant, relevant)


@rm.list_measure("OwnP", bounds=(0, 1), order="set", expected=True)
def own_p(lists: rm.JudgedLists, *, cutoff: int | None = None, rel: float = 1) -> Values:
    """The share of relevant items."""
    size = lists.length(cutoff) if cutoff is None else float(cutoff)
    return rm.ratio(lists.hits(rel).count(cutoff), size, lists.relevant(rel))


@rm.row_measure("OwnF", labels="binary", bounds=(0, 1))
def own_f(rows: rm.Rows, *, threshold: float = 0.5, of: Literal["rows", "nothing"] = "rows") -> float:
    """F1 of the rows at a threshold."""
    if of == "nothing":
        raise rm.Undefined("nothing was asked for")
    tp, fp, fn, _ = rows.confusion(threshold)
    return 2 * tp / (2 * tp + fp + fn)


def plain_p(grades: Values, judged: Values, *, rel: float = 1, cutoff: int | None = None) -> float:
    """Precision, of one list at a time."""
    if not (judged >= rel).any():
        return np.nan
    return float((grades >= rel).sum()) / (cutoff or max(len(grades), 1))
