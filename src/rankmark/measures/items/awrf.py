"""AWRF."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.browsing import MaxGrade
from rankmark.kinds.exposure import (
    Browsing,
    Overlap,
    Patience,
    Reader,
    Target,
    UnknownGroup,
    divergence,
    item_groups,
    needs_of_groups,
    shares,
    target_shares,
)
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.parameters import GROUP, Column
from rankmark.language.registry import item_measure


@item_measure(
    "AWRF",
    aliases=("AttentionWeightedRankFairness",),
    bounds=(0, 1),
    needs=needs_of_groups,
    order="top",
    undefined="no items of known groups, or no target",
)
def attention_weighted_rank_fairness(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = GROUP,
    target: Target = "catalogue",
    rel: float = 1,
    distance: Literal["js", "difference"] = "js",
    browsing: Browsing = "log2max",
    p: Patience = 0.5,
    max_grade: MaxGrade = 1,
    overlap: Overlap = "share",
    unknown: UnknownGroup = "refuse",
) -> Values:
    """Attention-weighted rank fairness: how near groups' shares of attention are to those they should have.

        AWRF@k = 1 − d(a, t),  a_g = Σ_{i≤k} m_ig · w_i / Σ_{i≤k} Σ_h m_ih · w_i

    w_i is the attention that rank i gets, m_ig how much its item is of group g, a_g the share of attention
    that group g gets and t_g the share that it should have.

    Args:
        by: the column of items with their group, a list of groups, or how much each is of every group: a
            list of numbers or a dict of them by the names of groups.
        target: t_g is the share of the group among the items that can be recommended, ``catalogue``, among
            the items that are relevant to the query, ``relevant``, ``equal`` for all, or what is given,
            ``{women:0.5,men:0.5}``, where every group has one and all are divided by their sum.
        rel: the least grade that counts as relevant.
        distance: ``js`` is the Jensen-Shannon divergence, in nats as TREC's Fair Ranking track has it, ½ Σ_g
            a_g · ln(2a_g / (a_g + t_g)) + ½ Σ_g t_g · ln(2t_g / (a_g + t_g)); ``difference`` is ½ Σ_g
            |a_g − t_g|, of two groups the difference of the share of one.
        browsing: the attention of rank i: ``log2`` is 1 / log₂(i + 1), ``log2max`` 1 / log₂(max(i, 2)) as in
            TREC, ``rbp`` p^(i − 1) (geometric, as Sapiezynski et al.), ``reciprocal`` 1 / i, ``none`` 1.
            ``err`` is the chance that a reader gets there who is satisfied by an item of grade r and stops
            with chance (2^r − 1) / 2^max_grade, ``cascade`` that chance times p^(i − 1); both need
            judgements.
        p: the chance to go on to the next rank, of ``rbp`` and ``cascade``.
        max_grade: the highest grade of the scale, for ``err`` and ``cascade``.
        overlap: an item of several groups is of each in part, ``share``, or of each in whole,
            ``each``.
        unknown: an item whose group is not known is an error, ``refuse``, of a group of its own called
            unknown, ``group``, or of none, ``ignore`` (TREC); it takes its rank all the same.

    Needs: a table of items with their groups, items=…; for the target ``relevant`` judgements.

    Range: 0 to 1, with the distance ``js`` 1 − ln 2 to 1; 1 is the target itself.

    Source: [sapiezynski2019]; as 1 − Jensen-Shannon [ekstrand2021].

    Example:
        The ranks of x get 1 + 0.63093 and that of y 1, 0.619906 and 0.380094, where ⅔ and ⅓ of the items are.

        >>> import rankmark as rm
        >>> items = {"a": {"group": "x"}, "b": {"group": "y"}, "c": {"group": "x"}}
        >>> run = {"q": ["a", "b", "c"]}
        >>> measures = ["AWRF", "AWRF(distance=difference)"]
        >>> [round(x, 6) for x in rm.evaluate(None, run, measures, items=items).values.values()]
        [0.998808, 0.95324]

    """
    top = lists.top(cutoff)
    groups = item_groups(lists, by, overlap, unknown)
    a = shares(groups.attention(top, Reader(browsing, p, max_grade)))
    t = np.broadcast_to(target_shares(groups, "AWRF", target, rel), a.shape)
    if distance == "difference":
        far = np.abs(a - t).sum(axis=1) / 2
    else:
        far = (divergence(a, (a + t) / 2) + divergence(t, (a + t) / 2)) / 2
    return np.asarray(np.clip(1 - far, 0.0, 1.0))
