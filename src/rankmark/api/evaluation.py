"""The front door: inputs, plan, engine, result.

The module is not called `evaluate`, because importing it would put it in the place of the function on the
package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Unpack, overload

from rankmark.aggregation.finish import Finished, finished
from rankmark.aggregation.oddities import told_of_items, told_of_tables, told_of_vectors
from rankmark.aggregation.refusals import OfTables, refuse_other_items
from rankmark.api.finishing import Finish
from rankmark.engines import local
from rankmark.engines.selection import Engine, observe_with, selected
from rankmark.errors import MeasureError, UsageError
from rankmark.inputs import Input, read_shared
from rankmark.inputs.names import listed
from rankmark.inputs.places import Places
from rankmark.inputs.sampling import mark_of
from rankmark.inputs.tables.several import is_path, of_system, runs_by_name
from rankmark.language.choices import (
    Duplicates,
    GivenChoices,
    Missing,
    NoRelevant,
    Scores,
    ShortLists,
    Ties,
    Unjudged,
    UnjudgedQueries,
)
from rankmark.language.conventions.convention import departures
from rankmark.language.conventions.limits import Extent, Extents, Facts, TableFacts, no_extent
from rankmark.language.plan import AskedBounds, Plan, behind_bounds, check_threads, planned
from rankmark.results.lists import ListResult
from rankmark.results.runs import Runs

if TYPE_CHECKING:
    from rankmark.aggregation.state import Observation
    from rankmark.inputs.catalogue import Catalogue
    from rankmark.inputs.clusters import ClustersBy
    from rankmark.inputs.roles import ColumnNames, TableName
    from rankmark.inputs.slicing import By
    from rankmark.inputs.weights import Weighting, WeightsBy
    from rankmark.language.measure import Measure
    from rankmark.language.signature import ItemIds
    from rankmark.statistics.intervals import IntervalName

__all__ = [
    "NOT_LOOKED_AT",
    "departing",
    "evaluate",
    "evaluate_tables",
    "ranked",
    "refuse_bounds",
    "refuse_without_judgements",
    "result_of",
    "result_of_tables",
    "told_of_lists",
    "with_known",
]

NOTHING: Mapping[str, str] = MappingProxyType({})
NOT_LOOKED_AT = "lists were not looked at for items that are not candidates: rank these alone"
"""What is said of sampled candidates where no engine has whole tables."""


class _Options(GivenChoices, total=False):
    """The keyword arguments of `evaluate`."""

    like: str | None
    columns: Mapping[str, Any] | None
    threads: int | None
    engine: Engine | None
    memory: int | str | None
    bounds: AskedBounds
    hash_inputs: bool
    by: By
    attributes: Any
    weights: WeightsBy | Weighting
    intervals: bool | IntervalName
    confidence: float
    clusters: ClustersBy
    resamples: int
    items: Any
    train: Any


class _Table(Protocol):
    """A table of some library."""

    @property
    def columns(self) -> Any:
        """Its columns."""


SeveralRuns: TypeAlias = (
    Mapping[str, str]
    | Mapping[str, Path]
    | Mapping[str, Input]
    | Mapping[str, _Table]
    | Mapping[str, Mapping[Any, Mapping[Any, float]]]
)
"""The runs of several systems by their names."""


@overload
def evaluate(
    qrels: Any,
    run: SeveralRuns,
    measures: str | Measure | Iterable[str | Measure],
    **options: Unpack[_Options],
) -> Runs: ...


@overload
def evaluate(
    qrels: Any, run: Any, measures: str | Measure | Iterable[str | Measure], **options: Unpack[_Options]
) -> ListResult: ...


def evaluate(
    qrels: Any,
    run: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    like: str | None = None,
    ties: Ties | None = None,
    seed: int | None = None,
    missing: Missing | None = None,
    unjudged_queries: UnjudgedQueries | None = None,
    no_relevant: NoRelevant | None = None,
    duplicates: Duplicates | None = None,
    unjudged: Unjudged | None = None,
    scores: Scores | None = None,
    short_lists: ShortLists | None = None,
    candidates: str | None = None,
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    engine: Engine | None = None,
    memory: int | str | None = None,
    bounds: AskedBounds = False,
    hash_inputs: bool = False,
    by: By = None,
    attributes: Any = None,
    weights: WeightsBy | Weighting = None,
    intervals: bool | IntervalName = False,
    confidence: float = 0.95,
    clusters: ClustersBy = None,
    resamples: int = 10_000,
    items: Any = None,
    train: Any = None,
) -> ListResult | Runs:
    """Measures how well a run ranks what the judgements call relevant.

    `qrels` and `run` are a path (TREC text, CSV, TSV, JSON, Parquet, Arrow; also gzip or zstd; also a
    glob), a table of polars, pandas, pyarrow, DuckDB or whatever else speaks the Arrow PyCapsule
    interface, a dict of dicts ``{query: {item: value}}``, a dict of lists ``{query: [best item, …]}``,
    an iterable of tuples or of dicts, or what `read_qrels` and `read_run` made of one of these. They are
    never changed. Several runs by their names, ``{"bm25": run, …}``, give a result each.

    Args:
        qrels: the judgements: query, item and, unless all are 1, relevance. None where there are none: then
            measures of what is recommended alone are computed, for all queries of the run.
        run: the results of one system: query, item and score (or rank).
        measures: names such as ``"nDCG@10"``, or measures such as ``rm.nDCG(gain="exp2") @ 10``: one or
            several; also several names in one text, ``"nDCG@10, AP"``.
        like: a convention, such as ``"ranx"``: the measures are that tool's, by its names or by the names
            here, and it decides the choices that are not given; see `conventions`.
        ties: the order of equal scores: ``item-desc``, trec_eval's rule, ``item-asc``, ``input`` (that of the
            rows), ``best`` or ``worst`` (the higher or the lower grade first), ``expected``, the mean over
            all orders, or ``random``. Here and below None is the convention's choice, or without one the
            word that stands first.
        seed: of ``ties="random"``, and of resamples.
        missing: what a judged query without results is: ``zero`` (evaluated as an empty list), ``skip`` (left
            out) or ``error``.
        unjudged_queries: what results for a query without judgements are: ``skip`` (left out and counted) or
            ``error``.
        no_relevant: what a query without relevant items is: ``zero``, ``skip`` (left out), ``one`` or
            ``error``.
        duplicates: what the same item twice in one list, or judged twice, is: ``error``, or of its rows the
            ``first`` or the ``best`` counts.
        unjudged: what unjudged items are: ``nonrelevant``, or ``ignore`` takes them out of the lists, or
            ``relevant``, each one more that there was to find.
        scores: the precision in which scores are compared: ``float64`` or ``float32``.
        short_lists: what a query is whose list has fewer items than a measure's cutoff: ``keep``, one like
            others, or ``skip``, left out of it and counted.
        candidates: what was ranked, for the signature and a note: ``all`` items, or ``sampled-99``, the
            relevant items and 99 sampled others; then lists with other items are refused. If None what
            `sample_candidates` drew says itself, as judgements or the Parquet file of them; say ``all`` of a
            run that ranks all items all the same.
        columns: the columns to use, where their names do not say it: ``{"query": "person"}``, or for
            one table alone ``{"run.query": "person"}``.
        threads: how many threads to use; all cores if None.
        engine: ``local`` reads both tables into memory, but a large Parquet file of results whose queries
            stand together piece by piece, ``stream`` reads files (Parquet, CSV, TSV, TREC text) in batches
            and keeps only the values of each query. If None, ``stream`` for files that are together larger
            than half the free memory, and that it can read.
        memory: about how much of it ``stream`` may use: bytes, or a text such as ``"2GiB"``, which is what
            None means.
        bounds: True or ``ties`` evaluates under ``ties`` ``worst``, ``expected`` and ``best`` as well, for
            `Result.bounds`: three more evaluations of tables that have been read. ``unjudged`` finds the
            lowest and the highest value over all that items could be that are in lists and that nobody
            judged: each any grade up to the highest of its query's judgements (relevant at least), or to
            another, ``unjudged=3``.
        hash_inputs: whether to hash what the tables hold, for `Result.inputs`; takes longer than evaluating.
        by: what to slice the queries by, for `Result.slices`: one column or several (each for itself) of
            `attributes`, `qrels` or `run`, the first of these that has it, with one value in all rows of a
            query; ``{query: slice}``, a pandas Series with the queries in its index, or a function of a
            query; or a series or an array of a value a row of `qrels`. A pandas Series whose index is that of
            `qrels`, or only numbers rows, has a value a row, too.
        attributes: a path or table with a column of queries, for `by`, `weights` and `clusters`; where
            queries are users, the table of users, with columns such as their country.
        weights: how much each judged query counts in means, Σ w·v / Σ w, such as how often it is asked: a
            column, as for `by`, ``{query: weight}``, or a series or an array of a value a row of `qrels`; 0
            or more, and one for every query. Intervals and slices go by these means. Measures that are no
            means over queries know no weights.
        intervals: whether to give confidence intervals, for `Result.intervals`, over queries: True takes
            Wilson's where values are 0 and 1, the studentised bootstrap where they are skewed, and else t; or
            one of `rankmark.statistics.INTERVALS`. What speaks against an interval its `note` says.
        confidence: the share of intervals that hold the true value, 0 to 1.
        clusters: what a query belongs to, such as its user, over which intervals are then: a column, as for
            `by`, or ``{query: user}``; two of these in a list for clusters of two kinds.
        resamples: how many, for intervals that draw.
        items: for measures of what is recommended, the items that can be, and what they are like: what
            `catalogue` takes, or what it made of items and interactions.
        train: for these measures the interactions before, ``{user: [item, …]}`` or a path or table of users
            and items: how popular items are, and what users had.

    Returns:
        The values, those of each query, and the account of the queries; of several runs that of each by its
        name, shown as one table.

    Raises:
        UsageError: an unknown measure, parameter or choice, or a file that is not there.
        DataError: a table that cannot be evaluated as it is, or lists with items that are not among sampled
            candidates.

    Example:
        >>> import rankmark as rm
        >>> qrels = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
        >>> run = {"q1": {"b": 0.9, "a": 0.8}, "q2": {"x": 0.3, "c": 0.2}}
        >>> result = rm.evaluate(qrels, run, ["nDCG@10", "RR"])
        >>> round(result["nDCG@10"], 4), result["RR"]
        (0.7453, 0.75)

    """
    given = {
        "ties": ties,
        "seed": seed,
        "missing": missing,
        "unjudged_queries": unjudged_queries,
        "no_relevant": no_relevant,
        "duplicates": duplicates,
        "unjudged": unjudged,
        "scores": scores,
        "short_lists": short_lists,
        "candidates": ranked(candidates, qrels),
    }
    plan = planned(measures, like, given, items=True)
    check_threads(threads)
    plan, known = with_known(plan, items, train, columns, judged=qrels is not None, aspects=True)
    refuse_bounds(plan, bounds=bounds)
    if qrels is None:
        refuse_without_judgements(plan)
    slicing, of_tables = None, False
    if by is not None:
        from rankmark.inputs.slicing import ByColumns, ByRows, understood

        slicing = understood(by, qrels)
        of_tables = isinstance(slicing, ByRows) or (isinstance(slicing, ByColumns) and attributes is None)
    if of_tables and engine == "stream":
        raise UsageError(
            'slices by a column or rows of qrels or run read it whole; give attributes= with engine="stream"'
        )

    of_samples = plan.of_samples
    if of_samples is not None and engine == "stream":
        raise UsageError(f'{of_samples} reads judgements of a sample whole: use engine="local"')

    named = runs_by_name(run)
    shared = qrels
    if named is not None and qrels is not None and not is_path(qrels):
        shared = read_shared(qrels, "qrels", columns)

    def of_run(results: Any) -> ListResult:
        judged = shared
        tables: dict[TableName, Any] = (
            {"run": results} if judged is None else {"qrels": judged, "run": results}
        )
        chosen = "local" if of_tables or of_samples else selected(engine, memory, tables)
        places = Places(qrels, results, attributes, columns)
        if judged is None and chosen == "local":
            results = read_shared(results, "run", columns)
            judged = results.queries()
        finish = Finish.asked(
            plan,
            places,
            by=slicing,
            weights=weights,
            intervals=intervals,
            confidence=confidence,
            clusters=clusters,
            resamples=resamples,
            threads=threads,
            bounds=bounds,
        )
        made = result_of_tables(
            plan,
            observe_with(chosen).observe_sources(
                judged,
                results,
                plan.observed_groups(bounds=bounds),
                columns=columns,
                text_items=plan.text_items,
                threads=threads,
                memory=memory,
                hash_inputs=hash_inputs,
                known=known,
                extents=plan.convention is not None,
            ),
            bounds=bounds,
        )
        return finish.of(made)

    if named is None:
        return of_run(run)
    return Runs({name: of_system(name, of_run, results) for name, results in named.items()})


def ranked(candidates: str | None, qrels: Any) -> str | None:
    """What was ranked, as is said or as the judgements say themselves."""
    mark = mark_of(qrels)
    if mark and candidates not in (None, "all", mark):
        raise UsageError(f"candidates={candidates!r}, and qrels say that they are {mark}: leave it out")
    return candidates or mark


def refuse_bounds(plan: Plan, *, bounds: AskedBounds) -> None:
    """Refuses bounds that there are not, of measures of items, or of others of which they are not known."""
    if not bounds:
        return
    if plan.of_items:
        raise UsageError(
            f"{plan.of_items[0]} looks at items, and bounds are of orders by relevance: leave out one of them"
        )
    for choices, group in plan.groups():
        behind_bounds(bounds, choices, group)


def _refuse_expected(plan: Plan) -> None:
    """Refuses measures of items under the mean over all orders of equal scores, of which none has a form."""
    for choices, group in plan.groups():
        of_items = [measure for measure in group if measure.page.kind == "item"]
        if of_items and choices.ties == "expected":
            raise MeasureError(
                f"{of_items[0]} looks at items, and has no closed form of its mean over the orders of tied "
                'ones; choose one order, such as ties="item-desc", or ties="random" with several seeds'
            )


def with_known(
    plan: Plan,
    items: Any,
    train: Any,
    columns: ColumnNames | None = None,
    *,
    judged: bool = True,
    aspects: bool = False,
    argument: str = "items",
) -> tuple[Plan, Catalogue | None]:
    """What is asked, with what is known of items and of users before; None where that is not looked at.

    A measure of each group of items becomes one of every group that they are in.

    Args:
        plan: what is asked.
        items: what is known of items.
        train: the interactions before.
        columns: the columns that are said.
        judged: whether there are judgements.
        aspects: whether these can be of aspects.
        argument: what the caller's caller gives items as, for messages.

    Raises:
        UsageError: too little is known of items for a measure.
        MeasureError: one under ``ties="expected"``.

    """
    of_items = plan.of_items
    if not of_items and items is None and train is None:
        return plan, None
    if looking := [] if aspects else [measure for measure in of_items if measure.of_aspects]:
        raise of_arrays(looking[0])
    from rankmark.inputs.catalogue import each_group, known_items, refuse_unknowable

    known = known_items(items, train, columns)
    refuse_unknowable(of_items, known, judged=judged, argument=argument)
    _refuse_expected(plan)
    plan = replace(plan, measures=tuple(each_group(plan.measures, known)))
    return plan, known if any(measure.of_all_lists for measure in of_items) else None


def of_arrays(measure: Measure) -> UsageError:
    """The error for a measure of aspects of arrays."""
    return UsageError(
        f"{measure} looks at judgements of aspects, of which arrays of grades know nothing; give tables, to "
        "rm.evaluate, Evaluator.update or rm.spark.evaluate"
    )


def refuse_without_judgements(plan: Plan) -> None:
    """Refuses what needs judgements where there are none."""
    judged = [
        str(measure)
        for measure in plan.measures
        if measure.page.kind != "item" or {"judgements", "aspects"} & {*measure.needs}
    ]
    if judged:
        raise UsageError(
            f"without judgements there is no {listed(judged)}, but what looks at items alone, such as "
            "Novelty@10"
        )
    if plan.choices.unjudged != "nonrelevant":
        raise UsageError(f'without judgements there is no unjudged="{plan.choices.unjudged}"')
    if plan.choices.ties in ("best", "worst", "expected"):
        raise UsageError("without judgements there is no order of ties by grades")


def evaluate_tables(
    judgements: Input,
    results: Input,
    plan: Plan,
    *,
    threads: int | None = None,
    bounds: AskedBounds = False,
    hash_inputs: bool = False,
    known: Catalogue | None = None,
    of_candidates: bool = False,
) -> ListResult:
    """As `evaluate`, of tables that have been read and whose ids have the same types.

    Lists that are `of_candidates` are made of these, and not looked at for other items.
    """
    found = local.observation(
        judgements,
        results,
        plan.observed_groups(bounds=bounds),
        text_items=plan.text_items,
        threads=threads,
        hash_inputs=hash_inputs,
        known=known,
    )
    return result_of_tables(plan, found, bounds=bounds, of_candidates=of_candidates)


def result_of_tables(
    plan: Plan, found: Observation, *, bounds: AskedBounds = False, of_candidates: bool = False
) -> ListResult:
    """What an engine saw of judgements and results, as a result."""
    judgements, results = found.heads
    made = finished(plan, found.seen, OfTables(judgements, results), bounds=bounds)
    if not judgements.judges:
        made = made.of_the_run()
        notes: tuple[str, ...] = results.notes
    else:
        notes = (*judgements.notes, *results.notes, *made.notes)
    if isinstance(judgements, Input) and isinstance(results, Input) and judgements.judges:
        if not of_candidates:
            refuse_other_items(judgements, results, plan.sampled)
        notes = (*notes, *told_of_tables(judgements, results, *found.seen.order))
    elif judgements.judges and plan.choices.candidates != "all":
        notes = (*notes, NOT_LOOKED_AT)
    if plan.of_items:
        notes = (*notes, *told_of_lists(made))
    notes = (*notes, *departing(plan, made, found.extents, found.tables))
    return result_of(plan, made, item_ids=results.item_ids, inputs=found.inputs, notes=notes)


def told_of_lists(made: Finished) -> tuple[str, ...]:
    """What to say of lists that do not go together with what is known of their items."""
    seen = made.lists
    before = (lists for measure, lists in seen.items() if "train" in measure.needs)
    notes = () if (lists := next(before, None)) is None else told_of_items(lists)
    for measure, lists in seen.items():
        notes = (*notes, *(each for each in told_of_vectors(measure, lists) if each not in notes))
    return notes


def departing(
    plan: Plan, made: Finished, extents: Callable[[], Extents], tables: TableFacts | None = None
) -> tuple[str, ...]:
    """What keeps the numbers from being those of the tool whose convention is followed.

    Args:
        plan: what was asked.
        made: what it came to.
        extents: gives those of the grades and of the scores, which are looked at only where they decide.
        tables: looks at the whole tables, where they are here.

    Raises:
        DataError: the tool refuses such data.

    """
    if plan.convention is None:
        return ()
    from rankmark.aggregation.tops import TopsLookedAt

    looked_at = cache(extents)

    def grades() -> Extent | None:
        return looked_at()[0]

    def scores() -> Extent | None:
        return looked_at()[1]

    facts = {
        each: Facts(
            grades if each.page.kind == "list" or {"judgements", "aspects"} & {*each.needs} else no_extent,
            scores,
            tied=made.settled[each].tied or 0,
            duplicates=plan.own.get(each, plan.choices).duplicates != "error",
            tables=tables,
            lists=None if (lists := made.settled[each].lists) is None else TopsLookedAt(lists, each.cutoff),
            unanswered=made.missing,
            unjudged=made.unjudged if made.judged else 0,
        )
        for each in plan.measures
    }
    return departures(plan.convention, facts)


def result_of(
    plan: Plan,
    made: Finished,
    *,
    item_ids: ItemIds,
    k: int | None = None,
    inputs: Mapping[str, str] = NOTHING,
    notes: tuple[str, ...],
    of: Callable[..., ListResult] | None = None,
) -> ListResult:
    """What a plan came to, as a result: the one place where this is made.

    Args:
        plan: what was asked.
        made: what it came to.
        item_ids: what the items' ids were compared as.
        k: where lists were cut.
        inputs: hashes of the tables.
        notes: what a reader should know.
        of: what makes the result, if it is another than a `ListResult`.

    """

    def told() -> dict[str, Any]:
        return {
            "values": made.values,
            "per_query_values": made.per_query,
            "parts": made.parts,
            "query_ids": made.query_ids,
            "choices": plan.choices,
            "own_choices": plan.own,
            "counts": made.counts,
            "item_ids": item_ids,
            "convention": plan.convention,
            "k": k,
            "bounds": made.bounds,
            "inputs": inputs,
            "notes": notes,
            "lists": {m: lists for m, lists in made.lists.items() if m.page.aggregate == "run"},
        }

    return ListResult.lazily(made.values, told) if of is None else of(**told())
