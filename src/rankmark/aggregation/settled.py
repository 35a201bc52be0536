"""What measures of lists come to: which queries count, what is filled in, and how they are averaged."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.errors import DataError
from rankmark.language.choices import Choices
from rankmark.language.measure import Measure

if TYPE_CHECKING:
    from rankmark.aggregation.observed import Observed
    from rankmark.inputs import Described
    from rankmark.kinds.lists import Values

__all__ = [
    "LEAST_FACTOR",
    "Settled",
    "check_answered",
    "match_notes",
    "settled_measures",
    "some_queries",
    "tied_queries",
]


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


def match_notes(observed: Observed, judgements: Described, results: Described) -> list[str]:
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


class Settled(NamedTuple):
    """A measure's value, that of each query, how many count, and in how many nothing is relevant."""

    value: float
    per_query: Values
    averaged: int
    no_relevant: int


def settled_measures(
    asked: Iterable[Measure], observed: Observed, query_ids: _native.Table, choices: Choices
) -> dict[Measure, Settled]:
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
) -> Settled:
    if choices.no_relevant == "error":
        _refuse_undefined(measure, values, counted, query_ids)
    filler = {"zero": 0.0, "one": 1.0}.get(choices.no_relevant, np.nan)
    total, averaged, no_relevant = _native.settle(values, counted, filler)
    if measure.mean == "geometric":
        value = _geometric_mean(values[~np.isnan(values)])
    else:
        value = total if measure.page.aggregate == "sum" else _quotient(total, averaged)
    return Settled(value, values, averaged, no_relevant)


def _refuse_undefined(
    measure: Measure, values: Values, counted: NDArray[np.bool_] | None, query_ids: _native.Table
) -> None:
    undefined = np.isnan(values) if counted is None else np.isnan(values) & counted
    if undefined.any():
        raise DataError(
            f"{measure}: nothing is relevant in {some_queries(query_ids, np.flatnonzero(undefined))}; "
            'choose no_relevant="zero", "skip" or "one"'
        )


def _settled_ratio(above: Values, below: Values, counted: NDArray[np.bool_] | None) -> Settled:
    """The same for a quotient of two sums over all queries."""
    per_query = _native.ratio(above, below, below)
    _, averaged, no_relevant = _native.settle(per_query, counted, np.nan)
    sums = [_native.exact_sum(part if counted is None else part[counted]) for part in (above, below)]
    return Settled(_quotient(*sums), per_query, averaged, no_relevant)


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
