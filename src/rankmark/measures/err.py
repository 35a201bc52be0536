"""ERR."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from rankmark.errors import DataError
from rankmark.lists import JudgedLists, Values, ratio
from rankmark.measure import list_measure
from rankmark.parameters import Above


@list_measure("ERR", bounds=(0, 1), cite="chapelle2009", expected=False)
def expected_reciprocal_rank(
    lists: JudgedLists, *, cutoff: int | None = None, max_grade: Annotated[float, Above(0)] = 4
) -> Values:
    """Expected reciprocal rank: one over the rank at which a reader stops who is satisfied by good items.

        ERR@k = Σ_{i≤k} (1/i) · S_i · Π_{j<i} (1 − S_j)
        S_i = (2^rel_i − 1) / 2^max_grade

    ``rel_i`` is the grade of the item at rank i, S_i the chance that it satisfies the reader, who then
    stops. Items that are not judged, or judged below 0, satisfy nobody.

    Args:
        max_grade: the highest grade of the scale, the same for all queries. The default 4 is that of
            the TREC Web track and its tool gdeval; state yours, since the value depends on it.

    Range: 0 to 1.
    No relevant item (no grade above 0): decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.
    A grade above `max_grade` is a DataError.

    Source: O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan, "Expected reciprocal rank for graded
    relevance", CIKM 2009.

    Example:
        Grades 1 and 2 of at most 2 at ranks 1 and 2: 1/4 + (1/2) · (3/4) · (1 − 1/4) = 0.53125.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 2}}
        >>> rm.evaluate(qrels, {"q": ["a", "b"]}, "ERR(max_grade=2)")["ERR(max_grade=2)"]
        0.53125

    """
    highest = lists.ideal.relevance.max(initial=0)
    if highest > max_grade:
        raise DataError(
            f"ERR: grade {highest:g} is above max_grade={max_grade:g}; write ERR(max_grade={highest:g}), "
            "or whatever is the highest grade of your scale"
        )
    top = lists.top(cutoff)
    satisfied = (np.exp2(np.maximum(top.relevance, 0.0)) - 1.0) / np.exp2(max_grade)
    goes_on = top.before(top.running_product(1.0 - satisfied), start=1.0)
    value = top.sum(goes_on * satisfied / top.rank)
    return ratio(value, 1.0, lists.ideal.sum(lists.ideal.relevance > 0))
