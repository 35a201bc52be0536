"""Judged."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.language.registry import list_measure


@list_measure("Judged", bounds=(0, 1), better="neither", order="set", tells_unjudged=True)
def judged(lists: JudgedLists, *, cutoff: int | None = None) -> Values:
    """Judged: the share of the first k items that somebody judged, relevant or not.

        Judged@k = (1 / min(n, k)) Σ_{i≤k} [item i is judged]

    n is the length of the list; an empty list has 0. Low values say that the other numbers rest on
    guesses about unjudged items.

    Range: 0 to 1.
    No relevant item: makes no difference.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: [macavaney2022].

    Example:
        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 0, "z": 1}}
        >>> rm.evaluate(qrels, {"q": ["a", "x", "b", "y"]}, "Judged@10")["Judged@10"]
        0.5

    """
    return lists.count(cutoff) / np.maximum(lists.length(cutoff), 1.0)
