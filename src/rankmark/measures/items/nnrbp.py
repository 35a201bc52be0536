"""nNRBP."""

from __future__ import annotations

from typing import Annotated

from rankmark.kinds.aspects import Alpha, Ideal, patience, share_of_ideal
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.kinds.ranges import Within
from rankmark.language.registry import item_measure


@item_measure("nNRBP", bounds=(0, None), needs=("aspects",), order="top", undefined="nothing relevant")
def nnrbp(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    alpha: Alpha = 0.5,
    beta: Annotated[float, Within(0, 1)] = 0.5,
    ideal: Ideal = "greedy",
) -> Values:
    """Normalised NRBP: NRBP as a share of what a list has that covers aspects early.

        nNRBP = NRBP / NRBP*

    `NRBP` says what items gain, and NRBP* is that of the ideal list of `alpha_nDCG`, which has at each rank
    the judged item that gains most after those above it.

    Args:
        rel: the least grade that counts as relevant to an aspect.
        alpha: what an aspect loses each time: 0 nothing, 1 all that it gains.
        beta: the chance that a reader goes on to the next item.
        ideal: ``greedy`` (ndeval), or ``exact``, which is looked for among all lists, and refused where a
            query has too many.

    Needs: judgements of aspects (subtopics, intents); aspects to which nothing is relevant are left out.

    Range: 0 to 1, or a little above where another list than the ideal one has more.
    No relevant item: decided by `no_relevant`.

    Source: [clarke2009].

    Example:
        a gains 2 and b, a second time for aspect 1, ½ · ½; the ideal list a, c and b has 2 + ½ + ½ · ¼.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": {"1": 1, "2": 1}, "b": {"1": 1}, "c": {"3": 1}}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b"]}, "nNRBP")["nNRBP"], 6)
        0.857143

    """
    return share_of_ideal(lists, cutoff, rel, alpha, ideal, lambda ranks: patience(beta, ranks))
