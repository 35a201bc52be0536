"""Is one system better than another? From per-query values alone, so that it serves every measure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from rankmark import statistics
from rankmark.comparing.pairs import Pair, PerQuery, Plan, judged_pairs
from rankmark.errors import ChoiceError, DataError, MeasureError, UsageError, did_you_mean
from rankmark.language.choices import UnseededChoices, given
from rankmark.language.conventions.convention import meant
from rankmark.language.grammar import split_measures
from rankmark.language.measure import Measure
from rankmark.language.names import as_measure
from rankmark.language.registry import MEAN
from rankmark.rendering.formats import counted
from rankmark.results.lists import Result
from rankmark.statistics.corrections import Correction
from rankmark.statistics.equivalence import Equivalence
from rankmark.statistics.intervals import Interval, IntervalName
from rankmark.statistics.resampling import Floats
from rankmark.statistics.significance import Alternative, TestName

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal, Unpack

    import polars as pl
    from numpy.typing import NDArray

    from rankmark.comparing.formats import ComparisonOptions
    from rankmark.comparing.slices import ComparisonSlices
    from rankmark.statistics.anova import Anova

__all__ = ["Comparison", "Mover", "Power", "check_comparable", "check_systems", "compare", "compare_results"]


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
        deviation: the standard deviation of their differences.
        detectable: the smallest true mean difference that they show with the power asked for.
        difference: the difference to be shown.
        needed: how many queries that takes; None where the difference or the deviation is 0.

    """

    system: str
    baseline: str
    queries: int
    deviation: float
    detectable: float
    difference: float
    needed: int | None


def compare(
    qrels: Any,
    runs: Mapping[str, Any],
    measures: str | Measure | Iterable[str | Measure],
    *,
    like: str | None = None,
    baseline: str | None = None,
    test: TestName = "randomisation",
    alternative: Alternative = "two-sided",
    correction: Correction | Literal["tukey"] = "holm",
    alpha: float = 0.05,
    interval: IntervalName = "bca",
    confidence: float = 0.95,
    clusters: str | Mapping[Any, Any] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    by: str | Sequence[str] | Mapping[Any, Any] | None = None,
    attributes: Any = None,
    **choices: Unpack[UnseededChoices],
) -> Comparison:
    """Evaluates several systems and says which differences between them are more than chance.

    Args:
        qrels: the judgements, as for `evaluate`; they are read once.
        runs: the results of each system by its name, as for `evaluate`. A list of paths or tables is one
            system
            with several seeds: its values are the means over them, and intervals draw seeds as well as
            queries.
        measures: as for `evaluate`.
        like: a convention, as for `evaluate`.
        baseline: the system with which all others are compared; all pairs if None.
        test: ``randomisation`` (random signs; exact where feasible), ``t``, ``wilcoxon``, ``sign`` or
            ``bootstrap`` (shifted).
        alternative: ``two-sided``, or that the system's values are ``greater`` or ``less`` than the other's.
        correction: of the p-values over all systems and measures: ``holm``, ``hochberg``,
            ``benjamini-hochberg``, ``bonferroni``, ``sidak``, ``none``; or ``tukey``, the randomised Tukey
            HSD test of all systems of a measure, which corrects for these and not for several measures.
        alpha: the level below which a corrected p-value is significant.
        interval: ``bca``, ``percentile`` (bootstrap) or ``t``.
        confidence: of the intervals, 0 to 1.
        clusters: what a query belongs to, such as its user: ``{query: user}``, or a column of the attributes,
            of the judgements or of the first run. Clusters are drawn, and change signs, as wholes.
        resamples: of the bootstrap and of tests that are not exact.
        seed: of these, and of ``ties="random"``.
        columns: as for `evaluate`.
        threads: how many to use; all cores if None. It changes no number.
        by: for `Comparison.slices`, as for `evaluate`: columns of the attributes, of the judgements or of the
            first run, or ``{query: slice}``.
        attributes: a table of queries, as for `evaluate`, for `by` and `clusters`.
        **choices: those of `evaluate`: ``ties``, ``missing``, ….

    Raises:
        UsageError: fewer than two systems, no such baseline, or a choice that there is not.
        DataError: a table that cannot be evaluated, or values that cannot be compared.

    Example:
        >>> import rankmark as rm
        >>> qrels = {f"q{i}": {"a": 1} for i in range(8)}
        >>> first = {query: ["a", "b"] for query in qrels}
        >>> second = {query: ["b", "a"] for query in qrels}
        >>> comparison = rm.compare(qrels, {"old": second, "new": first}, "RR", baseline="old")
        >>> pair = comparison.pair("RR", "new")
        >>> pair.difference, pair.p, pair.significant
        (0.5, 0.0078125, True)

    """
    from rankmark.api.evaluation import evaluate
    from rankmark.inputs import read_qrels
    from rankmark.inputs.attributes import read_columns

    plan = Plan(test, alternative, correction, alpha, interval, confidence, resamples, seed, threads)
    check_systems(runs, baseline)
    several_seeds = any(_are_seeds(run) and len(run) > 1 for run in runs.values())
    plan.check(clustered=clusters is not None, several_seeds=several_seeds)
    first = next(iter(runs.values()))
    tables = qrels, first[0] if _are_seeds(first) else first, attributes, columns
    column = None
    if isinstance(clusters, str):
        column, clusters = read_columns([clusters], *tables, argument="clusters"), None
    judged = read_qrels(qrels, columns)
    chosen = given(choices, UnseededChoices, compare)
    chosen |= {"like": like, "seed": seed, "columns": columns, "threads": threads}
    results = {
        name: [evaluate(judged, each, measures, **chosen) for each in (run if _are_seeds(run) else [run])]
        for name, run in runs.items()
    }
    if column is not None:
        clusters = _by_query(column, next(iter(results.values()))[0])
    comparison = _compared(results, None, baseline, plan, clusters)
    if by is None and (attributes is None or column is not None):
        return comparison
    from rankmark.results.slices import read_slices

    comparison.slices = comparison.by(read_slices(by, *tables))
    return comparison


def compare_results(
    results: Mapping[str, Result | Sequence[Result]],
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    baseline: str | None = None,
    test: TestName = "randomisation",
    alternative: Alternative = "two-sided",
    correction: Correction | Literal["tukey"] = "holm",
    alpha: float = 0.05,
    interval: IntervalName = "bca",
    confidence: float = 0.95,
    clusters: Mapping[Any, Any] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
) -> Comparison:
    """As `compare`, of results that exist.

    Args:
        results: what `evaluate` gave for each system, by its name; several of one system are its seeds. They
            are
            aligned by query; queries that not all have are left out, with a note.
        measures: which to compare; those that all results have if None.
        baseline: this and all others as for `compare`.
        test: see there.
        alternative: see there.
        correction: see there.
        alpha: see there.
        interval: see there.
        confidence: see there.
        clusters: ``{query: what it belongs to}``; see there.
        resamples: see there.
        seed: see there.
        threads: see there.

    Raises:
        UsageError: as `compare`; or no measure, or no query, that all results have.

    """
    plan = Plan(test, alternative, correction, alpha, interval, confidence, resamples, seed, threads)
    check_systems(results, baseline)
    listed = {name: _several(name, each) for name, each in results.items()}
    several_seeds = any(len(each) > 1 for each in listed.values())
    plan.check(clustered=clusters is not None, several_seeds=several_seeds)
    return _compared(listed, measures, baseline, plan, clusters)


def _several(name: str, given: Result | Sequence[Result]) -> list[Result]:
    """The results of a system, one a seed."""
    if isinstance(given, Result):
        return [given]
    if not isinstance(given, Sequence) or not given or not all(isinstance(each, Result) for each in given):
        raise UsageError(f"{name!r} is neither a Result nor several: {given!r}")
    return list(given)


def _are_seeds(run: Any) -> bool:
    """Whether it is a list of runs, and not one run as a list of rows."""
    return isinstance(run, list) and bool(run) and not isinstance(run[0], tuple | list)


def check_systems(systems: Mapping[str, Any], baseline: str | None) -> None:
    """Refuses what are no two or more systems by their names, and a baseline that is none of them."""
    if not isinstance(systems, Mapping):
        raise UsageError(f"the systems are a {type(systems).__name__}; give them by name: {{name: run, …}}")
    if wrong := [name for name in systems if not isinstance(name, str)]:
        raise UsageError(f"the name of a system is text, not {wrong[0]!r}")
    if len(systems) < 2:
        raise UsageError(f"{counted(len(systems), 'system')} to compare; give two or more")
    if baseline is not None and baseline not in systems:
        hint = did_you_mean(str(baseline), systems)
        raise UsageError(f"baseline={baseline!r} is not one of the systems {', '.join(systems)}{hint}")


def _compared(
    results: Mapping[str, Sequence[Result]],
    measures: str | Measure | Iterable[str | Measure] | None,
    baseline: str | None,
    plan: Plan,
    clusters: Mapping[Any, Any] | None,
) -> Comparison:
    every = [result for each in results.values() for result in each]
    asked = _asked(every, measures)
    query_ids, notes = _common_queries(every)
    values = {
        measure: {name: _values(each, measure, query_ids) for name, each in results.items()}
        for measure in asked
    }
    labels = None if clusters is None else _labels(query_ids, clusters)
    if len(every) > len(results):
        notes.append("p-values are of the means over these seeds, intervals of other seeds and queries, too")
    notes += _choice_notes(results, asked)
    return Comparison(
        results={name: tuple(each) for name, each in results.items()},
        baseline=baseline,
        plan=plan,
        query_ids=query_ids,
        values=values,
        labels=labels,
        notes=notes,
    )


def _asked(
    results: Sequence[Result], measures: str | Measure | Iterable[str | Measure] | None
) -> tuple[Measure, ...]:
    """The measures to compare."""
    common = [measure for measure in results[0].measures if all(measure in each for each in results)]
    listed = common if measures is None else _listed(measures)
    asked = tuple(dict.fromkeys(map(as_measure, listed)))
    if not asked:
        raise UsageError("there is no measure that all results have")
    for measure in asked:
        check_comparable(measure)
        for result in results:
            result.query_values(measure)  # refuses what was not evaluated
    return asked


def check_comparable(measure: Measure) -> None:
    """Refuses a measure whose value is another mean of the queries' values than the one compared."""
    if measure.mean == "geometric":
        others = {name: value for name, value in measure.parameters.items() if name != MEAN.name}
        plain = Measure(measure.name, others, measure.cutoff)
        raise MeasureError(f"{measure}: arithmetic means alone can be compared; compare {plain}")


def _listed(measures: str | Measure | Iterable[str | Measure]) -> Iterable[str | Measure]:
    if isinstance(measures, str):
        return split_measures(measures)
    return [measures] if isinstance(measures, Measure) else measures


def _common_queries(results: Sequence[Result]) -> tuple[list[Any], list[str]]:
    """The queries that all results have, in the order of the first, and a note if some have others."""
    lists = [result.query_ids for result in results]
    if all(each == lists[0] for each in lists[1:]):
        return list(lists[0]), []
    sets = [set(each) for each in lists]
    common = set.intersection(*sets)
    if not common:
        examples = ", ".join(repr(each[0]) for each in lists if each)
        raise DataError(f"the results have no query in common; they begin with the queries {examples}")
    left = len(set.union(*sets)) - len(common)
    note = f"{left:,} {'query is' if left == 1 else 'queries are'} not judged for all systems (left out)"
    return [query for query in lists[0] if query in common], [note]


def _values(results: Sequence[Result], measure: Measure, query_ids: Sequence[Any]) -> Floats:
    """The values of a system: [queries, seeds]."""
    columns = []
    for result in results:
        own, values = result.query_ids, result.query_values(measure)
        if own != query_ids:
            place = {query: row for row, query in enumerate(own)}
            values = values[[place[query] for query in query_ids]]
        columns.append(values)
    table = np.column_stack(columns)
    if np.isinf(table).any():
        first = query_ids[int(np.isinf(table).any(axis=1).argmax())]
        count = np.count_nonzero(np.isinf(table).any(axis=1))
        raise DataError(f"{measure} is infinite for {count} queries (such as {first!r}): they have no mean")
    return table


def _by_query(column: pl.DataFrame, like: Result) -> dict[Any, str]:
    """The value of each query that has one, of a frame of `read_columns`; ids are those of the result."""
    import polars as pl

    from rankmark.inputs.attributes import ids_like

    return dict(ids_like(column, pl.Series(like.query_ids[:1]).dtype).iter_rows())


def _labels(query_ids: Sequence[Any], clusters: Mapping[Any, Any]) -> NDArray[Any]:
    if not isinstance(clusters, Mapping):
        raise UsageError(f"clusters is of type {type(clusters).__name__}; give {{query: what it belongs to}}")
    missing = [query for query in query_ids if query not in clusters]
    if missing:
        queries = counted(len(missing), "query", "queries")
        raise DataError(f"clusters says nothing of {queries}, such as {missing[0]!r}")
    numbers = {label: number for number, label in enumerate(dict.fromkeys(clusters.values()))}
    return np.array([numbers[clusters[query]] for query in query_ids])


def _choice_notes(results: Mapping[str, Sequence[Result]], measures: Sequence[Measure]) -> list[str]:
    """What a reader should know of how the values were computed."""
    every = [result for each in results.values() for result in each]
    first = every[0].choices
    different = [name for name in first if any(result.choices[name] != first[name] for result in every)]
    notes = [f"the systems were not evaluated alike: {', '.join(different)} differ"] if different else []
    others = (measure for measure in measures if measure.page.aggregate != "mean")
    return notes + [
        f"{m}: the mean over queries, not the {m.page.aggregate} over all of them" for m in others
    ]


class Comparison:
    """Systems side by side: their means, the differences between them, and how sure these are.

    ``print(comparison)`` shows them.

    Attributes:
        pairs: every measure's pairs of systems with all figures; `table` has them as a polars frame.
        results: of each system, one a seed.
        baseline: the system with which all others are compared; None for all pairs.
        plan: which test, correction, intervals, resamples and seed.
        query_ids: the queries, in the order of `query_values`.
        notes: what a reader should know of how the results were brought together.
        slices: the pairs in slices of the queries, if `compare` was asked for them.

    """

    slices: ComparisonSlices | None = None

    def __init__(
        self,
        *,
        results: Mapping[str, tuple[Result, ...]],
        baseline: str | None,
        plan: Plan,
        query_ids: list[Any],
        values: Mapping[Measure, Mapping[str, Floats]],
        labels: NDArray[Any] | None,
        notes: Iterable[str] = (),
    ) -> None:
        self.results = results
        self.baseline = baseline
        self.plan = plan
        self.query_ids = query_ids
        self.notes = tuple(notes)
        self._data = PerQuery(values, self.opponents, labels)
        self._intervals, self.pairs = judged_pairs(self._data, plan)

    @property
    def systems(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.results)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was measured."""
        return tuple(self._data.values)

    @property
    def labels(self) -> NDArray[Any] | None:
        """The cluster of each query, by number; None where each stands for itself."""
        return self._data.labels

    @property
    def clusters(self) -> int | None:
        """How many clusters the queries are in; None where each stands for itself."""
        return None if self.labels is None else len(np.unique(self.labels))

    @property
    def opponents(self) -> list[tuple[str, str]]:
        """Which systems are compared: pairs of a system and its baseline."""
        if self.baseline is not None:
            return [(system, self.baseline) for system in self.systems if system != self.baseline]
        return [(system, other) for other, system in combinations(self.systems, 2)]

    def value(self, system: str, measure: str | Measure) -> float:
        """The mean of a system's values over the queries that have one; over seeds, too."""
        values = self._data.means[self._find(measure)][self._known(system)]
        there = ~np.isnan(values)
        return float(values[there].mean()) if there.any() else math.nan

    def interval(self, system: str, measure: str | Measure) -> Interval:
        """The confidence interval of `value`."""
        return self._intervals[self._find(measure), self._known(system)]

    def query_values(self, system: str, measure: str | Measure) -> Floats:
        """A system's value of each of `query_ids`, the mean over its seeds; NaN where it is left out."""
        values: Floats = self._data.means[self._find(measure)][self._known(system)]
        return values

    def pair(self, measure: str | Measure, system: str, baseline: str | None = None) -> Pair:
        """One system against another: the baseline of the comparison if none is named."""
        found, other = self._find(measure), self._known(baseline or self.baseline or self.systems[0])
        self._known(system)
        for pair in self.pairs:
            if (pair.measure, pair.system, pair.baseline) == (found, system, other):
                return pair
        pairs = ", ".join(f"{one} with {another}" for one, another in self.opponents)
        raise UsageError(f"{system!r} was not compared with {other!r}; compared are {pairs}")

    @cached_property
    def table(self) -> pl.DataFrame:
        """A row a measure and pair, a column each of its figures."""
        import polars as pl

        from rankmark.comparing.formats import record

        return pl.DataFrame([record(pair) for pair in self.pairs], infer_schema_length=None)

    @cached_property
    def differences(self) -> pl.DataFrame:
        """A row a measure, pair and query: both values and their difference.

        Null where a query is left out.
        """
        import polars as pl

        names = [*Mover._fields]
        frames = [
            pl.DataFrame(
                {
                    "measure": str(measure),
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
            for measure in self.measures
            for system, other in self.opponents
        ]
        return pl.concat(frames).select(names)

    def by(self, attributes: Any, *columns: str) -> ComparisonSlices:
        """Every pair in slices of the queries, with p-values corrected for all slices together.

        Args:
            attributes: the slice of each query, ``{query: slice}``, or a table of queries (also a path)
                with a column for each attribute.
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
        from rankmark.comparing.slices import compared_in_slices
        from rankmark.inputs.attributes import read_attributes

        found = read_attributes(attributes, columns)
        return compared_in_slices(self._data, self.query_ids, found, self.plan)

    def movers(self, count: int = 10, measure: str | Measure | None = None) -> list[Mover]:
        """The queries that changed most, of each measure (or one) and pair, the greatest change first."""
        if not isinstance(count, int) or count < 1:
            raise ChoiceError(f"count={count!r} is not a whole number from 1")
        measures = self.measures if measure is None else [self._find(measure)]
        return [
            mover
            for each in measures
            for system, other in self.opponents
            for mover in self._moved(each, system, other, count)
        ]

    def _moved(self, measure: Measure, system: str, other: str, count: int) -> Iterator[Mover]:
        values, others = self._data.means[measure][system], self._data.means[measure][other]
        change = np.abs(np.nan_to_num(values - others, nan=0.0))
        for row in np.argsort(-change, kind="stable")[:count]:
            if change[row]:
                one, another = float(values[row]), float(others[row])
                yield Mover(measure, system, other, self.query_ids[row], one, another, one - another)

    def anova(self, measure: str | Measure) -> Anova:
        """The two-way analysis of variance by system and query; see `statistics.two_way_anova`."""
        own = self._data.means[self._find(measure)]
        return statistics.two_way_anova(np.column_stack([own[system] for system in self.systems]))

    def power(
        self, measure: str | Measure, *, power: float = 0.8, difference: float | None = None
    ) -> list[Power]:
        """What the paired t test could show of each pair, at the comparison's level and alternative.

        Args:
            measure: one that was compared.
            power: the chance of showing a true difference, 0 to 1.
            difference: the one to be shown; that observed if None.

        """
        found = self._find(measure)
        return [self._power(found, system, other, power, difference) for system, other in self.opponents]

    def _power(
        self, measure: Measure, system: str, other: str, power: float, difference: float | None
    ) -> Power:
        own, _ = self._data.differences(measure, system, other)
        how: dict[str, Any] = {
            "alpha": self.plan.alpha,
            "power": power,
            "alternative": self.plan.alternative,
        }
        deviation = float(own.std(ddof=1)) if len(own) > 1 else math.nan
        detectable = statistics.detectable_difference(deviation, len(own), **how)
        wanted = difference if difference is not None else float(own.mean()) if len(own) else math.nan
        needed = statistics.queries_needed(wanted, deviation, **how) if wanted and deviation > 0 else None
        return Power(system, other, len(own), deviation, detectable, wanted, needed)

    def equivalence(self, measure: str | Measure, margin: float) -> dict[tuple[str, str], Equivalence]:
        """Two one-sided tests of each pair of a system and its baseline; see `statistics.equivalence`."""
        found, alpha = self._find(measure), self.plan.alpha
        equivalent = {}
        for system, other in self.opponents:
            own, labels = self._data.differences(found, system, other)
            equivalent[system, other] = statistics.equivalence(own, margin, alpha=alpha, clusters=labels)
        return equivalent

    def __str__(self) -> str:
        return self.to_table().rstrip("\n")

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.measures))
        found = sum(pair.significant for pair in self.pairs)
        return (
            f"<Comparison of {', '.join(self.systems)} by {shown}; "
            f"{found} of {len(self.pairs)} differences significant>"
        )

    def _repr_html_(self) -> str:
        from rankmark.comparing.formats import html

        return html(self)

    def format(self, name: str = "table", **options: Unpack[ComparisonOptions]) -> str:
        """The comparison as text.

        Args:
            name: ``table``, ``json``, ``csv``, ``markdown`` or ``latex``.
            **options: ``per_query=True`` adds the values of each query, ``movers=N`` the N queries that
            changed
                most, ``margin=0.01`` the tests of equivalence within it; ``digits=4`` is how many are shown
                after the point (JSON and CSV show all).

        """
        from rankmark.comparing.formats import render

        return render(self, name, **options)

    def to_table(self, **options: Unpack[ComparisonOptions]) -> str:
        """Aligned tables for people, with an account of the test and of the queries; see `format`."""
        return self.format("table", **options)

    def to_json(self, **options: Unpack[ComparisonOptions]) -> str:
        """JSON: full precision and all figures; null where there is no value."""
        return self.format("json", **options)

    def to_csv(self, **options: Unpack[ComparisonOptions]) -> str:
        """CSV with full precision: a row a measure and pair, or with ``per_query=True`` a row a query."""
        return self.format("csv", **options)

    def to_markdown(self, **options: Unpack[ComparisonOptions]) -> str:
        """Markdown tables; see `format`."""
        return self.format("markdown", **options)

    def to_latex(self, **options: Unpack[ComparisonOptions]) -> str:
        r"""A LaTeX ``table`` of systems × measures, the test in its caption (needs the package booktabs).

        ``movers``, ``margin`` and ``per_query`` add nothing to it.
        """
        return self.format("latex", **options)

    def write(self, path: str | Path, name: str | None = None, **options: Unpack[ComparisonOptions]) -> None:
        """Write this to a file, whole or not at all; the path's ending says how unless `name` does."""
        from rankmark.rendering.formats import format_of, write_whole

        write_whole(path, self.format(name or format_of(path), **options))

    def _find(self, measure: str | Measure) -> Measure:
        first = next(iter(self.results.values()))[0]
        found = meant(measure, first.convention, first.kinds)
        if found not in self._data.values:
            raise UsageError(f"{found} was not compared; here are {', '.join(map(str, self.measures))}")
        return found

    def _known(self, system: str) -> str:
        if system not in self.results:
            hint = did_you_mean(str(system), self.systems)
            raise UsageError(f"{system!r} is not one of the systems {', '.join(self.systems)}{hint}")
        return system
