"""Unexpectedness."""

from __future__ import annotations

from rankmark.kinds.expected import HadBefore, PrimitiveSize, unexpected
from rankmark.kinds.item_weights import RankDiscount, discounted_mean, order_of
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.registry import item_measure


@item_measure("Unexpectedness", bounds=(0, 1), needs=("train",), order=order_of)
def unexpectedness(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    size: PrimitiveSize = "cutoff",
    before: HadBefore = "keep",
    discount: RankDiscount = "none",
) -> Values:
    """Unexpectedness: the share of a list that is not in a primitive list, the most popular items.

        Unexpectedness@k = Σ_{i≤n} d(i) · u_i / Σ_{i≤n} d(i)

    n is the number of items of the list down to rank k, and u_i is 1 for an item that is not in the primitive
    list, else 0. The primitive list has the items that most users had before; items that are as popular as
    the last of them belong to it, and one that nobody had does not. How far items are from what the user had
    is EPD. Against the lists of another run, as RePlay has it, it is NotInTrain with their tops as train=….

    Args:
        size: how many items the primitive list has: k, the ``cutoff``, or without one as many as the list;
            or a number.
        before: whether the primitive list has items that the user had before (``keep``), or the next ones in
            their place (``skip``).
        discount: d(i) is 1 (``none``), 1 / log2(i + 1) (``log2``), 1 / i (``reciprocal``), or with a number p
            between 0 and 1 p^(i − 1).

    Needs: the interactions before, train=….

    Range: 0 to 1.

    Source: [ge2010], of [murakami2007].

    Example:
        The two items that most had are a and b; of the list c alone is none of them.

        >>> import rankmark as rm
        >>> train = {"u1": ["a"], "u2": ["a", "b"], "u3": ["b", "c"]}
        >>> rm.evaluate(None, {"u4": ["a", "c"]}, "Unexpectedness@2", train=train).values
        {'Unexpectedness@2': 0.5}

    """
    top = lists.top(cutoff)
    return discounted_mean(top, unexpected(top, cutoff, size, before), discount)
