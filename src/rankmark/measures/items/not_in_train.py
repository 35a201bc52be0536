"""NotInTrain."""

from __future__ import annotations

from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.registry import item_measure


@item_measure("NotInTrain", aliases=("NewItemShare",), bounds=(0, 1), needs=("train",))
def not_in_train(lists: RecommendedLists, *, cutoff: int | None = None) -> Values:
    """Share of a list that its user did not have before.

        NotInTrain@k = |{i ≤ n : the user did not have item i}| / n

    n is the number of items of the list down to rank k. A user who had nothing before has 1. With the tops of
    the lists of another run as train=… it is how unexpected a list is to who expects these (RePlay's
    Unexpectedness).

    Needs: the interactions before, train=….

    Range: 0 to 1.

    Source: [herlocker2004], whose novelty it is in its plainest form.

    Example:
        The user had a before, and not b.

        >>> import rankmark as rm
        >>> rm.evaluate(None, {"u1": ["a", "b"]}, "NotInTrain@2", train={"u1": ["a"], "u2": ["b"]}).values
        {'NotInTrain@2': 0.5}
        >>> expected = {"u1": ["b", "c"]}
        >>> rm.evaluate(None, {"u1": ["a", "b"]}, "NotInTrain@2", train=expected).values
        {'NotInTrain@2': 0.5}

    """
    top = lists.top(cutoff)
    return top.mean(~top.had())
