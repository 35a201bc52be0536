"""Evaluates systems by labels of people on some queries and of a judge, such as a language model, on all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from rankmark.api.evaluation import evaluate
from rankmark.comparing.pairs import opponents
from rankmark.comparing.systems import check_systems
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, MeasureError, UsageError
from rankmark.inputs import read_shared
from rankmark.inputs.attributes import aligned, read_slices
from rankmark.inputs.places import Places
from rankmark.inputs.roles import check_names
from rankmark.inputs.tables.several import runs_by_name
from rankmark.judges.judged import JudgedValue, JudgeEvaluation
from rankmark.judges.labels import Labels
from rankmark.judges.sampled import COUNTS, FEW_DIFFERING, SampledItems
from rankmark.language.choices import GivenChoices, given
from rankmark.language.plan import Plan, check_threads, planned
from rankmark.rendering.words import counted
from rankmark.results.sliced import slice_members
from rankmark.statistics.bounded import gaffke_bound
from rankmark.statistics.corrections import corrected
from rankmark.statistics.independent import group_difference
from rankmark.statistics.intervals import CAUTIONS, Bounds, Interval, are_zero_one, bounds_of_difference
from rankmark.statistics.prediction_powered import (
    FEWEST_TUNED,
    PredictionPowered,
    Tuning,
    prediction_powered_mean,
    prediction_powered_strata,
)
from rankmark.statistics.resampling import check_share
from rankmark.statistics.spread import apart, deviations

if TYPE_CHECKING:
    from rankmark.comparing.systems import Baseline
    from rankmark.inputs import Input
    from rankmark.inputs.slicing import By
    from rankmark.language.measure import Measure
    from rankmark.results.lists import ListResult

__all__ = ["Queries", "check_plan", "evaluate_with_judge"]

Floats = NDArray[np.float64]
Values: TypeAlias = "Mapping[tuple[str, Measure], Floats]"
"""Of each system and measure those of queries."""
FEW = 10
"""Fewer labelled queries say too little of what the judge's labels are worth."""
SURELY = 0.01
"""Labelled queries that are so unlikely a random sample are said not to be one."""


def evaluate_with_judge(
    human_qrels: Any,
    judge_qrels: Any,
    run: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    like: str | None = None,
    baseline: Baseline = None,
    inclusion: str | None = None,
    strata: By = None,
    by: By = None,
    attributes: Any = None,
    finite: bool = False,
    power: float | None = None,
    tuning: Tuning = "shrunken",
    confidence: float = 0.95,
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    **choices: Unpack[GivenChoices],
) -> JudgeEvaluation:
    """Measures systems by labels of people on some queries and of a judge, such as a language model, on all.

    People's values on their queries say how far the judge is wrong, by which its mean over all queries is put
    right: prediction-powered inference, see `statistics.prediction_powered_mean`. The estimate is right on
    average however wrong the judge is, as people alone are, and the more certain the better the judge.

    The queries with labels of people have to be a random sample of those that the judge labelled, or of each
    stratum of them; and in these queries people are to label what the judge labelled, or a random sample of
    that (`inclusion`), of which a query's value is estimated by its items, see
    `statistics.difference_estimates`.

    Args:
        human_qrels: the labels of people, as `evaluate` takes judgements: of all items of some queries.
        judge_qrels: those of the judge: of all queries, also of those that people labelled.
        run: the results of one system, or of several by their names, as `evaluate` takes them.
        measures: one or several, means over queries.
        like: a convention, as in `evaluate`.
        baseline: with which of several systems all others are compared, or with which several; if None every
            two are.
        inclusion: where people labelled some items alone of each of their queries, drawn from those that the
            judge labelled: the column of `human_qrels` with the chance with which each was drawn, or
            ``"counts"`` where so many as there are were drawn of each query, all alike. Measures are then
            sums over items: P, DCG, CG and RBP.
        strata: what the sample of queries was drawn from, as for `by` one thing: each stratum may have its
            own share of labelled queries, two or more, and counts by how many queries it has.
        by: what to slice the queries by, as in `evaluate`.
        attributes: a path or table with a column of queries, for `by` and `strata`.
        finite: whether the values are those of these queries, and not of queries such as these, which is what
            intervals of `evaluate` are of.
        power: λ, how much the judge counts: 0 not at all, 1 as it is, more where it says too little of what
            sets queries apart; None for what the labels say is best of each value and each difference.
        tuning: how that is chosen, ``shrunken``, or ``plug-in`` as in PPI++, whose intervals are too short
            for few labelled queries.
        confidence: of the intervals, 0 to 1.
        columns: the columns to use, where their names do not say it.
        threads: how many threads to use; all cores if None.
        **choices: those of `evaluate`: ``ties``, ``missing``, ….

    Returns:
        Of each system and measure, each two systems and each slice the value with its interval, that by
        people alone, that by the judge alone, and by how much the judge is wrong.

    Raises:
        UsageError: an unknown measure or choice, or what is no baseline.
        MeasureError: a measure that is no mean over queries, or that leaves out queries by their labels.
        DataError: a table that cannot be evaluated as it is, no query with labels of both, or fewer than two
            of them.

    Source:
        A. N. Angelopoulos et al., "Prediction-powered inference", Science 382, 2023; and as
        `statistics.prediction_powered_mean`.

    Example:
        The judge is .5 too high on both queries that people labelled, too.

        >>> import rankmark as rm
        >>> judge = {q: {"a": 1, "b": 1} for q in ("p", "q", "r", "s")}
        >>> people = {"p": {"a": 1, "b": 0}, "q": {"a": 0, "b": 1}}
        >>> run = {q: ["a", "b"] for q in ("p", "q", "r", "s")}
        >>> found = rm.evaluate_with_judge(people, judge, run, "P@2", power=1).values[0]
        >>> found.judge, found.bias, found.value
        (1.0, 0.5, 0.5)

    """
    chosen = given(choices, GivenChoices, evaluate_with_judge)
    check_share(confidence=confidence)
    if isinstance(power, int | float) and power < 0:
        raise UsageError(f"power={power:g} is below 0: 0 leaves the judge out, and 1 takes it as it is")
    check_threads(threads)
    plan = planned(measures, like, chosen)
    check_plan(plan)
    runs = runs_by_name(run)
    systems: Mapping[str, Any] = {"run": run} if runs is None else runs
    baselines = check_systems(systems, baseline) if len(systems) > 1 else ()
    if len(systems) < 2 and baseline is not None:
        raise UsageError(f"baseline={baseline!r}: one system alone is compared with none")
    people, judge = (read_shared(each, "qrels", columns) for each in (human_qrels, judge_qrels))
    results = {name: read_shared(each, "run", columns) for name, each in systems.items()}
    names = [name for each in results.values() for name in each.names]
    check_names(columns, {"qrels": [*people.names, *judge.names], "run": names})
    labels = Labels.of(people, judge)
    sampled = None
    if inclusion is not None:
        if not isinstance(inclusion, str):
            raise UsageError(f'inclusion={inclusion!r} is no column of {people.name}, and not "counts"')
        if finite:
            raise UsageError("inclusion with finite: what labels of other items would be is not in its error")
        sampled = SampledItems.of(labels.people, judge, inclusion, human_qrels, columns)
    how: dict[str, Any] = {"like": like, "columns": columns, "threads": threads, **chosen}

    asked = measures if like else plan.measures

    def values(judgements: Input, name: str, **others: Any) -> ListResult:
        return evaluate(judgements, results[name], asked, **how | others)

    by_judge = {name: values(judge, name) for name in results}
    first = next(iter(by_judge.values()))
    queries = [str(each) for each in first.query_ids]
    if sampled is None:
        # The run has the other queries, too.
        by_people = {name: values(labels.people, name, unjudged_queries="skip") for name in results}
        known = Queries.of(by_people, by_judge, queries)
    else:
        known = Queries.sampled(sampled, plan, results, by_judge, queries)
    places = Places(judge_qrels, next(iter(systems.values())), attributes, columns)
    estimating = _Estimating(
        known,
        None if strata is None else _strata(strata, places, first.query_ids),
        {"finite": finite, "power": power, "tuning": tuning, "confidence": confidence},
    )
    found = [estimating.value(name, measure) for measure in first.measures for name in results]
    pairs = opponents(list(results), baselines) if len(results) > 1 else []
    differences = [
        estimating.value(system, measure, other) for measure in first.measures for system, other in pairs
    ]
    sliced = [] if by is None else _sliced(estimating, by, places, first.query_ids, list(results))
    return JudgeEvaluation(
        values=tuple(found),
        differences=_corrected(differences),
        slices=tuple(sliced),
        confidence=confidence,
        labelled=estimating.labelled,
        queries=len(queries),
        signatures={
            each.label: _signed(first.signature(each), estimating, inclusion) for each in first.measures
        },
        notes=(*labels.notes(sampled=sampled is not None), *estimating.notes(found), *_told(by_judge)),
    )


def check_plan(plan: Plan) -> None:
    """Refuses measures that are no means over queries, and queries that are left out by their labels."""
    for measure in plan.measures:
        if measure.page.kind != "list" or not measure.is_mean_of_queries:
            raise MeasureError(
                f"{measure} is no mean over queries, of which some labelled ones are a sample; choose one "
                "that is, such as nDCG@10"
            )
        if plan.own.get(measure, plan.choices).no_relevant == "skip":
            raise MeasureError(
                f'{measure} with no_relevant="skip" leaves out queries by their labels, and people and judge '
                'leave out others: choose no_relevant="zero" or "one"'
            )


def _signed(signature: str, estimating: _Estimating, inclusion: str | None) -> str:
    """A measure's signature with how labels of people and of a judge came together."""
    *parts, version = signature.split("|")
    how = estimating.how
    judge = ["judge:prediction-powered", f"power:{how['tuning'] if how['power'] is None else how['power']}"]
    judge += ["strata:yes"] * (estimating.strata is not None)
    if inclusion is not None:
        judge.append("inclusion:counts" if inclusion == COUNTS else "inclusion:column")
    return "|".join([*parts, *judge, f"population:{'these' if how['finite'] else 'such'}", version])


@dataclass(frozen=True)
class Queries:
    """The values of queries by either labels.

    Attributes:
        labelled: which queries have labels of people.
        people: of each system and measure the values of these; of sampled items with the judge's help.
        alone: the same without it.
        judge: of each the values of all.
        differing: of sampled items, on how many that people labelled the judge differs; empty else.

    """

    labelled: NDArray[np.bool_]
    people: Values
    alone: Values
    judge: Values
    differing: Mapping[tuple[str, Measure], int] = field(default_factory=dict)

    @classmethod
    def of(
        cls, by_people: Mapping[str, ListResult], by_judge: Mapping[str, ListResult], queries: Sequence[str]
    ) -> Queries:
        """Those of results, the labelled queries in the order of all."""
        known = {name: list(map(str, result.query_ids)) for name, result in by_people.items()}
        people = {
            (name, measure): dict(zip(known[name], result.query_values(measure).tolist(), strict=True))
            for name, result in by_people.items()
            for measure in result.measures
        }
        found = cls._ordered(people, people, by_judge, queries)
        for key, values in found.people.items():
            apart = np.isnan(values) != np.isnan(found.judge[key][found.labelled])
            if apart.any():
                raise DataError(
                    f"{key[1].label} leaves out {counted(int(apart.sum()), 'query', 'queries')} by labels of "
                    "people or of the judge and not by the other's: of others nothing says whether they count"
                )
        return found

    @classmethod
    def sampled(
        cls,
        items: SampledItems,
        plan: Plan,
        results: Mapping[str, Input],
        by_judge: Mapping[str, ListResult],
        queries: Sequence[str],
    ) -> Queries:
        """Those of queries of which people labelled some items."""
        people, alone, differing = {}, {}, {}
        for name, result in by_judge.items():
            for measure in result.measures:
                own = dict(zip(queries, result.query_values(measure).tolist(), strict=True))
                chosen = plan.own.get(measure, plan.choices)
                found = items.values(results[name], measure, chosen, own)
                people[name, measure], alone[name, measure] = found.both, found.alone
                differing[name, measure] = found.differing
        return replace(cls._ordered(people, alone, by_judge, queries), differing=differing)

    @classmethod
    def _ordered(
        cls,
        people: Mapping[tuple[str, Measure], Mapping[str, float]],
        alone: Mapping[tuple[str, Measure], Mapping[str, float]],
        by_judge: Mapping[str, ListResult],
        queries: Sequence[str],
    ) -> Queries:
        known = next(iter(people.values()))
        labelled = np.array([query in known for query in queries])
        own = [query for query in queries if query in known]
        judge = {(name, measure): by_judge[name].query_values(measure) for name, measure in people}
        known_people, known_alone = (
            {key: np.array([values[query] for query in own]) for key, values in each.items()}
            for each in (people, alone)
        )
        return cls(labelled, known_people, known_alone, judge)


class _Strata(NamedTuple):
    """The number of each query's stratum, and their names."""

    numbers: NDArray[np.intp]
    names: list[str | None]

    def of(self, where: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        """The queries of each stratum that has some among these."""
        own = self.numbers[where]
        return [where[own == number] for number in np.unique(own)]

    def name(self, part: NDArray[np.intp]) -> str:
        """That of the stratum of these queries."""
        return self.names[self.numbers[part[0]]] or "(none)"


@dataclass(frozen=True)
class _Estimating:
    """How values of all queries are estimated.

    Attributes:
        queries: the values that are known.
        strata: those of the queries; None where there is one.
        how: what else `prediction_powered_mean` takes.

    """

    queries: Queries
    strata: _Strata | None
    how: Mapping[str, Any]

    @property
    def labelled(self) -> int:
        """How many queries have labels of people."""
        return int(np.count_nonzero(self.queries.labelled))

    def value(
        self,
        system: str,
        measure: Measure,
        baseline: str | None = None,
        members: NDArray[np.intp] | None = None,
        of: tuple[str, str | None] | None = None,
    ) -> JudgedValue:
        """A system's value, or what it is above another's.

        Args:
            system: the system.
            measure: by which.
            baseline: the other system.
            members: of these queries alone.
            of: the attribute of the slice that these are, and its value.

        """
        people, alone, judge = self._values(system, measure, baseline)
        where = np.arange(len(judge)) if members is None else members
        found = self._estimate(people, judge, where, **self.how)
        own = {"confidence": self.how["confidence"], "finite": self.how["finite"]}
        human = self._estimate(alone, judge, where, power=0.0, **own)
        bounds = measure.bounds if baseline is None else bounds_of_difference(measure.bounds, measure.bounds)
        bias, bias_ends = self._bias(apart(judge, people), judge, where, bounds_of_difference(bounds, bounds))
        (low, high), (human_low, human_high) = (each.interval.within(bounds) for each in (found, human))
        everywhere = judge[where][~np.isnan(judge[where])]
        return JudgedValue(
            measure=measure.label,
            system=system,
            baseline=baseline,
            by=None if of is None else of[0],
            slice=None if of is None else of[1],
            labelled=found.labelled,
            queries=found.labelled + found.unlabelled,
            value=found.value,
            low=low,
            high=high,
            p=None if baseline is None else found.p,
            corrected=None,
            human=human.value,
            human_low=human_low,
            human_high=human_high,
            judge=float(everywhere.mean()) if len(everywhere) else math.nan,
            bias=bias,
            bias_low=bias_ends.low,
            bias_high=bias_ends.high,
            power=found.power,
            effective=_effective(found, human),
            caution=found.caution,
        )

    def _bias(
        self, wrong: Floats, judge: Floats, where: NDArray[np.intp], bounds: Bounds
    ) -> tuple[float, Interval]:
        """How much higher than people the judge is on some queries, which count as those of people alone do.

        Where labelled queries are nearly alike, how they vary says nothing of others, and ends are Gaffke's
        bounds of what can be; there are none where that has no bounds.
        """
        confidence, finite = self.how["confidence"], self.how["finite"]
        found = self._estimate(wrong, judge, where, power=0.0, confidence=confidence, finite=finite)
        parts = [where] if self.strata is None else self.strata.of(where)
        own = [wrong[part][~np.isnan(wrong[part])] for part in parts]
        if not _are_few(np.concatenate(own)) or (finite and not found.unlabelled):
            return found.value, found.interval.within(bounds)
        least, most = bounds
        # What sampled items say of a query can be beyond what it is worth.
        if least is None or most is None or self.queries.differing:
            return found.value, Interval(math.nan, math.nan)
        sizes = np.array([np.count_nonzero(~np.isnan(judge[part])) for part in parts])
        tail = (1 + confidence) / 2
        high = [gaffke_bound(each, most=most, confidence=tail) for each in own]
        low = [-gaffke_bound(-each, most=-least, confidence=tail) for each in own]
        return found.value, Interval(*(float(np.average(each, weights=sizes)) for each in (low, high)))

    def _values(self, system: str, measure: Measure, baseline: str | None) -> list[Floats]:
        """What people with the judge, people alone and the judge say of each query; NaN for nothing."""
        found = []
        for values in (self.queries.people, self.queries.alone, self.queries.judge):
            own = values[system, measure]
            if baseline is not None:
                own = own - values[baseline, measure]
            everywhere = np.full(len(self.queries.labelled), np.nan)
            everywhere[slice(None) if values is self.queries.judge else self.queries.labelled] = own
            found.append(everywhere)
        return found

    def _estimate(
        self, people: Floats, judge: Floats, where: NDArray[np.intp], **how: Any
    ) -> PredictionPowered:
        """The mean of some queries."""
        parts = [where] if self.strata is None else self.strata.of(where)
        given = []
        for part in parts:
            chosen = self.queries.labelled[part]
            given.append((people[part[chosen]], judge[part[chosen]], judge[part[~chosen]]))
            if self.strata is not None and np.count_nonzero(~np.isnan(given[-1][0])) < 2 <= len(parts):
                raise DataError(
                    f"stratum {self.strata.name(part)} has fewer than 2 queries with labels of people; label "
                    "more of it, or put strata together that have so few"
                )
        if len(given) == 1:
            return prediction_powered_mean(*given[0], **how)
        return prediction_powered_strata(given, **how)

    def notes(self, found: Sequence[JudgedValue]) -> Iterator[str]:
        """What the estimates take for granted, and what speaks against them."""
        of = "all" if self.strata is None else f"each of {len(self.strata.names)} strata"
        yield f"queries with labels of people are taken for a random sample of {of}"
        if self.how["finite"]:
            yield "values and intervals are of these queries alone, and not of queries such as these"
        if self.labelled < FEW:
            yield (
                f"{self.labelled} queries with labels of people are too few for intervals that hold: label "
                f"{FEW} at least, better 30"
            )
        if self.labelled == len(self.queries.labelled):
            yield "people labelled all queries: there is nothing left for the judge to say"
            return
        yield from self._not_random()
        if alike := [each for each in found if not each.power and _is_constant(self, each)]:
            yield (
                f"the judge gives {alike[0].measure} of {alike[0].system} the same value in all queries that "
                "people labelled, and so counts for nothing (λ = 0)"
            )
        if unknown := [each for each in found if each.labelled > 1 and math.isnan(each.bias_low)]:
            yield (
                f"the judge's bias of {unknown[0].measure} of {unknown[0].name} has no interval: labelled "
                "queries are alike in it, and the measure has no bounds that say how far others can be off"
            )
        if few := {key: n for key, n in self.queries.differing.items() if n < FEW_DIFFERING}:
            (system, measure), count = min(few.items(), key=lambda each: each[1])
            yield (
                f"people and judge differ on {counted(count, 'item')} alone of those that people labelled "
                f"and that count for {measure.label} of {system}: with fewer than {FEW_DIFFERING} intervals "
                "may be too short; label more items"
            )
        for caution, why in CAUTIONS.items():
            if doubtful := [each for each in found if each.caution == caution and caution != "small"]:
                yield (
                    f"{len(doubtful)} of {counted(len(found), 'interval')}, as of {doubtful[0].measure}, may "
                    f"hold the truth more or less often: {why}"
                )

    def _not_random(self) -> Iterator[str]:
        """Whether what the judge says of labelled queries differs from what it says of others."""
        parts = [np.arange(len(self.queries.labelled))]
        if self.strata is not None:
            parts = self.strata.of(parts[0])
        tested = []
        for (system, measure), values in self.queries.judge.items():
            for part in parts:
                there = part[~np.isnan(values[part])]
                chosen = self.queries.labelled[there]
                found = group_difference(values[there[chosen]], values[there[~chosen]])
                tested.append((found.p, found.mean, system, measure))
        p = corrected([each[0] for each in tested], "holm")
        if np.isnan(p).all() or not (first := int(np.nanargmin(p)), p[first] <= SURELY)[1]:
            return
        _, difference, system, measure = tested[first]
        apart = f"{abs(difference):.3f} {'higher' if difference > 0 else 'lower'}"
        yield (
            f"queries with labels of people are hardly a random sample: by the judge {measure.label} of "
            f"{system} is {apart} in them than in the others (p = {p[first]:.2g}); label a random sample, or "
            "say by strata= what it was drawn from"
        )


def _are_few(wrong: Floats) -> bool:
    """Whether differences, two or more, are alike, or nearly so and none is another than −1, 0 or 1."""
    differing = len(wrong) - int(np.unique(wrong, return_counts=True)[1].max(initial=0))
    nearly = differing < FEWEST_TUNED and are_zero_one(np.abs(wrong))
    return len(wrong) > 1 and (nearly or not deviations(wrong).any())


def _is_constant(estimating: _Estimating, value: JudgedValue) -> bool:
    """Whether the judge says the same of all labelled queries."""
    for (system, measure), values in estimating.queries.judge.items():
        if (system, measure.label) == (value.system, value.measure):
            own = values[estimating.queries.labelled]
            own = own[~np.isnan(own)]
            return bool(len(own)) and bool((own == own[0]).all())
    return False


def _effective(found: PredictionPowered, human: PredictionPowered) -> float:
    """As many labelled queries have a mean of this standard error."""
    if not human.error > 0 or not found.error > 0:
        return float(found.labelled) if found.labelled else math.nan
    return found.labelled * (human.error / found.error) ** 2


def _strata(strata: By, places: Places, query_ids: Sequence[Any]) -> _Strata:
    """The stratum of each query."""
    frame = aligned(read_slices(strata, places, query_ids, "strata").frame, query_ids)
    if frame.width != 1:
        raise UsageError(f"strata are by one column, and these are by {', '.join(frame.columns)}")
    numbers, names = np.empty(frame.height, dtype=np.intp), []
    for number, (name, members) in enumerate(slice_members(frame.to_series())):
        numbers[members] = number
        names.append(name)
    return _Strata(numbers, names)


def _sliced(
    estimating: _Estimating, by: By, places: Places, query_ids: Sequence[Any], systems: Sequence[str]
) -> list[JudgedValue]:
    """The values of each system in slices of the queries."""
    frame = aligned(read_slices(by, places, query_ids).frame, query_ids)
    measures = dict.fromkeys(measure for _, measure in estimating.queries.judge)
    return [
        estimating.value(name, measure, members=members, of=(column.name, value))
        for column in frame.get_columns()
        for measure in measures
        for value, members in slice_members(column)
        for name in systems
    ]


def _corrected(differences: Sequence[JudgedValue]) -> tuple[JudgedValue, ...]:
    """The same with p-values that are corrected for all of them."""
    p = corrected([math.nan if each.p is None else each.p for each in differences], "holm")
    return tuple(replace(each, corrected=float(own)) for each, own in zip(differences, p, strict=True))


def _told(results: Mapping[str, ListResult]) -> Iterator[str]:
    """What results by the judge's labels say of queries, once for all systems that say the same."""
    lines: dict[str, list[str]] = {}
    for name, result in results.items():
        for line in result.account():
            lines.setdefault(line, []).append(name)
    for line, names in lines.items():
        yield line if len(names) == len(results) else f"{', '.join(names)}: {line}"
