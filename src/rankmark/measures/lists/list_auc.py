"""ListAUC."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.kinds.unretrieved import Catalogue, catalogue
from rankmark.language.registry import list_measure


@list_measure(
    "ListAUC",
    aliases=("ROC_AUC", "AUROC", "LAUC"),
    variants={"Accuracy": {"items": "retrieved"}},
    bounds=(0, 1),
    expected=lambda given: given["items"] != "retrieved" or given["cutoff"] is None,
    tells_unjudged=lambda given: given["items"] == "judged",
    undefined="no relevant item, or no other",
)
def area_under_roc_curve(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    items: Literal["judged", "retrieved"] | Catalogue = "judged",
) -> Values:
    """Area under the ROC curve of a list: the share of pairs in which the relevant item comes first.

        ListAUC@k = Σ_{d,e} ([d before e] + ½ [neither before]) / (R · M)

    d runs over the R relevant items, e over the M others. An item before another stands higher in the
    list, or is in it where the other is not. Items that were not retrieved, or only after rank k, are in
    no order: such a pair counts half (limited AUC; the ROC curve goes on as a straight line).

    Args:
        rel: the least grade that counts as relevant.
        items: the items of which pairs are made. ``judged``: those judged for the query; ``retrieved``:
            those in the list down to k, where unjudged ones count as not relevant (RePlay; "Accuracy" in
            ir_measures); a number N: all N items that there are, judged or not (recometrics, Elliot).

    Range: 0 to 1; 1/2 is what chance gives.
    No relevant item, or none that is not: decided by `no_relevant`. With ``items=retrieved`` a list that
    holds nothing relevant has 0, and one that holds nothing else 1.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form: a pair with equal
    scores counts half; there is none for ``items=retrieved`` with a cutoff.
    More retrieved or judged items than `items` are a DataError.

    Source: [hanley1982]; [schroder2011] (limited AUC).

    Example:
        Relevant items at ranks 1 and 3, two others at ranks 2 and 4: three of four pairs are in order.
        With k = 2, the items at ranks 3 and 4 are in no order: (1 + 1 + 0 + 1/2) / 4.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 0, "c": 1, "d": 0}}
        >>> result = rm.evaluate(qrels, {"q": ["a", "b", "c", "d"]}, ["ListAUC", "ListAUC@2"])
        >>> result["ListAUC"], result["ListAUC@2"]
        (0.75, 0.625)

    """
    if items == "retrieved":
        return _of_retrieved(lists, rel, cutoff)
    others = (lists.judged if items == "judged" else catalogue(lists, "ListAUC", items)) - lists.relevant(rel)
    in_order, pairs = ordered_pairs(lists, rel, cutoff, others, judged=items == "judged")
    return ratio(in_order, pairs, pairs)


def _of_retrieved(lists: JudgedLists, rel: float, cutoff: int | None) -> Values:
    hits = lists.hits(rel).count(cutoff)
    others = lists.length(cutoff) - hits
    in_order, _ = ordered_pairs(lists, rel, cutoff, others, judged=False)
    value = ratio(in_order, hits * others, lists.relevant(rel))
    return np.where((hits > 0) & (others == 0), 1.0, value)


def ordered_pairs(
    lists: JudgedLists, rel: float, cutoff: int | None, others: Values, *, judged: bool
) -> tuple[Values, Values]:
    """Pairs of a relevant item and one of the `others`: those in order (half of those in none), and all.

    Whether an item is among the first k need not be certain: with equal scores it is so with chance w.
    It then stands before all others below its tie if it is, and is in no order with them if it is not.
    """
    hit = lists.relevance >= rel
    hits_above, hits_tied = lists.tied(hit)
    within = lists.within(cutoff)
    if judged:
        above, tied = lists.tied(~hit)
        seen = lists.sum(~hit * within)
    else:
        first, last = (lists.rank, lists.rank) if lists.ties is None else lists.ties
        above, tied = first - 1 - hits_above, last - first + 1 - hits_tied
        seen = lists.length(cutoff) - lists.sum(hit * within)
    below = lists.spread(others) - above - tied
    unordered = (others - seen) / 2
    found = np.where(within > 0, tied / 2 + below * (1 + within) / 2, lists.spread(unordered))
    relevant = lists.relevant(rel)
    return lists.sum(hit * found) + (relevant - lists.sum(hit)) * unordered, relevant * others
