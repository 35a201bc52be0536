"""Pairs of systems, judged from their per-query values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from rankmark._native import Ordered
from rankmark.aggregation.query_intervals import check_of_run, made_of_terms
from rankmark.aggregation.terms import exchangeable, resampled_values
from rankmark.comparing.pairs import Pair, SystemValues, corrected_pairs, direction
from rankmark.comparing.plan import OF_SEEDS, ComparisonPlan
from rankmark.errors import ChoiceError
from rankmark.progress import counting
from rankmark.statistics.chance import Evidence, PValue
from rankmark.statistics.effects import CohensD, Dominance, Superiority
from rankmark.statistics.intervals import (
    INTERVALS,
    Interval,
    Made,
    Sample,
    are_zero_one,
    bounds_of_difference,
    caution_of,
    made_interval,
)
from rankmark.statistics.resampling import Floats, known
from rankmark.statistics.significance import TESTS, PairedTest
from rankmark.statistics.spread import apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.aggregation.terms import Terms
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


class _Own:
    """What a system has by a measure on some queries; each is made once, when it is first asked for."""

    def __init__(self, terms: Terms, values: Floats) -> None:
        self.terms, self.values = terms, values

    @cached_property
    def value(self) -> float:
        """The measure's value."""
        return self.terms.value()

    @cached_property
    def linear(self) -> Floats:
        """See `Terms.linear`."""
        return self.terms.linear()

    @cached_property
    def leverage(self) -> Floats | None:
        """See `Terms.leverage`."""
        return self.terms.leverage()

    @cached_property
    def zero_one(self) -> bool:
        """Whether all values are 0 or 1."""
        return are_zero_one(self.linear)

    @cached_property
    def ordered(self) -> Ordered:
        """The values in order."""
        return Ordered(self.values)


class _Opposed:
    """A system and another on the queries that have a value of both; each is made once, too.

    Attributes:
        system: the one.
        other: the other.
        one: what the one has on these queries.
        another: what the other has.
        labels: the clusters of these.
        queries: how many queries these are, or stand behind blocks of them; 0 where none has both.

    """

    def __init__(self, measure: _OneMeasure, system: str, other: str) -> None:
        self.system, self.other = system, other
        both = measure.data.there[measure.measure, system] & measure.data.there[measure.measure, other]
        self.one, self.another = (measure.own(each, both) for each in (system, other))
        self.labels = None if measure.labels is None else measure.labels[both]
        self.queries = self.one.terms.queries if both.any() else 0
        self._measure = measure

    @cached_property
    def sample(self) -> Sample:
        """Linearised differences (`Terms.linear`)."""
        shares = [each.leverage for each in (self.one, self.another) if each.leverage is not None]
        leverage = np.mean(shares, axis=0) if shares else None
        return Sample(self.one.linear - self.another.linear, self.labels, leverage)

    @cached_property
    def swapped(self) -> Floats:
        """What the queries add to a difference, which has the other sign where the systems are swapped."""
        return known(self._measure.swapped(self.system, self.other))[0]

    @cached_property
    def crossed(self) -> Crossed:
        """The difference over queries and seeds, of which the p-value and the interval are."""
        measure, seedless = self._measure, self._measure.plan.seedless
        return measure.data.crossed(measure.measure, self.system, self.other, seedless)

    @cached_property
    def bounds(self) -> Bounds:
        """Between which ends the difference is."""
        return bounds_of_difference(*(self._measure.bounds[each] for each in (self.system, self.other)))


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
        self._whole: dict[str, _Own] = {}
        self.of_run = measure.page.aggregate == "run"
        if self.of_run and self.plan.test not in OF_RUNS:
            raise ChoiceError(
                f'test="{self.plan.test}" is of values of queries, and {measure} is of the whole run: take '
                f"{' or '.join(OF_RUNS)}, by what it is without blocks of queries"
            )

    def own(self, system: str, both: NDArray[np.bool_]) -> _Own:
        """What a system has on some queries; where they are all, one for all that it is compared with."""
        whole = bool(both.all())
        if whole and system in self._whole:
            return self._whole[system]
        values = np.empty(0) if self.of_run else self.means[system] if whole else self.means[system][both]
        own = _Own(self.terms[system].at(both), values)
        if whole:
            self._whole[system] = own
        return own

    @cached_property
    def bounds(self) -> dict[str, Bounds]:
        """Between which ends the value of each system is."""
        return {system: terms.bounds for system, terms in self.terms.items()}

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
        for opposed, p in self._tested():
            together = math.nan if at_once is None else at_once[places[opposed.system], places[opposed.other]]
            yield self._pair(opposed, p, together)

    def _at_once(self) -> Floats | None:
        """The p-values of all systems with all others by a test of them all, if one is asked for."""
        if self.plan.simultaneous is None:
            return None
        table = np.column_stack(exchangeable([self.terms[system] for system in self.data.systems]))
        p: Floats = self.plan.simultaneous.function(table, **self.plan.draws)
        return p

    def p_values(self) -> list[PValue]:
        """The p-value of each pair."""
        return [p for _, p in self._tested()]

    def _tested(self) -> Iterator[tuple[_Opposed, PValue]]:
        """Each pair with its p-value."""
        test, opponents = TESTS[self.plan.test], self.data.opponents
        opposed = (_Opposed(self, *each) for each in opponents)
        if self.plan.seeded:
            yield from ((each, self._p_of_seeds(each)) for each in opposed)
        elif test.many is None:
            yield from ((each, self._p_value(test, each)) for each in opposed)
        else:
            table = np.column_stack([self.swapped(system, other) for system, other in opponents])
            found = test.many(table, **self._told(test, self.labels))
            told = (p if p.evidence.n else PValue(math.nan, p.evidence) for p in found)
            yield from zip(opposed, told, strict=True)

    def _p_value(self, test: PairedTest, opposed: _Opposed) -> PValue:
        sample = opposed.sample
        if not len(sample.values):
            return PValue(math.nan, Evidence("exact", 0))
        if test.of_means is not None:
            drawn = self.resamples.difference(self.measure, opposed.system, opposed.other)
            return test.of_means(drawn, sample.values, self.plan.alternative, sample.clusters)
        if test.of_sample is not None and sample.leverage is None and math.isfinite(sample.mean):
            return test.of_sample(sample, self.plan.alternative)
        told = self._told(test, sample.clusters)
        if "leverage" in test.takes:
            told["leverage"] = sample.leverage
        if "reach" in test.takes:
            told["reach"] = self._reach(opposed)
        p: PValue = test.function(sample.values if test.linear else opposed.swapped, **told)
        return p

    def _reach(self, opposed: _Opposed) -> float:
        """What no difference exceeds, by what is said of the measure's values or known of them."""
        low, high = self.measure.bounds
        if "reach" in self.plan.test_options:
            low, high = 0.0, float(self.plan.test_options["reach"])
        if low is None or high is None:
            raise ChoiceError(
                f'test="{self.plan.test}" is of values that have a least and a greatest one, and those of '
                f"{self.measure} have no such; choose another test, or say how far two can be apart at most: "
                'test_options={"reach": 1}'
            )
        return opposed.one.terms.reach(opposed.another.terms, (float(low), float(high)))

    def _p_of_seeds(self, opposed: _Opposed) -> PValue:
        """The p-value over queries and seeds."""
        p = opposed.crossed.p(self.plan.alternative)
        return PValue(p, replace(p.evidence, skewness=opposed.sample.skewness))

    def _difference(self, opposed: _Opposed) -> Made:
        """The interval of the difference."""
        if self.plan.seeded:
            return self._of_seeds(opposed.crossed, opposed.sample.values, opposed.labels, opposed.bounds)
        method = self.plan.interval
        return made_interval(
            check_of_run(opposed.one.terms, method) if self.of_run else method,
            opposed.sample,
            confidence=self.plan.confidence,
            differences=True,
            zero_one=self.measure.bounds == (0, 1) and opposed.one.zero_one and opposed.another.zero_one,
            bounds=opposed.bounds,
            draws=self.plan.draws,
            together=self.together,
            resampled=lambda: self.resamples.difference(self.measure, opposed.system, opposed.other),
        )

    def _of_seeds(
        self, crossed: Crossed, values: Floats, labels: NDArray[Any] | None, bounds: Bounds
    ) -> Made:
        """The interval over queries and seeds."""
        ends = crossed.interval(self.plan.confidence).within(bounds)
        return Made(*ends, OF_SEEDS, caution_of(OF_SEEDS, Sample(values, labels)))

    def swapped(self, system: str, other: str) -> Floats:
        """What the queries add to a difference, which has the other sign where the systems are swapped."""
        one, another = exchangeable([self.terms[system], self.terms[other]])
        return apart(one, another)

    def _effect_intervals(
        self, opposed: _Opposed, d: CohensD, dominance: Dominance, superiority: Superiority
    ) -> dict[str, Interval]:
        """Those of effect sizes, as far as it is known how these vary."""
        confidence = self.plan.confidence
        if self.of_run or self.plan.seeded or (self.labels is not None and self.labels.ndim > 1):
            return {}
        if self.labels is not None:
            ends = dominance.interval(confidence=confidence, clusters=opposed.labels)
            return {"cliffs_delta_interval": ends}
        return {
            "cohens_d_interval": d.interval(confidence=confidence),
            "cliffs_delta_interval": dominance.interval(confidence=confidence),
            "superiority_interval": superiority.interval(confidence=confidence),
        }

    def _simultaneous(self, opposed: _Opposed, alone: Made) -> Interval:
        """The interval of the difference that holds for all tests of the comparison together.

        Its ends are as much farther out than those of the pair alone as those by t are.
        """
        from scipy.special import stdtrit

        tests = 1 if self.plan.correction == "none" else self.tests
        share = 1 - self.plan.confidence
        if self.plan.seeded:
            return opposed.crossed.interval(1 - share / tests).within(opposed.bounds)
        if tests == 1 or math.isnan(alone.low):
            return alone.ends
        freedom, mean = opposed.sample.error.freedom, opposed.sample.mean
        farther = float(stdtrit(freedom, share / (2 * tests)) / stdtrit(freedom, share / 2))
        low, high = (mean + (end - mean) * farther for end in alone.ends)
        return Interval(min(low, alone.low), max(high, alone.high)).within(opposed.bounds)

    def _told(self, test: PairedTest, labels: NDArray[Any] | None) -> dict[str, Any]:
        """What the test is told besides the differences."""
        known = {"alternative": self.plan.alternative, "clusters": labels, **self.plan.draws}
        known["most"] = self.plan.most_draws(self.tests)
        return {name: known[name] for name in test.takes if name in known} | {**self.plan.test_options}

    def _pair(self, opposed: _Opposed, p: PValue, corrected: float) -> Pair:
        one, another = opposed.one, opposed.another
        better, worse = (one, another) if direction(self.measure) > 0 else (another, one)
        superiority = Superiority.of(apart(better.values, worse.values), self.plan.tie)
        dominance = Dominance.of(one.ordered, another.ordered)
        d = CohensD(math.nan, 0) if self.of_run else CohensD.of(opposed.swapped)
        made = self._difference(opposed)
        return Pair(
            measure=self.measure,
            system=opposed.system,
            baseline=opposed.other,
            queries=opposed.queries,
            value=one.value,
            baseline_value=another.value,
            difference=one.value - another.value,
            interval=made.ends,
            p=float(p),
            corrected=corrected,
            significant=bool(corrected <= self.plan.alpha),
            wins=superiority.wins,
            ties=superiority.ties,
            losses=superiority.losses,
            cohens_d=d.d,
            cliffs_delta=dominance.delta,
            superiority=superiority.share,
            method=made.method,
            caution=made.caution,
            resamples=made.resamples,
            **self._effect_intervals(opposed, d, dominance, superiority),
            simultaneous=self._simultaneous(opposed, made),
            evidence=p.evidence,
        )
