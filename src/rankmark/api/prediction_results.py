"""The result of predictions, made in one place: of rows in memory, in files, on a cluster, and of classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from rankmark.aggregation.counts import PredictionCounts
from rankmark.aggregation.oddities import told_of_rows
from rankmark.dataclassing import dataclass
from rankmark.inputs.predictions.looked_at import RowsLookedAt
from rankmark.kinds.classes import Cells
from rankmark.language.conventions.convention import departures
from rankmark.language.conventions.limits import Facts
from rankmark.results.by_class import ByClass
from rankmark.results.predictions import Basis, PredictionResult

if TYPE_CHECKING:
    from rankmark import _native
    from rankmark.aggregation.counts import MeasureCounts, RowMeasureCounts
    from rankmark.aggregation.intervals import PredictionInterval
    from rankmark.aggregation.rows import RowsOf
    from rankmark.aggregation.settled_rows import SettledRows
    from rankmark.kinds.rows import Values
    from rankmark.language.measure import Measure
    from rankmark.language.plan import Plan
    from rankmark.results.lists import ListResult

__all__ = ["Beside", "prediction_result", "rows_result"]


@dataclass(frozen=True, slots=True)
class Beside:
    """What a result has beside values.

    Attributes:
        inputs: hashes of the tables.
        intervals: the confidence interval of each measure, by its name.

    """

    inputs: Mapping[str, str] = field(default_factory=dict)
    intervals: Mapping[str, PredictionInterval] = field(default_factory=dict)


NOTHING = Beside()
NO_VALUES: Mapping[Measure, Values] = MappingProxyType({})
NO_PARTS: Mapping[Measure, tuple[Values, Values]] = MappingProxyType({})


def rows_result(
    plan: Plan,
    rows: RowsOf,
    settled: Mapping[Measure, SettledRows],
    lists: ListResult | None = None,
    beside: Beside = NOTHING,
) -> PredictionResult:
    """What measures of rows came to, and those of lists where the rows of a query are its list."""
    values = {measure: each.value for measure, each in settled.items()}
    per_query = {m: each.per_query for m, each in settled.items() if each.per_query is not None}
    counts: dict[str, MeasureCounts | RowMeasureCounts] = {str(m): s.counts for m, s in settled.items()}
    if lists:
        values |= {measure: lists[measure] for measure in lists}
        per_query |= {measure: lists.query_values(measure) for measure in lists}
        counts |= lists.counts.measures
    parts = {m: each.parts for m, each in settled.items() if each.parts is not None}
    if lists:
        parts |= lists.query_parts
    query_ids = (lists.query_table if lists else rows.query_ids) if per_query else None
    decision = next((measure for measure in plan.measures if measure.name == "Confusion"), None)
    return prediction_result(
        plan,
        Basis(rows.positive, rows.read.columns.weight, like=plan.convention),
        PredictionCounts(
            rows=rows.count,
            positive=rows.rows.positives if rows.binary else None,
            queries=query_ids.num_rows if query_ids else rows.queries,
            measures={str(measure): counts[str(measure)] for measure in plan.measures},
        ),
        values,
        per_query,
        parts,
        query_ids,
        lists=lists,
        by_class=None if decision is None else _of_decision(rows, decision),
        beside=beside,
        notes=(
            *(told_of_rows(values, rows.content, rows.rows.positives) if rows.binary else ()),
            *_departures(plan, settled, rows),
        ),
    )


def _departures(plan: Plan, measures: Iterable[Measure], rows: RowsOf) -> tuple[str, ...]:
    """What keeps the numbers from being those of the tool whose convention is followed."""
    if plan.convention is None:
        return ()
    here = rows.seen_whole
    facts = {
        measure: Facts(
            improbable=rows.content.improbable, rows=RowsLookedAt(rows.read, measure) if here else None
        )
        for measure in measures
    }
    return departures(plan.convention, facts)


def _of_decision(rows: RowsOf, decision: Measure) -> ByClass | None:
    """The confusion matrix of a decision about two classes; None where it has none."""
    settled = [rows.settled(decision(count=count)) for count in ("tn", "fp", "fn", "tp")]
    if any(each.counts.undefined for each in settled):
        return None
    positives = rows.rows.positives
    return ByClass(
        (rows.other, rows.positive),
        np.array([rows.count - positives, positives]),
        None,
        {},
        {},
        Cells(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([each.value for each in settled])),
    )


def prediction_result(
    plan: Plan,
    basis: Basis,
    counts: PredictionCounts,
    values: Mapping[Measure, float],
    per_query: Mapping[Measure, Values] = NO_VALUES,
    parts: Mapping[Measure, tuple[Values, Values]] = NO_PARTS,
    query_ids: _native.Table | None = None,
    *,
    lists: ListResult | None = None,
    by_class: ByClass | None = None,
    beside: Beside = NOTHING,
    notes: tuple[str, ...] = (),
) -> PredictionResult:
    """What a plan came to, with the measures in the order asked for."""
    return PredictionResult(
        values={measure: values[measure] for measure in plan.measures},
        per_query_values={m: per_query[m] for m in plan.measures if m in per_query},
        parts=parts,
        query_ids=query_ids,
        counts=counts,
        basis=basis,
        lists=lists,
        notes=notes,
        inputs=beside.inputs,
        intervals=beside.intervals,
        by_class=by_class,
    )
