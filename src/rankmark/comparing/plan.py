"""How systems are compared: by which test, with which correction and intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankmark.errors import ChoiceError
from rankmark.statistics.corrections import CORRECTIONS, CorrectionName
from rankmark.statistics.intervals import INTERVALS, IntervalName
from rankmark.statistics.record import Statistic, alternatives, check_choice
from rankmark.statistics.resampling import check_drawn, check_share
from rankmark.statistics.significance import ALTERNATIVES, TESTS, Alternative, TestName
from rankmark.statistics.tukey import SIMULTANEOUS, SimultaneousTest

if TYPE_CHECKING:
    from typing import Literal

__all__ = ["CORRECTIONS_OF_SYSTEMS", "INTERVALS_OF_DIFFERENCES", "ComparisonPlan"]

CORRECTIONS_OF_SYSTEMS: Mapping[str, Statistic] = {**CORRECTIONS, **SIMULTANEOUS}
"""What corrects the p-values of pairs of systems."""
INTERVALS_OF_DIFFERENCES = [name for name, each in INTERVALS.items() if each.of_differences]
"""How intervals of pairs of systems can be made."""


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """How systems are compared; see `compare`."""

    test: TestName = "randomisation"
    alternative: Alternative = "two-sided"
    correction: CorrectionName | Literal["tukey"] = "holm"
    alpha: float = 0.05
    interval: IntervalName = "auto"
    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        check_choice("test", self.test, TESTS)
        check_choice("alternative", self.alternative, ALTERNATIVES)
        check_choice("correction", self.correction, CORRECTIONS_OF_SYSTEMS)
        check_choice("interval", self.interval, INTERVALS_OF_DIFFERENCES)
        check_share(alpha=self.alpha, confidence=self.confidence)
        check_drawn(self.resamples, self.seed, self.threads)
        at_once = self.simultaneous
        if at_once and (self.test, self.alternative) != (at_once.test, "two-sided"):
            raise ChoiceError(
                f'correction="{at_once.name}" goes with test="{at_once.test}" and alternative="two-sided"'
            )

    def of_data(self, *, clustered: bool, several_seeds: bool) -> ComparisonPlan:
        """It for such data: intervals that draw seeds where there are several.

        Raises:
            ChoiceError: what knows no clusters of queries, or no seeds, was asked for where there are such.

        """
        if several_seeds and self.interval == "auto":
            return replace(self, interval="bca").of_data(clustered=clustered, several_seeds=True)
        if several_seeds and not INTERVALS[self.interval].draws_means:
            others = alternatives(each for each in INTERVALS.values() if each.draws_means)
            raise ChoiceError(f'interval="{self.interval}" does not draw seeds; choose {others}')
        if clustered and not TESTS[self.test].knows_clusters:
            others = alternatives(each for each in TESTS.values() if each.knows_clusters)
            raise ChoiceError(f'test="{self.test}" knows no clusters; choose {others}')
        if clustered and self.simultaneous and not self.simultaneous.knows_clusters:
            others = alternatives([next(iter(CORRECTIONS.values()))])
            raise ChoiceError(f'correction="{self.correction}" knows no clusters; choose {others}')
        return self

    @property
    def simultaneous(self) -> SimultaneousTest | None:
        """The test of all systems at once that takes the place of a correction, if there is one."""
        return SIMULTANEOUS.get(self.correction)

    @property
    def draws(self) -> dict[str, Any]:
        """What resampling is told."""
        return {"resamples": self.resamples, "seed": self.seed, "threads": self.threads}
