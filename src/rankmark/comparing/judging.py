"""Pairs of systems, judged from their per-query values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from rankmark import statistics
from rankmark.aggregation.query_intervals import check_of_run, made_of_terms
from rankmark.aggregation.terms import exchangeable, resampled_values
from rankmark.comparing.pairs import Pair, SystemValues, corrected_pairs, direction
from rankmark.comparing.plan import OF_SEEDS, ComparisonPlan
from rankmark.errors import ChoiceError
from rankmark.progress import counting
from rankmark.statistics.chance import Evidence, PValue
from rankmark.statistics.effects import Dominance, Ordered
from rankmark.statistics.intervals import (
    INTERVALS,
    Interval,
    Made,
    are_zero_one,
    caution_of,
    made_interval,
    skewness,
    standard_error,
)
from rankmark.statistics.resampling import Floats
from rankmark.statistics.significance import TESTS, PairedTest, signs
from rankmark.statistics.spread import apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.language.measure import Measure
    from rankmark.statistics.corrections import CorrectionName
    from rankmark.statistics.intervals import Bounds
    from rankmark.statistics.seeds import Crossed

OF_RUNS = ("randomisation", "t")
"""The tests of measures of the whole run."""

__all__ = ["Judged", "judged_pairs", "p_values", "with_corrected"]

Judged: TypeAlias = "tuple[Mapping[tuple[Measure, str], Made], tuple[Pair, ...]]"
"""The interval of each measure's and system's value, and the pairs."""


def judged_pairs(data: SystemValues, plan: ComparisonPlan, families: int = 1) -> Judged:
    """The interval of each measure's and system's value, and the pairs.

    `families` is of how many such tables of pairs, as those of slices, the p-values are corrected together.
    """
    intervals: dict[tuple[Measure, str], Made] = {}
    pairs: list[Pair] = []
    resamples = _Resamples(data, plan)
    work = len(data.values) * (len(data.systems) + len(data.opponents))
    with counting("comparing systems", work) as counter:
        for measure in data.values:
            own = _OneMeasure(resamples, measure, families * len(data.opponents) * len(data.values))
            for system in data.systems:
                intervals[measure, system] = own.interval(system)
                counter.done += 1
            for pair in own.pairs():
                pairs.append(pair)
                counter.done += 1
    return intervals, tuple(with_corrected(pairs, plan))


def p_values(data: SystemValues, plan: ComparisonPlan) -> list[PValue]:
    """The p-values of the pairs alone, in their order."""
    resamples, tests = _Resamples(data, plan), len(data.opponents) * len(data.values)
    measures = (_OneMeasure(resamples, measure, tests) for measure in data.values)
    return [p for measure in measures for p in measure.p_values()]


def with_corrected(pairs: Sequence[Pair], plan: ComparisonPlan) -> list[Pair]:
    """The pairs with p-values corrected for all of them, unless a test of all systems has corrected them."""
    if plan.simultaneous:
        return list(pairs)
    return corrected_pairs(pairs, cast("CorrectionName", plan.correction), plan.alpha)


class _Resamples:
    """Values of resamples, drawn when they are first asked for and for all measures and systems at once."""

    def __init__(self, data: SystemValues, plan: ComparisonPlan) -> None:
        self.data, self.plan = data, plan

    @cached_property
    def values(self) -> dict[tuple[Measure, str], Floats]:
        """Those of each measure and system over the queries that it has."""
        there = {key: own for key, own in self.data.there.items() if key[0].page.aggregate != "run"}
        return self._drawn(list(there), np.ones(len(next(iter(there.values()))), dtype=bool))

    def value(self, measure: Measure, system: str) -> Floats:
        """Those of a system over the queries that all have."""
        key, common = (measure, system), self.data.common[measure]
        whole = (self.data.there[key] == common).all()
        return (self.values if whole else self._drawn([key], common))[key]

    def difference(self, measure: Measure, system: str, other: str) -> Floats:
        """Differences over the queries that both have."""
        keys = [(measure, system), (measure, other)]
        one, another = (self.data.there[key] for key in keys)
        values = self.values if (one == another).all() else self._drawn(keys, one & another)
        return values[keys[0]] - values[keys[1]]

    def _drawn(
        self, keys: Sequence[tuple[Measure, str]], rows: NDArray[np.bool_]
    ) -> dict[tuple[Measure, str], Floats]:
        terms = [self.data.terms[measure][system].at(rows) for measure, system in keys]
        labels = None if self.data.labels is None else self.data.labels[rows]
        values = resampled_values(terms, labels, **self.plan.draws)
        return {key: own[:, 0] for key, own in zip(keys, values, strict=True)}


class _OneMeasure:
    """The work on one measure."""

    def __init__(self, resamples: _Resamples, measure: Measure, tests: int) -> None:
        self.resamples, self.measure, self.tests = resamples, measure, tests
        self.data, self.plan = resamples.data, resamples.plan
        self.means, self.labels = self.data.means[measure], self.data.labels_of(measure)
        self.terms = self.data.terms[measure]
        systems, opponents = len(self.data.systems), max(len(self.data.opponents), 1)
        # A system's are those of its result alone, with as many resamples; a pair's share the time with all.
        self.of_system = max(tests // opponents, 1)
        self.together = tests + systems * self.of_system
        self._known: dict[tuple[str, str], Crossed] = {}
        self._in_order: dict[str, Ordered] = {}
        self.of_run = measure.page.aggregate == "run"
        if self.of_run and self.plan.test not in OF_RUNS:
            raise ChoiceError(
                f'test="{self.plan.test}" is of values of queries, and {measure} is of the whole run: take '
                f"{' or '.join(OF_RUNS)}, by what it is without blocks of queries"
            )

    def interval(self, system: str) -> Made:
        common = self.data.common[self.measure]
        terms = self.terms[system].at(common)
        labels = None if self.labels is None else self.labels[common]
        if self.plan.seeded:
            crossed = self.data.crossed(self.measure, system)
            return self._of_seeds(crossed, terms.linear(), labels, terms.bounds)
        return made_of_terms(
            terms,
            labels,
            method=self.plan.interval if INTERVALS[self.plan.interval].of_means else "auto",
            confidence=self.plan.confidence,
            draws=self.plan.draws,
            together=self.of_system,
            resampled=lambda: self.resamples.value(self.measure, system),
        )

    def pairs(self) -> Iterator[Pair]:
        at_once = self._at_once()
        places = {system: place for place, system in enumerate(self.data.systems)}
        for (system, other), p in zip(self.data.opponents, self.p_values(), strict=True):
            together = math.nan if at_once is None else at_once[places[system], places[other]]
            yield self._pair(system, other, p, together)

    def _at_once(self) -> Floats | None:
        """The p-values of all systems with all others by a test of them all, if one is asked for."""
        if self.plan.simultaneous is None:
            return None
        table = np.column_stack(exchangeable([self.terms[system] for system in self.data.systems]))
        p: Floats = self.plan.simultaneous.function(table, **self.plan.draws)
        return p

    def p_values(self) -> list[PValue]:
        """The p-value of each pair."""
        test, opponents = TESTS[self.plan.test], self.data.opponents
        if self.plan.seeded:
            return [self._p_of_seeds(*each) for each in opponents]
        if test.many is None:
            return [self._p_value(test, system, other) for system, other in opponents]
        table = np.column_stack([self._swapped(system, other) for system, other in opponents])
        found = test.many(table, **self._told(test, self.labels))
        return [p if p.evidence.n else PValue(math.nan, p.evidence) for p in found]

    def _p_value(self, test: PairedTest, system: str, other: str) -> PValue:
        own, labels = self.data.differences(self.measure, system, other)
        if not len(own):
            return PValue(math.nan, Evidence("exact", 0))
        if test.of_means is not None:
            drawn = self.resamples.difference(self.measure, system, other)
            return test.of_means(drawn, own, self.plan.alternative, labels)
        if not test.linear:
            swapped = self._swapped(system, other)
            own = swapped[~np.isnan(swapped)]
        told = self._told(test, labels)
        if "leverage" in test.takes:
            told["leverage"] = self.data.leverage(self.measure, system, other)
        if "reach" in test.takes:
            told["reach"] = self._reach(system, other)
        p: PValue = test.function(own, **told)
        return p

    def _reach(self, system: str, other: str) -> float:
        """What no difference exceeds, by what is said of the measure's values or known of them."""
        one, another, _ = self.data.pair_terms(self.measure, system, other)
        low, high = self.measure.bounds
        if "reach" in self.plan.test_options:
            low, high = 0.0, float(self.plan.test_options["reach"])
        if low is None or high is None:
            raise ChoiceError(
                f'test="{self.plan.test}" is of values that have a least and a greatest one, and those of '
                f"{self.measure} have no such; choose another test, or say how far two can be apart at most: "
                'test_options={"reach": 1}'
            )
        return one.reach(another, (float(low), float(high)))

    def _p_of_seeds(self, system: str, other: str) -> PValue:
        """The p-value over queries and seeds."""
        p = self._crossed(system, other).p(self.plan.alternative)
        skewed = skewness(*self.data.differences(self.measure, system, other))
        return PValue(p, replace(p.evidence, skewness=skewed))

    def _crossed(self, system: str, other: str) -> Crossed:
        """The difference over queries and seeds, of which the p-value and the interval are."""
        if (system, other) not in self._known:
            found = self.data.crossed(self.measure, system, other, self.plan.seedless)
            self._known[system, other] = found
        return self._known[system, other]

    def _difference(self, system: str, other: str) -> Made:
        """The interval of the difference."""
        own, labels = self.data.differences(self.measure, system, other)
        bounds = self.data.bounds(self.measure, system, other)
        if self.plan.seeded:
            return self._of_seeds(self._crossed(system, other), own, labels, bounds)
        method = self.plan.interval
        return made_interval(
            check_of_run(self.terms[system], method) if self.of_run else method,
            own,
            labels,
            self.data.leverage(self.measure, system, other),
            confidence=self.plan.confidence,
            differences=True,
            zero_one=self._of_zero_one(system, other),
            bounds=bounds,
            draws=self.plan.draws,
            together=self.together,
            resampled=lambda: self.resamples.difference(self.measure, system, other),
        )

    def _of_zero_one(self, system: str, other: str) -> bool:
        """Whether it is a difference of values that are 0 or 1."""
        both = self.data.pair_terms(self.measure, system, other)[:2]
        return self.measure.bounds == (0, 1) and all(are_zero_one(each.linear()) for each in both)

    def _of_seeds(
        self, crossed: Crossed, values: Floats, labels: NDArray[Any] | None, bounds: Bounds
    ) -> Made:
        """The interval over queries and seeds."""
        ends = crossed.interval(self.plan.confidence).within(bounds)
        return Made(*ends, OF_SEEDS, caution_of(OF_SEEDS, values, labels))

    def _swapped(self, system: str, other: str) -> Floats:
        """What the queries add to a difference, which has the other sign where the systems are swapped."""
        one, another = exchangeable([self.terms[system], self.terms[other]])
        return apart(one, another)

    def _ordered(self, system: str, values: Floats) -> Ordered:
        """The values of a system; where they are those of all queries, they are put in order once."""
        if len(values) < len(self.means[system]) or self.of_run:
            return Ordered.of(values)
        if system not in self._in_order:
            self._in_order[system] = Ordered.of(values)
        return self._in_order[system]

    def _effect_intervals(
        self, system: str, other: str, dominance: Dominance, towards: Floats
    ) -> dict[str, Interval]:
        """Those of effect sizes, as far as it is known how these vary."""
        confidence = self.plan.confidence
        if self.of_run or self.plan.seeded or (self.labels is not None and self.labels.ndim > 1):
            return {}
        if self.labels is not None:
            labels = self.data.pair_terms(self.measure, system, other)[2]
            return {"cliffs_delta_interval": dominance.interval(confidence=confidence, clusters=labels)}
        swapped = self._swapped(system, other)
        return {
            "cohens_d_interval": statistics.cohens_d_interval(swapped, confidence=confidence),
            "cliffs_delta_interval": dominance.interval(confidence=confidence),
            "superiority_interval": statistics.superiority_interval(towards, confidence=confidence),
        }

    def _simultaneous(self, system: str, other: str, alone: Made) -> Interval:
        """The interval of the difference that holds for all tests of the comparison together.

        Its ends are as much farther out than those of the pair alone as those by t are.
        """
        from scipy.special import stdtrit

        tests = 1 if self.plan.correction == "none" else self.tests
        share, bounds = 1 - self.plan.confidence, self.data.bounds(self.measure, system, other)
        if self.plan.seeded:
            return self._crossed(system, other).interval(1 - share / tests).within(bounds)
        own, labels = self.data.differences(self.measure, system, other)
        if tests == 1 or math.isnan(alone.low):
            return alone.ends
        leverage = self.data.leverage(self.measure, system, other)
        freedom, mean = standard_error(own, labels, leverage).freedom, float(own.mean())
        farther = float(stdtrit(freedom, share / (2 * tests)) / stdtrit(freedom, share / 2))
        low, high = (mean + (end - mean) * farther for end in alone.ends)
        return Interval(min(low, alone.low), max(high, alone.high)).within(bounds)

    def _told(self, test: PairedTest, labels: NDArray[Any] | None) -> dict[str, Any]:
        """What the test is told besides the differences."""
        known = {"alternative": self.plan.alternative, "clusters": labels, **self.plan.draws}
        known["most"] = self.plan.most_draws(self.tests)
        return {name: known[name] for name in test.takes if name in known} | {**self.plan.test_options}

    def _pair(self, system: str, other: str, p: PValue, corrected: float) -> Pair:
        one, another, _ = self.data.pair_terms(self.measure, system, other)
        both = self.data.there[self.measure, system] & self.data.there[self.measure, other]
        values, others = self.means[system][both], self.means[other][both]
        towards = signs(apart(values, others), self.plan.tie) * direction(self.measure)
        if self.of_run:
            values, others, towards = np.empty((3, 0))
        dominance = Dominance.of(self._ordered(system, values), self._ordered(other, others))
        value, other_value = one.value(), another.value()
        made = self._difference(system, other)
        return Pair(
            measure=self.measure,
            system=system,
            baseline=other,
            queries=one.queries if both.any() else 0,
            value=value,
            baseline_value=other_value,
            difference=value - other_value,
            interval=made.ends,
            p=float(p),
            corrected=corrected,
            significant=bool(corrected <= self.plan.alpha),
            wins=int(np.count_nonzero(towards > 0)),
            ties=int(np.count_nonzero(towards == 0)),
            losses=int(np.count_nonzero(towards < 0)),
            cohens_d=math.nan if self.of_run else statistics.cohens_d(self._swapped(system, other)),
            cliffs_delta=dominance.delta,
            superiority=statistics.probability_of_superiority(towards),
            method=made.method,
            caution=made.caution,
            resamples=made.resamples,
            **self._effect_intervals(system, other, dominance, towards),
            simultaneous=self._simultaneous(system, other, made),
            evidence=p.evidence,
        )
