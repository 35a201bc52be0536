"""infAP."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure

EPSILON = 1e-5


@list_measure("infAP", bounds=(0, 1), expected=False, tells_unjudged=True)
def inferred_average_precision(lists: JudgedLists, *, rel: float = 1) -> Values:
    """Inferred average precision: AP estimated from a pool of which only a random sample was judged.

        infAP = (1/R) Σ_i [rel_i ≥ rel] · (1/i + (d_i / i) · (r_i + ε) / (r_i + n_i + 2ε))

    ``rel_i`` is the grade of the item at rank i, R the number of relevant items. Above rank i stand d_i
    items of the pool, r_i of them judged relevant and n_i judged not relevant; ε = 0.00001. The
    precision above a hit is estimated from those that were judged. Whoever was pooled and not judged
    has a negative grade in the judgements (trec_eval writes -1); an item that is not in the
    judgements was not pooled and counts as not relevant.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.

    Range: 0 to 1; with a pool judged completely it is AP (but for ε).
    No relevant item: decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.

    Source: [yilmaz2006]; with ε as in trec_eval.

    Example:
        At rank 1 a hit: 1. At rank 4 another, above it two of the pool, of which the one judged is
        relevant: 1/4 + (2/4) · (1 + ε)/(1 + 2ε) = 0.749995. Their mean is 0.874998.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": -1, "d": 1}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b", "x", "d"]}, "infAP")["infAP"], 6)
        0.874998

    """
    hit = lists.relevance >= rel
    judged = hit | (lists.relevance >= 0)
    pooled_above = lists.running_sum(lists.rank > 0) - 1
    relevant_above = lists.running_sum(hit) - 1
    judged_above = lists.running_sum(judged) - 1
    precision_above = (relevant_above + EPSILON) / (judged_above + 2 * EPSILON)
    relevant = lists.relevant(rel)
    # Elsewhere than at hits these counts mean nothing; there the product below is 0.
    above = np.maximum(lists.rank - 1.0, 1.0)
    share = (lists.rank - 1.0) / lists.rank * (pooled_above / above)
    estimated = 1.0 / lists.rank + share * precision_above
    return ratio(lists.sum(hit * estimated), relevant, relevant)
