"""nERR."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.browsing import MaxGrade, highest_gain
from rankmark.kinds.gains import Gain, gain_of
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure
from rankmark.measures.lists.err import reciprocal_rank_of_stop


@list_measure("nERR", bounds=(0, 1), expected=False)
def normalised_expected_reciprocal_rank(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    gain: Gain = "exp2",
    max_grade: MaxGrade = 4,
    best: Literal["doubtful", "certain"] = "doubtful",
) -> Values:
    """Normalised expected reciprocal rank: ERR as a share of what the best order would have.

        nERR@k = ERR@k / ERR@k of the ideal list

    The ideal list holds all judged items, retrieved or not, best first. It is not the "not (but nearly)
    ERR" of the C/W/L framework, which is `NearlyERR`.

    Args:
        gain: as in `ERR`: ``exp2`` is 2^grade − 1, ``linear`` the grade itself (NTCIREVAL); a mapping
            gives each grade its gain; from Python any function of a grade.
        max_grade: the highest grade of the scale, the same for all queries; state yours.
        best: what an item of the highest grade does: ``doubtful`` satisfies nearly always, with chance
            G / (G + 1) where G is its gain, ``certain`` always.

    Range: 0 to 1.
    No relevant item (none that gains anything): decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.
    A grade above `max_grade` is a DataError.

    Source: [sakai2011].

    Example:
        Grades 1 and 2 of at most 2 in the wrong order: 0.53125, where the best order has 3/4 + (1/2) ·
        (1/4) · (1/4) = 0.78125.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 2}}
        >>> rm.evaluate(qrels, {"q": ["a", "b"]}, "nERR(max_grade=2)")["nERR(max_grade=2)"]
        0.68

    """
    full = highest_gain(lists, "nERR", gain, max_grade) + (best == "doubtful")
    top, ideal = lists.top(cutoff), lists.ideal
    satisfied, possible = (np.maximum(gain_of(some.relevance, gain), 0.0) / full for some in (top, ideal))
    inside = ideal.rank <= (np.inf if cutoff is None else cutoff)
    most = reciprocal_rank_of_stop(ideal, ideal.descending(possible) * inside)
    return ratio(reciprocal_rank_of_stop(top, satisfied), most, most)
