"""How systems are compared: by which test, with which correction and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal

from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, UsageError, did_you_mean
from rankmark.rendering.words import brief
from rankmark.statistics.corrections import CORRECTIONS, CorrectionName
from rankmark.statistics.drawing import draws_needed
from rankmark.statistics.intervals import INTERVALS, IntervalName
from rankmark.statistics.record import Statistic, alternatives, check_choice
from rankmark.statistics.resampling import check_drawn, check_enough, check_share
from rankmark.statistics.significance import ALTERNATIVES, TESTS, Alternative, TestName
from rankmark.statistics.tukey import SIMULTANEOUS, SimultaneousTest

if TYPE_CHECKING:
    from typing import Self

__all__ = ["CORRECTIONS_OF_SYSTEMS", "INTERVALS_OF_DIFFERENCES", "OF_SEEDS", "USUAL_TEST", "ComparisonPlan"]

CORRECTIONS_OF_SYSTEMS: Mapping[str, Statistic] = {**CORRECTIONS, **SIMULTANEOUS}
"""What corrects the p-values of pairs of systems."""
INTERVALS_OF_DIFFERENCES = [name for name, each in INTERVALS.items() if each.of_differences]
"""How intervals of pairs of systems can be made."""

USUAL_TEST: TestName = "randomisation"
"""The test where none is chosen."""
OF_SEEDS: Literal["t"] = "t"
"""The test and the interval that go by seeds, too; see `statistics.crossed`."""
TWO_KINDS = "clusters of two kinds"
MEANT: Mapping[str, TestName] = {
    "permutation": "randomisation",
    "randomization": "randomisation",
    "exact": "randomisation",
    "fisher": "randomisation",
    "t-test": "t",
    "student": "t",
    "signed-rank": "wilcoxon",
    "mcnemar": "sign",
    "mid-p": "sign",
}
"""What tests are called elsewhere; McNemar's exact test of values of 0 and 1 is the sign test."""


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """How systems are compared; see `compare`.

    Attributes:
        seeded: whether a system has several seeds, by which test and interval then go, too.
        seedless: systems with one run that depend on no seed.

    """

    test: TestName = USUAL_TEST
    alternative: Alternative = "two-sided"
    correction: CorrectionName | Literal["tukey"] = "holm"
    alpha: float = 0.05
    interval: IntervalName = "auto"
    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0
    threads: int | None = None
    seeded: bool = False
    seedless: tuple[str, ...] = ()
    test_options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_choice("test", self.test, TESTS, meant=MEANT)
        if not isinstance(self.test_options, Mapping):
            raise ChoiceError(
                f"test_options={brief(self.test_options)} is no mapping; give each one its value, such as "
                '{"zeros": "pratt"}'
            )
        TESTS[self.test].check(self.test_options)
        check_choice("alternative", self.alternative, ALTERNATIVES)
        check_choice("correction", self.correction, CORRECTIONS_OF_SYSTEMS)
        check_choice("interval", self.interval, INTERVALS_OF_DIFFERENCES)
        check_share(alpha=self.alpha, confidence=self.confidence)
        check_drawn(self.resamples, self.seed, self.threads)
        INTERVALS[self.interval].check(self.resamples, self.confidence)
        at_once = self.simultaneous
        for drawn in (TESTS[self.test], at_once):
            # Random signs draw on.
            if drawn and "resamples" in drawn.takes and "most" not in drawn.takes:
                check_enough(self.resamples, self.alpha, f"p-values of the {drawn.title} at {self.alpha:g}")
        if at_once and (self.test, self.alternative) != (at_once.test, "two-sided"):
            raise ChoiceError(
                f'correction="{at_once.name}" goes with test="{at_once.test}" and alternative="two-sided"'
            )

    def settled(
        self, *, clusters: int, seeds: Mapping[str, int], seedless: Sequence[str], chosen: bool
    ) -> Self:
        """The plan for what is compared: t where there are several seeds, or clusters of two kinds.

        Args:
            clusters: of how many kinds there are.
            seeds: how many each system has.
            seedless: systems that depend on no seed.
            chosen: whether the test was, by name.

        Raises:
            UsageError: one of these is no system, or has several seeds.
            ChoiceError: what was chosen knows no clusters or no seeds.

        """
        for name in seedless:
            if seeds.get(name) != 1:
                hint = did_you_mean(str(name), seeds)
                there = f"has {seeds[name]} runs" if name in seeds else f"is not one of the systems{hint}"
                raise UsageError(f"seedless={name!r} {there}")
        seeded = max(seeds.values()) > 1
        if seeded and clusters > 1:
            raise ChoiceError("several seeds go with clusters of one kind; give one of the two")
        of = "seeds" if seeded else TWO_KINDS if clusters > 1 else None
        plan = self if of is None else self._by_t(of, chosen)
        plan._check_clusters(clusters > 0)
        return replace(plan, seeded=True, seedless=tuple(seedless)) if seeded else plan

    def _by_t(self, of: str, named: bool) -> Self:
        """The plan with test and interval by t; refuses others unless they are the defaults.

        A default test that was chosen by name is refused, too.
        """
        usual = ComparisonPlan()
        for name, chosen, instead, known in (
            ("test", self.test, OF_SEEDS, (OF_SEEDS,) if named else (usual.test, OF_SEEDS)),
            ("interval", self.interval, OF_SEEDS, (usual.interval, OF_SEEDS)),
            ("correction", self.correction, usual.correction, CORRECTIONS),
        ):
            if chosen not in known:
                raise ChoiceError(f'{name}="{chosen}" knows nothing of {of}; choose "{instead}"')
        return replace(self, test=OF_SEEDS, interval=OF_SEEDS)

    def _check_clusters(self, clustered: bool) -> None:
        if clustered and not TESTS[self.test].knows_clusters:
            others = alternatives(each for each in TESTS.values() if each.knows_clusters)
            raise ChoiceError(f'test="{self.test}" knows no clusters; choose {others}')
        if clustered and not INTERVALS[self.interval].knows_clusters:
            raise ChoiceError(f'interval="{self.interval}" knows no clusters; choose "auto"')
        if clustered and self.simultaneous and not self.simultaneous.knows_clusters:
            others = alternatives([next(iter(CORRECTIONS.values()))])
            raise ChoiceError(f'correction="{self.correction}" knows no clusters; choose {others}')

    @property
    def test_title(self) -> str:
        """What the test is called in sentences."""
        title = TESTS[self.test].title
        return f"{title} of crossed queries and seeds" if self.seeded else title

    @property
    def tie(self) -> float:
        """Up to which magnitude a difference of a query is a tie: what the sign test is told, else 0."""
        return float(self.test_options.get("tie", 0.0))

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
