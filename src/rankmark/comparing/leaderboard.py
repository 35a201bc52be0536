"""Leaderboards: systems by their means over one collection or several, and which of them are told apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rankmark import statistics
from rankmark.aggregation.terms import BEYOND, exchangeable
from rankmark.comparing.boards import (
    POSTERIORS,
    TITLES,
    Board,
    BoardPair,
    BoardPosterior,
    BoardRow,
    BoardTest,
    Over,
)
from rankmark.comparing.compared import Compared
from rankmark.comparing.matrix import results_of_matrix
from rankmark.comparing.pairs import SystemValues, check_reach, direction
from rankmark.comparing.plan import ComparisonPlan
from rankmark.comparing.posteriors import PairPosterior, check_posterior
from rankmark.comparing.stored import opened
from rankmark.comparing.systems import check_systems, gathered
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, UsageError
from rankmark.inputs.places import Places
from rankmark.inputs.weights import Weighting, WeightsBy
from rankmark.language.measure import Measure
from rankmark.loading import is_saved, load
from rankmark.progress import reading
from rankmark.rendering.words import counted, letters
from rankmark.results.base import Result
from rankmark.results.runs import Runs, accounts
from rankmark.statistics.friedman import friedman_test, mean_ranks, nemenyi_test
from rankmark.statistics.groups import groups_of, rank_intervals
from rankmark.statistics.intervals import CAUTIONS, Made, made_interval
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Floats, check_drawn, check_share
from rankmark.statistics.seeds import Crossed, VariancePart
from rankmark.statistics.spread import apart
from rankmark.statistics.strata import (
    stratified_error,
    stratified_interval,
    stratified_t_test,
    weighed,
)

if TYPE_CHECKING:
    from rankmark.inputs.matrices import MatrixColumns
    from rankmark.language.registry import Better
    from rankmark.statistics.corrections import CorrectionName
    from rankmark.statistics.intervals import Bounds

__all__ = ["board"]


def board(
    collections: Any,
    measure: str | Measure | None = None,
    *,
    over: Over | None = None,
    test: BoardTest = "randomisation",
    correction: CorrectionName = "holm",
    alpha: float = 0.05,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    rope: float | None = None,
    posterior: BoardPosterior | None = None,
    threads: int | None = None,
    better: Better | None = None,
    columns: MatrixColumns | None = None,
    weights: WeightsBy = None,
    attributes: Any = None,
) -> Board:
    """A leaderboard: systems by one measure, with the ranks they can have and the groups not told apart.

    All pairs of systems are tested, and the p-values corrected. The ranks that a system can have are
    1 + those shown better than it, to k − those shown worse: with a correction that bounds the chance of any
    false positive, all of these intervals hold the true ranks at once. Two systems share a letter just if
    neither is shown better.

    Of several collections the value is the mean of theirs, each counting alike however many queries it has.
    Other draws can be of queries of these collections, where a query counts 1 / (C·n_c), with Student's
    interval by Satterthwaite's degrees of freedom; or of collections such as these, each of which is one
    value (Demšar 2006).

    Args:
        collections: the systems of one collection, or ``{collection: systems}``. The systems are a
            `Comparison`, results ``{system: result}``, or what `compare_matrix` takes as a matrix: a path
            (also of what was saved), a table or an array.
        measure: by which; needed where there are several.
        over: ``queries`` or ``collections``, of which other draws would be; by default queries.
        test: ``randomisation`` (random signs) or ``t`` of the differences between pairs; or ``nemenyi``, of
            mean ranks, which corrects for all pairs itself.
        correction: of the p-values, which of `rankmark.statistics.CORRECTIONS`; Nemenyi's takes none.
        alpha: the level below which a corrected p-value is significant.
        confidence: of the intervals, 0 to 1.
        resamples: of a randomisation test that is not exact.
        seed: of these.
        rope: the region of practical equivalence, in the measure's unit, to be chosen before looking at the
            data: each pair has a `posterior` then, how likely the difference is below −rope, from there to
            rope, and above.
        posterior: by which: ``t``, Student's of the difference with its standard error (the default); or
            ``signed-rank``, of ranks and not of the mean (`statistics.signed_rank_posterior`), over
            collections or the queries of one whose queries count alike.
        threads: how many to use; all cores if None.
        better: of a matrix, as for `compare_matrix`.
        columns: of a matrix, as for `compare_matrix`.
        weights: how much each query counts in the mean of a collection, as for `compare_results`: ``{query:
            weight}``, a Series, a column of the attributes, or values of the queries of the first system; of
            several collections ``{collection: weights}``. If None those that results have. Intervals, tests
            and mean ranks go by these means; Friedman's and Nemenyi's tests know no weights.
        attributes: a table of queries, for `weights`.

    Raises:
        UsageError: fewer than two systems; collections of different systems; one collection for
            ``over="collections"``; several measures of which none is named; a region that is none, or
            ``signed-rank`` of what does not count alike.
        DataError: results that cannot be compared.

    Source:
        J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006; for ranks
        and groups see `statistics.rank_intervals` and `statistics.groups_of`.

    Example:
        >>> import rankmark as rm
        >>> bm25, ours = [0.1, 0.3, 0.2, 0.5, 0.4, 0.2, 0.3], [0.4, 0.5, 0.4, 0.9, 0.6, 0.3, 0.7]
        >>> values = {"bm25": bm25, "ours": ours, "theirs": [0.3, 0.5, 0.5, 0.8, 0.7, 0.4, 0.6]}
        >>> [(row.system, row.ranks.low, row.ranks.high, *row.groups) for row in rm.board(values, "AP").rows]
        [('ours', 1, 2, 'a'), ('theirs', 1, 2, 'a'), ('bm25', 3, 3, 'b')]

    """
    check_choice("test", test, TITLES)
    check_share(alpha=alpha, confidence=confidence)
    check_drawn(resamples, seed, threads)
    check_posterior(rope, posterior, POSTERIORS)
    asked = None if measure is None else str(measure)
    named = _by_name(collections)
    if attributes is not None and weights is None:
        raise UsageError("attributes are of weights: say which of their columns these are")
    weighing, places = _weights_by_name(weights, named), Places(attributes=attributes)
    found = {
        name: _Collection.of(name, each, asked, better, columns, weighing[name], places)
        for name, each in named.items()
    }
    drawn = "queries" if over is None else over
    check_choice("over", drawn, ("queries", "collections"))
    if drawn == "collections" and len(found) < 2:
        raise UsageError('over="collections" of one collection: there is nothing to draw')
    if test == "nemenyi":
        alike = all(each.weights is None for each in found.values())
        _check_nemenyi(drawn, len(found), correction, alike=alike)
    plan = ComparisonPlan(
        test="t" if test == "nemenyi" else test,
        correction=correction,
        alpha=alpha,
        interval="t",
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        threads=threads,
    )
    return _Standing(found, drawn, test, plan, rope, posterior or "t").board()


def _check_nemenyi(over: str, collections: int, correction: str, *, alike: bool) -> None:
    """Refuses Nemenyi's test where blocks do not count alike, and another correction than its own."""
    if over == "queries" and not alike:
        raise UsageError(
            'test="nemenyi" counts all queries alike, and these have weights: choose test="randomisation"'
        )
    if over == "queries" and collections > 1:
        raise UsageError(
            'test="nemenyi" counts all queries alike, and the value all collections: choose '
            'over="collections", or test="randomisation"'
        )
    if correction not in ("holm", "none"):
        raise UsageError(f'test="nemenyi" corrects for all pairs itself: leave out correction="{correction}"')


def _by_name(collections: Any) -> dict[str, Any]:
    """Each collection's systems by its name; of one collection ``""``."""
    if not isinstance(collections, Mapping) or not collections:
        return {"": collections}
    values = list(collections.values())
    if any(isinstance(each, Result) or _are_values(each) for each in values):
        return {"": collections}
    return {str(name): each for name, each in collections.items()}


def _weights_by_name(weights: WeightsBy, collections: Mapping[str, Any]) -> Mapping[str, WeightsBy]:
    """What the queries of each collection weigh."""
    if weights is None or len(collections) == 1:
        return dict.fromkeys(collections, weights)
    if not isinstance(weights, Mapping) or set(weights) != set(collections):
        raise UsageError(
            f"weights of several collections are {{collection: weights}}, of {', '.join(collections)}; or "
            "give results that weigh, with_weights"
        )
    return weights


def _are_values(given: Any) -> bool:
    """Whether these are the values of one system, and not those of several."""
    if isinstance(given, Mapping):
        return any(not isinstance(each, Mapping | Result) and np.ndim(each) == 0 for each in given.values())
    if isinstance(given, list | tuple):
        return True
    return len(getattr(given, "shape", ())) == 1


@dataclass(frozen=True)
class _Collection:
    """One collection.

    Attributes:
        measure: what was measured.
        data: the values of its systems.
        notes: what a reader should know of how they were brought together.
        accounts: what happened to the queries of each.
        weighed: whether results weigh their queries.

    """

    measure: Measure
    data: SystemValues
    notes: tuple[str, ...]
    accounts: tuple[str, ...]
    weighed: bool

    @classmethod
    def of(
        cls,
        name: str,
        given: Any,
        measure: str | None,
        better: Better | None,
        columns: MatrixColumns | None,
        weights: WeightsBy,
        places: Places,
    ) -> _Collection:
        """That of a comparison, of results or of a matrix."""
        results = _results(given, measure, better, columns)
        check_systems(results, None)
        first = next(iter(results.values()))[0]
        weighting = Weighting.of(weights, places, first.query_ids)
        if weighting is not None:
            results = {
                system: [each.with_weights(weighting) for each in own] for system, own in results.items()
            }
        found = gathered(results, measure)
        if len(found.measures) > 1:
            raise UsageError(f"a board is of one measure; say which of {', '.join(map(str, found.measures))}")
        if found.measures[0].page.aggregate == "run":
            raise UsageError(
                f"{found.measures[0]} is of the whole run, and a board ranks systems on each query; compare "
                "shows their values with marks"
            )
        labels = given.labels if isinstance(given, Compared) else None
        if labels is not None:
            raise UsageError("a board knows no clusters of queries; compare knows them")
        systems = list(results)
        data = SystemValues.of(
            results, found.measures, found.query_ids, list(combinations(systems, 2)), labels
        )
        own = f"{name}: " * bool(name)
        told = accounts({system: each[0].account() for system, each in results.items()})
        return cls(
            found.measures[0],
            data,
            tuple(own + note for note in found.notes),
            tuple(own + line for line in told),
            weighting is not None or first.weights is not None,
        )

    @property
    def queries(self) -> int:
        """How many queries have a value of every system."""
        return int(np.count_nonzero(self.there))

    @property
    def there(self) -> Any:
        """Which these are."""
        return self.data.common[self.measure]

    def value(self, system: str) -> float:
        """The system's value of these queries."""
        return self.data.terms[self.measure][system].at(self.there).value()

    def linear(self, system: str) -> Floats:
        """Numbers of which this is the mean; see `Terms.linear`."""
        return self.data.terms[self.measure][system].at(self.there).linear()

    def exchanged(self, system: str, other: str) -> Floats:
        """What queries add to a difference, for tests that exchange the two; see `exchangeable`."""
        terms = self.data.terms[self.measure]
        return apart(*exchangeable([terms[name].at(self.there) for name in (system, other)]))

    @property
    def leverage(self) -> Floats | None:
        """How much of all each query stands for; None where all count alike."""
        return next(iter(self.data.terms[self.measure].values())).at(self.there).leverage()

    @property
    def weights(self) -> Floats | None:
        """Those of these queries; None where all count alike."""
        below = next(iter(self.data.terms[self.measure].values())).at(self.there).below
        return below[:, 0] if self.weighed and below is not None else None


def _results(
    given: Any, measure: str | None, better: Better | None, columns: MatrixColumns | None
) -> dict[str, Sequence[Result]]:
    given = load(given) if is_saved(given) else given
    if isinstance(given, Compared):
        return dict(given.results)
    given = given.results if isinstance(given, Runs) else given
    if isinstance(given, Mapping):
        given = {name: opened(each, Result) for name, each in given.items()}
    if isinstance(given, Mapping) and all(_is_seeds(each) for each in given.values()):
        return {name: [each] if isinstance(each, Result) else list(each) for name, each in given.items()}
    wanted = None if measure is None else [measure]
    return {name: [each] for name, each in results_of_matrix(given, wanted, better, columns).items()}


def _is_seeds(given: Any) -> bool:
    several = isinstance(given, list | tuple) and bool(given) and all(isinstance(e, Result) for e in given)
    return several or isinstance(given, Result)


class _Standing:
    """The work on a board."""

    def __init__(
        self,
        collections: Mapping[str, _Collection],
        over: str,
        test: BoardTest,
        plan: ComparisonPlan,
        rope: float | None,
        posterior: BoardPosterior,
    ) -> None:
        self.collections, self.over, self.test, self.plan = collections, over, test, plan
        self.rope, self.posterior = rope, posterior
        self.measure = next(iter(collections.values())).measure
        self._check_alike()
        self._check_units()
        if rope is not None:
            check_reach("rope", rope, [self.measure])
        if posterior == "signed-rank" and not self._alike:
            raise UsageError(
                'posterior="signed-rank" counts all queries alike, and these count as their collections or '
                'weights: choose posterior="t", or over="collections"'
            )
        names = next(iter(collections.values())).data.systems
        wholes = {name: [each.value(name) for each in collections.values()] for name in names}
        self.values = {name: float(np.mean(own)) for name, own in wholes.items()}
        self.sign = direction(self.measure)
        self.systems = sorted(names, key=lambda name: -self.sign * self.values[name])
        self.of_collections = np.array([wholes[name] for name in self.systems]).T

    def _check_alike(self) -> None:
        (first, one), *others = self.collections.items()
        for name, each in others:
            if set(each.data.systems) != set(one.data.systems):
                odd = min(set(each.data.systems) ^ set(one.data.systems))
                alone = first if odd in one.data.systems else name
                raise UsageError(
                    f"{first!r} and {name!r} have not the same systems: {odd!r} is in {alone} alone"
                )
            if each.measure != one.measure:
                raise UsageError(f"{first!r} is of {one.measure}, and {name!r} of {each.measure}")
        for name, each in self.collections.items():
            if each.queries < (1 if self.over == "collections" else 2):
                raise DataError(
                    f"{name or 'the collection'} has {counted(each.queries, 'query', 'queries')} with a "
                    "value of every system; a board takes two or more"
                )
            if any(own.shape[1] > 1 for own in each.data.values[self.measure].values()):
                raise UsageError("systems with several seeds are for compare; a board takes one of each")

    def _check_units(self) -> None:
        """Refuses collections of which some alone have values that the measure has none of, as per cent."""
        high = self.measure.bounds[1]
        if high is None:
            return
        most = {
            name: max(
                float(np.nanmax(own, initial=-np.inf)) for own in each.data.means[self.measure].values()
            )
            for name, each in self.collections.items()
        }
        beyond = [name for name, value in most.items() if value > high + BEYOND]
        if beyond and len(beyond) < len(most):
            other = next(name for name in most if name not in beyond)
            raise DataError(
                f"values of {self.measure} are up to {most[beyond[0]]:g} in {beyond[0]!r}, as in per cent"
                f", and up to {most[other]:g} in {other!r}: give those of all collections in the same unit"
            )

    def board(self) -> Board:
        """All of it."""
        with reading("comparing systems", None, None):
            pairs = self._pairs()
        better = np.zeros((len(self.systems),) * 2, dtype=bool)
        places = {name: place for place, name in enumerate(self.systems)}
        for pair in pairs:
            if pair.significant:
                ends = pair.system, pair.other
                one, other = ends if pair.difference * self.sign > 0 else ends[::-1]
                better[places[one], places[other]] = True
        friedman = friedman_test(self.sign * self._blocks()) if self._alike else None
        return Board(
            measure=self.measure,
            rows=tuple(self._rows(better)),
            pairs=tuple(pairs),
            collections={name: each.queries for name, each in self.collections.items()},
            over=self.over,
            test=self.test,
            plan=self.plan,
            friedman=friedman,
            rope=self.rope,
            posterior=self.posterior,
            weighed=self._weighed,
            accounts=tuple(line for each in self.collections.values() for line in each.accounts),
            notes=(
                *self._of_collections(),
                *(note for each in self.collections.values() for note in each.notes),
            ),
        )

    def _of_collections(self) -> Iterator[str]:
        """Which collections may be one given twice, and intervals over collections that say little."""
        same: dict[tuple[bytes, ...], list[str]] = {}
        for name, each in self.collections.items():
            own = each.data.means[self.measure]
            same.setdefault(tuple(own[system].tobytes() for system in self.systems), []).append(name)
        for names in same.values():
            if len(names) > 1:
                yield (
                    f"{', '.join(names)} have the same values of every system; if they are the same "
                    "collection given several times, it counts as evidence as often"
                )
        pairs = zip(self.systems, self.of_collections.T, strict=True)
        flat = [system for system, own in pairs if not np.ptp(own)]
        if self.over == "collections" and flat:
            yield f"{', '.join(flat)}: {CAUTIONS['alike']}"

    @property
    def _alike(self) -> bool:
        """Whether all blocks of which there are ranks count alike."""
        if self.over == "collections":
            return True
        return len(self.collections) == 1 and not self._weighed

    @property
    def _weighed(self) -> bool:
        """Whether some queries weigh more than others."""
        return any(each.weights is not None for each in self.collections.values())

    def _rows(self, better: Any) -> Iterator[BoardRow]:
        groups, ranks = groups_of(better), rank_intervals(better)
        ranked = self._mean_ranks()
        names = letters(len(groups))
        for place, system in enumerate(self.systems):
            value = self.values[system]
            own = [name for name, group in zip(names, groups, strict=True) if place in group]
            yield BoardRow(
                system,
                value,
                self._interval(system),
                1 + sum(self.sign * other > self.sign * value for other in self.values.values()),
                ranks[place],
                tuple(own),
                float(ranked[place]),
                dict(zip(self.collections, self.of_collections[:, place].tolist(), strict=True)),
            )

    def _blocks(self) -> Floats:
        """The values of each system in each query, or in each collection, without those it has not in all."""
        if self.over == "collections":
            return self.of_collections
        return np.concatenate(self._tables())

    def _tables(self) -> list[Floats]:
        """The values of each system in the queries of each collection."""
        return [
            np.column_stack([each.data.means[each.measure][name][each.there] for name in self.systems])
            for each in self.collections.values()
        ]

    def _mean_ranks(self) -> Floats:
        """Those of each collection, which count alike."""
        if self.over == "collections":
            return mean_ranks(self.sign * self.of_collections)
        weights = [each.weights for each in self.collections.values()]
        ranks = [
            mean_ranks(self.sign * table, own) for table, own in zip(self._tables(), weights, strict=True)
        ]
        return np.asarray(np.mean(ranks, axis=0))

    def _strata(self, system: str, other: str | None = None) -> list[Floats]:
        """What the mean of each collection is of, or of the difference to another system."""
        if self.over == "collections":
            place = self.systems.index(system)
            values = self.of_collections[:, place]
            return [values if other is None else values - self.of_collections[:, self.systems.index(other)]]
        return [
            each.linear(system) if other is None else each.linear(system) - each.linear(other)
            for each in self.collections.values()
        ]

    def _interval(self, system: str) -> Made:
        strata = self._strata(system)
        bounds = self._bounds(system)
        if self.over == "collections" or len(strata) > 1:
            ends = stratified_interval(strata, self._leverages, confidence=self.plan.confidence)
            return Made(*ends.within(bounds), "t")
        how: dict[str, Any] = {"confidence": self.plan.confidence, "draws": self.plan.draws}
        (leverage,) = self._leverages
        # With as many resamples as of its result alone.
        return made_interval("auto", strata[0], None, leverage, bounds=bounds, together=1, **how)

    @property
    def _leverages(self) -> list[Floats | None]:
        """What stands beside the values of `_strata`."""
        if self.over == "collections":
            return [None]
        return [each.leverage for each in self.collections.values()]

    def _bounds(self, system: str, other: str | None = None) -> Bounds:
        """Between which ends its value is, or its difference to another's, where all collections say so."""
        found = {each.data.bounds(each.measure, system, other) for each in self.collections.values()}
        return found.pop() if len(found) == 1 else (None, None)

    def _pairs(self) -> list[BoardPair]:
        """Each system against each that stands below it."""
        opponents = list(combinations(self.systems, 2))
        strata = [self._strata(*each) for each in opponents]
        p = self._p_values(strata, opponents)
        corrected = (
            p
            if self.test == "nemenyi"
            else statistics.corrected(p, cast("CorrectionName", self.plan.correction))
        )
        return [
            BoardPair(
                system,
                other,
                self.values[system] - self.values[other],
                stratified_interval(own, self._leverages, confidence=self.plan.confidence).within(
                    self._bounds(system, other)
                ),
                float(p[place]),
                float(corrected[place]),
                bool(corrected[place] <= self.plan.alpha),
                self._believed(self.values[system] - self.values[other], own),
            )
            for place, ((system, other), own) in enumerate(zip(opponents, strata, strict=True))
        ]

    def _believed(self, difference: float, strata: Sequence[Floats]) -> PairPosterior | None:
        """How likely the difference of a pair is in the region of practical equivalence."""
        if self.rope is None:
            return None
        if self.posterior == "signed-rank":
            drawn = {"resamples": self.plan.resamples, "seed": self.plan.seed}
            ranked = statistics.signed_rank_posterior(strata[0], self.rope, **drawn)
            return PairPosterior.of_ranks(ranked, difference, self.sign)
        error, freedom = stratified_error(strata)
        spread = VariancePart(error**2, freedom, sum(map(len, strata)))
        how = {"confidence": self.plan.confidence}
        return PairPosterior.of(
            statistics.posterior(Crossed(difference, spread), self.rope, **how), self.sign
        )

    def _p_values(self, strata: Sequence[Sequence[Floats]], opponents: Sequence[tuple[str, str]]) -> Floats:
        if self.test == "nemenyi":
            p = nemenyi_test(self.sign * self._blocks())
            places = {name: place for place, name in enumerate(self.systems)}
            return np.array([p[places[one], places[other]] for one, other in opponents])
        if self.test == "t":
            return np.array([stratified_t_test(own, self._leverages) for own in strata])
        if self.over == "queries":
            strata = [[each.exchanged(*pair) for each in self.collections.values()] for pair in opponents]
        table = np.column_stack([weighed(own) for own in strata])
        return statistics.randomisation_test(table, each=True, **self.plan.draws)
