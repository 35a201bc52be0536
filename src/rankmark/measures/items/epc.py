"""EPC."""

from __future__ import annotations

from typing import Literal

from rankmark.kinds.browsing import MaxGrade
from rankmark.kinds.item_weights import ItemGain, RankDiscount, graded, order_of, seen_mean
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.registry import item_measure


@item_measure(
    "EPC",
    aliases=("ExpectedPopularityComplement",),
    bounds=(0, 1),
    needs=graded("train"),
    order=order_of,
)
def expected_popularity_complement(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Literal["users", "interactions", "max"] = "users",
    discount: RankDiscount = "none",
    gain: ItemGain = "none",
    rel: float = 1,
    max_grade: MaxGrade = 4,
) -> Values:
    """Expected popularity complement: what share of users did not have the items of a list before.

        EPC@k = Σ_{i≤n} d(i) · g_i · (1 − p_i) / Σ_{i≤n} d(i)
        p_i = users who had item i / users

    n is the number of items of the list down to rank k, d(i) how likely rank i is to be seen, and g_i how
    likely its item is to be chosen. With the defaults it is the mean of 1 − p_i.

    Args:
        by: p_i is a share of ``users``, or of ``interactions``, or users over those of the item that most had
            (``max``).
        discount: d(i) is 1 (``none``), 1 / log2(i + 1) (``log2``), 1 / i (``reciprocal``), or with a number p
            between 0 and 1 p^(i − 1); the source has 0.85.
        gain: g_i is 1 (``none``), 1 for an item judged `rel` or better, else 0 (``binary``), or
            (2^grade − 1) / 2^max_grade (``exp2``).
        rel: the least grade of a relevant item, for gain=binary.
        max_grade: the highest grade of the scale, for gain=exp2.

    Needs: the interactions before, train=…, and judgements for gain=binary and gain=exp2.

    Range: 0 to 1.

    Source: [vargas2011].

    Example:
        Of four users two had a and one had b: 1 − 2/4 and 1 − 1/4.

        >>> import rankmark as rm
        >>> train = {"u1": ["a"], "u2": ["a", "b"], "u3": ["c"], "u4": ["c"]}
        >>> rm.evaluate(None, {"u1": ["a", "b"]}, "EPC@2", train=train).values
        {'EPC@2': 0.625}

    """
    top = lists.top(cutoff)
    counts = lists.facts.popularity("interactions" if by == "interactions" else "users")
    whole = {"users": lists.facts.before().users, "interactions": counts.sum(), "max": counts.max()}[by]
    complement = (1 - counts / whole)[top.item]
    return seen_mean(top, complement, "EPC", discount=discount, gain=gain, rel=rel, max_grade=max_grade)
