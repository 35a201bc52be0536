"""What a p-value is, and what stands behind it."""

from __future__ import annotations

import math
import sys
from typing import Literal

from rankmark.dataclassing import dataclass
from rankmark.rendering.records import Record

__all__ = ["LEAST_P", "Evidence", "PValue", "Way", "never_zero"]

LEAST_P = sys.float_info.min
"""The smallest number of full precision, which stands for all p-values below it."""

Way = Literal["exact", "drawn", "bound", "t", "normal"]


def never_zero(p: float) -> float:
    """A p-value that no rounding has made 0, for no test excludes chance; NaN stays NaN."""
    return p if p > LEAST_P or p != p else LEAST_P


@dataclass(frozen=True, slots=True, repr=False)
class Evidence(Record):
    """What stands behind a p-value.

    Attributes:
        way: ``exact`` by the distribution of the statistic; ``drawn`` (Monte Carlo); ``bound``, which the
            exact p-value is certain not to exceed; ``t`` or ``normal`` by that distribution.
        n: how many differences (or clusters of them) the test is of.
        statistic: t of the t test; the mean difference of tests that draw; W⁺, the sum of the ranks of
            differences above 0, of Wilcoxon's; how many are above 0 of the sign test.
        freedom: degrees of freedom; None for tests that have none.
        draws: how many were drawn; None where none were.
        zeros: differences of 0 that a test of ranks or signs met; None for others.
        tied: differences that share their magnitude with another, of a test of ranks; None for others.
        skewness: of the differences, or clusters of them, for tests of their mean (see
            `statistics.intervals.skewness`); None for others.

    """

    way: Way
    n: int
    statistic: float = math.nan
    freedom: float | None = None
    draws: int | None = None
    zeros: int | None = None
    tied: int | None = None
    skewness: float | None = None


class PValue(float):
    """A p-value, and as `evidence` what stands behind it.

    Attributes:
        evidence: which statistic, by which distribution.

    """

    __slots__ = ("evidence",)

    evidence: Evidence

    def __new__(cls, p: float, evidence: Evidence) -> PValue:
        """The p-value; never 0, see `never_zero`."""
        own = super().__new__(cls, never_zero(p))
        own.evidence = evidence
        return own

    def __reduce__(self) -> tuple[type[PValue], tuple[float, Evidence]]:
        """What makes it again, for copies."""
        return type(self), (float(self), self.evidence)
