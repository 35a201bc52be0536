"""RankingLoss."""

from __future__ import annotations

from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure
from rankmark.measures.lists.list_auc import ordered_pairs


@list_measure(
    "RankingLoss",
    aliases=("label_ranking_loss",),
    bounds=(0, 1),
    better="less",
    tells_unjudged=True,
    undefined="no relevant item, or no other",
)
def ranking_loss(lists: JudgedLists, *, rel: float = 1) -> Values:
    """Ranking loss: the share of pairs of a relevant and another judged item that are in the wrong order.

        RankingLoss = Σ_{d,e} ([e before d] + ½ [neither before]) / (R · M) = 1 − ListAUC

    d runs over the R relevant items, e over the M other judged ones; two that were both not retrieved are
    in no order.

    Args:
        rel: the least grade that counts as relevant.

    Range: 0 to 1; less is better.
    No relevant item, or none that is not: decided by `no_relevant`; scikit-learn has 0, ``zero``.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form: a pair with equal
    scores counts half. scikit-learn counts it as wrong: ``ties="worst"``.

    Source: [tsoumakas2010].

    Example:
        Relevant items at ranks 1 and 3, two others at ranks 2 and 4: one of four pairs is wrong.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 0, "c": 1, "d": 0}}
        >>> rm.evaluate(qrels, {"q": ["a", "b", "c", "d"]}, "RankingLoss")["RankingLoss"]
        0.25

    """
    in_order, pairs = ordered_pairs(lists, rel, None, lists.judged - lists.relevant(rel), judged=True)
    return ratio(pairs - in_order, pairs, pairs)
