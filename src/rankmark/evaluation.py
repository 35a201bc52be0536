"""The front door: inputs, plan, engine, result.

The module is not called `evaluate`, because importing it would put it in the place of the function on the
package.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

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
from rankmark.measure import Measure, as_measure, split_measures
from rankmark.result import Counts, MeasureCounts, Result

if TYPE_CHECKING:
    from rankmark.inputs import Input
    from rankmark.lists import JudgedLists, Values

__all__ = ["LEAST_FACTOR", "evaluate", "match"]


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
) -> Result:
    """Measures how well a run ranks what the judgements call relevant.

    `qrels` and `run` are a path (TREC text, CSV, TSV, JSON lines, Parquet; also gzip or zstd; also a
    glob), a table of polars, pandas, pyarrow, DuckDB or whatever else speaks the Arrow PyCapsule
    interface, a dict of dicts ``{query: {item: value}}``, a dict of lists ``{query: [best item, …]}``,
    or an iterable of tuples. They are never changed.

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
    asked = _measures(measures)
    _check_threads(threads)
    judgements, results = read_inputs(qrels, run, columns)
    observed, query_ids = match(judgements, results, choices, threads)
    notes = [*judgements.notes, *results.notes, *_match_notes(observed, judgements, results)]
    item_ids: Literal["integer", "text"] = (
        "integer" if results.table.kind(results.item) == "integer" else "text"
    )
    return _result(asked, observed, query_ids, choices, item_ids, notes)


def match(
    judgements: Input, results: Input, choices: Choices, threads: int | None = None
) -> tuple[_native.JudgedLists, _native.Table]:
    """The results ranked and matched with the judgements, and the ids of the judged queries.

    Raises:
        DataError: there is nothing to measure, or the choices refuse what there is.

    """
    observed = local.observe(judgements, results, choices, threads)
    query_ids = judgements.table.take(judgements.query, observed.first_rows, "query")
    _check_answered(observed, query_ids, choices, judgements, results)
    return observed, query_ids


def _measures(measures: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    asked = tuple(dict.fromkeys(as_measure(measure) for measure in _separate(measures)))
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


def _check_threads(threads: int | None) -> None:
    if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1):
        raise ChoiceError(f"threads={threads!r} is not a whole number from 1")


def _check_answered(
    observed: _native.JudgedLists,
    query_ids: _native.Table,
    choices: Choices,
    judgements: Input,
    results: Input,
) -> None:
    unanswered = np.flatnonzero(~observed.answered)
    if len(unanswered) == len(observed.answered):
        raise DataError(
            f"{results.name} has no results for any of the {len(unanswered)} judged queries: its queries are "
            f"such as {_first_id(results, results.query)!r}, those of {judgements.name} such as "
            f"{_first_id(judgements, judgements.query)!r}"
        )
    if len(unanswered) and choices.missing == "error":
        raise DataError(
            f"{results.name} has no results for {_some(query_ids, unanswered)} with judgements; "
            'choose missing="zero" or "skip", or complete the run'
        )


def _match_notes(observed: _native.JudgedLists, judgements: Input, results: Input) -> list[str]:
    """A word on ids if no item that was returned is judged: they may be written differently."""
    if len(observed.rank):
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


def _result(
    asked: tuple[Measure, ...],
    observed: _native.JudgedLists,
    query_ids: _native.Table,
    choices: Choices,
    item_ids: Literal["integer", "text"],
    notes: list[str],
) -> Result:
    lists = local.judged_lists(observed)
    counted = observed.answered if choices.missing == "skip" else np.ones(len(observed.answered), dtype=bool)
    values, per_query, counts = {}, {}, {}
    for measure in asked:
        parts, no_relevant = _decided(measure, lists, counted, query_ids, choices)
        per_query[measure], values[measure] = _aggregate(measure, parts, counted)
        counts[str(measure)] = MeasureCounts(
            averaged=int(np.count_nonzero(~np.isnan(per_query[measure]))),
            no_relevant=int(np.count_nonzero(no_relevant)),
            tied=_tied(observed, measure),
        )
    answered = int(np.count_nonzero(observed.answered))
    return Result(
        measures=asked,
        values=values,
        per_query_values=per_query,
        query_ids=query_ids,
        choices=choices,
        counts=Counts(
            judged=len(observed.answered),
            answered=answered,
            missing=len(observed.answered) - answered,
            unjudged=observed.unjudged_queries,
            measures=counts,
        ),
        item_ids=item_ids,
        notes=notes,
    )


def _decided(
    measure: Measure,
    lists: JudgedLists,
    counted: NDArray[np.bool_],
    query_ids: _native.Table,
    choices: Choices,
) -> tuple[tuple[Values, ...], NDArray[np.bool_]]:
    """What the page computes, with `no_relevant` applied, and which queries that concerned."""
    computed = measure.compute(lists)
    if isinstance(computed, tuple):
        return computed, counted & (computed[1] == 0)
    undefined = np.isnan(computed) & counted
    if choices.no_relevant == "error" and undefined.any():
        raise DataError(
            f"{measure}: nothing is relevant in {_some(query_ids, np.flatnonzero(undefined))}; "
            'choose no_relevant="zero", "skip" or "one"'
        )
    if choices.no_relevant in ("zero", "one"):
        computed = np.where(undefined, 1.0 if choices.no_relevant == "one" else 0.0, computed)
    return (computed,), undefined


def _aggregate(
    measure: Measure, parts: tuple[Values, ...], counted: NDArray[np.bool_]
) -> tuple[Values, float]:
    """One value a query (NaN where it is left out), and one for all."""
    if measure.page.aggregate == "ratio":
        hits, of = parts
        with np.errstate(invalid="ignore"):
            per_query = np.where(counted, hits / of, np.nan)
        return per_query, _quotient(_native.exact_sum(hits[counted]), _native.exact_sum(of[counted]))
    per_query = np.where(counted, parts[0], np.nan)
    present = per_query[~np.isnan(per_query)]
    if measure.mean == "geometric":
        return per_query, _geometric_mean(present)
    total = _native.exact_sum(present)
    return per_query, total if measure.page.aggregate == "sum" else _quotient(total, len(present))


LEAST_FACTOR = 1e-5
"""What a query with less counts in a geometric mean, which one 0 would make 0 (trec_eval's value)."""


def _geometric_mean(values: Values) -> float:
    logarithms = np.log(np.maximum(values, LEAST_FACTOR))
    return math.exp(_quotient(_native.exact_sum(logarithms), len(values)))


def _quotient(total: float, count: float) -> float:
    return total / count if count else float("nan")


def _tied(observed: _native.JudgedLists, measure: Measure) -> int:
    """Queries in which tie-breaking decides between different grades inside the cutoff."""
    tied = observed.tied_rank > 0
    if measure.cutoff is not None:
        tied &= observed.tied_rank <= measure.cutoff
    return int(np.count_nonzero(tied))
