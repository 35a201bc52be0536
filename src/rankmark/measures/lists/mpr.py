"""MPR."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.browsing import ReaderGain, gain_or_hit
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.kinds.unretrieved import Ranked, catalogue, rank_after_list
from rankmark.language.registry import list_measure


@list_measure(
    "MPR",
    aliases=("mean_percentile_rank", "percentile_ranking"),
    bounds=(0, 1),
    aggregate="ratio",
    better="less",
)
def mean_percentile_rank(
    lists: JudgedLists, *, rel: float = 1, gain: ReaderGain = "binary", items: Ranked = "known"
) -> tuple[Values, Values]:
    """Mean percentile rank of the relevant items, of all queries together.

        MPR = Σ_q Σ_d w_d · (rank_d − 1) / (N − 1) / Σ_q Σ_d w_d
        w_d = [rel_d ≥ rel], or gain(rel_d)

    d runs over the judged items of query q, ``rel_d`` is the grade of d. The first of N items is at 0,
    the last at 1. A query with many relevant items weighs more than one with few. An item that was not
    retrieved has the mean of all places after the list.

    Args:
        rel: the least grade that counts as relevant. Only where the gain is binary.
        gain: w_d. ``binary`` counts relevant items; ``linear`` weighs them by their grades, such as
            minutes watched (Hu et al.), ``exp2`` by 2^grade − 1; a mapping gives each grade its weight;
            from Python any function of a grade.
        items: N. ``known`` are the items of a query that were retrieved or judged; a number is how many
            items there are in all: give it unless lists are complete.

    Range: 0 to 1; less is better, and 1/2 is what chance gives.
    No relevant item: such a query adds nothing to either sum; its own value is undefined.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.
    More retrieved or judged items than `items` are a DataError.

    Source: [hu2008].

    Example:
        Ranks 1 and 3 of five: (0/4 + 2/4) / 2.

        >>> import rankmark as rm
        >>> rm.evaluate({"q": {"a": 1, "c": 1}}, {"q": ["a", "b", "c", "d", "e"]}, "MPR")["MPR"]
        0.25

    """
    weight = np.maximum(gain_or_hit(lists.relevance, gain, rel), 0.0)
    all_weights = lists.ideal.sum(np.maximum(gain_or_hit(lists.ideal.relevance, gain, rel), 0.0))
    number = catalogue(lists, "MPR", items)
    before = lists.sum(weight * lists.at_rank(lambda rank: rank - 1))
    before += (all_weights - lists.sum(weight)) * (rank_after_list(lists, number) - 1)
    return before / np.maximum(number - 1, 1), all_weights
