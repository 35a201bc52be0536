"""Systems side by side, as figures: their means, the differences between them, and how sure these are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankmark import statistics
from rankmark.aggregation.terms import exchangeable
from rankmark.calling import clear_methods
from rankmark.comparing.caveats import caveats, left_out, twins
from rankmark.comparing.equivalences import PairEquivalence, equivalences
from rankmark.comparing.judging import Judged, judged_pairs
from rankmark.comparing.pairs import (
    Pair,
    SystemValues,
    baseline_of,
    check_reach,
    finite,
    found_pair,
    opponents,
    refuse_swapped,
)
from rankmark.comparing.plan import ComparisonPlan
from rankmark.comparing.posteriors import PairPosterior, PosteriorName, posteriors
from rankmark.comparing.slices import ComparisonSlices, compared_in_slices
from rankmark.errors import ChoiceError, DataError, NotEvaluatedError, UsageError, did_you_mean
from rankmark.inputs.attributes import read_attributes, read_slices
from rankmark.inputs.places import Places
from rankmark.inputs.slicing import By
from rankmark.language.conventions.convention import meant
from rankmark.language.measure import Measure
from rankmark.results.base import Result
from rankmark.statistics.anova import by_clusters
from rankmark.statistics.bayes import check_rope
from rankmark.statistics.intervals import Interval, Made
from rankmark.statistics.margins import check_margin
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Floats
from rankmark.statistics.spread import apart, standard_deviation

if TYPE_CHECKING:
    from typing import Self

    import polars as pl
    from numpy.typing import NDArray

    from rankmark.aggregation.query_weights import QueryWeights
    from rankmark.aggregation.terms import Terms
    from rankmark.comparing.open_differences import OpenDifference
    from rankmark.statistics.anova import Anova
    from rankmark.statistics.seeds import Crossed
    from rankmark.statistics.significance import Alternative

__all__ = ["Compared", "Mover", "Power", "Spread"]


class Mover(NamedTuple):
    """A query and what it changed by from the baseline to the system."""

    measure: Measure
    system: str
    baseline: str
    query: int | str
    value: float
    baseline_value: float
    difference: float


class Power(NamedTuple):
    """What the queries of a pair can show; see `Comparison.power`.

    Attributes:
        system: the one.
        baseline: the other.
        queries: how many were compared.
        clusters: how many clusters they are in; None where each stands for itself.
        deviation: the standard deviation of their differences.
        design_effect: how many times the variance of the mean difference is what it would be if queries did
            not depend on each other and there were no seeds.
        detectable: the smallest true mean difference that they show with the power asked for.
        difference: the difference to be shown.
        needed: how many queries that takes, in clusters like these; None where the difference or the
            deviation is 0, and where systems vary by seeds, which more queries do not make up for.

    """

    system: str
    baseline: str
    queries: int
    clusters: int | None
    deviation: float
    design_effect: float
    detectable: float
    difference: float
    needed: int | None


class Spread(NamedTuple):
    """How much the differences of two systems spread over queries, or clusters of them.

    Attributes:
        differences: of each query, linearised.
        labels: the cluster of each; None where each stands for itself.
        crossed: their mean, and how sure it is.

    """

    differences: Floats
    labels: NDArray[Any] | None
    crossed: Crossed

    @property
    def queries(self) -> int:
        """How many there are."""
        return len(self.differences)

    @property
    def clusters(self) -> int | None:
        """How many clusters they are in."""
        return None if self.labels is None else len(np.unique(self.labels, axis=0))

    @property
    def mean(self) -> float:
        """The mean difference; NaN of none."""
        return float(self.differences.mean()) if self.queries else math.nan

    @property
    def deviation(self) -> float:
        """The standard deviation over queries."""
        return standard_deviation(self.differences)

    @property
    def units(self) -> int:
        """How many are independent: queries, or clusters."""
        return self.crossed.queries.units

    @property
    def of_units(self) -> float:
        """The standard deviation over units."""
        return self.crossed.error * math.sqrt(self.units)

    @property
    def seeded(self) -> bool:
        """Whether seeds add to it, for which more queries do not make up."""
        return bool(self.crossed.seeds)

    @property
    def design_effect(self) -> float:
        """How many times the variance of the mean is that of independent queries; NaN without spread."""
        if not self.deviation > 0:
            return math.nan
        alone = self.labels is None and not self.seeded
        return 1.0 if alone else self.crossed.error**2 * self.queries / self.deviation**2

    def detectable(self, *, alpha: float, power: float, alternative: Alternative) -> float:
        """The smallest true mean difference that these queries and seeds show with this power."""
        how: dict[str, Any] = {"alpha": alpha, "power": power, "alternative": alternative}
        if self.seeded:
            return self.crossed.detectable(**how)
        return statistics.detectable_difference(self.of_units, self.units, **how)

    def in_queries(self, units: int) -> int:
        """So many units as queries."""
        return math.ceil(units * self.queries / self.units)


@clear_methods
class Compared:
    """What was compared, and what follows from it; the attributes are those of `Comparison`."""

    def __init__(
        self,
        *,
        results: Mapping[str, tuple[Result, ...]],
        measures: Sequence[Measure],
        baselines: Sequence[str],
        plan: ComparisonPlan,
        query_ids: list[Any],
        labels: NDArray[Any] | None,
        notes: Iterable[str] = (),
        judged: Judged | None = None,
        slices: ComparisonSlices[Pair] | None = None,
        bounds: tuple[OpenDifference, ...] = (),
    ) -> None:
        self.results = results
        self.baselines = tuple(baselines)
        self.plan = plan
        self.query_ids = query_ids
        self.notes = tuple(notes)
        self.slices = slices
        self.bounds = bounds
        self._data = SystemValues.of(results, measures, query_ids, self.opponents, labels)
        self._intervals, self.pairs = judged or judged_pairs(self._data, plan)
        if judged is None:
            self.notes += (*self.left_out, *twins(self._data), *caveats(self._data, self.pairs, plan))

    def _kept(self) -> dict[str, Any]:
        """The arguments that make it again."""
        return {
            "results": self.results,
            "measures": self.measures,
            "baselines": self.baselines,
            "plan": self.plan,
            "query_ids": self.query_ids,
            "labels": self.labels,
            "notes": self.notes,
            "judged": (self._intervals, self.pairs),
            "slices": self.slices,
            "bounds": self.bounds,
        }

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """Which queries the means are not of, since not all systems have a value of them."""
        return tuple(left_out(self._data, self.pairs, self.query_ids))

    @property
    def notes_of_results(self) -> tuple[str, ...]:
        """The notes but for those on p-values."""
        of_p_values = set(caveats(self._data, self.pairs, self.plan))
        return tuple(note for note in self.notes if note not in of_p_values)

    @property
    def systems(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.results)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was measured."""
        return tuple(self._data.values)

    @property
    def query_measures(self) -> tuple[Measure, ...]:
        """Those that have a value for each query."""
        return tuple(each for each in self.measures if each.page.aggregate != "run")

    def _of_queries(self, measure: str | Measure, what: str) -> Measure:
        """The measure, which has to be of queries."""
        found = self._find(measure)
        if found not in self.query_measures:
            raise ChoiceError(f"{found} is of the whole run, and {what} is of values of queries")
        return found

    @property
    def labels(self) -> NDArray[Any] | None:
        """The number of each query's cluster, [queries, 2] of two kinds; None if each stands for itself."""
        return self._data.labels

    @property
    def weighed(self) -> QueryWeights | None:
        """The weights of the queries; None where all count alike."""
        return next(iter(self.results.values()))[0].weighed

    @property
    def clusters(self) -> int | tuple[int, ...] | None:
        """How many clusters the queries are in, of either kind if two; None where each stands for itself."""
        if self.labels is None:
            return None
        counts = tuple(len(np.unique(each)) for each in np.atleast_2d(self.labels.T))
        return counts[0] if len(counts) == 1 else counts

    @property
    def opponents(self) -> list[tuple[str, str]]:
        """Which systems are compared: pairs of a system and its baseline."""
        return opponents(self.systems, self.baselines)

    def value(self, system: str, measure: str | Measure) -> float:
        """A system's value of the queries that all systems have a value of; the mean over seeds."""
        found = self._find(measure)
        return self._data.terms[found][self._known(system)].at(self._data.common[found]).value()

    def seed_values(self, system: str, measure: str | Measure) -> list[float]:
        """The value of each of a system's seeds, of which `value` is the mean."""
        found = self._find(measure)
        return self._data.terms[found][self._known(system)].at(self._data.common[found]).seed_values()

    def interval(self, system: str, measure: str | Measure) -> Interval:
        """The confidence interval of `value`."""
        return self.made_interval(system, measure).ends

    def made_interval(self, system: str, measure: str | Measure) -> Made:
        """The same with how it was made, and what speaks against it."""
        return self._intervals[self._find(measure), self._known(system)]

    def query_values(self, system: str, measure: str | Measure) -> Floats:
        """A system's value of each of `query_ids`, the mean over its seeds; NaN where it is left out.

        Raises:
            NotEvaluatedError: the measure is of the whole run, and queries have no value of it.

        """
        found = self._find(measure)
        if found not in self.query_measures:
            raise NotEvaluatedError(f"{found} is of the whole run, and queries have no value of it")
        values: Floats = self._data.means[found][self._known(system)]
        return values

    def pair(self, measure: str | Measure, system: str, baseline: str | None = None) -> Pair:
        """One system against another: the baseline of the comparison if none is named."""
        found = self._find(measure)
        self._known(system)
        other = self._known(baseline or baseline_of(system, self.baselines, self.systems))
        return found_pair(self.pairs, found, system, other)

    @cached_property
    def table(self) -> pl.DataFrame:
        """A row a measure and pair, a column each of its figures."""
        import polars as pl

        return pl.DataFrame([finite(pair.figures) for pair in self.pairs], infer_schema_length=None)

    @cached_property
    def differences(self) -> pl.DataFrame:
        """A row a measure, pair and query: both values and their difference.

        Null where a query is left out.
        """
        import polars as pl

        names = [*Mover._fields]
        if not self.query_measures:
            raise NotEvaluatedError(f"{self.measures[0]} is of the whole run, and no query has a difference")
        frames = [
            pl.DataFrame(
                {
                    "measure": measure.label,
                    "system": system,
                    "baseline": other,
                    "query": self.query_ids,
                    "value": self._data.means[measure][system],
                    "baseline_value": self._data.means[measure][other],
                }
            ).with_columns(
                pl.col("value", "baseline_value").fill_nan(None),
                difference=(pl.col("value") - pl.col("baseline_value")).fill_nan(None),
            )
            for measure in self.query_measures
            for system, other in self.opponents
        ]
        return pl.concat(frames).select(names)

    def by(self, attributes: Any, *columns: str) -> ComparisonSlices[Pair]:
        """Every pair in slices of the queries, with p-values corrected for all slices together.

        Args:
            attributes: a table of queries (also a path) with a column for each attribute; or the slices of
                the queries, as ``{query: slice}``, a pandas Series with the queries in its index, a function
                of a query, or values in the order of `query_ids`.
            columns: which of its columns; all if none is named.

        Raises:
            UsageError: a column that is not there.
            DataError: no query has a value.

        Example:
            >>> import rankmark as rm
            >>> qrels = {f"q{i}": {"a": 1} for i in range(8)}
            >>> good, bad = ({query: list(items) for query in qrels} for items in ("ab", "ba"))
            >>> comparison = rm.compare(qrels, {"old": bad, "new": good}, "RR", baseline="old")
            >>> slices = comparison.by({f"q{i}": "head" if i < 6 else "tail" for i in range(8)})
            >>> [(each.slice, each.members, each.pair.difference) for each in slices.pairs]
            [('head', 6, 0.5), ('tail', 2, 0.5)]

        """
        found = read_attributes(attributes, columns, None, self.query_ids)
        return compared_in_slices(self._data, self.query_ids, found, self.plan, self.baselines)

    def in_slices(self, by: By, places: Places) -> Self:
        """It with slices by what was asked for, which is found in these places."""
        found = read_slices(by, places, self.query_ids)
        self.slices = compared_in_slices(self._data, self.query_ids, found, self.plan, self.baselines)
        return self

    def movers(self, count: int = 10, measure: str | Measure | None = None) -> list[Mover]:
        """The queries that changed most, of each measure (or one) and pair, the greatest change first."""
        if not isinstance(count, int) or count < 1:
            raise ChoiceError(f"count={count!r} is not a whole number from 1")
        measures = self.query_measures if measure is None else [self._of_queries(measure, "what moved")]
        return [
            mover
            for each in measures
            for system, other in self.opponents
            for mover in self._moved(each, system, other, count)
        ]

    def _moved(self, measure: Measure, system: str, other: str, count: int) -> Iterator[Mover]:
        values, others = self._data.means[measure][system], self._data.means[measure][other]
        change = np.abs(np.nan_to_num(apart(values, others), nan=0.0))
        for row in np.argsort(-change, kind="stable")[:count]:
            if change[row]:
                one, another = float(values[row]), float(others[row])
                yield Mover(measure, system, other, self.query_ids[row], one, another, one - another)

    def anova(self, measure: str | Measure, *, replicates: Literal["seed", "shard"] = "seed") -> Anova:
        """The analysis of variance by system and query, or cluster; see `statistics.balanced_anova`.

        Where systems have several results, it is by seeds, too: queries and seeds are random then, and seeds
        each system's own.

        Args:
            measure: one that was compared.
            replicates: what several results of a system are: its seeds, or the same shards of the collection
                for all systems, in the same order.

        Raises:
            DataError: the systems have not the same number of results.

        """
        own = list(self._data.terms[self._of_queries(measure, "an analysis of variance")].values())
        check_choice("replicates", replicates, ("seed", "shard"))
        counts = {each.above.shape[1] for each in own}
        if counts == {1}:
            return statistics.two_way_anova(np.column_stack(exchangeable(own)), clusters=self.labels)
        if len(counts) > 1:
            several = " and ".join(map(str, sorted(counts)))
            raise DataError(f"systems have {several} results; an analysis of variance needs as many of each")
        there = np.all([each.there for each in own], axis=0)
        table = np.stack([each.at(there).linear_by_seed() for each in own], axis=1)
        unit, nested = "query", {"seed": "system"} if replicates == "seed" else None
        if self.labels is not None:
            unit, table = "cluster", by_clusters(table, self.labels[there])
        factors = (unit, "system", replicates)
        return statistics.balanced_anova(table, factors, random=(unit, replicates), nested=nested)

    def power(
        self, measure: str | Measure, *, power: float = 0.8, difference: float | None = None
    ) -> list[Power]:
        """What the paired t test could show of each pair, at the comparison's level and alternative.

        Clusters count as one query each, with the variance of the mean that they show. With several seeds it
        goes by what their variance could be, too, which few seeds say little of (`Crossed.detectable`).

        Args:
            measure: one that was compared.
            power: the chance of showing a true difference, 0 to 1.
            difference: the one to be shown; that observed if None.

        """
        found = self._of_queries(measure, "power")
        return [self._power(found, system, other, power, difference) for system, other in self.opponents]

    def _power(
        self, measure: Measure, system: str, other: str, power: float, difference: float | None
    ) -> Power:
        own = self.spread(measure, system, other)
        how: dict[str, Any] = {
            "alpha": self.plan.alpha,
            "power": power,
            "alternative": self.plan.alternative,
        }
        detectable = own.detectable(**how)
        wanted = own.mean if difference is None else difference
        needed = None
        if wanted and own.of_units > 0 and not own.seeded:
            needed = own.in_queries(statistics.queries_needed(wanted, own.of_units, **how))
        figures = own.queries, own.clusters, own.deviation, own.design_effect
        return Power(system, other, *figures, detectable, wanted, needed)

    def pair_terms(
        self, measure: Measure, system: str, other: str
    ) -> tuple[Terms, Terms, NDArray[Any] | None]:
        """What the queries with a value of both add to that of each, and their clusters."""
        return self._data.pair_terms(measure, system, other)

    def spread(self, measure: Measure, system: str, other: str) -> Spread:
        """How much the differences of two systems spread."""
        own, labels = self._data.differences(measure, system, other)
        return Spread(own, labels, self._data.crossed(measure, system, other, self.plan.seedless))

    def equivalence(self, measure: str | Measure, margin: float) -> dict[tuple[str, str], PairEquivalence]:
        """Two one-sided tests of each pair of a system and its baseline; see `statistics.equivalence`.

        They go by clusters and seeds, too, and are corrected for the pairs of all measures with this margin.
        """
        return self._equivalences(margin)[self._find(measure)]

    def bayes(
        self, measure: str | Measure, rope: float, *, method: PosteriorName = "t"
    ) -> dict[tuple[str, str], PairPosterior]:
        """How likely each system is to be worse, as good as or better than its baseline.

        Args:
            measure: one that was compared.
            rope: the region of practical equivalence, in the measure's unit: differences from −rope to rope
                do not matter; to be chosen before looking at the data. 0 for none.
            method: ``t``, Student's posterior (`statistics.student_posterior`), with seeds
                `statistics.posterior`; ``bootstrap``, the Bayesian bootstrap
                (`statistics.bootstrap_posterior`); or ``signed-rank``, of ranks and not of the mean
                (`statistics.signed_rank_posterior`).

        Raises:
            ChoiceError: no such method, or one that knows no seeds or clusters; or what is no region.

        """
        found = self._find(measure)
        check_rope(rope)
        check_reach("rope", rope, [found])
        return posteriors(self._data, self.plan, found, rope, method)

    def _equivalences(self, margin: float) -> dict[Measure, dict[tuple[str, str], PairEquivalence]]:
        check_margin(margin)
        check_reach("margin", margin, self.measures)
        return equivalences(self._data, self.plan, margin)

    def _find(self, measure: str | Measure) -> Measure:
        refuse_swapped(measure, self.systems, "pair(measure, system, baseline), value(system, measure)")
        first = next(iter(self.results.values()))[0]
        found = first._known(measure) or meant(measure, first.convention, first.kinds)
        if found not in self._data.values:
            raise UsageError(f"{found} was not compared; here are {', '.join(map(str, self.measures))}")
        return found

    def _known(self, system: str) -> str:
        if system not in self.results:
            hint = did_you_mean(str(system), self.systems)
            raise UsageError(f"{system!r} is not one of the systems {', '.join(self.systems)}{hint}")
        return system
