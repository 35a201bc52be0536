"""EFD."""

from __future__ import annotations

from typing import Literal

from rankmark.kinds.browsing import MaxGrade
from rankmark.kinds.expected import information
from rankmark.kinds.item_weights import ItemGain, RankDiscount, graded, order_of, seen_mean
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.registry import item_measure


@item_measure(
    "EFD",
    aliases=("ExpectedFreeDiscovery",),
    bounds=(0, None),
    needs=graded("train"),
    order=order_of,
)
def expected_free_discovery(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Literal["interactions", "users"] = "interactions",
    discount: RankDiscount = "none",
    gain: ItemGain = "none",
    rel: float = 1,
    max_grade: MaxGrade = 4,
) -> Values:
    """Expected free discovery: how unlikely interactions are to be with the items of a list, seen and chosen.

        EFD@k = Σ_{i≤n} d(i) · g_i · −log2 p_i / Σ_{i≤n} d(i)
        p_i = interactions with item i / interactions

    n is the number of items of the list down to rank k, d(i) how likely rank i is to be seen, and g_i how
    likely its item is to be chosen. With the defaults it is Novelty(by=interactions).

    Args:
        by: p_i is a share of ``interactions``, or of ``users``. An item that nobody had counts as if one
            had had it.
        discount: d(i) is 1 (``none``), 1 / log2(i + 1) (``log2``), 1 / i (``reciprocal``), or with a number p
            between 0 and 1 p^(i − 1); the source has 0.85.
        gain: g_i is 1 (``none``), 1 for an item judged `rel` or better, else 0 (``binary``), or
            (2^grade − 1) / 2^max_grade (``exp2``).
        rel: the least grade of a relevant item, for gain=binary.
        max_grade: the highest grade of the scale, for gain=exp2.

    Needs: the interactions before, train=…, and judgements for gain=binary and gain=exp2.

    Range: 0 or more, in bits.

    Source: [vargas2011].

    Example:
        Of 4 interactions 2 were with a and one with b, which is relevant: log2(4/1) at rank 2 of 2.

        >>> import rankmark as rm
        >>> train = {"u1": ["a"], "u2": ["a", "b"], "u3": ["c"]}
        >>> measure = "EFD(gain=binary)@2"
        >>> rm.evaluate({"u1": {"b": 1}}, {"u1": ["a", "b"]}, measure, train=train)[measure]
        1.0

    """
    top = lists.top(cutoff)
    bits = information(lists.facts, by)[top.item]
    return seen_mean(top, bits, "EFD", discount=discount, gain=gain, rel=rel, max_grade=max_grade)
