"""PopREO."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.chances import chances_needs, group_sums, spread_of_chances
from rankmark.kinds.expected import Head, HeadOf
from rankmark.kinds.items import RecommendedLists
from rankmark.language.parameters import Column
from rankmark.language.registry import item_measure


@item_measure(
    "PopREO",
    aliases=("REO", "RankingBasedEqualOpportunity"),
    bounds=(0, None),
    needs=lambda given: (*chances_needs(given), "judgements"),
    aggregate="run",
    better="less",
)
def ranking_based_equal_opportunity(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Literal["popularity"] | Column = "popularity",
    head: Head = 0.2,
    of: HeadOf = "items",
    rel: float = 1,
) -> float:
    """Ranking-based equal opportunity: how unequal the chances of groups' relevant items are; less is better.

        PopREO@k = std(P_1, …, P_G) / mean(P_1, …, P_G)
        P_g = Σ_u |L_u ∩ I_g ∩ R_u| / Σ_u |I_g ∩ R_u|

    L_u is the items of user u down to rank k, I_g those of group g, and R_u those that are judged relevant
    for the user, who did not have them before. Groups without such items are left out, and so are users
    without a list. P_g is the recall of a group over all users.

    Args:
        by: the groups are by ``popularity`` the head of the most popular items and the tail; or a column of
            items with their group, or a list of groups.
        head: how much the head is, as a share.
        of: the head is that share of the ``items``, rounded up, or as few items as have that share of the
            ``interactions``; as of APLT.
        rel: the least grade of a relevant item.

    Needs: judgements, the interactions before, train=…, and for a column a table of items, items=….

    Range: 0 (equal chances) or more.

    Source: [zhu2020].

    Example:
        a is the head, and found where it is relevant; of b and c one of two is found: the mean of 1 and 1/2
        is 3/4, and their standard deviation 1/4.

        >>> import rankmark as rm
        >>> train = {"u3": ["a"]}
        >>> qrels, run = {"u1": ["b", "c"], "u2": ["a"]}, {"u1": ["b"], "u2": ["a"]}
        >>> result = rm.evaluate(qrels, run, "PopREO@1", items=["a", "b", "c", "d"], train=train)
        >>> round(result["PopREO@1"], 6)
        0.333333

    """
    top, judged = lists.top(cutoff), lists.facts.judgements()
    found = top.exposure(np.where((top.grade() >= rel) & ~top.had(), 1.0, 0.0))
    query = np.repeat(np.arange(len(judged.offsets) - 1), np.diff(judged.offsets))
    relevant = (judged.grade >= rel) & (judged.item < lists.facts.count) & (top.length > 0)[query]
    relevant &= ~lists.facts.before().had(top.user, judged.offsets, judged.item.astype(np.int32))
    counted = np.bincount(judged.item[relevant], top.drawn[query[relevant]], lists.facts.count)
    return spread_of_chances(
        *(group_sums(lists.facts, each, by, head, of) for each in (found, counted.astype(np.float64)))
    )
