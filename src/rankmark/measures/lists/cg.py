"""CG."""

from __future__ import annotations

from rankmark.kinds.gains import Gain, gain_of
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.language.registry import list_measure


@list_measure("CG", bounds=(0, None), order="set", extremes="ends")
def cg(lists: JudgedLists, *, cutoff: int | None = None, gain: Gain = "linear") -> Values:
    """Cumulated gain: the gains of the list's items, wherever they stand.

        CG@k = Σ_{i≤k} gain(rel_i)

    ``rel_i`` is the grade of the item at rank i, 0 if it is not judged.

    Args:
        gain: ``linear`` is the grade itself, ``exp2`` is 2^grade − 1; a mapping such as ``{1:3,2:9}``
            gives each grade its gain, and a judged grade other than 0 that it lacks is an error;
            from Python any function of a grade. Unjudged items gain nothing, nor do negative grades
            under ``linear`` and ``exp2``.

    Range: from 0 (gains of the caller's own may be negative).
    No relevant item: 0.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: [jarvelin2002].

    Example:
        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 3, "b": 2, "c": 3, "d": 0, "e": 1, "f": 2}}
        >>> run = {"q": ["a", "b", "c", "d", "e", "f"]}
        >>> result = rm.evaluate(qrels, run, ["CG", "CG@2"])
        >>> result["CG"], result["CG@2"]
        (11.0, 5.0)

    """
    top = lists.top(cutoff)
    return top.sum(gain_of(top.relevance, gain) * top.within(cutoff))
