"""PairwiseAccuracy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

from rankmark import _numpy as np
from rankmark.kinds.exposure import Overlap, UnknownGroup, item_groups, totals
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.parameters import GROUP, Column, Group
from rankmark.language.registry import item_measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pairs: TypeAlias = Literal["inter", "intra", "all"]


@item_measure(
    "PairwiseAccuracy",
    aliases=("InterGroupPairwiseAccuracy",),
    variants={
        "IntraGroupPairwiseAccuracy": {"pairs": "intra"},
        "PairwiseFairness": {"value": "difference"},
    },
    bounds=(-1, 1),
    needs=("groups", "judgements"),
    aggregate="run",
    better="neither",
    parity=lambda given: 0.0 if given["value"] == "difference" else None,
    order="top",
    undefined="no pair of a better and a worse item",
)
def pairwise_accuracy(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = GROUP,
    group: Group | Literal["each"] = "each",
    pairs: Pairs = "inter",
    value: Literal["accuracy", "difference"] = "accuracy",
    overlap: Overlap = "share",
    unknown: UnknownGroup = "refuse",
) -> float:
    """Pairwise accuracy of a group: how often its better items stand above worse ones of other groups.

        PairwiseAccuracy@k = Σ_u Σ_{j,l ≤ k} x_jl · [j < l] / Σ_u Σ_{j,l ≤ k} x_jl
        x_jl = [rel_j > rel_l] · m_j · (1 − m_l)

    j and l are ranks of the list of query u, rel_j is the grade there, 0 where the item is not judged, and
    m_j how much the item is of the group: 1 or 0, or a part of 1. A group whose items are ranked too low has
    a lower value than others.

    Args:
        by: the column of items with their group, a list of groups, or how much each is of every group: a
            list of numbers or a dict of them by the names of groups.
        group: the group; ``each`` gives a measure for every one.
        pairs: the worse item is of another group, ``inter`` as above, of the same, ``intra``, with m_l in the
            place of 1 − m_l, or of any, ``all``, with 1.
        value: the ``accuracy`` of the group, or the ``difference`` of it from that of the rest.
        overlap: an item of several groups is of each in part, ``share``, or of each in whole,
            ``each``.
        unknown: an item whose group is not known is an error, ``refuse``, of a group of its own called
            unknown, ``group``, or of none, ``ignore``; it belongs to the rest.

    Needs: a table of items with their groups, items=…, and judgements.

    Range: 0 to 1; the ``difference`` −1 to 1, 0 is alike.

    Source: [beutel2019].

    Example:
        a of x and b of y are relevant and c of y and d of x not. a is above c; b is below d.

        >>> import rankmark as rm
        >>> items = {"a": {"group": "x"}, "b": {"group": "y"}, "c": {"group": "y"}, "d": {"group": "x"}}
        >>> qrels, run = {"q": {"a": 1, "b": 1}}, {"q": ["a", "c", "d", "b"]}
        >>> rm.evaluate(qrels, run, "PairwiseAccuracy", items=items).values
        {'PairwiseAccuracy(group=x)': 1.0, 'PairwiseAccuracy(group=y)': 0.0}

    """
    top = lists.top(cutoff)
    groups = item_groups(lists, by, overlap, unknown)
    number = groups.number("PairwiseAccuracy", group)

    def counted() -> NDArray[np.float64]:
        own = next(each for place, each in enumerate(groups.each(top)) if place == number)
        return np.stack([*_pairs(top, own, pairs), *_pairs(top, 1 - own, pairs)], axis=1)

    right, count, other_right, other_count = totals(top, top.once((groups, number, pairs), counted))
    if not count or (value == "difference" and not other_count):
        return math.nan
    return float(right / count - (other_right / other_count if value == "difference" else 0.0))


def _pairs(top: RecommendedLists, own: Values, pairs: Pairs) -> tuple[Values, Values]:
    """How many pairs of each list have the better item above, and how many there are."""
    grade = np.nan_to_num(top.grade(), nan=0.0)
    right, count = np.zeros((2, len(top.length)))
    for apart in range(1, int(top.length.max(initial=0))):
        above = np.flatnonzero(top.query[:-apart] == top.query[apart:])
        above = above[grade[above] != grade[above + apart]]
        ordered = grade[above] > grade[above + apart]
        better, worse = (np.where(which, above, above + apart) for which in (ordered, ~ordered))
        weight = own[better] * {"inter": 1 - own[worse], "intra": own[worse], "all": 1.0}[pairs]
        right += np.bincount(top.query[above], weight * ordered, len(right))
        count += np.bincount(top.query[above], weight, len(right))
    return right, count
