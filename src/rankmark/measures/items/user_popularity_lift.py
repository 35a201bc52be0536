"""UserPopularityLift."""

from __future__ import annotations

from typing import Literal

from rankmark import _native
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.registry import item_measure


@item_measure(
    "UserPopularityLift",
    aliases=("ProfilePopularityLift",),
    bounds=(-1, None),
    needs=("train",),
    better="neither",
    undefined="no items before or now",
)
def user_popularity_lift(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Literal["users", "interactions"] = "users",
) -> Values:
    """Popularity lift of each user: how much more popular a list is than what its user had before.

        UserPopularityLift@k = r_u / p_u − 1

    r_u is the mean of how many users had an item, over the items of the list down to rank k, and p_u that
    over the items that the user had, each once. Users who had none have no value. The lift of the means
    over all users is PopularityLift.

    Args:
        by: how many ``users`` had an item, or how many ``interactions`` it was in.

    Needs: the interactions before, train=….

    Range: −1 or more; 0 where a list is as popular as what its user had.

    Source: [abdollahpouri2020], there of groups of users.

    Example:
        Two users had a, and one b: u2 had items of 1.5 users each, and gets one of two.

        >>> import rankmark as rm
        >>> train = {"u1": ["a"], "u2": ["a", "b"]}
        >>> result = rm.evaluate(None, {"u2": ["a"]}, "UserPopularityLift@1", train=train)
        >>> round(result["UserPopularityLift@1"], 6)
        0.333333

    """
    top = lists.top(cutoff)
    counts = lists.facts.popularity(by)
    before = lists.profiles
    p = before.mean(counts[before.item])
    return _native.ratio(top.mean_of(counts), p, before.length) - 1
