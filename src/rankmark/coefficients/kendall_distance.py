"""KendallDistance."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from rankmark.kinds.lists import Values
from rankmark.kinds.pairs import Pairs
from rankmark.kinds.ranges import Within
from rankmark.kinds.rankings import Rankings, better_in_both, groups, quotient
from rankmark.language.coefficient import coefficient


@coefficient("KendallDistance", bounds=(0, 1))
def kendall_distance(pairs: Pairs, *, p: Annotated[float, Within(0, 1)] = 0.5) -> Values:
    """Kendall's distance of two top-k lists, as a share of that of lists without common items.

        K(p) = Σ_{pairs of either list} penalty / most

    A pair has the penalty 1 if the lists order it differently, an item that a list lacks being after all that
    it has, and p if one list has both items and the other neither. Equal scores are ordered by the rule of
    `ties`.

    Args:
        p: 0 supposes that a list would order two items that it lacks as the other one does, 0.5 that nobody
            knows.

    Range: 0 to 1; 0 for the same list.
    Not defined: of empty lists.

    Source: [fagin2003].

    Example:
        One pair is in the other order; lists without common items would have 9 pairs across and 6 within,
        which count half: 1 / 12.

        >>> import rankmark as rm
        >>> round(rm.rank_correlation(["a", "b", "c"], ["b", "a", "c"], "KendallDistance"), 4)
        0.0833

    """
    a, b, common = (
        np.asarray(x, np.float64) for x in (pairs.a.length, pairs.b.length, np.diff(pairs.offsets))
    )
    ranks = Rankings(pairs.offsets, pairs.rank_a, pairs.rank_b)
    discordant = common * (common - 1) / 2 - ranks.sum(better_in_both(ranks))
    for key in (ranks.x, ranks.y):
        place = groups(ranks, key)[0] + 1
        discordant += ranks.sum(key - place)  # those above it that the other list lacks
    only_a, only_b = a - common, b - common
    unknown = (only_a * (only_a - 1) + only_b * (only_b - 1)) / 2
    most = a * b + p * (a * (a - 1) + b * (b - 1)) / 2
    return quotient(discordant + only_a * only_b + p * unknown, most)
