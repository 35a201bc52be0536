"""PopularityMiscalibration."""

from __future__ import annotations

from typing import Annotated

from rankmark import _numpy as np
from rankmark.kinds.divergences import Divergence, divergence_of
from rankmark.kinds.expected import Head, tiers
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.kinds.logarithms import Base
from rankmark.kinds.ranges import Between
from rankmark.language.registry import item_measure


@item_measure(
    "PopularityMiscalibration",
    aliases=("UPD", "UserPopularityDeviation"),
    bounds=(0, None),
    usual_bounds=(0, 1),
    usual_with=("divergence", "log"),
    needs=("train",),
    better="less",
    undefined="no items before or now",
)
def popularity_miscalibration(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    head: Head = 0.2,
    tail: Head = 0.2,
    divergence: Divergence = "js",
    alpha: Annotated[float, Between(0, 1)] = 0.01,
    log: Base = "e",
) -> Values:
    """Popularity miscalibration: how far a list is from what its user had in popularity; less is better.

        PopularityMiscalibration@k = ½·Σ_t p_t · ln(p_t / m_t) + ½·Σ_t q_t · ln(q_t / m_t)
        m_t = (p_t + q_t) / 2

    t is the head, the tail or the middle of all items by how often they were had; p_t is its share among the
    items that the user had, each once, and q_t among those of the list down to rank k. Users who had nothing
    have no value. The mean over groups of users (UPD) is that of its slices by a column of users.

    Args:
        head: the head is as few of the most popular items as have that share of the interactions, and those
            that are as popular as the last of them.
        tail: the tail is as few of the least popular items as have that share, and those that are as popular,
            without the head; what nobody had belongs to it. All others are the middle.
        divergence: ``js``, as above, is that of Jensen and Shannon; ``kl`` and ``hellinger`` are those of
            Miscalibration.
        alpha: keeps the divergence of Kullback and Leibler finite where the list lacks a part.
        log: the base of the logarithm, ``e`` or a number; 2 gives bits.

    Needs: the interactions before, train=….

    Range: 0 or more; js to ln 2, or 1 with log=2, and hellinger to 1.

    Source: [abdollahpouri2021].

    Example:
        Of five interactions a has three, the head; b and c have one each, the tail. u3 had a and c, and gets
        a alone: ½·(½·ln(½/¾) + ½·ln(½/¼)) + ½·ln(1/¾).

        >>> import rankmark as rm
        >>> train = {"u1": ["a"], "u2": ["a", "b"], "u3": ["a", "c"]}
        >>> result = rm.evaluate(None, {"u3": ["a"]}, "PopularityMiscalibration@1", train=train)
        >>> round(result["PopularityMiscalibration@1"], 6)
        0.215762

    """
    top = lists.top(cutoff)
    parts = tiers(lists.facts, head, tail)
    p = lists.once(("tiers before", head, tail), lambda: lists.profiles.shares_of(parts))
    apart = divergence_of(p, top.shares_of(parts), divergence, alpha=alpha, log=log)
    return np.where(top.length > 0, apart, np.nan)
