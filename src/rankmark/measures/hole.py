"""Hole."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rankmark.lists import JudgedLists, Values
from rankmark.measure import list_measure


@list_measure("Hole", aliases=("unjudged",), bounds=(0, 1), cite="thakur2021", better="neither")
def hole(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    denominator: Literal["retrieved", "cutoff"] = "retrieved",
) -> Values:
    """Hole: the share of the first k items that nobody judged.

        Hole@k = (1/D) Σ_{i≤k} [item i is not judged]

    High values say that the other numbers rest on guesses. Judged for this query is what counts.

    Args:
        denominator: D. With n items in the list, ``retrieved`` is min(n, k), so that Hole and `Judged` add up
            to 1; ``cutoff`` is k (BEIR).

    Range: 0 to 1; an empty list has 0.
    No relevant item: makes no difference.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: N. Thakur, N. Reimers, A. Rücklé, A. Srivastava, I. Gurevych, "BEIR: a heterogenous benchmark for
    zero-shot evaluation of information retrieval models", NeurIPS 2021.

    Example:
        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 0, "z": 1}}
        >>> rm.evaluate(qrels, {"q": ["a", "x", "b", "y"]}, "Hole@2")["Hole@2"]
        0.5

    """
    length = lists.length(cutoff)
    unjudged = length - lists.sum(lists.within(cutoff))
    size = length if cutoff is None or denominator == "retrieved" else np.full(len(length), float(cutoff))
    return unjudged / np.maximum(size, 1.0)
