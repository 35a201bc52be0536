"""ERR."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.browsing import MaxGrade, highest_gain
from rankmark.kinds.gains import Gain, gain_of
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure


@list_measure("ERR", bounds=(0, 1), expected=False, extremes="ends")
def expected_reciprocal_rank(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    gain: Gain = "exp2",
    max_grade: MaxGrade = 4,
    best: Literal["doubtful", "certain"] = "doubtful",
) -> Values:
    """Expected reciprocal rank: one over the rank at which a reader stops who is satisfied by good items.

        ERR@k = Σ_{i≤k} (1/i) · S_i · Π_{j<i} (1 − S_j)
        S_i = gain(rel_i) / (gain(max_grade) + 1)

    ``rel_i`` is the grade of the item at rank i, S_i the chance that it satisfies the reader, who then
    stops. With the default gain, S_i = (2^rel_i − 1) / 2^max_grade. Items that are not judged, or judged
    below 0, satisfy nobody.

    Args:
        gain: ``exp2`` is 2^grade − 1 (Chapelle et al.; the TREC Web track's gdeval), ``linear`` the
            grade itself; a mapping such as ``{1:1,2:4,3:9}`` gives each grade its gain (NTCIREVAL), and
            its greatest is that of the highest grade; from Python any function of a grade.
        max_grade: the highest grade of the scale, the same for all queries. The default 4 is that of
            the TREC Web track and its tool gdeval; state yours, since the value depends on it.
        best: what an item of the highest grade does: ``doubtful`` satisfies nearly always, as above,
            ``certain`` always, S_i = gain(rel_i) / gain(max_grade) (CatBoost).

    Range: 0 to 1.
    No relevant item (none that gains anything): decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.
    A grade above `max_grade` is a DataError.

    Source: [chapelle2009].

    Example:
        Grades 1 and 2 of at most 2 at ranks 1 and 2: 1/4 + (1/2) · (3/4) · (1 − 1/4) = 0.53125.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 2}}
        >>> rm.evaluate(qrels, {"q": ["a", "b"]}, "ERR(max_grade=2)")["ERR(max_grade=2)"]
        0.53125

    """
    full = highest_gain(lists, "ERR", gain, max_grade) + (best == "doubtful")
    top = lists.top(cutoff)
    satisfied = np.maximum(gain_of(top.relevance, gain), 0.0) / full
    some = lists.ideal.sum(gain_of(lists.ideal.relevance, gain) > 0)
    return ratio(reciprocal_rank_of_stop(top, satisfied), 1.0, some)


def reciprocal_rank_of_stop(lists: JudgedLists, satisfied: Values) -> Values:
    """Σ (1/i) · S_i · Π_{j<i} (1 − S_j) over the items of each list; one a query."""
    goes_on = lists.before(lists.running_product(1.0 - satisfied), start=1.0)
    return lists.sum(goes_on * satisfied / lists.rank)
