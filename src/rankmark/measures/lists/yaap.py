"""YAAP."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.language.registry import list_measure


@list_measure("YAAP", aliases=("yaap",), bounds=(None, None), expected=False, extremes="counts")
def logit_average_precision(lists: JudgedLists, *, rel: float = 1) -> Values:
    """Yet another average precision: AP in log odds, smoothed, so that its mean is not ruled by some queries.

        YAAP = log((1 + S) / (1 + R − S)),  S = Σ_i [rel_i ≥ rel] · P@i

    ``rel_i`` is the grade of the item at rank i, R the number of relevant items, so that S is R times AP.
    For one query it says the same as AP. Over queries a gain from .01 to .02 counts about as much as one
    from .98 to .99.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.

    Range: −log(1 + R) to log(1 + R).
    No relevant item: decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.

    Source: [robertson2012].

    Example:
        Hits at ranks 1 and 3 of two relevant items: S = 1 + 2/3, and log((8/3) / (4/3)) = 0.693147.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 1}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b", "c"]}, "YAAP")["YAAP"], 6)
        0.693147

    """
    hit = lists.relevance >= rel
    found = lists.sum(hit * lists.running_sum(hit) / lists.rank)
    relevant = lists.relevant(rel)
    return np.where(relevant > 0, np.log((1 + found) / (1 + relevant - found)), np.nan)
