"""Serendipity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from rankmark import _native
from rankmark import _numpy as np
from rankmark.kinds.browsing import MaxGrade
from rankmark.kinds.expected import HadBefore, PrimitiveSize, popularity_ranks, unexpected
from rankmark.kinds.item_weights import ItemGain, item_gain
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.registry import item_measure


def _looks(given: Mapping[str, Any]) -> Literal["top", "set"]:
    return "top" if given["against"] == "ranks" else "set"


@item_measure("Serendipity", bounds=(0, 1), needs=("train", "judgements"), order=_looks)
def serendipity(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    against: Literal["primitive", "ranks"] = "primitive",
    size: PrimitiveSize = "cutoff",
    before: HadBefore = "keep",
    gain: ItemGain = "binary",
    rel: float = 1,
    max_grade: MaxGrade = 4,
    denominator: Literal["retrieved", "cutoff"] = "retrieved",
) -> Values:
    """Serendipity: how much of a list is both relevant and unexpected.

        Serendipity@k = (1/D) · Σ_{i≤n} g_i · u_i

    n is the number of items of the list down to rank k; g_i says whether the item at rank i is relevant, and
    u_i how unexpected it is. By how far items are from what the user had it is EPD(gain=binary).

    Args:
        against: u_i is 1 for an item that is not in the ``primitive`` list, which is that of Unexpectedness,
            else 0 (Ge et al.); or by ``ranks`` max((N + 1 − i) / N − (N + 1 − r_i) / N, 0) with N items that
            can be recommended and r_i the rank of the item by how often it was had; equal ones have one rank,
            and of an item that nobody had the second part is 0 (RecTools).
        size: how many items the primitive list has: k, the ``cutoff``, or without one as many as the list;
            or a number.
        before: whether the primitive list has items that the user had before (``keep``), or the next ones in
            their place (``skip``).
        gain: g_i is 1 for an item judged `rel` or better, else 0 (``binary``), (2^grade − 1) / 2^max_grade
            (``exp2``), or 1 for all (``none``).
        rel: the least grade of a relevant item, for gain=binary.
        max_grade: the highest grade of the scale, for gain=exp2.
        denominator: D is n, what was ``retrieved``, or k, the ``cutoff``.

    Needs: the interactions before, train=…, and judgements.

    Range: 0 to 1.

    Source: [ge2010].

    Example:
        Both items are relevant; c alone is none of the two that most had.

        >>> import rankmark as rm
        >>> train = {"u1": ["a"], "u2": ["a", "b"], "u3": ["b", "c"]}
        >>> rm.evaluate({"u4": {"a": 1, "c": 1}}, {"u4": ["a", "c"]}, "Serendipity@2", train=train).values
        {'Serendipity@2': 0.5}

    """
    top = lists.top(cutoff)
    if against == "primitive":
        surprise = unexpected(top, cutoff, size, before).astype(np.float64)
    else:
        behind = popularity_ranks(lists.facts)[top.item] - top.rank
        items = lists.facts.catalogued
        cold = items + 1 - top.rank
        surprise = np.maximum(np.where(np.isnan(behind), cold, behind), 0) / items
    found = top.sum(item_gain(top, "Serendipity", gain=gain, rel=rel, max_grade=max_grade) * surprise)
    whole = float(cutoff) if denominator == "cutoff" and cutoff is not None else top.length
    return _native.ratio(found, whole, top.length)
