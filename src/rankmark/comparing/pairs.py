"""A system against another: the figures of a pair, and the values that they are made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np

from rankmark import statistics
from rankmark.aggregation.terms import Terms
from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError, UsageError
from rankmark.language.measure import Measure
from rankmark.language.registry import is_known
from rankmark.rendering.numbers import Parts
from rankmark.rendering.records import Record
from rankmark.statistics.chance import Evidence
from rankmark.statistics.intervals import Interval, bounds_of_difference
from rankmark.statistics.resampling import Floats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.results.base import Result
    from rankmark.statistics.corrections import CorrectionName
    from rankmark.statistics.intervals import Bounds
    from rankmark.statistics.seeds import Crossed

__all__ = [
    "Opposed",
    "Pair",
    "Rows",
    "SomePair",
    "SystemValues",
    "baseline_of",
    "check_reach",
    "corrected_pairs",
    "direction",
    "finite",
    "found_pair",
    "is_better",
    "nothing_in_common",
    "numbers_of_pairs",
    "opponents",
    "refuse_swapped",
    "rows_in",
    "some_terms",
]


UNKNOWN = Interval(math.nan, math.nan)
"""Where there is none."""


@dataclass(frozen=True, slots=True, repr=False)
class Pair(Record):
    """One system against another on one measure, on the queries that have a value of both.

    Attributes:
        measure: what was measured.
        system: the one.
        baseline: the other.
        queries: how many were compared. Of a measure of the whole run no query wins, and there are no effect
            sizes.
        value: the system's value of these.
        baseline_value: the other's.
        difference: value − baseline_value.
        interval: of the difference.
        p: the test's p-value.
        corrected: the same, corrected for all tests of the comparison.
        significant: whether `corrected` is at most alpha.
        wins: queries on which the system is better.
        ties: queries on which they are equal, or differ by no more than the sign test's ``tie``.
        losses: queries on which it is worse.
        cohens_d: the mean difference in standard deviations of the differences; of a ratio of sums, of what
            queries add to it.
        cliffs_delta: −1 to 1, see `statistics.cliffs_delta`; like `cohens_d` it has the sign of the
            difference, also where less is better.
        superiority: the share of queries on which the system is better, ties by half.
        method: by which of `rankmark.statistics.INTERVALS` the interval was made.
        caution: which of `rankmark.statistics.CAUTIONS` holds of it; empty if none.
        resamples: how many the interval is of; None for a method that draws none.
        cohens_d_interval: of `cohens_d`; NaN with clusters of queries or several seeds.
        cliffs_delta_interval: of `cliffs_delta`; NaN with several seeds or clusters of two kinds.
        superiority_interval: of `superiority`; NaN with clusters of queries or several seeds.
        simultaneous: intervals of the difference that hold the truths of all pairs and measures together with
            the confidence (Bonferroni): `interval` with ends as much farther out as those by t would be, or
            itself of one pair or where p-values are not corrected.
        evidence: what stands behind `p`: statistic, degrees of freedom, exact or drawn.

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
    method: str = ""
    caution: str = ""
    resamples: int | None = None
    cohens_d_interval: Interval = UNKNOWN
    cliffs_delta_interval: Interval = UNKNOWN
    superiority_interval: Interval = UNKNOWN
    simultaneous: Interval = UNKNOWN
    evidence: Evidence | None = None

    @property
    def figures(self) -> dict[str, Any]:
        """Everything by its name, also of the evidence; the ends of intervals as ``low`` and ``high``."""
        named: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "interval":
                named |= dict(zip(("low", "high"), value, strict=True))
            elif isinstance(value, Interval):
                of = field.name.removesuffix("_interval")
                named |= {f"{of}_low": value.low, f"{of}_high": value.high}
            elif field.name == "evidence":
                named |= {each.name: getattr(value, each.name, None) for each in fields(Evidence)}
            else:
                named[field.name] = value
        return named | {"measure": self.measure.label}

    @property
    def better(self) -> bool:
        """Whether the system's value is the better one of the two."""
        return is_better(self)


def numbers_of_pairs(pairs: Iterable[SomePair]) -> dict[Parts, float]:
    """What was found of each pair, by system, baseline, measure and what it is."""
    return {
        (pair.system, "vs", pair.baseline, pair.measure.label, figure): pair.figures[figure]
        for pair in pairs
        for figure in ("difference", "low", "high", "p", "corrected", "significant")
    }


def direction(measure: Measure) -> int:
    """1 where a greater value is better, −1 where a smaller one is."""
    return -1 if measure.better == "less" else 1


def check_reach(name: str, value: float, measures: Iterable[Measure], times: int = 1) -> None:
    """Refuses what is no less than all that two values of a measure can differ by, or so many times that."""
    for measure in measures:
        low, high = measure.bounds
        if low is not None and high is not None and value >= times * (high - low):
            raise ChoiceError(
                f"{name}={value:g}: values of {measure} are from {low:g} to {high:g}, so that none differ by "
                "more; give it in the measure's unit, such as 0.01"
            )


def opponents(systems: Sequence[str], baselines: Sequence[str]) -> list[tuple[str, str]]:
    """Which systems are compared: each that is no baseline with each baseline; any two without these."""
    if baselines:
        return [(system, other) for system in systems if system not in baselines for other in baselines]
    return [(system, other) for other, system in combinations(systems, 2)]


def baseline_of(system: str, baselines: Sequence[str], systems: Sequence[str]) -> str:
    """The one with which a system was compared, where none is named: the only baseline, or the first system.

    Raises:
        UsageError: there are several baselines.

    """
    if len(baselines) > 1:
        raise UsageError(f"{system!r} was compared with {' and '.join(baselines)}; say with which")
    return baselines[0] if baselines else systems[0]


class Opposed(Protocol):
    """Figures of one system against another."""

    @property
    def measure(self) -> Measure:
        """What was measured."""

    @property
    def system(self) -> str:
        """The one."""

    @property
    def baseline(self) -> str:
        """The other."""

    @property
    def value(self) -> float:
        """The system's value."""

    @property
    def baseline_value(self) -> float:
        """The other's."""

    @property
    def difference(self) -> float:
        """The system's value less the baseline's."""

    @property
    def p(self) -> float:
        """The test's p-value."""

    @property
    def significant(self) -> bool:
        """Whether that, corrected, is at most alpha."""

    @property
    def evidence(self) -> Evidence | None:
        """What stands behind it."""

    @property
    def figures(self) -> dict[str, Any]:
        """Everything by its name; NaN where there is no value."""


def is_better(pair: Opposed) -> bool:
    """Whether the system's value is the better one of the two; never where neither more nor less is."""
    return pair.measure.better != "neither" and pair.difference * direction(pair.measure) > 0


Rows: TypeAlias = "slice | NDArray[np.intp]"

SomePair = TypeVar("SomePair", bound=Opposed)


def refuse_swapped(measure: str | Measure, systems: Iterable[str], order: str) -> None:
    """Refuses a system where a measure is asked for; `order` is that of the arguments."""
    if isinstance(measure, str) and measure in systems and not is_known(measure):
        raise UsageError(f"{measure!r} is a system, where a measure is asked for; the order is {order}")


def corrected_pairs(pairs: Sequence[SomePair], correction: CorrectionName, alpha: float) -> list[SomePair]:
    """The pairs with p-values corrected for all of them, and what is significant then."""
    corrected = statistics.corrected([pair.p for pair in pairs], correction)
    return [
        replace(pair, corrected=float(p), significant=bool(p <= alpha))  # type: ignore[type-var]
        for pair, p in zip(pairs, corrected, strict=True)
    ]


def found_pair(pairs: Iterable[SomePair], measure: Measure, system: str, baseline: str) -> SomePair:
    """The one of the pairs that is of these.

    Raises:
        UsageError: the systems were not compared.

    """
    known = {(pair.measure, pair.system, pair.baseline): pair for pair in pairs}
    if (measure, system, baseline) not in known:
        compared = dict.fromkeys(f"{one} with {another}" for _, one, another in known)
        raise UsageError(f"{system!r} was not compared with {baseline!r}; compared are {', '.join(compared)}")
    return known[measure, system, baseline]


def finite(figures: Mapping[str, Any]) -> dict[str, Any]:
    """The same with None for what is NaN or infinite, as a row of a table."""
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in figures.items()}


def nothing_in_common(first: Iterable[Any]) -> DataError:
    """That systems have no query in common, with the first that each has."""
    examples = ", ".join(map(repr, first))
    return DataError(f"the results have no query in common; they begin with the queries {examples}")


@dataclass(frozen=True)
class SystemValues:
    """The values of several systems, and which of them are compared.

    Attributes:
        values: of each measure and system, [queries, seeds]; NaN where a query is left out.
        terms: alike, what the queries add to the measure's value.
        opponents: pairs of a system and its baseline.
        labels: the cluster of each query; None where each stands for itself.
        some: gives the same of some of the queries; None where it is that of their values alone. Of measures
            of the whole run `values` and `terms` have blocks of queries in place of queries.

    """

    values: Mapping[Measure, Mapping[str, Floats]]
    terms: Mapping[Measure, Mapping[str, Terms]]
    opponents: Sequence[tuple[str, str]]
    labels: NDArray[Any] | None
    some: Callable[[NDArray[np.intp]], SystemValues] | None = None

    @classmethod
    def of(
        cls,
        results: Mapping[str, Sequence[Result]],
        measures: Sequence[Measure],
        query_ids: Sequence[Any],
        opponents: Sequence[tuple[str, str]],
        labels: NDArray[Any] | None,
    ) -> SystemValues:
        """Those of results, of each system one a seed, on queries that all of them have.

        Raises:
            DataError: a value is infinite, or no two systems have a query in common.

        """
        rows = {id(each): rows_in(each, query_ids) for seeds in results.values() for each in seeds}
        terms = {
            measure: {
                name: Terms.of_seeds(
                    [some_terms(each, measure, query_ids, rows[id(each)], labels) for each in seeds]
                )
                for name, seeds in results.items()
            }
            for measure in measures
        }
        values = {
            measure: {
                name: own.above
                if (own := terms[measure][name]).whole
                else _values(seeds, measure, query_ids, rows)
                for name, seeds in results.items()
            }
            for measure in measures
        }

        def some(inside: NDArray[np.intp]) -> SystemValues:
            own = None if labels is None else labels[inside]
            return cls.of(results, measures, [query_ids[row] for row in inside.tolist()], opponents, own)

        of_runs = any(measure.page.aggregate == "run" for measure in measures)
        made = cls(values, terms, opponents, labels, some if of_runs else None)
        made._check_in_common(query_ids)
        return made

    def of_some(self, inside: NDArray[np.intp]) -> SystemValues:
        """The same of some of the queries, by their places."""
        if self.some is not None:
            return self.some(inside)
        values = {m: {system: each[inside] for system, each in own.items()} for m, own in self.values.items()}
        terms = {
            m: {system: each.at(inside) for system, each in own.items()} for m, own in self.terms.items()
        }
        labels = None if self.labels is None else self.labels[inside]
        return SystemValues(values, terms, self.opponents, labels)

    def labels_of(self, measure: Measure) -> NDArray[Any] | None:
        """The cluster of each query, or None; blocks of queries stand for themselves."""
        return None if measure.page.aggregate == "run" else self.labels

    def _check_in_common(self, query_ids: Sequence[Any]) -> None:
        """Refuses systems that have values, of which no two that are compared have any of the same query."""
        there = self.there
        if any((there[m, one] & there[m, other]).any() for m in self.values for one, other in self.opponents):
            return
        first = next(iter(self.values))
        own = [there[first, system] for system in self.systems]
        if all(each.any() for each in own):
            raise nothing_in_common(query_ids[int(each.argmax())] for each in own)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(next(iter(self.values.values())))

    @cached_property
    def means(self) -> dict[Measure, dict[str, Floats]]:
        """Over seeds: one value a query; NaN where that of any seed is left out."""
        return {m: {s: seeds.mean(axis=1) for s, seeds in own.items()} for m, own in self.values.items()}

    @cached_property
    def there(self) -> dict[tuple[Measure, str], NDArray[np.bool_]]:
        """The queries that have a value of each measure and system."""
        return {(m, s): each.there for m, own in self.terms.items() for s, each in own.items()}

    @cached_property
    def common(self) -> dict[Measure, NDArray[np.bool_]]:
        """The queries that have a value of a measure of every system."""
        return {m: np.all([self.there[m, system] for system in self.systems], axis=0) for m in self.terms}

    def pair_terms(
        self, measure: Measure, system: str, other: str
    ) -> tuple[Terms, Terms, NDArray[Any] | None]:
        """What the queries with a value of both add to that of each, and their clusters."""
        both = self.there[measure, system] & self.there[measure, other]
        own, labels = self.terms[measure], self.labels_of(measure)
        return own[system].at(both), own[other].at(both), None if labels is None else labels[both]

    def differences(self, measure: Measure, system: str, other: str) -> tuple[Floats, NDArray[Any] | None]:
        """Linearised differences (`Terms.linear`) of the queries with a value of both, and their clusters."""
        one, another, labels = self.pair_terms(measure, system, other)
        return one.linear() - another.linear(), labels

    def leverage(self, measure: Measure, system: str, other: str) -> Floats | None:
        """How much of all each of these queries stands for, the mean of both; None where all are alike."""
        one, another, _ = self.pair_terms(measure, system, other)
        shares = [each for each in (one.leverage(), another.leverage()) if each is not None]
        return np.mean(shares, axis=0) if shares else None

    def bounds(self, measure: Measure, system: str, other: str | None = None) -> Bounds:
        """Between which ends a system's value is, or its difference to another's."""
        own = self.terms[measure]
        if other is None:
            return own[system].bounds
        return bounds_of_difference(own[system].bounds, own[other].bounds)

    def crossed(
        self, measure: Measure, system: str, other: str | None = None, seedless: Sequence[str] = ()
    ) -> Crossed:
        """A system's value, or its difference to another's, over queries and seeds; see `statistics.crossed`.

        Args:
            measure: the one.
            system: whose it is, over the queries that all systems have.
            other: what is subtracted, over those that both have.
            seedless: systems that depend on no seed.

        """
        if other is None:
            there = self.common[measure]
            terms, labels = self.terms[measure][system].at(there), self.labels_of(measure)
            labels = None if labels is None else labels[there]
            return statistics.crossed(terms.linear_by_seed(), clusters=labels, leverage=terms.leverage())
        one, another, labels = self.pair_terms(measure, system, other)
        return statistics.crossed(
            one.linear_by_seed(),
            another.linear_by_seed(),
            clusters=labels,
            leverage=self.leverage(measure, system, other),
            seedless=system in seedless or other in seedless,
        )


def rows_in(result: Result, query_ids: Sequence[Any]) -> Rows:
    """The places of the queries in a result."""
    own = result.query_ids
    if own == query_ids:
        return slice(None)
    place = {query: row for row, query in enumerate(own)}
    return np.array([place[query] for query in query_ids], dtype=np.intp)


def some_terms(
    result: Result, measure: Measure, query_ids: Sequence[Any], rows: Rows, labels: NDArray[Any] | None
) -> Terms:
    """What some queries add to a measure's value, or blocks of them to that of the whole run.

    Args:
        result: whose it is.
        measure: what was measured.
        query_ids: the queries.
        rows: their places in the result.
        labels: the cluster of each; None where each stands for itself.

    """
    if measure.page.aggregate == "run":
        return result.run_terms(measure, query_ids, labels)
    return result.query_terms(measure).at(rows)


def _values(
    results: Sequence[Result],
    measure: Measure,
    query_ids: Sequence[Any],
    rows: Mapping[int, Rows],
) -> Floats:
    """The values of a system: [queries, seeds]."""
    table = np.column_stack([result.query_values(measure)[rows[id(result)]] for result in results])
    if np.isinf(table).any():
        first = query_ids[int(np.isinf(table).any(axis=1).argmax())]
        count = np.count_nonzero(np.isinf(table).any(axis=1))
        raise DataError(f"{measure} is infinite for {count} queries (such as {first!r}): they have no mean")
    return table
