"""IPrec."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.kinds.ranges import Within
from rankmark.language.registry import list_measure

ELEVEN_POINTS = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)


@list_measure("IPrec", bounds=(0, 1), expected=False, extremes="counts")
def interpolated_precision(
    lists: JudgedLists,
    *,
    rel: float = 1,
    recall: Annotated[float, Within(0, 1)] | Sequence[Annotated[float, Within(0, 1)]] = ELEVEN_POINTS,
    rounding: Literal["nearest", "up"] = "nearest",
) -> Values:
    """Interpolated precision at a level of recall: the best precision from there to the end of the list.

        IPrec = (1/L) Σ_x max{P@i : hits@i ≥ round(x · R)}

    The sum is over the L levels of recall x; P@i is the share of relevant items among the first i,
    hits@i their number, and R the number of all relevant items. Its value at one level is a point of the
    recall-precision curve; the mean over 0, 0.1, 0.2 … 1 is the eleven-point average.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.
        recall: the level, from 0 to 1, or several, whose mean it is.
        rounding: of the hits that a level needs. ``nearest`` is ⌊x · R + 0.5⌋ (trec_eval 10),
            ``up`` is ⌊x · R + 0.9⌋ (trec_eval 9 and ranx). Levels between two hits depend on it.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`. A level that the list does not reach counts 0.
    Equal scores: no closed form of the mean over all orders.

    Source: [salton1983].

    Example:
        Hits at ranks 1, 3 and 6 of four relevant items. Half of them are found at rank 3, where the
        precision is 2/3; three quarters at rank 6, where it is 1/2; and all of them nowhere.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 1, "f": 1, "z": 1}}
        >>> run = {"q": ["a", "b", "c", "d", "e", "f"]}
        >>> result = rm.evaluate(qrels, run, ["IPrec(recall=0.5)", "IPrec(recall=[0.5,0.75,1])"])
        >>> [round(value, 6) for value in result.values.values()]
        [0.666667, 0.388889]

    """
    hit = lists.relevance >= rel
    relevant = lists.relevant(rel)
    hits = lists.running_sum(hit)
    precision = hit * hits / lists.rank
    levels = recall if isinstance(recall, Sequence) else [recall]
    total = np.zeros(len(relevant))
    for level in levels:
        needed = np.floor(level * relevant + (0.5 if rounding == "nearest" else 0.9))
        total += lists.max(precision * (hits >= lists.spread(needed)))
    return ratio(total, len(levels), relevant)
