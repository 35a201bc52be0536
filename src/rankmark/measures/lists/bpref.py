"""Bpref."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure


@list_measure("Bpref", bounds=(0, 1), tells_unjudged=True, extremes="counts")
def binary_preference(lists: JudgedLists, *, rel: float = 1) -> Values:
    """Binary preference: how seldom a judged item that is not relevant stands above one that is.

        Bpref = (1/R) Σ_r (1 − min(n_r, R) / min(N, R))

    The sum is over the relevant items r that were retrieved; R of the judged items are relevant, N are
    not, and n_r of these N stand above r. Unjudged items do not count at all, which is what the measure
    is for: judgements that are incomplete. An item judged below 0 was pooled but not judged
    (trec_eval's convention), and does not count either.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`. Without judged items that are not relevant each relevant
    item retrieved counts 1.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: [buckley2004]; with min(N, R) for R as in trec_eval.

    Example:
        The items a and c are relevant, b and e are not, x is not judged: nothing stands above a, and b
        above c, so (1 + (1 − 1/2)) / 2 = 0.75.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 0, "c": 1, "e": 0}}
        >>> rm.evaluate(qrels, {"q": ["a", "x", "b", "c"]}, "Bpref")["Bpref"]
        0.75

    """
    hit = lists.relevance >= rel
    relevant = lists.relevant(rel)
    nonrelevant = np.maximum(lists.relevant(0) - relevant, 0)
    above, tied = lists.tied((lists.relevance >= 0) & ~hit)
    # Among tied items a relevant one has from none to all of the others above it, each number as often.
    most = lists.spread(relevant)
    counted = (_capped_sum(above + tied, most) - _capped_sum(above - 1, most)) / (tied + 1)
    lost = counted / lists.spread(np.maximum(np.minimum(nonrelevant, relevant), 1))
    return ratio(lists.sum(hit * (1 - lost)), relevant, relevant)


def _capped_sum(last: Values, most: Values) -> Values:
    """Σ min(n, most) for n from 0 to `last`, which can be -1."""
    rising = np.minimum(last, most)
    capped: Values = rising * (rising + 1) / 2 + np.maximum(last - most, 0) * most
    return capped
