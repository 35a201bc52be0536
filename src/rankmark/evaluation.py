"""The front door: inputs, plan, engine, result.

The module is not called `evaluate`, because importing it would put it in the place of the function on the
package.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.choices import (
    Choices,
    Duplicates,
    Missing,
    NoRelevant,
    Scores,
    Ties,
    Unjudged,
    UnjudgedQueries,
)
from rankmark.engines import local
from rankmark.errors import ChoiceError, DataError, MeasureError
from rankmark.inputs import read_inputs
from rankmark.measure import LISTS_FIRST, Kind, Measure, as_measure, namesakes, split_measures
from rankmark.result import Bounds, Counts, MeasureCounts, Result

if TYPE_CHECKING:
    from rankmark.engines.observed import Observed
    from rankmark.inputs import Input
    from rankmark.lists import Values

__all__ = [
    "LEAST_FACTOR",
    "asked_measures",
    "check_answered",
    "check_threads",
    "evaluate",
    "evaluate_tables",
]


def evaluate(
    qrels: Any,
    run: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    ties: Ties = "item-desc",
    seed: int = 0,
    missing: Missing = "zero",
    unjudged_queries: UnjudgedQueries = "skip",
    no_relevant: NoRelevant = "zero",
    duplicates: Duplicates = "error",
    unjudged: Unjudged = "nonrelevant",
    scores: Scores = "float64",
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    bounds: bool = False,
    hash_inputs: bool = False,
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
        ties: the order of equal scores; ``item-desc`` is trec_eval's rule, ``expected`` the mean over
            all orders.
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
        bounds: whether to evaluate under ``ties`` ``worst``, ``expected`` and ``best`` as well, for
            `Result.bounds`: three more evaluations of tables that have been read.
        hash_inputs: whether to hash what the tables hold, for `Result.inputs`; takes longer than evaluating.

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
    choices = Choices(
        ties=ties,
        seed=seed,
        missing=missing,
        unjudged_queries=unjudged_queries,
        no_relevant=no_relevant,
        duplicates=duplicates,
        unjudged=unjudged,
        scores=scores,
    )
    asked = asked_measures(measures)
    _refuse_row_measures(asked)
    check_threads(threads)
    judgements, results = read_inputs(qrels, run, columns)
    return evaluate_tables(
        judgements, results, asked, choices, threads=threads, bounds=bounds, hash_inputs=hash_inputs
    )


def evaluate_tables(
    judgements: Input,
    results: Input,
    asked: tuple[Measure, ...],
    choices: Choices,
    *,
    threads: int | None = None,
    bounds: bool = False,
    hash_inputs: bool = False,
    convention: str | None = None,
) -> Result:
    """As `evaluate`, of tables that have been read and whose ids have the same types."""
    observed = local.observe(judgements, results, choices, asked, threads)
    query_ids = judgements.table.take(judgements.query, observed.first_rows, "query")
    check_answered(observed.answered, query_ids, choices, judgements, results)
    notes = [*judgements.notes, *results.notes, *_match_notes(observed, judgements, results)]
    settled = _settled(asked, observed, query_ids, choices)
    counts = {
        str(measure): MeasureCounts(each.averaged, each.no_relevant, _tied(observed, measure, choices))
        for measure, each in settled.items()
    }
    answered = int(np.count_nonzero(observed.answered))
    return Result(
        values={measure: each.value for measure, each in settled.items()},
        per_query_values={measure: each.per_query for measure, each in settled.items()},
        query_ids=query_ids,
        choices=choices,
        counts=Counts(
            judged=len(observed.answered),
            answered=answered,
            missing=len(observed.answered) - answered,
            unjudged=observed.unjudged_queries,
            measures=counts,
        ),
        item_ids="integer" if results.table.kind(results.item) == "integer" else "text",
        convention=convention,
        bounds=_bounds(asked, settled, judgements, results, choices, threads) if bounds else {},
        inputs={table.side: _digest(table) for table in (judgements, results)} if hash_inputs else {},
        notes=notes,
    )


def _digest(table: Input) -> str:
    from rankmark.inputs.digest import digest  # which needs polars

    return digest(table)


def asked_measures(
    measures: str | Measure | Iterable[str | Measure], kinds: tuple[Kind, ...] = LISTS_FIRST
) -> tuple[Measure, ...]:
    """The measures asked for, each once; names are looked for in the kinds of measures in their order."""
    asked = tuple(_separate(measures))
    try:
        return _distinct(asked, kinds)
    except TypeError:  # what cannot be hashed is no measure
        return _distinct(tuple(as_measure(measure, kinds) for measure in asked), kinds)


def _refuse_row_measures(asked: Iterable[Measure]) -> None:
    for measure in asked:
        if measure.page.kind != "list":
            lists = " or ".join(namesakes(measure.page))
            hint = f"; of lists there is {lists}" if lists else ""
            raise MeasureError(
                f"{measure} is a measure of predictions, for evaluate_predictions (`rankmark predictions`)"
                f"{hint}"
            )


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


def _separate(measures: str | Measure | Iterable[str | Measure]) -> Iterable[str | Measure]:
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
    judgements: Input,
    results: Input,
) -> None:
    """Refuses a run that answers none of the judged queries, or lacks one where `missing` refuses that."""
    if np.count_nonzero(answered) == len(answered):  # in a small call faster than `all`
        return
    unanswered = np.flatnonzero(~answered)
    if len(unanswered) == len(answered):
        raise DataError(
            f"{results.name} has no results for any of the {len(unanswered)} judged queries: its queries are "
            f"such as {_first_id(results, results.query)!r}, those of {judgements.name} such as "
            f"{_first_id(judgements, judgements.query)!r}"
        )
    if choices.missing == "error":
        raise DataError(
            f"{results.name} has no results for {_some(query_ids, unanswered)} with judgements; "
            'choose missing="zero" or "skip", or complete the run'
        )


def _match_notes(observed: Observed, judgements: Input, results: Input) -> list[str]:
    """A word on ids if no item that was returned is judged: they may be written differently."""
    if observed.hits:
        return []
    returned, judged = (_first_id(table, table.item) for table in (results, judgements))
    note = (
        f"no returned item is judged: {results.name} has items such as {returned!r}, "
        f"{judgements.name} such as {judged!r}"
    )
    return [note]


def _first_id(table: Input, column: str) -> int | str:
    return table.table.take(column, np.zeros(1, dtype=np.uint32), column).column_values(column)[0]


def _some(query_ids: _native.Table, which: NDArray[np.intp]) -> str:
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
            f"{measure}: nothing is relevant in {_some(query_ids, np.flatnonzero(undefined))}; "
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


def _tied(observed: Observed, measure: Measure, choices: Choices) -> int | None:
    """The queries that tie-breaking can change; see `MeasureCounts.tied`."""
    last = measure.last_deciding_rank
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


def _bounds(
    asked: tuple[Measure, ...],
    settled: dict[Measure, _Settled],
    judgements: Input,
    results: Input,
    choices: Choices,
    threads: int | None,
) -> dict[str, Bounds]:
    """What equal scores can make of each measure, of which `settled` is what was asked for."""

    def under(ties: Ties, measures: tuple[Measure, ...]) -> dict[Measure, _Settled]:
        if not measures:
            return {}
        if ties == choices.ties:
            return settled
        other = replace(choices, ties=ties)
        observed = local.observe(judgements, results, other, measures, threads)
        query_ids = judgements.table.take(judgements.query, observed.first_rows, "query")
        return _settled(measures, observed, query_ids, other)

    expected = under("expected", tuple(measure for measure in asked if measure.expected))
    worst, best = under("worst", asked), under("best", asked)
    return {
        str(measure): Bounds(
            worst[measure].value,
            expected[measure].value if measure in expected else None,
            best[measure].value,
            _changed(worst[measure], best[measure], worst[measure] if choices.ties == "expected" else own),
        )
        for measure, own in settled.items()
    }


def _changed(*orders: _Settled) -> int:
    """Queries whose values in these orders are not all the same, but for the rounding of their sums."""
    first, *others = (order.per_query for order in orders)
    same = (np.isclose(first, other, rtol=1e-12, atol=0, equal_nan=True) for other in others)
    return int(np.count_nonzero(~np.logical_and.reduce(list(same))))
