"""The worst of each group of queries, such as the wordings of one question or a pair of opposites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import DataError, MeasureError, UsageError
from rankmark.inputs.attributes import aligned, read_attributes
from rankmark.language.given_measure import DerivedMeasure
from rankmark.rendering.words import counted
from rankmark.results.given import DerivedResult

if TYPE_CHECKING:
    from rankmark.results.base import Result

__all__ = ["worst_of_groups"]


def worst_of_groups(result: Result, groups: Any, *columns: str) -> DerivedResult:
    """The worst value of each group of queries, and the means of these over the groups.

    Of wordings of one question and nDCG@10 it is the robustness of InstructIR; of pairs of opposite
    questions with one relevant item each and R@1 the paired accuracy of NevIR: both of a pair are right,
    or it counts 0. Intervals, tests and slices of it are of groups::

        worst(m) = 1/|G| Σ_g min_{q ∈ g} m(q)        (max where less is better)

    Queries that count for nothing are left out of their group.

    Args:
        result: what `evaluate` gave.
        groups: a path or a table with a column of queries; or the groups, as ``{"q1": "g"}``, a pandas
            Series with the queries in its index, a function of a query, or values in the order of
            `query_ids`.
        *columns: the column of the groups, where there are several.

    Raises:
        MeasureError: a measure that is no mean over queries.
        DataError: a query has several groups, or none has one.
        UsageError: several columns, or weights.

    Source:
        H. Oh et al., "INSTRUCTIR: a benchmark for instruction following of information retrieval models",
        2024; O. Weller, D. Lawrie and B. Van Durme, "NevIR: negation in neural information retrieval",
        EACL 2024.

    Example:
        >>> import rankmark as rm
        >>> run = {"1a": ["x", "y"], "1b": ["y", "x"], "2a": ["x"], "2b": ["x"]}
        >>> result = rm.evaluate({query: {"x": 1} for query in run}, run, "RR, R@1")
        >>> worst = rm.worst_of_groups(result, lambda query: query[0])
        >>> worst["worst(RR)"], worst["worst(R@1)"], worst.query_ids
        (0.75, 0.5, ['1', '2'])

    """
    if result.weighed is not None:
        raise UsageError("a group counts once, however much its queries weigh: leave out weights")
    if not result.query_measures:
        raise UsageError("this result has no values of queries, of which a group has a worst")
    for measure in result.measures:
        if not measure.is_mean_of_queries or measure.better == "neither":
            raise MeasureError(f"{measure} is no mean of queries' values, of which a group has a worst")
    read = read_attributes(groups, columns, None, result.query_ids)
    found = aligned(read.frame, result.query_ids).get_columns()
    if len(found) != 1:
        raise UsageError(f"there are {len(found)} columns: {', '.join(by.name for by in found)}; name one")
    (by,) = found
    labels = by.drop_nulls().unique(maintain_order=True)
    if not len(labels):
        raise DataError("no query has a group")
    numbers = dict(zip(labels.to_list(), range(len(labels)), strict=True))
    own = np.array([numbers.get(each, -1) for each in by.to_list()])
    values = {}
    for measure in result.measures:
        less = measure.better == "less"
        worst = np.full(len(labels), -np.inf if less else np.inf)
        there = (own >= 0) & ~np.isnan(result.query_values(measure))
        extreme = np.maximum if less else np.minimum
        extreme.at(worst, own[there], result.query_values(measure)[there])
        told = (f"groups:{by.name}", *result.signature(measure).split("|")[:-1])
        derived = DerivedMeasure(f"worst({measure})", told, measure.page.better, measure.bounds)
        values[derived] = np.where(np.isinf(worst), np.nan, worst)
    sizes = np.bincount(own[own >= 0])
    notes = [*result.notes, *read.notes]
    if without := int((own < 0).sum()):
        notes.append(f"{counted(without, 'query', 'queries')} in no group (left out)")
    if alone := int((sizes == 1).sum()):
        notes.append(f"{counted(alone, 'group')} of one query, whose worst is that one")
    return DerivedResult.of(values, labels, unit=("group", "groups"), notes=notes, inputs=result._inputs)
