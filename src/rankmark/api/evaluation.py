"""The front door: inputs, plan, engine, result.

The module is not called `evaluate`, because importing it would put it in the place of the function on the
package.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.engines import local
from rankmark.engines.selection import is_streamed
from rankmark.errors import ChoiceError, DataError, MeasureError, UsageError
from rankmark.inputs import read_inputs, with_text_items
from rankmark.language.choices import (
    Choices,
    Duplicates,
    Engine,
    Missing,
    NoRelevant,
    Scores,
    Ties,
    Unjudged,
    UnjudgedQueries,
)
from rankmark.language.conventions.convention import convention
from rankmark.language.measure import LISTS_FIRST, Kind, Measure, as_measure, namesakes, pages, split_measures
from rankmark.results.lists import Bounds, Counts, MeasureCounts, Result

if TYPE_CHECKING:
    from rankmark.aggregation.observed import Observed
    from rankmark.aggregation.state import Group
    from rankmark.inputs import Described, Input
    from rankmark.kinds.lists import Values
    from rankmark.language.signature import ItemIds

__all__ = [
    "LEAST_FACTOR",
    "Plan",
    "asked_measures",
    "check_answered",
    "check_threads",
    "evaluate",
    "evaluate_tables",
    "finished",
    "finished_tables",
    "planned",
    "separate",
    "some_queries",
    "tied_queries",
]


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
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    engine: Engine | None = None,
    memory: int | str | None = None,
    bounds: bool = False,
    hash_inputs: bool = False,
    by: str | Sequence[str] | Mapping[Any, Any] | None = None,
    attributes: Any = None,
) -> Result:
    """Measures how well a run ranks what the judgements call relevant.

    `qrels` and `run` are a path (TREC text, CSV, TSV, JSON lines, Parquet; also gzip or zstd; also a
    glob), a table of polars, pandas, pyarrow, DuckDB or whatever else speaks the Arrow PyCapsule
    interface, a dict of dicts ``{query: {item: value}}``, a dict of lists ``{query: [best item, …]}``,
    an iterable of tuples, or what `read_qrels` and `read_run` made of one of these. They are never changed.

    Args:
        qrels: the judgements: query, item and, unless all are 1, relevance.
        run: the results of one system: query, item and score (or rank).
        measures: names such as ``"nDCG@10"``, or measures such as ``rm.nDCG(gain="exp2") @ 10``: one or
            several; also several names in one text, ``"nDCG@10, AP"``.
        like: a convention, such as ``"ranx"``: the measures are that tool's, by its names or by the names
            here, and it decides the choices that are not given; see `conventions`.
        ties: the order of equal scores; ``item-desc`` is trec_eval's rule and the standard,
            ``expected`` the mean over all orders. Here and below None is the convention's choice, or
            without one the standard.
        seed: of ``ties="random"``.
        missing: what a judged query without results is: evaluated as an empty list, left out, or an
            error.
        unjudged_queries: what results for a query without judgements are: left out and counted, or an
            error.
        no_relevant: what a query without relevant items is: 0, left out, 1, or an error.
        duplicates: what the same item twice in one list, or judged twice, is: an error, or the first or
            best row.
        unjudged: what unjudged items are: not relevant, or taken out of the lists.
        scores: the precision in which scores are compared.
        columns: the columns to use, where their names do not say it: ``{"query": "person"}``, or for
            one table alone ``{"run.query": "person"}``.
        threads: how many threads to use; all cores if None.
        engine: ``local`` reads both tables into memory, ``stream`` reads files (Parquet, CSV, TSV, TREC text)
            in batches and keeps only the values of each query. If None, ``stream`` for files that are
            together larger than half the free memory, and that it can read.
        memory: about how much of it ``stream`` may use: bytes, or a text such as ``"2GiB"``, which is what
            None means.
        bounds: whether to evaluate under ``ties`` ``worst``, ``expected`` and ``best`` as well, for
            `Result.bounds`: three more evaluations of tables that have been read.
        hash_inputs: whether to hash what the tables hold, for `Result.inputs`; takes longer than evaluating.
        by: what to slice the queries by, for `Result.slices`: one column or several (each for itself) of
            `attributes`, `qrels` or `run`, the first of these that has it, with one value in all rows of a
            query; or a mapping ``{query: slice}``.
        attributes: a path or table with a column of queries, for `by`.

    Returns:
        The values, those of each query, and the account of the queries.

    Raises:
        UsageError: an unknown measure, parameter or choice, or a file that is not there.
        DataError: a table that cannot be evaluated as it is.

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
    }
    plan = planned(measures, like, given)
    check_threads(threads)
    of_tables = by is not None and attributes is None and not isinstance(by, Mapping)
    if of_tables and engine == "stream":
        raise UsageError(
            'slices by a column of qrels or run read it whole; give attributes= with engine="stream"'
        )
    if not of_tables and is_streamed(engine, memory, {"qrels": qrels, "run": run}):
        from rankmark.engines import stream

        result = stream.evaluate(
            qrels,
            run,
            plan,
            columns=columns,
            threads=threads,
            memory=memory,
            bounds=bounds,
            hash_inputs=hash_inputs,
        )
    else:
        judgements, results = read_inputs(qrels, run, columns)
        result = evaluate_tables(
            judgements, results, plan, threads=threads, bounds=bounds, hash_inputs=hash_inputs
        )
    if by is None and attributes is None:
        return result
    from rankmark.results.slices import slices_by  # which needs polars

    return result.with_slices(slices_by(result, by, qrels, run, attributes, columns))


STANDARD = Choices()


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be computed, and how.

    Attributes:
        measures: the measures in the order asked for.
        choices: those of the measures that have none of their own.
        own: those of the measures for which a convention decides otherwise.
        convention: the convention's label, if there is one.
        text_items: whether item ids are taken as text.

    """

    measures: tuple[Measure, ...]
    choices: Choices
    own: Mapping[Measure, Choices] = field(default_factory=dict)
    convention: str | None = None
    text_items: bool = False

    def groups(self) -> list[Group]:
        """The measures that the same choices decide."""
        if not self.own:
            return [(self.choices, self.measures)]
        groups: dict[Choices, list[Measure]] = {}
        for measure in self.measures:
            groups.setdefault(self.own.get(measure, self.choices), []).append(measure)
        return [(choices, tuple(group)) for choices, group in groups.items()]

    def observed_groups(self, *, bounds: bool) -> list[Group]:
        """What an engine is to observe: the groups, and for `bounds` what they are under other orders too."""
        groups = self.groups()
        if bounds:
            groups += [other for group in groups for other in _other_orders(*group)]
        return groups


def _other_orders(choices: Choices, measures: tuple[Measure, ...]) -> list[Group]:
    """A group under the orders of equal scores that `Bounds` has and that are not its own."""
    closed = tuple(measure for measure in measures if measure.expected)
    orders: list[tuple[Ties, tuple[Measure, ...]]] = [
        ("expected", closed),
        ("worst", measures),
        ("best", measures),
    ]
    return [(replace(choices, ties=ties), of) for ties, of in orders if of and ties != choices.ties]


def planned(
    measures: str | Measure | Iterable[str | Measure],
    like: str | None,
    given: Mapping[str, Any],
    kinds: tuple[Kind, ...] = LISTS_FIRST,
) -> Plan:
    """The plan for measures, a convention and the choices that the caller gives, which override its.

    A choice that is None is not given. With `LISTS_FIRST` there are to be no others.
    """
    given = {name: value for name, value in given.items() if value is not None}
    taken = _of_lists if kinds == LISTS_FIRST else tuple
    if like is None:
        return Plan(taken(asked_measures(measures, kinds)), Choices(**given) if given else STANDARD)
    record = convention(like)
    meanings = [record.meaning(asked, kinds) for asked in separate(measures)]
    by_measure: dict[Measure, Choices] = {}
    for meaning in meanings:
        chosen = Choices(**{**meaning.choices, **given})
        if by_measure.setdefault(meaning.measure, chosen) != chosen:
            raise MeasureError(
                f"{meaning.measure} was asked for under two names by which {record.name} decides "
                "differently; ask for one at a time"
            )
    different = set(by_measure.values())
    common = Choices(**{**record.choices, **given})
    choices = different.pop() if len(different) == 1 else common
    own = {measure: theirs for measure, theirs in by_measure.items() if theirs != choices}
    return Plan(taken(asked_measures(by_measure, kinds)), choices, own, record.label, record.text_items)


def evaluate_tables(
    judgements: Input,
    results: Input,
    plan: Plan,
    *,
    threads: int | None = None,
    bounds: bool = False,
    hash_inputs: bool = False,
) -> Result:
    """As `evaluate`, of tables that have been read and whose ids have the same types."""
    if plan.text_items:
        judgements, results = with_text_items(judgements), with_text_items(results)
    groups = plan.observed_groups(bounds=bounds)
    observed = [local.observe(judgements, results, choices, group, threads) for choices, group in groups]
    query_ids = judgements.table.take(judgements.query, observed[0].first_rows, "query")
    hashed = (judgements, results) if hash_inputs else ()
    inputs: dict[str, str] = {table.side: _digest(table) for table in hashed}
    return finished_tables(plan, observed, query_ids, judgements, results, bounds=bounds, inputs=inputs)


def finished_tables(
    plan: Plan,
    observed: Sequence[Observed],
    query_ids: _native.Table,
    judgements: Described,
    results: Described,
    *,
    bounds: bool = False,
    inputs: Mapping[str, str] = MappingProxyType({}),
) -> Result:
    """As `finished`, of tables."""
    for (choices, _), seen in zip(plan.groups(), observed, strict=False):
        check_answered(seen.answered, query_ids, choices, judgements, results)
    notes = [*judgements.notes, *results.notes, *_match_notes(observed[0], judgements, results)]
    return finished(
        plan, observed, query_ids, item_ids=results.item_ids, bounds=bounds, inputs=inputs, notes=notes
    )


def finished(
    plan: Plan,
    observed: Sequence[Observed],
    query_ids: _native.Table,
    *,
    item_ids: ItemIds,
    k: int | None = None,
    bounds: bool = False,
    inputs: Mapping[str, str] = MappingProxyType({}),
    notes: Iterable[str] = (),
) -> Result:
    """What an engine observed of all judged queries, as a result; `k` is where lists were cut.

    `observed` has an entry for each of `Plan.observed_groups`; all are of the queries `query_ids`, in that
    order. Their values are taken over, not copied.
    """
    settled: dict[Measure, _Settled] = {}
    counts: dict[Measure, MeasureCounts] = {}
    bounded: dict[Measure, Bounds] = {}
    groups = plan.groups()
    for (choices, group), seen in zip(groups, observed, strict=False):
        found = _settled(group, seen, query_ids, choices)
        settled |= found
        for measure, each in found.items():
            tied = tied_queries(seen, measure, choices, k)
            counts[measure] = MeasureCounts(each.averaged, each.no_relevant, tied)
    if bounds:
        others = iter(observed[len(groups) :])
        for choices, group in groups:
            orders = {choices.ties: {measure: settled[measure] for measure in group}}
            for other, measures in _other_orders(choices, group):
                orders[other.ties] = _settled(measures, next(others), query_ids, other)
            bounded |= _bounds(orders, choices.ties)
    # What is counted of the queries themselves does not depend on the choices.
    first = observed[0]
    answered = int(np.count_nonzero(first.answered))
    return Result(
        values={measure: settled[measure].value for measure in plan.measures},
        per_query_values={measure: settled[measure].per_query for measure in plan.measures},
        query_ids=query_ids,
        choices=plan.choices,
        own_choices=plan.own,
        counts=Counts(
            judged=len(first.answered),
            answered=answered,
            missing=len(first.answered) - answered,
            unjudged=first.unjudged_queries,
            measures={str(measure): counts[measure] for measure in plan.measures},
        ),
        item_ids=item_ids,
        convention=plan.convention,
        k=k,
        bounds={str(measure): bounded[measure] for measure in plan.measures if measure in bounded},
        inputs=inputs,
        notes=notes,
    )


def _digest(table: Input) -> str:
    from rankmark.inputs.digest import digest  # which needs polars

    return digest(table)


def asked_measures(
    measures: str | Measure | Iterable[str | Measure], kinds: tuple[Kind, ...] = LISTS_FIRST
) -> tuple[Measure, ...]:
    """The measures asked for, each once; names are looked for in the kinds of measures in their order."""
    asked = tuple(separate(measures))
    try:
        return _distinct(asked, kinds)
    except TypeError:  # what cannot be hashed is no measure
        return _distinct(tuple(as_measure(measure, kinds) for measure in asked), kinds)


def _of_lists(asked: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """The measures, none of which may be one of predictions."""
    for measure in asked:
        if measure.page.kind != "list":
            lists = " or ".join(n for n in namesakes(measure.page) if pages()[n].kind == "list")
            hint = f"; of lists there is {lists}" if lists else ""
            raise MeasureError(
                f"{measure} is a measure of predictions, for evaluate_predictions (`rankmark predictions`)"
                f"{hint}"
            )
    return asked


@functools.lru_cache(maxsize=256)
def _distinct(measures: tuple[str | Measure, ...], kinds: tuple[Kind, ...]) -> tuple[Measure, ...]:
    asked = tuple(dict.fromkeys(as_measure(measure, kinds) for measure in measures))
    if not asked:
        raise MeasureError("no measure asked for; for example ['nDCG@10', 'AP']")
    for name, count in Counter(map(str, asked)).items():
        if count > 1:
            raise MeasureError(
                f"{count} measures are written {name}; give their functions names that tell them apart"
            )
    return asked


def separate(measures: str | Measure | Iterable[str | Measure]) -> Iterable[str | Measure]:
    """The measures asked for, one by one."""
    if isinstance(measures, str):
        return split_measures(measures)
    if isinstance(measures, Measure):
        return [measures]
    if isinstance(measures, Iterable):
        return measures
    raise MeasureError(f"measures={measures!r} is neither a measure nor several, such as ['nDCG@10', 'AP']")


def check_threads(threads: int | None) -> None:
    """Refuses what is no number of threads."""
    if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1):
        raise ChoiceError(f"threads={threads!r} is not a whole number from 1")


def check_answered(
    answered: NDArray[np.bool_],
    query_ids: _native.Table,
    choices: Choices,
    judgements: Described,
    results: Described,
) -> None:
    """Refuses a run that answers none of the judged queries, or lacks one where `missing` refuses that."""
    if np.count_nonzero(answered) == len(answered):  # in a small call faster than `all`
        return
    unanswered = np.flatnonzero(~answered)
    if len(unanswered) == len(answered):
        raise DataError(
            f"{results.name} has no results for any of the {len(unanswered)} judged queries: its queries are "
            f"such as {results.first_query!r}, those of {judgements.name} such as {judgements.first_query!r}"
        )
    if choices.missing == "error":
        raise DataError(
            f"{results.name} has no results for {some_queries(query_ids, unanswered)} with judgements; "
            'choose missing="zero" or "skip", or complete the run'
        )


def _match_notes(observed: Observed, judgements: Described, results: Described) -> list[str]:
    """A word on ids if no item that was returned is judged: they may be written differently."""
    if observed.hits:
        return []
    note = (
        f"no returned item is judged: {results.name} has items such as {results.first_item!r}, "
        f"{judgements.name} such as {judgements.first_item!r}"
    )
    return [note]


def some_queries(query_ids: _native.Table, which: NDArray[np.intp]) -> str:
    """How many queries, and the first few by name."""
    names = query_ids.take("query", which[:3].astype(np.uint32), "query").column_values("query")
    shown = ", ".join(repr(name) for name in names) + (", …" if len(which) > len(names) else "")
    return f"{len(which)} {'query' if len(which) == 1 else 'queries'} ({shown})"


class _Settled(NamedTuple):
    """A measure's value, that of each query, how many count, and in how many nothing is relevant."""

    value: float
    per_query: Values
    averaged: int
    no_relevant: int


def _settled(
    asked: Iterable[Measure], observed: Observed, query_ids: _native.Table, choices: Choices
) -> dict[Measure, _Settled]:
    """What the measures come to."""
    counted = observed.answered if choices.missing == "skip" else None  # None: all count
    computed = iter(observed.values)
    return {
        measure: _settled_ratio(next(computed), next(computed), counted)
        if measure.page.aggregate == "ratio"
        else _settled_values(measure, next(computed), counted, query_ids, choices)
        for measure in asked
    }


def _settled_values(
    measure: Measure,
    values: Values,
    counted: NDArray[np.bool_] | None,
    query_ids: _native.Table,
    choices: Choices,
) -> _Settled:
    if choices.no_relevant == "error":
        _refuse_undefined(measure, values, counted, query_ids)
    filler = {"zero": 0.0, "one": 1.0}.get(choices.no_relevant, np.nan)
    total, averaged, no_relevant = _native.settle(values, counted, filler)
    if measure.mean == "geometric":
        value = _geometric_mean(values[~np.isnan(values)])
    else:
        value = total if measure.page.aggregate == "sum" else _quotient(total, averaged)
    return _Settled(value, values, averaged, no_relevant)


def _refuse_undefined(
    measure: Measure, values: Values, counted: NDArray[np.bool_] | None, query_ids: _native.Table
) -> None:
    undefined = np.isnan(values) if counted is None else np.isnan(values) & counted
    if undefined.any():
        raise DataError(
            f"{measure}: nothing is relevant in {some_queries(query_ids, np.flatnonzero(undefined))}; "
            'choose no_relevant="zero", "skip" or "one"'
        )


def _settled_ratio(above: Values, below: Values, counted: NDArray[np.bool_] | None) -> _Settled:
    """The same for a quotient of two sums over all queries."""
    per_query = _native.ratio(above, below, below)
    _, averaged, no_relevant = _native.settle(per_query, counted, np.nan)
    sums = [_native.exact_sum(part if counted is None else part[counted]) for part in (above, below)]
    return _Settled(_quotient(*sums), per_query, averaged, no_relevant)


LEAST_FACTOR = 1e-5
"""What a query with less counts in a geometric mean, which one 0 would make 0 (trec_eval's value)."""


def _geometric_mean(values: Values) -> float:
    logarithms = np.log(np.maximum(values, LEAST_FACTOR))
    return math.exp(_quotient(_native.exact_sum(logarithms), len(values)))


def _quotient(total: float, count: float) -> float:
    return total / count if count else float("nan")


def tied_queries(observed: Observed, measure: Measure, choices: Choices, k: int | None = None) -> int | None:
    """The queries that tie-breaking can change; see `MeasureCounts.tied`."""
    last = measure.last_deciding_rank
    if k is not None and measure.page.order != "nothing":
        last = min(last or k, k)  # a cut makes a set of what stands above it
    if not last:
        return 0
    if measure.tells_unjudged and choices.unjudged != "ignore":
        return None
    if not observed.ties:
        return 0
    can_change = (observed.tied_rank > 0) & (observed.tied_rank <= last)
    if measure.page.order == "set":
        can_change &= observed.retrieved > last
    return int(np.count_nonzero(can_change))


def _bounds(orders: Mapping[Ties, Mapping[Measure, _Settled]], asked: Ties) -> dict[Measure, Bounds]:
    """What equal scores can make of each measure, of its values under several orders of them."""
    expected, worst, best = (orders.get(ties, {}) for ties in ("expected", "worst", "best"))
    return {
        measure: Bounds(
            worst[measure].value,
            expected[measure].value if measure in expected else None,
            best[measure].value,
            _changed(worst[measure], best[measure], worst[measure] if asked == "expected" else own),
        )
        for measure, own in orders[asked].items()
    }


def _changed(*orders: _Settled) -> int:
    """Queries whose values in these orders are not all the same, but for the rounding of their sums."""
    first, *others = (order.per_query for order in orders)
    same = (np.isclose(first, other, rtol=1e-12, atol=0, equal_nan=True) for other in others)
    return int(np.count_nonzero(~np.logical_and.reduce(list(same))))
