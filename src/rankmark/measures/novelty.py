"""Novelty."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.registry import item_measure


@item_measure(
    "Novelty",
    aliases=("SelfInformation", "MIUF", "MeanInvUserFreq", "Surprisal"),
    bounds=(0, None),
    needs=("train",),
)
def novelty(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Literal["users", "interactions"] = "users",
    unseen: Literal["one", "skip"] = "one",
) -> Values:
    """Novelty: the mean self-information of the items of a list, how unlikely they are to be known.

        Novelty@k = (1/n) · Σ_{i ≤ n} −log2 p_i,  p_i = users who had item i / users

    n is the number of items of the list down to rank k.

    Args:
        by: p_i is a share of ``users``, or of ``interactions``.
        unseen: an item that nobody had counts as if ``one`` had had it, or is left out (``skip``).

    Needs: the interactions before, train=….

    Range: 0 or more, in bits.

    Source: [zhou2010].

    Example:
        Of four users two had a and one had b: log2(4/2) = 1 and log2(4/1) = 2.

        >>> import rankmark as rm
        >>> train = {"u1": ["a"], "u2": ["a", "b"], "u3": ["c"], "u4": ["c"]}
        >>> rm.evaluate(None, {"u1": ["a", "b"]}, "Novelty@2", train=train).values
        {'Novelty@2': 1.5}

    """
    top, train = lists.top(cutoff), lists.facts.before()
    counts = lists.facts.popularity(by)
    total = train.users if by == "users" else counts.sum()
    information = np.log2(total / np.maximum(counts, 1))[top.item]
    return top.mean(information) if unseen == "one" else top.mean_of(information, (counts > 0)[top.item])
