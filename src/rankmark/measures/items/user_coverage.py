"""UserCoverage."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.ranges import Whole
from rankmark.language.registry import item_measure


@item_measure(
    "UserCoverage",
    aliases=("UCoverage",),
    variants={"UserCoverageAtN": {"least": "cutoff"}},
    bounds=(0, 1),
    needs=(),
    aggregate="run",
)
def user_coverage(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    least: Literal["cutoff"] | Annotated[float, Whole(1)] = 1,
) -> float:
    """User coverage: the share of users who are recommended enough items.

        UserCoverage@k = |{u : n_u ≥ m}| / |U|

    n_u is the number of items of the list of user u down to rank k. U is all users: those with judgements, or
    without any those in the run, who all have an item.

    Args:
        least: m, how many items are enough: a number, or k, the ``cutoff`` (1 without one).

    Needs: nothing but the run.

    Range: 0 to 1.

    Source: [ge2010].

    Example:
        u1 has two items, u2 one, and u3 none.

        >>> import rankmark as rm
        >>> qrels = {"u1": ["a"], "u2": ["a"], "u3": ["b"]}
        >>> run = {"u1": ["a", "b"], "u2": ["a"]}
        >>> result = rm.evaluate(qrels, run, ["UserCoverage", "UserCoverageAtN@2"])
        >>> [round(value, 6) for value in result.values.values()]
        [0.666667, 0.333333]

    """
    top = lists.top(cutoff)
    enough = (cutoff or 1) if least == "cutoff" else least
    users = top.total(1.0)
    return top.total(top.length >= enough) / users if users else math.nan
