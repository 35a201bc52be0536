"""Two systems that predicted the same rows, judged: the interval of the difference, and its p-value."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from rankmark.aggregation.intervals import (
    RESAMPLES,
    Drawn,
    IntervalMethod,
    Sample,
    Sampling,
    bootstrapped,
    is_auc,
    paired,
)
from rankmark.comparing.pairs import direction
from rankmark.comparing.posteriors import PairPosterior
from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError
from rankmark.statistics.bayes import Posterior, check_rope, posterior
from rankmark.statistics.chance import Evidence, PValue
from rankmark.statistics.corrections import CORRECTIONS, CorrectionName
from rankmark.statistics.drawing import draws_needed
from rankmark.statistics.intervals import Interval, bounds_of_difference, t_interval, tango_interval
from rankmark.statistics.mcnemar import MCNEMAR, mcnemar_of_counts
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Floats, check_enough, check_share
from rankmark.statistics.seeds import Crossed, VariancePart, crossed
from rankmark.statistics.significance import ALTERNATIVES, TESTS, Alternative, shift_p

if TYPE_CHECKING:
    from rankmark.api.evaluated import Evaluated
    from rankmark.language.measure import Measure
    from rankmark.statistics.chance import Way
    from rankmark.statistics.delong import AreaTest, AUCDifference

__all__ = [
    "PREDICTION_INTERVALS",
    "PREDICTION_TESTS",
    "PredictionPlan",
    "PredictionTest",
    "Verdict",
    "judged",
]

PredictionTest: TypeAlias = Literal["delong-t", "delong", "randomisation", "t", "bootstrap", "mcnemar"]
PREDICTION_TESTS: tuple[PredictionTest, ...] = get_args(PredictionTest)
PREDICTION_INTERVALS: tuple[IntervalMethod, ...] = ("delong-t", "delong", "delta", "bca", "percentile")
"""Intervals of differences that can be asked for."""
DELONG: tuple[AreaTest, ...] = ("delong-t", "delong")
OF_RIGHT = ("BinaryAccuracy", "BinaryErrorRate", "MulticlassAccuracy", "MulticlassErrorRate")
"""Measures that are shares of rows that are right, or wrong."""


@dataclass(frozen=True, slots=True)
class PredictionPlan:
    """How systems' predictions are compared; see `compare_predictions`.

    Attributes:
        sampling: how intervals are made, and what is drawn; its method is that of the differences' intervals.
        test: None for DeLong's of AUC, random signs where systems can be swapped, and else t.
        alternative: of the tests.
        correction: of the p-values.
        alpha: the level below which a corrected p-value is significant.
        rope: the region of practical equivalence; None without posteriors.

    """

    sampling: Sampling
    test: PredictionTest | None = None
    alternative: Alternative = "two-sided"
    correction: CorrectionName = "holm"
    alpha: float = 0.05
    rope: float | None = None

    def __post_init__(self) -> None:
        if self.test is not None:
            check_choice("test", self.test, PREDICTION_TESTS, meant=dict.fromkeys(MCNEMAR, "mcnemar"))
        check_choice("alternative", self.alternative, ALTERNATIVES)
        check_choice("correction", self.correction, CORRECTIONS)
        check_share(alpha=self.alpha)
        if self.rope is not None:
            check_rope(self.rope)
        if self.test == "bootstrap" and self.sampling.resamples is not None:
            title = TESTS[self.test].title
            check_enough(self.sampling.resamples, self.alpha, f"p-values of the {title} at {self.alpha:g}")

    def test_of(self, measure: Measure, system: Evaluated) -> PredictionTest:
        """The test of a measure of a system, and others on the same rows.

        Raises:
            MeasureError: DeLong's, of another than AUC; or McNemar's of what is no share of right rows.

        """
        unit, sample = system.unit_of(measure), system.samples.get(measure)
        if self.test == "mcnemar" and (measure.name not in OF_RIGHT or unit != "rows"):
            over = " over queries" if unit != "rows" else ""
            raise MeasureError(f'test="mcnemar" is of Accuracy over rows, not of {measure}{over}')
        if self.test in DELONG and not is_auc(measure):
            raise MeasureError(
                f'test="{self.test}" is of AUC, not of {measure}; leave it out for a test of each'
            )
        usual: PredictionTest = "randomisation" if sample is None or sample.swaps else "t"
        return self.test or ("delong-t" if is_auc(measure) else usual)

    def interval_of(self, measure: Measure) -> IntervalMethod:
        """How the intervals of a measure's differences are made.

        Raises:
            MeasureError: DeLong's, of another than AUC.

        """
        method = self.sampling.method
        if method in DELONG and not is_auc(measure):
            raise MeasureError(
                f'interval="{method}" is of AUC, not of {measure}; leave it out for an interval of each'
            )
        return method or ("delong-t" if is_auc(measure) else "delta")

    def draws(self, tests: int) -> dict[str, Any]:
        """What a test that draws is told, where so many are corrected together."""
        resamples = self.sampling.resamples or RESAMPLES
        most = draws_needed(1 if self.correction == "none" else tests, self.alpha, resamples)
        threads = self.sampling.threads or None
        return {"resamples": resamples, "most": most, "seed": self.sampling.seed, "threads": threads}

    @property
    def of_values(self) -> Sampling:
        """How the intervals of the systems' own values are made."""
        method = self.sampling.method
        return replace(self.sampling, method=None) if method in ("delta", *DELONG) else self.sampling


class Verdict(NamedTuple):
    """What a pair of systems was found to be; NaN where there is no value.

    Attributes:
        interval: of the difference.
        method: how it was made.
        p: the chance of such a difference between systems that are equally good, with what stands behind it.
        units: how many queries or rows are taken for independent.
        groups: in how many random groups the test takes them; None for each by itself.
        resamples: how many the interval or the test drew of the units; None if neither did.
        posterior: how likely the difference is in the region; None if there is none.

    """

    interval: Interval
    method: IntervalMethod
    p: PValue
    units: int
    groups: int | None = None
    resamples: int | None = None
    posterior: PairPosterior | None = None


NO_P = PValue(math.nan, Evidence("exact", 0))


def judged(
    measure: Measure,
    systems: tuple[Evaluated, Evaluated],
    test: PredictionTest,
    plan: PredictionPlan,
    tests: int = 1,
) -> Verdict:
    """One system against another on one measure; so many tests are corrected together."""
    found = [each.samples.get(measure) for each in systems]
    method = plan.interval_of(measure)
    unknown = None if plan.rope is None else PairPosterior(plan.rope, *(math.nan,) * 6)
    nothing = Verdict(Interval(math.nan, math.nan), method, NO_P, 0, posterior=unknown)
    if any(each is None for each in found):
        return nothing
    one, other = paired(*(each for each in found if each is not None))
    if one.units < 2:
        return nothing._replace(units=one.units)
    judge = _Judge(measure, systems, one, other, plan, tests)
    if plan.sampling.method is None and method == "delta" and judge.of_zero_one:
        method = "tango"
    return judge.verdict(test, method)


class _Judge:
    """The work on one pair."""

    def __init__(
        self,
        measure: Measure,
        systems: tuple[Evaluated, Evaluated],
        one: Sample,
        other: Sample,
        plan: PredictionPlan,
        tests: int,
    ) -> None:
        self.measure, self.systems, self.plan, self.tests = measure, systems, plan, tests
        self.one, self.other = one, other
        self.difference = systems[0].result[measure] - systems[1].result[measure]
        self.bounds = bounds_of_difference(measure.bounds, measure.bounds)
        self._apart: Floats | None = None

    def verdict(self, test: PredictionTest, method: IntervalMethod) -> Verdict:
        """By a test, with an interval made so."""
        units = self.one.units
        grouped = test in ("randomisation", "t") and len(self.apart) < units
        draws = test == "bootstrap" or method in ("bca", "percentile")
        resamples = len(self._drawn().resampled) if draws else None
        groups = len(self.apart) if grouped else None
        interval = self._interval(method).within(self.bounds)
        return Verdict(interval, method, self._p(test), units, groups, resamples, self._posterior())

    @property
    def apart(self) -> Floats:
        """What each unit adds to the difference."""
        if self._apart is None:
            self._apart = self.one.differences(self.other, self.plan.sampling)
        return self._apart

    @property
    def of_zero_one(self) -> bool:
        """Whether it is of rows that are right or wrong, which all count alike."""
        right = self.measure.name in OF_RIGHT and self.systems[0].unit_of(self.measure) == "rows"
        return right and bool(np.isin(np.round(self.apart, 6), (-1, 0, 1)).all())

    def _p(self, test: PredictionTest) -> PValue:
        alternative = self.plan.alternative
        if test == "delong-t" or test == "delong":
            found = self._delong(test)
            way: Way = "t" if test == "delong-t" else "normal"
            freedom = found.freedom if math.isfinite(found.freedom) else None
            return PValue(found.p, Evidence(way, self.one.units, found.statistic, freedom))
        if test == "bootstrap":
            drawn = self._drawn().resampled
            there = drawn[~np.isnan(drawn)]
            difference, units = np.array([self.difference]), self.one.units
            return shift_p(there, difference, alternative, units=units) if len(there) else NO_P
        if np.isnan(self.apart).any():
            return NO_P
        if test == "mcnemar":
            return self._mcnemar()
        told = {
            name: value for name, value in self.plan.draws(self.tests).items() if name in TESTS[test].takes
        }
        p: PValue = TESTS[test].function(self.apart, alternative=alternative, **told)
        return p

    def _posterior(self) -> PairPosterior | None:
        """Student's, with the standard error and degrees of freedom of the t tests."""
        rope, sampling = self.plan.rope, self.plan.sampling
        if rope is None:
            return None
        if is_auc(self.measure):
            found = self._delong("delong-t")
            spread = VariancePart(found.error**2, found.freedom, self.one.units)
        elif np.isnan(self.apart).any():
            return PairPosterior.of(Posterior(rope, self.difference, *(math.nan,) * 5), 1)
        else:
            spread = crossed(self.apart).queries
        own = posterior(Crossed(self.difference, spread), rope, confidence=sampling.confidence)
        return PairPosterior.of(own, direction(self.measure))

    def _mcnemar(self) -> PValue:
        own = np.round(self.apart, 6)
        if not self.of_zero_one:
            raise MeasureError(
                'test="mcnemar" is of rows that all count alike, right or wrong: leave out weights'
            )
        more, less = int(np.count_nonzero(own > 0)), int(np.count_nonzero(own < 0))
        found = mcnemar_of_counts(more, less, self.plan.alternative, "mid-p")
        zeros = len(own) - more - less
        return PValue(found.p, Evidence("exact", len(own), found.statistic, zeros=zeros))

    def _interval(self, method: IntervalMethod) -> Interval:
        confidence = self.plan.sampling.confidence
        if method == "delong-t" or method == "delong":
            return self._delong(method).interval
        if method == "tango":
            return tango_interval(np.round(self.apart, 6), confidence=confidence)
        if method != "delta":
            return bootstrapped(self._drawn(), self.difference, method, confidence)
        low, high = t_interval(self.apart - self.apart.mean(), confidence=confidence)
        return Interval(self.difference + low, self.difference + high)

    def _delong(self, method: AreaTest) -> AUCDifference:
        one, other = (each.labelled.spread() for each in self.systems if each.labelled is not None)
        return one.against(other, self.plan.sampling.confidence, self.plan.alternative, method)

    def _drawn(self) -> Drawn:
        one, other = (each.drawn(self.plan.sampling) for each in (self.one, self.other))
        return Drawn(one.resampled - other.resampled, one.left_out - other.left_out)
