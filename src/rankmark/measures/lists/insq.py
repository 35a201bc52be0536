"""INSQ."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from numpy.typing import NDArray


@list_measure("INSQ", bounds=(0, None), usual_bounds=(0, 1), usual_with=("value",), extremes="ends")
def inverse_squares_measure(
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
    """INSQ: what a reader gains an item, who wants T relevant items and grows patient as the list goes on.

        INSQ = Σ_i g_i · V(i) / Σ_{i≤depth} V(i)
        V(i) = (2T / (i + 2T − 1))², since C(i) = ((i + 2T − 1) / (i + 2T))²
        g_i = [rel_i ≥ rel], or gain(rel_i) / gain(max_grade)

    ``rel_i`` is the grade of the item at rank i, C(i) the chance to go on from rank i, V(i) that to get
    there. Of items after rank k only the looking counts: INSQ@k takes them as gaining nothing.

    Args:
        T: how many relevant items the reader expects to need.
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
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.
    A grade above `max_grade` is a DataError.

    Source: [moffat2012].

    Example:
        With T = 1 the ranks weigh 1, 4/9, 1/4 …; all of them add up to 2.579736, and the only hit stands
        at rank 2.

        >>> import rankmark as rm
        >>> measure = "INSQ(depth=endless)"
        >>> round(rm.evaluate({"q": {"b": 1}}, {"q": ["a", "b", "c"]}, measure)[measure], 6)
        0.172283

    """
    gains, some = reader_gains(lists, "INSQ", rel=rel, gain=gain, max_grade=max_grade)
    end = last_rank(depth)
    counted = end if cutoff is None else min(end, cutoff)

    def looked_at(rank: NDArray[np.int64]) -> Values:
        chance: Values = np.square(2 * T / (rank + 2 * T - 1.0))
        return chance * (rank <= counted)

    total = lists.sum(gains * lists.at_rank(looked_at))
    looks = (2 * T) ** 2 * float(inverse_squares(2 * T) - inverse_squares(2 * T + end))
    return expectation(total, np.full(len(total), looks), value, some)
