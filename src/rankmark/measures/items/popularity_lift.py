"""PopularityLift."""

from __future__ import annotations

import math
from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.items import RecommendedLists
from rankmark.language.registry import item_measure


@item_measure(
    "PopularityLift",
    aliases=("DeltaGAP", "GAPLift"),
    bounds=(-1, None),
    needs=("train",),
    aggregate="run",
    better="neither",
)
def popularity_lift(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Literal["users", "interactions"] = "users",
) -> float:
    """Popularity lift: how much more popular recommendations are than what their users had before, ΔGAP.

        PopularityLift@k = (GAP_r − GAP_p) / GAP_p

    GAP_r is the mean over users of how many users had the items of their list, down to rank k, in the mean;
    and GAP_p the same of the items that they had before, each once. Users without either are left out.
    That of groups of users is its value in slices.

    Args:
        by: how many ``users`` had an item, or how many ``interactions`` it was in.

    Needs: the interactions before, train=….

    Range: −1 or more; 0 where recommendations are as popular as what users had.

    Source: [abdollahpouri2020].

    Example:
        Two users had a, and one b: profiles are of 2 and 1.5 in the mean, lists of 2 and 2.

        >>> import rankmark as rm
        >>> train = {"u1": ["a"], "u2": ["a", "b"]}
        >>> result = rm.evaluate(None, {"u1": ["a"], "u2": ["a"]}, "PopularityLift@1", train=train)
        >>> round(result["PopularityLift@1"], 6)
        0.142857

    """
    top = lists.top(cutoff)
    counts = lists.facts.popularity(by)
    before = lists.profiles
    both = (top.length > 0) & (before.length > 0)
    gap_r, gap_p = (lists.total(np.where(both, each.mean(counts[each.item]), 0.0)) for each in (top, before))
    return gap_r / gap_p - 1 if gap_p else math.nan
