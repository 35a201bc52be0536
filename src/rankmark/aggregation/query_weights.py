"""How much each query counts in a mean over queries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from rankmark.aggregation.terms import Terms
from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError
from rankmark.rendering.words import counted, printable
from rankmark.statistics.summaries import SUMMARIES

if TYPE_CHECKING:
    from rankmark.language.measure import Measure
    from rankmark.statistics.resampling import Floats

__all__ = ["QueryWeights", "check_weighable"]

NO_MEANS = {"ratio": "a ratio of sums over queries", "sum": "a sum over queries"}


@dataclass(frozen=True, slots=True)
class QueryWeights:
    """The weight of each judged query: a mean is Σ w·v / Σ w.

    Attributes:
        name: the column, or how else they are called.
        values: [queries], 0 or more, of which some are greater than 0.

    """

    name: str
    values: Floats

    def terms(self, measure: Measure, values: Floats) -> Terms:
        """What queries of these values add to the mean; one of weight 0 is left out."""
        there = self.values > 0
        kept = np.where(there, values, np.nan)
        # Weights that are all the same change nothing, to the last bit.
        alike = len(np.unique(self.values[there])) == 1
        return Terms.of(measure, kept, None if alike else (self.values * kept, self.values))

    @property
    def effective(self) -> float:
        """How many queries of the same weight say as much: (Σ w)² / Σ w².

        Source:
            L. Kish, "Survey Sampling", 1965.

        """
        shares = self.values / self.values.max()
        return float(shares.sum() ** 2 / (shares**2).sum())

    def line(self) -> str:
        """What a reader should know of them."""
        none = int(np.count_nonzero(self.values == 0))
        without = f", {counted(none, 'query', 'queries')} of weight 0 left out" if none else ""
        return f"weighed by {printable(self.name)!r}, as many as {self.effective:,.1f} alike{without}"


def check_weighable(measures: Iterable[Measure]) -> None:
    """Refuses measures that are no means over queries.

    Raises:
        MeasureError: there is one.

    """
    for measure in measures:
        if measure.page.aggregate == "run":
            raise MeasureError(
                f"{measure} is of the whole run, in which a list is there or not: no item is half covered, "
                "and no two lists half a pair; weights are of means (Σ w·v / Σ w): ask for it without them, "
                "or in slices (by)"
            )
        what = NO_MEANS.get(measure.page.aggregate)
        if measure.mean == "geometric":
            what = "a geometric mean over queries"
        elif measure.mean in SUMMARIES:
            what = "no mean over queries"
        if what:
            raise MeasureError(
                f"{measure} is {what}, in which none can weigh more than others: weights are of means "
                "(Σ w·v / Σ w); ask for it without them"
            )
