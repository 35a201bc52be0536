"""How systems are compared: by which test, with which correction and intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankmark.errors import ChoiceError
from rankmark.statistics.corrections import CORRECTIONS, CorrectionName
from rankmark.statistics.drawing import draws_needed
from rankmark.statistics.intervals import INTERVALS, IntervalName
from rankmark.statistics.record import Statistic, alternatives, check_choice
from rankmark.statistics.resampling import check_drawn, check_share
from rankmark.statistics.significance import ALTERNATIVES, TESTS, Alternative, TestName
from rankmark.statistics.tukey import SIMULTANEOUS, SimultaneousTest

if TYPE_CHECKING:
    from typing import Literal

__all__ = ["CORRECTIONS_OF_SYSTEMS", "ComparisonPlan"]

CORRECTIONS_OF_SYSTEMS: Mapping[str, Statistic] = {**CORRECTIONS, **SIMULTANEOUS}
"""What corrects the p-values of pairs of systems."""


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """How systems are compared; see `compare`."""

    test: TestName = "randomisation"
    alternative: Alternative = "two-sided"
    correction: CorrectionName | Literal["tukey"] = "holm"
    alpha: float = 0.05
    interval: IntervalName = "bca"
    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0
    threads: int | None = None
    test_options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_choice("test", self.test, TESTS)
        TESTS[self.test].check(self.test_options)
        check_choice("alternative", self.alternative, ALTERNATIVES)
        check_choice("correction", self.correction, CORRECTIONS_OF_SYSTEMS)
        check_choice("interval", self.interval, INTERVALS)
        check_share(alpha=self.alpha, confidence=self.confidence)
        check_drawn(self.resamples, self.seed, self.threads)
        at_once = self.simultaneous
        if at_once and (self.test, self.alternative) != (at_once.test, "two-sided"):
            raise ChoiceError(
                f'correction="{at_once.name}" goes with test="{at_once.test}" and alternative="two-sided"'
            )

    def check(self, *, clustered: bool, several_seeds: bool) -> None:
        """Refuses what knows no clusters of queries, or systems with several seeds, where there are such."""
        if several_seeds and not INTERVALS[self.interval].draws:
            others = alternatives(each for each in INTERVALS.values() if each.draws)
            raise ChoiceError(f'interval="{self.interval}" does not draw seeds; choose {others}')
        if clustered and not TESTS[self.test].knows_clusters:
            others = alternatives(each for each in TESTS.values() if each.knows_clusters)
            raise ChoiceError(f'test="{self.test}" knows no clusters; choose {others}')
        if clustered and self.simultaneous and not self.simultaneous.knows_clusters:
            others = alternatives([next(iter(CORRECTIONS.values()))])
            raise ChoiceError(f'correction="{self.correction}" knows no clusters; choose {others}')

    @property
    def simultaneous(self) -> SimultaneousTest | None:
        """The test of all systems at once that takes the place of a correction, if there is one."""
        return SIMULTANEOUS.get(self.correction)

    def most_draws(self, tests: int) -> int:
        """Up to how many draws a test may have, of so many that are corrected together."""
        own = self.correction == "none" or self.simultaneous is not None
        return draws_needed(1 if own else tests, self.alpha, self.resamples)

    @property
    def draws(self) -> dict[str, Any]:
        """What resampling is told."""
        return {"resamples": self.resamples, "seed": self.seed, "threads": self.threads}
