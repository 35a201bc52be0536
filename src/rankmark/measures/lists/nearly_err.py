"""NearlyERR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from rankmark import _numpy as np
from rankmark.errors import MeasureError
from rankmark.kinds.browsing import (
    Depth,
    MaxGrade,
    ReaderGain,
    ReaderValue,
    Wanted,
    expectation,
    harmonic,
    inverse_squares,
    last_rank,
    reader_gains,
)
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.kinds.ranges import Between
from rankmark.language.registry import list_measure

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@list_measure(
    "NearlyERR",
    variants={
        "NERR8": {"patience": "constant"},
        "NERR9": {"patience": "reciprocal"},
        "NERR10": {"patience": "geometric"},
        "NERR11": {"patience": "squares"},
    },
    bounds=(0, None),
    expected=False,
)
def nearly_expected_reciprocal_rank(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    patience: Literal["constant", "reciprocal", "geometric", "squares"] = "constant",
    p: Annotated[float, Between(0, 1)] = 0.9,
    T: Wanted = 1,
    rel: float = 1,
    gain: ReaderGain = "binary",
    max_grade: MaxGrade = 1,
    depth: Depth = 1000,
    value: ReaderValue = "EU",
) -> Values:
    """Not (but nearly) ERR: what a reader gains an item, who stops when satisfied or when patience ends.

        NearlyERR@k = Σ_{i≤k} g_i · V(i) / Σ_{i≤k} V(i)
        V(i) = d(i) Π_{j<i} (1 − g_j)
        g_i = [rel_i ≥ rel], or gain(rel_i) / gain(max_grade)

    ``rel_i`` is the grade of the item at rank i, g_i the chance that it satisfies, V(i) that rank i is
    looked at, d(i) how patience fades. ERR itself has no place in the C/W/L framework; these four come
    near. A list shorter than k is filled up with items that gain nothing.

    Args:
        patience: d(i). ``constant`` is 1 (NERR8 of cwl_eval and ir_measures, after the number of the
            equation), ``reciprocal`` 1/i (NERR9), ``geometric`` p^(i−1) as in RBP (NERR10), ``squares``
            (2T / (i + 2T − 1))² as in INSQ (NERR11).
        p: of ``patience=geometric``, the reader's patience.
        T: of ``patience=squares``, how many relevant items the reader expects to need.
        rel: the least grade that counts as relevant; an unjudged item never does. Only where the gain
            is binary.
        gain: ``binary`` counts relevant items; ``linear`` is the grade as a share of the highest,
            ``exp2`` (2^grade − 1) / (2^max_grade − 1); a mapping gives each grade its gain, and its
            greatest is that of the highest grade; from Python any function of a grade.
        max_grade: the highest grade of the scale.
        depth: the last rank that the reader can get to, k where no cutoff is given: 1000 in cwl_eval;
            ``endless`` only with ``geometric`` and ``squares``, else the value would be 0.
        value: ``EU`` is the utility expected an item looked at, as above; ``ETU`` the expected total
            utility, ``ED`` the expected number of items looked at: EU = ETU / ED.

    Range: 0 to 1; with ``value=ETU`` or ``value=ED`` it can exceed 1.
    No relevant item: decided by `no_relevant`; ``ED`` does not depend on it.
    Equal scores: no closed form of the mean over all orders.
    A grade above `max_grade` is a DataError.

    Source: [azzopardi2021].

    Example:
        The only hit stands at rank 3: 1/3 of the items looked at; under 1/i, (1/3) / (1 + 1/2 + 1/3).

        >>> import rankmark as rm
        >>> result = rm.evaluate({"q": {"c": 1}}, {"q": ["a", "b", "c"]}, ["NERR8@10", "NERR9@10"])
        >>> [round(value, 6) for value in result.values.values()]
        [0.333333, 0.181818]

    """
    gains, some = reader_gains(lists, "NearlyERR", rel=rel, gain=gain, max_grade=max_grade)
    end = last_rank(depth) if cutoff is None else min(last_rank(depth), cutoff)
    if end == np.inf and patience in ("constant", "reciprocal"):
        raise MeasureError(f"NearlyERR(patience={patience}) needs a cutoff or a depth that is a number")

    def discounts_to(rank: ArrayLike) -> Values:
        rank = np.minimum(rank, end)
        if patience == "constant":
            return rank
        if patience == "reciprocal":
            return harmonic(rank)
        if patience == "geometric":
            return (1 - np.power(p, rank)) / (1 - p)
        return (2 * T) ** 2 * (inverse_squares(2 * T) - inverse_squares(2 * T + rank))

    rank = lists.rank.astype(np.float64)
    unsatisfied = lists.running_product(1.0 - gains)
    chance = lists.before(unsatisfied, start=1.0)
    total = lists.sum(gains * chance * _discount(rank, patience, p, T) * (rank <= end))
    looks = lists.sum(chance * (discounts_to(rank) - discounts_to(lists.before(rank, start=0.0))))
    looks += lists.last(unsatisfied, 1.0) * (discounts_to(np.inf) - discounts_to(lists.last(rank, 0.0)))
    return expectation(total, looks, value, some)


def _discount(rank: Values, patience: str, p: float, T: float) -> Values:
    if patience == "constant":
        return np.ones(len(rank))
    if patience == "reciprocal":
        return 1.0 / rank
    if patience == "geometric":
        return np.power(p, rank - 1)
    return (2 * T / (rank + 2 * T - 1)) ** 2
