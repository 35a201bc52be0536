"""Novelty."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.expected import information
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.registry import item_measure


@item_measure(
    "Novelty",
    aliases=("SelfInformation", "MSI", "MIUF", "MeanInvUserFreq"),
    variants={"Surprisal": {"scale": "share", "denominator": "cutoff"}},
    bounds=(0, None),
    needs=("train",),
)
def novelty(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Literal["users", "interactions"] = "users",
    unseen: Literal["one", "zero", "skip"] = "one",
    scale: Literal["bits", "share"] = "bits",
    denominator: Literal["retrieved", "cutoff"] = "retrieved",
) -> Values:
    """Novelty: the mean self-information of the items of a list, how unlikely they are to be known.

        Novelty@k = (1/D) · Σ_{i ≤ n} −log2 p_i,  p_i = users who had item i / users

    n is the number of items of the list down to rank k.

    Args:
        by: p_i is a share of ``users`` (RecTools, RePlay, evidently), or of ``interactions`` (recommenders).
        unseen: an item that nobody had counts as if ``one`` had had it (RecTools, RePlay), has ``zero``
            information (recommenders), or is left out of n (``skip``; evidently).
        scale: the information is in ``bits``, or a ``share`` of the most that an item can have, that of one
            had once (RePlay's Surprisal).
        denominator: D is n, what was ``retrieved``, or k, the ``cutoff``, so that a shorter list is less
            novel (RePlay).

    Needs: the interactions before, train=….

    Range: 0 or more, in bits; as a share 0 to 1.

    Source: [zhou2010].

    Example:
        Of four users two had a and one had b: log2(4/2) = 1 and log2(4/1) = 2.

        >>> import rankmark as rm
        >>> train = {"u1": ["a"], "u2": ["a", "b"], "u3": ["c"], "u4": ["c"]}
        >>> rm.evaluate(None, {"u1": ["a", "b"]}, "Novelty@2", train=train).values
        {'Novelty@2': 1.5}

    """
    top = lists.top(cutoff)
    counts, bits = lists.facts.popularity(by), information(lists.facts, by)
    if scale == "share":
        total = lists.facts.before().users if by == "users" else counts.sum()
        bits /= np.log2(total) if total > 1 else np.nan
    if unseen == "skip":
        top = top.among((counts > 0)[top.item])
    elif unseen == "zero":
        bits[counts == 0] = 0.0
    return top.mean_of(bits, cutoff if denominator == "cutoff" else None)
