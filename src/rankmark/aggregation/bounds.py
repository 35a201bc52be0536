"""What equal scores can make of a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankmark.aggregation.settled import Settled
from rankmark.language.choices import Ties
from rankmark.language.measure import Measure
from rankmark.rendering.records import Record

__all__ = ["Bounds", "bounds_of"]


@dataclass(frozen=True, slots=True, repr=False)
class Bounds(Record):
    """A measure's value under other orders of equal scores than the one asked for.

    Under ``ties="worst"`` and ``"best"`` the lower or the higher grade comes first. No order has a value
    outside of theirs, but for measures to which a higher grade further up is not always better: those of
    what is judged (Judged, Unjudged, RBPResidual, infAP, NumNonrelRet, FallOut of judged items,
    ``bound=upper``), P-measure, P-plus, G, NCU(stop=graded), BPM of graded gains, the expected depth of
    readers, and whatever has gains that do not rise with the grade.

    Attributes:
        worst: the value under ``ties="worst"``.
        expected: the mean over all orders, ``ties="expected"``; None where there is no closed form of it.
        best: the value under ``ties="best"``.
        tied: queries whose value under the worst, the best and the order asked for is not the same (but for
            rounding).

    """

    worst: float
    expected: float | None
    best: float
    tied: int


def bounds_of(orders: Mapping[Ties, Mapping[Measure, Settled]], asked: Ties) -> dict[Measure, Bounds]:
    """What equal scores can make of each measure, of its values under several orders of them."""
    expected, worst, best = (orders.get(ties, {}) for ties in ("expected", "worst", "best"))
    return {
        measure: Bounds(
            worst[measure].value,
            expected[measure].value if measure in expected else None,
            best[measure].value,
            _changed(worst[measure], best[measure], worst[measure] if asked == "expected" else own),
        )
        for measure, own in orders[asked].items()
    }


def _changed(*orders: Settled) -> int:
    """Queries whose values in these orders are not all the same, but for the rounding of their sums."""
    first, *others = (order.per_query for order in orders if order.per_query is not None)
    same = (np.isclose(first, other, rtol=1e-12, atol=0, equal_nan=True) for other in others)
    return int(np.count_nonzero(~np.logical_and.reduce(list(same))))
