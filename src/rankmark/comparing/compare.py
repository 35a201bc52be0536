"""Is one system better than another? From per-query values alone, so that it serves every measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from rankmark.calling import refuse_elsewhere
from rankmark.comparing.comparison import Comparison
from rankmark.comparing.open_differences import check_open, open_differences, told_of_open
from rankmark.comparing.plan import USUAL_TEST, ComparisonPlan
from rankmark.comparing.stored import beside_stored, each_alone, opened
from rankmark.comparing.systems import Baseline, are_seeds, brought_together, check_systems
from rankmark.comparing.unjudged import Holes
from rankmark.errors import UsageError
from rankmark.inputs.clusters import Clustering, ClustersBy, kinds_of
from rankmark.inputs.places import Places
from rankmark.inputs.slicing import By
from rankmark.inputs.weights import Weighting, WeightsBy
from rankmark.language.choices import UnseededChoices, given
from rankmark.language.measure import Measure
from rankmark.language.plan import planned, separate
from rankmark.progress import counting
from rankmark.results.base import Result
from rankmark.results.lists import ListResult
from rankmark.statistics.corrections import CorrectionName
from rankmark.statistics.intervals import IntervalName
from rankmark.statistics.significance import Alternative, TestName

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal

    from rankmark.results.runs import Runs


__all__ = ["compare", "compare_results"]

StoredResult: TypeAlias = "Result | str | Path"
"""A result, or the path where it was saved."""


def compare(
    qrels: Any,
    runs: Mapping[str, Any],
    measures: str | Measure | Iterable[str | Measure],
    *,
    like: str | None = None,
    baseline: Baseline = None,
    test: TestName | None = None,
    alternative: Alternative = "two-sided",
    correction: CorrectionName | Literal["tukey"] = "holm",
    alpha: float = 0.05,
    interval: IntervalName = "auto",
    confidence: float = 0.95,
    weights: WeightsBy = None,
    clusters: ClustersBy = None,
    seedless: str | Sequence[str] = (),
    resamples: int = 10_000,
    seed: int = 0,
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    test_options: Mapping[str, Any] | None = None,
    by: By = None,
    attributes: Any = None,
    items: Any = None,
    train: Any = None,
    bounds: str | Literal[False] = False,
    **choices: Unpack[UnseededChoices],
) -> Comparison:
    """Evaluates several systems and says which differences between them are more than chance.

    A measure of the whole run, such as coverage of the catalogue, has no values of queries. Its intervals and
    p-values are by what it is without each of some 100 blocks of queries, or of clusters, the same of all
    systems, which differ as pairs: random signs or t of what blocks add to the difference. They are of other
    queries of the same kind, as many as these.

    Args:
        qrels: the judgements, as for `evaluate`; they are read once. None where there are none.
        runs: the results of each system by its name, as for `evaluate`. A list of paths or tables is one
            system with several seeds: its values are the means over them, and intervals and p-values are of
            other queries and other seeds, by `statistics.crossed` in place of the default test and interval.
            A run can also be what `evaluate` gave for it, or a path where that was saved, which has to be of
            the same judgements and choices.
        measures: as for `evaluate`.
        like: a convention, as for `evaluate`.
        baseline: the system, or several, with which all others are compared; all pairs if None.
        test: which of `rankmark.statistics.TESTS`, whose records say what each assumes; None for the first of
            them, ``randomisation`` (random signs; exact where feasible), or ``t`` with several seeds or
            clusters of two kinds, of which no other knows.
        alternative: ``two-sided``, or that the system's values are ``greater`` or ``less`` than the other's.
        correction: of the p-values over all systems and measures, which of `rankmark.statistics.CORRECTIONS`
            (``none`` is one); or ``tukey``, the randomised Tukey HSD test of all systems of a measure, which
            corrects for these and not for several measures.
        alpha: the level below which a corrected p-value is significant.
        interval: which of `rankmark.statistics.INTERVALS`: ``auto`` takes Wilson's for a system's mean of 0
            and 1 and Tango's for the difference of two, the studentised bootstrap where values are skewed,
            and else t; `Pair.method` says which, and `Pair.caution` what speaks against it.
        confidence: of the intervals, 0 to 1.
        weights: how much each query counts in means, as for `evaluate`: a column of the attributes, of the
            judgements or of the first run, ``{query: weight}``, a series or an array. Differences, intervals
            and tests go by these means.
        clusters: what a query belongs to, such as its user: ``{query: user}``, or a column of the attributes,
            of the judgements or of the first run. Clusters are drawn, and change signs, as wholes. Two of
            these in a list where queries are in clusters of two kinds, such as topics and users: test and
            intervals are t then.
        seedless: the system, or several, whose one run depends on no seed, as that of BM25; without it, a
            system with one run is taken to vary by seeds as much as the one with several beside it.
        resamples: of the bootstrap and of tests that are not exact. Random signs draw on, up to a million
            times, where p-values are corrected for so many tests that these would be too few.
        seed: of these, and of ``ties="random"``.
        columns: as for `evaluate`.
        threads: how many to use; all cores if None. It changes no number.
        test_options: what else the test takes, such as ``{"zeros": "pratt", "method": "normal"}`` of
            Wilcoxon's, ``{"tie": 0.01}`` of the sign test or ``{"method": "monte-carlo"}`` of random signs;
            see the functions of `rankmark.statistics`.
        by: for `Comparison.slices`, as for `evaluate`: columns of the attributes, of the judgements or of the
            first run, ``{query: slice}``, a Series, a function, or values of the rows of the judgements.
        attributes: a table of queries, as for `evaluate`, for `by`, `weights` and `clusters`.
        items: for measures of what is recommended, as for `evaluate`.
        train: likewise.
        bounds: ``unjudged`` for `Comparison.bounds`: how low and how high each difference can be, whatever
            the items are that are in lists and nobody judged; ``unjudged=3`` says the highest grade. An item
            that both systems have has one grade. Exact for P, DCG, CG and RBP; for other measures the lowest
            value of the one less the highest of the other, between which and its opposite the difference is.
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
    from rankmark.inputs import read_shared
    from rankmark.inputs.catalogue import known_items

    refuse_elsewhere("compare", choices)
    plan = ComparisonPlan(
        USUAL_TEST if test is None else test,
        alternative,
        correction,
        alpha,
        interval,
        confidence,
        resamples,
        seed,
        threads,
        test_options=test_options or {},
    )
    runs = each_alone(runs)
    baselines = check_systems(runs, baseline)
    systems = {
        name: [opened(each, ListResult) for each in (run if are_seeds(run) else [run])]
        for name, run in runs.items()
    }
    plan = _settled(plan, systems, clusters, seedless, test)
    fresh = [run for own in systems.values() for run in own if not isinstance(run, ListResult)]
    if not fresh:
        raise UsageError("these are results, which need no judgements: compare_results compares them")
    places = Places(qrels, fresh[0], attributes, columns)
    clustering = Clustering.of(clusters, places)
    weighting = Weighting.of(weights, places)
    judged = None if qrels is None else read_shared(qrels, "qrels", columns)
    chosen = given(choices, UnseededChoices, compare)
    chosen |= {"like": like, "seed": seed, "columns": columns, "threads": threads, "weights": weighting}
    chosen["items"] = known_items(items, train, columns)
    measures = [*separate(measures)]
    if bounds:
        said = {**given(choices, UnseededChoices, compare), "seed": seed}
        open_plan = planned(measures, like, said, items=True)
        if judged is None or len(fresh) < len(systems) or weights is not None:
            raise UsageError("bounds take judgements, runs that are not saved results, and no weights")
        check_open(open_plan, bounds, systems)
        tables = {name: read_shared(own[0], "run", columns) for name, own in systems.items()}
        systems = {name: [table] for name, table in tables.items()}
    # A convention has no such measure.
    holes = Holes.of(judged, measures) if like is None else None
    asked = measures if holes is None else [*measures, holes.measure]
    with counting("evaluating systems", len(fresh)) as counter:

        def evaluated(run: Any, hashed: bool) -> ListResult:
            result: ListResult = evaluate(judged, run, asked, hash_inputs=hashed, **chosen)
            counter.done += 1
            return result if holes is None else holes.seen(result)

        results, notes = beside_stored(systems, evaluated)
    comparison = brought_together(results, None, baselines, plan, clustering)
    comparison.notes += tuple(notes)
    if bounds:
        assert judged is not None
        comparison.bounds = open_differences(judged, tables, open_plan, bounds, comparison.pairs)
        comparison.notes += tuple(told_of_open(comparison.bounds))
    elif holes is not None:
        comparison.notes += tuple(holes.notes(results, comparison.pairs))
    return _in_slices(comparison, by, places, clustering, weighting)


def compare_results(
    results: Mapping[str, StoredResult | Sequence[StoredResult] | Runs] | Runs | str | Path,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    baseline: Baseline = None,
    test: TestName | None = None,
    alternative: Alternative = "two-sided",
    correction: CorrectionName | Literal["tukey"] = "holm",
    alpha: float = 0.05,
    interval: IntervalName = "auto",
    confidence: float = 0.95,
    weights: WeightsBy = None,
    clusters: ClustersBy = None,
    seedless: str | Sequence[str] = (),
    resamples: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
    test_options: Mapping[str, Any] | None = None,
    by: By = None,
    attributes: Any = None,
) -> Comparison:
    """As `compare`, of results that exist.

    Args:
        results: what `evaluate` gave for each system, or a path where that was saved, by its name; several
            of one system are its seeds; or what it gave for several runs, or where that was saved. They are
            aligned by query; queries that not all have are left out, with a note.
        measures: which to compare; those that all results have if None.
        baseline: this and all others as for `compare`.
        test: see there.
        alternative: see there.
        correction: see there.
        alpha: see there.
        interval: see there.
        confidence: see there.
        weights: ``{query: weight}``, a Series with the queries in its index, a column of the attributes, or
            values of the queries of the first result; those that the results have if None.
        clusters: ``{query: what it belongs to}``, or a column of the attributes; see there.
        seedless: see there.
        resamples: see there.
        seed: see there.
        threads: see there.
        test_options: see there.
        by: for `Comparison.slices`: columns of the attributes, ``{query: slice}``, a Series, a function, or
            values of the queries that are compared, in the order of `Comparison.query_ids`.
        attributes: a table of queries, for `by`, `weights` and `clusters`.

    Raises:
        UsageError: as `compare`; or no measure, or no query, that all results have.

    """
    plan = ComparisonPlan(
        USUAL_TEST if test is None else test,
        alternative,
        correction,
        alpha,
        interval,
        confidence,
        resamples,
        seed,
        threads,
        test_options=test_options or {},
    )
    systems = each_alone(results)
    baselines = check_systems(systems, baseline)
    listed = {name: _several(name, each) for name, each in systems.items()}
    plan = _settled(plan, listed, clusters, seedless, test)
    places = Places(attributes=attributes)
    weighting = Weighting.of(weights, places, next(iter(listed.values()))[0].query_ids)
    if weighting is not None:
        listed = {name: [each.with_weights(weighting) for each in own] for name, own in listed.items()}
    clustering = Clustering.of(clusters, None if attributes is None else places)
    comparison = brought_together(listed, measures, baselines, plan, clustering)
    return _in_slices(comparison, by, places, clustering, weighting)


def _in_slices(
    comparison: Comparison, by: By, places: Places, *of_queries: Clustering | Weighting | None
) -> Comparison:
    """The comparison in slices, if they were asked for; attributes ask for them that nothing else needs."""
    of_columns = any(each is not None and each.of_columns for each in of_queries)
    if by is None and (places.attributes is None or of_columns):
        return comparison
    return comparison.in_slices(by, places)


def _settled(
    plan: ComparisonPlan,
    systems: Mapping[str, Sequence[Any]],
    clusters: Any,
    seedless: str | Sequence[str],
    test: TestName | None,
) -> ComparisonPlan:
    named = (seedless,) if isinstance(seedless, str) else tuple(seedless)
    counts = {name: len(runs) for name, runs in systems.items()}
    return plan.settled(
        clusters=len(kinds_of(clusters)), seeds=counts, seedless=named, chosen=test is not None
    )


def _several(name: str, given: StoredResult | Sequence[StoredResult]) -> list[Result]:
    """The results of a system, one a seed."""
    several = isinstance(given, Sequence) and not isinstance(given, str)
    found = [opened(each, Result) for each in (given if several else [given])]  # type: ignore[union-attr]
    if not found or not all(isinstance(each, Result) for each in found):
        raise UsageError(f"{name!r} is neither a Result nor several: {given!r}")
    return found
