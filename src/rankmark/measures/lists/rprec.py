"""Rprec."""

from __future__ import annotations

from typing import Annotated

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.kinds.ranges import Above
from rankmark.language.registry import list_measure


@list_measure("Rprec", aliases=("r_precision",), bounds=(0, 1), extremes="counts")
def r_precision(lists: JudgedLists, *, rel: float = 1, multiple: Annotated[float, Above(0)] = 1) -> Values:
    """R-precision: the precision among the first R items, R being the number of relevant ones.

        Rprec = (1/k) Σ_{i≤k} [rel_i ≥ rel],  k = ⌊multiple · R + 0.9⌋

    ``rel_i`` is the grade of the item at rank i. With k = R precision and recall are the same.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.
        multiple: how many times R items to look at. The precision at small multiples against that at
            large ones tells systems that are precise from those that find all (trec_eval's Rprec_mult,
            whose rounding this is).

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: [buckley2005].

    Example:
        Three relevant items, two of them among the first three.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 1, "d": 1}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b", "c", "d"]}, "Rprec")["Rprec"], 6)
        0.666667

    """
    relevant = lists.relevant(rel)
    size = np.floor(multiple * relevant + 0.9)
    hits = lists.hits(rel)
    return ratio(hits.sum(hits.within(size)), size, relevant)
