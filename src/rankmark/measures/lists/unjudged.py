"""Unjudged."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.language.registry import list_measure


@list_measure(
    "Unjudged",
    aliases=("unj", "Hole"),
    bounds=(0, 1),
    better="neither",
    order="set",
    tells_unjudged=True,
)
def unjudged(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    denominator: Literal["cutoff", "retrieved"] = "cutoff",
) -> Values:
    """Unjudged, or hole: the share of the first k items that nobody judged.

        Unjudged@k = (1/D) Σ_{i≤k} [item i is unjudged]

    Without a cutoff the whole list counts, and D is its length. An item judged below 0 was pooled but
    not judged (trec_eval's convention), and counts as unjudged; ranks below the end of a list do not.

    Args:
        denominator: D. With n items in the list, ``cutoff`` is k (trec_eval, BEIR's Hole), ``retrieved``
            is min(n, k): where no grade is negative, this and `Judged` add up to 1.

    Range: 0 to 1.
    No relevant item: makes no difference.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: trec_eval's unj (since version 10); [thakur2021] (as Hole@k).

    Example:
        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 0, "c": -1}}
        >>> rm.evaluate(qrels, {"q": ["a", "x", "b", "c"]}, "Unjudged@4")["Unjudged@4"]
        0.5

    """
    length = lists.length(cutoff)
    judged = lists.sum((lists.relevance >= 0) * lists.within(cutoff))
    by_length = cutoff is None or denominator == "retrieved"
    return (length - judged) / (np.maximum(length, 1.0) if by_length else float(cutoff or 1))
