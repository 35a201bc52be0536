"""Pairs of systems, judged from their per-query values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark import statistics
from rankmark.errors import ChoiceError
from rankmark.language.measure import Measure
from rankmark.statistics.corrections import CORRECTIONS, Correction
from rankmark.statistics.intervals import INTERVALS, Interval, IntervalName, left_out_means
from rankmark.statistics.resampling import Floats, bootstrap_means, check_drawn, check_share
from rankmark.statistics.significance import (
    ALTERNATIVES,
    TESTS,
    Alternative,
    TestName,
    check_choice,
    shift_p,
    signs,
)

if TYPE_CHECKING:
    from typing import Literal

    from numpy.typing import NDArray

__all__ = ["Pair", "PerQuery", "Plan", "judged_pairs"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How systems are compared; see `compare`."""

    test: TestName = "randomisation"
    alternative: Alternative = "two-sided"
    correction: Correction | Literal["tukey"] = "holm"
    alpha: float = 0.05
    interval: IntervalName = "bca"
    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        check_choice("test", self.test, TESTS)
        check_choice("alternative", self.alternative, ALTERNATIVES)
        check_choice("correction", self.correction, (*CORRECTIONS, "tukey"))
        check_choice("interval", self.interval, INTERVALS)
        check_share(alpha=self.alpha, confidence=self.confidence)
        check_drawn(self.resamples, self.seed, self.threads)
        if self.correction == "tukey" and (self.test, self.alternative) != ("randomisation", "two-sided"):
            raise ChoiceError('correction="tukey" goes with test="randomisation" and alternative="two-sided"')

    def check(self, *, clustered: bool, several_seeds: bool) -> None:
        """Refuses what knows no clusters of queries, or systems with several seeds, where there are such."""
        if several_seeds and self.interval == "t":
            raise ChoiceError('interval="t" does not draw seeds; choose "bca" or "percentile"')
        if clustered and self.test in ("wilcoxon", "sign"):
            raise ChoiceError(
                f'test="{self.test}" knows no clusters; choose "randomisation", "t" or "bootstrap"'
            )
        if clustered and self.correction == "tukey":
            raise ChoiceError('correction="tukey" knows no clusters; choose "holm"')

    @property
    def draws(self) -> dict[str, Any]:
        """What resampling is told."""
        return {"resamples": self.resamples, "seed": self.seed, "threads": self.threads}


@dataclass(frozen=True, slots=True)
class Pair:
    """One system against another on one measure, on the queries that have a value of both.

    Attributes:
        measure: what was measured.
        system: the one.
        baseline: the other.
        queries: how many were compared.
        value: the system's mean over these.
        baseline_value: the other's.
        difference: value − baseline_value.
        interval: of the difference.
        p: the test's p-value.
        corrected: the same, corrected for all tests of the comparison.
        significant: whether `corrected` is at most alpha.
        wins: queries on which the system is better.
        ties: queries on which they are equal.
        losses: queries on which it is worse.
        cohens_d: the mean difference in standard deviations of the differences.
        cliffs_delta: −1 to 1, see `statistics.cliffs_delta`.
        superiority: the share of queries with a greater value, those with equal ones by half.

    """

    measure: Measure
    system: str
    baseline: str
    queries: int
    value: float
    baseline_value: float
    difference: float
    interval: Interval
    p: float
    corrected: float
    significant: bool
    wins: int
    ties: int
    losses: int
    cohens_d: float
    cliffs_delta: float
    superiority: float

    @property
    def better(self) -> bool:
        """Whether the system's mean is the better one of the two."""
        return self.difference * direction(self.measure) > 0


def direction(measure: Measure) -> int:
    """1 where a greater value is better, −1 where a smaller one is."""
    return -1 if measure.page.better == "less" else 1


@dataclass(frozen=True)
class PerQuery:
    """The values of several systems, and which of them are compared.

    Attributes:
        values: of each measure and system, [queries, seeds]; NaN where a query is left out.
        opponents: pairs of a system and its baseline.
        labels: the cluster of each query; None where each stands for itself.

    """

    values: Mapping[Measure, Mapping[str, Floats]]
    opponents: Sequence[tuple[str, str]]
    labels: NDArray[Any] | None

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(next(iter(self.values.values())))

    @cached_property
    def means(self) -> dict[Measure, dict[str, Floats]]:
        """Over seeds: one value a query; NaN where that of any seed is left out."""
        return {m: {s: seeds.mean(axis=1) for s, seeds in own.items()} for m, own in self.values.items()}

    def differences(self, measure: Measure, system: str, other: str) -> tuple[Floats, NDArray[Any] | None]:
        """The differences of the queries that have a value of both, and their clusters."""
        own = self.means[measure][system] - self.means[measure][other]
        there = ~np.isnan(own)
        return own[there], None if self.labels is None else self.labels[there]


def judged_pairs(data: PerQuery, plan: Plan) -> tuple[dict[tuple[Measure, str], Interval], tuple[Pair, ...]]:
    """The interval of each measure's and system's mean, and the pairs."""
    intervals: dict[tuple[Measure, str], Interval] = {}
    pairs: list[Pair] = []
    resamples = _Resamples(data, plan)
    for measure in data.values:
        own = _OneMeasure(resamples, measure)
        intervals |= {(measure, system): own.interval(system) for system in data.systems}
        pairs += own.pairs()
    if plan.correction == "tukey":
        return intervals, tuple(pairs)
    corrected = statistics.corrected([pair.p for pair in pairs], plan.correction)
    return intervals, tuple(
        replace(pair, corrected=float(p), significant=bool(p <= plan.alpha))
        for pair, p in zip(pairs, corrected, strict=True)
    )


class _Resamples:
    """Resampled means, drawn when they are first asked for and for all measures and systems at once."""

    def __init__(self, data: PerQuery, plan: Plan) -> None:
        self.data, self.plan = data, plan
        self.there = {
            (measure, system): ~np.isnan(mean)
            for measure, means in data.means.items()
            for system, mean in means.items()
        }

    @cached_property
    def means(self) -> dict[tuple[Measure, str], Floats]:
        """Those of each measure and system over the queries that it has."""
        return self._drawn(list(self.there), np.ones(len(next(iter(self.there.values()))), dtype=bool))

    def difference(self, measure: Measure, system: str, other: str) -> Floats:
        """Mean differences over the queries that both have."""
        keys = [(measure, system), (measure, other)]
        one, another = (self.there[key] for key in keys)
        means = self.means if (one == another).all() else self._drawn(keys, one & another)
        return means[keys[0]] - means[keys[1]]

    def _drawn(
        self, keys: Sequence[tuple[Measure, str]], rows: NDArray[np.bool_]
    ) -> dict[tuple[Measure, str], Floats]:
        tables = [
            np.where(self.there[measure, system][:, None], self.data.values[measure][system], np.nan)[rows]
            for measure, system in keys
        ]
        labels = None if self.data.labels is None else self.data.labels[rows]
        means = bootstrap_means(np.column_stack(tables), clusters=labels, **self.plan.draws)
        ends = np.cumsum([table.shape[1] for table in tables])
        parts = np.split(means, ends[:-1], axis=1)
        return {key: self._over_seeds(key[1], part) for key, part in zip(keys, parts, strict=True)}

    def _over_seeds(self, system: str, means: Floats) -> Floats:
        """The means of as many seeds as the system has, drawn with replacement for each resample."""
        seeds = means.shape[1]
        if seeds == 1:
            return means[:, 0]
        place = self.data.systems.index(system)
        drawn = np.random.default_rng([self.plan.seed, place]).integers(seeds, size=means.shape)
        return np.asarray(np.take_along_axis(means, drawn, axis=1).mean(axis=1))


class _OneMeasure:
    """The work on one measure."""

    def __init__(self, resamples: _Resamples, measure: Measure) -> None:
        self.resamples, self.measure = resamples, measure
        self.data, self.plan = resamples.data, resamples.plan
        self.means, self.labels = self.data.means[measure], self.data.labels
        self.there = {system: resamples.there[measure, system] for system in self.data.systems}

    def interval(self, system: str) -> Interval:
        there = self.there[system]
        labels = None if self.labels is None else self.labels[there]
        return self._interval(
            self.means[system][there], labels, lambda: self.resamples.means[self.measure, system]
        )

    def _interval(
        self, values: Floats, labels: NDArray[Any] | None, resampled: Callable[[], Floats]
    ) -> Interval:
        if len(values) < 2 or (labels is not None and len(np.unique(labels)) < 2):
            return Interval(math.nan, math.nan)
        confidence = self.plan.confidence
        if self.plan.interval == "t":
            return statistics.t_interval(values, confidence=confidence, clusters=labels)
        if self.plan.interval == "percentile":
            return statistics.percentile_interval(resampled(), confidence=confidence)
        left_out = left_out_means(values, labels)
        return statistics.bca_interval(resampled(), float(values.mean()), left_out, confidence=confidence)

    def pairs(self) -> list[Pair]:
        opponents = self.data.opponents
        p_values = self._p_values(opponents)
        tukey = self._tukey() if self.plan.correction == "tukey" else None
        places = {system: place for place, system in enumerate(self.data.systems)}
        return [
            self._pair(system, other, p, math.nan if tukey is None else tukey[places[system], places[other]])
            for (system, other), p in zip(opponents, p_values, strict=True)
        ]

    def _tukey(self) -> Floats:
        table = np.column_stack([self.means[system] for system in self.data.systems])
        return statistics.randomised_tukey(table, **self.plan.draws)

    def _p_values(self, opponents: Sequence[tuple[str, str]]) -> list[float]:
        how: dict[str, Any] = {"alternative": self.plan.alternative}
        if self.plan.test == "randomisation":
            table = np.column_stack([self.means[system] - self.means[other] for system, other in opponents])
            p = statistics.randomisation_test(
                table, each=True, clusters=self.labels, **how, **self.plan.draws
            )
            p[np.isnan(table).all(axis=0)] = math.nan
            return [float(each) for each in p]
        p_values = []
        for system, other in opponents:
            own, labels = self.data.differences(self.measure, system, other)
            if not len(own):
                p_values.append(math.nan)
            elif self.plan.test == "t":
                p_values.append(statistics.paired_t_test(own, clusters=labels, **how))
            elif self.plan.test == "wilcoxon":
                p_values.append(statistics.wilcoxon_test(own, **how))
            elif self.plan.test == "sign":
                p_values.append(statistics.sign_test(own, **how))
            else:
                drawn = self.resamples.difference(self.measure, system, other)
                p_values.append(shift_p(drawn, own, self.plan.alternative))
        return p_values

    def _pair(self, system: str, other: str, p: float, corrected: float) -> Pair:
        both = self.there[system] & self.there[other]
        values, others = self.means[system][both], self.means[other][both]
        own, labels = self.data.differences(self.measure, system, other)
        towards = signs(own) * direction(self.measure)
        mean, other_mean = (float(x.mean()) if len(x) else math.nan for x in (values, others))
        return Pair(
            measure=self.measure,
            system=system,
            baseline=other,
            queries=len(own),
            value=mean,
            baseline_value=other_mean,
            difference=float(own.mean()) if len(own) else math.nan,
            interval=self._interval(
                own, labels, lambda: self.resamples.difference(self.measure, system, other)
            ),
            p=p,
            corrected=corrected,
            significant=bool(corrected <= self.plan.alpha),
            wins=int(np.count_nonzero(towards > 0)),
            ties=int(np.count_nonzero(towards == 0)),
            losses=int(np.count_nonzero(towards < 0)),
            cohens_d=statistics.cohens_d(own),
            cliffs_delta=statistics.cliffs_delta(values, others),
            superiority=statistics.probability_of_superiority(own),
        )
