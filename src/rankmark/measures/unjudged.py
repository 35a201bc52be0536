"""Unjudged."""

from __future__ import annotations

import numpy as np

from rankmark.lists import JudgedLists, Values
from rankmark.measure import list_measure


@list_measure("Unjudged", aliases=("unj",), bounds=(0, 1), cite="trec_eval")
def unjudged(lists: JudgedLists, *, cutoff: int | None = None) -> Values:
    """Unjudged: the share of the first k items that nobody judged.

        Unjudged@k = (1/k) Σ_{i≤k} [item i is unjudged]

    Without a cutoff the whole list counts, divided by its length. An item judged below 0 was pooled but
    not judged (trec_eval's convention), and counts as unjudged; ranks below the end of a list do not. So
    this is the complement of `Judged` only where no grade is negative and no list is shorter than k.

    Range: 0 to 1.
    No relevant item: makes no difference.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: trec_eval's unj (since version 10).

    Example:
        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 0, "c": -1}}
        >>> rm.evaluate(qrels, {"q": ["a", "x", "b", "c"]}, "Unjudged@4")["Unjudged@4"]
        0.5

    """
    length = lists.length(cutoff)
    judged = lists.sum((lists.relevance >= 0) * lists.within(cutoff))
    return (length - judged) / (np.maximum(length, 1.0) if cutoff is None else cutoff)
