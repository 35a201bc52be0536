"""GroupExposure."""

from __future__ import annotations

from typing import Literal

from rankmark.kinds.browsing import MaxGrade
from rankmark.kinds.exposure import (
    Browsing,
    Overlap,
    Patience,
    Reader,
    UnknownGroup,
    item_groups,
    needs_of_groups,
    shares,
)
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.parameters import GROUP, Column, Group
from rankmark.language.registry import item_measure


@item_measure(
    "GroupExposure",
    aliases=("ExposureShare", "ProviderExposure"),
    bounds=(0, None),
    needs=needs_of_groups,
    better="neither",
    order="top",
)
def group_exposure(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = GROUP,
    group: Group | Literal["each"] = "each",
    browsing: Browsing = "log2",
    p: Patience = 0.5,
    max_grade: MaxGrade = 1,
    scale: Literal["share", "sum"] = "share",
    overlap: Overlap = "share",
    unknown: UnknownGroup = "refuse",
) -> Values:
    """Exposure of a group: which share of readers' attention the items of a group get.

        GroupExposure@k = Σ_{i≤k} m_i · w_i / Σ_{i≤k} Σ_g m_ig · w_i

    w_i is the attention that rank i gets, and m_i how much its item is of the group: 1 or 0, or a part of 1
    where it is of several groups or the table says so.

    Args:
        by: the column of items with their group, a list of groups, or how much each is of every group: a
            list of numbers or a dict of them by the names of groups.
        group: the group; ``each`` gives a measure for every one.
        browsing: the attention of rank i: ``log2`` is 1 / log₂(i + 1), ``log2max`` 1 / log₂(max(i, 2)),
            ``rbp`` p^(i − 1) (geometric), ``reciprocal`` 1 / i, ``none`` 1. ``err`` is the chance that a
            reader gets there who is satisfied by an item of grade r and stops with chance (2^r − 1) /
            2^max_grade, ``cascade`` that chance times p^(i − 1); both need judgements.
        p: the chance to go on to the next rank, of ``rbp`` and ``cascade``.
        max_grade: the highest grade of the scale, for ``err`` and ``cascade``.
        scale: the ``share`` of the attention of all groups, or the ``sum`` that
            the group gets.
        overlap: an item of several groups is of each in part, ``share``, or of each in whole,
            ``each``.
        unknown: an item whose group is not known is an error, ``refuse``, of a group of its own called
            unknown, ``group``, or of none, ``ignore``; it takes its rank all the same.

    Needs: a table of items with their groups, items=….

    Range: 0 to 1; with ``scale=sum`` 0 or more.

    Source: [singh2018].

    Example:
        x gets the attention of ranks 1 and 3, 1 + 0.5, and y that of rank 2, 0.63093.

        >>> import rankmark as rm
        >>> items = {"a": {"group": "x"}, "b": {"group": "y"}, "c": {"group": "x"}}
        >>> result = rm.evaluate(None, {"q": ["a", "b", "c"]}, "GroupExposure", items=items)
        >>> {name: round(value, 6) for name, value in result.values.items()}
        {'GroupExposure(group=x)': 0.703918, 'GroupExposure(group=y)': 0.296082}

    """
    top = lists.top(cutoff)
    groups = item_groups(lists, by, overlap, unknown)
    sums = groups.attention(top, Reader(browsing, p, max_grade))
    number = groups.number("GroupExposure", group)
    return (shares(sums) if scale == "share" else sums)[:, number]
