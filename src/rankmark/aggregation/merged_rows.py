"""Rows of which only what they come to is here, as measures see them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from rankmark import _native
from rankmark.dataclassing import dataclass
from rankmark.kinds.row_core import BINARY, Core, InMemory, NotMergedError, Sum, SumsAlone
from rankmark.kinds.rows import Rows, Undefined
from rankmark.statistics.exact_sums import total

if TYPE_CHECKING:
    from rankmark.aggregation.row_tally import Range
    from rankmark.kinds.rows import Values
    from rankmark.language.measure import Measure

__all__ = ["Asked", "MergedRanges", "asked_of", "merged_rows", "sums_asked", "two_rows"]


def merged_rows(
    count: int, sums: Callable[[Sum], tuple[float, ...]], ranges: Callable[[], list[Range]]
) -> Rows:
    """So many rows as measures see them, by what they come to; `ranges` gives `RowTally.ranges` if needed.

    A measure that asks for anything else meets `NotMergedError`.
    """
    return Rows(SumsAlone(sums, lambda: MergedRanges(ranges())), count, None)


class MergedRanges:
    """Ranges of scores, in the place of all rows by falling score; of them alone `pairs` is known."""

    def __init__(self, ranges: list[Range]) -> None:
        _, self._positive, self._negative, self._pairs = zip(*sorted(ranges, reverse=True), strict=True)

    def totals(self) -> tuple[float, float]:
        """Weight of the positive rows, and of the others."""
        return total(self._positive), total(self._negative)

    def pairs(self) -> float:
        """Those within each range, and those of a positive row and another in a lower range."""
        above = np.cumsum(self._positive) - self._positive
        return total([*self._pairs, *(above * self._negative).tolist()])

    def shape(self) -> NoReturn:
        """Not known; nor are the others."""
        raise NotMergedError

    def beyond(self, _: Values) -> NoReturn:
        """As `RankedCore`."""
        raise NotMergedError

    def bins(self, _: Values) -> NoReturn:
        """As `RankedCore`."""
        raise NotMergedError

    def log_odds(self, _: float) -> NoReturn:
        """As `RankedCore`."""
        raise NotMergedError

    def curve(self) -> NoReturn:
        """As `RankedCore`."""
        raise NotMergedError


@dataclass(frozen=True, slots=True)
class Asked:
    """What measures look at, as far as that does not depend on the rows.

    Attributes:
        sums: the sums, always with `binary_sums` among them.
        later: sums whose arguments are means of the rows, so that they are known after these only.
        ranges: whether pairs of rows are looked at.

    """

    sums: tuple[Sum, ...]
    later: bool
    ranges: bool


def asked_of(measure: Measure) -> Asked:
    """What a measure that is no value of each query looks at: tried out on two rows.

    Raises:
        NotMergedError: at more than sums and pairs, or at the precision of the scores' type.

    """
    if measure.arguments.get("clip") == "precision":
        raise NotMergedError
    core = two_rows()
    sums = {BINARY: None}
    looked_at_pairs = False

    def computed(asked: Sum) -> tuple[float, ...]:
        sums[asked] = None
        return core.sums(asked)

    def ranges() -> list[Range]:
        nonlocal looked_at_pairs
        looked_at_pairs = True
        return [(0.5, 1.0, 1.0, 1.0)]

    with suppress(Undefined):
        measure.compute_rows(merged_rows(2, computed, ranges))
    known = tuple(each for each in sums if each[0] != "moments")
    return Asked(known, len(known) < len(sums), looked_at_pairs)


def sums_asked(measures: Iterable[Measure]) -> tuple[Sum, ...] | None:
    """The sums that are all that measures look at; None if any of them looks at more."""
    sums: dict[Sum, None] = {}
    for measure in measures:
        if measure.page.kind != "row" or measure.per_query:
            return None
        try:
            asked = asked_of(measure)
        except NotMergedError:
            return None
        if asked.later or asked.ranges:
            return None
        sums |= dict.fromkeys(asked.sums)
    return tuple(sums)


def two_rows() -> Core:
    """Two rows, on which to try what a measure looks at."""
    import polars as pl

    table = _native.Table.from_arrow(pl.DataFrame({"label": [1.0, 0.0], "score": [0.75, 0.5]}))
    rows = _native.LabelledRows(table, "predictions", "label", "score", None, positive=1.0, threads=1)
    return InMemory(rows)
