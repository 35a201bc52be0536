"""PopRSP."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.chances import chances_needs, group_sums, new_to_user, spread_of_chances
from rankmark.kinds.expected import Head, HeadOf
from rankmark.kinds.items import RecommendedLists
from rankmark.language.parameters import Column
from rankmark.language.registry import item_measure


@item_measure(
    "PopRSP",
    aliases=("RSP", "RankingBasedStatisticalParity"),
    bounds=(0, None),
    needs=chances_needs,
    aggregate="run",
    better="less",
)
def ranking_based_statistical_parity(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Literal["popularity"] | Column = "popularity",
    head: Head = 0.2,
    of: HeadOf = "items",
) -> float:
    """Ranking-based statistical parity: how unequal groups' chances of being recommended are; less is better.

        PopRSP@k = std(P_1, …, P_G) / mean(P_1, …, P_G)
        P_g = Σ_u |L_u ∩ I_g ∩ N_u| / Σ_u |I_g ∩ N_u|

    L_u is the items of user u down to rank k, I_g those of group g, and N_u those that the user did not have
    before. Groups of which nobody could be recommended an item are left out, and so are users without a list.

    Args:
        by: the groups are by ``popularity`` the head of the most popular items and the tail; or a column of
            items with their group, or a list of groups.
        head: how much the head is, as a share.
        of: the head is that share of the ``items``, rounded up, or as few items as have that share of the
            ``interactions``; as of APLT.

    Needs: the interactions before, train=…, and for a column a table of items, items=….

    Range: 0 (equal chances) or more.

    Source: [zhu2020].

    Example:
        a is the head. One of two users did not have it, and gets it; of the others one of 3 + 3 chances is
        used. P is 1 and 1/6, their mean 7/12 and standard deviation 5/12.

        >>> import rankmark as rm
        >>> train = {"u1": ["a"], "u3": ["a"]}
        >>> run = {"u1": ["b"], "u2": ["a"]}
        >>> result = rm.evaluate(None, run, "PopRSP@1", items=["a", "b", "c", "d"], train=train)
        >>> round(result["PopRSP@1"], 6)
        0.714286

    """
    top = lists.top(cutoff)
    recommended = top.exposure(np.where(top.had(), 0.0, 1.0))
    possible = new_to_user(top)
    sums = (group_sums(lists.facts, each, by, head, of) for each in (recommended, possible))
    return spread_of_chances(*sums)
