"""INST."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.browsing import (
    Depth,
    MaxGrade,
    ReaderGain,
    ReaderValue,
    Wanted,
    expectation,
    inverse_squares,
    last_rank,
    reader_gains,
)
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.language.registry import list_measure


@list_measure("INST", bounds=(0, None), usual_bounds=(0, 1), usual_with=("value",), expected=False)
def inst(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    T: Wanted = 1,
    rel: float = 1,
    gain: ReaderGain = "binary",
    max_grade: MaxGrade = 1,
    depth: Depth = 1000,
    value: ReaderValue = "EU",
) -> Values:
    """INST: INSQ for a reader whose wish for more shrinks with what has been found.

        INST = Σ_i g_i · V(i) / Σ_{i≤depth} V(i)
        V(i) = Π_{j<i} C(j)
        C(i) = ((i + T + T_i − 1) / (i + T + T_i))²,  T_i = T − Σ_{j≤i} g_j
        g_i = [rel_i ≥ rel], or gain(rel_i) / gain(max_grade)

    ``rel_i`` is the grade of the item at rank i, C(i) the chance to go on from rank i, V(i) that to get
    there, T_i what is still wanted after rank i. Of items after rank k only the looking counts: INST@k
    takes them as gaining nothing.

    Args:
        T: how many relevant items the reader expects to need; above 0.5, since C(i) need not be a
            chance otherwise.
        rel: the least grade that counts as relevant; an unjudged item never does. Only where the gain
            is binary.
        gain: ``binary`` counts relevant items; ``linear`` is the grade as a share of the highest,
            ``exp2`` (2^grade − 1) / (2^max_grade − 1); a mapping gives each grade its gain, and its
            greatest is that of the highest grade; from Python any function of a grade.
        max_grade: the highest grade of the scale.
        depth: the last rank that the reader can get to, be the list long or short: 1000 in the tool of
            the measure's authors, cwl_eval; ``endless`` is their papers' sum over all ranks.
        value: ``EU`` is the utility expected an item looked at, as above; ``ETU`` the expected total
            utility, ``ED`` the expected number of items looked at: EU = ETU / ED.

    Range: 0 to 1; with ``value=ETU`` or ``value=ED`` it can exceed 1.
    No relevant item: decided by `no_relevant`; ``ED`` does not depend on it.
    Equal scores: no closed form of the mean over all orders.
    A grade above `max_grade` is a DataError.

    Source: [bailey2015].

    Example:
        The first item is relevant and T = 1, so nothing more is wanted: T_i = 0, C(i) = (i / (i + 1))²
        and V(i) = 1/i², which add up to π²/6.

        >>> import rankmark as rm
        >>> measure = "INST(depth=endless)"
        >>> round(rm.evaluate({"q": {"a": 1}}, {"q": ["a", "b", "c"]}, measure)[measure], 6)
        0.607927

    """
    gains, some = reader_gains(lists, "INST", rel=rel, gain=gain, max_grade=max_grade)
    end = last_rank(depth)
    gains = gains * (lists.rank <= end) * lists.within(cutoff)
    running = lists.running_sum(gains)

    # Between two judged items T_i stays what it was, and the product of all C(i) there is one quotient.
    offset = 2 * T - (running - gains)  # i + T + T_i is i + offset from the item before up to this one
    rank = lists.rank.astype(np.float64)
    previous = lists.before(rank, start=0.0)
    start = np.maximum(previous, 1.0) - 1 + offset
    reached = lists.running_product((start / (rank - 1 + offset)) ** 2)
    left_from = lists.before(reached, start=1.0)
    looks = lists.sum(_looks(left_from, start, offset, previous, rank, end))

    last = lists.last(rank, 0.0)
    offset = 2 * T - lists.sum(gains)
    start = np.maximum(last, 1.0) - 1 + offset
    looks += _looks(lists.last(reached, 1.0), start, offset, last, np.inf, end)
    return expectation(lists.sum(gains * reached), looks, value, some)


def _looks(
    chance: Values, start: Values, offset: Values, first: Values, last: Values | float, end: float
) -> Values:
    """Σ V(i) over first < i ≤ last, where V(i) = chance · (start / (i − 1 + offset))²."""
    from_first, from_last = (inverse_squares(np.minimum(rank, end) + offset) for rank in (first, last))
    return chance * start**2 * (from_first - from_last)
