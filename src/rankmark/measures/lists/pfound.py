"""PFound."""

from __future__ import annotations

from typing import Annotated

from rankmark import _numpy as np
from rankmark.kinds.browsing import MaxGrade, highest_gain
from rankmark.kinds.gains import Gain, gain_of
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.kinds.ranges import Within
from rankmark.language.registry import list_measure


@list_measure("PFound", aliases=("pfound",), bounds=(0, 1), expected=False, extremes="ends")
def pfound(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    decay: Annotated[float, Within(0, 1)] = 0.85,
    gain: Gain = "linear",
    max_grade: MaxGrade = 4,
) -> Values:
    """pFound: the chance that a reader finds what satisfies, who at each rank may also give up.

        PFound@k = Σ_{i≤k} decay^(i−1) · S_i · Π_{j<i} (1 − S_j)
        S_i = gain(rel_i) / gain(max_grade)

    ``rel_i`` is the grade of the item at rank i, S_i the chance that it satisfies the reader, who then
    stops; who is not satisfied goes on with the chance `decay`. Items that are not judged, or judged below
    0, satisfy nobody. ERR has 1/i in the place of decay^(i−1).

    Args:
        decay: the chance to go on (Yandex and CatBoost: 0.85).
        gain: ``linear`` is the grade itself, ``exp2`` 2^grade − 1; a mapping gives each grade its gain, and
            its greatest is that of the highest grade; from Python any function of a grade.
        max_grade: the highest grade of the scale, which always satisfies, the same for all queries; 4 as in
            ERR, and 1 where grades are chances (CatBoost). State yours, since the value depends on it.

    Range: 0 to 1.
    No relevant item (none that gains anything): decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.
    A grade above `max_grade` is a DataError.

    Source: [gulin2009].

    Example:
        Grades 1 and 2 of at most 2 at ranks 1 and 2: 1/2 + 0.5 · 1 · (1 − 1/2) = 0.75.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 2}}
        >>> rm.evaluate(qrels, {"q": ["a", "b"]}, "PFound(decay=0.5,max_grade=2)").values
        {'PFound(decay=0.5,max_grade=2)': 0.75}

    """
    top = lists.top(cutoff)
    satisfied = np.maximum(gain_of(top.relevance, gain), 0.0) / highest_gain(lists, "PFound", gain, max_grade)
    goes_on = top.before(top.running_product(1.0 - satisfied), start=1.0)
    some = lists.ideal.sum(gain_of(lists.ideal.relevance, gain) > 0)
    return ratio(top.sum(goes_on * satisfied * np.power(decay, top.rank - 1.0)), 1.0, some)
