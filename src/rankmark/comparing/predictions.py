"""Which of several systems' predictions of the same rows are better, and whether that is more than chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from rankmark.aggregation.intervals import IntervalMethod, Sampling, Unit
from rankmark.api.systems import evaluate_systems
from rankmark.comparing.caveats import skewed_lines
from rankmark.comparing.marks import Marks
from rankmark.comparing.pairs import (
    baseline_of,
    check_reach,
    corrected_pairs,
    finite,
    found_pair,
    numbers_of_pairs,
    opponents,
    refuse_swapped,
)
from rankmark.comparing.posteriors import (
    PairPosterior,
    beliefs,
    posterior_cells,
    posterior_header,
    posterior_line,
)
from rankmark.comparing.prediction_tests import PREDICTION_INTERVALS, PredictionPlan, PredictionTest, judged
from rankmark.comparing.prediction_words import (
    disagreement_lines,
    interval_line,
    least_lines,
    spread_lines,
    test_line,
)
from rankmark.comparing.slices import ComparisonSlices, SlicedPair
from rankmark.comparing.systems import Baseline, check_systems
from rankmark.dataclassing import dataclass
from rankmark.errors import CallError, did_you_mean
from rankmark.inputs.predictions.row_slices import sliced_by
from rankmark.inputs.predictions.systems import Columns, asked_systems
from rankmark.inputs.slicing import By
from rankmark.language.measure import Measure
from rankmark.language.written import differing, paper_column, with_best, written
from rankmark.progress import counting
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.numbers import Numbered, Parts
from rankmark.rendering.papers import PaperRow, PaperTable, PaperValue
from rankmark.rendering.records import Record
from rankmark.rendering.words import chance, listed, printable, rounded
from rankmark.results.prediction_slices import without_value
from rankmark.results.reported import Reported
from rankmark.results.runs import numbers_of
from rankmark.results.saved import Saved
from rankmark.statistics.chance import Evidence
from rankmark.statistics.corrections import CorrectionName
from rankmark.statistics.intervals import Interval
from rankmark.statistics.record import check_choice
from rankmark.statistics.significance import Alternative

if TYPE_CHECKING:
    import polars as pl

    from rankmark.api.evaluated import Evaluated
    from rankmark.api.systems import SystemsSlice
    from rankmark.results.predictions import PredictionResult

__all__ = ["PredictionComparison", "PredictionPair", "check_options", "compare_predictions"]


@dataclass(frozen=True, slots=True, repr=False)
class PredictionPair(Record):
    """One system against another on one measure; NaN where there is no value.

    Attributes:
        measure: what was measured.
        system: the one.
        baseline: the other.
        value: the system's value.
        baseline_value: the other's.
        difference: value − baseline_value.
        low: the lower end of the difference's confidence interval.
        high: the upper end.
        p: the chance of such a difference between systems that are equally good.
        corrected: the same, corrected for all tests of the comparison.
        significant: whether `corrected` is at most alpha.
        method: of the interval: ``delong-t``, ``delong``, ``tango``, ``delta``, ``bca`` or ``percentile``.
        resamples: how many resamples of the units it or the test drew; None for none.
        test: ``delong-t``, ``delong``, ``randomisation``, ``t``, ``bootstrap`` or ``mcnemar``.
        unit: what is taken for independent: ``queries`` or ``rows``.
        units: how many of them there are.
        groups: in how many random groups the test takes them; None for each by itself.
        evidence: what stands behind `p`: statistic, degrees of freedom, exact or drawn.
        posterior: how likely the system is to be worse, as good or better; None without a region of
            practical equivalence.

    """

    measure: Measure
    system: str
    baseline: str
    value: float
    baseline_value: float
    difference: float
    low: float
    high: float
    p: float
    corrected: float
    significant: bool
    method: IntervalMethod
    resamples: int | None
    test: PredictionTest = "bootstrap"
    unit: Unit = "rows"
    units: int = 0
    groups: int | None = None
    evidence: Evidence | None = None
    posterior: PairPosterior | None = None

    @property
    def interval(self) -> Interval:
        """From `low` to `high`."""
        return Interval(self.low, self.high)

    @property
    def figures(self) -> dict[str, Any]:
        """Everything by its name, also of the evidence and the posterior; NaN where there is no value."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        evidence, believed = named.pop("evidence"), named.pop("posterior")
        behind = {each.name: getattr(evidence, each.name, None) for each in fields(Evidence)}
        return named | behind | {"measure": self.measure.label} | beliefs(believed)


def compare_predictions(
    table: Any,
    scores: Columns | Mapping[str, Columns] | None,
    measures: str | Measure | Iterable[str | Measure],
    *,
    baseline: Baseline = None,
    test: PredictionTest | None = None,
    alternative: Alternative = "two-sided",
    correction: CorrectionName = "holm",
    alpha: float = 0.05,
    interval: IntervalMethod | None = None,
    confidence: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
    rope: float | None = None,
    by: By = None,
    attributes: Any = None,
    predicted: str | Mapping[str, str] | None = None,
    classes: Sequence[str | int] | None = None,
    **options: Any,
) -> PredictionComparison:
    """Says which differences between systems that scored the same rows are more than chance.

    What a test takes for independent are queries where there is a column of them, else rows. A measure is
    made of what each of these units moves its value by: of a mean over queries each one's value, of a
    function of sums over rows (LogLoss, PCOPC, Accuracy) what the unit adds to the sums times the derivative
    by them, of AUC DeLong's components, of any other (AveragePrecision, KS) the jackknife, over each unit or
    200 random groups of them. The tests are those of `compare` over the differences of these: random signs,
    which swap the systems unit by unit, Student's t, or resamples. Scores themselves are never swapped, so
    that systems may have scores on different scales.

    Args:
        table: as for `evaluate_predictions`, with the scores of all systems; or ``{system: table}``, tables
            of the same rows. These are matched by query and item where all tables have both and no pair of
            them stands twice, in any order, else by position, where also queries and items have to agree.
            Labels and weights have to agree.
        scores: the column of each system's scores, ``{system: column}``, or a list of columns with the scores
            of each class; of several tables also what all of them have, or None for the usual names.
        measures: as for `evaluate_predictions`.
        baseline: the system, or several, with which all others are compared; all pairs if None.
        test: ``randomisation`` (random signs; exact where feasible), ``t``, ``bootstrap`` (shifted, of
            resampled units, which needs some 50 of them), or of AUC alone ``delong-t`` or ``delong``, which
            compares with the normal distribution as pROC does (see `statistics.delong_test`), or of Accuracy
            over rows ``mcnemar``, the mid-p McNemar test, of which random signs are the exact one. None is
            ``delong-t`` of AUC, ``t`` of what the jackknife is for, and ``randomisation`` of all else.
        alternative: ``two-sided``, or that the system's values are ``greater`` or ``less`` than the other's.
        correction: of the p-values over all systems and measures, which of `rankmark.statistics.CORRECTIONS`
            (``none`` is one).
        alpha: the level below which a corrected p-value is significant.
        interval: of differences: ``delta``, Student's t of what each unit moves the difference by, ``bca`` or
            ``percentile``, or of AUC ``delong-t`` or ``delong``; None is ``delong-t`` of AUC, Tango's of
            Accuracy over rows (`statistics.tango_interval`) and ``delta`` of others.
        confidence: of the intervals, 0 to 1.
        resamples: as for `evaluate_predictions`, and of random signs where they are not exact.
        seed: of these.
        rope: the region of practical equivalence, in the measures' unit, to be chosen before looking at the
            data: each pair has a `posterior` then, how likely the difference is below −rope, from there to
            rope, and above, by Student's posterior with the standard error of the t tests
            (`statistics.student_posterior`; of AUC DeLong's).
        by: what to slice the rows by, for `PredictionComparison.slices`, as for `evaluate_predictions`; of
            several tables a column of the first that has it, or values of the rows of the first.
        attributes: as for `evaluate_predictions`, for `by`.
        predicted: the column of the classes that each system predicts, ``{system: column}``, or of several
            tables the one that all have; `scores` is None then.
        classes: as for `evaluate_predictions`.
        **options: what else `evaluate_predictions` takes: ``label``, ``query``, ``item``, ``weight``,
            ``group``, ``positive``, ``ties``, ``no_relevant``, ``duplicates``, ``short_lists``, ``like``,
            ``threads``; `group` is that of each table.

    Raises:
        UsageError: fewer than two systems, no such baseline, a choice that there is not, a test that is
            none of the measure, or a region that is none, or holds all that values can differ by.
        DataError: a table that cannot be evaluated, or several that are not of the same rows.

    Example:
        >>> import rankmark as rm
        >>> table = {"label": [1, 1, 1, 0, 0, 0], "old": [4, 1, 3, 2, 6, 5], "new": [6, 5, 2, 3, 1, 4]}
        >>> comparison = rm.compare_predictions(table, {"old": "old", "new": "new"}, "AUC", baseline="old")
        >>> (pair,) = comparison.pairs
        >>> round(pair.difference, 4), round(pair.p, 4)
        (0.5556, 0.2524)

        Of two tables, whose rows may be in any order:

        >>> old = {"user": [1, 1, 2, 2], "item": [7, 8, 7, 9], "y": [1, 0, 1, 0], "p": [0.4, 0.6, 0.7, 0.1]}
        >>> new = {"user": [2, 2, 1, 1], "item": [9, 7, 8, 7], "y": [0, 1, 0, 1], "p": [0.2, 0.9, 0.3, 0.8]}
        >>> comparison = rm.compare_predictions({"old": old, "new": new}, "p", "AUC", baseline="old")
        >>> comparison.pair("AUC", "new").difference
        0.25

    """
    asked = asked_systems(table, scores, predicted)
    baselines = check_systems(asked, baseline)
    if interval is not None:
        check_choice("interval", interval, PREDICTION_INTERVALS)
    sampling = Sampling(interval, confidence, resamples, seed, options.get("threads") or 0)
    plan = PredictionPlan(sampling, test, alternative, correction, alpha, rope)
    check_options("compare_predictions", options)
    first = next(iter(table.values()), None) if isinstance(table, Mapping) else table
    slicing = sliced_by(by, first, attributes, options.get("query"))
    found = evaluate_systems(asked, measures, plan.of_values, {**options, "classes": classes}, slicing)
    if rope is not None:
        check_reach("rope", rope, next(iter(found.systems.values())).result.measures)
    comparison = PredictionComparison.of(found.systems, baselines, plan, found.notes)
    if found.slices is not None:
        comparison.slices = comparison.in_slices(found.slices)
    return comparison


OPTIONS = frozenset(
    (
        *("label", "query", "item", "weight", "group", "positive", "ties", "no_relevant"),
        *("duplicates", "short_lists", "like", "threads"),
    )
)
"""What `compare_predictions` and `gate_predictions` pass on."""


def check_options(function: str, options: Mapping[str, Any]) -> None:
    """Refuses what is none of them, as Python would."""
    if unknown := options.keys() - OPTIONS:
        name = min(unknown)
        near = did_you_mean(name, OPTIONS)
        raise CallError(f"{function}() got an unexpected keyword argument {name!r}{near}")


class PredictionComparison(Saved, Numbered, Reported):
    """Systems that scored the same rows: their values, the differences between them, and how sure these are.

    ``print(comparison)`` shows them.

    Attributes:
        results: of each system, with intervals.
        baselines: the systems with which all others are compared; empty for all pairs.
        alternative: of the tests.
        correction: of the p-values.
        alpha: the level below which a corrected p-value is significant.
        test: which was asked for; None for the usual one of each measure.
        rope: the region of practical equivalence; None without one.
        pairs: every measure's pairs of systems.
        notes: what a reader should know of how several tables were brought together.
        slices: the pairs in slices of the rows, if they were asked for.

    """

    def __init__(
        self,
        results: Mapping[str, PredictionResult],
        baselines: tuple[str, ...],
        sampling: Sampling,
        alternative: Alternative,
        correction: CorrectionName,
        alpha: float,
        notes: tuple[str, ...] = (),
        pairs: tuple[PredictionPair, ...] = (),
        slices: ComparisonSlices[PredictionPair] | None = None,
        test: PredictionTest | None = None,
        rope: float | None = None,
    ) -> None:
        self.results = results
        self.baselines = baselines
        self.plan = PredictionPlan(sampling, test, alternative, correction, alpha, rope)
        self.notes = notes
        self.pairs = pairs
        self.slices = slices

    @classmethod
    def of(
        cls,
        systems: Mapping[str, Evaluated],
        baselines: tuple[str, ...],
        plan: PredictionPlan,
        notes: tuple[str, ...] = (),
        slices: int = 1,
    ) -> PredictionComparison:
        """The comparison of systems, of all rows or of those of one of so many slices."""
        how = (plan.sampling, plan.alternative, plan.correction, plan.alpha)
        results = {name: each.result for name, each in systems.items()}
        compared = cls(results, baselines, *how, notes, test=plan.test, rope=plan.rope)
        compared.pairs = tuple(compared._with_corrected(list(compared._judged(systems, slices))))
        return compared

    def _kept(self) -> dict[str, Any]:
        return {
            "results": self.results,
            "baselines": self.baselines,
            "sampling": self.plan.sampling,
            "alternative": self.alternative,
            "correction": self.correction,
            "alpha": self.alpha,
            "test": self.test,
            "rope": self.rope,
            "notes": self.notes,
            "pairs": self.pairs,
            "slices": self.slices,
        }

    @property
    def test(self) -> PredictionTest | None:
        """See the class."""
        return self.plan.test

    @property
    def alternative(self) -> Alternative:
        """See the class."""
        return self.plan.alternative

    @property
    def correction(self) -> CorrectionName:
        """See the class."""
        return self.plan.correction

    @property
    def alpha(self) -> float:
        """See the class."""
        return self.plan.alpha

    @property
    def rope(self) -> float | None:
        """See the class."""
        return self.plan.rope

    @property
    def systems(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.results)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was measured."""
        return next(iter(self.results.values())).measures

    @property
    def opponents(self) -> list[tuple[str, str]]:
        """Which systems are compared: pairs of a system and its baseline."""
        return opponents(self.systems, self.baselines)

    @property
    def table(self) -> pl.DataFrame:
        """A row a pair, with the columns of `PredictionPair`; null where there is no value."""
        import polars as pl

        rows = [finite(pair.figures) for pair in self.pairs]
        return pl.DataFrame(rows, infer_schema_length=None)

    def pair(self, measure: str | Measure, system: str, baseline: str | None = None) -> PredictionPair:
        """One system against another: the baseline of the comparison if none is named."""
        refuse_swapped(measure, self.systems, "pair(measure, system, baseline)")
        found = next(iter(self.results.values()))._find(measure)
        other = baseline or baseline_of(system, self.baselines, self.systems)
        return found_pair(self.pairs, found, system, other)

    def in_slices(self, slices: Iterable[SystemsSlice]) -> ComparisonSlices[PredictionPair]:
        """The pairs in these slices, with p-values corrected for all of them together."""
        found: list[SlicedPair[PredictionPair]] = []
        without: list[tuple[str, str, str | None]] = []
        for each in slices:
            alone = PredictionComparison.of(each.systems, self.baselines, self.plan, slices=each.slices)
            found += [SlicedPair(each.by, each.slice, each.rows, pair) for pair in alone.pairs]
            reasons = {(m, why) for result in alone.results.values() for m, why in result.undefined.items()}
            without += [(measure, why, each.slice) for measure, why in sorted(reasons)]
        corrected = self._with_corrected([each.pair for each in found])
        pairs = [replace(each, pair=pair) for each, pair in zip(found, corrected, strict=True)]
        lines = [
            f"low, high: {interval_line(self.plan, corrected)}",
            test_line(self.plan, corrected),
            *least_lines(self.plan, corrected),
            *spread_lines(corrected),
            *skewed_lines(corrected, self.alpha, self.alternative),
            *disagreement_lines(self.plan, corrected),
            *without_value(without),
        ]
        return ComparisonSlices(pairs, lines, self.baselines, self.alpha, lines[1])

    def _with_corrected(self, pairs: Sequence[PredictionPair]) -> list[PredictionPair]:
        return corrected_pairs(pairs, self.correction, self.alpha)

    def _judged(self, systems: Mapping[str, Evaluated], slices: int) -> Iterator[PredictionPair]:
        work = len(self.measures) * len(self.opponents)
        with counting("comparing systems", work) as counter:
            for measure in self.measures:
                for system, other in self.opponents:
                    of = systems[system], systems[other]
                    yield self._pair(measure, system, other, of, work * slices)
                    counter.done += 1

    def _pair(
        self, measure: Measure, system: str, other: str, of: tuple[Evaluated, Evaluated], tests: int
    ) -> PredictionPair:
        unit = of[0].unit_of(measure)
        test = self.plan.test_of(measure, of[0])
        found = judged(measure, of, test, self.plan, tests)
        value, baseline_value = (each.result[measure] for each in of)
        return PredictionPair(
            measure=measure,
            system=system,
            baseline=other,
            value=value,
            baseline_value=baseline_value,
            difference=value - baseline_value,
            low=found.interval.low,
            high=found.interval.high,
            p=float(found.p),
            corrected=math.nan,
            significant=False,
            method=found.method,
            resamples=found.resamples,
            test=test,
            unit=unit,
            units=found.units,
            groups=found.groups,
            evidence=found.p.evidence,
            posterior=found.posterior,
        )

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.measures))
        return f"<PredictionComparison of {', '.join(self.systems)} on {names}>"

    def _blocks(self, digits: int) -> Iterator[Block]:
        yield self._values(digits)
        yield self._grid(digits)
        if self.rope is not None:
            yield self._believed(digits, self.rope)
        yield Notes(self.account())
        if self.slices is not None:
            yield from self.slices._blocks(digits)

    def _paper(self, digits: int) -> Iterator[Block | PaperTable]:
        """The values; pairs and slices are tables of their own."""
        marks = Marks(self.systems, self.baselines, self.pairs, self.alpha)
        rows = [
            PaperRow(
                (marks.title(name),),
                [PaperValue(result[m], marks.of(name, m), _ends(result, m)) for m in self.measures],
            )
            for name, result in self.results.items()
        ]
        first = next(iter(self.results.values()))
        yield PaperTable(
            names=("system",),
            columns=list(map(paper_column, self.measures)),
            rows=rows,
            about=f"{listed([m.label for m in self.measures])} of {first.account()[0]}",
            legend=(marks.legend(), test_line(self.plan, self.pairs)),
            confidence=self.plan.sampling.confidence,
        )
        yield Notes(self.account()[:-1])
        if self.slices is not None:
            yield from self.slices._paper(digits)

    def _frame(self) -> pl.DataFrame:
        return self.table if self.slices is None else self.slices.frame

    def account(self) -> list[str]:
        """What the rows are, and how systems were compared."""
        first = next(iter(self.results.values()))
        differs = " ".join(["differs", *(f"from {printable(one)}" for one in self.baselines[:1])])
        if len(self.baselines) > 1:
            differs = "differs from the one against which it stands"
        return [
            "; ".join([first.account()[0], *self.notes]),
            *self._noticed(),
            f"intervals: {interval_line(self.plan, self.pairs)}",
            test_line(self.plan, self.pairs),
            *least_lines(self.plan, self.pairs),
            *spread_lines(self.pairs),
            *skewed_lines(self.pairs, self.alpha, self.alternative),
            *disagreement_lines(self.plan, self.pairs),
            *([] if self.rope is None else [posterior_line("t", 0, 0)]),
            f"* {differs} (p ≤ {self.alpha:g})",
        ]

    def _noticed(self) -> Iterator[str]:
        """What there is to notice in the results, and of which if not of all."""
        systems: dict[str, list[str]] = {}
        for name, result in self.results.items():
            for note in result.account()[1 : -1 if result.intervals else None]:
                systems.setdefault(note, []).append(name)
        for note, names in systems.items():
            yield note if len(names) == len(self.results) else f"{', '.join(map(printable, names))}: {note}"

    def _values(self, digits: int) -> Grid:
        rows = [
            [m.label, *with_best(m, (written(m, value, digits) for value in values), values)]
            for m in self.measures
            for values in [[result[m] for result in self.results.values()]]
        ]
        return Grid(1, [["measure", *map(printable, self.systems)], *rows], "Values")

    def _grid(self, digits: int) -> Grid:
        interval = f"{100 * self.plan.sampling.confidence:g}% interval"
        corrected = [] if self.correction == "none" else [f"p ({self.correction})"]
        header = ["measure", "system", "against", "difference", interval, "p", *corrected, ""]
        rows = [header, *(self._cells(pair, digits) for pair in self.pairs)]
        if len(self.baselines) != 1:
            return Grid(3, rows, "Differences")
        against = f"Differences (against {printable(self.baselines[0])})"
        return Grid(2, [[*row[:2], *row[3:]] for row in rows], against)

    def _cells(self, pair: PredictionPair, digits: int) -> list[str]:
        """A pair for people."""
        low, high = (rounded(each, f"+.{digits}f") for each in (pair.low, pair.high))
        corrected = [] if self.correction == "none" else [chance(pair.corrected, digits)]
        return [
            pair.measure.label,
            printable(pair.system),
            printable(pair.baseline),
            differing(pair.measure, pair.difference, digits, surely=pair.significant),
            f"{low} … {high}" if low else "",
            chance(pair.p, digits),
            *corrected,
            "*" if pair.significant else "",
        ]

    def _believed(self, digits: int, rope: float) -> Grid:
        """How likely each system is to be worse, as good or better."""
        titles = posterior_header(rope, self.plan.sampling.confidence, "t")
        rows = [["measure", "system", "against", *titles]]
        for pair in self.pairs:
            names = [pair.measure.label, printable(pair.system), printable(pair.baseline)]
            if pair.posterior is not None:
                rows.append([*names, *posterior_cells(pair.posterior, digits, "t")])
        return Grid(3, rows, "How likely each system is to be worse, as good or better")

    def _numbers(self) -> Mapping[Parts, float]:
        return numbers_of(self.results) | numbers_of_pairs(self.pairs)

    def _record(self) -> dict[str, Any]:
        return {
            "baselines": self.baselines,
            "test": self.test,
            "alternative": self.alternative,
            "correction": self.correction,
            "alpha": self.alpha,
            "rope": self.rope,
            "confidence": self.plan.sampling.confidence,
            "seed": self.plan.sampling.seed,
            "systems": {name: _system(result) for name, result in self.results.items()},
            "pairs": [pair.figures for pair in self.pairs],
            **({} if self.slices is None else {"slices": self.slices.records()}),
            "notes": list(self.notes),
        }


def _ends(result: PredictionResult, measure: Measure) -> tuple[float, float] | None:
    """The ends of the interval of a value, if there is one."""
    own = result.intervals.get(measure.label)
    return None if own is None else (own.low, own.high)


def _system(result: PredictionResult) -> dict[str, Any]:
    """A system's rows and values."""
    measures = {}
    for name, value in result.values.items():
        interval = result.intervals.get(name)
        measures[name] = {
            "value": value,
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
            "signature": result.signature(name),
            "undefined": result.undefined.get(name),
        }
    counts = {name: getattr(result.counts, name) for name in ("rows", "positive", "queries")}
    return {"counts": counts, "measures": measures}
