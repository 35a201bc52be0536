"""OPA."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure

if TYPE_CHECKING:
    from numpy.typing import NDArray


@list_measure(
    "OPA",
    aliases=("ordered_pair_accuracy",),
    bounds=(0, 1),
    tells_unjudged=True,
    undefined="all grades the same",
)
def ordered_pair_accuracy(lists: JudgedLists) -> Values:
    """Ordered pair accuracy: the share of pairs of different grades in which the higher grade comes first.

        OPA = Σ_{d,e: rel_d > rel_e} ([d before e] + ½ [neither before]) / Σ_{d,e: rel_d > rel_e} 1

    d and e run over the judged items, ``rel_d`` is the grade of d. An item before another stands higher
    in the list, or is in it where the other is not; two that were both not retrieved are in no order.
    With two grades it is ListAUC.

    Range: 0 to 1; 1/2 is what chance gives.
    No relevant item: makes no difference; where all grades are the same there is no pair, which
    `no_relevant` decides.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form: a pair with equal
    scores counts half.

    Source: [pasumarthi2019].

    Example:
        Grades 1, 2, 0 in rank order: only 1 before 2 is wrong.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 2, "c": 0}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b", "c"]}, "OPA")["OPA"], 6)
        0.666667

    """
    in_order, pairs = ordered_pairs_of_grades(lists)
    return ratio(in_order, pairs, pairs)


def ordered_pairs_of_grades(lists: JudgedLists) -> tuple[Values, Values]:
    """Pairs of different grades that are in order, those of one place by half, and all; one a query."""
    ideal = lists.ideal
    lacking = np.ones(len(ideal.relevance), dtype=np.bool_)
    lacking[ideal.offsets[lists.query] + lists.ideal_rank() - 1] = False
    query = np.concatenate((lists.query, ideal.query[lacking]))
    # Tied items share a place, and so do those that were not retrieved.
    first = lists.rank if lists.ties is None else lists.ties[0]
    place = np.concatenate((first, lists.retrieved[ideal.query[lacking]] + 1))
    grades, grade = np.unique(
        np.concatenate((lists.relevance, ideal.relevance[lacking])), return_inverse=True
    )
    # In a place the lower grades come first, so that no pair of it is taken for one in order.
    order = np.lexsort((grade, place, query))
    query, place, grade = query[order], place[order], grade[order]
    tie = np.cumsum(np.diff(query, prepend=-1).astype(bool) | np.diff(place, prepend=-1).astype(bool))
    queries = len(lists.retrieved)
    in_order = _falling_pairs(query, grade, queries)
    tied = _alike(tie, query, queries) - _alike(tie * len(grades) + grade, query, queries)
    of_grade = ideal.query * len(grades) + np.searchsorted(grades, ideal.relevance)
    pairs = _alike(ideal.query, ideal.query, queries) - _alike(of_grade, ideal.query, queries)
    return in_order + tied / 2, pairs


def _alike(key: NDArray[np.int64], query: NDArray[np.intp], queries: int) -> Values:
    """Pairs of items with the same key, of which those that are the same stand together; one a query."""
    first = np.flatnonzero(np.diff(key, prepend=-1))
    count = np.diff(first, append=len(key))
    return np.bincount(query[first], count * (count - 1) / 2, minlength=queries).astype(np.float64)


def _falling_pairs(query: NDArray[np.intp], grade: NDArray[np.intp], queries: int) -> Values:
    """Pairs of items of which the first has the higher grade; one a query.

    Two grades, as binary numbers, first differ in one bit. Items that agree in all bits before it are
    brought together, in their order; there, a 1 stands before so many 0s.
    """
    falling = np.zeros(queries)
    bits = int(grade.max(initial=0)).bit_length()
    for bit in reversed(range(bits)):
        alike = (query << (bits - bit - 1)) + (grade >> (bit + 1))
        order = np.argsort(alike, kind="stable")
        query, grade, alike = query[order], grade[order], alike[order]
        ones = (grade >> bit) & 1
        before = np.cumsum(ones) - ones
        opens = np.diff(alike, prepend=-1) != 0
        before -= np.maximum.accumulate(np.where(opens, before, 0))
        falling += np.bincount(query, before * (1 - ones), minlength=queries)
    return falling
