"""What equal scores, or items that nobody judged, can make of a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rankmark import _native
from rankmark.aggregation.settled import Settled
from rankmark.dataclassing import dataclass
from rankmark.language.choices import Ties
from rankmark.language.measure import Measure
from rankmark.rendering.records import Record

__all__ = ["Bounds", "bounds_of", "bounds_of_unjudged"]


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
        of: ``ties``, or ``unjudged``: then `worst` and `best` are the lowest and the highest mean of queries'
            values, whatever the items are that are in lists and nobody judged, there is none expected, and
            `tied` are the queries whose value is open. Any of these items can have any grade from 0 to the
            highest of its query's judgements, to what counts as relevant where that is more, or to the grade
            that is said; items that are in no list and not judged are taken as not relevant.

    """

    worst: float
    expected: float | None
    best: float
    tied: int
    of: Literal["ties", "unjudged"] = "ties"

    @property
    def figures(self) -> dict[str, float | None]:
        """What is shown beside the value."""
        if self.of == "unjudged":
            return {"lowest": self.worst, "highest": self.best}
        return {"worst": self.worst, "expected": self.expected, "best": self.best}


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


def bounds_of_unjudged(
    lowest: Mapping[Measure, Settled], highest: Mapping[Measure, Settled]
) -> dict[Measure, Bounds]:
    """What items that nobody judged can make of each measure."""
    return {
        measure: Bounds(low.value, None, highest[measure].value, _changed(low, highest[measure]), "unjudged")
        for measure, low in lowest.items()
    }


def _changed(*orders: Settled) -> int:
    """Queries whose values in these orders are not all the same, but for the rounding of their sums."""
    first, *others = (order.per_query for order in orders if order.per_query is not None)
    return _native.count_unlike(first, others)
