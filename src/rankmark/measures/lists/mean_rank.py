"""MeanRank."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.browsing import ReaderGain, gain_or_hit
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.kinds.unretrieved import Ranked, catalogue, rank_after_list
from rankmark.language.registry import list_measure


@list_measure(
    "MeanRank",
    aliases=("MR",),
    bounds=(0, None),
    aggregate="ratio",
    better="less",
)
def mean_rank(
    lists: JudgedLists, *, rel: float = 1, gain: ReaderGain = "binary", items: Ranked = "known"
) -> tuple[Values, Values]:
    """Mean rank of the relevant items, of all queries together.

        MeanRank = Σ_q Σ_d w_d · rank_d / Σ_q Σ_d w_d
        w_d = [rel_d ≥ rel], or gain(rel_d)

    d runs over the judged items of query q, ``rel_d`` is the grade of d. A query with many relevant
    items weighs more than one with few. An item that was not retrieved has the mean rank of all places
    after the list: (n + 1 + N) / 2, with n retrieved items of N.

    Args:
        rel: the least grade that counts as relevant. Only where the gain is binary.
        gain: w_d. ``binary`` counts relevant items; ``linear`` weighs them by their grades (ARP, average
            relevance position, in TF-Ranking), ``exp2`` by 2^grade − 1; a mapping gives each grade its
            weight; from Python any function of a grade.
        items: N. ``known`` are the items of a query that were retrieved or judged, so that a list gains
            by leaving out what is hard to rank; a number is how many items there are in all: give it
            unless lists are complete.

    Range: from 1; less is better.
    No relevant item: such a query adds nothing to either sum; its own value is undefined.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.
    More retrieved or judged items than `items` are a DataError.

    Source: [bordes2013].

    Example:
        Ranks 1 and 3, and an item among the 97 that were not retrieved, at rank 52 on average.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 1, "z": 1}}
        >>> result = rm.evaluate(qrels, {"q": ["a", "b", "c"]}, "MeanRank(items=100)")
        >>> round(result["MeanRank(items=100)"], 6)
        18.666667

    """
    weight = np.maximum(gain_or_hit(lists.relevance, gain, rel), 0.0)
    all_weights = lists.ideal.sum(np.maximum(gain_or_hit(lists.ideal.relevance, gain, rel), 0.0))
    after = rank_after_list(lists, catalogue(lists, "MeanRank", items))
    ranks = lists.sum(weight * lists.at_rank(lambda rank: rank))
    return ranks + (all_weights - lists.sum(weight)) * after, all_weights
