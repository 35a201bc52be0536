"""BPM."""

from __future__ import annotations

from typing import Annotated

from rankmark import _numpy as np
from rankmark.kinds.browsing import MaxGrade, ReaderGain, ReaderValue, expectation, reader_gains
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.kinds.ranges import Above
from rankmark.language.registry import list_measure


@list_measure("BPM", bounds=(0, None), usual_bounds=(0, 1), usual_with=("value",), expected=False)
def bejeweled_player_model(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    T: Annotated[float, Above(0)] = 1,
    rel: float = 1,
    gain: ReaderGain = "binary",
    max_grade: MaxGrade = 1,
    value: ReaderValue = "EU",
) -> Values:
    """Bejeweled player model: the gain an item of a reader who stops with T gained, or after k items.

        BPM@k = (1/N) Σ_{i≤N} g_i
        N = min(k, min{n : Σ_{i≤n} g_i ≥ T})
        g_i = [rel_i ≥ rel], or gain(rel_i) / gain(max_grade)

    ``rel_i`` is the grade of the item at rank i. A list shorter than k is filled up with items that gain
    nothing; without a cutoff k is the length of the list. This is the static model, in which neither T
    nor k changes on the way.

    Args:
        T: how much gain is enough.
        rel: the least grade that counts as relevant; an unjudged item never does. Only where the gain
            is binary.
        gain: ``binary`` counts relevant items; ``linear`` is the grade as a share of the highest,
            ``exp2`` (2^grade − 1) / (2^max_grade − 1); a mapping gives each grade its gain, and its
            greatest is that of the highest grade; from Python any function of a grade.
        max_grade: the highest grade of the scale.
        value: ``EU`` is the utility an item looked at, as above; ``ETU`` the total utility; ``ED`` the
            number of items looked at, N: EU = ETU / ED.

    Range: 0 to 1; with ``value=ETU`` or ``value=ED`` it can exceed 1.
    No relevant item: decided by `no_relevant`; ``ED`` does not depend on it.
    Equal scores: no closed form of the mean over all orders.
    A grade above `max_grade` is a DataError.

    Source: [zhang2017].

    Example:
        Hits at ranks 1, 3 and 4: two of them are enough, so the reader stops at rank 3.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 1, "d": 1}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b", "c", "d"]}, "BPM(T=2)@10")["BPM(T=2)@10"], 6)
        0.666667

    """
    gains, some = reader_gains(lists, "BPM", rel=rel, gain=gain, max_grade=max_grade)
    gains = gains * lists.within(cutoff)
    running = lists.running_sum(gains)
    wanting = lists.before(running, start=0.0) < T
    stops = wanting & (running >= T)
    depth = np.where(
        lists.sum(stops) > 0, lists.sum(lists.rank * stops), lists.retrieved if cutoff is None else cutoff
    )
    return expectation(lists.sum(gains * wanting), depth, value, some)
